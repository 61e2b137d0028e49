//! Devices that are polled at a rate that somebody wants. Where the table's capacity is exhausted, each
//! device is polled half as often, and then a little more often with each poll that succeeds.

use crate::home::{DEVICES, Home};
use keyfold::typed::Error;
use serde::Serialize;
use std::collections::VecDeque;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{interval, sleep, timeout};

/// The polls a second that can be wanted.
pub const POLLS_MAX: u32 = 1000;
/// The seconds that are remembered.
const SECONDS: usize = 120;
/// The longest pause between two polls of a device that was throttled.
const PAUSE_MAX: Duration = Duration::from_secs(16);
/// The pause behind a poll that failed otherwise.
const FAILED: Duration = Duration::from_secs(1);

/// A second of polling.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Second {
    /// Polls that were written.
    pub polled: u64,
    /// Refusals for lack of capacity: those that the client repeated, too.
    pub throttled: u64,
    /// Polls that failed otherwise.
    pub failed: u64,
}

/// The polling at a moment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Shown {
    /// The polls a second that are wanted.
    pub wanted: u32,
    /// The polls that were written since the start.
    pub polled: u64,
    /// The refusals since the start.
    pub throttled: u64,
    /// The last seconds, the latest last.
    pub seconds: VecDeque<Second>,
}

#[derive(Debug, Default)]
struct Counts {
    polled: AtomicU64,
    failed: AtomicU64,
}

/// The polling of all devices, which goes on until the last clone is gone.
#[derive(Debug, Clone)]
pub struct Polling {
    wanted: Arc<watch::Sender<u32>>,
    shown: watch::Receiver<Shown>,
}

impl Polling {
    /// Starts the tasks of the devices. Nothing is polled yet.
    pub fn start(home: &Home) -> Polling {
        let (wanted, rate) = watch::channel(0);
        let (sender, shown) = watch::channel(Shown::default());
        let counts = Arc::new(Counts::default());
        for number in 1..=DEVICES {
            let (home, counts) = (home.clone(), Arc::clone(&counts));
            tokio::spawn(device(home, number, rate.clone(), counts));
        }
        tokio::spawn(watch_seconds(home.clone(), rate, counts, sender));
        Polling {
            wanted: Arc::new(wanted),
            shown,
        }
    }

    /// Polls so often from now on, all devices together; 0 stops it.
    pub fn want(&self, polls_a_second: u32) {
        self.wanted.send_replace(polls_a_second);
    }

    /// The states of the polling, one a second.
    pub fn states(&self) -> watch::Receiver<Shown> {
        self.shown.clone()
    }
}

/// Polls one device, until nobody can want it any more.
async fn device(home: Home, number: u32, mut rate: watch::Receiver<u32>, counts: Arc<Counts>) {
    let id = Home::device(number);
    let mut pause = Duration::ZERO;
    loop {
        let wanted = *rate.borrow_and_update();
        if wanted == 0 {
            if rate.changed().await.is_err() {
                return;
            }
            // Devices do not begin at the same moment.
            pause = spacing(*rate.borrow()).mul_f64(fastrand::f64());
        }
        let spacing = spacing(*rate.borrow());
        pause = pause.max(spacing);
        // Another rate ends the pause, so that it counts at once.
        let part = 0.75 + fastrand::f64() / 2.0;
        match timeout(pause.mul_f64(part), rate.changed()).await {
            Err(_) => {}
            Ok(Ok(())) => {
                pause = Duration::ZERO;
                continue;
            }
            Ok(Err(_)) => return,
        }
        match home.poll(&id, fastrand::u32(..50) > 0).await {
            Ok(()) => {
                counts.polled.fetch_add(1, Ordering::Relaxed);
                pause = pause.mul_f64(0.9);
            }
            Err(Error::Throttled { .. }) => {
                pause = (pause.max(Duration::from_millis(100)) * 2).min(PAUSE_MAX);
            }
            Err(error) => {
                counts.failed.fetch_add(1, Ordering::Relaxed);
                // Where there is no log, nobody can be asked for it.
                writeln!(std::io::stderr(), "{id}: {error}").unwrap_or_default();
                sleep(FAILED).await;
            }
        }
    }
}

/// The time between two polls of a device, if all are polled so often together.
fn spacing(polls_a_second: u32) -> Duration {
    Duration::from_secs(u64::from(DEVICES)) / polls_a_second.max(1)
}

/// Sums up each second.
async fn watch_seconds(
    home: Home,
    rate: watch::Receiver<u32>,
    counts: Arc<Counts>,
    shown: watch::Sender<Shown>,
) {
    let mut clock = interval(Duration::from_secs(1));
    clock.tick().await;
    let mut before = (0, 0, 0);
    while rate.has_changed().is_ok() {
        clock.tick().await;
        let meter = home.meter().of("poll");
        let polled = counts.polled.load(Ordering::Relaxed);
        let throttled = meter.throttled + meter.repeated;
        let failed = counts.failed.load(Ordering::Relaxed);
        let second = Second {
            polled: polled - before.0,
            throttled: throttled - before.1,
            failed: failed - before.2,
        };
        before = (polled, throttled, failed);
        shown.send_modify(|shown| {
            shown.wanted = *rate.borrow();
            (shown.polled, shown.throttled) = (polled, throttled);
            shown.seconds.push_back(second);
            while shown.seconds.len() > SECONDS {
                shown.seconds.pop_front();
            }
        });
    }
}
