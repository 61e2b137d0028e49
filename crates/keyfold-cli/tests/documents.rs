//! Compares the documents that `--json` prints, for each command and each kind of failure, with the
//! schema `docs/json.schema.json`.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod workplace;

use serde_json::{Value as Json, json};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use workplace::Workplace;
use workplace::server::Server;

const SCHEMA: &str = include_str!("../../../docs/json.schema.json");

struct Schema(Json);

impl Schema {
    fn read() -> Schema {
        let schema: Json = serde_json::from_str(SCHEMA).unwrap();
        jsonschema::meta::validate(&schema).unwrap();
        Schema(schema)
    }

    fn commands(&self) -> BTreeSet<String> {
        self.0["$defs"]["results"]
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect()
    }

    /// Checks a document of a command with the schema.
    fn check(&self, command: &str, document: &Json) {
        self.check_part(
            if document["ok"] == true {
                "success"
            } else {
                "failure"
            },
            document,
        );
        assert!(
            jsonschema::draft202012::new(&self.0)
                .unwrap()
                .is_valid(document),
            "{command}: {document}"
        );
        if let Some(result) = document.get("result") {
            self.check_part(&format!("results/{command}"), result);
        }
    }

    fn check_part(&self, definition: &str, part: &Json) {
        let mut schema = self.0.clone();
        schema.as_object_mut().unwrap().remove("oneOf");
        schema["$ref"] = json!(format!("#/$defs/{definition}"));
        let schema = jsonschema::draft202012::new(&schema).unwrap();
        if let Some(error) = schema.iter_errors(part).next() {
            panic!("{definition}: {error} at {}\n{part}", error.instance_path());
        }
    }
}

/// Runs with `--json`. Standard output must be one line with a document of the schema; lines before it are
/// events of a move.
fn document(schema: &Schema, place: &Workplace, code: i32, arguments: &[&str]) -> Json {
    let output = place.run(&[arguments, &["--json"]].concat());
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert_eq!(
        output.status.code(),
        Some(code),
        "{arguments:?}\n{out}{err}"
    );
    let lines: Vec<Json> = out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {out}")))
        .collect();
    let (document, events) = lines.split_last().expect("a document");
    let document = document.clone();
    // Only a move and an evolution print events before its document.
    assert!(
        events.is_empty() || ["move", "evolve", "migrate"].contains(&arguments[0]),
        "{arguments:?} prints one document\n{out}"
    );
    for event in events {
        schema.check_part("event", event);
    }
    schema.check(arguments[0], &document);
    assert_eq!(document["ok"], code == 0, "{document}");
    let kinds = [
        "refused",
        "usage",
        "model",
        "not_found",
        "backend",
        "outcome_unknown",
        "waiting",
    ];
    if code > 0 {
        assert_eq!(
            document["error"]["kind"],
            kinds[code as usize - 1],
            "{document}"
        );
    }
    document
}

const WRONG: &str = "model m 1\ntable Tab (PK, SK)\nentity A\n  id: string\n  key \"A#{id}\" \"A\"\npattern a(x) -> A?\n";
const VIEWED: &str = "model v 1\ntable Tab (PK, SK)\n  stream new and old images\nentity A\n  id: string, day: date\n  key \"A#{id}\" \"A\"\nview Days of A\n  key \"DAY#{day}\" \"DAY\"\n  n: count\npattern days(day) -> Days?\n";
const DISCARDED: &str = r#"{"requestContext":{"requestId":"r","functionArn":"f","condition":"RecordAgeExceeded","approximateInvokeCount":0},"version":"1.0","timestamp":"2026-01-01T00:00:00Z","DDBStreamBatchInfo":{"shardId":"shardId-00000001795874062818-a5aa0d31","startSequenceNumber":"100000000000000000003","endSequenceNumber":"100000000000000000003","approximateArrivalOfFirstRecord":"2026-01-01T00:00:00Z","approximateArrivalOfLastRecord":"2026-01-01T00:00:00Z","batchSize":1,"streamArn":"arn:aws:dynamodb:us-east-1:000000000000:table/Tab/stream/2026-01-01T00:00:00.000"}}"#;

#[test]
fn every_command_prints_one_document_of_the_schema() {
    let (schema, place) = (Schema::read(), Workplace::new());
    let shop = &Workplace::model("shop.keyfold");
    let teams = &Workplace::model("shop-teams/shop.keyfold");
    let alone = &place.write("alone.keyfold", "model m 1\nuse \"absent.keyfold\"\n");
    let wrong = &place.write("wrong.keyfold", WRONG);
    let uneven = &place.write(
        "uneven.keyfold",
        &WRONG.replace("(x)", "(id)").replace("model m", "model  m"),
    );
    let other = &place.write("other.keyfold", &WRONG.replace("(x)", "(id)"));
    let right = WRONG.replace("(x)", "(id)");
    let retyped = &place.write("retyped.keyfold", &right.replace("id: string", "id: int"));
    let filled = right.replace("id: string", "id: string, n: int = 0");
    let filled = &place.write("filled.keyfold", &filled);
    let in_shop = WRONG.replace("(x)", "(id)").replace("Tab", "Shop");
    let stricter = &place.write("stricter.keyfold", &in_shop);
    let viewed = &place.write("viewed.keyfold", VIEWED);
    let discarded = &place.write("failed.jsonl", DISCARDED);
    let again = ["events", "replay", discarded, "--data", "v", "--to"];
    let empty = &place.write("empty.jsonl", "");
    let none = ["events", "replay", empty, "--data", "v", "--to"];
    let taken = &place.write("taken/letter.txt", "dear");
    let taken = taken.trim_end_matches("/letter.txt");
    let product = [
        "put",
        shop,
        "Product",
        "productId=p",
        "name=n",
        "price=1",
        "stock=1",
        "--data",
        "d",
    ];
    let cases: Vec<(i32, Vec<&str>)> = vec![
        (0, vec!["check", shop]),
        (0, vec!["check", teams]),
        (3, vec!["check", alone]),
        (0, vec!["diff", shop, teams]),
        (0, vec!["check", "--fix", uneven]),
        (3, vec!["check", wrong]),
        (2, vec!["check", "nothing.keyfold"]),
        (2, vec!["check", shop, "--stict"]),
        (0, vec!["explain"]),
        (0, vec!["explain", "KF012"]),
        (0, vec!["explain", "grammar"]),
        (2, vec!["explain", "KF999"]),
        (1, vec!["fmt", "--check", uneven]),
        (0, vec!["fmt", uneven]),
        (0, vec!["fmt", "--check", uneven]),
        (0, vec!["fmt", "-"]),
        (0, vec!["prove", shop, "--items", "5", "--asks", "2"]),
        (3, vec!["prove", wrong]),
        (0, vec!["docs", shop]),
        (0, vec!["docs", shop, "-o", "shop.html"]),
        (2, vec!["docs", shop, "-o", "shop.pdf"]),
        (2, vec!["docs", shop, "-o", "nowhere/shop.html"]),
        (0, vec!["plan", shop]),
        (0, vec!["plan", shop, "-o", "plan.json"]),
        (3, vec!["plan", wrong]),
        (0, vec!["init", "started", "--name", "first"]),
        (2, vec!["init", "started", "--name", "first"]),
        (2, vec!["init", "--name", "1"]),
        (0, vec!["generate", "typescript", shop]),
        (0, vec!["generate", "typescript", shop, "-o", "made"]),
        (
            0,
            vec!["generate", "typescript", shop, "-o", "made", "--check"],
        ),
        (
            1,
            vec!["generate", "typescript", other, "-o", "made", "--check"],
        ),
        (3, vec!["generate", "typescript", wrong]),
        (0, vec!["generate", "python", shop, "-o", "made"]),
        (0, vec!["generate", "rust", shop, "-o", "made"]),
        (0, vec!["diff", shop, uneven]),
        (3, vec!["diff", shop, wrong]),
        (0, vec!["evolve", "plan", other, other]),
        (1, vec!["evolve", "plan", other, retyped]),
        (0, vec!["evolve", "plan", other, filled, "--rate", "50"]),
        (5, vec!["evolve", "plan", shop, shop, "--at", "keyfold:./d"]),
        (3, vec!["evolve", "plan", shop, wrong]),
        (2, vec!["evolve", "plan", shop]),
        (2, vec!["evolve", "plan", shop, shop, "--rate", "0"]),
        (5, vec!["evolve", "run", shop, shop, "--at", "keyfold:./d"]),
        (2, vec!["evolve", "run", shop, shop]),
        (0, vec!["export", "cloudformation", shop]),
        (0, vec!["export", "terraform", shop, "-o", "t.tf"]),
        (0, vec!["export", "workbench", shop, "-o", "w.json"]),
        (2, vec!["export", "pulumi", shop]),
        (0, vec!["import", "w.json"]),
        (2, vec!["import", shop]),
        (0, vec!["completions", "zsh"]),
        (2, vec!["completions", "cmd"]),
        (2, vec!["lsp"]),
        (0, vec!["demo", "--once"]),
        (
            5,
            vec!["run", shop, "product", "productId=p", "--data", "d"],
        ),
        (0, product.to_vec()),
        (0, vec!["evolve", "plan", shop, shop, "--at", "keyfold:./d"]),
        (0, vec!["evolve", "run", shop, shop, "--at", "keyfold:./d"]),
        (
            0,
            vec!["evolve", "status", shop, shop, "--at", "keyfold:./d"],
        ),
        (
            4,
            vec!["evolve", "pause", shop, shop, "--at", "keyfold:./d"],
        ),
        (
            4,
            vec![
                "evolve",
                "abort",
                shop,
                shop,
                "--at",
                "keyfold:./d",
                "--yes",
            ],
        ),
        (
            4,
            vec![
                "evolve",
                "complete",
                shop,
                shop,
                "--at",
                "keyfold:./d",
                "--yes",
            ],
        ),
        (1, [&product[..], &["--new"]].concat()),
        (
            2,
            vec!["put", shop, "Product", "productId=p", "--data", "d"],
        ),
        (
            2,
            vec![
                "put",
                shop,
                "Product",
                "productId=p",
                "name=n",
                "price=x",
                "stock=1",
                "--data",
                "d",
            ],
        ),
        (2, vec!["put", shop, "Produkt", "--data", "d"]),
        (
            0,
            vec![
                "update",
                shop,
                "Product",
                "productId=p",
                "stock=2",
                "--data",
                "d",
            ],
        ),
        (
            4,
            vec![
                "update",
                shop,
                "Product",
                "productId=q",
                "stock=2",
                "--data",
                "d",
            ],
        ),
        (
            0,
            vec!["run", shop, "product", "productId=p", "--data", "d"],
        ),
        (2, vec!["run", shop, "produkt", "--data", "d"]),
        (2, vec!["run", shop, "product", "--data", "d"]),
        (
            0,
            vec![
                "run",
                shop,
                "create_user",
                "userId=u",
                "email=e",
                "name=n",
                "createdAt=2024-01-01",
                "--data",
                "d",
            ],
        ),
        (0, vec!["infer", "Shop", "--data", "d"]),
        (4, vec!["infer", "Nothing", "--data", "d"]),
        (5, vec!["infer", "Shop", "--endpoint", "http://127.0.0.1:1"]),
        (
            0,
            vec!["delete", shop, "Product", "productId=p", "--data", "d"],
        ),
        (0, vec!["tables", shop, "--data", "d"]),
        (0, vec!["tables", shop, "--data", "d", "--check"]),
        (4, vec!["tables", other, "--data", "d", "--check"]),
        (0, vec!["verify", shop, "--data", "d"]),
        (0, vec!["verify", shop, "--data", "d", "--sample", "1"]),
        (2, vec!["verify", shop, "--data", "d", "--sample", "0"]),
        (4, vec!["verify", other, "--data", "d"]),
        (1, vec!["verify", stricter, "--data", "d"]),
        (0, vec!["views", "status", shop, "--data", "d"]),
        (
            0,
            vec!["put", viewed, "A", "id=1", "day=2024-01-01", "--data", "v"],
        ),
        (0, vec!["views", "rebuild", viewed, "--data", "v"]),
        (0, vec!["views", "rebuild", viewed, "Days", "--data", "v"]),
        (2, vec!["views", "rebuild", viewed, "Weeks", "--data", "v"]),
        (0, vec!["views", "status", viewed, "--data", "v"]),
        (0, vec!["views", "failures", viewed, "--data", "v"]),
        (0, vec!["views", "replay", viewed, "--data", "v"]),
        (2, vec!["views", "failures", shop, "--data", "d"]),
        (2, vec!["views", "replay", shop, "--data", "d"]),
        (2, vec!["views", "rebuild", shop, "--data", "d"]),
        (2, vec!["views", "run", shop, "--data", "d"]),
        (0, vec!["events", "status", "--data", "v"]),
        (0, vec!["events", "failures", discarded, "--data", "v"]),
        (2, vec!["events", "failures", shop, "--data", "v"]),
        (2, [&again[..], &["Other=http://127.0.0.1:1"]].concat()),
        (0, [&none[..], &["Tab=http://127.0.0.1:1"]].concat()),
        (1, [&again[..], &["Tab=http://127.0.0.1:1"]].concat()),
        (2, [&again[..], &["Tab"]].concat()),
        (5, vec!["move", "status", "keyfold:d", "keyfold:m"]),
        (0, vec!["move", "keyfold:d", "keyfold:m"]),
        (0, vec!["move", "status", "keyfold:d", "keyfold:m"]),
        (0, vec!["move", "verify", "keyfold:d", "keyfold:m"]),
        (5, vec!["move", "pause", "keyfold:d", "keyfold:other"]),
        (0, vec!["move", "pause", "keyfold:d", "keyfold:m"]),
        (1, vec!["move", "resume", "keyfold:d", "keyfold:m"]),
        (1, vec!["move", "abort", "keyfold:d", "keyfold:m"]),
        (0, vec!["move", "abort", "keyfold:d", "keyfold:m", "--yes"]),
        (0, vec!["move", "keyfold:d", "keyfold:m", "--yes"]),
        (
            0,
            vec!["move", "complete", "keyfold:d", "keyfold:m", "--yes"],
        ),
        (0, vec!["move", "verify", "keyfold:d", "keyfold:m"]),
        (1, vec!["move", "keyfold:d", "keyfold:m"]),
        // The refused move has left nothing.
        (4, vec!["move", "abort", "keyfold:d", "keyfold:m", "--yes"]),
        (0, vec!["move", "keyfold:d", "export:exported"]),
        (0, vec!["move", "status", "keyfold:d", "export:exported"]),
        (0, vec!["move", "verify", "keyfold:d", "export:exported"]),
        (1, vec!["move", "keyfold:d", "export:exported"]),
        (
            2,
            vec!["move", "complete", "keyfold:d", "export:exported", "--yes"],
        ),
        (
            4,
            vec!["move", "abort", "keyfold:d", "export:exported", "--yes"],
        ),
        (2, vec!["move", "keyfold:d"]),
        (2, vec!["move", "keyfold:d", "keyfold:d"]),
        (0, vec!["doctor", "--data", "d"]),
        (5, vec!["doctor", "--data", "nothing"]),
        (0, vec!["backup", "copy", "--data", "d"]),
        (2, vec!["backup", "copy", "--data", "d"]),
        (2, vec!["backup", "d", "--data", "d"]),
        (2, vec!["backup", "d/copy", "--data", "d"]),
        (2, vec!["backup", taken, "--data", "d"]),
        (5, vec!["backup", "copy2", "--data", "nothing"]),
        (2, vec!["serve", "--memory", "--allow-host", "http://x"]),
        (2, vec!["serve", "--memory", "--cache", "1"]),
        (2, vec!["serve", "--memory", "--buckets", "nothing"]),
        (
            2,
            vec!["serve", "--memory", "--workbench", "--workbench-key", "x"],
        ),
        (2, vec!["workbench", "nothing.keyfold"]),
        (2, vec!["workbench", shop, "--at", "memory:"]),
        (2, vec!["workbench", shop, "--write"]),
        (5, vec!["workbench", shop, "--at", "keyfold:nothing"]),
    ];
    let mut run: BTreeSet<String> = BTreeSet::new();
    let mut generated: BTreeSet<&str> = BTreeSet::new();
    for (code, arguments) in &cases {
        document(&schema, &place, *code, arguments);
        if *code == 0 {
            run.insert(name_of(&place, arguments));
        }
        if *code == 0 && arguments[0] == "generate" {
            generated.insert(arguments[1]);
        }
    }
    let mut beside = vec!["serve", shop, "--memory", "--port", "0"];
    beside.extend(["--workbench", "--workbench-port", "0"]);
    for arguments in [
        vec!["serve", shop, "--memory", "--port", "0"],
        beside,
        vec!["workbench", shop, "--port", "0"],
        vec!["workbench", shop, "--port", "0", "--at", "keyfold:d"],
        vec!["views", "run", viewed, "--data", "v"],
    ] {
        first_line(&schema, &place, &arguments);
        run.insert(name_of(&place, &arguments));
    }
    run.extend(moved_between_servers(&schema, &place, shop));
    run.extend(evolved(&schema, &place, [other, filled]));
    run.extend(migrated(&schema, &place));
    // It is run by itself, too.
    assert!(run.remove("move"));
    // It speaks with an editor, and is refused with `--json` above.
    run.insert("lsp".to_owned());
    assert_eq!(run, with_subcommands(&place), "no command is forgotten");
    let commands: BTreeSet<String> = place.commands().into_iter().collect();
    assert_eq!(commands, schema.commands(), "each command is described");
    let languages = &schema.0["$defs"]["results"]["generate"];
    let languages = languages.to_string();
    for language in ["typescript", "python", "rust"] {
        assert!(languages.contains(language), "{language}: {languages}");
        assert!(generated.contains(language), "{language} is generated");
    }
}

/// Runs the commands of an evolution, and returns their names.
fn evolved(schema: &Schema, place: &Workplace, [old, new]: [&str; 2]) -> Vec<String> {
    let put = ["put", old, "A", "id=1", "--data", "e"];
    document(schema, place, 0, &put);
    let mut names = Vec::new();
    for (code, words) in [
        (0, ["run", "--dry-run"].as_slice()),
        (7, &["run"]),
        (0, &["pause"]),
        (0, &["abort", "--yes"]),
        (7, &["run"]),
        (7, &["run", "--yes"]),
        (0, &["run", "--yes"]),
        (0, &["status"]),
        (0, &["complete", "--yes"]),
    ] {
        let (word, more) = words.split_first().unwrap();
        let line = [&["evolve", *word, old, new, "--at", "keyfold:./e"], more].concat();
        document(schema, place, code, &line);
        names.push(format!("evolve {word}"));
    }
    names
}

/// Runs the commands of a migration, and returns their names.
fn migrated(schema: &Schema, place: &Workplace) -> Vec<String> {
    let database = rusqlite::Connection::open(place.folder.path().join("rows.db")).unwrap();
    let rows = "CREATE TABLE notes (id INTEGER PRIMARY KEY, words TEXT); INSERT INTO notes VALUES (1, 'a'), (2, NULL);";
    database.execute_batch(rows).unwrap();
    let text = "model m 1\ntable Tab (PK)\nentity Note in Tab\n  id: string, words: string\n  key \"NOTE#{id}\"\n  from notes\n\
                pattern note(id) -> Note\n";
    std::fs::write(place.folder.path().join("rows.keyfold"), text).unwrap();
    let both = ["rows.keyfold", "--from", "sqlite:rows.db"];
    let at = ["--at", "keyfold:./m"];
    let infer = ["infer", "--from", "sqlite:rows.db"];
    document(schema, place, 0, &infer);
    place.write(
        "rows.sql",
        "SELECT * FROM notes WHERE id = 1; SELECT count(*) FROM notes",
    );
    let queries = ["--queries", "rows.sql", "--output", "made-of-rows.keyfold"];
    document(schema, place, 0, &[&infer[..], &queries].concat());
    document(schema, place, 2, &["infer", "--from", "oracle:x"]);
    document(schema, place, 2, &[&infer[..], &["--data", "d"]].concat());
    document(schema, place, 5, &["infer", "--from", "sqlite:absent.db"]);
    let mut names = Vec::new();
    let mut call = |code: i32, word: &'static str, more: &[&str]| {
        let line = [&["migrate", word], &both[..], more].concat();
        document(schema, place, code, &line);
        names.push(format!("migrate {word}"));
    };
    call(1, "check", &[]);
    call(1, "run", &[&at[..], &["--once"]].concat());
    call(0, "status", &at);
    database
        .execute_batch("DELETE FROM notes WHERE id = 2")
        .unwrap();
    call(0, "check", &[]);
    call(1, "complete", &[&at[..], &["--yes"]].concat());
    call(0, "run", &[&at[..], &["--once"]].concat());
    let report = ["--report", "report.html"];
    call(0, "run", &[&at[..], &["--once"], &report].concat());
    call(0, "compare", &[&at[..], &["--all"], &report].concat());
    call(0, "compare", &[&at[..], &["--for", "1200ms"]].concat());
    call(0, "verify", &[&at[..], &report].concat());
    call(0, "verify", &[&at[..], &["--mend", "--yes"]].concat());
    call(0, "check", &["--back"]);
    for more in [&[][..], &["--back"], &["--quick"]] {
        call(0, "switch", &[&at[..], more, &["--yes"]].concat());
        call(0, "status", &at);
    }
    call(0, "switch", &[&at[..], &["--yes"]].concat());
    call(0, "complete", &[&at[..], &["--yes"]].concat());
    call(0, "abort", &[&at[..], &["--yes"]].concat());
    names
}

/// Runs the commands of a move whose source goes on, and returns their names.
fn moved_between_servers(schema: &Schema, place: &Workplace, shop: &str) -> Vec<String> {
    let (from, to) = (Server::start(&[shop]), Server::start(&[]));
    let product = ["productId=p", "name=n", "price=1", "stock=3"];
    let put = ["put", shop, "Product", "--endpoint", &from.endpoint];
    document(schema, place, 0, &[&put[..], &product].concat());
    let both = [from.endpoint.as_str(), to.endpoint.as_str()];
    let turned = ["--yes", "--stop-when-switched"];
    let lines = [
        [&["move"][..], &both, &["--stop-when-even", "--yes"]].concat(),
        [&["move", "pause"][..], &both].concat(),
        [&["move", "resume"][..], &both, &["--stop-when-even"]].concat(),
        [&["move", "switch"][..], &both, &turned].concat(),
        [&["move", "status"][..], &both].concat(),
        [&["move", "resume"][..], &both, &["--stop-when-even"]].concat(),
        [&["move", "reverse"][..], &both, &turned].concat(),
    ];
    for line in &lines {
        document(schema, place, 0, line);
    }
    lines.iter().map(|line| name_of(place, line)).collect()
}

/// The command of a line, with its subcommand if it has some.
fn name_of(place: &Workplace, arguments: &[&str]) -> String {
    let command = arguments[0].to_owned();
    let below = place.subcommands(&[&command]);
    match below
        .iter()
        .find(|one| arguments.get(1) == Some(&one.as_str()))
    {
        Some(one) => format!("{command} {one}"),
        None => command,
    }
}

/// All commands; of a command with subcommands, these.
fn with_subcommands(place: &Workplace) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for command in place.commands() {
        let below = place.subcommands(&[&command]);
        all.extend(below.iter().map(|one| format!("{command} {one}")));
        if below.is_empty() {
            all.insert(command);
        }
    }
    all
}

/// Checks the first line of a command that runs until it is stopped.
fn first_line(schema: &Schema, place: &Workplace, arguments: &[&str]) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_keyfold"))
        .current_dir(place.folder.path())
        .args(arguments)
        .arg("--json")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let document: Json = serde_json::from_str(&line).unwrap();
    assert_eq!(document["ok"], true, "{document}");
    schema.check(arguments[0], &document);
}

#[test]
fn an_error_names_its_place() {
    let (schema, place) = (Schema::read(), Workplace::new());
    let shop = &Workplace::model("shop.keyfold");
    let wrong = &place.write("wrong.keyfold", WRONG);
    let error_of =
        |code: i32, arguments: &[&str]| document(&schema, &place, code, arguments)["error"].clone();
    let error = error_of(3, &["run", wrong, "a"]);
    assert_eq!(
        error["where"],
        json!({ "file": wrong, "line": 6, "column": 11 }),
        "{error}"
    );
    assert_eq!(error["diagnostics"][0]["message"], error["message"]);
    document(&schema, &place, 0, &["demo", "--once", "--data", "d"]);
    let itself = std::path::absolute(place.folder.path().join("d")).unwrap();
    let put = [
        "put",
        shop,
        "Product",
        "productId=p",
        "name=n",
        "price=x",
        "stock=1",
        "--data",
        "d",
    ];
    for (code, arguments, place) in [
        (
            2,
            &["check", "nothing.keyfold"][..],
            json!({ "file": "nothing.keyfold" }),
        ),
        (
            2,
            &["check", shop, "--stict"],
            json!({ "argument": "--stict" }),
        ),
        (2, &put, json!({ "argument": "price" })),
        (
            5,
            &["doctor", "--data", "nothing"],
            json!({ "folder": "nothing" }),
        ),
        (2, &["run", shop, "user", "--data", "d"], Json::Null),
        (
            2,
            &["run", shop, "nothing", "--data", "d"],
            json!({ "file": shop }),
        ),
        (
            2,
            &["put", shop, "Usr", "--data", "d"],
            json!({ "file": shop }),
        ),
        (
            2,
            &["backup", "d", "--data", "d"],
            json!({ "folder": itself }),
        ),
    ] {
        let error = error_of(code, arguments);
        assert_eq!(error["where"], place, "{arguments:?}: {error}");
    }
}

#[test]
fn every_kind_of_finding_is_in_the_schema_and_in_the_guide() {
    let words = keyfold_client::verify::FindingKind::ALL.map(|kind| kind.word());
    let schema = Schema::read();
    assert_eq!(schema.0["$defs"]["findingKind"]["enum"], json!(words));
    let guide = include_str!("../../../docs/verify.md");
    for word in words {
        assert!(guide.contains(&format!("`{word}`")), "{word} is not told");
    }
}
