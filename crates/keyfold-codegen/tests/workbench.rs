//! Files of NoSQL Workbench: samples that are none are named, and samples that are written fulfil the
//! conditions of the model.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use keyfold_codegen::workbench;
use serde_json::{Value as Json, json};

#[test]
fn a_sample_that_is_no_item_is_left_out_with_its_reason() {
    let key = json!({
        "PartitionKey": { "AttributeName": "PK", "AttributeType": "S" },
        "SortKey": { "AttributeName": "SK", "AttributeType": "N" },
    });
    let good = json!({ "PK": { "S": "USER#1" }, "SK": { "N": "1" }, "name": { "S": "Ada" } });
    let table = json!({
        "TableName": "Shop",
        "KeyAttributes": key,
        "TableData": [good, { "PK": { "S": "USER#2" } }, { "PK": "USER#3" }],
        "TableFacets": [{
            "FacetName": "Orders",
            "TableData": [{ "PK": { "S": "USER#4" }, "SK": { "S": "x" } }, good],
        }],
    });
    let text = workbench::read(&json!({ "DataModel": [table] }).to_string()).unwrap();
    for line in [
        "# left out: sample 2 of the table `Shop` is no item of the table: its key attribute `SK` is missing",
        "# left out: sample 3 of the table `Shop` is no item of the table: it is no item in DynamoDB's JSON",
        "# left out: sample 1 of the facet `Orders` of the table `Shop` is no item of the table: its key attribute `SK` is S, not N",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    assert_eq!(text.matches("left out").count(), 3, "{text}");
    assert!(text.contains("name: string"), "{text}");
    assert!(!keyfold_model::compile(&text).has_errors(), "{text}");
}

/// The samples of a written file by kind.
fn samples(model: &str) -> Json {
    let compiled = keyfold_model::compile(model);
    let model = compiled
        .model
        .unwrap_or_else(|| panic!("{:#?}", compiled.diagnostics));
    let mut by_kind = json!({});
    for facet in workbench::write(&model)["DataModel"][0]["TableFacets"]
        .as_array()
        .unwrap()
    {
        by_kind[facet["FacetName"].as_str().unwrap()] = facet["TableData"][0].clone();
    }
    by_kind
}

#[test]
fn samples_fulfil_the_conditions_of_copies_indexes_and_aggregates() {
    let model = |condition: &str| {
        format!(
            "model m 1\ntable Tab (PK, SK)\nentity Gift\n  id: string, status: open | \"in-progress\" | done = open, n: int = 3, at: date, note: string?, tags: set of string, text: string\n  key \"GIFT#{{id}}\" \"GIFT\"\n  copy gift \"BUSY#{{id}}\" \"GIFT\" only id, status, n, at, note, tags, text when {condition}\n"
        )
    };
    let text = |value: &str| json!({ "S": value });
    for (condition, name, wanted) in [
        ("status = \"in-progress\"", "status", text("in-progress")),
        ("status in (done, open)", "status", text("open")),
        ("not status = open", "status", text("in-progress")),
        ("status <> open", "status", text("in-progress")),
        ("n > 7", "n", json!({ "N": "8" })),
        ("n < 2 and status = done", "n", json!({ "N": "1" })),
        ("n in 10..20", "n", json!({ "N": "10" })),
        ("not n <= 3", "n", json!({ "N": "4" })),
        ("at > \"2030-05-06\"", "at", text("2031-05-06")),
        ("missing note", "note", Json::Null),
        ("tags contains \"red\"", "tags", json!({ "SS": ["red"] })),
        ("text starts \"ab\"", "text", text("ab")),
        ("(n = 9 or status = done)", "n", json!({ "N": "9" })),
    ] {
        let all = samples(&model(condition));
        for kind in ["Gift", "Gift.gift"] {
            assert_eq!(all[kind][name], wanted, "{condition}: {kind}");
        }
    }
    // Of two that contradict each other the item has the first, and each copy its own.
    let two = model("status = done")
        + "  copy other \"OTHER#{id}\" \"GIFT\" only id, status when status = open\n";
    let all = samples(&two);
    let status = |kind: &str| all[kind]["status"]["S"].as_str().unwrap().to_owned();
    assert_eq!(
        ["Gift", "Gift.gift", "Gift.other"].map(status),
        ["done", "done", "open"]
    );
    let counted = "model m 1\ntable Tab (PK, SK)\n  gsi GSI1 (A, B)\nentity Team\n  team: string\n  key \"TEAM#{team}\" \"TEAM\"\n  count open of Task where state = busy\nentity Task\n  id: string, team: Team.team, state: idle | busy | late, list: string?\n  key \"TASK#{id}\" \"TASK\"\n  GSI1 \"LIST#{list}\" \"{id}\" sparse when list = today\n";
    let task = samples(counted)["Task"].clone();
    assert_eq!(task["state"], text("busy"));
    assert_eq!(task["A"], text("LIST#today"));
}
