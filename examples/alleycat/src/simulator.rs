//! A race of up to a thousand racers, each of whom writes every second, beside readers of the
//! leaderboard. At its end every write is looked for.

use crate::club::{Club, Row, name_of, racer};
use crate::model::{ClassId, NewRace, RacerId, RideArguments};
use examples_web::{Times, Total};
use keyfold::typed::Error;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::task::{JoinSet, yield_now};
use tokio::time::{Instant, sleep, sleep_until};

/// The rows of a leaderboard.
const TOP: u32 = 10;
/// The first pause before something is sent again; it doubles up to the longest.
const PAUSE: Duration = Duration::from_millis(25);
const PAUSE_MAX: Duration = Duration::from_secs(2);
/// The pause of a reader between two looks.
const LOOK: Duration = Duration::from_millis(50);
/// How long the leaderboard, which is an index, may lag behind the last result.
const LAG_MAX: Duration = Duration::from_secs(30);
/// Results that are read or finished at a time.
const TOGETHER: u32 = 32;
const RACERS_MAX: u32 = 1000;
const SECONDS_MAX: u32 = 600;
const SPEED_MAX: f64 = 100.0;

/// A race that is to be simulated.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Its class.
    pub class: ClassId,
    /// How many racers there are.
    pub racers: u32,
    /// How long it is in the racers' time.
    pub seconds: u32,
    /// How many of these seconds pass in one.
    pub speed: f64,
    /// How many look at the leaderboard all the time.
    pub readers: u32,
    /// Decides the racers' outputs.
    pub seed: u64,
}

impl Plan {
    /// Whether it can be raced.
    ///
    /// # Errors
    /// The member that is out of its bounds, by its name in the API, and a sentence.
    pub fn check(&self) -> Result<(), (&'static str, &'static str)> {
        if !(1..=RACERS_MAX).contains(&self.racers) {
            return Err(("racers", "The racers are from 1 to 1,000."));
        }
        if !(1..=SECONDS_MAX).contains(&self.seconds) {
            return Err(("seconds", "The race takes from 1 to 600 seconds."));
        }
        if !(1.0..=SPEED_MAX).contains(&self.speed) {
            return Err(("speed", "The speed is from 1 to 100 times."));
        }
        Ok(())
    }
}

/// Times in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Spread {
    /// Half of them are not above it.
    pub median_ms: f64,
    /// 99 of 100 are not above it.
    pub p99_ms: f64,
}

impl From<&Times> for Spread {
    fn from(times: &Times) -> Spread {
        Spread {
            median_ms: times.quantile_ms(0.5),
            p99_ms: times.quantile_ms(0.99),
        }
    }
}

/// The figures of a race at its end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Figures {
    /// How many racers there were.
    pub racers: u32,
    /// How long it was in the racers' time.
    pub seconds: u32,
    /// How many of these seconds were to pass in one.
    pub speed: f64,
    /// How long it took.
    pub took_seconds: f64,
    /// The seconds of all racers that were written.
    pub writes: u64,
    /// How many of them in a second.
    pub writes_a_second: f64,
    /// The time of a write, with its repetitions.
    pub write: Spread,
    /// Writes that were sent again.
    pub repeated: u64,
    /// Units of capacity of a write.
    pub units_a_write: f64,
    /// How often the leaderboard was read meanwhile.
    pub reads: u64,
    /// The time of such a read.
    pub read: Spread,
    /// Units of capacity of such a read.
    pub units_a_read: f64,
    /// Seconds that are not stored although their write was answered.
    pub lost: u64,
    /// The readers whose last leaderboard was the sorted truth.
    pub right_readers: u32,
    /// How many readers there were.
    pub readers: u32,
}

/// A racer's seconds, of which the last is the sum.
struct Ridden {
    racer: RacerId,
    points: Vec<i64>,
    times: Times,
    repeated: u64,
}

/// What a reader has seen.
struct Looked {
    times: Times,
    last: Vec<Row>,
}

/// The output of a racer in each second: a level of their own, which goes up and down a little.
fn outputs(seed: u64, number: u32, seconds: u32) -> Vec<i64> {
    let mut random = fastrand::Rng::with_seed(seed ^ (u64::from(number) << 20));
    let level = random.i64(150..330);
    let mut drift = 0;
    let one = |_| {
        drift = (drift + random.i64(-12..=12)).clamp(-90, 90);
        level + drift
    };
    (0..seconds).map(one).collect()
}

/// Adds the race of a plan to its class.
///
/// # Errors
/// Those of the database.
pub async fn announce(club: &Club, plan: &Plan) -> Result<NewRace, Error> {
    loop {
        let number = club.next_number(&plan.class).await?;
        let race = NewRace {
            class_id: plan.class.clone(),
            race_id: format!("{}.{number}", plan.class),
            starts_at: Club::now(),
            number,
            seconds: i64::from(plan.seconds),
            racers: i64::from(plan.racers),
            figures: None,
            ended_at: None,
        };
        match club.add_race(&race).await {
            Ok(()) => return Ok(race),
            // Another program was faster.
            Err(Error::Exists(_)) => {}
            Err(other) => return Err(other),
        }
    }
}

/// Races, from the start to the figures. A race that breaks off is over, without figures.
///
/// # Errors
/// Those of the database that do not pass.
pub async fn simulate(club: &Club, plan: &Plan, race: &NewRace) -> Result<Figures, Error> {
    let raced = raced(club, plan, race).await;
    let text = match &raced {
        // Whoever wants them reads them as JSON.
        Ok(figures) => Some(
            serde_json::to_string(figures).map_err(|why| Error::Invalid {
                message: why.to_string(),
                of: None,
                attribute: None,
            })?,
        ),
        Err(_) => None,
    };
    let ended = club.end_race(&plan.class, &race.race_id, text).await;
    let figures = raced?;
    ended?;
    Ok(figures)
}

async fn raced(club: &Club, plan: &Plan, race: &NewRace) -> Result<Figures, Error> {
    let before = ["ride", "leaderboard"].map(|call| club.meter().of(call));
    let is_over = Arc::new(AtomicBool::new(false));
    let mut readers = JoinSet::new();
    for _ in 0..plan.readers {
        readers.spawn(look(
            club.clone(),
            race.race_id.clone(),
            Arc::clone(&is_over),
        ));
    }
    let start = Instant::now();
    let mut racers = JoinSet::new();
    for number in 1..=plan.racers {
        racers.spawn(race_of(
            club.clone(),
            plan.clone(),
            race.clone(),
            (number, start),
        ));
    }
    let mut ridden = Vec::new();
    while let Some(one) = racers.join_next().await {
        ridden.push(joined(one)?);
    }
    let took = start.elapsed();
    let after = ["ride", "leaderboard"].map(|call| club.meter().of(call));
    is_over.store(true, Ordering::Release);

    let lost = lost(club, race, &ridden).await?;
    let truth = truth(&ridden);
    let mut looked = Vec::new();
    while let Some(one) = readers.join_next().await {
        looked.push(joined(one)?);
    }
    let mut right_readers = 0;
    for one in &looked {
        right_readers += u32::from(is_right(club, &race.race_id, one, &truth).await?);
    }
    let figures = figures(plan, (&ridden, &looked), took, (before, after));
    Ok(Figures {
        lost,
        right_readers,
        ..figures
    })
}

/// The result of a task. One that panicked takes the race with it.
fn joined<T>(task: Result<Result<T, Error>, tokio::task::JoinError>) -> Result<T, Error> {
    task.unwrap_or_else(|why| Err(Error::Unavailable(format!("a racer fell: {why}"))))
}

/// One racer: a write for each second, at its time or as soon as the one before is answered.
async fn race_of(
    club: Club,
    plan: Plan,
    race: NewRace,
    (number, start): (u32, Instant),
) -> Result<Ridden, Error> {
    let mut ridden = Ridden {
        racer: racer(number),
        points: outputs(plan.seed, number, plan.seconds),
        times: Times::default(),
        repeated: 0,
    };
    let mut second = RideArguments {
        total: 0,
        at: 0,
        before: 0,
        watts: 0,
        racer_id: ridden.racer.clone(),
        race_id: race.race_id,
        class_id: race.class_id,
        name: name_of(number),
    };
    // Racers press their pedals at different moments of a second.
    let part = f64::from(number) / f64::from(plan.racers);
    for watts in &ridden.points {
        let due = (f64::from(i32::try_from(second.at).unwrap_or(i32::MAX)) + part) / plan.speed;
        sleep_until(start + Duration::from_secs_f64(due)).await;
        second.watts = *watts;
        second.total += watts;
        second.before = second.at;
        second.at += 1;
        let sent = Instant::now();
        ridden.repeated += written(&club, &second).await?;
        ridden.times.add(sent.elapsed());
        // A database in memory answers at once: whoever is late lets readers and pages go first.
        yield_now().await;
    }
    Ok(ridden)
}

/// Writes a second until it is there, and returns how often it was sent again.
async fn written(club: &Club, second: &RideArguments) -> Result<u64, Error> {
    let (mut repeated, mut pause, mut is_open) = (0, PAUSE, false);
    loop {
        match club.ride(second).await {
            Ok(_) => return Ok(repeated),
            // An attempt whose answer was lost had done it: the stored second is this one.
            Err(Error::Refused(refused)) => {
                let stored = club.result(&second.racer_id, &second.race_id).await?;
                let is_done = stored.is_some_and(|stored| stored.second == second.at);
                return match is_open && is_done {
                    true => Ok(repeated),
                    false => Err(Error::Refused(refused)),
                };
            }
            Err(Error::OutcomeUnknown { .. }) => is_open = true,
            Err(
                Error::Throttled { .. }
                | Error::Unavailable(_)
                | Error::TimedOut(_)
                | Error::Overtaken(_),
            ) => {}
            Err(other) => return Err(other),
        }
        repeated += 1;
        sleep(pause.mul_f64(0.5 + fastrand::f64() / 2.0)).await;
        pause = (pause * 2).min(PAUSE_MAX);
    }
}

/// A reader of the leaderboard, until the race is over.
async fn look(club: Club, race: String, is_over: Arc<AtomicBool>) -> Result<Looked, Error> {
    let mut looked = Looked {
        times: Times::default(),
        last: Vec::new(),
    };
    loop {
        let is_last = is_over.load(Ordering::Acquire);
        let sent = Instant::now();
        let rows = club.leaderboard(&race, TOP).await;
        if !is_last {
            looked.times.add(sent.elapsed());
        }
        match rows {
            Ok(rows) => looked.last = rows,
            Err(
                Error::Throttled { .. }
                | Error::Unavailable(_)
                | Error::TimedOut(_)
                | Error::Overtaken(_),
            ) => {}
            Err(other) => return Err(other),
        }
        if is_last {
            return Ok(looked);
        }
        sleep(LOOK).await;
    }
}

/// The scores by racer.
fn truth(ridden: &[Ridden]) -> BTreeMap<String, i64> {
    let scores = ridden.iter();
    let scores = scores.map(|one| (one.racer.to_string(), one.points.iter().sum()));
    scores.collect()
}

/// Whether rows are the top of the truth. Racers of equal scores may stand in any order.
fn is_top(rows: &[Row], truth: &BTreeMap<String, i64>) -> bool {
    let mut scores: Vec<i64> = truth.values().copied().collect();
    scores.sort_unstable_by(|one, other| other.cmp(one));
    let top = scores.into_iter().take(TOP as usize);
    let has_own = |row: &Row| truth.get(&row.racer_id) == Some(&row.score);
    let racers: std::collections::BTreeSet<&str> =
        rows.iter().map(|row| row.racer_id.as_str()).collect();
    top.eq(rows.iter().map(|row| row.score))
        && rows.iter().all(has_own)
        && racers.len() == rows.len()
}

/// Whether a reader's last leaderboard is the sorted truth. An index may lag: then it looks again.
async fn is_right(
    club: &Club,
    race: &str,
    looked: &Looked,
    truth: &BTreeMap<String, i64>,
) -> Result<bool, Error> {
    let mut rows = looked.last.clone();
    let until = Instant::now() + LAG_MAX;
    while !is_top(&rows, truth) {
        if Instant::now() > until {
            return Ok(false);
        }
        sleep(LOOK).await;
        rows = club.leaderboard(race, TOP).await?;
    }
    Ok(true)
}

/// Looks for every second of every racer, stores the points of the race, and returns how many seconds
/// are missing or different.
async fn lost(club: &Club, race: &NewRace, ridden: &[Ridden]) -> Result<u64, Error> {
    let mut lost = 0;
    for some in ridden.chunks(TOGETHER as usize) {
        let mut checks = JoinSet::new();
        for one in some {
            let (club, race) = (club.clone(), race.race_id.clone());
            let (racer, points) = (one.racer.clone(), one.points.clone());
            checks.spawn(async move {
                let Some(stored) = club.result(&racer, &race).await? else {
                    return Ok(u64::try_from(points.len()).unwrap_or(u64::MAX));
                };
                club.finish(&stored).await?;
                Ok(missing(&stored, &points))
            });
        }
        while let Some(one) = checks.join_next().await {
            lost += joined(one)?;
        }
    }
    Ok(lost)
}

/// The seconds that a stored result lacks or has otherwise.
fn missing(stored: &crate::model::Result2, points: &[i64]) -> u64 {
    let live = stored.live.as_deref().unwrap_or_default();
    let same = live.iter().zip(points).filter(|(one, other)| one == other);
    let missing = points.len() - same.count();
    let is_sum = stored.score == points.iter().sum::<i64>();
    u64::try_from(missing).unwrap_or(u64::MAX) + u64::from(!is_sum)
}

fn figures(
    plan: &Plan,
    (ridden, looked): (&[Ridden], &[Looked]),
    took: Duration,
    (before, after): ([Total; 2], [Total; 2]),
) -> Figures {
    let (mut writes, mut reads) = (Times::default(), Times::default());
    ridden.iter().for_each(|one| writes.merge(&one.times));
    looked.iter().for_each(|one| reads.merge(&one.times));
    let units = |at: usize| {
        let requests = after[at].requests - before[at].requests;
        let units = after[at].units - before[at].units;
        rounded(units / count(requests.max(1)))
    };
    let sent_again: u64 = ridden.iter().map(|one| one.repeated).sum();
    Figures {
        racers: plan.racers,
        seconds: plan.seconds,
        speed: plan.speed,
        took_seconds: rounded(took.as_secs_f64()),
        writes: writes.count(),
        writes_a_second: (count(writes.count()) / took.as_secs_f64()).round(),
        write: Spread::from(&writes),
        repeated: sent_again + after[0].repeated - before[0].repeated,
        units_a_write: units(0),
        reads: reads.count(),
        read: Spread::from(&reads),
        units_a_read: units(1),
        lost: 0,
        right_readers: 0,
        readers: plan.readers,
    }
}

fn count(number: u64) -> f64 {
    u32::try_from(number).map_or(f64::from(u32::MAX), f64::from)
}

fn rounded(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(racer_id: &str, score: i64) -> Row {
        let (racer_id, name) = (racer_id.to_owned(), String::new());
        Row {
            racer_id,
            name,
            score,
        }
    }

    #[test]
    fn only_the_sorted_truth_is_the_top() {
        let truth = [("a", 5), ("b", 7), ("c", 7)];
        let truth = truth.map(|(racer, score)| (racer.to_owned(), score)).into();
        assert!(is_top(&[row("b", 7), row("c", 7), row("a", 5)], &truth));
        assert!(is_top(&[row("c", 7), row("b", 7), row("a", 5)], &truth));
        assert!(!is_top(&[row("c", 7), row("c", 7), row("a", 5)], &truth));
        assert!(!is_top(&[row("b", 7), row("a", 5), row("c", 7)], &truth));
        assert!(!is_top(&[row("b", 7), row("c", 6), row("a", 5)], &truth));
        assert!(!is_top(&[row("b", 7), row("c", 7)], &truth));
    }

    #[test]
    fn a_second_that_is_not_there_is_lost() {
        let stored = |live: &[i64], score| crate::model::Result2 {
            racer_id: racer(1),
            race_id: "r".to_owned(),
            class_id: "c".into(),
            name: String::new(),
            score,
            second: 3,
            live: Some(live.to_vec()),
        };
        let points = [3, 4, 5];
        assert_eq!(missing(&stored(&[3, 4, 5], 12), &points), 0);
        assert_eq!(missing(&stored(&[3, 4], 7), &points), 2);
        assert_eq!(missing(&stored(&[3, 5, 4], 12), &points), 2);
        assert_eq!(missing(&stored(&[3, 4, 5], 11), &points), 1);
    }
}
