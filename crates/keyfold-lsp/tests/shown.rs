//! What an editor shows in the text: hints behind patterns, lenses above them, colours.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{Editor, position, uri};
use serde_json::{Value as Json, json};

const SHOP: &str = r##"model shop 1
table Shop (PK, SK)
  gsi GSI1 (GSI1PK, GSI1SK)
entity User
  userId: string, email: string  # É😀 note
  key   "USER#{userId}"  "PROFILE"
  GSI1  "EMAIL#{email}"  "PROFILE"
  unique email
pattern user(userId) -> User?  # by id
pattern user_by_email(email) -> User?
write reword(userId, email)
  update User set email = email
"##;

fn document() -> Json {
    json!({ "textDocument": { "uri": uri("m.keyfold") } })
}

#[test]
fn a_pattern_shows_its_index_and_units() {
    let mut editor = Editor::of(SHOP);
    let mut params = document();
    params["range"] = json!({
        "start": { "line": 0, "character": 0 },
        "end": position(SHOP, SHOP.len()),
    });
    let hints = |editor: &mut Editor, params: &Json| -> Vec<(Json, String)> {
        let found = editor.ask("textDocument/inlayHint", params.clone());
        let found = found.as_array().unwrap().iter();
        found
            .map(|hint| {
                (
                    hint["position"].clone(),
                    hint["label"].as_str().unwrap().to_owned(),
                )
            })
            .collect()
    };
    let first = position(SHOP, SHOP.find("  # by id").unwrap());
    let second = position(SHOP, SHOP.find("\nwrite").unwrap());
    let wanted = [
        (first, "GetItem of Shop, 0.5 units".to_owned()),
        (second, "Query of Shop.GSI1, 0.5 units".to_owned()),
    ];
    assert_eq!(hints(&mut editor, &params), wanted);
    // Half typed, the file keeps them.
    editor.replace("m.keyfold", &format!("{SHOP}pattern "));
    assert_eq!(hints(&mut editor, &params), wanted);
    params["range"]["end"] = json!({ "line": 9, "character": 0 });
    assert_eq!(hints(&mut editor, &params).len(), 1);
}

#[test]
fn a_pattern_and_a_write_can_be_run_and_a_model_proved() {
    let mut editor = Editor::of(SHOP);
    let found = editor.ask("textDocument/codeLens", document());
    let commands: Vec<&Json> = found
        .as_array()
        .unwrap()
        .iter()
        .map(|lens| &lens["command"])
        .collect();
    assert_eq!(commands.len(), 4);
    assert_eq!(commands[0]["command"], "keyfold.prove");
    assert_eq!(
        commands[0]["arguments"],
        json!([{ "model": "/models/m.keyfold" }])
    );
    assert_eq!(found[0]["range"]["start"]["line"], 0);
    assert_eq!(commands[3]["command"], "keyfold.run");
    let write = json!([{
        "model": "/models/m.keyfold",
        "name": "reword",
        "parameters": ["userId", "email"],
    }]);
    assert_eq!(commands[3]["arguments"], write);
}

#[test]
fn each_token_has_its_type() {
    let mut editor = Editor::of(SHOP);
    let types = editor.ask("textDocument/semanticTokens/full", document());
    let data: Vec<u64> = types["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one.as_u64().unwrap())
        .collect();
    let legend = [
        "keyword",
        "type",
        "namespace",
        "class",
        "struct",
        "property",
        "variable",
        "parameter",
        "function",
        "method",
        "string",
        "number",
        "comment",
    ];
    let lines: Vec<Vec<u16>> = SHOP
        .lines()
        .map(|line| line.encode_utf16().collect())
        .collect();
    let (mut line, mut start) = (0, 0);
    let mut shown = Vec::new();
    for token in data.chunks(5) {
        line += token[0] as usize;
        start = if token[0] == 0 { start } else { 0 } + token[1] as usize;
        let text = &lines[line][start..start + token[2] as usize];
        let text = String::from_utf16(text).unwrap();
        shown.push(format!("{text} {}", legend[token[3] as usize]));
    }
    for wanted in [
        "model keyword",
        "1 number",
        "Shop namespace",
        "GSI1 namespace",
        "User class",
        "userId property",
        "string type",
        "# É😀 note comment",
        "\"USER#{ string",
        "}\" string",
        "user_by_email function",
        "reword method",
        "update keyword",
        "set keyword",
    ] {
        assert!(
            shown.iter().any(|one| one == wanted),
            "{wanted} in {shown:?}"
        );
    }
    let name = |one: &String| one.split_once(' ').unwrap().0.to_owned();
    let written: String = shown.iter().map(name).collect();
    assert!(!written.contains('\n'));
}

/// The workbench draws the last version without errors, and says when the text is beyond it.
#[test]
fn the_design_is_that_of_the_last_version_without_errors() {
    let mut editor = Editor::of(SHOP);
    let mut params = document();
    params["width"] = json!(358);
    let design = editor.ask("keyfold/design", params.clone());
    assert_eq!(design["isCurrent"], json!(true));
    let names = |design: &Json| -> Vec<String> {
        let tables = design["tables"].as_array().unwrap().iter();
        let tiles = tables.flat_map(|one| one["map"]["tiles"].as_array().unwrap());
        let first = |tile: &Json| tile["lines"][0]["text"].as_str().unwrap().to_owned();
        tiles.map(first).collect()
    };
    let expected = [
        "USER#{userId}",
        "User",
        "UNIQUE#User#email#{email:escape}",
        "unique User.email",
    ];
    assert_eq!(names(&design), expected);
    assert_eq!(
        design["tables"][0]["indexes"][0]["patterns"],
        json!(["user_by_email"])
    );
    assert_eq!(design["chart"]["patterns"][0]["name"], json!("user"));

    editor.replace(
        "m.keyfold",
        &SHOP.replace("pattern user(", "pattern user(("),
    );
    let broken = editor.ask("keyfold/design", params.clone());
    assert_eq!(broken["isCurrent"], json!(false));
    assert_eq!(broken["tables"], design["tables"]);

    let mut nothing = Editor::of("model m 1\ntable");
    assert_eq!(nothing.ask("keyfold/design", params), Json::Null);
}

/// What is edited is compared with what is stored.
#[test]
fn the_difference_is_that_to_the_stored_files() {
    let mut editor = Editor::new(&[("m.keyfold", SHOP)]);
    editor.open("m.keyfold", SHOP);
    let ask = |editor: &mut Editor| editor.ask("keyfold/difference", document());
    let same =
        json!({ "isCurrent": true, "isStoredWhole": true, "migration": "nothing", "changes": [] });
    assert_eq!(ask(&mut editor), same);
    let longer = SHOP.replace("email: string", "email: string, city: string");
    editor.replace("m.keyfold", &longer);
    let said = ask(&mut editor);
    assert_eq!(said["migration"], json!("backfill"), "{said}");
    assert_eq!(said["changes"][0]["what"], json!("entity User"));
    let mut unsaved = Editor::of(SHOP);
    assert_eq!(ask(&mut unsaved), Json::Null);
    // A version with errors is compared as it was before.
    editor.replace(
        "m.keyfold",
        &longer.replace("pattern user(", "pattern user(("),
    );
    let broken = ask(&mut editor);
    assert_eq!(
        (&broken["isCurrent"], &broken["changes"]),
        (&json!(false), &said["changes"])
    );
}

/// Each key of the table says why the pattern reads it, or why it does not.
#[test]
fn a_pattern_says_why_it_reads_this_key_and_no_other() {
    let mut editor = Editor::of(SHOP);
    let mut ask = |pattern: &str| {
        let mut params = document();
        params["pattern"] = json!(pattern);
        editor.ask("keyfold/why", params)
    };
    assert_eq!(
        ask("user_by_email"),
        json!([
            { "index": null, "isRead": false, "reason": "its partition key \"USER#{userId}\" needs `userId`, which the pattern is not given" },
            { "index": "GSI1", "isRead": true, "reason": "it holds exactly what is asked: GSI1PK = \"EMAIL#{email}\" AND GSI1SK = \"PROFILE\"" },
        ])
    );
    assert_eq!(ask("user")[0]["isRead"], json!(true));
    assert_eq!(ask("nothing"), Json::Null);
}
