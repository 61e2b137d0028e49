//! Flushes and compactions of a server over time, by its metrics.

use crate::server;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The time between two looks at the metrics.
const EVERY: Duration = Duration::from_millis(50);

/// The kind of a piece of background work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Flush,
    Compaction,
}

/// A piece of background work, in seconds since the start of the measured time. Several pieces that ended
/// between two looks are one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark {
    pub(super) kind: Kind,
    pub(super) from: f64,
    pub(super) to: f64,
}

/// A thread that looks at the metrics of a server.
pub(super) struct Watch {
    is_over: Arc<AtomicBool>,
    thread: JoinHandle<Vec<(Kind, Instant, Duration)>>,
}

impl Watch {
    /// Begins to look.
    pub(super) fn start(address: SocketAddr) -> Watch {
        let is_over = Arc::new(AtomicBool::new(false));
        let ended = Arc::clone(&is_over);
        let thread = std::thread::spawn(move || {
            let mut seen = Vec::new();
            let mut before: Option<[u64; 2]> = None;
            while !ended.load(Ordering::Relaxed) {
                // A look that fails is one look less.
                if let Ok(metrics) = server::metrics(address) {
                    let now = [
                        "keyfold_store_flush_micros",
                        "keyfold_store_compaction_micros",
                    ]
                    .map(|name| server::metric(&metrics, name).unwrap_or(0));
                    let grown = before.map(|before| [now[0] - before[0], now[1] - before[1]]);
                    let kinds = [Kind::Flush, Kind::Compaction];
                    for (kind, micros) in kinds.into_iter().zip(grown.unwrap_or_default()) {
                        if micros > 0 {
                            seen.push((kind, Instant::now(), Duration::from_micros(micros)));
                        }
                    }
                    before = Some(now);
                }
                std::thread::sleep(EVERY);
            }
            seen
        });
        Watch { is_over, thread }
    }

    /// Ends; the times are counted from `began`.
    pub(super) fn finish(self, began: Instant) -> Vec<Mark> {
        self.is_over.store(true, Ordering::Relaxed);
        let seen = self.thread.join().unwrap_or_default();
        let since = |at: Instant| {
            at.saturating_duration_since(began).as_secs_f64()
                - began.saturating_duration_since(at).as_secs_f64()
        };
        let mark = |(kind, ended, took): (Kind, Instant, Duration)| {
            let to = since(ended);
            Mark {
                kind,
                from: to - took.as_secs_f64(),
                to,
            }
        };
        seen.into_iter()
            .map(mark)
            .filter(|mark| mark.to > 0.0)
            .collect()
    }
}
