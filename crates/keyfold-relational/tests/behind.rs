//! How far a run is behind the side that leads: it notes up to when it has carried every change, once a second.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    clippy::result_large_err,
    reason = "a test fails by panicking, and its errors may be large"
)]

mod leading;
mod mariadb_server;
mod support;
mod world;
mod worlds;

use keyfold_relational::sqlite::Sqlite;
use keyfold_relational::{
    Behind, Ended, Mapping, Migration, Phase, Progress, Sizes, State, Switch, Turned,
};
use leading::bases::OfSqlite;
use leading::{Op, Shop};
use std::path::Path;
use std::time::{Duration, Instant};
use world::{World, is_caught};

/// Longer than anything here takes.
const LONG: Duration = Duration::from_secs(120);

fn state(world: &World) -> State {
    world.with(|mapping, source| {
        let progress = Progress::default();
        let migration = Migration::new(mapping, source, &world.backend, &progress);
        migration.state().unwrap().unwrap()
    })
}

/// A run that reads one change at a time, until it is asked to stop, with something else beside it.
fn beside_a_run(world: &World, does: impl FnOnce(&Progress)) -> Ended {
    let progress = &Progress::default();
    let path = world.program.path().unwrap().to_owned();
    let (model, backend) = (&world.model, &world.backend);
    std::thread::scope(|scope| {
        let run = scope.spawn(move || {
            let mut source = Sqlite::open(Path::new(&path)).unwrap();
            let mapping = Mapping::of(model, &mut source).unwrap();
            let sizes = Sizes {
                changes: 1,
                ..Sizes::default()
            };
            let migration = Migration::new(&mapping, &mut source, backend, progress);
            migration.with_sizes(sizes).run(false)
        });
        does(progress);
        progress.stop();
        run.join().unwrap()
    })
}

fn until(what: &str, is_so: impl Fn() -> bool) {
    let until = Instant::now() + LONG;
    while !is_so() {
        assert!(Instant::now() < until, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_run_notes_how_far_it_is_behind() {
    let world = World::one(
        "PRAGMA journal_mode = WAL; CREATE TABLE a (id INTEGER PRIMARY KEY, v TEXT NOT NULL); INSERT INTO a VALUES (1, '');",
        "id: int, v: string",
        "a",
    );
    world.sql("INSERT INTO a VALUES (2, x'00')");
    assert!(matches!(world.run(10), Ended::Problem(_)));
    let copying = state(&world);
    assert_eq!((copying.phase, copying.behind()), (Phase::Copy, None));
    world.sql("DELETE FROM a WHERE id = 2");
    let before = Instant::now();
    assert!(is_caught(&world.run(10)));
    let caught = state(&world).behind().unwrap();
    assert!(caught.behind <= before.elapsed(), "{caught:?}");
    // What was noted stays, and gets old.
    let pause = Duration::from_millis(2_500);
    std::thread::sleep(pause);
    let Behind { behind, noted_ago } = state(&world).behind().unwrap();
    assert_eq!(behind, caught.behind);
    assert!(noted_ago >= pause, "{noted_ago:?}");
    // A run with much to do notes that it is behind, and shows it.
    let many = "WITH RECURSIVE n (n) AS (SELECT 10 UNION ALL SELECT n + 1 FROM n WHERE n < 5000) \
                INSERT INTO a SELECT n, 'x' FROM n";
    world.sql(many);
    let ended = beside_a_run(&world, |progress| {
        until("it does not note that it is behind", || {
            let seen = state(&world).behind().unwrap();
            seen.behind >= pause
        });
        assert!(progress.figures().behind.unwrap() >= pause);
    });
    assert!(matches!(ended, Ended::Stopped), "{ended:?}");
    // One that rests notes that it is not.
    world.sql("DELETE FROM a WHERE id >= 10");
    assert!(is_caught(&world.run(10)));
    let began = Instant::now();
    let ended = beside_a_run(&world, |progress| {
        std::thread::sleep(pause);
        until("it is behind where nothing is left", || {
            let seen = state(&world).behind().unwrap();
            seen.behind + seen.noted_ago < began.elapsed()
        });
        assert!(progress.figures().behind.unwrap() < began.elapsed());
    });
    assert!(matches!(ended, Ended::Stopped), "{ended:?}");
}

#[test]
fn so_does_one_while_the_tables_lead() {
    let shop = Shop::new(OfSqlite::boxed());
    Op::Product("ink".to_owned(), "Ink".to_owned()).to_rows(&shop);
    assert!(matches!(shop.run(), Ended::Caught));
    let turned = shop.switch(Switch::Forth);
    assert!(matches!(turned, Ok(Turned::Done(_))), "{turned:?}");
    let pause = Duration::from_millis(1_100);
    let began = Instant::now();
    std::thread::sleep(pause);
    let old = shop.state().unwrap().behind().unwrap();
    assert!(old.noted_ago >= pause, "{old:?}");
    assert!(matches!(shop.run(), Ended::Caught));
    let new = shop.state().unwrap().behind().unwrap();
    assert!(new.behind + new.noted_ago < began.elapsed(), "{new:?}");
    let turned = shop.switch(Switch::Back);
    assert!(matches!(turned, Ok(Turned::Done(_))), "{turned:?}");
    assert_eq!(shop.state().unwrap().phase, Phase::Follow);
}
