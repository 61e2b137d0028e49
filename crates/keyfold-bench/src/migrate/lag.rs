//! How late changes are: a program writes so many a second, and the items are looked at that some of them
//! must become.

use super::database::Program;
use super::schema::{Schema, Timed};
use crate::server::Server;
use hdrhistogram::Histogram;
use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// One change of so many is timed.
const TIMED_EACH: u64 = 10;
/// The most changes that are looked for at the same time, and the time between two looks: the looks are not to take much
/// of the server's time.
const LOOKED_FOR_MAX: usize = 50;
const LOOK: Duration = Duration::from_millis(10);
/// The longest time that the last of them is waited for.
const LATE_MAX: Duration = Duration::from_secs(60);

/// What was measured.
pub(super) struct Lag {
    /// Changes a second that were written.
    pub(super) rate: f64,
    /// Milliseconds from the commit of a change to its item.
    pub(super) millis: Histogram<u64>,
    /// Changes that no item has shown within a minute.
    pub(super) lost: usize,
}

/// A change that was committed.
struct Committed {
    timed: Timed,
    number: u64,
    at: Instant,
}

/// What is written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Load {
    pub(super) schema: Schema,
    pub(super) thousands: u64,
    pub(super) rate: u64,
    pub(super) seconds: u64,
    /// Rows that it adds have numbers behind this one.
    pub(super) new: u64,
}

impl Load {
    /// Writes changes, and measures how late their items are.
    pub(super) fn measure(&self, program: &Program, server: &Server) -> io::Result<Lag> {
        let (sender, receiver) = channel();
        std::thread::scope(|scope| {
            let looked = scope.spawn(move || look(&receiver, server));
            let rate = self.write(program, &sender);
            drop(sender);
            let looked = match looked.join() {
                Ok(looked) => looked,
                Err(panic) => std::panic::resume_unwind(panic),
            };
            let (millis, lost) = looked?;
            Ok(Lag {
                rate: rate?,
                millis,
                lost,
            })
        })
    }

    /// Writes changes at their times: how many a second.
    fn write(&self, program: &Program, sender: &Sender<Committed>) -> io::Result<f64> {
        let mut chance = fastrand::Rng::with_seed(1);
        let count = self.rate * self.seconds;
        let rows = self.schema.timed_rows(self.thousands);
        let began = Instant::now();
        for number in 1..=count {
            let due = Duration::from_secs_f64(number as f64 / self.rate as f64);
            std::thread::sleep(due.saturating_sub(began.elapsed()));
            if number % TIMED_EACH == 0 {
                // Each row is timed once, so that its number is the last one.
                let at = number * 7919 % rows + 1;
                let timed = self.schema.timed(self.thousands, at, number);
                program.execute(&timed.sql)?;
                let at = Instant::now();
                let sent = sender.send(Committed { timed, number, at });
                sent.map_err(|_| io::Error::other("nobody looks at the items any more"))?;
            } else {
                let new = self.new + number;
                program.execute(&self.schema.change(self.thousands, &mut chance, new))?;
            }
        }
        Ok(count as f64 / began.elapsed().as_secs_f64())
    }
}

/// Looks at items until all changes have come: how late they were, and how many did not come.
fn look(receiver: &Receiver<Committed>, server: &Server) -> io::Result<(Histogram<u64>, usize)> {
    let mut millis = Histogram::new(3).map_err(|error| io::Error::other(error.to_string()))?;
    let mut waiting: Vec<Committed> = Vec::new();
    let mut is_over = false;
    while !is_over || !waiting.is_empty() {
        loop {
            match receiver.try_recv() {
                Ok(one) => waiting.push(one),
                Err(std::sync::mpsc::TryRecvError::Empty) => break,
                Err(std::sync::mpsc::TryRecvError::Disconnected) => {
                    is_over = true;
                    break;
                }
            }
        }
        let end = waiting.len().min(LOOKED_FOR_MAX);
        let arrived = match waiting.get(..end) {
            Some([]) | None => Vec::new(),
            Some(some) => arrived(some, server)?,
        };
        waiting.retain(|one| {
            let is_there = arrived.contains(&one.number);
            if is_there {
                millis += one.at.elapsed().as_millis() as u64;
            }
            !is_there
        });
        if waiting
            .first()
            .is_some_and(|one| one.at.elapsed() > LATE_MAX)
        {
            break;
        }
        std::thread::sleep(LOOK);
    }
    Ok((millis, waiting.len()))
}

/// The numbers of the changes that their items show.
fn arrived(waiting: &[Committed], server: &Server) -> io::Result<Vec<u64>> {
    let Some(table) = waiting.first().map(|one| one.timed.table) else {
        return Ok(Vec::new());
    };
    let key = |one: &Committed| serde_json::json!({"PK": {"S": one.timed.partition}, "SK": {"S": one.timed.sort}});
    let keys: Vec<serde_json::Value> = waiting.iter().map(key).collect();
    let body = serde_json::json!({"RequestItems": {table: {"Keys": keys,
        "ProjectionExpression": "changed", "ConsistentRead": true}}});
    let answer = server.ask("BatchGetItem", &body.to_string())?;
    let answer: serde_json::Value = serde_json::from_str(&answer)?;
    let items = answer["Responses"][table].as_array();
    let numbers = items.into_iter().flatten();
    let numbers = numbers.filter_map(|item| item["changed"]["N"].as_str()?.parse().ok());
    Ok(numbers.collect())
}
