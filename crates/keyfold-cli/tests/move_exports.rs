//! Moves the table of an export to a server, and kills the command meanwhile.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "a test fails by panicking"
)]

mod workplace;

use keyfold_api::{
    DescribeExportInput, DescribeTableInput, ExportFormat, ExportTableToPointInTimeInput, Named,
    PointInTimeRecoverySpecification, PutItemInput, Response, UpdateContinuousBackupsInput,
    WireName as _, known,
};
use keyfold_client::Backend;
use keyfold_types::Item;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use workplace::Workplace;
use workplace::server::Server;

const TABLE: &str = "Notes";
const ITEMS: u64 = 300;

/// A table with items on a server.
fn fill(server: &Server) {
    let backend = server.backend();
    let definition = definition();
    let body = keyfold_wire::decode(
        keyfold_api::Operation::CreateTable,
        definition.to_string().as_bytes(),
    );
    backend.call(body.unwrap()).unwrap();
    for number in 0..ITEMS {
        put(&backend, number, "first");
    }
}

fn definition() -> serde_json::Value {
    json!({
        "TableName": TABLE,
        "AttributeDefinitions": [{ "AttributeName": "id", "AttributeType": "S" }],
        "KeySchema": [{ "AttributeName": "id", "KeyType": "HASH" }],
        "BillingMode": "PAY_PER_REQUEST",
    })
}

fn put(backend: &Backend, number: u64, text: &str) {
    let text = format!("{text} {}", "x".repeat(4_000));
    let item = Item::from_iter([("id", format!("n{number}")), ("text", text)]);
    let input = PutItemInput {
        table_name: Some(TABLE.to_owned()),
        item: Some(Ok(item)),
        ..PutItemInput::default()
    };
    backend.call(input.into()).unwrap();
}

/// Exports the table of a server to a bucket, and returns the folder of the export.
fn export(backend: &Backend, buckets: &Path, format: ExportFormat) -> PathBuf {
    let backups = UpdateContinuousBackupsInput {
        table_name: Some(TABLE.to_owned()),
        point_in_time_recovery_specification: Some(PointInTimeRecoverySpecification {
            point_in_time_recovery_enabled: Some(true),
            recovery_period_in_days: None,
        }),
    };
    backend.call(backups.into()).unwrap();
    let input = DescribeTableInput {
        table_name: Some(TABLE.to_owned()),
    };
    let Response::DescribeTable(table) = backend.call(input.into()).unwrap() else {
        panic!("the operation has its own answer");
    };
    let input = ExportTableToPointInTimeInput {
        table_arn: table.table_arn,
        s3_bucket: Some("out".to_owned()),
        s3_prefix: Some("some/prefix".to_owned()),
        export_format: Some(Named::Known(format)),
        ..ExportTableToPointInTimeInput::default()
    };
    let Response::ExportTableToPointInTime(begun) = backend.call(input.into()).unwrap() else {
        panic!("the operation has its own answer");
    };
    let arn = begun.export_description.unwrap().export_arn.unwrap();
    let id = arn.rsplit('/').next().unwrap().to_owned();
    loop {
        let input = DescribeExportInput {
            export_arn: Some(arn.clone()),
        };
        let Response::DescribeExport(now) = backend.call(input.into()).unwrap() else {
            panic!("the operation has its own answer");
        };
        let now = now.export_description.unwrap();
        match known(&now.export_status).unwrap().word() {
            "IN_PROGRESS" => std::thread::sleep(Duration::from_millis(20)),
            "COMPLETED" => break,
            _ => panic!("{now:?}"),
        }
    }
    buckets.join("out/some/prefix/AWSDynamoDB").join(id)
}

/// The message of a command that is refused.
fn refusal(place: &Workplace, code: i32, arguments: &[&str]) -> String {
    let document = place.json(code, arguments);
    document["error"]["message"].as_str().unwrap().to_owned()
}

#[test]
fn an_export_is_moved_over_kills_and_completed() {
    let place = Workplace::new();
    let buckets = place.folder.path().join("buckets");
    std::fs::create_dir(&buckets).unwrap();
    let from = Server::start(&["--buckets", &buckets.display().to_string()]);
    let to = Server::start(&[]);
    fill(&from);
    let folder = export(&from.backend(), &buckets, ExportFormat::DynamodbJson);
    drop(from);
    let place_of = "export:buckets/out/some/prefix";
    let both = [place_of, to.endpoint.as_str()];
    let run = [&["move"][..], &both].concat();
    let said = refusal(&place, 1, &run);
    assert!(said.contains("which key the table Notes has"), "{said}");
    std::fs::write(folder.join("table.json"), definition().to_string()).unwrap();

    for millis in [400, 800] {
        let mut command = place.command(&[&run[..], &["--rate", "400"]].concat());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        std::thread::sleep(Duration::from_millis(millis));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let done = place.json(0, &run);
    assert_eq!(done["isEven"], true, "{done}");
    assert_eq!(done["tables"][0]["follows"], false, "{done}");
    let verify = [&["move", "verify"][..], &both].concat();
    let equal = place.json(0, &verify);
    assert_eq!(equal["tables"][0]["sourceItems"], ITEMS, "{equal}");
    assert_eq!(equal["tables"][0]["targetItems"], ITEMS, "{equal}");

    put(&to.backend(), 7, "other");
    let document = place.json(1, &verify);
    let found = &document["result"]["tables"][0]["differences"];
    assert_eq!(found[0]["attributes"], json!(["text"]), "{document}");
    assert_eq!(found.as_array().unwrap().len(), 1, "{document}");
    let complete = [&["move", "complete"][..], &both, &["--yes"]].concat();
    let said = refusal(&place, 1, &complete);
    assert!(said.contains("1 difference"), "{said}");
    put(&to.backend(), 7, "first");
    for word in ["switch", "reverse"] {
        let said = refusal(
            &place,
            1,
            &[&["move", word][..], &both, &["--yes"]].concat(),
        );
        assert!(said.contains("there is nothing to switch"), "{said}");
    }
    place.json(0, &complete);
    let said = refusal(&place, 1, &run);
    assert!(said.contains("which no move has made"), "{said}");
}

#[test]
fn an_export_as_ion_is_moved_to_a_folder() {
    let place = Workplace::new();
    let buckets = place.folder.path().join("buckets");
    std::fs::create_dir(&buckets).unwrap();
    let from = Server::start(&["--buckets", &buckets.display().to_string()]);
    fill(&from);
    let folder = export(&from.backend(), &buckets, ExportFormat::Ion);
    std::fs::write(folder.join("table.json"), definition().to_string()).unwrap();
    let text = format!("export:{}", folder.display());
    let both = [text.as_str(), "keyfold:data"];
    place.json(0, &[&["move"][..], &both].concat());
    place.json(0, &[&["move", "verify"][..], &both].concat());
    place.json(0, &[&["move", "complete"][..], &both, &["--yes"]].concat());
    // The folder has the items of the server.
    let server = [from.endpoint.as_str(), "keyfold:data"];
    place.json(0, &[&["move", "verify"][..], &server].concat());
}

#[test]
fn an_export_is_neither_written_nor_followed() {
    let place = Workplace::new();
    let to = Server::start(&[]);
    let said = refusal(&place, 2, &["move", &to.endpoint, "export:x"]);
    assert!(said.contains("`export:x` is read only"), "{said}");
    let said = refusal(&place, 2, &["move", "export:x", &to.endpoint, "--follow"]);
    assert!(said.contains("has no changes to follow"), "{said}");
    let said = refusal(&place, 1, &["move", "export:x", &to.endpoint]);
    assert!(said.contains("x is no export"), "{said}");
    // A wrong one makes nothing in the target.
    place.write("x/AWSDynamoDB/01-a/_started", "");
    let said = refusal(&place, 1, &["move", "export:x", "keyfold:data"]);
    assert!(said.contains("written last"), "{said}");
    assert!(!place.folder.path().join("data").exists());
}
