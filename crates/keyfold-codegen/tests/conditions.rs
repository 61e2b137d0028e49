//! Conditions of filters and writes are shown in documents and in differences.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use keyfold_codegen::{diff, document};
use keyfold_model::{Model, compile};

fn model(filter: &str, when: &str) -> Model {
    let source = format!(
        "model m 1\ntable Tab (PK, SK)\nentity Item\n  owner: string, n: int, total: int?, until: time?\n  key \"OWNER#{{owner}}\" \"ITEM#{{n:03}}\"\npattern items(owner) -> Item[] filter {filter}\nwrite place\n  put Item when {when}\n"
    );
    compile(&source).model.unwrap()
}

#[test]
fn documents_and_differences_show_conditions() {
    let old = model("total > 1 or not total in (3, 4), n in 1..5", "missing n");
    let new = model("total > 1", "until < now");
    let shown = document::markdown(&old, &[]);
    assert!(
        shown.contains("total > 1 or not total in (3, 4)") && shown.contains("n in 1..5"),
        "{shown}"
    );
    let changes = diff::diff(&old, &new);
    let texts: Vec<String> = changes
        .iter()
        .map(|change| format!("{}: {}", change.what, change.how))
        .collect();
    let all = texts.join("\n");
    assert!(all.contains("not total in (3, 4)"), "{all}");
    assert!(all.contains("put Item if until < now"), "{all}");
}

#[test]
fn documents_and_differences_show_the_conditions_of_copies() {
    let model = |when: &str| {
        let source = format!(
            "model m 1\ntable Tab (PK, SK)\nentity Item\n  id: string, n: int, note: string?\n  key \"ITEM#{{id}}\" \"ITEM\"\n  copy big \"BIG\" \"{{id}}\" only id{when}\npattern big() -> Item.big[]\n"
        );
        compile(&source).model.unwrap()
    };
    let (old, new) = (model(""), model(" when n > 3 and not exists note"));
    let shown = document::markdown(&new, &[]);
    assert!(shown.contains("n > 3 and not exists note"), "{shown}");
    for (old, new, text) in [
        (
            &old,
            &new,
            "copy big: always becomes when n > 3 and not exists note",
        ),
        (
            &new,
            &old,
            "copy big: when n > 3 and not exists note becomes always",
        ),
    ] {
        let changes = diff::diff(old, new);
        let texts: Vec<String> = changes
            .iter()
            .map(|change| format!("{}: {}", change.what, change.how))
            .collect();
        assert!(texts.join("\n").contains(text), "{texts:?}");
    }
}
