//! What a handler may be called with.

use std::fmt;
use std::sync::Arc;

use super::backing::Backing;
use super::cx::Cx;
use super::shared::Shared;
use crate::round::{OpenRound, Replay};

/// Relies on nothing but the sealed state: what a [`Cx`] is unless it says
/// otherwise.
#[derive(Clone, Copy, Debug)]
pub struct Stateless(());

/// Also relies on a ledger that all replicas share, so that each state is used
/// once, and [`once`](Cx::once) is there.
#[derive(Clone)]
pub struct Durable(pub(super) Arc<Backing>);

impl fmt::Debug for Durable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Durable")
    }
}

impl Cx {
    pub(crate) const fn of(shared: Arc<Shared>) -> Self {
        Self::new(shared, Stateless(()))
    }
}

/// What a durable handler shares with others.
impl From<Cx<Durable>> for Cx {
    fn from(cx: Cx<Durable>) -> Self {
        cx.relying_on(Stateless(()))
    }
}

/// The contexts a handler may take: [`Cx`] and [`Cx<Durable>`](Durable).
pub trait Context: sealed::OfRound {
    /// What the handler is to be served with; `Once` where it takes a durable
    /// context.
    const REPLAY: Replay;
}

impl Context for Cx {
    const REPLAY: Replay = Replay::Allowed;
}

impl Context for Cx<Durable> {
    const REPLAY: Replay = Replay::Once;
}

mod sealed {
    use super::{Cx, Durable, OpenRound};

    pub trait OfRound: Sized {
        /// The context of a round that has what it relies on.
        fn of_round(round: &OpenRound) -> Option<Self>;
    }

    impl OfRound for Cx {
        fn of_round(round: &OpenRound) -> Option<Self> {
            Some(Self::of(round.shared.clone()))
        }
    }

    impl OfRound for Cx<Durable> {
        fn of_round(round: &OpenRound) -> Option<Self> {
            let backing = round.backing.clone()?;
            Some(Self::new(round.shared.clone(), Durable(backing)))
        }
    }
}
