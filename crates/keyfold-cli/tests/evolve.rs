//! Golden scripts of `keyfold evolve plan`: `testscripts/evolve/NAME.script` holds an old model, a line
//! `=== new` and a new one; `NAME.out` what the command prints. `UPDATE_GOLDENFILES=1` writes the files
//! again, to be reviewed as a diff.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test fails by panicking"
)]

mod workplace;

use keyfold_client::{Backend, arguments, tables, write};
use keyfold_engine::{Durability, Engine, EngineOptions, StoreOptions};
use serde_json::{Value as Json, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use workplace::Workplace;

/// The scripts, each with its name.
fn scripts() -> Vec<(String, PathBuf)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testscripts/evolve");
    let paths = std::fs::read_dir(folder).unwrap();
    let paths = paths.map(|entry| entry.unwrap().path());
    let scripts = paths.filter(|path| path.extension().is_some_and(|one| one == "script"));
    let mut all: Vec<(String, PathBuf)> = scripts
        .map(|path| (path.file_stem().unwrap().to_str().unwrap().to_owned(), path))
        .collect();
    all.sort();
    assert!(all.len() > 50);
    all
}

/// Writes the two models of a script into a folder.
fn models(place: &Workplace, script: &Path) -> [String; 2] {
    let text = std::fs::read_to_string(script).unwrap();
    let (old, new) = text.split_once("=== new\n").unwrap();
    [
        place.write("old.keyfold", old),
        place.write("new.keyfold", new),
    ]
}

#[test]
fn plans_are_those_of_the_scripts() {
    let update = std::env::var_os("UPDATE_GOLDENFILES").is_some();
    let place = Workplace::new();
    let mut wrong = Vec::new();
    for (name, path) in scripts() {
        let [old, new] = models(&place, &path);
        let output = place.run_with(&[("COLUMNS", "100")], &["evolve", "plan", &old, &new]);
        let text = format!(
            "{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        let out = path.with_extension("out");
        if update {
            std::fs::write(&out, &text).unwrap();
        } else if std::fs::read_to_string(&out).unwrap_or_default() != text {
            wrong.push(format!("{name}:\n{text}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "run with UPDATE_GOLDENFILES=1\n{}",
        wrong.join("\n")
    );
}

/// The programs that run together in a phase are those that the verdicts let run together, and every
/// plan ends with the new version alone or beside the old one where it may.
#[test]
fn phases_allow_what_the_verdicts_allow() {
    let place = Workplace::new();
    for (name, path) in scripts() {
        let [old, new] = models(&place, &path);
        let output = place.run(&["evolve", "plan", &old, &new, "--json"]);
        let document: Json = serde_json::from_slice(&output.stdout).unwrap();
        let plan = &document["result"];
        let is_impossible = plan["class"] == "impossible";
        assert_eq!(
            document["ok"] == json!(true),
            !is_impossible,
            "{name}: {document}"
        );
        let phases = plan["phases"].as_array().unwrap();
        let has_changes = !plan["changes"].as_array().unwrap().is_empty();
        assert_eq!(phases.is_empty(), is_impossible || !has_changes, "{name}");
        let may = |verdict: &str| plan["verdicts"][verdict]["may"] == true;
        let mut new_wrote = false;
        for phase in phases {
            let runs = |who: &str| phase["runs"][who] == true;
            let is_work = matches!(phase["step"].as_str().unwrap(), "backfill" | "drop");
            new_wrote |= runs("newWriters") || is_work;
            assert!(
                !(runs("oldWriters") && runs("newWriters")) || may("writers"),
                "{name}: {phase}"
            );
            assert!(
                !(runs("oldReaders") && new_wrote) || may("oldReaders"),
                "{name}: {phase}"
            );
            assert!(!(is_work && runs("oldWriters")), "{name}: {phase}");
        }
        let first_new = phases.iter().find(|one| one["runs"]["newReaders"] == true);
        if let Some(first) = first_new
            && !may("newReaders")
        {
            let is_late = matches!(
                first["step"].as_str().unwrap(),
                "readers" | "start" | "drop"
            );
            assert!(is_late, "{name}: {first}");
            let indexes =
                |one: &&Json| matches!(one["step"].as_str().unwrap(), "index" | "backfill");
            let behind = phases.iter().skip_while(|one| *one != first);
            assert_eq!(behind.filter(indexes).count(), 0, "{name}");
        }
        if let Some(last) = phases.last() {
            assert_eq!(last["runs"]["newReaders"], true, "{name}: {last}");
            assert_eq!(last["runs"]["newWriters"], true, "{name}: {last}");
        }
    }
}

/// The numbers of a plan at a place are those of its tables.
#[test]
fn a_plan_counts_the_tables_of_a_place() {
    let place = Workplace::new();
    let (_, script) = scripts()
        .into_iter()
        .find(|one| one.0 == "attribute_renamed")
        .unwrap();
    let [old, new] = models(&place, &script);
    for user in 0..7 {
        let id = format!("userId=u{user}");
        let put = ["put", &old, "User", &id, "email=e", "name=n", "--data", "d"];
        place.json(0, &put);
    }
    let at = place.folder.path().join("d");
    let at = format!("keyfold:{}", at.display());
    let plan = place.json(
        0,
        &["evolve", "plan", &old, &new, "--at", &at, "--rate", "10"],
    );
    assert_eq!(plan["basis"]["tables"][0]["items"], 7, "{plan}");
    let phases = plan["phases"].as_array().unwrap();
    let backfill = phases.iter().find(|one| one["step"] == "backfill").unwrap();
    // A page that is read and a write of each item, which is in one index.
    assert_eq!(backfill["items"], 7);
    assert_eq!(backfill["requests"], 8);
    assert_eq!(backfill["readUnits"], 1.0);
    assert_eq!(backfill["writeUnits"], 14);
    assert_eq!(backfill["hours"], 15.0 / 10.0 / 3600.0);
    let absent = place.run(&["evolve", "plan", &old, &new, "--at", "keyfold:./nothing"]);
    assert_eq!(absent.status.code(), Some(5));
}

/// Users of a script's old model in a folder, and nothing else. Returns the place.
fn filled(place: &Workplace, old: &str, name: &str, users: usize) -> String {
    let folder = place.folder.path().join(name);
    let store = StoreOptions::folder(folder.clone(), Durability::Buffered);
    let engine = Engine::open(EngineOptions::new(store)).unwrap();
    let backend = Backend::Embedded(Arc::new(engine));
    let text = std::fs::read_to_string(old).unwrap();
    let model = keyfold_model::compile(&text).model.unwrap();
    tables::ensure(&backend, &model).unwrap();
    let entity = model.entity("User").unwrap();
    for number in 0..users {
        let given =
            ["userId", "email", "name"].map(|name| (name.to_owned(), format!("{name}{number}")));
        let values = arguments::of_entity(entity, &given.into()).unwrap();
        write::put(&backend, &model, entity, &values).unwrap();
    }
    backend.sync().unwrap();
    format!("keyfold:{}", folder.display())
}

/// What a plan says of a place is what a run takes there, in the table and in its index: requests, items, and units. A
/// run keeps how far it is, which takes some more.
#[test]
fn a_run_takes_what_the_plan_of_its_place_says() {
    const USERS: usize = 60;
    let place = Workplace::new();
    for name in [
        "attribute_renamed",
        "index_key_changed",
        "key_text",
        "unique_added",
        "version_added",
    ] {
        let script = scripts().into_iter().find(|one| one.0 == name);
        let [old, new] = models(&place, &script.unwrap().1);
        let at = filled(&place, &old, name, USERS);
        let plan = place.json(0, &["evolve", "plan", &old, &new, "--at", &at]);
        let phases = plan["phases"].as_array().unwrap();
        let cost = phases.iter().find(|one| one["step"] == "backfill").unwrap();
        let words = ["evolve", "run", &old, &new, "--at", &at, "--dry-run"];
        let dry = place.json(0, &words);
        let run = |more: &[&str]| -> Json {
            let words = [
                "evolve",
                "run",
                &old,
                &new,
                "--at",
                &at,
                "--json",
                "--segments",
                "1",
            ];
            let output = place.run(&[&words[..], more].concat());
            let out = String::from_utf8(output.stdout).unwrap();
            serde_json::from_str::<Json>(out.lines().last().unwrap()).unwrap()["result"].take()
        };
        let mut found = run(&[]);
        while found["counted"]["phase"] != "backfill" {
            let gate = found["gate"]["step"].as_str().unwrap().to_owned();
            found = run(&["--done", &gate]);
        }
        let number = |of: &Json, name: &str| of[name].as_f64().unwrap();
        let (counted, dry) = (&found["counted"], &dry["dryRun"]);
        for (of, member) in [(cost, "items"), (counted, "changed"), (dry, "requests")] {
            assert_eq!(of[member], USERS, "{name}: {of}");
        }
        // A page is read.
        assert_eq!(cost["requests"], USERS + 1, "{name}: {cost}");
        let rows = number(counted, "writeUnits") - number(cost, "writeUnits");
        assert!((1.0..15.0).contains(&rows), "{name}: {cost} {counted}");
        // Twice it is read before: what stands in the way, and what is beside it.
        let read = number(counted, "readUnits") / number(cost, "readUnits");
        assert!(read >= 2.0, "{name}: {cost} {counted}");
    }
}
