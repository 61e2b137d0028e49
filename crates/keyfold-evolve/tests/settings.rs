//! Settings of a table that is there become those of the new model, whatever request has no answer.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{Fails, Faulty, model, opened, options, run};
use keyfold_client::tables::{self, Outcome};
use keyfold_evolve::world::World;
use keyfold_evolve::{Course, Ended, Evolving, Progress, Said, models_digest};

const BARE: &str = "
model shop 1
table Orders (PK, SK)
entity Order
  orderId: string, createdAt: time, purge: time
  key \"ORDER#{orderId}\" \"META\"
pattern order(orderId) -> Order?
";

/// Each setting alone, and all of them.
const SETTINGS: [&str; 6] = [
    "  stream new and old images",
    "  point in time recovery",
    "  deletion protection",
    "  class infrequent access",
    "  tags team = \"orders\", \"cost:center\" = \"x 1\"",
    "  stream keys\n  point in time recovery\n  deletion protection\n  class infrequent access\n  tags team = \"orders\"",
];

fn with(settings: &str) -> String {
    BARE.replace("(PK, SK)", &format!("(PK, SK)\n{settings}"))
}

#[test]
fn each_setting_is_switched_on_in_a_table_that_is_there() {
    for (settings, fails) in SETTINGS
        .iter()
        .flat_map(|one| [(one, Fails::Never), (one, Fails::Every(5))])
    {
        let (old, new) = (model(BARE), model(&with(settings)));
        let backend = opened(&old);
        let world = Faulty::new(&backend, fails, None);
        let (options, progress) = (options(), Progress::default());
        let course = Course::of(&old, &new);
        let models = models_digest("old", "new");
        let evolving = Evolving::new(&course, models, (&world as &dyn World, &options, &progress));
        assert_eq!(
            run(&evolving, &|_| {}),
            Ended::Ready,
            "{settings}, {fails:?}"
        );
        assert_eq!(evolving.complete(false).unwrap(), Ended::Ready);
        let outcomes = tables::ensure(&backend, &new).unwrap();
        assert_eq!(outcomes, [("Orders".to_owned(), Outcome::Existing)]);
        // What the new model does not declare stays, and is none of its differences.
        let back = Course::of(&new, &old);
        let models = models_digest("new", "old");
        let back = Evolving::new(&back, models, (&world as &dyn World, &options, &progress));
        assert_eq!(run(&back, &|_| {}), Ended::Ready, "{settings}, {fails:?}");
        assert_eq!(back.complete(false).unwrap(), Ended::Ready);
        let outcomes = tables::ensure(&backend, &new).unwrap();
        assert_eq!(outcomes, [("Orders".to_owned(), Outcome::Existing)]);
    }
}

/// Readers of a stream would lose it, so it is for its owner to switch off; then the run goes on.
#[test]
fn a_stream_with_other_images_is_named() {
    let old = model(&with("  stream keys"));
    let new = model(&with("  stream new and old images"));
    let backend = opened(&old);
    let world = Faulty::new(&backend, Fails::Never, None);
    let (options, progress) = (options(), Progress::default());
    let course = Course::of(&old, &new);
    let models = models_digest("old", "new");
    let evolving = Evolving::new(&course, models, (&world as &dyn World, &options, &progress));
    let mut said = Said::default();
    let error = loop {
        match evolving.run(&said) {
            Ok(Ended::Gate(_, word)) => said.done = Some(word),
            Ok(ended) => panic!("{ended:?}"),
            Err(error) => break error.to_string(),
        }
    };
    assert!(
        error.contains("stream: the model says NEW_AND_OLD_IMAGES, the table has KEYS_ONLY"),
        "{error}"
    );
}
