//! The Rust client beside Amazon's SDK at one server, and embedded: operations a second and
//! milliseconds of this process's CPU for each, of one run.
//!
//! ```sh
//! cargo run --release --manifest-path crates/keyfold/bench/Cargo.toml -- [SECONDS] [ROUNDS] [PARALLEL]
//! ```
//!
//! The server is Keyfold's, in memory, in a process of its own: this program again, as `serve`.
//! Contenders take turns in rounds; the median of the rounds counts. All write the same items.

mod contender;
mod data;
mod profile;
mod sdk;
mod server;
mod typed;

/// The client that `build.rs` makes, of which not everything is measured.
mod model {
    keyfold::include_client!("bench");
}

use contender::{Contender, Operation};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Milliseconds of a clock tick of `/proc/self/stat`.
const TICK_MS: u64 = 10;

/// Operations a second, and milliseconds of CPU of one.
#[derive(Clone, Copy)]
struct Figures {
    rate: f64,
    cpu_ms: f64,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1).peekable();
    if arguments.next_if(|first| first == "serve").is_some() {
        return server::serve();
    }
    if arguments.next_if(|first| first == "measure").is_none() {
        return profile::measured_with(arguments);
    }
    let server = server::Served::start()?;
    let endpoint = server.endpoint();
    let mut number = |default| arguments.next().map_or(Ok(default), |text| text.parse());
    let (seconds, rounds, parallel) = (number(2)?, number(5)?, number(1)? as usize);
    let time = Duration::from_secs(seconds);
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_all().build()?;
    runtime.block_on(async {
        let contenders = Contender::all(&endpoint, parallel).await;
        let next = Arc::new(AtomicU64::new(data::ORDERS));
        println!("{seconds} s a round, {rounds} rounds, {parallel} at a time");
        for operation in [Operation::Get, Operation::Query, Operation::Put] {
            let mut figures = vec![Vec::new(); contenders.len()];
            for _ in 0..rounds {
                for (contender, figures) in contenders.iter().zip(&mut figures) {
                    figures.push(measured(contender, operation, (time, parallel), &next).await);
                }
            }
            let medians: Vec<Figures> = figures.into_iter().map(median).collect();
            for (contender, own) in contenders.iter().zip(&medians) {
                let sdk = medians[0];
                println!(
                    "{operation:?} {:<16} {:>8.0} a second ({:.2}x) {:>7.3} ms of CPU ({:.2}x)",
                    contender.name(),
                    own.rate,
                    own.rate / sdk.rate,
                    own.cpu_ms,
                    own.cpu_ms / sdk.cpu_ms
                );
            }
        }
    });
    Ok(())
}

/// One round of a contender.
async fn measured(
    contender: &Contender,
    operation: Operation,
    (time, parallel): (Duration, usize),
    next: &Arc<AtomicU64>,
) -> Figures {
    let (began, cpu) = (Instant::now(), cpu_ms());
    let workers: Vec<_> = (0..parallel)
        .map(|_| {
            let (contender, next) = (contender.clone(), next.clone());
            tokio::spawn(async move {
                let mut count = 0;
                while began.elapsed() < time {
                    contender
                        .run(operation, next.fetch_add(1, Ordering::Relaxed))
                        .await;
                    count += 1;
                }
                count
            })
        })
        .collect();
    let mut count = 0;
    for worker in workers {
        count += worker.await.expect("a worker does not fail");
    }
    let count = f64::from(count);
    Figures {
        rate: count / began.elapsed().as_secs_f64(),
        cpu_ms: (cpu_ms() - cpu) as f64 / count,
    }
}

fn median(mut rounds: Vec<Figures>) -> Figures {
    rounds.sort_by(|one, other| one.cpu_ms.total_cmp(&other.cpu_ms));
    let cpu_ms = rounds[rounds.len() / 2].cpu_ms;
    rounds.sort_by(|one, other| one.rate.total_cmp(&other.rate));
    let rate = rounds[rounds.len() / 2].rate;
    Figures { rate, cpu_ms }
}

/// The milliseconds of CPU that this process has used, in itself and in the kernel.
fn cpu_ms() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("Linux has it");
    let behind_name = stat.rsplit_once(')').expect("the name is in parentheses").1;
    let fields: Vec<&str> = behind_name.split_whitespace().collect();
    let ticks = |at: usize| fields[at].parse::<u64>().expect("it is a number");
    (ticks(11) + ticks(12)) * TICK_MS
}
