//! What a handler may be called with.

use super::cx::Cx;
use crate::round::{OpenRound, Replay};

/// Relies on nothing but the sealed state: what a [`Cx`] is unless it says
/// otherwise.
#[derive(Clone, Copy, Debug)]
pub enum Stateless {}

/// Also relies on a ledger that all replicas share, so that each state is used
/// once, and [`once`](Cx::once) is there.
#[derive(Clone, Copy, Debug)]
pub enum Durable {}

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
            Some(Self::new(round.shared.clone()))
        }
    }

    impl OfRound for Cx<Durable> {
        fn of_round(round: &OpenRound) -> Option<Self> {
            round.shared.about.backing.as_ref()?;
            Some(Self::new(round.shared.clone()))
        }
    }
}
