//! Output that cannot be written, for every command; and folders of data that are not there.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod workplace;

use std::collections::BTreeSet;
use std::fs::File;
use std::process::{Command, Output, Stdio};
use workplace::Workplace;
use workplace::server::Server;

const MODEL: &str = "\
model notes 1
table Main (PK, SK)

entity Note
  noteId: string, text: string
  key  \"NOTE#{noteId}\"  \"NOTE\"

pattern note(noteId) -> Note?

write reword(noteId, text)
  update Note set text = text
";

/// The streams of a command that take nothing.
#[derive(Clone, Copy, PartialEq)]
enum Full {
    Output,
    Errors,
    Both,
}

/// Runs a command whose streams are on a full device. A command that serves is ended where it does
/// not end.
fn run(place: &Workplace, arguments: &[&str], full: Full) -> Output {
    let device = || Stdio::from(File::options().write(true).open("/dev/full").unwrap());
    let mut command = Command::new("timeout");
    command
        .args(["60", env!("CARGO_BIN_EXE_keyfold")])
        .args(arguments)
        .current_dir(place.folder.path())
        .env_remove("AWS_ENDPOINT_URL")
        .env_remove("AWS_ENDPOINT_URL_DYNAMODB")
        .stdin(Stdio::null());
    if full != Full::Errors {
        command.stdout(device());
    }
    if full != Full::Output {
        command.stderr(device());
    }
    command.output().unwrap()
}

/// A folder with a model, a note, a second model that is not formatted, and a file of others.
fn place() -> Workplace {
    let place = Workplace::new();
    place.write("notes.keyfold", MODEL);
    place.write("odd.keyfold", &MODEL.replace("  key  ", "  key      "));
    place.write("keyfold.toml", "model = \"notes.keyfold\"\n");
    place.json(0, &["put", "Note", "noteId=1", "text=a"]);
    let workbench = place.text(&["export", "workbench"]);
    place.write("workbench.json", &workbench);
    place.write("failed.jsonl", "");
    let rows = MODEL.replacen("  key  ", "  from notes\n  key  ", 1);
    place.write("rows.keyfold", &rows);
    let database = rusqlite::Connection::open(place.folder.path().join("rows.db")).unwrap();
    let table = "CREATE TABLE notes (note_id TEXT PRIMARY KEY, text TEXT)";
    database.execute_batch(table).unwrap();
    place
}

/// A command line of each command, as far as it prints what it was asked for.
fn lines(server: &str) -> Vec<Vec<&str>> {
    let data = ["--data", ".keyfold/data"];
    let at = ["--at", "keyfold:.keyfold/data"];
    vec![
        vec!["check"],
        vec!["check", "--fix", "odd.keyfold"],
        vec!["explain"],
        vec!["explain", "KF011"],
        vec!["fmt", "--check", "odd.keyfold"],
        vec!["fmt", "odd.keyfold"],
        vec!["prove", "--items", "3", "--asks", "2"],
        vec!["docs"],
        vec!["docs", "--output", "notes.md"],
        vec!["init", "made"],
        vec!["generate", "typescript"],
        vec!["plan"],
        vec!["diff", "notes.keyfold", "odd.keyfold"],
        vec!["evolve", "plan", "notes.keyfold", "odd.keyfold"],
        [&["evolve", "run", "notes.keyfold", "odd.keyfold"][..], &at].concat(),
        [
            &["evolve", "run", "notes.keyfold", "odd.keyfold", "--dry-run"][..],
            &at,
        ]
        .concat(),
        [
            &["evolve", "status", "notes.keyfold", "odd.keyfold"][..],
            &at,
        ]
        .concat(),
        vec![
            "migrate",
            "check",
            "rows.keyfold",
            "--from",
            "sqlite:rows.db",
        ],
        vec!["export", "terraform"],
        vec!["export", "cloudformation"],
        vec!["export", "workbench"],
        vec!["import", "workbench.json"],
        [&["infer", "Main"], data.as_slice()].concat(),
        vec!["infer", "--from", "sqlite:rows.db"],
        vec!["serve", "--memory", "--port", "0"],
        vec!["demo", "--once"],
        vec!["backup", "copied"],
        [&["tables"], data.as_slice()].concat(),
        vec!["doctor"],
        vec!["run", "note", "noteId=1"],
        vec!["run", "reword", "noteId=1", "text=b"],
        vec!["put", "--new", "Note", "noteId=2", "text=b"],
        vec!["update", "Note", "noteId=1", "text=c"],
        vec!["delete", "Note", "noteId=1"],
        vec!["verify"],
        vec!["views", "status", "--endpoint", server],
        vec!["events", "failures", "failed.jsonl", "--endpoint", server],
        vec!["move", "status", server, server],
        vec!["lsp"],
        vec!["workbench", "--port", "0"],
        vec!["completions", "bash"],
        vec!["--help"],
        vec!["put", "--help"],
        vec!["--version"],
    ]
}

/// Lines that have nothing to print here, so that they end as they do elsewhere.
fn is_silent(line: &[&str]) -> bool {
    matches!(line, ["move", ..] | ["lsp"])
}

#[test]
fn every_command_says_that_its_output_cannot_be_written() {
    let server = Server::start(&[]);
    let all = lines(&server.endpoint);
    let named: BTreeSet<&str> = all.iter().map(|line| line[0]).collect();
    for command in Workplace::new().commands() {
        assert!(named.contains(command.as_str()), "{command} has no line");
    }
    let mut wrong = Vec::new();
    for line in all.iter().filter(|line| !is_silent(line)) {
        for json in [false, true] {
            let place = place();
            let mut line = line.clone();
            if json && line[0] != "completions" && !line[line.len() - 1].starts_with("--") {
                line.push("--json");
            }
            let ended = run(&place, &line, Full::Output);
            let said = String::from_utf8_lossy(&ended.stderr);
            // A bad verdict is worse than a lost report of it.
            let code = if line.contains(&"--check") { 1 } else { 5 };
            let is_right = ended.status.code() == Some(code)
                && said.matches("the output cannot be written: ").count() == 1
                && !said.contains("panicked");
            if !is_right {
                wrong.push(format!("{line:?}: {:?}\n{said}", ended.status));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A write whose report cannot be written has happened, and the message says so.
#[test]
fn a_write_without_a_report_is_said_to_be_done() {
    for line in [
        ["put", "--new", "Note", "noteId=2", "text=b"].as_slice(),
        &["update", "Note", "noteId=1", "text=c"],
        &["run", "reword", "noteId=1", "text=c"],
        &["delete", "Note", "noteId=1"],
    ] {
        for json in [&[][..], &["--json"]] {
            let place = place();
            let ended = run(&place, &[line, json].concat(), Full::Output);
            let said = String::from_utf8_lossy(&ended.stderr);
            assert_eq!(ended.status.code(), Some(5), "{line:?}: {said}");
            assert!(
                said.contains("the write was carried out"),
                "{line:?}: {said}"
            );
            // Again, it finds what the first one did; a named write reads nothing.
            let ended = run(&place, &[line, json].concat(), Full::Output);
            let said = String::from_utf8_lossy(&ended.stderr);
            let is_done = said.contains("the write was carried out");
            assert_eq!(is_done, line[0] == "run", "{line:?}: {said}");
            let code = match line[0] {
                "put" => 1,
                "delete" => 4,
                _ => 5,
            };
            assert_eq!(ended.status.code(), Some(code), "{line:?}: {said}");
        }
    }
}

/// Notes and messages that nobody can read change nothing of what a command does and ends with.
#[test]
fn a_full_error_stream_changes_no_exit_code() {
    for (line, code) in [
        // It says that it makes the folder.
        (
            ["put", "Note", "noteId=2", "text=b", "--data", "new"].as_slice(),
            0,
        ),
        (&["put", "--new", "Note", "noteId=1", "text=b"], 1),
        (&["put", "Note", "noteId=1"], 2),
        (&["put", "--nwe"], 2),
        (&["check", "broken.keyfold"], 3),
        (&["update", "Note", "noteId=7", "text=b"], 4),
        (&["doctor", "--data", "absent"], 5),
    ] {
        let place = place();
        place.write("broken.keyfold", "model broken\n");
        let ended = run(&place, line, Full::Errors);
        assert_eq!(ended.status.code(), Some(code), "{line:?}");
        let ended = run(&place, &[line, &["--json"]].concat(), Full::Both);
        let code = if code == 0 { 5 } else { code };
        assert!(
            [code, 1].contains(&ended.status.code().unwrap()),
            "{line:?}"
        );
    }
}

/// A data folder that is not there is one failure of all commands that need it.
#[test]
fn a_data_folder_that_is_not_there_is_a_backend_that_cannot_be_used() {
    let place = place();
    place.write("file", "no folder");
    std::fs::create_dir(place.folder.path().join("empty")).unwrap();
    let lines: [&[&str]; 9] = [
        &["run", "note", "noteId=1"],
        &["run", "reword", "noteId=1", "text=b"],
        &["update", "Note", "noteId=1", "text=b"],
        &["delete", "Note", "noteId=1"],
        &["verify"],
        &["infer", "Main"],
        &["doctor"],
        &["doctor", "--repair"],
        &["backup", "copied"],
    ];
    for line in lines {
        for folder in ["absent", "absent/below", "empty", "file"] {
            let document = place.json(5, &[line, &["--data", folder]].concat());
            let error = &document["error"];
            assert_eq!(error["kind"], "backend", "{line:?}: {error}");
            assert_eq!(error["where"]["folder"], folder, "{line:?}: {error}");
            let message = error["message"].as_str().unwrap();
            let start = format!("there is no data folder {folder}: ");
            assert!(message.starts_with(&start), "{line:?}: {message}");
            // What helps is what fits the command.
            let helps = match line[0] {
                "doctor" => "the one that is to be examined",
                "backup" => "the one that is to be copied",
                _ => "`keyfold put` and `keyfold tables` make one",
            };
            assert!(message.contains(helps), "{line:?}: {message}");
        }
    }
    let (own, absent) = ("keyfold:.keyfold/data", "keyfold:absent");
    let (no_source, no_target) = (
        "FROM names the place",
        "makes the one that it moves tables to",
    );
    for (line, helps) in [
        (["move", absent, "keyfold:target"].as_slice(), no_source),
        (&["move", "status", own, absent], no_target),
        (&["move", "verify", absent, own], no_source),
        (&["move", "verify", own, absent], no_target),
    ] {
        let document = place.json(5, line);
        let message = document["error"]["message"].as_str().unwrap().to_owned();
        assert!(
            message.starts_with("there is no data folder absent: ") && message.contains(helps),
            "{message}"
        );
    }
    assert!(!place.folder.path().join("absent").exists());
}
