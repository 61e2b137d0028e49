//! A server is killed under a client that writes, and started again; so is a program that writes to
//! its own folder. An acknowledged write is there once, one with an unknown outcome is there as a whole
//! or absent, and one that failed is absent. All that follows from the writes agrees with them.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test fails by panicking"
)]

use keyfold::typed::{self, Error, Keyfold};
use keyfold_client::verify::{self, Finding, Observer};
use keyfold_client::{Backend, ClientError};
use keyfold_engine::{Engine, EngineOptions, FolderOptions, StoreOptions};
use keyfold_generated::case_answers::{
    Account, AccountId, AnswersClient, NewAccount, NewTicket, TransferArguments,
};
use keyfold_generated::shop::{
    CreateOrderArguments, Line, OrderId, OrderStatus, ProductId, ShopClient, UserId, UserKey,
    UserPatch,
};
use keyfold_server::{Server, ServerConfig};
use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// The variables that make a process of this file the one that is killed.
const FOLDER: &str = "KEYFOLD_KILLED_FOLDER";
const ARGUMENT: &str = "KEYFOLD_KILLED_ARGUMENT";
/// The start of a process's lines, behind those of the test's own frame.
const MARK: &str = "@ ";
const WRITERS: u64 = 6;
const KILLS: u64 = 20;
/// The acknowledged writes between two kills.
const WRITES: u64 = 60;
const MODELS: [&str; 2] = [
    "models/shop.keyfold",
    "crates/keyfold-codegen/testscripts/answers.keyfold",
];
const BALANCE: i64 = 1_000_000;
/// More items than a test writes.
const ALL: usize = 100_000;

/// A process of this file, with its lines.
struct Process {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Process {
    fn start(test: &str, folder: &Path, argument: u16) -> Process {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([test, "--exact", "--ignored", "--nocapture"])
            .env(FOLDER, folder)
            .env(ARGUMENT, argument.to_string())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Process { child, lines }
    }

    /// What it says next; none when it has ended.
    fn said(&mut self) -> Option<String> {
        let mut lines = self.lines.by_ref().map(Result::unwrap);
        lines.find_map(|line| Some(line.split_once(MARK)?.1.to_owned()))
    }

    fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{MARK}{line}").unwrap();
    out.flush().unwrap();
}

fn engine(folder: &Path) -> Engine {
    let store = StoreOptions::Folder(FolderOptions::new(folder));
    Engine::open(EngineOptions::new(store)).unwrap()
}

#[test]
#[ignore = "a process that the others kill"]
fn serves() {
    let Some(folder) = std::env::var_os(FOLDER) else {
        return;
    };
    let port: u16 = std::env::var(ARGUMENT).unwrap().parse().unwrap();
    let config = ServerConfig::new(SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    let engine = Arc::new(engine(Path::new(&folder)));
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let server = runtime.block_on(Server::bind(engine, config)).unwrap();
    say(&server.address().port().to_string());
    runtime.block_on(server.run(std::future::pending()));
}

#[test]
#[ignore = "a process that the others kill"]
fn writes_embedded() {
    let Some(folder) = std::env::var_os(FOLDER) else {
        return;
    };
    let round = std::env::var(ARGUMENT).unwrap();
    let keyfold = Keyfold::open(&folder).unwrap();
    write_with(&keyfold, &round, &|id, name, known| {
        match known {
            Known::Done(made) => say(&format!("{id} {name} {made}")),
            // Other threads were faster.
            Known::Absent => {}
            Known::Unknown => panic!("{name} of {id}"),
        }
        true
    });
}

/// What is known of a write: acknowledged with what it made, without effect, or neither.
#[derive(Debug, Clone, PartialEq)]
enum Known {
    Done(String),
    Absent,
    Unknown,
}

fn known<T: std::fmt::Debug>(result: Result<T, Error>) -> Known {
    match result {
        Ok(made) => Known::Done(format!("{made:?}")),
        Err(Error::OutcomeUnknown { .. }) => Known::Unknown,
        Err(Error::Unavailable(_) | Error::TimedOut(_) | Error::Overtaken(_)) => Known::Absent,
        Err(error) => panic!("{error:?}"),
    }
}

fn at() -> typed::Timestamp {
    "2024-01-15T10:30:00Z".parse().unwrap()
}

fn account(id: &str) -> NewAccount {
    let [owner, country, city, street] = ["Ada", "UK", "London", "Main"].map(str::to_owned);
    NewAccount {
        balance: Some(BALANCE),
        ..NewAccount::new(id.into(), owner, country, city, street)
    }
}

fn order(id: &str) -> CreateOrderArguments {
    let line = |item: &str| Line {
        item_id: item.to_owned(),
        product_id: ProductId::from("p1"),
        quantity: 2,
        price: "9.99".parse().unwrap(),
    };
    CreateOrderArguments {
        lines: vec![line("1"), line("2")],
        order_id: OrderId::from(id),
        user_id: UserId::from("buyer"),
        created_at: at(),
        total: "39.96".parse().unwrap(),
        status: OrderStatus::Pending,
    }
}

fn email(id: &str) -> String {
    format!("{id}@example.com")
}

/// The writes of a turn, in their order.
const TURN: [&str; 7] = [
    "account", "user", "email", "order", "paid", "ticket", "transfer",
];

struct Clients {
    shop: ShopClient,
    answers: AnswersClient,
}

impl Clients {
    fn new(keyfold: &Keyfold) -> Clients {
        Clients {
            shop: ShopClient::new(keyfold).unwrap(),
            answers: AnswersClient::new(keyfold).unwrap(),
        }
    }

    /// Carries out a write of a turn.
    fn write(&self, name: &str, id: &str) -> Known {
        let Clients { shop, answers } = self;
        let user_id = UserId::from(id);
        match name {
            "account" => known(answers.account.create(&account(id))),
            "user" => known(shop.create_user(&user_id, &email(id), "Ada", at())),
            "email" => {
                let patch = UserPatch {
                    email: Some(email(&format!("new-{id}"))),
                    ..UserPatch::default()
                };
                known(shop.user.update(&UserKey { user_id }, &patch))
            }
            "order" => known(shop.create_order(&order(id))),
            "paid" => known(shop.set_status(OrderStatus::Paid, &OrderId::from(id))),
            "ticket" => {
                let ticket = NewTicket::new(AccountId::from("shared"), at());
                let made = answers.ticket.create(&ticket);
                known(made.map(|written| written.made.ticket_id))
            }
            _ => known(answers.transfer(&TransferArguments {
                amount: 1,
                from_id: AccountId::from("shared"),
                from_updated_at: None,
                to_id: AccountId::from("other"),
                to_updated_at: None,
            })),
        }
    }
}

/// Writes with several threads until `seen` says that it is enough.
fn write_with(keyfold: &Keyfold, round: &str, seen: &(dyn Fn(&str, &str, &Known) -> bool + Sync)) {
    let clients = Clients::new(keyfold);
    let write = |writer: u64| {
        let mut is_done = false;
        for turn in 0.. {
            let id = format!("{round}-{writer}-{turn}");
            for name in TURN {
                // These change the item that was made just before.
                if matches!(name, "email" | "paid") && !is_done {
                    continue;
                }
                let known = clients.write(name, &id);
                is_done = matches!(known, Known::Done(_));
                if !seen(&id, name, &known) {
                    return;
                }
                if !is_done {
                    std::thread::sleep(Duration::from_millis(10));
                }
            }
        }
    };
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let write = &write;
            scope.spawn(move || write(writer));
        }
    });
}

/// All writes with what is known of them, by name.
type Writes = BTreeMap<String, Vec<(String, Known)>>;

/// The number of writes that were done, and of those that may have been.
fn counts(writes: &[(String, Known)]) -> (usize, usize) {
    let done = writes
        .iter()
        .filter(|(_, known)| matches!(known, Known::Done(_)));
    let unknown = writes.iter().filter(|(_, known)| *known == Known::Unknown);
    let done = done.count();
    (done, done + unknown.count())
}

/// Compares what is there with what is known.
fn agree(what: &str, known: &Known, is_there: bool) {
    match known {
        Known::Done(_) => assert!(is_there, "{what} was acknowledged and is gone"),
        Known::Absent => assert!(!is_there, "{what} failed and is there"),
        Known::Unknown => {}
    }
}

fn check(folder: &Path, writes: &Writes) {
    let keyfold = Keyfold::open(folder).unwrap();
    let Clients { shop, answers } = Clients::new(&keyfold);
    for (id, known) in &writes["account"] {
        let there = answers.find_account(&id.as_str().into()).unwrap();
        agree(id, known, there.is_some());
    }
    for (id, known) in &writes["user"] {
        agree(id, known, shop.user(&id.as_str().into()).unwrap().is_some());
    }
    for (id, known) in &writes["email"] {
        let user = shop.user(&id.as_str().into()).unwrap().unwrap();
        agree(id, known, user.email == email(&format!("new-{id}")));
        assert_eq!(shop.user_by_email(&user.email).unwrap(), Some(user));
    }
    let summaries = shop.orders_of_user(&"buyer".into()).all(ALL).unwrap();
    let summaries: BTreeMap<_, _> = summaries
        .into_iter()
        .map(|one| (one.order_id.to_string(), one))
        .collect();
    for (id, known) in &writes["order"] {
        let parts = match shop.order_with_items(&id.as_str().into()).all(ALL) {
            Err(Error::NotFound(_)) => Vec::new(),
            parts => parts.unwrap(),
        };
        assert!([0, 3].contains(&parts.len()), "half an order: {parts:?}");
        agree(id, known, parts.len() == 3);
        assert_eq!(
            summaries.contains_key(id),
            parts.len() == 3,
            "the copy of {id}"
        );
    }
    for (id, known) in &writes["paid"] {
        agree(id, known, summaries[id].status == OrderStatus::Paid);
    }
    check_totals(&answers, writes);
    keyfold.close().unwrap();
    drop((shop, answers, keyfold));
    verified(folder);
}

/// The tickets that an account counts, and what was transferred.
fn check_totals(answers: &AnswersClient, writes: &Writes) {
    let shared: Account = answers.account(&"shared".into()).unwrap();
    let other: Account = answers.account(&"other".into()).unwrap();
    let start = "2000-01-01T00:00:00Z".parse().unwrap();
    let tickets = answers.since(&"shared".into(), start).all(ALL).unwrap();
    assert_eq!(usize::try_from(shared.tickets), Ok(tickets.len()));
    let (done, most) = counts(&writes["ticket"]);
    assert!(
        (done..=most).contains(&tickets.len()),
        "{done} to {most}: {}",
        tickets.len()
    );
    for (_, known) in &writes["ticket"] {
        if let Known::Done(made) = known {
            let ids = tickets.iter().map(|one| format!("{:?}", one.ticket_id));
            assert_eq!(ids.filter(|id| id == made).count(), 1, "{made}");
        }
    }
    assert_eq!(shared.balance + other.balance, 2 * BALANCE);
    let moved = usize::try_from(other.balance - BALANCE).unwrap();
    let (done, most) = counts(&writes["transfer"]);
    assert!((done..=most).contains(&moved), "{done} to {most}: {moved}");
}

/// Panics at the first difference.
struct Strict;

impl Observer for Strict {
    fn progress(&mut self, _scan: u32, _items: u64) {}

    fn finding(&mut self, finding: &Finding) -> Result<(), ClientError> {
        panic!("{finding:?}")
    }
}

fn verified(folder: &Path) {
    let backend = Backend::Embedded(Arc::new(engine(folder)));
    for file in MODELS {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../..")
            .join(file);
        let model = keyfold_model::compile(&std::fs::read_to_string(path).unwrap())
            .model
            .unwrap();
        let sizes = verify::sizes(&backend, &model).unwrap();
        let report = verify::run(
            &backend,
            &model,
            &sizes,
            &verify::Options::default(),
            &mut Strict,
        );
        assert_eq!(report.unwrap().undecided, 0);
    }
}

fn prepare(keyfold: &Keyfold) {
    let answers = AnswersClient::new(keyfold).unwrap();
    for id in ["shared", "other"] {
        answers.account.create(&account(id)).unwrap();
    }
}

#[test]
fn a_server_that_is_killed_loses_and_doubles_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let start = |port| Process::start("serves", folder.path(), port);
    let mut server = start(0);
    let port: u16 = server.said().unwrap().parse().unwrap();
    let keyfold = Keyfold::connect(&format!("http://127.0.0.1:{port}")).unwrap();
    prepare(&keyfold);
    let (acknowledged, is_over) = (AtomicU64::new(0), AtomicBool::new(false));
    let writes = std::sync::Mutex::new(Writes::new());
    std::thread::scope(|scope| {
        scope.spawn(|| {
            write_with(&keyfold, "s", &|id, name, known| {
                let mut writes = writes.lock().unwrap();
                let all = writes.entry(name.to_owned()).or_default();
                all.push((id.to_owned(), known.clone()));
                let is_done = matches!(known, Known::Done(_));
                acknowledged.fetch_add(u64::from(is_done), Ordering::SeqCst);
                !is_over.load(Ordering::SeqCst)
            });
            is_over.store(true, Ordering::SeqCst);
        });
        for kill in 1..=KILLS {
            let is_on = || !is_over.load(Ordering::SeqCst);
            while acknowledged.load(Ordering::SeqCst) < kill * WRITES && is_on() {
                std::thread::sleep(Duration::from_millis(1));
            }
            server.kill();
            server = start(port);
            assert_eq!(server.said(), Some(port.to_string()));
        }
        is_over.store(true, Ordering::SeqCst);
    });
    server.kill();
    check(folder.path(), &writes.into_inner().unwrap());
}

#[test]
fn a_program_that_is_killed_loses_and_halves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let keyfold = Keyfold::open(folder.path()).unwrap();
    prepare(&keyfold);
    keyfold.close().unwrap();
    drop(keyfold);
    let mut writes = Writes::new();
    for round in 0..2 {
        let mut program = Process::start("writes_embedded", folder.path(), round);
        for number in 0.. {
            if number == WRITES {
                program.kill();
            }
            let Some(line) = program.said() else {
                break;
            };
            let mut words = line.splitn(3, ' ').map(str::to_owned);
            let [id, name, made] = [(); 3].map(|()| words.next().unwrap());
            writes
                .entry(name)
                .or_default()
                .push((id, Known::Done(made)));
        }
        // Each of the writers may have been in the middle of any write.
        for name in ["ticket", "transfer"] {
            let under_way = (0..WRITERS).map(|_| (String::new(), Known::Unknown));
            writes.entry(name.to_owned()).or_default().extend(under_way);
        }
        check(folder.path(), &writes);
    }
}
