//! Runs that are killed at each of their requests, or lose answers, and runs that take an evolution from
//! others: what is stored at the end is right, and a page at most is read again.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test fails by panicking"
)]

mod common;

use common::{Fails, Faulty, Rows, carried, differences, options, rows, run_in};
use keyfold_client::{Backend, ClientError};
use keyfold_evolve::world::World;
use keyfold_evolve::{Course, Ended, Evolving, Models, Options, Progress, Said, models_digest};
use keyfold_model::Model;
use keyfold_model::evolution::Step;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

const ROWS: usize = 10;
/// At most so many kills of each pair.
const KILLS: u64 = 6;

fn check(
    name: &str,
    models: (&Model, &Model),
    rows: &Rows<'_>,
    ended: &Result<Ended, ClientError>,
) {
    match ended {
        Ok(Ended::Ready | Ended::NoDifference) => {
            let found = differences(models.0, models.1, rows);
            assert!(found.is_empty(), "{name}:\n{}", found.join("\n"));
        }
        other => panic!("{name}: {other:#?}"),
    }
}

#[test]
fn a_run_that_is_killed_goes_on_to_the_right_end() {
    let mut kills = 0;
    for (name, old, new) in carried() {
        let made = rows(&old, &new, 7, ROWS);
        let world = Faulty::new(&made.old, Fails::Never, None);
        check(
            &name,
            (&old, &new),
            &made,
            &run_in((&old, &new), &world, &options()),
        );
        let asked = world.asked.load(Ordering::SeqCst);
        let stride = (asked / KILLS).max(1);
        for at in (0..asked).step_by(usize::try_from(stride).unwrap()) {
            let fails = match at % 2 {
                0 => Fails::From(at),
                _ => Fails::After(at),
            };
            let made = rows(&old, &new, 7, ROWS);
            let killed = Faulty::new(&made.old, fails, None);
            let first = run_in((&old, &new), &killed, &options());
            // A killed completion may have left nothing to complete.
            let again = Faulty::new(&made.old, Fails::Never, None);
            let ended = match first {
                Ok(ended) => Ok(ended),
                Err(_) => run_in((&old, &new), &again, &options()),
            };
            check(
                &format!("{name}, {fails:?} of {asked}"),
                (&old, &new),
                &made,
                &ended,
            );
            kills += 1;
        }
    }
    assert!(kills > 250, "{kills}");
}

/// Up to its end, with all gates done as they come. Returns whether it came there.
fn ready(evolving: &Evolving<'_>) -> bool {
    let mut said = Said::default();
    loop {
        match evolving.run(&said) {
            Ok(Ended::Gate(_, word)) => said.done = Some(word),
            ended => return matches!(ended, Ok(Ended::Ready)),
        }
    }
}

/// A place with rows of a pair, and runs there that may be killed.
struct Killed<'c> {
    course: &'c Course<'c>,
    options: Options,
    models: Models,
}

impl Killed<'_> {
    /// Returns whether the run came to its end, the pages that it read, and its requests.
    fn run(&self, place: &Arc<Backend>, fails: Fails) -> (bool, u64, u64) {
        let world = Faulty::new(place, fails, None);
        let progress = Progress::default();
        let surroundings = (&world as &dyn World, &self.options, &progress);
        let evolving = Evolving::new(self.course, self.models.clone(), surroundings);
        let is_ready = ready(&evolving);
        let asked = world.asked.load(Ordering::SeqCst);
        (is_ready, world.sent().pages, asked)
    }

    /// Whether the backfill has begun, so that what stands in the way is not looked for again.
    fn is_begun(&self, place: &Arc<Backend>) -> bool {
        let world = Faulty::new(place, Fails::Never, None);
        let progress = Progress::default();
        let surroundings = (&world as &dyn World, &self.options, &progress);
        let evolving = Evolving::new(self.course, self.models.clone(), surroundings);
        let status = evolving.status().unwrap();
        let is_backfill = status.run.is_some_and(|run| {
            let at = usize::try_from(run.phase).unwrap();
            self.course.phases().get(at).map(|one| one.step) == Some(Step::Backfill)
        });
        is_backfill && status.segments.1 > 0
    }
}

/// Killed at any request behind the beginning of the backfill, it reads a page of each of its segments again at
/// most.
#[test]
fn a_killed_backfill_reads_a_page_of_each_segment_again_at_most() {
    let of_name = |(name, ..): &(String, Model, Model)| name == "copy_added";
    let (_, old, new) = carried().into_iter().find(of_name).unwrap();
    let course = Course::of(&old, &new);
    for segments in [1_u32, 3] {
        let killed = Killed {
            course: &course,
            options: Options {
                segments,
                ..options()
            },
            models: models_digest("old", "new"),
        };
        let made = |seed| rows(&old, &new, seed, 30);
        let whole = made(7);
        let (is_ready, pages, asked) = killed.run(&whole.old, Fails::Never);
        assert!(is_ready && pages > 10, "{pages}");
        let (mut kills, mut again) = (0, 0);
        for at in 0..asked {
            let place = made(7);
            let fails = match at % 2 {
                0 => Fails::From(at),
                _ => Fails::After(at),
            };
            let (is_ready, first, _) = killed.run(&place.old, fails);
            if is_ready || !killed.is_begun(&place.old) {
                continue;
            }
            kills += 1;
            let (is_ready, second, _) = killed.run(&place.old, Fails::Never);
            assert!(is_ready, "{fails:?} of {segments} segments");
            let read = first + second;
            assert!(
                read <= pages + u64::from(segments),
                "{fails:?} of {segments} segments: {read} pages of {pages}"
            );
            again += u64::from(read > pages);
        }
        assert!(
            kills > 20 && again > 5,
            "{segments} segments: {kills} kills, {again} read a page again"
        );
    }
}

#[test]
fn answers_that_are_lost_do_no_harm() {
    for (name, old, new) in carried() {
        for every in [5, 7] {
            let made = rows(&old, &new, 3, ROWS);
            let world = Faulty::new(&made.old, Fails::Every(every), None);
            let ended = run_in((&old, &new), &world, &options());
            check(
                &format!("{name}, each {every}"),
                (&old, &new),
                &made,
                &ended,
            );
        }
    }
}

/// A second run takes the evolution while the first one works: the first one ends, and changes nothing that
/// the second one has not.
#[test]
fn two_runs_do_not_both_work() {
    let (mut lost, mut both) = (0, 0);
    for (name, old, new) in carried() {
        for at in [15, 22, 30, 45] {
            let made = rows(&old, &new, 5, ROWS);
            let second: Mutex<Option<Result<Ended, ClientError>>> = Mutex::new(None);
            let place = Arc::clone(&made.old);
            let live = |asked: u64| {
                if asked == at {
                    let world = Faulty::new(&place, Fails::Never, None);
                    *second.lock().unwrap() = Some(run_in((&old, &new), &world, &options()));
                }
            };
            let world = Faulty::new(&made.old, Fails::Never, Some(Box::new(live)));
            let first = run_in((&old, &new), &world, &options());
            drop(world);
            let Some(second) = second.into_inner().unwrap() else {
                continue;
            };
            both += 1;
            lost += u32::from(first.is_err());
            // One that comes between the end of the first one and its last request has nothing to do.
            let ended = if second.is_ok() { second } else { first };
            check(&format!("{name} at {at}"), (&old, &new), &made, &ended);
        }
    }
    assert!(both > 50 && lost * 2 > both, "{lost} of {both}");
}

#[test]
fn a_paused_run_ends_and_the_next_one_goes_on() {
    let mut paused = 0;
    for (name, old, new) in carried() {
        let made = rows(&old, &new, 9, ROWS);
        let is_paused = AtomicBool::new(false);
        let place = Arc::clone(&made.old);
        let options = options();
        let live = |asked: u64| {
            if asked >= 25 && !is_paused.load(Ordering::SeqCst) {
                let world = Faulty::new(&place, Fails::Never, None);
                is_paused.store(pause((&old, &new), &world, &options), Ordering::SeqCst);
            }
        };
        let world = Faulty::new(&made.old, Fails::Never, Some(Box::new(live)));
        let first = run_in((&old, &new), &world, &options);
        drop(world);
        let ended = match first {
            Ok(Ended::Paused) | Err(_) => {
                paused += 1;
                let world = Faulty::new(&made.old, Fails::Never, None);
                run_in((&old, &new), &world, &options)
            }
            ended => ended,
        };
        check(&name, (&old, &new), &made, &ended);
    }
    assert!(paused > 20, "{paused}");
}

fn pause((old, new): (&Model, &Model), world: &Faulty<'_>, options: &Options) -> bool {
    let course = Course::of(old, new);
    let progress = Progress::default();
    let evolving = Evolving::new(
        &course,
        models_digest("old", "new"),
        (world, options, &progress),
    );
    evolving.pause().is_ok()
}

/// A run of other models is refused while one is under way.
#[test]
fn a_run_of_other_models_is_refused() {
    let (_, old, new) = carried()
        .into_iter()
        .find(|(name, ..)| name == "copy_added")
        .unwrap();
    let made = rows(&old, &new, 1, ROWS);
    let world = Faulty::new(&made.old, Fails::Never, None);
    let (options, progress) = (options(), Progress::default());
    let course = Course::of(&old, &new);
    let evolving = |new: &str| {
        Evolving::new(
            &course,
            models_digest("old", new),
            (&world, &options, &progress),
        )
    };
    let ended = evolving("one").run(&Said::default()).unwrap();
    assert!(matches!(ended, Ended::Gate(..)), "{ended:?}");
    let error = evolving("two").run(&Said::default()).unwrap_err();
    for part in [
        "another evolution",
        "since 2025-06-15T15:06:40Z",
        "at its phase 1",
    ] {
        assert!(error.to_string().contains(part), "{part}: {error}");
    }
    // Comments and layout make no other models.
    let ended = evolving("one   # a comment").run(&Said::default());
    assert!(matches!(ended, Ok(Ended::Gate(..))), "{ended:?}");
}
