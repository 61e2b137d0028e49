//! Moves the table of an export to a server, and tables of a server to exports, and kills the command meanwhile.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "a test fails by panicking"
)]

mod workplace;

use keyfold_api::{
    DescribeExportInput, DescribeImportInput, DescribeTableInput, ExportFormat,
    ExportTableToPointInTimeInput, Named, PointInTimeRecoverySpecification, PutItemInput, Response,
    UpdateContinuousBackupsInput, WireName as _, known,
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
    for arguments in [&["pause"][..], &["complete", "--yes"]] {
        let arguments = [&["move"], arguments, &[&to.endpoint, "export:x"]].concat();
        let said = refusal(&place, 2, &arguments);
        assert!(
            said.contains("nothing is paused, completed or changed"),
            "{said}"
        );
    }
    for word in ["switch", "reverse"] {
        let said = refusal(
            &place,
            1,
            &["move", word, &to.endpoint, "export:x", "--yes"],
        );
        assert!(said.contains("there is nothing to switch"), "{said}");
    }
    let said = refusal(&place, 2, &["move", "export:x", &to.endpoint, "--follow"]);
    assert!(said.contains("has no changes to follow"), "{said}");
    let said = refusal(&place, 1, &["move", "export:x", &to.endpoint]);
    assert!(said.contains("x is no export"), "{said}");
    for both in [
        ["export:", to.endpoint.as_str()],
        [to.endpoint.as_str(), "Export:"],
    ] {
        let said = refusal(&place, 2, &[&["move"], &both[..]].concat());
        assert!(said.contains("names no folder of exports"), "{said}");
    }
    let said = refusal(&place, 2, &["move", "exprot:x", &to.endpoint]);
    assert!(
        said.ends_with("keyfold:./data or export:./folder"),
        "{said}"
    );
    let abort = [
        "move",
        "abort",
        "keyfold:x",
        &to.endpoint,
        "--yes",
        "--foreign",
    ];
    let said = refusal(&place, 2, &abort);
    assert!(said.contains("--foreign is about exports"), "{said}");
    // A wrong one makes nothing in the target.
    place.write("x/AWSDynamoDB/01-a/_started", "");
    let said = refusal(&place, 1, &["move", "export:x", "keyfold:data"]);
    assert!(said.contains("written last"), "{said}");
    assert!(!place.folder.path().join("data").exists());
}

/// A second table, whose name has all signs that a name may have.
const ODD: &str = "Odd.name-1_x";

fn create_odd(server: &Server) {
    let mut odd = definition();
    odd["TableName"] = json!(ODD);
    let body = odd.to_string();
    let create = keyfold_wire::decode(keyfold_api::Operation::CreateTable, body.as_bytes());
    server.backend().call(create.unwrap()).unwrap();
}

/// Imports the table of an export by ImportTable, and returns the number of its items.
fn imported(buckets: &Path, root: &Path) -> i64 {
    let server = Server::start(&["--buckets", &buckets.display().to_string()]);
    let backend = server.backend();
    let below = root.strip_prefix(buckets.join("out")).unwrap();
    let mut parameters = definition();
    parameters["TableName"] = json!("Imported");
    let body = json!({
        "S3BucketSource": { "S3Bucket": "out", "S3KeyPrefix": format!("{}/data/", below.display()) },
        "InputFormat": "DYNAMODB_JSON",
        "InputCompressionType": "GZIP",
        "TableCreationParameters": parameters,
    });
    let body = body.to_string();
    let import = keyfold_wire::decode(keyfold_api::Operation::ImportTable, body.as_bytes());
    let Response::ImportTable(begun) = backend.call(import.unwrap()).unwrap() else {
        panic!("the operation has its own answer");
    };
    let arn = begun.import_table_description.unwrap().import_arn;
    loop {
        let input = DescribeImportInput {
            import_arn: arn.clone(),
        };
        let Response::DescribeImport(now) = backend.call(input.into()).unwrap() else {
            panic!("the operation has its own answer");
        };
        let now = now.import_table_description.unwrap();
        match known(&now.import_status).unwrap().word() {
            "IN_PROGRESS" => std::thread::sleep(Duration::from_millis(20)),
            "COMPLETED" => break now.imported_item_count.unwrap(),
            _ => panic!("{now:?}"),
        }
    }
}

#[test]
fn tables_become_exports_over_kills() {
    let place = Workplace::new();
    let from = Server::start(&[]);
    fill(&from);
    create_odd(&from);
    let both = [from.endpoint.as_str(), "export:out"];
    let run = [&["move"][..], &both].concat();
    let said = refusal(&place, 1, &run);
    assert!(said.contains("--writers-stopped"), "{said}");
    assert!(!place.folder.path().join("out").exists());
    let run = [&run[..], &["--writers-stopped"]].concat();

    let named = ["--table", TABLE];
    let read = ["move", "export:out", "keyfold:data"];
    for millis in [200, 400, 600] {
        let mut command = place.command(&[&run[..], &["--rate", "100"]].concat());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        std::thread::sleep(Duration::from_millis(millis));
        // A page waits for seconds at this rate.
        child.kill().unwrap();
        child.wait().unwrap();
        refusal(&place, 1, &read);
        refusal(&place, 1, &[&read[..], &named].concat());
        assert!(!place.folder.path().join("data").exists());
    }
    // Whatever the kills have left, there is a note from here on.
    let begun = place
        .folder
        .path()
        .join("out/AWSDynamoDB/keyfold-move.json");
    if begun.exists() {
        let status = place.json(0, &[&["move", "status"][..], &both].concat());
        assert_eq!(status["tables"].as_array().unwrap().len(), 2, "{status}");
        let other = [&run[..], &named].concat();
        let said = refusal(&place, 1, &other);
        assert!(said.contains("of other tables"), "{said}");
        // Whoever gives them up names their source, or says that any will do.
        let elsewhere = ["move", "abort", "http://127.0.0.1:9", "export:out", "--yes"];
        let said = refusal(&place, 1, &elsewhere);
        let named = format!("are of {}, and not of http://127.0.0.1:9", from.endpoint);
        assert!(
            said.contains("nothing was deleted") && said.contains(&named),
            "{said}"
        );
        assert!(begun.exists());
        place.json(0, &[&["move", "abort"][..], &both, &["--yes"]].concat());
        let said = refusal(&place, 4, &[&["move", "resume"][..], &both].concat());
        assert!(said.contains("an export is complete when"), "{said}");
    }
    let done = place.json(0, &[&run[..], &["--report", "r.md"]].concat());
    assert_eq!(done["isEven"], true, "{done}");
    assert_eq!(done["tables"][0]["items"], ITEMS, "{done}");
    assert!(!begun.exists());
    let report = std::fs::read_to_string(place.folder.path().join("r.md")).unwrap();
    for part in [
        "All tables are exported",
        "An export is a stopped copy",
        ODD,
    ] {
        let part = part.replace('_', "\\_");
        assert!(report.contains(&part), "{part}: {report}");
    }
    let said = refusal(&place, 1, &run);
    assert!(said.contains("is an export of the table"), "{said}");
    assert!(said.contains("already: name another folder"), "{said}");

    let verify = [&["move", "verify"][..], &both].concat();
    let equal = place.json(0, &verify);
    assert_eq!(equal["tables"].as_array().unwrap().len(), 2, "{equal}");
    put(&from.backend(), 7, "other");
    let document = place.json(1, &verify);
    let found = &document["result"]["tables"][0]["differences"];
    assert_eq!(found[0]["attributes"], json!(["text"]), "{document}");
    put(&from.backend(), 7, "first");

    place.json(0, &read);
    let back = [from.endpoint.as_str(), "keyfold:data"];
    place.json(0, &[&["move", "verify"][..], &back].concat());
    let root = done["tables"][0]["export"].as_str().unwrap();
    let root = place.folder.path().join(root);
    assert_eq!(imported(place.folder.path(), &root), ITEMS as i64);
    // A data folder has no other writers, and an export is a source, too.
    place.json(0, &["move", "keyfold:data", "export:second"]);
    place.json(0, &["move", "export:second", "export:third"]);
    for word in [&["move"][..], &["move", "verify"]] {
        let said = refusal(
            &place,
            2,
            &[word, &["export:third", "export:./third"]].concat(),
        );
        assert!(said.contains("are one place"), "{said}");
    }
    place.json(0, &["move", "verify", &from.endpoint, "export:third"]);
    let said = refusal(&place, 1, &["move", "keyfold:data", "export:data"]);
    assert!(said.contains("is a data folder of Keyfold"), "{said}");
}

/// A run at a rate of which one page lasts for minutes has begun both exports, and ends none. Nothing but the word of
/// the source gives them up.
#[test]
fn exports_are_given_up_for_their_own_source() {
    let place = Workplace::new();
    let (from, other) = (Server::start(&[]), Server::start(&[]));
    fill(&from);
    let both = [from.endpoint.as_str(), "export:out"];
    let run = [&["move"][..], &both, &["--writers-stopped", "--rate", "1"]].concat();
    let mut child = place.command(&run);
    let mut child = child
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let note = place
        .folder
        .path()
        .join("out/AWSDynamoDB/keyfold-move.json");
    let deadline = std::time::Instant::now() + Duration::from_secs(60);
    while !note.exists() {
        assert!(std::time::Instant::now() < deadline, "nothing was begun");
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let abort = |from: &str| ["move", "abort", from, "export:out", "--yes"].map(str::to_owned);
    // Behind one address, a profile may have other tables.
    let profile = format!("{}?profile=other", from.endpoint);
    let others = [
        other.endpoint.as_str(),
        profile.as_str(),
        "keyfold:nowhere",
        "export:nowhere",
    ];
    for wrong in others {
        let abort = abort(wrong);
        let abort: Vec<&str> = abort.iter().map(String::as_str).collect();
        let said = refusal(&place, 1, &abort);
        let named = format!("are of {}, and not of ", from.endpoint);
        assert!(
            said.contains("nothing was deleted") && said.contains(&named),
            "{said}"
        );
        assert!(note.exists());
    }
    let read = [
        "move",
        "verify",
        &from.endpoint,
        "export:out",
        "--table",
        TABLE,
    ];
    let said = refusal(&place, 1, &read);
    assert!(
        said.contains("are not all written, of these tables: Notes."),
        "{said}"
    );
    // Those of one command are deleted together, and nobody is to believe otherwise.
    let own = abort(&from.endpoint);
    let own = own.iter().map(String::as_str);
    let of_one: Vec<&str> = own.chain(["--table", TABLE]).collect();
    let said = refusal(&place, 2, &of_one);
    assert!(said.contains("given up together"), "{said}");
    assert!(note.exists());
    // The source may be gone: its name is enough.
    let own = format!("{}/", from.endpoint);
    drop(from);
    let abort = abort(&own);
    place.json(0, &abort.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(!note.exists());
}

/// Each line of a run that writes exports speaks of exports.
#[test]
fn the_lines_of_an_export_name_no_changes() {
    let place = Workplace::new();
    let from = Server::start(&[]);
    fill(&from);
    let run = ["move", &from.endpoint, "export:out", "--writers-stopped"];
    let output = place.command(&run).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    assert!(
        said.contains("1 of 1 tables are exported, 300 items"),
        "{said}"
    );
    assert!(!said.contains("are even"), "{said}");
}

/// The disk is a small file system in memory, in a mount namespace of its own.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_nothing_that_looks_whole() {
    const SCRIPT: &str = r#"
set -e
mount -t tmpfs -o size=64k tmpfs disk
set +e
"$KEYFOLD" move "$FROM" export:disk/out --writers-stopped --json > first; echo $? > first.code
"$KEYFOLD" move export:disk/out keyfold:data --json > read; echo $? > read.code
mount -o remount,size=16m disk
"$KEYFOLD" move "$FROM" export:disk/out --writers-stopped --json > second; echo $? > second.code
"$KEYFOLD" move verify "$FROM" export:disk/out --json > verify; echo $? > verify.code
"#;
    let place = Workplace::new();
    let from = Server::start(&[]);
    fill(&from);
    // Nothing makes these bytes fewer.
    let mut rng = fastrand::Rng::with_seed(7);
    for number in 0..100 {
        let text: String = (0..4_000).map(|_| rng.alphanumeric()).collect();
        put(&from.backend(), number, &text);
    }
    std::fs::create_dir(place.folder.path().join("disk")).unwrap();
    let mut shell = std::process::Command::new("unshare");
    shell.args(["--user", "--mount", "--map-root-user", "sh", "-c", SCRIPT]);
    shell.current_dir(place.folder.path());
    shell.env("KEYFOLD", env!("CARGO_BIN_EXE_keyfold"));
    shell.env("FROM", &from.endpoint);
    let status = shell
        .status()
        .expect("the test needs `unshare` and user namespaces");
    assert!(status.success());
    let of = |name: &str| {
        let text = std::fs::read_to_string(place.folder.path().join(name)).unwrap();
        text.trim().to_owned()
    };
    assert_eq!(of("first.code"), "1", "{}", of("first"));
    let said = of("first");
    assert!(
        said.contains("No space left") && said.contains("is not whole"),
        "{said}"
    );
    assert_eq!(of("read.code"), "1", "{}", of("read"));
    assert!(of("read").contains("are not all written"), "{}", of("read"));
    assert_eq!(of("second.code"), "0", "{}", of("second"));
    assert_eq!(of("verify.code"), "0", "{}", of("verify"));
}
