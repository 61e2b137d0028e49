//! What earlier versions have left in items, and expiry, which deletes what holds a moment: nothing of either kind is lost
//! or found in a wrong place.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test fails by panicking"
)]

mod common;

use common::{Fails, Faulty, create, items, model, opened, options};
use keyfold_api::{
    DescribeTimeToLiveInput, PutItemInput, Request, Response, TimeToLiveSpecification,
    TimeToLiveStatus, UpdateTimeToLiveInput, known,
};
use keyfold_client::{Backend, verify};
use keyfold_evolve::{Course, DryRun, Ended, Evolving, ProblemKind, Progress, Said, models_digest};
use keyfold_model::Model;
use keyfold_types::{Item, Value};
use std::sync::{Arc, Mutex};

/// A model of one entity, with lines behind the table and behind the key, and an index line of a second entity.
fn text(table: &str, attributes: &str, lines: &str, second: &str) -> String {
    format!(
        "model m 1\n\ntable Tab (PK, SK) type entity{table}\n\nentity C\n  cid: string{attributes}\n  key \"C#{{cid}}\" \
         \"C\"\n{lines}\nentity D\n  did: string, name: string\n  key \"D#{{did}}\" \"D\"\n{second}\npattern c(cid) -> \
         C?\npattern d(did) -> D?\n"
    )
}

fn made(backend: &Backend, model: &Model, entity: &str, row: &[(&str, &str)]) {
    let row = row
        .iter()
        .map(|(name, held)| (name.to_string(), held.to_string()));
    assert!(create(
        backend,
        model,
        model.entity(entity).unwrap(),
        &row.collect()
    ));
}

fn put(backend: &Backend, item: &[(&str, Value)]) {
    let item: Item = item.iter().cloned().collect();
    let input = PutItemInput {
        table_name: Some("Tab".to_owned()),
        item: Some(Ok(item)),
        ..PutItemInput::default()
    };
    backend.call(input.into()).unwrap();
}

/// The attribute by which items expire.
fn expires_by(backend: &Backend) -> Option<String> {
    let input = DescribeTimeToLiveInput {
        table_name: Some("Tab".to_owned()),
    };
    let Response::DescribeTimeToLive(found) = backend.call(input.into()).unwrap() else {
        panic!("another answer");
    };
    let found = found.time_to_live_description.unwrap();
    let is_on = known(&found.time_to_live_status) == Some(TimeToLiveStatus::Enabled);
    found.attribute_name.filter(|_| is_on)
}

/// What an evolution looks at and does.
struct Done {
    dry: DryRun,
    ended: Ended,
    /// The phases in which expiry was switched, with the attribute by which items expired then.
    switched: Vec<(String, bool)>,
    completed: Option<Ended>,
}

/// Carries out an evolution up to its end.
fn evolved(backend: &Arc<Backend>, old: &Model, new: &Model) -> Done {
    let switched = Mutex::new(Vec::new());
    let (options, progress) = (options(), Progress::default());
    let world = Faulty::new(backend, Fails::Never, None);
    world.watch(Box::new(|request| {
        if let Request::UpdateTimeToLive(UpdateTimeToLiveInput {
            time_to_live_specification: Some(TimeToLiveSpecification { enabled, .. }),
            ..
        }) = request
        {
            let phase = progress.figures().present;
            switched
                .lock()
                .unwrap()
                .push((phase, *enabled == Some(true)));
        }
    }));
    let course = Course::of(old, new);
    assert_eq!(course.refusals(), Vec::<String>::new());
    let evolving = Evolving::new(
        &course,
        models_digest("old", "new"),
        (&world, &options, &progress),
    );
    let dry = evolving.dry_run().unwrap();
    let mut said = Said::default();
    let ended = loop {
        let ended = evolving.run(&said).unwrap();
        let Ended::Gate(_, word) = ended else {
            break ended;
        };
        said.done = Some(word);
    };
    let completed = (ended == Ended::Ready).then(|| evolving.complete(false).unwrap());
    drop(world);
    Done {
        dry,
        ended,
        switched: switched.into_inner().unwrap(),
        completed,
    }
}

fn differences(backend: &Backend, model: &Model) -> u64 {
    struct Count(u64);
    impl verify::Observer for Count {
        fn progress(&mut self, _: u32, _: u64) {}
        fn finding(&mut self, _: &verify::Finding) -> Result<(), keyfold_client::ClientError> {
            self.0 += 1;
            Ok(())
        }
    }
    let sizes = verify::sizes(backend, model).unwrap();
    let mut count = Count(0);
    verify::run(
        backend,
        model,
        &sizes,
        &verify::Options::default(),
        &mut count,
    )
    .unwrap();
    count.0
}

/// A moment of expiry that is long past, and one that is far away.
const PAST: i64 = 1_700_000_000;
const FAR: &str = "2035-01-01T00:00:00Z";

/// The name of an ordinary attribute becomes that of the moment of expiry, with each way in which the attribute goes on.
#[test]
fn expiry_begins_when_no_item_holds_anything_else_there() {
    let old = text("", ", exp: int, purge: time", "", "");
    for attributes in [
        ", until: int was exp, purge: time",
        ", purge: time",
        ", label: string was \"{exp}\", purge: time",
    ] {
        let new = text(" ttl exp", attributes, "  ttl purge\n", "");
        let (old, new) = (model(&old), model(&new));
        let backend = opened(&old);
        for cid in ["1", "2", "3"] {
            let row = [("cid", cid), ("exp", "1700000000"), ("purge", FAR)];
            made(&backend, &old, "C", &row);
        }
        let done = evolved(&backend, &old, &new);
        assert_eq!(
            (done.dry.problems, done.ended),
            (0, Ended::Ready),
            "{attributes}"
        );
        assert_eq!(done.completed, Some(Ended::Ready), "{attributes}");
        assert_eq!(done.switched, [("verify".to_owned(), true)], "{attributes}");
        assert_eq!(expires_by(&backend).as_deref(), Some("exp"));
        let all = items(&backend, "Tab");
        assert_eq!(all.len(), 3);
        for item in &all {
            assert_ne!(item.get("exp"), Some(&Value::from(PAST)), "{item:?}");
        }
        assert_eq!(differences(&backend, &new), 0);
    }
    // Which of both an item holds is not seen where it may lack either.
    let old = model(&text("", ", exp: int?, purge: time", "", ""));
    let new = text(
        " ttl exp",
        ", until: int? was exp, purge: time",
        "  ttl purge\n",
        "",
    );
    let new = model(&new);
    assert_ne!(Course::of(&old, &new).refusals(), Vec::<String>::new());
}

/// A writer of the new version would write the moment over a value that the backfill needs.
#[test]
fn writers_come_behind_the_backfill_of_what_they_write_over() {
    let old = model(&text("", ", exp: int?, purge: time", "", ""));
    let new = text(
        " ttl exp",
        ", label: string = \"none\" was \"{exp}\", purge: time",
        "  ttl purge\n",
        "",
    );
    let course_of = (old, model(&new));
    let course = Course::of(&course_of.0, &course_of.1);
    for phase in course.phases() {
        if phase.runs.new_writers {
            break;
        }
        if phase.step.word() == "backfill" {
            return;
        }
    }
    panic!("{:#?}", course.phases());
}

/// Whatever holds a number there and is not written is named, and nothing is switched on.
#[test]
fn items_that_expiry_would_delete_are_named() {
    let old = model(&text("", ", purge: time", "", ""));
    let new = model(&text(" ttl exp", ", purge: time", "  ttl purge\n", ""));
    let backend = opened(&old);
    made(&backend, &old, "C", &[("cid", "1"), ("purge", FAR)]);
    // An item of another model.
    let past = || Value::from(PAST);
    let key = |pk: &str, sk: &str, kind: &str| {
        [
            ("PK", Value::from(pk)),
            ("SK", Value::from(sk)),
            ("entity", Value::from(kind)),
        ]
    };
    let foreign = [key("INV#1", "x", "Invoice").as_slice(), &[("exp", past())]].concat();
    put(&backend, &foreign);
    let done = evolved(&backend, &old, &new);
    assert_eq!(done.dry.problems, 1, "{:#?}", done.dry);
    assert_eq!(done.dry.examples[0].kind, ProblemKind::LeftOver);
    assert!(matches!(done.ended, Ended::Problems(_)));
    // What is no number is no moment.
    let other = [
        key("INV#1", "x", "Invoice").as_slice(),
        &[("exp", Value::from("soon"))],
    ]
    .concat();
    put(&backend, &other);
    // An item of the model that holds it from an earlier version loses it.
    let row = [
        ("did", Value::from("1")),
        ("name", Value::from("Ada")),
        ("exp", past()),
    ];
    put(&backend, &[key("D#1", "D", "D").as_slice(), &row].concat());
    let done = evolved(&backend, &old, &new);
    assert_eq!(
        (done.dry.problems, done.dry.changed),
        (0, 2),
        "{:#?}",
        done.dry
    );
    assert_eq!(done.completed, Some(Ended::Ready));
    let all = items(&backend, "Tab");
    assert_eq!(
        all.iter()
            .filter(|item| item.get("exp") == Some(&past()))
            .count(),
        0
    );
    assert_eq!(all.len(), 3);
}

/// What comes late, or is accepted, is not deleted by expiry.
#[test]
fn expiry_waits_for_what_a_late_writer_has_written() {
    let old = model(&text("", ", exp: int, purge: time", "", ""));
    let new = model(&text(
        " ttl exp",
        ", until: int was exp, purge: time",
        "  ttl purge\n",
        "",
    ));
    let backend = opened(&old);
    let row = |cid| [("cid", cid), ("exp", "1700000000"), ("purge", FAR)];
    made(&backend, &old, "C", &row("1"));
    let world = Faulty::new(&backend, Fails::Never, None);
    let (options, progress) = (options(), Progress::default());
    let course = Course::of(&old, &new);
    let evolving = Evolving::new(
        &course,
        models_digest("old", "new"),
        (&world, &options, &progress),
    );
    let run = || {
        let mut said = Said::default();
        loop {
            let Ended::Gate(_, word) = evolving.run(&said).unwrap() else {
                return;
            };
            said.done = Some(word);
        }
    };
    run();
    made(&backend, &old, "C", &row("late"));
    assert!(matches!(
        evolving.complete(false).unwrap(),
        Ended::Differences(_)
    ));
    assert_eq!(evolving.complete(true).unwrap(), Ended::Ready);
    assert_eq!(expires_by(&backend), None, "the late item would be deleted");
    run();
    assert_eq!(evolving.complete(false).unwrap(), Ended::Ready);
    assert_eq!(expires_by(&backend).as_deref(), Some("exp"));
    assert_eq!(items(&backend, "Tab").len(), 2);
    assert_eq!(differences(&backend, &new), 0);
}

/// Expiry by another attribute, and expiry that ends: it is switched off before anything else.
#[test]
fn expiry_is_switched_off_first() {
    let old = model(&text(" ttl exp", ", purge: time", "  ttl purge\n", ""));
    let other = model(&text(" ttl exp2", ", purge: time", "  ttl purge\n", ""));
    let none = model(&text("", ", purge: time", "", ""));
    for (new, by) in [(&other, Some("exp2")), (&none, None)] {
        let backend = opened(&old);
        made(&backend, &old, "C", &[("cid", "1"), ("purge", FAR)]);
        assert_eq!(expires_by(&backend).as_deref(), Some("exp"));
        let done = evolved(&backend, &old, new);
        assert_eq!((done.dry.problems, done.ended), (0, Ended::Ready));
        assert_eq!(done.completed, Some(Ended::Ready));
        let mut wanted = vec![("tables".to_owned(), false)];
        wanted.extend(by.map(|_| ("verify".to_owned(), true)));
        assert_eq!(done.switched, wanted);
        assert_eq!(expires_by(&backend).as_deref(), by);
        let first = Course::of(&old, new).phases()[0].step.word();
        assert_eq!(first, "tables");
        assert_eq!(differences(&backend, new), 0);
    }
}

/// Key attributes of an index that is gone, and of one that comes under the same names for another entity.
#[test]
fn an_index_has_no_items_of_an_earlier_one() {
    let index = "\n  gsi GSI1 (G1PK, G1SK)";
    let first = model(&text(index, "", "  GSI1 \"N#{cid}\" \"x\"\n", ""));
    let second = model(&text("", "", "", ""));
    let third = model(&text(index, "", "", "  GSI1 \"N#{name}\" \"{did}\"\n"));
    for has_backfill in [true, false] {
        let backend = opened(&first);
        made(&backend, &first, "C", &[("cid", "Ada")]);
        if has_backfill {
            made(&backend, &first, "D", &[("did", "1"), ("name", "Ada")]);
        }
        assert_eq!(
            evolved(&backend, &first, &second).completed,
            Some(Ended::Ready)
        );
        let done = evolved(&backend, &second, &third);
        assert_eq!((done.dry.problems, done.completed), (0, Some(Ended::Ready)));
        let left = items(&backend, "Tab").into_iter();
        let left = left.filter(|item| {
            item.get("entity") == Some(&Value::from("C")) && item.get("G1PK").is_some()
        });
        assert_eq!(left.count(), 0);
        assert_eq!(differences(&backend, &third), 0);
    }
}

/// An attribute that comes again with another type.
#[test]
fn values_that_an_earlier_attribute_has_left_are_named() {
    let first = model(&text("", ", nick: int", "", ""));
    let second = model(&text("", "", "", ""));
    let backend = opened(&first);
    made(&backend, &first, "C", &[("cid", "1"), ("nick", "7")]);
    assert_eq!(
        evolved(&backend, &first, &second).completed,
        Some(Ended::Ready)
    );
    let optional = model(&text("", ", nick: string?", "", ""));
    let done = evolved(&backend, &second, &optional);
    assert_eq!(
        (done.dry.problems, done.dry.items),
        (1, 1),
        "{:#?}",
        done.dry
    );
    assert_eq!(done.dry.examples[0].kind, ProblemKind::LeftOver);
    assert!(matches!(done.ended, Ended::Problems(_)));
    // Where items are written, too: nothing says that it may go.
    let default = model(&text("", ", nick: string = \"none\"", "", ""));
    let done = evolved(&backend, &second, &default);
    assert_eq!((done.dry.problems, done.completed), (1, None));
    assert_eq!(done.dry.examples[0].kind, ProblemKind::Value);
}

/// Several passes read the same items: each is counted once.
#[test]
fn items_are_counted_once() {
    let old = "model m 1\ntable Tab (PK, SK)\nentity A\n  aid: string, n: int, mail: string\n  key \"A#{aid}\" \"A\"\nentity B\n  \
               aid: A.aid, bid: string\n  key \"A#{aid}\" \"B#{bid}\"\npattern a(aid) -> A?\n";
    let counts = old.replace("\"A\"\nentity B", "\"A\"\n  count bs of B\nentity B");
    let unique = old.replace("\"A\"\nentity B", "\"A\"\n  unique mail\nentity B");
    for new in [counts, unique] {
        let (old, new) = (model(old), model(&new));
        let backend = opened(&old);
        for aid in ["1", "2", "3"] {
            made(
                &backend,
                &old,
                "A",
                &[("aid", aid), ("n", "1"), ("mail", "same")],
            );
            for bid in ["1", "2"] {
                made(&backend, &old, "B", &[("aid", aid), ("bid", bid)]);
            }
        }
        put(
            &backend,
            &[("PK", Value::from("INV#1")), ("SK", Value::from("x"))],
        );
        let (options, progress) = (
            keyfold_evolve::Options {
                shares: 1,
                ..options()
            },
            Progress::default(),
        );
        let world = Faulty::new(&backend, Fails::Never, None);
        let course = Course::of(&old, &new);
        let evolving = Evolving::new(
            &course,
            models_digest("old", "new"),
            (&world, &options, &progress),
        );
        let dry = evolving.dry_run().unwrap();
        assert_eq!(
            (dry.items, dry.unknown, dry.unknown_examples.len()),
            (10, 1, 1)
        );
        assert_eq!(
            (progress.figures().items, progress.figures().unknown),
            (10, 1)
        );
    }
}
