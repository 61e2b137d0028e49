//! What a proof at an endpoint beyond this machine costs, estimated before it begins.

use keyfold_model::{IndexKind, Model};
use keyfold_prove::Options;
use std::fmt;

/// Dollars for a million write units and read units on demand, in us-east-1 since November 2024.
const DOLLARS_A_MILLION: (f64, f64) = (0.625, 0.125);
/// The requests of a question: whole, in pages, and backward.
const REQUESTS_A_QUESTION: u64 = 12;
/// The scans of the whole data at the end, with those of `verify`.
const SCANS: u64 = 4;

/// The dollars of write units and read units on demand.
#[expect(clippy::cast_precision_loss, reason = "an estimate")]
pub(super) fn dollars(writes: u64, reads: u64) -> f64 {
    (writes as f64 * DOLLARS_A_MILLION.0 + reads as f64 * DOLLARS_A_MILLION.1) / 1_000_000.0
}

/// The units of a proof.
pub(super) struct Cost {
    writes: u64,
    reads: u64,
}

impl Cost {
    /// The units that a proof takes at most, roughly.
    pub(super) fn of(model: &Model, options: &Options) -> Cost {
        let items = options.items as u64;
        let stored: u64 = model
            .entities
            .iter()
            .map(|entity| {
                let table = model.tables.get(entity.table);
                let global = table.map_or(0, |table| {
                    let indexes = table.indexes.iter();
                    indexes.filter(|one| one.kind == IndexKind::Global).count()
                });
                // Each item of a transaction counts twice, and an index entry may move.
                let own = 1 + entity.copies.len() + entity.uniques.len();
                (2 * own * (1 + 2 * global)) as u64
            })
            .sum();
        let asked = (model.patterns.len() * options.asks * 2) as u64;
        Cost {
            // The rows at first, and the changes that follow.
            writes: 2 * items * stored,
            reads: asked * REQUESTS_A_QUESTION + SCANS * items * stored,
        }
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Cost { writes, reads } = self;
        let dollars = dollars(*writes, *reads);
        write!(
            f,
            "about {writes} write units and {reads} read units: {dollars:.2} $ at the prices on demand of us-east-1 since November 2024"
        )
    }
}

/// Whether a URL names this machine.
pub(super) fn is_of_this_machine(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.split(['/', '?']).next().unwrap_or_default();
    if host.contains('@') {
        return false;
    }
    let host = match host.strip_prefix('[') {
        Some(six) => six.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    let address = host.parse::<std::net::IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_this_machine_need_no_question() {
        for url in [
            "http://localhost:8000",
            "http://127.0.0.1",
            "http://[::1]:80/",
        ] {
            assert!(is_of_this_machine(url), "{url}");
        }
        for url in [
            "https://dynamodb.eu-west-1.amazonaws.com",
            "http://localhost.example.org:8000",
            "http://10.0.0.1:8000",
            "http://127.0.0.1@example.org/",
            "http://localhost:8000@example.org/",
            "",
        ] {
            assert!(!is_of_this_machine(url), "{url}");
        }
    }
}
