//! How an evolution ends, and what keeps it from its end.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test fails by panicking"
)]

mod common;

use common::{Fails, Faulty, Row, create, model, opened, options};
use keyfold_client::Backend;
use keyfold_evolve::{Course, Ended, Evolving, Progress, Said, models_digest};
use keyfold_model::Model;

const OLD: &str = r#"
model people 1
table People (PK, SK)
entity User
  userId: string, name: string
  key "USER#{userId}" "PROFILE"
pattern user(userId) -> User?
"#;

fn user(backend: &Backend, model: &Model, id: &str) {
    let row = [("userId", id), ("name", "Ada")];
    let row: Row = row
        .map(|(name, held)| (name.to_owned(), held.to_owned()))
        .into();
    assert!(create(backend, model, model.entity("User").unwrap(), &row));
}

/// Runs with all gates done as they come; `passed` is told each of them before. Returns how it ended.
fn run(evolving: &Evolving<'_>, passed: &dyn Fn(&str)) -> Ended {
    let mut said = Said::default();
    loop {
        let ended = evolving.run(&said).unwrap();
        let Ended::Gate(_, word) = ended else {
            return ended;
        };
        passed(&word);
        said.done = Some(word);
    }
}

/// A plan that deletes nothing in the end has no phase for it.
#[test]
fn completion_compares_also_where_nothing_is_deleted() {
    let new = OLD.replace("name: string", "fullName: string was name");
    let (old, new) = (model(OLD), model(&new));
    let backend = opened(&old);
    user(&backend, &old, "1");
    let world = Faulty::new(&backend, Fails::Never, None);
    let (options, progress) = (options(), Progress::default());
    let course = Course::of(&old, &new);
    let models = models_digest("old", "new");
    let evolving = Evolving::new(&course, models, (&world, &options, &progress));
    let passed = |word: &str| {
        if word == "start" {
            user(&backend, &old, "2");
        }
    };
    assert_eq!(run(&evolving, &passed), Ended::Ready);
    let ended = evolving.complete(false).unwrap();
    let Ended::Differences(found) = ended else {
        panic!("{ended:#?}");
    };
    assert_eq!(found.differences, 1, "{found:#?}");
    assert!(evolving.status().unwrap().run.is_some());
    assert_eq!(evolving.complete(true).unwrap(), Ended::Ready);
    assert_eq!(evolving.status().unwrap().run, None);
    // The same evolution brings the rest.
    assert_eq!(run(&evolving, &|_| {}), Ended::Ready);
    assert_eq!(evolving.complete(false).unwrap(), Ended::Ready);
}
