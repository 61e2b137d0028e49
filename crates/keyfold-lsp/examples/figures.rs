//! The figures of the language server: the time from a change to its findings, of models of 1,000 and
//! 10,000 lines, how often a burst of 200 changes is compiled, and the memory.
//!
//! `cargo run --release -p keyfold-lsp --example figures`; with `-- --hold` it ends with 1 where a figure is beyond
//! what it may be.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "it measures, prints, and ends where it cannot"
)]

use keyfold_lsp::{InMemory, Next, Queue, Server, Wait, drive};
use lsp_server::{Message, Notification, Request};
use serde_json::{Value as Json, json};
use std::collections::VecDeque;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// The allocator of the command.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const URI: &str = "file:///m.keyfold";
/// Changes that are measured.
const CHANGES: usize = 300;
/// Changes of a burst.
const BURST: usize = 200;
/// The most times that a burst may be compiled.
const COMPILED_MAX: u64 = 3;
/// The most memory, in MB.
const MEMORY_MAX: u64 = 60;
/// Lines of a model, and the longest time from one of its changes to the findings, of 99 of 100.
const SIZES: [(usize, Duration); 2] = [
    (1_000, Duration::from_millis(20)),
    (10_000, Duration::from_millis(100)),
];

/// A piece of a model, with every kind of declaration.
fn group(n: usize) -> String {
    format!(
        r##"
# Users and their orders.
entity User{n}
  userId: string, email: string, name: string, nick{n}: string
  createdAt: time, touched: time = now always
  key     "USER{n}#{{userId}}"  "PROFILE"
  GSI1    "EMAIL{n}#{{email}}"  "PROFILE"
  unique  email
  count   orders of Order{n}
  sum     spent of Order{n}.total

entity Order{n}
  orderId: string, userId: User{n}.userId, createdAt: time
  total: number, status: pending | paid
  key           "ORDER{n}#{{orderId}}"  "META"
  GSI1          "STATUS{n}#{{status}}"  "ORDER#{{createdAt}}#{{orderId}}"  shard 3
  copy summary  "USER{n}#{{userId}}"    "ORDER#{{createdAt}}#{{orderId}}"

entity Item{n}
  orderId: Order{n}.orderId, itemId: string, quantity: int
  key     "ORDER{n}#{{orderId}}"  "ITEM#{{itemId}}"

record Line{n}
  itemId: string, quantity: int

pattern user{n}(userId)           -> User{n}?
pattern mailed{n}(email)          -> User{n}?
pattern orders{n}(userId)         -> Order{n}.summary[]  newest page 20
pattern whole{n}(orderId)         -> Order{n} + Item{n}[]
pattern by_status{n}(status, createdAt >= since?) -> Order{n}[]  newest page 50

write order{n}(lines: list of Line{n})
  create Order{n}
  create Item{n} for each lines
write rename{n}(nick{n})
  update User{n} set nick{n} = nick{n}
"##
    )
}

/// A model of at least this many lines.
fn model(lines: usize) -> String {
    let mut text =
        "model big 1\ntable Big (PK, SK) type entity\n  gsi GSI1 (GSI1PK, GSI1SK)\n".to_owned();
    let mut n = 0;
    while text.lines().count() < lines {
        text.push_str(&group(n));
        n += 1;
    }
    text
}

fn say(server: &mut Server, method: &str, params: Json) {
    server.handle(Notification::new(method.to_owned(), params).into());
}

fn ask(server: &mut Server, method: &str, params: Json) {
    server.handle(Message::Request(Request::new(
        1.into(),
        method.to_owned(),
        params,
    )));
}

/// The most memory that this process has had, in MB; 0 where the system does not say.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM"));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    kilobytes.unwrap_or(0).div_ceil(1024)
}

/// Prints times, and returns the 99th of 100.
fn shown(name: &str, mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    let at = |share: usize| times[(times.len() - 1) * share / 100].as_secs_f64() * 1e3;
    println!(
        "  {name:<34} p50 {:7.1} ms   p99 {:7.1} ms   most {:7.1} ms",
        at(50),
        at(99),
        at(100)
    );
    Duration::from_secs_f64(at(99) / 1e3)
}

/// The messages of a burst, which come without a pause.
struct Burst(VecDeque<Message>);

impl Queue for Burst {
    fn next(&mut self, wait: Wait) -> Next {
        match (self.0.pop_front(), wait) {
            (Some(message), _) => Next::Message(message),
            (None, Wait::Moment) => Next::Quiet,
            (None, Wait::Always) => Next::Closed,
        }
    }

    fn send(&mut self, _: Message) -> bool {
        true
    }
}

/// Changes one line again and again without a pause, and returns how often the model was compiled.
fn burst(server: &mut Server, (line, column): (usize, usize)) -> u64 {
    let before = server.compiled();
    let change = |version: usize| {
        let at = json!({ "line": line, "character": column });
        let params = json!({
            "textDocument": { "uri": URI, "version": 100_000 + version },
            "contentChanges": [{ "range": { "start": at, "end": at }, "text": "x" }],
        });
        Notification::new("textDocument/didChange".to_owned(), params).into()
    };
    drive(server, &mut Burst((0..BURST).map(change).collect()));
    server.compiled() - before
}

/// Types a piece into a line, a character at a time, and takes it away again.
fn typed(server: &mut Server, line: usize, column: usize, piece: &str) -> Vec<Duration> {
    let mut times = Vec::new();
    let mut version = 1;
    let mut change = |server: &mut Server, from: usize, to: usize, text: &str| {
        version += 1;
        let at = |character: usize| json!({ "line": line, "character": character });
        let params = json!({
            "textDocument": { "uri": URI, "version": version },
            "contentChanges": [{ "range": { "start": at(from), "end": at(to) }, "text": text }],
        });
        let start = Instant::now();
        say(server, "textDocument/didChange", params);
        server.settle();
        times.push(start.elapsed());
    };
    for _ in 0..CHANGES.div_ceil(2 * piece.len()) {
        for (at, one) in piece.char_indices() {
            change(server, column + at, column + at, &one.to_string());
        }
        for at in (0..piece.len()).rev() {
            change(server, column + at, column + at + 1, "");
        }
    }
    times
}

/// Opens a model of so many lines, changes it, and prints how long that takes. Returns what is beyond its limit.
fn measured(lines: usize, limit: Duration) -> Vec<String> {
    let mut beyond = Vec::new();
    let text = model(lines);
    let mut server = Server::new(Box::new(InMemory::default()));
    ask(&mut server, "initialize", json!({ "capabilities": {} }));
    let document = json!({ "uri": URI, "languageId": "keyfold", "version": 1, "text": text });
    let start = Instant::now();
    let opened = json!({ "textDocument": document });
    say(&mut server, "textDocument/didOpen", opened);
    server.settle();
    println!("{} lines, {} bytes", text.lines().count(), text.len());
    shown("opened", vec![start.elapsed()]);
    let middle = text.lines().count() / 2;
    let line = |start: &str| {
        let mut all = text.lines().enumerate().skip(middle);
        all.find(|(_, line)| line.starts_with(start)).unwrap().0
    };
    let column = |at: usize| text.lines().nth(at).unwrap().len();
    for (name, start, piece) in [
        ("a comment", "# Users", " and more of them"),
        ("an attribute", "  orderId", ", note: string"),
        ("a pattern", "pattern orders", " filter total > 10"),
    ] {
        let at = line(start);
        let times = typed(&mut server, at, column(at), piece);
        let worst = shown(&format!("change to findings, {name}"), times);
        if worst > limit {
            beyond.push(format!("{name}: {worst:?} at {lines} lines, of {limit:?}"));
        }
    }
    others(&mut server, line("pattern orders"));
    let at = line("# Users");
    let compiled = burst(&mut server, (at, column(at)));
    println!("  a burst of {BURST} changes: compiled {compiled} times");
    if compiled > COMPILED_MAX {
        beyond.push(format!(
            "a burst is compiled {compiled} times, of {COMPILED_MAX}"
        ));
    }
    println!("  memory at most {} MB", memory());
    beyond
}

/// Asks for what an editor shows beside the findings.
fn others(server: &mut Server, line: usize) {
    let document = json!({ "uri": URI });
    for method in [
        "semanticTokens/full",
        "documentSymbol",
        "codeLens",
        "foldingRange",
    ] {
        let start = Instant::now();
        let params = json!({ "textDocument": document });
        ask(server, &format!("textDocument/{method}"), params);
        shown(method, vec![start.elapsed()]);
    }
    for method in ["hover", "completion", "definition"] {
        let start = Instant::now();
        let position = json!({ "line": line, "character": 10 });
        let params = json!({ "textDocument": document, "position": position });
        ask(server, &format!("textDocument/{method}"), params);
        shown(method, vec![start.elapsed()]);
    }
}

fn main() -> ExitCode {
    let mut beyond = Vec::new();
    for (lines, limit) in SIZES {
        beyond.extend(measured(lines, limit));
    }
    if memory() > MEMORY_MAX {
        beyond.push(format!("memory: {} MB, of {MEMORY_MAX}", memory()));
    }
    for one in &beyond {
        println!("beyond its limit: {one}");
    }
    match beyond.is_empty() || !std::env::args().any(|one| one == "--hold") {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}
