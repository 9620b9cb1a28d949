//! How often a quantity was how large.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};

/// A quantity, counted in whole units.
pub(super) trait Quantity: 'static {
    /// Units in one of what is shown: 1000 where milliseconds are counted and
    /// seconds shown.
    const SCALE: u64;
    /// Where the buckets end, in units, ascending.
    const BOUNDS: &'static [u64];
}

/// The time of a handler: counted in milliseconds, shown in seconds.
#[derive(Debug)]
pub(crate) struct HandlerTime;

impl Quantity for HandlerTime {
    const SCALE: u64 = 1_000;
    const BOUNDS: &'static [u64] = &[
        1, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 300_000,
    ];
}

/// The time of a ledger: counted in microseconds, shown in seconds.
#[derive(Debug)]
pub(crate) struct LedgerTime;

impl Quantity for LedgerTime {
    const SCALE: u64 = 1_000_000;
    const BOUNDS: &'static [u64] = &[
        50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000,
        1_000_000, 5_000_000,
    ];
}

/// The length of a sealed state in bytes.
#[derive(Debug)]
pub(crate) struct StateBytes;

impl Quantity for StateBytes {
    const SCALE: u64 = 1;
    const BOUNDS: &'static [u64] = &[
        256, 512, 1_024, 2_048, 4_096, 8_192, 16_384, 32_768, 65_536, 262_144,
    ];
}

/// Counts of a quantity in buckets. Two additions for each observation.
#[derive(Debug)]
pub(crate) struct Histogram<Q> {
    /// By bucket, and what is beyond the last bound.
    counts: Box<[AtomicU64]>,
    sum: AtomicU64,
    quantity: PhantomData<fn(Q)>,
}

impl<Q: Quantity> Default for Histogram<Q> {
    fn default() -> Self {
        Self {
            counts: (0..=Q::BOUNDS.len()).map(|_| AtomicU64::new(0)).collect(),
            sum: AtomicU64::new(0),
            quantity: PhantomData,
        }
    }
}

impl<Q: Quantity> Histogram<Q> {
    pub(crate) fn observe(&self, units: u64) {
        let within = |bound: &u64| units <= *bound;
        let bucket = Q::BOUNDS.iter().position(within);
        let bucket = bucket.unwrap_or(Q::BOUNDS.len());
        self.counts[bucket].fetch_add(1, Ordering::Relaxed);
        self.sum.fetch_add(units, Ordering::Relaxed);
    }

    /// For each bound how many were at most that, and how many there were.
    pub(super) fn cumulated(&self) -> (Vec<(f64, u64)>, u64) {
        let mut total = 0;
        let counts = self.counts.iter().map(|count| {
            total += count.load(Ordering::Relaxed);
            total
        });
        let counts: Vec<u64> = counts.collect();
        let bounds = Q::BOUNDS.iter().map(|bound| shown::<Q>(*bound));
        (bounds.zip(counts).collect(), total)
    }

    pub(super) fn sum(&self) -> f64 {
        shown::<Q>(self.sum.load(Ordering::Relaxed))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.counts
            .iter()
            .all(|count| count.load(Ordering::Relaxed) == 0)
    }
}

fn shown<Q: Quantity>(units: u64) -> f64 {
    units as f64 / Q::SCALE as f64
}
