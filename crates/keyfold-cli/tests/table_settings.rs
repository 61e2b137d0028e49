//! The settings of tables on the command line: checked, repaired, exported, documented, compared.
#![allow(clippy::unwrap_used, reason = "tests")]

mod workplace;

use serde_json::json;
use workplace::Workplace;

const PLAIN: &str = "model m 1
table Orders (PK, SK) ttl expires
  gsi GSI1 (A, B)
  capacity 5 read 5 write
entity Order
  id: string, a: string, at: time
  key \"O#{id}\" \"X\"
  GSI1 \"A#{a}\" \"{id}\"
  ttl at
pattern order(id) -> Order?
pattern by_a(a) -> Order[]
";
const SETTINGS: &str = "  stream new and old images
  point in time recovery
  deletion protection
  class infrequent access
  tags team = \"orders\", \"cost:center\" = \"x 1\"
";

fn full() -> String {
    PLAIN
        .replace("(A, B)\n", "(A, B) capacity 7 read 3..9 write\n")
        .replace(
            "  capacity 5 read 5 write\n",
            &format!("  capacity 5..100 read 4 write at 60 percent\n{SETTINGS}"),
        )
}

#[test]
fn cloudformation_has_every_setting() {
    let place = Workplace::new();
    let model = place.write("m.keyfold", &full());
    let template: serde_json::Value =
        serde_json::from_str(&place.text(&["export", "cloudformation", &model])).unwrap();
    let resources = &template["Resources"];
    let table = &resources["OrdersTable"]["Properties"];
    let units = |reads: u64, writes: u64| json!({ "ReadCapacityUnits": reads, "WriteCapacityUnits": writes });
    assert_eq!(table["ProvisionedThroughput"], units(5, 4));
    assert_eq!(
        table["GlobalSecondaryIndexes"][0]["ProvisionedThroughput"],
        units(7, 3)
    );
    assert_eq!(
        table["StreamSpecification"],
        json!({ "StreamViewType": "NEW_AND_OLD_IMAGES" })
    );
    assert_eq!(
        table["PointInTimeRecoverySpecification"],
        json!({ "PointInTimeRecoveryEnabled": true })
    );
    assert_eq!(table["DeletionProtectionEnabled"], json!(true));
    assert_eq!(table["TableClass"], "STANDARD_INFREQUENT_ACCESS");
    assert_eq!(
        table["Tags"],
        json!([{ "Key": "cost:center", "Value": "x 1" }, { "Key": "team", "Value": "orders" }])
    );
    let target = &resources["OrdersTableReadTarget"];
    assert_eq!(
        target["Properties"],
        json!({
            "ServiceNamespace": "dynamodb",
            "ResourceId": "table/Orders",
            "ScalableDimension": "dynamodb:table:ReadCapacityUnits",
            "MinCapacity": 5,
            "MaxCapacity": 100,
        })
    );
    assert_eq!(target["DependsOn"], "OrdersTable");
    let policy = &resources["OrdersTableReadPolicy"]["Properties"];
    assert_eq!(policy["ScalingTargetId"]["Ref"], "OrdersTableReadTarget");
    let tracking = &policy["TargetTrackingScalingPolicyConfiguration"];
    assert_eq!(tracking["TargetValue"], 60);
    let index = &resources["OrdersTableGSI1WriteTarget"]["Properties"];
    assert_eq!(
        (
            &index["ResourceId"],
            &index["ScalableDimension"],
            &index["MaxCapacity"]
        ),
        (
            &json!("table/Orders/index/GSI1"),
            &json!("dynamodb:index:WriteCapacityUnits"),
            &json!(9)
        )
    );
    let tracking = &resources["OrdersTableGSI1WritePolicy"]["Properties"]["TargetTrackingScalingPolicyConfiguration"];
    assert_eq!(tracking["TargetValue"], 70);
    assert_eq!(resources.as_object().unwrap().len(), 5);
}

#[test]
fn terraform_has_every_setting() {
    let place = Workplace::new();
    let model = place.write("m.keyfold", &full());
    let text = place.text(&["export", "terraform", &model]);
    for part in [
        "read_capacity               = 5\n  write_capacity              = 4\n",
        "table_class                 = \"STANDARD_INFREQUENT_ACCESS\"\n",
        "stream_enabled              = true\n",
        "stream_view_type            = \"NEW_AND_OLD_IMAGES\"\n",
        "deletion_protection_enabled = true\n",
        "  point_in_time_recovery {\n    enabled = true\n  }\n",
        "  tags = {\n    \"cost:center\" = \"x 1\"\n    \"team\"        = \"orders\"\n  }\n",
        "    read_capacity   = 7\n    write_capacity  = 3\n",
        "    ignore_changes = [read_capacity, global_secondary_index]\n",
        "resource \"aws_appautoscaling_target\" \"Orders_read\" {",
        "  resource_id        = \"table/${aws_dynamodb_table.Orders.name}\"\n",
        "  resource_id        = \"table/${aws_dynamodb_table.Orders.name}/index/GSI1\"\n",
        "  scalable_dimension = \"dynamodb:index:WriteCapacityUnits\"\n",
        "resource \"aws_appautoscaling_policy\" \"Orders_GSI1_write\" {",
        "    target_value = 60\n",
        "      predefined_metric_type = \"DynamoDBWriteCapacityUtilization\"\n",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let plain = place.text(&["export", "terraform", &place.write("p.keyfold", PLAIN)]);
    assert!(
        !plain.contains("appautoscaling") && !plain.contains("lifecycle"),
        "{plain}"
    );
}

#[test]
fn documents_and_differences_tell_the_settings() {
    let place = Workplace::new();
    let (plain, full) = (
        place.write("p.keyfold", PLAIN),
        place.write("f.keyfold", &full()),
    );
    for name in ["f.md", "f.html"] {
        place.text(&["docs", &full, "-o", name]);
        let text = std::fs::read_to_string(place.folder.path().join(name)).unwrap();
        for fact in [
            "items expire at expires",
            "capacity: 5..100 read 4 write at 60 percent",
            "stream: new and old images",
            "point in time recovery",
            "deletion protection",
            "class: infrequent access",
            "capacity of GSI1: 7 read 3..9 write at 70 percent",
            "tags: cost:center = x 1, team = orders",
        ] {
            assert!(text.contains(fact), "{name}: {fact}\n{text}");
        }
    }
    let changes = |old: &str, new: &str| {
        let report = place.json(0, &["diff", old, new]);
        let all = report["changes"].as_array().unwrap().clone();
        all.iter()
            .map(|one| {
                assert_eq!(one["migration"], "definition", "{one}");
                assert_ne!(one["todo"], "", "{one}");
                one["how"].as_str().unwrap().to_owned()
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(
        changes(&plain, &full),
        [
            "its capacity 5 read 5 write becomes 5..100 read 4 write at 60 percent",
            "a stream with new and old images added",
            "point in time recovery added",
            "deletion protection added",
            "its class standard becomes infrequent access",
            "tag cost:center = \"x 1\" added",
            "tag team = \"orders\" added",
            "its capacity that of its table becomes 7 read 3..9 write at 70 percent",
        ]
    );
    assert_eq!(changes(&full, &plain).len(), 8);
    let other = place.write(
        "o.keyfold",
        &std::fs::read_to_string(&full)
            .unwrap()
            .replace("new and old images", "keys")
            .replace("\"orders\"", "\"users\""),
    );
    assert_eq!(
        changes(&full, &other),
        [
            "its stream with new and old images becomes one with keys",
            "tag team = \"orders\" becomes \"users\"",
        ]
    );
}

#[test]
fn a_run_makes_the_tables_and_says_what_it_cannot_make() {
    let place = Workplace::new();
    let model = place.write("m.keyfold", &full());
    let put = ["put", &model, "Order", "id=1", "a=x", "at=2090-01-01"];
    let output = place.run(&put);
    let remarks = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        output.status.success()
            && remarks.contains("note: table Orders is made with the least of its capacity"),
        "{remarks}"
    );
    let again = place.run(&["run", &model, "order", "id=1"]);
    assert!(again.status.success() && !String::from_utf8_lossy(&again.stderr).contains("note:"));
    let other = place.write("o.keyfold", &full().replace("\"orders\"", "\"users\""));
    let error = place.json(1, &["run", &other, "order", "id=1"]);
    let text = error.to_string();
    assert!(text.contains("tag team: the model says"), "{text}");
}

#[test]
fn an_entity_without_a_table_is_repaired() {
    let place = Workplace::new();
    let text = "model m 1\ntable One (PK)\ntable \"app.two\" (PK)\nentity A\n  a: string\n  key  \"A#{a}\"\npattern a(a)  -> A?\n";
    let model = place.write("m.keyfold", text);
    let error = place.json(3, &["check", &model]);
    assert!(
        error.to_string().contains("does not say its table"),
        "{error}"
    );
    // Its key fits both tables: a person decides.
    place.json(3, &["check", &model, "--fix"]);
    assert_eq!(std::fs::read_to_string(&model).unwrap(), text);
    let clear = text.replace("\"app.two\" (PK)", "\"app.two\" (PK, SK)");
    let model = place.write("clear.keyfold", &clear);
    place.text(&["check", &model, "--fix"]);
    let repaired = std::fs::read_to_string(&model).unwrap();
    assert_eq!(repaired, clear.replace("entity A\n", "entity A in One\n"));
    let only = text.replace("table \"app.two\" (PK)\n", "");
    for text in [
        only.clone(),
        only.replace("entity A\n", "entity A in One\n"),
    ] {
        place.text(&["check", &place.write("only.keyfold", &text)]);
    }
}
