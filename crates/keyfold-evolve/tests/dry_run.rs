//! What a dry run finds before anything is written, and what it predicts.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    reason = "a test fails by panicking"
)]

mod common;

use common::{
    Fails, Faulty, Row, Sent, carried, create, items, model, opened, options, rows, run_in,
};
use keyfold_client::{Backend, tables};
use keyfold_evolve::{
    Course, DryRun, Ended, Evolving, Figures, ProblemKind, Progress, Said, models_digest,
};
use keyfold_model::Model;
use keyfold_model::evolution::{Basis, Estimate, Step, TableCounts, estimate};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

const OLD: &str = r#"
model people 1
table People (PK, SK)
entity User
  userId: string, email: string, town: string, note: string?
  key "USER#{userId}" "PROFILE"
pattern user(userId) -> User?
"#;

fn dry_run(old: &Model, new: &Model, backend: &Arc<Backend>) -> DryRun {
    let world = Faulty::new(backend, Fails::Never, None);
    let (options, progress) = (options(), Progress::default());
    let course = Course::of(old, new);
    let models = models_digest("old", "new");
    let evolving = Evolving::new(&course, models, (&world, &options, &progress));
    evolving.dry_run().unwrap()
}

fn user(backend: &Backend, old: &Model, all: [&str; 3]) {
    let names = ["userId", "email", "town"];
    let row: Row = names
        .iter()
        .zip(all)
        .map(|(name, held)| (name.to_string(), held.to_owned()))
        .collect();
    assert!(create(backend, old, old.entity("User").unwrap(), &row));
}

/// What a new model finds in the way of three users, of which two share email and town.
fn found(from: &str, to: &str) -> (DryRun, Vec<String>) {
    let (old, new) = (model(OLD), model(&OLD.replace(from, to)));
    let backend = opened(&old);
    user(&backend, &old, ["1", "a@x", "Ulm"]);
    user(&backend, &old, ["2", "b@x", "Bonn"]);
    user(&backend, &old, ["3", "a@x", "Ulm"]);
    let before = items(&backend, "People");
    let dry = dry_run(&old, &new, &backend);
    let world = Faulty::new(&backend, Fails::Never, None);
    let ended = run_in((&old, &new), &world, &options());
    assert!(matches!(ended, Ok(Ended::Problems(_))), "{ended:#?}");
    assert_eq!(items(&backend, "People"), before, "nothing is written");
    assert_eq!(
        tables::names(&backend).unwrap(),
        ["People"],
        "no table of rows is left"
    );
    let keys = dry
        .examples
        .iter()
        .map(|one| format!("{:?}", one.key.get("PK").unwrap()));
    let keys = keys.collect();
    (dry, keys)
}

const ONE_AND_THREE: [&str; 2] = ["S(\"USER#1\")", "S(\"USER#3\")"];

#[test]
fn unique_values_that_data_violates_are_named() {
    let (dry, keys) = found("  key \"USER", "  unique email\n  key \"USER");
    assert!(
        dry.examples
            .iter()
            .all(|one| one.kind == ProblemKind::NotUnique)
    );
    assert_eq!(
        (dry.problems, keys),
        (2, ONE_AND_THREE.map(str::to_owned).to_vec())
    );
}

#[test]
fn keys_that_two_items_would_get_are_named() {
    let (dry, keys) = found(
        "key \"USER#{userId}\" \"PROFILE\"\npattern user(userId)",
        "key \"TOWN#{town}\" \"USER\"\npattern user(town)",
    );
    assert!(
        dry.examples
            .iter()
            .all(|one| one.kind == ProblemKind::KeyTaken)
    );
    assert_eq!(
        (dry.problems, keys),
        (2, ONE_AND_THREE.map(str::to_owned).to_vec())
    );
}

#[test]
fn values_that_are_none_of_the_new_type_are_named() {
    let (dry, keys) = found("town: string", "town: Ulm | Paris");
    assert_eq!(dry.examples[0].kind, ProblemKind::Value);
    assert_eq!((dry.problems, keys), (1, vec!["S(\"USER#2\")".to_owned()]));
    let (dry, _) = found("note: string?", "note: string");
    assert_eq!(dry.problems, 3);
}

/// Carries a pair to where only its completion is left, with the gates as they come. `note` is told the counters
/// where each run ends.
fn carried_out(name: &str, evolving: &Evolving<'_>, note: &dyn Fn()) {
    let mut said = Said::default();
    for _ in 0..20 {
        let ended = evolving.run(&said).unwrap();
        note();
        let Ended::Gate(_, word) = ended else { return };
        let status = evolving.status().unwrap();
        assert!(status.run.is_some(), "{name}");
        said.done = Some(word);
    }
    panic!("{name}: the gates do not end");
}

/// Requests, writes and units are those that a run then needs, where nobody else writes.
#[test]
fn the_writes_are_those_that_are_predicted() {
    let (mut checked, mut with_units, mut computed) = (0, 0, 0);
    for (name, old, new) in carried() {
        let made = rows(&old, &new, 2, 20);
        let dry = dry_run(&old, &new, &made.old);
        if dry.problems > 0 {
            continue;
        }
        let (options, progress) = (options(), Progress::default());
        // Each phase counts for itself.
        let wrote: Mutex<BTreeMap<String, (u64, u64)>> = Mutex::default();
        let note = |figures: Figures| {
            let counts = (figures.changed, figures.writes);
            wrote.lock().unwrap().insert(figures.phase, counts);
        };
        let live = |_: u64| note(progress.figures());
        let world = Faulty::new(&made.old, Fails::Never, Some(Box::new(live)));
        let course = Course::of(&old, &new);
        let models = models_digest("old", "new");
        let evolving = Evolving::new(&course, models, (&world, &options, &progress));
        carried_out(&name, &evolving, &|| note(progress.figures()));
        let is_computed = |phase: &keyfold_model::evolution::Phase| phase.step == Step::Compute;
        let sent = world.sent();
        computed += u64::from(course.phases().iter().any(is_computed));
        with_units += u64::from(dry.units > 0);
        assert_eq!(
            (sent.writes, sent.table_halves),
            (dry.requests, dry.units * 2),
            "{name}"
        );
        let after = dry_run(&old, &new, &made.old);
        assert_eq!(
            (after.changed, after.writes),
            (0, 0),
            "{name}: nothing is left to be written"
        );
        let mut wrote = wrote.lock().unwrap().clone();
        wrote.remove("dry run");
        wrote.remove("");
        if !wrote.is_empty() {
            checked += 1;
            let wrote = wrote
                .values()
                .fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
            assert_eq!(wrote, (dry.changed, dry.writes), "{name}");
        }
    }
    assert!(
        checked > 5 && with_units > 15 && computed > 3,
        "{checked}, {with_units}, {computed}"
    );
}

/// What a plan says of a phase at a place, and what a run has sent in it.
struct Taken {
    phase: String,
    cost: Estimate,
    sent: Sent,
}

/// Carries a pair out, and returns what its phases that write items take.
fn taken(old: &Model, new: &Model) -> Vec<Taken> {
    let made = rows(old, new, 2, 20);
    let course = Course::of(old, new);
    let sizes = keyfold_client::verify::sizes(&made.old, old).unwrap();
    let counts = sizes.iter().map(|one| TableCounts {
        table: old.tables[one.place()].name.clone(),
        items: one.items,
        bytes: one.bytes,
    });
    let basis = Basis::Tables(counts.collect());
    let costs = estimate((old, new), course.phases(), &basis, 1000);
    let options = keyfold_evolve::Options {
        page: None,
        ..options()
    };
    let progress = Progress::default();
    let world = Faulty::new(&made.old, Fails::Never, None);
    world.count_by(&progress);
    let models = models_digest("old", "new");
    let evolving = Evolving::new(&course, models, (&world, &options, &progress));
    carried_out("", &evolving, &|| {});
    if evolving.may_complete().is_ok() {
        evolving.complete(true).unwrap();
    }
    let all = course.phases().iter().zip(costs);
    let writes = |step| matches!(step, Step::Backfill | Step::Compute | Step::Drop);
    all.filter(|(phase, _)| writes(phase.step))
        .map(|(phase, cost)| Taken {
            phase: phase.step.word().to_owned(),
            cost,
            sent: world.sent_in(phase.step.word()),
        })
        .collect()
}

/// What the plan says at a place is the most that a run takes there, in tables and indexes; where each request writes
/// the same, what it says of one is what one takes.
#[test]
fn what_a_plan_says_at_a_place_is_what_a_run_takes() {
    let (mut wrong, mut exact) = (Vec::new(), BTreeSet::new());
    for (name, old, new) in carried() {
        let all = taken(&old, &new);
        for Taken { phase, cost, sent } in all.iter().filter(|one| one.cost.items > 0) {
            let read = sent.page_halves as f64 / 2.0;
            let found = (sent.writes + sent.pages, read, sent.write_halves);
            let is_less = found.0 <= cost.requests
                && found.1 <= cost.read_units
                && found.2 <= cost.write_units * 2;
            if !is_less {
                wrong.push(format!("{name}, {phase}: {found:?} of {cost:?}"));
            }
            let of_one = cost.write_units.checked_div(cost.requests - sent.pages);
            if sent.writes > 0 && of_one.map(|one| one * sent.writes * 2) == Some(found.2) {
                exact.insert(name.clone());
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(exact.len() > 25, "{exact:?}");
    // Keys in indexes that change, indexes that are not there yet, moves, copies and guards, counts, and what goes.
    for name in [
        "copy_added",
        "copy_moved",
        "copy_removed",
        "count_added",
        "date_of_time",
        "index_key_changed",
        "index_shards_more",
        "key_text",
        "pattern_with_index",
        "unique_added",
    ] {
        assert!(exact.contains(name), "{name} is not in {exact:?}");
    }
}

/// A request is followed by a pause as long as its units are worth, and those of all before that were not waited for:
/// the clock of the test stands still.
#[test]
fn a_rate_bounds_the_units_that_are_read_and_written() {
    let of_name = |(name, ..): &(String, Model, Model)| name == "copy_added";
    let (_, old, new) = carried().into_iter().find(of_name).unwrap();
    let course = Course::of(&old, &new);
    let paused = |rate: Option<u32>, is_dry: bool| {
        let made = rows(&old, &new, 3, 30);
        let world = Faulty::new(&made.old, Fails::Never, None);
        let progress = Progress::default();
        let options = keyfold_evolve::Options { rate, ..options() };
        let models = models_digest("old", "new");
        let evolving = Evolving::new(&course, models, (&world, &options, &progress));
        match is_dry {
            true => drop(evolving.dry_run().unwrap()),
            false => {
                let mut said = Said::default();
                while let Ended::Gate(_, word) = evolving.run(&said).unwrap() {
                    said.done = Some(word);
                }
            }
        }
        let units = progress.figures().units;
        // Each request takes a millisecond of the clock.
        let took = world.asked.load(Ordering::SeqCst) as f64 / 1_000.0;
        let pause = world.sent().longest_pause.as_secs_f64();
        let halves = if is_dry {
            units.read_halves
        } else {
            units.write_halves
        };
        (pause, halves as f64 / 2.0, took)
    };
    for is_dry in [true, false] {
        for rate in [1, 4] {
            let (pause, units, took) = paused(Some(rate), is_dry);
            let wanted = units / f64::from(rate);
            assert!(units > 5.0, "{units} units");
            assert!(
                pause >= wanted - took,
                "{pause} of {wanted} seconds, dry: {is_dry}"
            );
        }
        // Nothing but short pauses of other reasons.
        assert!(paused(None, is_dry).0 < 1.0);
    }
}

/// An item that a new count counts where there is nothing to keep it.
#[test]
fn items_without_the_entity_that_counts_them_are_named() {
    let text = |more: &str| {
        format!(
            "{}\nentity Note\n  userId: User.userId, noteId: string\n  key \"USER#{{userId}}\" \"NOTE#{{noteId}}\"\n",
            OLD.replace("  key \"USER", &format!("{more}  key \"USER"))
        )
    };
    let (old, new) = (model(&text("")), model(&text("  count notes of Note\n")));
    let backend = opened(&old);
    user(&backend, &old, ["1", "a@x", "Ulm"]);
    for (owner, id) in [("1", "a"), ("2", "b")] {
        let row = [("userId", owner), ("noteId", id)];
        let row: Row = row
            .map(|(name, held)| (name.to_owned(), held.to_owned()))
            .into();
        assert!(create(&backend, &old, old.entity("Note").unwrap(), &row));
    }
    let dry = dry_run(&old, &new, &backend);
    let found: Vec<(ProblemKind, String)> = dry
        .examples
        .iter()
        .map(|one| (one.kind, format!("{:?}", one.key.get("SK").unwrap())))
        .collect();
    assert_eq!(found, [(ProblemKind::NoParent, "S(\"NOTE#b\")".to_owned())]);
    assert_eq!(dry.problems, 1);
}

/// What may be given up, and what may not.
#[test]
fn an_evolution_is_given_up_where_the_old_version_reads_all() {
    let ended = |to: &str| {
        let (old, new) = (
            model(OLD),
            model(&OLD.replace("key \"USER#{userId}\" \"PROFILE\"", to)),
        );
        let backend = opened(&old);
        user(&backend, &old, ["1", "a@x", "Ulm"]);
        let world = Faulty::new(&backend, Fails::Never, None);
        let (options, progress) = (options(), Progress::default());
        let course = Course::of(&old, &new);
        let models = models_digest("old", "new");
        let evolving = Evolving::new(&course, models, (&world, &options, &progress));
        let mut said = Said::default();
        for _ in 0..3 {
            if let Ended::Gate(_, word) = evolving.run(&said).unwrap() {
                said.done = Some(word);
            }
        }
        let aborted = evolving.abort();
        (aborted, evolving.status().unwrap().run)
    };
    let (aborted, run) = ended("key \"U#{userId}\" \"PROFILE\"");
    assert!(aborted.is_err() && run.is_some(), "items have moved");
    let (aborted, run) =
        ended("key \"USER#{userId}\" \"PROFILE\"\n  copy by_town \"TOWN#{town}\" \"{userId}\"");
    assert_eq!(aborted.map_err(|error| error.to_string()), Ok(()));
    assert_eq!(run, None);
}
