//! A data folder that another process has open: each command says how to go on.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod workplace;

use keyfold_engine::{Durability, Engine, EngineOptions, StoreOptions};
use std::collections::BTreeSet;
use workplace::Workplace;

const WAY: &str = "start `keyfold serve --data FOLDER`, and open its URL";

/// Every command with `--data`, by its words, and what it needs beside the folder. `SHOP` and `VIEWS` are models.
const COMMANDS: [(&[&str], &[&str]); 15] = [
    (&["run"], &["SHOP", "user_by_email", "email=a"]),
    (
        &["put"],
        &[
            "SHOP",
            "User",
            "userId=1",
            "email=a",
            "name=A",
            "createdAt=2024-01-15",
        ],
    ),
    (&["update"], &["SHOP", "User", "userId=1", "name=B"]),
    (&["delete"], &["SHOP", "User", "userId=1"]),
    (&["tables"], &["SHOP"]),
    (&["verify"], &["SHOP"]),
    (&["views", "run"], &["VIEWS"]),
    (&["views", "rebuild"], &["VIEWS"]),
    (&["views", "status"], &["VIEWS"]),
    (&["events", "status"], &[]),
    (&["infer"], &["Shop"]),
    (&["backup"], &["copy"]),
    (&["doctor"], &[]),
    (&["serve"], &["--port", "0"]),
    (&["demo"], &["--port", "0"]),
];

/// The message of a command on the folder.
fn message(place: &Workplace, command: &[&str]) -> String {
    let model = |word: &str| match word {
        "SHOP" => Workplace::model("shop.keyfold"),
        "VIEWS" => Workplace::model("sales_reports.keyfold"),
        word => word.to_owned(),
    };
    let words: Vec<String> = command.iter().map(|word| model(word)).collect();
    let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
    if !words.contains(&"move") {
        words.extend(["--data", "used"]);
    }
    let refused = place.json(5, &words);
    refused["error"]["message"].as_str().unwrap().to_owned()
}

/// By those of its own options that its help has, and by no other.
#[test]
fn a_data_folder_in_use_is_refused_with_the_way_out() {
    let place = Workplace::new();
    let letter = place.write("used/letter.txt", "Dear Ada");
    let foreign = message(&place, &["doctor"]);
    assert!(!foreign.contains(WAY), "{foreign}");
    std::fs::remove_file(letter).unwrap();
    let folder = place.folder.path().join("used");
    let store = StoreOptions::folder(&folder, Durability::Synced);
    let _engine = Engine::open(EngineOptions::new(store)).unwrap();
    for (words, arguments) in COMMANDS {
        let help = place.text(&[words, &["--help"]].concat());
        let said = message(&place, &[words, arguments].concat());
        assert!(said.contains(WAY), "{words:?}: {said}");
        for option in ["--endpoint", "--connection"] {
            let is_taken = help.contains(&format!(" {option} "));
            let is_said = said.contains(&format!("`{option} "));
            assert_eq!(is_said, is_taken, "{words:?}, {option}: {said}");
        }
    }
    let said = message(&place, &["move", "keyfold:used", "http://127.0.0.1:1"]);
    assert!(said.contains(WAY), "{said}");
    assert!(said.ends_with("takes it as a connection"), "{said}");
}

#[test]
fn every_command_on_a_data_folder_is_asked() {
    let place = Workplace::new();
    let asked: BTreeSet<&str> = COMMANDS.iter().map(|(words, _)| words[0]).collect();
    for command in place.commands() {
        let mut helps = vec![place.text(&[&command, "--help"])];
        for sub in place.subcommands(&[&command]) {
            helps.push(place.text(&[&command, &sub, "--help"]));
        }
        let has_folder = helps.iter().any(|help| help.contains(" --data <DIR>"));
        assert!(
            !has_folder || asked.contains(command.as_str()),
            "{command} is not asked"
        );
    }
}
