//! Metrics for Prometheus: requests by operation and outcome, and how long they took.

use keyfold_api::Operation;
use keyfold_engine::Engine;
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{EncodeLabelSet, LabelSetEncoder};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use std::sync::OnceLock;
use std::time::Duration;

/// Upper edges of the buckets of a request's time, in seconds.
const EDGES: [f64; 12] = [
    0.0001, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0, 5.0,
];

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Outcome {
    operation: &'static str,
    /// `ok`, or the exception's name.
    outcome: &'static str,
}

impl EncodeLabelSet for Outcome {
    fn encode(&self, encoder: &mut LabelSetEncoder<'_>) -> Result<(), std::fmt::Error> {
        ("operation", self.operation).encode(encoder.encode_label())?;
        ("outcome", self.outcome).encode(encoder.encode_label())
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct ByOperation {
    operation: &'static str,
}

impl EncodeLabelSet for ByOperation {
    fn encode(&self, encoder: &mut LabelSetEncoder<'_>) -> Result<(), std::fmt::Error> {
        ("operation", self.operation).encode(encoder.encode_label())
    }
}

use prometheus_client::encoding::EncodeLabel;

/// Which operation was asked for, as far as it is known.
#[derive(Clone, Copy)]
pub(crate) enum Told {
    Unknown,
    Known(Operation),
    /// Keyfold's own.
    CopyDataFolder,
}

impl Told {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Told::Unknown => "unknown",
            Told::Known(operation) => operation.name(),
            Told::CopyDataFolder => "CopyDataFolder",
        }
    }
}

/// The server's counters.
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<Outcome, Counter>,
    seconds: Family<ByOperation, Histogram, fn() -> Histogram>,
    /// The two of good answers, in the order of [`Operation::ALL`]: found without a look-up.
    good: Vec<OnceLock<(Counter, Histogram)>>,
    received: Counter,
    sent: Counter,
    connections: Gauge,
    turned_away: Counter,
    turned_away_pages: Counter,
    commits: Gauge,
    batches: Gauge,
    upkeep: Gauge,
    failures: Gauge,
    received_held: Gauge,
    sent_held: Gauge,
}

impl Metrics {
    pub(crate) fn new() -> Metrics {
        let requests = Family::<Outcome, Counter>::default();
        let seconds: Family<ByOperation, Histogram, fn() -> Histogram> =
            Family::new_with_constructor(|| Histogram::new(EDGES));
        let [received, sent, turned_away, turned_away_pages] =
            std::array::from_fn(|_| Counter::default());
        let [
            connections,
            commits,
            batches,
            upkeep,
            failures,
            received_held,
            sent_held,
        ] = std::array::from_fn(|_| Gauge::default());
        let mut registry = Registry::with_prefix("keyfold");
        registry.register(
            "requests",
            "Requests by operation and outcome",
            requests.clone(),
        );
        registry.register("request_seconds", "How long requests took", seconds.clone());
        registry.register(
            "received_bytes",
            "Bytes of request bodies",
            received.clone(),
        );
        registry.register("sent_bytes", "Bytes of response bodies", sent.clone());
        registry.register("connections", "Open connections", connections.clone());
        let closed = "Connections closed at once, since their address has as many as it may";
        registry.register("connections_turned_away", closed, turned_away.clone());
        let refused = "Requests refused for the Host or Origin that they name";
        registry.register("pages_turned_away", refused, turned_away_pages.clone());
        registry.register(
            "store_commits",
            "Synced commits since the start",
            commits.clone(),
        );
        registry.register(
            "store_batches",
            "Batches written since the start",
            batches.clone(),
        );
        let good = Operation::ALL.iter().map(|_| OnceLock::new()).collect();
        let left = "Memtables to be written and merges to be done, behind the writes";
        registry.register("store_upkeep", left, upkeep.clone());
        let failed = "Failures in the background since the start: indexes, expiry, backups, restores, exports, imports";
        registry.register("background_failures", failed, failures.clone());
        let held = "Bytes that large request bodies take of their budget now";
        registry.register("received_held_bytes", held, received_held.clone());
        let held = "Bytes that large answers take of their budget now";
        registry.register("sent_held_bytes", held, sent_held.clone());
        Metrics {
            registry,
            requests,
            seconds,
            good,
            received,
            sent,
            connections,
            turned_away,
            turned_away_pages,
            commits,
            batches,
            upkeep,
            failures,
            received_held,
            sent_held,
        }
    }

    /// Counts an answer: to which operation, if that was known, and the exception's name if it
    /// failed.
    pub(crate) fn answered(
        &self,
        operation: Told,
        failure: Option<&'static str>,
        took: Duration,
        (received, sent): (usize, usize),
    ) {
        let name = operation.name();
        let counters = |outcome| {
            let requests = self.requests.get_or_create_owned(&Outcome {
                operation: name,
                outcome,
            });
            (
                requests,
                self.seconds
                    .get_or_create_owned(&ByOperation { operation: name }),
            )
        };
        let place = if let Told::Known(operation) = operation {
            Some(operation as usize)
        } else {
            None
        };
        let count = |(requests, seconds): &(Counter, Histogram)| {
            requests.inc();
            seconds.observe(took.as_secs_f64());
        };
        match (failure, place.and_then(|place| self.good.get(place))) {
            (None, Some(known)) => count(known.get_or_init(|| counters("ok"))),
            (failure, _) => count(&counters(failure.unwrap_or("ok"))),
        }
        self.received.inc_by(received as u64);
        self.sent.inc_by(sent as u64);
    }

    pub(crate) fn connected(&self) {
        self.connections.inc();
    }

    pub(crate) fn turned_away(&self) {
        self.turned_away.inc();
    }

    pub(crate) fn turned_away_page(&self) {
        self.turned_away_pages.inc();
    }

    pub(crate) fn disconnected(&self) {
        self.connections.dec();
    }

    /// Everything, in Prometheus' text format; `held` are the bytes that bodies and answers hold.
    pub(crate) fn text(&self, engine: &Engine, held: (usize, usize)) -> String {
        let counts = engine.store_counts();
        let gauges = [
            (&self.commits, counts.commits),
            (&self.batches, counts.batches),
            (&self.upkeep, engine.store_upkeep()),
            (&self.failures, engine.background_failures()),
            (&self.received_held, held.0 as u64),
            (&self.sent_held, held.1 as u64),
        ];
        for (gauge, number) in gauges {
            gauge.set(i64::try_from(number).unwrap_or(i64::MAX));
        }
        let mut out = String::new();
        match encode(&mut out, &self.registry) {
            Ok(()) => out,
            Err(std::fmt::Error) => String::new(),
        }
    }
}
