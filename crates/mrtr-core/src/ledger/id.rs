//! The names of rows, runs and stores.

use std::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name([u8; 16]);

        impl $name {
            /// The one with these bytes.
            #[must_use]
            pub const fn from_bytes(bytes: [u8; 16]) -> Self {
                Self(bytes)
            }

            /// Its bytes.
            #[must_use]
            pub const fn as_bytes(&self) -> &[u8; 16] {
                &self.0
            }
        }

        /// 32 hexadecimal digits.
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:032x}", u128::from_be_bytes(self.0))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self)
            }
        }
    };
}

id! {
    /// Names a sealed state: a digest of its text. The key of a run's row.
    StateKey
}

id! {
    /// Names what a client sent to go on from a state: a digest of the state
    /// and of the answers, however they are written, without the id of the
    /// request and its `_meta`. A request that is sent again is the same run.
    RunId
}

id! {
    /// Names a single attempt to do a run: random, so that no other attempt
    /// ever has it, and only its holder may write.
    Fence
}

id! {
    /// Names a `once` body within what it is unique in: its exchange, or the
    /// scope its author gave. The key of a once row.
    OnceKey
}

id! {
    /// Names a journal that is kept in the ledger instead of travelling.
    JournalKey
}

id! {
    /// Names the memory of a store: made at random when the store is empty.
    /// A store that lost its memory has another one.
    Epoch
}
