//! Several workers share a stream while requests fail, answers are lost, pages come twice, workers are
//! killed or stand still, their clocks differ by hours, and shards are split: the view that they keep
//! equals what its source says, and no record has an effect twice.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod common;

use common::simulation::{Faults, Mutant, Simulation};
use common::{compare, logs, put_order, sales, sums};
use keyfold_api::{Request, StreamEvent};
use keyfold_client::blocked;
use keyfold_engine::StreamShards;
use keyfold_stream::{Effects, Handler, Options, Record, Report, Shard, ShardKey};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const LEASE: Duration = Duration::from_secs(10);

fn shards() -> StreamShards {
    StreamShards {
        open_min: 2,
        open_max: 6,
        lifetime: Some(Duration::from_secs(20)),
        ..StreamShards::default()
    }
}

fn options() -> Options {
    Options {
        lease_time: LEASE,
        batch: 30,
        ..Options::new("sales", common::SOURCE)
    }
}

fn wild() -> Faults {
    Faults {
        throttled: 40,
        unsent: 60,
        lost: 25,
        late: 25,
        twice: 30,
        sparse: 2,
        still: 1_500,
        killed: 1_500,
    }
}

/// The causes for which a batch is handled again without being divided: the simulation plays them.
const PASSING: [&str; 3] = ["too fast", "not reached", "the answer was lost"];

/// Writes records while workers read them, and compares what they make of them.
fn run(seed: u64, records: u64, mutant: Option<Mutant>) -> Result<u64, String> {
    let is_mutant = mutant.is_some();
    let reports: Reports = Arc::default();
    let into = Arc::clone(&reports);
    let mut simulation = Simulation::new(seed, shards(), move |worker| {
        let into = Arc::clone(&into);
        let options =
            options().on_report(move |report| into.lock().unwrap().push((worker, report.clone())));
        match is_mutant {
            true => (options, Arc::new(sums) as Arc<dyn Handler>),
            false => (options, Arc::new(sales) as Arc<dyn Handler>),
        }
    });
    simulation.set_faults(wild());
    if let Some(mutant) = mutant {
        simulation.set_mutant(mutant);
    }
    for _ in 0..4 {
        simulation.start();
    }
    let mut written = 0;
    let mut versions: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    while written < records {
        let chance = simulation.random();
        if chance.is_multiple_of(20) {
            written += 1;
            let (order, product) = (chance / 20 % 50, chance / 1_000 % 7);
            let total = i64::try_from(chance / 7_000 % 100).unwrap();
            let (order, product) = (order.to_string(), product.to_string());
            put_order(&simulation.engine, &order, &product, total, written);
            let version = i64::try_from(written).unwrap();
            versions.entry(order).or_default().push(version);
        }
        simulation.step();
    }
    simulation.set_faults(Faults::default());
    let quiet = simulation.now() + LEASE * 20;
    while simulation.now() < quiet {
        simulation.step();
    }
    let marks = compare(&simulation.engine)? as u64;
    if marks != records {
        return Err(format!("{marks} of {records} records had an effect"));
    }
    if !is_mutant {
        let logs = logs(&simulation.engine);
        if logs != versions {
            return Err(format!("the effects were {logs:?}, and not {versions:?}"));
        }
        let reports = reports.lock().unwrap();
        if let Some((worker, report)) = reports.iter().find(|(_, one)| is_wrong(one)) {
            return Err(format!("worker {worker}: {report}"));
        }
    }
    Ok(simulation.kills)
}

/// Whether records were divided or set aside, or are missing.
fn is_wrong(report: &Report) -> bool {
    if let Report::Failed { why, .. } = report {
        return !PASSING.iter().any(|passing| why.contains(passing));
    }
    matches!(report, Report::SetAside { .. } | Report::Gap(_))
}

#[test]
fn each_record_has_its_effect_once() {
    let seeds = std::env::var("KEYFOLD_STREAM_SEEDS").map_or(6, |text| text.parse().unwrap());
    let mut kills = 0;
    for seed in 0..seeds {
        kills += run(seed, 300, None).unwrap_or_else(|why| panic!("seed {seed}: {why}"));
    }
    assert!(kills > 0, "no worker was killed");
}

/// What a handler does elsewhere happens again where its worker was killed before the position moved. The number
/// of a record tells it from all others.
#[test]
fn effects_elsewhere_happen_at_least_once_with_the_number_of_their_record() {
    type Elsewhere = Arc<Mutex<BTreeMap<String, Vec<StreamEvent>>>>;
    let elsewhere: Elsewhere = Arc::default();
    let into = Arc::clone(&elsewhere);
    let mut simulation = Simulation::new(3, shards(), move |_| {
        let into = Arc::clone(&into);
        let handler = move |records: &[Record]| {
            for record in records {
                let mut told = into.lock().unwrap();
                let number = told.entry(record.number().to_owned()).or_default();
                number.push(StreamEvent::clone(record));
            }
            Ok(Effects::none())
        };
        (options(), Arc::new(handler) as Arc<dyn Handler>)
    });
    simulation.set_faults(wild());
    for _ in 0..4 {
        simulation.start();
    }
    let mut written = 0;
    while written < 300 {
        if simulation.random().is_multiple_of(20) {
            written += 1;
            put_order(&simulation.engine, &written.to_string(), "1", 1, written);
        }
        simulation.step();
    }
    simulation.set_faults(Faults::default());
    run_for(&mut simulation, LEASE * 20);
    let elsewhere = elsewhere.lock().unwrap();
    assert_eq!(
        elsewhere.len(),
        300,
        "each record has come, under its number"
    );
    let again = elsewhere.values().filter(|told| told.len() > 1).count();
    assert!(again > 0, "no record came again");
    for (number, told) in elsewhere.iter() {
        assert!(told.iter().all(|one| *one == told[0]), "{number}: {told:?}");
    }
}

/// Removes a part of the condition under which a lease moves.
fn without(request: &mut Request, part: &str) {
    if let Request::TransactWriteItems(input) = request
        && let Some(last) = input.transact_items.iter_mut().flatten().last()
        && let Some(update) = &mut last.update
        && let Some(condition) = &mut update.condition_expression
        && let Some(rest) = condition.strip_suffix(part)
    {
        let names = update.expression_attributes.names.as_mut().unwrap();
        let Some(Ok(values)) = &mut update.expression_attributes.values else {
            return;
        };
        values.retain(|name, _| rest.contains(name) || name == ":to" || name == ":one");
        names.retain(|name, _| rest.contains(name) || name == "#p" || name == "#n");
        update.condition_expression = (!rest.is_empty()).then(|| rest.to_owned());
    }
}

/// The simulation finds programs that are wrong.
#[test]
fn effects_without_the_condition_on_the_position_are_found() {
    let no_position: Mutant = |request| without(request, " AND #p = :from");
    let nothing: Mutant = |request| without(request, "#o = :me AND #f = :mine AND #p = :from");
    for (name, mutant) in [("no position", no_position), ("no condition", nothing)] {
        let found = (0..12).any(|seed| run(seed, 400, Some(mutant)).is_err());
        assert!(found, "{name} was not found");
    }
}

/// What each worker reports.
type Reports = Arc<Mutex<Vec<(u64, Report)>>>;

/// Workers in a simulation without faults.
fn watched(shards: StreamShards, workers: usize) -> (Simulation, Reports) {
    let seen: Reports = Arc::default();
    let into = Arc::clone(&seen);
    let mut simulation = Simulation::new(7, shards, move |worker| {
        let into = Arc::clone(&into);
        let options =
            options().on_report(move |report| into.lock().unwrap().push((worker, report.clone())));
        (options, Arc::new(sales) as Arc<dyn Handler>)
    });
    for _ in 0..workers {
        simulation.start();
    }
    (simulation, seen)
}

fn run_for(simulation: &mut Simulation, time: Duration) {
    let end = simulation.now() + time;
    while simulation.now() < end {
        simulation.step();
    }
}

/// A worker that is gone has its shards taken within two lease times.
#[test]
fn shards_of_a_killed_worker_are_taken() {
    let (mut simulation, seen) = watched(shards(), 1);
    run_for(&mut simulation, LEASE);
    let taken = |of: u64| {
        let seen = seen.lock().unwrap();
        seen.iter()
            .filter(|(worker, report)| *worker == of && matches!(report, Report::Taken(_)))
            .count()
    };
    assert!(taken(1) >= 2);
    simulation.start();
    simulation.kill(1);
    run_for(&mut simulation, LEASE * 2);
    put_order(&simulation.engine, "1", "1", 1, 1);
    run_for(&mut simulation, Duration::from_secs(2));
    assert_eq!(compare(&simulation.engine), Ok(1));
    assert!(taken(2) >= 2);
}

/// Workers have equally many shards after a while, without any being lost.
#[test]
fn shards_are_shared() {
    let (mut simulation, seen) = watched(shards(), 1);
    run_for(&mut simulation, Duration::from_secs(8));
    simulation.start();
    run_for(&mut simulation, Duration::from_secs(8));
    let seen = seen.lock().unwrap();
    let of_second = seen
        .iter()
        .filter(|(worker, report)| *worker == 2 && matches!(report, Report::Taken(_)));
    assert_eq!(of_second.count(), 1, "{seen:?}");
}

/// The moments at which workers had handled shards to their ends, and began to read them.
#[derive(Default)]
struct Moments {
    seen: usize,
    ended: BTreeMap<ShardKey, Duration>,
    taken: BTreeMap<ShardKey, Duration>,
}

impl Moments {
    /// Takes note of the reports that came just now.
    fn note(&mut self, reports: &Reports, now: Duration) {
        let reports = reports.lock().unwrap();
        for (_, report) in &reports[self.seen..] {
            if let Report::Ended(key) = report {
                self.ended.insert(key.clone(), now);
            }
            // Of a shard that changes hands, the first one counts.
            if let Report::Taken(key) = report {
                self.taken.entry(key.clone()).or_insert(now);
            }
        }
        self.seen = reports.len();
    }

    /// The children of the stream that are not read soon behind the end of their parent, or before it.
    fn late(&self, simulation: &Simulation, soon: Duration) -> Vec<(Shard, Option<Duration>)> {
        let stream = &self.taken.keys().next().unwrap().stream;
        let listed = blocked(keyfold_stream::shards(&simulation.quiet_world(), stream));
        let is_late = |child: &Shard| {
            let shard = child.parent.clone()?;
            let stream = stream.clone();
            let taken = self.taken.get(&child.key).copied();
            Some(match self.ended.get(&ShardKey { stream, shard }) {
                None => taken.is_some(),
                Some(end) => {
                    taken.is_some_and(|taken| taken < *end)
                        || taken.unwrap_or(simulation.now()) > *end + soon
                }
            })
        };
        let late = listed.unwrap().unwrap().into_iter();
        let late = late.filter(|child| is_late(child) == Some(true));
        late.map(|child| (child.clone(), self.taken.get(&child.key).copied()))
            .collect()
    }
}

/// All shards are split again and again: each child is read within ten seconds of its parent's end, and not before
/// it, and each record has its effect in that time.
#[test]
fn children_are_read_soon() {
    let (soon, lifetime) = (Duration::from_secs(10), Duration::from_secs(25));
    let splitting = StreamShards {
        open_min: 1,
        open_max: 512,
        lifetime: Some(lifetime),
        ..StreamShards::default()
    };
    let (mut simulation, reports) = watched(splitting, 2);
    let (mut moments, mut versions, mut handled) = (Moments::default(), 0, 0);
    let mut due = VecDeque::new();
    while simulation.now() < lifetime * 8 {
        for _ in 0..4 {
            versions += 1;
            put_order(&simulation.engine, &versions.to_string(), "1", 1, versions);
        }
        due.push_back((simulation.now() + soon, versions));
        let end = simulation.now() + Duration::from_secs(1);
        while simulation.now() < end {
            simulation.step();
            moments.note(&reports, simulation.now());
        }
        while let Some((_, last)) = due.pop_front_if(|(at, _)| *at <= simulation.now()) {
            let logs = logs(&simulation.engine);
            let absent = (handled..last).find(|one| !logs.contains_key(&(one + 1).to_string()));
            assert_eq!(absent, None, "at {:?}", simulation.now());
            handled = last;
        }
    }
    assert_eq!(moments.late(&simulation, soon), []);
    // Eight generations, of which each has twice as many shards as the one before.
    assert_eq!(moments.ended.len(), 127);
    assert_eq!(moments.taken.len(), 255);
    run_for(&mut simulation, soon);
    assert_eq!(
        compare(&simulation.engine),
        Ok(usize::try_from(versions).unwrap())
    );
}
