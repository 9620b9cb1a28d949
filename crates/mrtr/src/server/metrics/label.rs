//! Labels: what tells the series of one metric apart. All their values are
//! known beforehand, so nobody else decides how many series there are.

use std::marker::PhantomData;

/// One of a fixed number of values.
pub(crate) trait Label: Copy + 'static {
    /// What the values are values of.
    const NAME: &'static str;
    /// All values, each at its place.
    const ALL: &'static [Self];

    /// The place in `ALL`.
    fn place(self) -> usize;

    /// The value as text.
    fn text(self) -> &'static str;
}

/// Makes a fieldless enum a label.
macro_rules! label {
    ($(#[$doc:meta])* $label:ident = $name:literal { $($(#[$about:meta])* $value:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum $label {
            $($(#[$about])* $value,)*
        }

        impl $crate::server::metrics::Label for $label {
            const NAME: &'static str = $name;
            const ALL: &'static [Self] = &[$(Self::$value),*];

            fn place(self) -> usize {
                self as usize
            }

            fn text(self) -> &'static str {
                match self {
                    $(Self::$value => $text,)*
                }
            }
        }
    };
}
pub(super) use label;

/// One `T` for each value of a label.
#[derive(Debug)]
pub(crate) struct By<L, T> {
    each: Box<[T]>,
    label: PhantomData<fn(L)>,
}

impl<L: Label, T: Default> Default for By<L, T> {
    fn default() -> Self {
        Self {
            each: L::ALL.iter().map(|_| T::default()).collect(),
            label: PhantomData,
        }
    }
}

impl<L: Label, T> By<L, T> {
    pub(crate) fn of(&self, label: L) -> &T {
        &self.each[label.place()]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (L, &T)> {
        L::ALL.iter().copied().zip(&self.each)
    }
}
