//! The text format of Prometheus, version 0.0.4.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};

use super::histogram::{Histogram, Quantity};
use super::label::{By, Label};

/// Something that only grows.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    pub(crate) fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// What a metric is made of.
pub(super) trait Sample {
    const TYPE: &'static str;

    /// Writes the lines of all series. `labels` are those decided further out.
    fn write(&self, out: &mut Text, name: &str, labels: &str);
}

/// The text, while it is written.
#[derive(Default)]
pub(super) struct Text(String);

impl Text {
    pub(super) fn metric<S: Sample>(&mut self, name: &str, help: &str, sample: &S) {
        // Writing to a text cannot fail.
        let _ = writeln!(self.0, "# HELP {name} {help}");
        let _ = writeln!(self.0, "# TYPE {name} {}", S::TYPE);
        sample.write(self, name, "");
    }

    pub(super) fn line(&mut self, name: &str, labels: &str, value: impl std::fmt::Display) {
        let _ = match labels {
            "" => writeln!(self.0, "{name} {value}"),
            labels => writeln!(self.0, "{name}{{{labels}}} {value}"),
        };
    }

    pub(super) fn into_string(self) -> String {
        self.0
    }
}

impl Sample for Counter {
    const TYPE: &'static str = "counter";

    fn write(&self, out: &mut Text, name: &str, labels: &str) {
        out.line(name, labels, self.get());
    }
}

/// A value of now.
impl Sample for u64 {
    const TYPE: &'static str = "gauge";

    fn write(&self, out: &mut Text, name: &str, labels: &str) {
        out.line(name, labels, self);
    }
}

/// Values of now by labels that were written before.
impl Sample for Vec<(String, u64)> {
    const TYPE: &'static str = "gauge";

    fn write(&self, out: &mut Text, name: &str, _: &str) {
        for (labels, value) in self {
            out.line(name, labels, value);
        }
    }
}

impl<Q: Quantity> Sample for Histogram<Q> {
    const TYPE: &'static str = "histogram";

    fn write(&self, out: &mut Text, name: &str, labels: &str) {
        let (buckets, count) = self.cumulated();
        let bucket = format!("{name}_bucket");
        let all = if labels.is_empty() {
            String::new()
        } else {
            format!("{labels},")
        };
        for (bound, count) in buckets {
            out.line(&bucket, &format!("{all}le=\"{bound}\""), count);
        }
        out.line(&bucket, &format!("{all}le=\"+Inf\""), count);
        out.line(&format!("{name}_sum"), labels, self.sum());
        out.line(&format!("{name}_count"), labels, count);
    }
}

impl<L: Label, T: Sample> Sample for By<L, T> {
    const TYPE: &'static str = T::TYPE;

    fn write(&self, out: &mut Text, name: &str, labels: &str) {
        for (label, each) in self.iter() {
            let own = format!("{}=\"{}\"", L::NAME, label.text());
            let labels = if labels.is_empty() {
                own
            } else {
                format!("{labels},{own}")
            };
            each.write(out, name, &labels);
        }
    }
}

/// `name="value"`, with what would end the value escaped.
pub(super) fn labelled(name: &str, value: &str) -> String {
    let value = value.replace('\\', "\\\\").replace('"', "\\\"");
    format!("{name}=\"{}\"", value.replace('\n', "\\n"))
}
