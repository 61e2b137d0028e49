//! The state that all requests of a server share.

use crate::budget::Budget;
use crate::config::ServerConfig;
use crate::latency::Latency;
use crate::metrics::Metrics;
use keyfold_engine::Engine;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The engine with the configuration, counters and budgets of its server.
pub(crate) struct Service {
    pub(crate) engine: Arc<Engine>,
    pub(crate) config: ServerConfig,
    pub(crate) metrics: Metrics,
    pub(crate) latency: Option<Latency>,
    /// Memory for requests' bodies.
    pub(crate) received: Budget,
    /// Memory for answers.
    pub(crate) sent: Budget,
    executing: AtomicUsize,
}

/// One executing request; dropping this counts it as answered.
pub(crate) struct Executing<'s>(&'s Service);

impl Service {
    pub(crate) fn new(engine: Arc<Engine>, config: ServerConfig) -> Service {
        let latency = config
            .latency
            .map(|(profile, seed)| Latency::new(profile, seed));
        let budget = || Budget::new(config.bodies_bytes_max);
        let (received, sent) = (budget(), budget());
        Service {
            engine,
            config,
            metrics: Metrics::new(),
            latency,
            received,
            sent,
            executing: AtomicUsize::new(0),
        }
    }

    /// Counts a request whose body has arrived completely until the guard is dropped.
    pub(crate) fn executing(&self) -> Executing<'_> {
        self.executing.fetch_add(1, Ordering::Relaxed);
        Executing(self)
    }

    /// All counters, in the text form of OpenMetrics.
    pub(crate) fn counters(&self) -> String {
        let reserved = (self.received.reserved_bytes(), self.sent.reserved_bytes());
        self.metrics.text(&self.engine, reserved)
    }

    /// Whether no received request waits for its answer.
    pub(crate) fn is_idle(&self) -> bool {
        self.executing.load(Ordering::Relaxed) == 0
    }
}

impl Drop for Executing<'_> {
    fn drop(&mut self) {
        self.0.executing.fetch_sub(1, Ordering::Relaxed);
    }
}
