//! Tests what commands say about the rows of views: whether they are kept, compared and set aside.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a test fails by panicking, and waits"
)]

mod workplace;

use serde_json::{Value as Json, json};
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use workplace::Workplace;

const MODEL: &str = r#"
model shop 1
table Main (PK, SK)
  stream new and old images
entity Order
  id: string, product: string, cost: number
  key "O#{id}" "O"
view Sold of Order
  key "S#{product}" "S"
  orders: count, spent: sum cost
pattern order(id) -> Order?
pattern sold(product) -> Sold?
"#;

fn text(output: &std::process::Output) -> String {
    let [out, err] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    format!("{out}{err}")
}

/// A server whose lines are read.
struct Serving {
    child: Child,
    endpoint: String,
    lines: std::sync::Arc<std::sync::Mutex<String>>,
}

impl Serving {
    fn start(place: &Workplace, arguments: &[&str]) -> Serving {
        let mut child = Command::new(env!("CARGO_BIN_EXE_keyfold"))
            .current_dir(place.folder.path())
            .args(["serve", "--memory", "--port", "0", "--json"])
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines: std::sync::Arc<std::sync::Mutex<String>> = std::sync::Arc::default();
        let (seen, mut errors) = (std::sync::Arc::clone(&lines), child.stderr.take().unwrap());
        std::thread::spawn(move || {
            let mut bytes = [0; 1000];
            while let Ok(read @ 1..) = errors.read(&mut bytes) {
                let text = String::from_utf8_lossy(&bytes[..read]).into_owned();
                seen.lock().unwrap().push_str(&text);
            }
        });
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let document: Json = serde_json::from_str(&line).unwrap();
        Serving {
            child,
            endpoint: document["result"]["endpoint"].as_str().unwrap().to_owned(),
            lines,
        }
    }

    fn until(&self, what: &str) {
        until(what, || self.lines.lock().unwrap().contains(what));
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _reaped = self.child.wait();
    }
}

fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(120), "{what}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// A project with three orders of one product, and no rows.
fn project() -> Workplace {
    let place = Workplace::new();
    place.write("shop.keyfold", MODEL);
    place.write("keyfold.toml", "model = \"shop.keyfold\"\n");
    for id in ["id=1", "id=2", "id=3"] {
        place.json(0, &["put", "Order", id, "product=p", "cost=2"]);
    }
    place
}

/// The model, in which rows are items that programs write.
fn raw() -> String {
    let (before, rest) = MODEL.split_once("view Sold of Order").unwrap();
    let (_, after) = rest.split_once("sum cost").unwrap();
    format!(
        "{before}entity Sold\n  product: string, orders: int, spent: number\n  key \"S#{{product}}\" \"S\"{after}"
    )
}

#[test]
fn verify_compares_rows_with_their_sources() {
    let place = project();
    let raw = place.write("raw.keyfold", &raw());
    let found = |code: i32, what: &str| {
        let document = place.json(code, &["verify"]);
        let report = match code {
            0 => document,
            _ => document["result"].clone(),
        };
        let findings = report["findings"].as_array().unwrap();
        let messages: Vec<String> = findings
            .iter()
            .map(|one| {
                format!(
                    "{}: {}",
                    one["kind"].as_str().unwrap(),
                    one["examples"][0]["message"].as_str().unwrap()
                )
            })
            .collect();
        assert_eq!(messages.join("\n"), what, "{report}");
        report["views"][0].clone()
    };
    let unbuilt = found(
        1,
        "view_row: 3 items of its source make it, and it is not stored",
    );
    let wanted = json!({"view": "Sold", "rows": 0, "compared": true, "notCompared": [], "reasons": {}, "why": null, "live": null});
    assert_eq!(unbuilt, wanted);
    let shown = text(&place.run(&["verify", "--yes"]));
    assert!(shown.contains("The view Sold was never built"), "{shown}");

    place.json(0, &["views", "rebuild", "Sold"]);
    assert_eq!(found(0, "")["live"], 1);
    let shown = text(&place.run(&["verify", "--yes"]));
    assert!(shown.contains("every item is as the model says"), "{shown}");

    // No record is left to any worker, and what is written by hand makes one.
    place.json(0, &["update", &raw, "Sold", "product=p", "spent=5"]);
    let behind = place.json(1, &["verify"]);
    assert_eq!(behind["result"]["undecidedRows"], 1, "{behind}");
    assert!(
        behind["error"]["message"]
            .as_str()
            .unwrap()
            .contains("1 row of views may be behind"),
        "{behind}"
    );
}

#[test]
fn verify_says_why_attributes_of_rows_are_not_compared() {
    let place = Workplace::new();
    let more =
        "  orders: count, spent: sum cost, buyers: distinct buyer\n  best: top 2 cost only buyer\n";
    let model = MODEL
        .replace("cost: number", "cost: number, buyer: string")
        .replace("  orders: count, spent: sum cost\n", more);
    let model = place.write("shop.keyfold", &model);
    let order = [
        "put",
        &model,
        "Order",
        "id=1",
        "product=p",
        "cost=2",
        "buyer=b",
    ];
    place.json(0, &order);
    place.json(0, &["views", "rebuild", &model]);
    let seen = place.json(0, &["verify", &model])["views"][0].clone();
    assert_eq!(seen["notCompared"], json!(["buyers", "best"]), "{seen}");
    let shown = text(&place.run(&["verify", &model, "--yes"]));
    for (name, why) in [("buyers", "different values"), ("best", "first items")] {
        let reason = seen["reasons"][name].as_str().unwrap();
        assert!(reason.contains(why), "{name}: {reason}");
        assert!(shown.contains(reason), "{reason}: {shown}");
    }
    let seen = place.json(0, &["verify", &model, "--sample", "5"])["views"][0].clone();
    assert_eq!(seen["why"], "a sample has not all items of a row", "{seen}");
    let shown = text(&place.run(&["verify", &model, "--yes", "--sample", "5"]));
    assert!(
        shown.contains("with their source: a sample has not"),
        "{shown}"
    );
}

/// With rows in a table of their own, what is written there by hand leaves no record.
#[test]
fn rows_that_were_changed_by_hand_are_found() {
    let place = Workplace::new();
    let apart = |text: &str| {
        text.replace("entity Order", "table Rows (PK, SK)\nentity Order")
            .replace(" Order\n  id", " Order in Main\n  id")
            .replace("view Sold of", "view Sold in Rows of")
            .replace("entity Sold", "entity Sold in Rows")
    };
    place.write("shop.keyfold", &apart(MODEL));
    let raw = place.write("raw.keyfold", &apart(&raw()));
    place.write("keyfold.toml", "model = \"shop.keyfold\"\n");
    for (id, product) in [
        ("id=1", "product=p"),
        ("id=2", "product=p"),
        ("id=3", "product=q"),
    ] {
        place.json(0, &["put", "Order", id, product, "cost=2"]);
    }
    place.json(0, &["views", "rebuild"]);
    place.json(0, &["verify"]);
    place.json(
        0,
        &["update", &raw, "Sold", "product=p", "spent=5", "orders=1"],
    );
    place.json(0, &["delete", &raw, "Sold", "product=q"]);
    place.json(
        0,
        &["put", &raw, "Sold", "product=r", "spent=5", "orders=1"],
    );
    let report = place.json(1, &["verify"])["result"].clone();
    let group = &report["findings"][0];
    assert_eq!(
        (&group["kind"], &group["count"], &report["count"]),
        (&json!("view_row"), &json!(3), &json!(3)),
        "{report}"
    );
    let mut messages: Vec<&str> = group["examples"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["message"].as_str().unwrap())
        .collect();
    messages.sort_unstable();
    assert_eq!(
        messages,
        [
            "an item of its source makes it, and it is not stored",
            "no item of its source makes it",
            "orders is 1, the items make 2; spent is 5, the items make 4",
        ]
    );
    place.json(0, &["delete", &raw, "Sold", "product=r"]);
    place.json(0, &["views", "rebuild"]);
    place.json(0, &["verify"]);
}

/// A move carries rows as items, and what a worker keeps beside them stays behind. Where somebody has carried that, too,
/// its status says that it belongs to another table.
#[test]
fn views_that_were_moved_are_built_anew() {
    let place = project();
    place.json(0, &["views", "rebuild"]);
    for (to, tables) in [
        ("b", &[][..]),
        ("c", &["--table", "Main", "--table", "keyfold_views"][..]),
    ] {
        let target = format!("keyfold:{to}");
        let both = ["keyfold:.keyfold/data", target.as_str()];
        let run = place.run(&[&["move"], &both[..], tables, &["--yes"]].concat());
        assert_eq!(run.status.code(), Some(0), "{}", text(&run));
        let end = ["complete", "--yes"];
        let end = place.run(&[&["move", end[0]], &both[..], tables, &end[1..]].concat());
        assert_eq!(end.status.code(), Some(0), "{}", text(&end));
        let at = ["--data", to];
        let status = place.json(0, &[&["views", "status"], &at[..]].concat())["views"][0].clone();
        let shown = text(&place.run(&[&["views", "status"], &at[..]].concat()));
        match tables {
            [] => assert_eq!(
                (&status["live"], &status["lost"]),
                (&Json::Null, &Json::Null)
            ),
            _ => {
                let why = "the table Main is not the one that its rows were written to";
                assert_eq!(status["lost"], why, "{status}");
                let line = format!(
                    "Sold: generation 1, which is kept no more: {why}; `keyfold views run` builds it anew"
                );
                assert!(shown.contains(&line), "{shown}");
            }
        }
        place.json(0, &[&["delete", "Order", "id=1"], &at[..]].concat());
        place.json(
            0,
            &[&["put", "Order", "id=9", "product=q", "cost=2"], &at[..]].concat(),
        );
        place.json(0, &[&["views", "rebuild"], &at[..]].concat());
        let status = place.json(0, &[&["views", "status"], &at[..]].concat())["views"][0].clone();
        assert_eq!((&status["live"], &status["lost"]), (&json!(2), &Json::Null));
        place.json(0, &[&["verify"], &at[..]].concat());
    }
}

/// The view stands alone where the project names the model, and the generation is the live one.
#[test]
fn a_view_is_named_without_the_model() {
    let place = project();
    for number in 1..3 {
        let shown = text(&place.run(&["views", "rebuild", "Sold"]));
        assert!(
            shown.contains(&format!("Sold: generation {number} is live")),
            "{shown}"
        );
        let status = place.json(0, &["views", "status"]);
        assert_eq!(status["views"][0]["live"], number);
    }
    for action in ["failures", "replay"] {
        place.json(0, &["views", action, "Sold"]);
    }
    let wrong = place.json(2, &["views", "rebuild", "Solt"]);
    assert!(
        wrong["error"]["message"]
            .as_str()
            .unwrap()
            .contains("no view Solt; did you mean `Sold`?"),
        "{wrong}"
    );
    // None of its attributes can be written: which of them are missing is of no moment.
    for command in ["put", "update", "delete"] {
        let wrong = place.json(2, &[command, "Sold", "prodct=p"]);
        let why = wrong["error"]["message"].as_str().unwrap();
        assert!(why.contains("Sold is a view, and its rows follow"), "{why}");
    }
}

/// No number has the digits of 1e125 and of 2: the row has both items, and says that it has no sum.
#[test]
fn a_row_whose_sum_is_no_number_says_so() {
    let place = project();
    place.json(0, &["put", "Order", "id=4", "product=p", "cost=1e125"]);
    let output = place.run(&["views", "rebuild"]);
    let shown = text(&output);
    assert_eq!(output.status.code(), Some(0), "{shown}");
    assert!(!shown.contains("left out"), "{shown}");
    let cause = "more than 38 significant digits";
    let shown = text(&place.run(&["views", "status"]));
    for part in ["has no sum: ", " PK=S#p SK=S: spent, the sum", cause] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let status = place.json(0, &["views", "status"])["views"][0].clone();
    assert_eq!(status["unreadable"], json!([]));
    assert_eq!(status["withoutSum"][0]["key"]["PK"], json!({"S": "S#p"}));
    let verified = place.json(1, &["verify"])["result"].clone();
    assert_eq!(
        (&verified["count"], &verified["findings"][0]["kind"]),
        (&json!(1), &json!("wrong_type")),
        "{verified}"
    );
    assert!(verified.to_string().contains(cause), "{verified}");
    let shown = text(&place.run(&["run", "sold", "product=p"]));
    assert!(shown.contains(cause), "{shown}");
    place.json(0, &["update", "Order", "id=4", "cost=3"]);
    place.json(0, &["views", "rebuild"]);
    let found = place.json(0, &["run", "sold", "product=p"]);
    assert_eq!(found["items"][0]["attributes"]["spent"], 9, "{found}");
    let status = place.json(0, &["views", "status"]);
    assert_eq!(status["views"][0]["withoutSum"], json!([]));
    place.json(0, &["verify"]);
}

#[test]
fn a_view_that_nobody_keeps_is_said_to_be_so() {
    let place = project();
    let note = "note: the view Sold was never built";
    let output = place.run(&["run", "sold", "product=p"]);
    assert!(
        String::from_utf8_lossy(&output.stderr).contains(note),
        "{}",
        text(&output)
    );
    assert!(!text(&place.run(&["run", "order", "id=1"])).contains(note));
    place.json(0, &["views", "rebuild"]);
    assert!(!text(&place.run(&["run", "sold", "product=p"])).contains(note));
    let server = |arguments: &[&str]| {
        let mut child = Command::new(env!("CARGO_BIN_EXE_keyfold"))
            .current_dir(place.folder.path())
            .args(["serve", "--memory", "--port", "0", "--json"])
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut line).unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        line
    };
    let note = "the rows of Sold are not kept: serve with --views";
    assert!(server(&[]).contains(note));
    assert!(!server(&["--views"]).contains(note));
}

#[test]
fn a_server_keeps_a_view_again_when_its_rows_are_of_its_definition_again() {
    let place = Workplace::new();
    let model = place.write("a.keyfold", MODEL);
    let other = place.write("b.keyfold", &MODEL.replace("sum cost", "max cost"));
    let serving = Serving::start(&place, &[&model, "--views"]);
    let at = ["--endpoint", &serving.endpoint];
    let json = |arguments: &[&str]| place.json(0, &[arguments, &at].concat());
    json(&["put", &model, "Order", "id=1", "product=p", "cost=2"]);
    serving.until("generation 1 is live");
    json(&["views", "rebuild", &other]);
    serving.until("it is not kept until they are of this one again");
    json(&["put", &model, "Order", "id=2", "product=p", "cost=3"]);
    json(&["views", "rebuild", &model]);
    serving.until("it is kept again");
    json(&["put", &model, "Order", "id=3", "product=p", "cost=4"]);
    until("the row has three orders", || {
        let found = json(&["run", &model, "sold", "product=p"]);
        found["items"][0]["attributes"]["spent"] == 9
    });
}

#[test]
fn failures_name_the_item() {
    let place = Workplace::new();
    // Three notes have room in a row, and no four.
    let text_of = MODEL.replace("cost: number", "cost: number, note: string");
    let text_of = text_of.replace(
        "  orders: count, spent: sum cost",
        "  orders: count, best: top 4 cost only note",
    );
    let model = place.write("a.keyfold", &text_of);
    let serving = Serving::start(&place, &[&model, "--views"]);
    let at = ["--endpoint", &serving.endpoint];
    serving.until("generation 1 is live");
    let note = format!("note={}", "n".repeat(120_000));
    for id in ["id=1", "id=2", "id=3", "id=4"] {
        let order = ["put", &model, "Order", "product=p", "cost=2", id, &note];
        place.json(0, &[&order[..], &at].concat());
    }
    let failures = [&["views", "failures", &model][..], &at].concat();
    until("the record is set aside", || {
        let shown = text(&place.run(&failures));
        shown.contains("Sold: Main PK=O#4 SK=O: ")
    });
    let status = text(&place.run(&[&["views", "status", &model][..], &at].concat()));
    assert!(
        status.contains("0 records behind; 1 record was set aside: "),
        "{status}"
    );
    let replayed = text(&place.run(&[&["views", "replay", &model][..], &at].concat()));
    assert!(
        replayed.contains("1 record was set aside again"),
        "{replayed}"
    );
}

#[test]
fn a_mapping_of_an_absent_table_says_that_it_waits() {
    let place = Workplace::new();
    let model = place.write("a.keyfold", MODEL);
    let mapping = "Mian=http://127.0.0.1:1/x";
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let other = format!("Mian=http://{}/x", listener.local_addr().unwrap());
    let both = ["--on-stream", mapping, "--on-stream", &other];
    let serving = Serving::start(&place, &[&[model.as_str()], &both[..]].concat());
    serving.until(&format!(
        "on-stream {mapping}: attached; it is not reached yet, and records wait: 127.0.0.1:1: "
    ));
    serving.until(&format!("on-stream {other}: attached\n"));
    serving.until(&format!(
        "on-stream {mapping}: waits for the table; did you mean `Main`?"
    ));
    std::thread::sleep(Duration::from_secs(2));
    let said = serving
        .lines
        .lock()
        .unwrap()
        .matches(&format!("on-stream {mapping}: waits for the table"))
        .count();
    assert_eq!(said, 1);
}
