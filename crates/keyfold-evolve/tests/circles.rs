//! Unique values change hands in a circle, in one transaction of a live writer of the new version, while a run adds the
//! unique line: between any two requests of the run.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test fails by panicking"
)]

mod common;

use common::{Fails, Faulty, Row, create, differences, model, opened, options, run_past};
use keyfold_client::write::{Part, transact_at_once};
use keyfold_client::{Backend, ClientError, arguments};
use keyfold_evolve::Ended;
use keyfold_model::Model;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

const OLD: &str = r#"
model people 1
table People (PK, SK)
entity User
  userId: string, email: string, note: string?
  key "USER#{userId}" "PROFILE"
pattern user(userId) -> User?
"#;

const USERS: usize = 8;
/// How often the same command is called again when values have changed hands.
const LOOKS: usize = 3;

fn row(user: usize, email: usize) -> Row {
    Row::from([
        ("userId".to_owned(), format!("u{user}")),
        ("email".to_owned(), format!("e{email}")),
    ])
}

/// The emails of all users after so many turns: those of `circle` users change hands.
fn emails(circle: usize, turns: u64) -> Vec<usize> {
    let turns = usize::try_from(turns).unwrap();
    let first = (0..circle).map(|user| (user + turns) % circle);
    first.chain(circle..USERS).collect()
}

/// Writes the emails of a circle of users in one transaction.
fn turn(backend: &Backend, new: &Model, circle: usize, turns: u64) -> Result<(), ClientError> {
    let entity = new.entity("User").unwrap();
    let emails = emails(circle, turns).into_iter().take(circle);
    let values: Vec<_> = emails
        .enumerate()
        .map(|(user, email)| arguments::of_entity(entity, &row(user, email)).unwrap())
        .collect();
    let parts = values.iter().map(|values| Part::Put { entity, values });
    transact_at_once(backend, new, &parts.collect::<Vec<_>>()).map(|_| ())
}

/// Runs the evolution, while values change hands before the requests that are chosen. Returns how often they did.
fn run(circle: usize, chosen: impl Fn(u64) -> bool + Sync) -> u64 {
    let old = model(OLD);
    let new = model(&OLD.replace("\npattern", "\n  unique email\npattern"));
    let made = common::Rows {
        old: opened(&old),
        oracle: opened(&new),
        rows: Vec::new(),
    };
    for user in 0..USERS {
        let row = row(user, user);
        assert!(create(&made.old, &old, old.entity("User").unwrap(), &row));
        assert!(create(
            &made.oracle,
            &new,
            new.entity("User").unwrap(),
            &row
        ));
    }
    let (is_open, turns, asked) = (AtomicBool::new(false), AtomicU64::new(0), AtomicU64::new(0));
    let place = Arc::clone(&made.old);
    let live = |_: u64| {
        if is_open.load(Ordering::SeqCst) && chosen(asked.fetch_add(1, Ordering::SeqCst)) {
            let turns = turns.fetch_add(1, Ordering::SeqCst) + 1;
            turn(&place, &new, circle, turns).unwrap();
        }
    };
    let world = Faulty::new(&made.old, Fails::Never, Some(Box::new(live)));
    let passed = |word: &str| is_open.store(word == "writers", Ordering::SeqCst);
    // A look that reads one of them before and another one behind a turn sees one value twice, and writes nothing: the
    // same command looks again.
    let mut ended = run_past((&old, &new), &world, &options(), &passed);
    for _ in 0..LOOKS {
        if let Ok(Ended::Problems(_)) = &ended {
            ended = run_past((&old, &new), &world, &options(), &passed);
        }
    }
    drop(world);
    let turns = turns.into_inner();
    assert!(
        matches!(ended, Ok(Ended::Ready)),
        "{turns} turns: {ended:#?}"
    );
    for turns in 1..=turns {
        turn(&made.oracle, &new, circle, turns).unwrap();
    }
    let found = differences(&old, &new, &made);
    assert!(found.is_empty(), "{turns} turns:\n{}", found.join("\n"));
    turns
}

#[test]
fn values_change_hands_in_a_circle_between_any_two_requests() {
    for circle in [2, 3, USERS] {
        let mut at = 0;
        while run(circle, |asked| asked == at) == 1 {
            at += 1;
        }
        assert!(at > 20, "{at}");
    }
}
