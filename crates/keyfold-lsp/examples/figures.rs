//! The figures of the language server: the time from a change to its findings, of models of 1,000 and
//! 10,000 lines, and the memory. `cargo run --release -p keyfold-lsp --example figures`.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "it measures, prints, and ends where it cannot"
)]

use keyfold_lsp::{InMemory, Server};
use lsp_server::{Message, Notification, Request};
use serde_json::{Value as Json, json};
use std::time::{Duration, Instant};

/// The allocator of the command.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const URI: &str = "file:///m.keyfold";
/// Changes that are measured.
const CHANGES: usize = 300;

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

/// The most memory that this process has had, in MB.
fn memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM"));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    kilobytes.map_or("unknown".to_owned(), |kilobytes| {
        format!("{} MB", kilobytes / 1024)
    })
}

fn shown(name: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let at = |share: usize| times[(times.len() - 1) * share / 100].as_secs_f64() * 1e3;
    println!(
        "  {name:<34} p50 {:7.1} ms   p99 {:7.1} ms   most {:7.1} ms",
        at(50),
        at(99),
        at(100)
    );
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

fn main() {
    for lines in [1_000, 10_000] {
        let text = model(lines);
        let mut server = Server::new(Box::new(InMemory::default()));
        ask(&mut server, "initialize", json!({ "capabilities": {} }));
        let document = json!({ "uri": URI, "languageId": "keyfold", "version": 1, "text": text });
        let start = Instant::now();
        say(
            &mut server,
            "textDocument/didOpen",
            json!({ "textDocument": document }),
        );
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
            shown(&format!("change to findings, {name}"), times);
        }
        for method in [
            "semanticTokens/full",
            "documentSymbol",
            "codeLens",
            "foldingRange",
        ] {
            let start = Instant::now();
            let params = json!({ "textDocument": { "uri": URI } });
            ask(&mut server, &format!("textDocument/{method}"), params);
            shown(method, vec![start.elapsed()]);
        }
        let at = line("pattern orders");
        for method in ["hover", "completion", "definition"] {
            let start = Instant::now();
            let position = json!({ "line": at, "character": 10 });
            let params = json!({ "textDocument": { "uri": URI }, "position": position });
            ask(&mut server, &format!("textDocument/{method}"), params);
            shown(method, vec![start.elapsed()]);
        }
        println!(
            "  compiled {} times; memory at most {}",
            server.compiled(),
            memory()
        );
    }
}
