//! Metrics for Prometheus: request counts and latencies by operation and outcome, connections,
//! bodies, and the store.

use keyfold_api::Operation;
use keyfold_engine::Engine;
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{EncodeLabel, EncodeLabelSet, LabelSetEncoder};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Metric, Registry};
use std::sync::OnceLock;
use std::time::Duration;

/// Upper bounds of the buckets for latencies, in seconds.
const BUCKETS_S: [f64; 12] = [
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

/// The value of the label `operation`.
#[derive(Clone, Copy)]
pub(crate) enum OperationLabel {
    /// The request was refused before its operation was known.
    Unknown,
    Known(Operation),
    /// Keyfold's own operation.
    CopyDataFolder,
}

impl OperationLabel {
    pub(crate) fn name(self) -> &'static str {
        match self {
            OperationLabel::Unknown => "unknown",
            OperationLabel::Known(operation) => operation.name(),
            OperationLabel::CopyDataFolder => "CopyDataFolder",
        }
    }
}

/// The server's counters.
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<Outcome, Counter>,
    seconds: Family<ByOperation, Histogram, fn() -> Histogram>,
    /// The counter and the histogram of successful answers, in the order of [`Operation::ALL`].
    /// They save a look-up by labels.
    succeeded: Vec<OnceLock<(Counter, Histogram)>>,
    received: Counter,
    sent: Counter,
    connections: Gauge,
    refused_connections: Counter,
    refused_pages: Counter,
    commits: Gauge,
    batches: Gauge,
    pending_maintenance: Gauge,
    flushes: Gauge,
    flush_micros: Gauge,
    compactions: Gauge,
    compaction_micros: Gauge,
    failures: Gauge,
    received_held: Gauge,
    sent_held: Gauge,
}

/// Registers a new metric.
fn register<M: Metric + Clone + Default>(registry: &mut Registry, name: &str, help: &str) -> M {
    registered(registry, name, help, M::default())
}

/// Registers a metric and returns it.
fn registered<M: Metric + Clone>(registry: &mut Registry, name: &str, help: &str, metric: M) -> M {
    registry.register(name, help, metric.clone());
    metric
}

impl Metrics {
    pub(crate) fn new() -> Metrics {
        let mut registry = Registry::with_prefix("keyfold");
        let all = &mut registry;
        let histograms: Family<ByOperation, Histogram, fn() -> Histogram> =
            Family::new_with_constructor(|| Histogram::new(BUCKETS_S));
        let requests = "Requests by operation and outcome";
        let refused_connections =
            "Connections closed at once because their address had reached its limit";
        let refused_pages = "Requests refused for their Host or Origin";
        let pending_maintenance = "Memtables to be flushed and compactions to be done";
        let compactions = "Compactions of table files since the start";
        let compaction_micros = "Microseconds that compactions took";
        let failures = "Failures of background work since the start: indexes, expiry, backups, restores, exports, imports";
        let received_held = "Bytes of the budget for large request bodies that are in use";
        let sent_held = "Bytes of the budget for large answers that are in use";
        Metrics {
            requests: register(all, "requests", requests),
            seconds: registered(all, "request_seconds", "Latency of requests", histograms),
            received: register(all, "received_bytes", "Bytes of request bodies"),
            sent: register(all, "sent_bytes", "Bytes of response bodies"),
            connections: register(all, "connections", "Open connections"),
            refused_connections: register(all, "connections_turned_away", refused_connections),
            refused_pages: register(all, "pages_turned_away", refused_pages),
            commits: register(all, "store_commits", "Synced commits since the start"),
            batches: register(all, "store_batches", "Batches written since the start"),
            pending_maintenance: register(all, "store_pending_maintenance", pending_maintenance),
            flushes: register(all, "store_flushes", "Flushes of memtables since the start"),
            flush_micros: register(all, "store_flush_micros", "Microseconds that flushes took"),
            compactions: register(all, "store_compactions", compactions),
            compaction_micros: register(all, "store_compaction_micros", compaction_micros),
            failures: register(all, "background_failures", failures),
            received_held: register(all, "received_held_bytes", received_held),
            sent_held: register(all, "sent_held_bytes", sent_held),
            succeeded: Operation::ALL.iter().map(|_| OnceLock::new()).collect(),
            registry,
        }
    }

    /// Counts an answer with its latency and the lengths of its bodies; `failure` is its outcome
    /// unless it succeeded.
    pub(crate) fn answered(
        &self,
        operation: OperationLabel,
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
        let known = match operation {
            OperationLabel::Known(operation) => self.succeeded.get(operation as usize),
            OperationLabel::Unknown | OperationLabel::CopyDataFolder => None,
        };
        let count = |(requests, seconds): &(Counter, Histogram)| {
            requests.inc();
            seconds.observe(took.as_secs_f64());
        };
        match (failure, known) {
            (None, Some(known)) => count(known.get_or_init(|| counters("ok"))),
            (None, None) | (Some(_), _) => count(&counters(failure.unwrap_or("ok"))),
        }
        self.received.inc_by(received as u64);
        self.sent.inc_by(sent as u64);
    }

    pub(crate) fn connected(&self) {
        self.connections.inc();
    }

    pub(crate) fn connection_refused(&self) {
        self.refused_connections.inc();
    }

    pub(crate) fn page_refused(&self) {
        self.refused_pages.inc();
    }

    pub(crate) fn disconnected(&self) {
        self.connections.dec();
    }

    /// All metrics in Prometheus' text format; `held` are the bytes reserved by request bodies and
    /// by answers.
    pub(crate) fn text(&self, engine: &Engine, held: (usize, usize)) -> String {
        let counts = engine.store_counts();
        let maintenance = engine.maintenance();
        let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        let gauges = [
            (&self.commits, counts.commits),
            (&self.batches, counts.batches),
            (&self.pending_maintenance, maintenance.pending),
            (&self.flushes, maintenance.flushes.count),
            (&self.flush_micros, micros(maintenance.flushes.time)),
            (&self.compactions, maintenance.compactions.count),
            (
                &self.compaction_micros,
                micros(maintenance.compactions.time),
            ),
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
