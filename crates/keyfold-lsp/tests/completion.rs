//! Completion by place, in files that are half typed.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::edits::applied;
use common::{Editor, position, uri};
use serde_json::json;

/// A model, in which `LINE` stands for the line that is typed.
const SHOP: &str = r##"model shop 1
table Shop (PK, SK)
  gsi GSI1 (GSI1PK, GSI1SK)

entity User
  userId: string, email: string
  key  "USER#{userId}"  "PROFILE"

record Line
  itemId: string, quantity: int

entity Order
  orderId: string, userId: User.userId, total: number
  key           "ORDER#{orderId}"  "META"
  copy summary  "USER#{userId}"    "ORDER#{orderId}"
LINE
"##;

/// What is offered at `‸` in the line that is typed.
fn offered(line: &str) -> Vec<String> {
    let (before, behind) = line.split_once('‸').unwrap();
    let mut editor = Editor::of(&SHOP.replace("LINE", &format!("{before}{behind}")));
    let at = SHOP.find("LINE").unwrap() + before.len();
    let params = json!({
        "textDocument": { "uri": uri("m.keyfold") },
        "position": position(&editor.text("m.keyfold"), at),
    });
    let found = editor.ask("textDocument/completion", params);
    let items = found["items"].as_array().unwrap();
    let mut sorted: Vec<(&str, &str)> = items
        .iter()
        .map(|item| {
            (
                item["sortText"].as_str().unwrap(),
                item["label"].as_str().unwrap(),
            )
        })
        .collect();
    sorted.sort_unstable();
    sorted
        .into_iter()
        .map(|(_, label)| label.to_owned())
        .collect()
}

#[test]
fn what_is_offered_follows_from_the_place() {
    for (line, wanted, unwanted) in [
        (
            "‸",
            &["entity", "pattern", "write", "table"][..],
            &["key", "Order"][..],
        ),
        ("pat‸", &["pattern"], &[]),
        (
            "shared ‸",
            &["table", "entity", "view", "record"],
            &["pattern"],
        ),
        ("entity Item in ‸", &["Shop"], &["Order"]),
        ("entity Item was ‸", &[], &["in", "was", "or"]),
        ("entity Item was Thing ‸", &["or", "where", "in"], &["was"]),
        ("entity Item was Thing or ‸", &[], &["or", "where", "in"]),
        (
            "entity Item was Thing or Piece ‸",
            &["or", "in"],
            &["where", "was"],
        ),
        ("  note: string was ‸", &[], &["was", "or"]),
        ("  note: string was memo ‸", &["or"], &["was"]),
        ("  note: string was memo or text ‸", &["or"], &["was"]),
        ("view Spent of ‸", &["User", "Order"], &["Shop"]),
        ("  ‸", &["key", "copy", "unique", "GSI1"], &["gsi"]),
        (
            "  GSI1  \"TOTAL#{‸",
            &["orderId", "userId", "total"],
            &["email", "quantity"],
        ),
        ("  GSI1  \"TOTAL#{to‸}\"  \"X\"", &["total"], &["email"]),
        ("  GSI1  {‸}", &["total"], &[]),
        (
            "  GSI1  \"TOTAL#{total:‸",
            &["08", "reverse", "day"],
            &["total"],
        ),
        ("  GSI1  \"TO‸", &[], &["total"]),
        (
            "  note: ‸",
            &["string", "list of", "Line", "User"],
            &["GSI1"],
        ),
        ("  other: User.‸", &["userId", "email"], &["total"]),
        ("  unique ‸", &["total"], &["email"]),
        ("  sum spent of ‸", &["User", "Order"], &[]),
        ("  copy other \"A\" ‸", &["only", "when"], &[]),
        ("  key \"A\" \"B\" bucket ‸", &["day", "month"], &[]),
        (
            "pattern orders(‸) -> Order[]",
            &["orderId", "total"],
            &["email"],
        ),
        ("pattern orders(‸", &["orderId", "email", "day"], &[]),
        (
            "pattern orders(userId) -> ‸",
            &["User", "Order"],
            &["Line", "newest"],
        ),
        ("pattern orders(userId) -> Order.‸", &["summary"], &[]),
        (
            "pattern orders(userId) -> Order[] ‸",
            &["newest", "page", "filter"],
            &["Order"],
        ),
        (
            "pattern orders(userId) -> Order[] newest ‸",
            &["total", "page"],
            &["email"],
        ),
        (
            "pattern orders(userId) -> Order[]\n  filter ‸",
            &["total"],
            &["email"],
        ),
        (
            "pattern orders(userId) -> Order[] only total, ‸",
            &["orderId"],
            &["email"],
        ),
        ("write w(lines: list of Line, ‸)", &["total"], &[]),
        ("write w(lines: ‸)", &["list of", "Line"], &[]),
        ("write w\n  ‸", &["create", "update", "check"], &["key"]),
        ("write w\n  update ‸", &["Order", "User"], &["set"]),
        (
            "write w\n  update Order ‸",
            &["set", "where", "when"],
            &["Order"],
        ),
        ("write w\n  update Order set ‸", &["total"], &["email"]),
        (
            "write w(lines: list of Line)\n  create Order for each ‸",
            &["lines"],
            &[],
        ),
        ("table Other (A)\n  ‸", &["gsi", "stream"], &["key"]),
        (
            "table Other (A)\n  gsi G (B) project ‸",
            &["all", "keys"],
            &[],
        ),
        ("# a comment ‸", &[], &["entity"]),
    ] {
        let found = offered(line);
        for one in wanted {
            assert!(
                found.iter().any(|offer| offer == one),
                "{line}: {one} in {found:?}"
            );
        }
        for one in unwanted {
            assert!(
                !found.iter().any(|offer| offer == one),
                "{line}: {one} in {found:?}"
            );
        }
    }
}

#[test]
fn an_offer_replaces_what_is_typed_of_it() {
    let line = "  GSI1  \"TOTAL#{to‸}\"  \"X\"";
    let text = SHOP.replace("LINE", &line.replace('‸', ""));
    let mut editor = Editor::of(&text);
    let found = editor.ask_at("textDocument/completion", "m.keyfold", line);
    let items = found["items"].as_array().unwrap();
    let total = items.iter().find(|item| item["label"] == "total").unwrap();
    let after = applied(&text, &json!([total["textEdit"]]));
    assert!(after.contains("\"TOTAL#{total}\"  \"X\""), "{after}");
    assert_eq!(total["detail"], "of Order");
}

/// Every place of a text has an answer, whatever stands there.
#[test]
fn no_place_is_without_an_answer() {
    let text = SHOP.replace(
        "LINE",
        "pattern é😀(x) -> Order[] \"{ {a: \n  filter total >",
    );
    let mut editor = Editor::of(&text);
    for (line, content) in text.lines().enumerate() {
        for character in 0..=content.encode_utf16().count() + 1 {
            let params = json!({
                "textDocument": { "uri": uri("m.keyfold") },
                "position": { "line": line, "character": character },
            });
            for method in ["completion", "hover", "definition", "prepareRename"] {
                editor.ask(&format!("textDocument/{method}"), params.clone());
            }
        }
    }
}
