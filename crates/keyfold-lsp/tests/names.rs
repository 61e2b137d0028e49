//! Names in an editor: hover, definition, references, rename, symbols, folding.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test reads files, and fails by panicking"
)]

mod common;

use common::edits::changed;
use common::{Editor, piece, position, uri};
use keyfold_model::names::{NameKind, Names};
use keyfold_model::{Sources, compile};
use serde_json::{Value as Json, json};
use std::path::Path;

const SHOP: &str = r##"model shop 1
table Shop (PK, SK)
  gsi GSI1 (GSI1PK, GSI1SK)
  stream new and old images
# An account.
# It has orders.
entity User
  userId: string, email: string, name: string
  key     "USER#{userId}"  "PROFILE"
  GSI1    "EMAIL#{email}"  "PROFILE"
  unique  email
  count   orders of Order

entity Order
  orderId: string, userId: User.userId, total: number
  status: pending | paid
  key           "ORDER#{orderId}"  "META"
  copy summary  "USER#{userId}"    "ORDER#{orderId}"  only orderId, total

record Line
  itemId: string, quantity: int

entity Item
  orderId: Order.orderId, itemId: string, quantity: int
  key  "ORDER#{orderId}"  "ITEM#{itemId}"

view Spent of Order where status = paid
  userId: userId, spent: sum total
  key  "SPENT#{userId}"  "SPENT"

pattern user_by_email(email)        -> User?
pattern orders_of_user(userId)      -> Order.summary[]  descending page 20
pattern order_with_items(orderId)   -> Order + Item[]
pattern spent(userId)               -> Spent?

write create_order(lines: list of Line)
  create Order
  create Item for each lines
write set_status(status)
  update Order set status = status
"##;

fn editor() -> Editor {
    Editor::of(SHOP)
}

fn pieces(places: &Json) -> Vec<(u64, String)> {
    let places = places.as_array().unwrap().iter();
    places
        .map(|one| {
            let line = one["range"]["start"]["line"].as_u64().unwrap();
            (line + 1, piece(SHOP, &one["range"]).to_owned())
        })
        .collect()
}

#[test]
fn the_model_of_these_tests_has_no_errors() {
    let found = compile(SHOP).diagnostics;
    assert!(compile(SHOP).model.is_some(), "{found:?}");
}

#[test]
fn a_definition_is_where_the_name_is_declared() {
    let mut editor = editor();
    for (at, line, name) in [
        ("\"USER#{user‸Id}\"  \"PROFILE\"", 8, "userId"),
        ("GSI‸1    \"EMAIL", 3, "GSI1"),
        ("userId: Us‸er.userId", 7, "User"),
        ("userId: User.user‸Id", 8, "userId"),
        ("count   orders of Ord‸er", 14, "Order"),
        ("-> Order.sum‸mary[]", 18, "summary"),
        ("lines: list of Li‸ne", 20, "Line"),
        ("for each lin‸es", 36, "lines"),
        ("spent: sum tot‸al", 15, "total"),
        ("set sta‸tus = status", 16, "status"),
        ("set status = sta‸tus", 39, "status"),
        ("(email‸)", 8, "email"),
    ] {
        let found = editor.ask_at("textDocument/definition", "m.keyfold", at);
        assert_eq!(pieces(&found), [(line, name.to_owned())], "{at}");
    }
    // A parameter is an attribute of each entity of the result.
    let at = "order_with_items(order‸Id)";
    let found = editor.ask_at("textDocument/definition", "m.keyfold", at);
    let lines: Vec<u64> = pieces(&found).iter().map(|(line, _)| *line).collect();
    assert_eq!(lines, [15, 24]);
    let nothing = editor.ask_at("textDocument/definition", "m.keyfold", "mod‸el shop");
    assert_eq!(nothing, json!([]));
}

#[test]
fn a_name_may_be_declared_in_another_file() {
    let first = "model shop 1\nowner a\nuse \"parts/orders.keyfold\"\nshared table Shop (PK, SK)\n";
    let orders = "owner b\nentity Order in Shop\n  id: string\n  key \"O#{id}\" \"META\"\n";
    let mut editor = Editor::new(&[("parts/orders.keyfold", orders)]);
    editor.open("m.keyfold", first);
    let found = editor.ask_at("textDocument/definition", "m.keyfold", "parts/ord‸ers");
    assert_eq!(found[0]["uri"], uri("parts/orders.keyfold"));
    let mut params = editor.params_at("m.keyfold", "table Sh‸op");
    params["newName"] = json!("Store");
    let edit = editor.ask("textDocument/rename", params);
    let files = edit["changes"].as_object().unwrap();
    assert_eq!(files.len(), 2, "{edit}");
    let after = changed(&uri("parts/orders.keyfold"), orders, &edit);
    assert!(after.contains("in Store"), "{after}");
}

#[test]
fn a_half_typed_file_keeps_its_answers() {
    let mut editor = editor();
    editor.findings("m.keyfold");
    let half = SHOP.replace("-> User?", "-> User? newest fil");
    editor.replace("m.keyfold", &half);
    let found = editor.ask_at(
        "textDocument/definition",
        "m.keyfold",
        "-> Us‸er? newest fil",
    );
    assert_eq!(pieces(&found), [(7, "User".to_owned())]);
    let at = "\"USER#{user‸Id}\"  \"PROFILE\"";
    let found = editor.ask_at("textDocument/definition", "m.keyfold", at);
    assert_eq!(pieces(&found), [(8, "userId".to_owned())]);
    let hover = editor.ask_at("textDocument/hover", "m.keyfold", "orders_of_‸user");
    let text = hover["contents"]["value"].as_str().unwrap().to_owned();
    assert!(text.contains("**Query** of `Shop`"), "{text}");
    assert!(
        text.contains("of the last version without errors"),
        "{text}"
    );
}

#[test]
fn references_are_all_places_that_say_the_name() {
    let mut editor = editor();
    let mut params = editor.params_at("m.keyfold", "sta‸tus: pending");
    params["context"] = json!({ "includeDeclaration": true });
    let found = editor.ask("textDocument/references", params.clone());
    let lines: Vec<u64> = pieces(&found).iter().map(|(line, _)| *line).collect();
    assert_eq!(lines, [16, 27, 40]);
    params["context"] = json!({ "includeDeclaration": false });
    let found = editor.ask("textDocument/references", params);
    assert_eq!(pieces(&found).len(), 2);
    let found = editor.ask_at(
        "textDocument/documentHighlight",
        "m.keyfold",
        "entity It‸em",
    );
    assert_eq!(pieces(&found).len(), 3);
}

#[test]
fn hover_says_what_a_thing_is() {
    let mut editor = editor();
    let mut hover = |at: &str| {
        let found = editor.ask_at("textDocument/hover", "m.keyfold", at);
        found["contents"]["value"].as_str().unwrap().to_owned()
    };
    let pattern = hover("orders_of_‸user");
    assert!(
        pattern.contains("pattern orders_of_user(userId)"),
        "{pattern}"
    );
    assert!(pattern.contains("begins_with(SK, \"ORDER#\")"), "{pattern}");
    assert!(pattern.contains("read units a page:"), "{pattern}");
    let attribute = hover("unique  em‸ail");
    assert!(attribute.contains("User.email: string"), "{attribute}");
    let entity = hover("entity Us‸er");
    assert!(entity.contains("| Shop | User |"), "{entity}");
    assert!(
        entity.contains("unique") || entity.contains("GSI1"),
        "{entity}"
    );
    let key = hover("\"PRO‸FILE\"\n  GSI1");
    assert!(
        key.contains("`\"PROFILE\"`") || key.contains("PROFILE"),
        "{key}"
    );
    let write = hover("create_‸order");
    assert!(write.contains("TransactWriteItems"), "{write}");
    let index = hover("gsi GS‸I1");
    assert!(index.contains("read by user_by_email"), "{index}");
}

#[test]
fn hover_over_a_finding_explains_its_rule() {
    let mut editor =
        Editor::of(&SHOP.replace("(email)        -> User?", "(name)         -> User?"));
    let found = editor.findings("m.keyfold");
    let code = found[0]["code"].as_str().unwrap().to_owned();
    let text = editor.text("m.keyfold");
    let start = &found[0]["range"]["start"];
    let params = json!({
        "textDocument": { "uri": uri("m.keyfold") },
        "position": start,
    });
    let hover = editor.ask("textDocument/hover", params);
    let value = hover["contents"]["value"].as_str().unwrap();
    assert!(value.contains(&format!("**{code} ")), "{value}\n{text}");
    assert!(value.contains("This breaks it:"), "{value}");
}

#[test]
fn symbols_are_the_declarations_with_their_members() {
    let mut editor = editor();
    let params = json!({ "textDocument": { "uri": uri("m.keyfold") } });
    let found = editor.ask("textDocument/documentSymbol", params);
    let names: Vec<&str> = found
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert_eq!(names[..4], ["Shop", "User", "Order", "Line"]);
    let user = &found[1];
    assert!(piece(SHOP, &user["range"]).starts_with("entity User"));
    assert!(piece(SHOP, &user["range"]).ends_with("of Order"));
    assert_eq!(piece(SHOP, &user["selectionRange"]), "User");
    let members: Vec<&str> = user["children"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert_eq!(members, ["userId", "email", "name", "orders"]);
    let found = editor.ask("workspace/symbol", json!({ "query": "ordItem" }));
    let names: Vec<&str> = found
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["order_with_items"]);
}

#[test]
fn declarations_and_comments_fold() {
    let mut editor = editor();
    let params = json!({ "textDocument": { "uri": uri("m.keyfold") } });
    let found = editor.ask("textDocument/foldingRange", params);
    let ranges: Vec<(u64, u64)> = found
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            (
                one["startLine"].as_u64().unwrap(),
                one["endLine"].as_u64().unwrap(),
            )
        })
        .collect();
    assert_eq!(ranges[..3], [(1, 3), (4, 5), (6, 11)]);
}

/// The models that are shown to people, and the golden scripts of the compiler that have no errors.
fn right_models() -> Vec<String> {
    let mut all = vec![SHOP.to_owned()];
    for folder in ["../../models", "../keyfold-model/testscripts"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|end| end == "keyfold") {
                all.push(std::fs::read_to_string(path).unwrap());
            }
        }
    }
    all.retain(|text| compile(text).model.is_some());
    all.sort();
    all
}

/// Another name of the same length, near it in the order of names.
fn other(name: &str, text: &str) -> Option<String> {
    ["q", "_", "7"].iter().find_map(|last| {
        let new = format!("{}{last}", &name[..name.len() - 1]);
        let is_word = keyfold_model::is_word(&new);
        (new.len() == name.len() && is_word && !text.contains(&new)).then_some(new)
    })
}

#[test]
fn a_renamed_model_means_the_same() {
    let (mut renamed, mut refused) = (0, Vec::new());
    for text in right_models() {
        let names = Names::of(&Sources::of_text("m.keyfold", text.as_str()));
        let before = without_order(&format!("{:?}", compile(&text).model.unwrap()));
        let mut editor = Editor::of(&text);
        // Every name of the model of these tests, and some of each other.
        let step = if text == SHOP {
            1
        } else {
            names.all().len() / 12 + 1
        };
        for name in names.all().iter().step_by(step) {
            let Some(new) = other(&name.text, &format!("{text}{before}")) else {
                continue;
            };
            let params = json!({
                "textDocument": { "uri": uri("m.keyfold") },
                "position": position(&text, name.span.start),
                "newName": new,
            });
            let edit = match editor.try_ask("textDocument/rename", params) {
                Ok(edit) => edit,
                Err(reason) => {
                    refused.push(format!("{:?} {}: {reason}", name.kind, name.text));
                    continue;
                }
            };
            let after = changed(&uri("m.keyfold"), &text, &edit);
            let model = compile(&after).model.unwrap();
            // Quotes around a name go, and places move.
            if after.len() != text.len() {
                continue;
            }
            let printed = format!("{model:?}").replace(&new, &name.text);
            // The record of a view's column is named after the column.
            let after = without_order(&printed.replace(&capital(&new), &capital(&name.text)));
            assert!(
                after == before,
                "{:?} {} in\n{text}\n{}",
                name.kind,
                name.text,
                first_difference(&before, &after)
            );
            renamed += 1;
        }
    }
    assert!(renamed > 300, "{renamed}");
    let share = refused.len() * 100 / renamed;
    assert!(
        share < 5,
        "{} of {renamed}:\n{}",
        refused.len(),
        refused.join("\n")
    );
}

/// A name with a large first letter.
fn capital(name: &str) -> String {
    let (first, rest) = name.split_at(name.chars().next().map_or(0, char::len_utf8));
    format!("{}{rest}", first.to_uppercase())
}

/// A printed model without what follows from the order of names, and the places of its lists, whose
/// order is chance.
fn without_order(text: &str) -> String {
    let mut text = text.to_owned();
    for (start, end) in [("places: {", '}'), ("by_name: [", ']')] {
        let mut pieces = text.split(start);
        let mut out = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            out.push_str(piece.split_once(end).unwrap().1);
        }
        text = out;
    }
    text
}

fn first_difference(one: &str, other: &str) -> String {
    let at = one
        .bytes()
        .zip(other.bytes())
        .position(|(one, other)| one != other)
        .unwrap_or(0);
    let around = |text: &str| {
        let bytes = text.as_bytes();
        let piece = &bytes[at.saturating_sub(150)..(at + 100).min(bytes.len())];
        String::from_utf8_lossy(piece).into_owned()
    };
    format!("before: {}\nafter:  {}", around(one), around(other))
}

#[test]
fn a_rename_that_breaks_the_model_is_refused() {
    let mut editor = editor();
    for (at, new, reason) in [
        ("entity Us‸er", "Order", "already"),
        ("entity Us‸er", "9", "no name"),
        ("email: str‸ing, name", "text", "no name here"),
        ("unique  em‸ail", "name", "already"),
    ] {
        let mut params = editor.params_at("m.keyfold", at);
        params["newName"] = json!(new);
        let said = editor.try_ask("textDocument/rename", params).unwrap_err();
        assert!(said.contains(reason), "{at} {new}: {said}");
    }
    let mut params = editor.params_at("m.keyfold", "\"USER#{us‸erId}\"  \"PROFILE\"");
    let found = editor.ask("textDocument/prepareRename", params.clone());
    assert_eq!(found["placeholder"], "userId");
    params["newName"] = json!("customerId");
    let edit = editor.ask("textDocument/rename", params);
    let after = changed(&uri("m.keyfold"), SHOP, &edit);
    assert!(after.contains("userId: User.customerId"), "{after}");
    let kinds = [NameKind::Attribute];
    let names = Names::of(&Sources::of_text("m", after.as_str()));
    assert!(names.named(&kinds, "customerId").is_some());
}
