//! What goes wrong at the place of an evolution: a right that is missing, credentials that are not taken, a disk that is
//! full, a limit, an endpoint that goes away. Each is said in a sentence, from each of the requests of a run on; and when
//! its cause is removed, the same command goes on to the right end.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::wildcard_enum_match_arm,
    reason = "a test fails by panicking"
)]

mod common;

use common::{Faulty, PLACE, Rows, carried, differences, items, model, options, rows};
use keyfold_api::{ApiError, ErrorKind, Operation, ReasonCode, Request, Response};
use keyfold_client::{Backend, ClientError, Guarded};
use keyfold_evolve::world::World;
use keyfold_evolve::{Course, Ended, Evolving, Progress, Said, models_digest};
use keyfold_model::Model;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const ROWS: usize = 5;

/// What is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    /// Nothing.
    None,
    /// A right is missing.
    Denied(Operation),
    /// The credentials are not taken.
    Credentials,
    /// Nothing can be written.
    Full,
    /// The place is at a limit with an operation.
    Limit(Operation),
    /// A partition with a local index is full.
    Collection,
    /// The endpoint does not answer.
    Away,
    /// Capacity is exhausted, and that passes.
    Throttled,
}

impl Fault {
    /// Whether a request is one that it meets.
    fn meets(self, operation: Operation) -> bool {
        match self {
            Fault::None => false,
            Fault::Denied(one) | Fault::Limit(one) => operation == one,
            Fault::Credentials | Fault::Away => true,
            Fault::Full => is_write(operation),
            Fault::Collection => operation == Operation::TransactWriteItems,
            Fault::Throttled => {
                let of_items = [Operation::TransactWriteItems, Operation::UpdateItem];
                of_items.contains(&operation)
            }
        }
    }

    fn error(self) -> ClientError {
        let (kind, reasons) = match self {
            Fault::Denied(_) => (ErrorKind::AccessDenied, Vec::new()),
            Fault::Credentials => (ErrorKind::UnrecognizedClient, Vec::new()),
            Fault::Full => (ErrorKind::Internal, Vec::new()),
            Fault::Limit(_) => (ErrorKind::LimitExceeded, Vec::new()),
            Fault::Throttled => (ErrorKind::ProvisionedThroughputExceeded, Vec::new()),
            Fault::Collection => {
                let reason = (ReasonCode::ItemCollectionSizeLimitExceeded, None);
                (ErrorKind::TransactionCanceled, vec![reason])
            }
            Fault::Away | Fault::None => {
                return ClientError::Transport("connection refused".to_owned());
            }
        };
        ClientError::Service {
            kind: Some(kind),
            exception: kind.exception().to_owned(),
            message: "it is so".to_owned(),
            reasons,
            found: Vec::new(),
        }
    }

    /// What its sentence says beside the place.
    fn says(self) -> String {
        match self {
            Fault::Denied(one) => format!("does not allow {}", one.name()),
            Fault::Credentials => "does not take these credentials".to_owned(),
            Fault::Full => "disk is full".to_owned(),
            Fault::Limit(one) => format!("is at a limit with {}", one.name()),
            Fault::Collection => "no more items with this partition key".to_owned(),
            Fault::Away => "does not answer".to_owned(),
            Fault::None | Fault::Throttled => String::new(),
        }
    }
}

fn is_write(operation: Operation) -> bool {
    let name = operation.name();
    ["Put", "Update", "Delete", "Create", "TransactWrite"]
        .iter()
        .any(|one| name.starts_with(one))
}

/// What is wrong now, and what was asked.
struct State {
    fault: Mutex<Fault>,
    /// How many requests that the fault meets are carried out before.
    after: AtomicU64,
    /// How many more it meets; then it is over.
    left: AtomicU64,
    asked: Mutex<BTreeMap<&'static str, u64>>,
}

impl State {
    fn new(fault: Fault, after: u64, left: u64) -> Arc<State> {
        Arc::new(State {
            fault: Mutex::new(fault),
            after: AtomicU64::new(after),
            left: AtomicU64::new(left),
            asked: Mutex::default(),
        })
    }

    /// What is wrong with a request.
    fn judge(&self, operation: Operation) -> Option<Fault> {
        *self
            .asked
            .lock()
            .unwrap()
            .entry(operation.name())
            .or_default() += 1;
        let fault = *self.fault.lock().unwrap();
        if !fault.meets(operation) {
            return None;
        }
        let less = |number: u64| number.checked_sub(1);
        let order = Ordering::SeqCst;
        if self.after.fetch_update(order, order, less).is_ok() {
            return None;
        }
        let is_met = self.left.fetch_update(order, order, less).is_ok();
        is_met.then_some(fault)
    }

    /// Whether the verification may send a request. It meets nothing but a right that is missing.
    fn judge_right(&self, operation: Operation) -> bool {
        let fault = *self.fault.lock().unwrap();
        !matches!(fault, Fault::Denied(_) | Fault::None) || self.judge(operation).is_none()
    }

    fn lift(&self) {
        *self.fault.lock().unwrap() = Fault::None;
    }
}

/// A place with something wrong.
struct Troubled<'l> {
    inner: Faulty<'l>,
    state: Arc<State>,
    /// What the verification reads: it lacks the same right.
    verified: Backend,
}

impl Troubled<'_> {
    fn new(backend: &Arc<Backend>, state: &Arc<State>) -> Troubled<'static> {
        let Backend::Embedded(engine) = &**backend else {
            panic!("another backend");
        };
        let rights = Arc::clone(state);
        let rights = Box::new(move |request: &Request| {
            let why = || ApiError::Plain(ErrorKind::AccessDenied, "it is so".into());
            match rights.judge_right(request.operation()) {
                true => Ok(()),
                false => Err(why()),
            }
        });
        let guarded = Guarded::new(Arc::clone(engine), "someone".to_owned(), rights);
        Troubled {
            inner: Faulty::new(backend, common::Fails::Never, None),
            state: Arc::clone(state),
            verified: Backend::Guarded(Arc::new(guarded)),
        }
    }
}

impl World for Troubled<'_> {
    fn ask(&self, request: Request) -> Result<Response, ClientError> {
        match self.state.judge(request.operation()) {
            None => self.inner.ask(request),
            Some(fault) => Err(fault.error()),
        }
    }

    fn pause(&self, time: Duration) {
        self.inner.pause(time);
    }

    fn now(&self) -> Duration {
        self.inner.now()
    }

    fn epoch_ms(&self) -> i64 {
        self.inner.epoch_ms()
    }

    fn random(&self) -> u64 {
        self.inner.random()
    }

    fn backend(&self) -> &Backend {
        &self.verified
    }

    fn name(&self) -> &str {
        PLACE
    }
}

/// Runs an evolution to its end, with all gates done as they come. A command that fails is called again as it was, when
/// `failed` has heard why.
fn to_end(
    (old, new): (&Model, &Model),
    world: &dyn World,
    failed: &mut dyn FnMut(&ClientError),
) -> Ended {
    let (course, options, progress) = (Course::of(old, new), options(), Progress::default());
    let models = models_digest("old", "new");
    let evolving = Evolving::new(&course, models, (world, &options, &progress));
    let (mut said, mut is_ready) = (Said::default(), false);
    for _ in 0..40 {
        let ended = match is_ready {
            true => evolving.complete(false),
            false => evolving.run(&said),
        };
        match ended {
            Err(error) => failed(&error),
            Ok(Ended::Gate(_, word)) => {
                said = Said {
                    done: Some(word),
                    yes: false,
                    ..Said::default()
                };
            }
            Ok(Ended::Ready) if !is_ready => is_ready = true,
            Ok(ended) => return ended,
        }
    }
    panic!("it does not end");
}

fn check(what: &str, models: (&Model, &Model), made: &Rows<'_>, ended: &Ended) {
    assert!(
        matches!(ended, Ended::Ready | Ended::NoDifference),
        "{what}: {ended:#?}"
    );
    let found = differences(models.0, models.1, made);
    assert!(found.is_empty(), "{what}:\n{}", found.join("\n"));
}

/// Carries a pair out with a fault behind some requests. Returns whether it was met.
fn with_fault(name: &str, models: (&Model, &Model), fault: Fault, after: u64) -> bool {
    let made = rows(models.0, models.1, 7, ROWS);
    let state = State::new(fault, after, u64::MAX);
    let world = Troubled::new(&made.old, &state);
    let what = format!("{name}, {fault:?} after {after}");
    let mut met = 0;
    let ended = to_end(models, &world, &mut |error| {
        met += 1;
        assert_eq!(met, 1, "{what}: it does not go on: {error}");
        let said = error.to_string();
        for part in [PLACE, &fault.says(), "the same command goes on"] {
            // The comparison does not know which of its requests failed.
            let of_comparison = match fault {
                Fault::Denied(_) => "does not allow a request of the comparison",
                _ => part,
            };
            let is_said = said.contains(part) || said.contains(of_comparison);
            assert!(is_said, "{what}: {part}: {said}");
        }
        state.lift();
    });
    check(&what, models, &made, &ended);
    met > 0
}

/// The requests of a run by operation.
fn requests(models: (&Model, &Model)) -> BTreeMap<&'static str, u64> {
    let made = rows(models.0, models.1, 7, ROWS);
    let state = State::new(Fault::None, 0, 0);
    let world = Troubled::new(&made.old, &state);
    to_end(models, &world, &mut |error| panic!("{error}"));
    let asked = state.asked.lock().unwrap();
    asked.clone()
}

fn operation(name: &str) -> Operation {
    let mut all = Operation::ALL.iter();
    *all.find(|one| one.name() == name).unwrap()
}

/// How often each kind of fault was to be met.
#[derive(Default)]
struct Turns(BTreeMap<String, u64>);

impl Turns {
    /// A place in each third run: its first request of a kind, its last one, or one between; with `KEYFOLD_FAULTS=all`
    /// each of them in each run.
    fn places(&mut self, kind: &str, count: u64) -> Vec<u64> {
        if std::env::var("KEYFOLD_FAULTS").is_ok() {
            return (0..count).collect();
        }
        let turn = self.0.entry(kind.to_owned()).or_default();
        *turn += 1;
        match *turn % 12 {
            1 => vec![0],
            4 => vec![count - 1],
            7 | 10 => vec![*turn % count],
            _ => Vec::new(),
        }
    }
}

#[test]
fn a_right_that_is_missing_is_named_and_the_same_command_goes_on() {
    let (mut met, mut passed, mut turns) = (0, BTreeSet::new(), Turns::default());
    for (name, old, new) in carried() {
        for (asked, count) in requests((&old, &new)) {
            for after in turns.places(asked, count) {
                let fault = Fault::Denied(operation(asked));
                if with_fault(&name, (&old, &new), fault, after) {
                    met += 1;
                } else {
                    passed.insert(format!("{asked} {after} of {count} in {name}"));
                }
            }
        }
    }
    println!("{met} denied requests; {} without an error", passed.len());
    assert!(met > 100, "{met}");
    // An endpoint is asked whether it has transactions, by one without actions. How often a table is looked at while
    // an index is made is another number each time, and so is how often a run looks whether it has the evolution still.
    let is_expected = |one: &&String| {
        let is_looked_at = |operation: &str| {
            let first = format!("{operation} 0 ");
            one.starts_with(&format!("{operation} ")) && !one.starts_with(&first)
        };
        one.starts_with("TransactWriteItems 0 of 1 ")
            || is_looked_at("DescribeTable")
            || (is_looked_at("GetItem") && one.contains("index"))
    };
    let others: Vec<&String> = passed.iter().filter(|one| !is_expected(one)).collect();
    assert!(others.is_empty(), "{others:?}");
}

#[test]
fn a_place_that_takes_nothing_more_is_named_and_the_same_command_goes_on() {
    let (mut met, mut turns): (BTreeMap<String, u64>, Turns) = Default::default();
    for (name, old, new) in carried() {
        let asked = requests((&old, &new));
        let total = asked.values().sum();
        let writes = asked
            .iter()
            .filter(|(name, _)| is_write(operation(name)))
            .map(|(_, count)| count)
            .sum();
        let of = |name: &str| asked.get(name).copied().unwrap_or(0);
        for (fault, count) in [
            (Fault::Full, writes),
            (Fault::Credentials, total),
            (Fault::Away, total),
            (Fault::Collection, of("TransactWriteItems")),
            (Fault::Limit(Operation::CreateTable), of("CreateTable")),
            (Fault::Limit(Operation::UpdateTable), of("UpdateTable")),
            (Fault::Limit(Operation::PutItem), of("PutItem")),
        ] {
            if count == 0 {
                continue;
            }
            let chosen = match fault {
                // Few runs change a table.
                Fault::Limit(Operation::UpdateTable) => vec![0],
                _ => turns.places(&format!("{fault:?}"), count),
            };
            for after in chosen {
                let is_met = with_fault(&name, (&old, &new), fault, after);
                *met.entry(format!("{fault:?}")).or_default() += u64::from(is_met);
            }
        }
    }
    println!("{met:#?}");
    assert!(
        met.len() == 7 && met.values().sum::<u64>() > 100,
        "{met:#?}"
    );
}

const OLD: &str = r#"
model people 1
table People (PK, SK)
entity User
  userId: string, town: string
  key "USER#{userId}" "PROFILE"
pattern user(userId) -> User?
"#;

/// A hot partition is throttled for longer than an entity is tried that others write.
#[test]
fn throttling_is_waited_out_for_any_time() {
    let old = model(OLD);
    let new = model(&OLD.replace(
        "\npattern",
        "\n  copy by_town \"TOWN#{town}\" \"USER#{userId}\"\npattern users_in(town) -> User.by_town[]\npattern",
    ));
    let made = rows(&old, &new, 7, ROWS);
    let state = State::new(Fault::Throttled, 1, 300);
    let world = Troubled::new(&made.old, &state);
    let ended = to_end((&old, &new), &world, &mut |error| panic!("{error}"));
    check("throttled", (&old, &new), &made, &ended);
    assert_eq!(state.left.load(Ordering::SeqCst), 0);
    assert!(items(&made.old, "People").len() > 2);
}

/// `docs/evolve.md` lists the rights of an evolution: all operations that it asks for.
#[test]
fn the_rights_of_an_evolution_are_documented() {
    let mut asked = BTreeSet::new();
    for (_, old, new) in carried() {
        asked.extend(requests((&old, &new)).into_keys());
    }
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/evolve.md");
    let text = std::fs::read_to_string(docs).unwrap();
    let (_, rest) = text.split_once("\n**Rights.** ").unwrap();
    let (rights, _) = rest.split_once("\n\n").unwrap();
    let named: BTreeSet<&str> = rights
        .split(|sign: char| !sign.is_alphanumeric())
        .filter(|word| Operation::ALL.iter().any(|one| one.name() == *word))
        .collect();
    let missing: Vec<&&str> = asked.difference(&named).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert!(asked.len() > 12, "{asked:?}");
}
