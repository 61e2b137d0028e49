//! Exports of a test's own making are moved, compared, and refused when something in them is wrong.

use super::proof::prove;
use super::*;
use crate::run::{Ended, carry_on};
use crate::sides::Side;
use crate::tables;
use crate::threads::{Called, Threads};
use crate::verify::{Comparison, Difference, compare};
use crate::{MOVING_AGENT, Options, Progress, complete, prepare};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use keyfold_api::{DeleteItemInput, DescribeTableInput, PutItemInput, ScanInput};
use keyfold_client::{Backend, blocked};
use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use keyfold_types::{KeyKind, Number, Set, Value};
use md5::{Digest, Md5};
use serde_json::{Value as Json, json};
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

mod round;

const ARN: &str = "arn:aws:dynamodb:eu-west-1:123456789012:table/Notes";

/// An export in a folder of its own, whose files a test may change.
struct Made {
    folder: tempfile::TempDir,
    /// The lines of the files.
    files: Vec<Vec<String>>,
}

fn line(item: &Item) -> String {
    let mut line = b"{\"Item\":".to_vec();
    keyfold_wire::encode::encode_item(&mut line, item);
    String::from_utf8(line).unwrap() + "}"
}

fn digest(bytes: &[u8]) -> String {
    STANDARD.encode(Md5::digest(bytes))
}

impl Made {
    fn of(files: &[Vec<Item>]) -> Made {
        let made = Made {
            folder: tempfile::tempdir().unwrap(),
            files: files
                .iter()
                .map(|items| items.iter().map(line).collect())
                .collect(),
        };
        std::fs::create_dir_all(made.root().join("data")).unwrap();
        made.write();
        made.define(KeyKind::S);
        made
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("AWSDynamoDB/01-abc")
    }

    fn file(&self, at: usize) -> PathBuf {
        self.root().join(format!("data/f{at}.json.gz"))
    }

    /// Writes all files, with manifests that are true of them.
    fn write(&self) {
        for (at, lines) in self.files.iter().enumerate() {
            let mut out = GzEncoder::new(Vec::new(), Compression::fast());
            for line in lines {
                writeln!(out, "{line}").unwrap();
            }
            std::fs::write(self.file(at), out.finish().unwrap()).unwrap();
        }
        self.list(|_, _| {});
        self.sum_up(|_| {});
    }

    fn put(&self, name: &str, text: &str) {
        let path = self.root().join(name);
        std::fs::write(path.with_extension("json"), text).unwrap();
        std::fs::write(path.with_extension("checksum"), digest(text.as_bytes())).unwrap();
    }

    /// Writes the list of the data files, each of which a test may change.
    fn list(&self, change: impl Fn(usize, &mut Json)) {
        let files = self.files.iter().enumerate().map(|(at, lines)| {
            let bytes = std::fs::read(self.file(at)).unwrap();
            let mut json = json!({
                "itemCount": lines.len(),
                "md5Checksum": digest(&bytes),
                "etag": "e-1",
                "dataFileS3Key": format!("some/prefix/AWSDynamoDB/01-abc/data/f{at}.json.gz"),
            });
            change(at, &mut json);
            format!("{json}\n")
        });
        self.put("manifest-files", &files.collect::<String>());
    }

    fn sum_up(&self, change: impl Fn(&mut Json)) {
        let items: usize = self.files.iter().map(Vec::len).sum();
        let mut json = json!({
            "version": "2020-06-30",
            "exportArn": format!("{ARN}/export/01-abc"),
            "tableArn": ARN,
            "tableId": "8d5fe49d",
            "exportType": "FULL_EXPORT",
            "itemCount": items,
            "billedSizeBytes": 1000,
            "outputFormat": "DYNAMODB_JSON",
        });
        change(&mut json);
        self.put("manifest-summary", &json.to_string());
    }

    fn define(&self, kind: KeyKind) {
        self.define_as(&json!({ "Table": definition(kind) }));
    }

    fn define_as(&self, json: &Json) {
        std::fs::write(self.root().join(DEFINITION), json.to_string()).unwrap();
    }

    fn open(&self) -> Result<Arc<Exports>, ClientError> {
        let exports = Exports::open(self.folder.path(), &[])?;
        exports.prove()?;
        Ok(Arc::new(exports))
    }

    /// The sentence by which the export is refused.
    fn refusal(&self) -> String {
        self.open().err().map(|error| error.to_string()).unwrap()
    }
}

fn definition(kind: KeyKind) -> Json {
    json!({
        "TableName": "Notes",
        "AttributeDefinitions": [
            { "AttributeName": "pk", "AttributeType": kind.descriptor() },
            { "AttributeName": "sk", "AttributeType": "N" },
        ],
        "KeySchema": [
            { "AttributeName": "pk", "KeyType": "HASH" },
            { "AttributeName": "sk", "KeyType": "RANGE" },
        ],
        "BillingModeSummary": { "BillingMode": "PAY_PER_REQUEST" },
    })
}

fn note(pk: &str, sk: i64) -> Item {
    let mut item = Item::from_iter([("pk", pk), ("text", "x")]);
    item.insert("sk", sk);
    item
}

fn notes(file: i64, count: i64) -> Vec<Item> {
    (0..count).map(|at| note("p", file * 1_000 + at)).collect()
}

/// A value of any type.
fn value(rng: &mut fastrand::Rng, depth: u32) -> Value {
    let numbers = [
        "12345678901234567890123456789012345678",
        "-9.9999999999999999999999999999999999999E+125",
        "1E-130",
        "0",
    ];
    let number = |rng: &mut fastrand::Rng| -> Number { numbers[rng.usize(..4)].parse().unwrap() };
    let bytes =
        |rng: &mut fastrand::Rng| -> Vec<u8> { (0..rng.usize(1..5)).map(|_| rng.u8(..)).collect() };
    let text = |rng: &mut fastrand::Rng| format!("é\u{10ffff}\"\\\n{}", rng.u8(..));
    match rng.u8(..if depth == 0 { 8 } else { 10 }) {
        0 => Value::from(text(rng)),
        1 => Value::N(number(rng)),
        2 => Value::B(bytes(rng)),
        3 => Value::Bool(rng.bool()),
        4 => Value::Null,
        5 => Value::Ss(Set::new(vec![text(rng), "b".to_owned()]).unwrap()),
        6 => Value::Ns(Set::new(vec![number(rng), "7".parse().unwrap()]).unwrap()),
        7 => Value::Bs(Set::new(vec![bytes(rng), vec![0; 9]]).unwrap()),
        8 => Value::L((0..3).map(|_| value(rng, depth - 1)).collect()),
        _ => Value::M(
            (0..3)
                .map(|at| (format!("k{at}"), value(rng, depth - 1)))
                .collect(),
        ),
    }
}

fn generated(rng: &mut fastrand::Rng, kind: KeyKind, at: usize) -> Item {
    let mut item = Item::new();
    let key = match kind {
        KeyKind::S => Value::from(format!("p{}", at % 7)),
        KeyKind::N => Value::n(&format!("{}.25", at % 7)).unwrap(),
        KeyKind::B => Value::B(vec![0xff, (at % 7) as u8]),
    };
    item.insert("pk", key);
    item.insert(
        "sk",
        Value::n(&format!("12345678901234567890123456789{at:04}")).unwrap(),
    );
    for name in ["a", "b", "c"] {
        let value = value(rng, 3);
        item.insert(name, value);
    }
    item
}

fn engine() -> Arc<Backend> {
    let options = EngineOptions {
        background: false,
        agent: MOVING_AGENT.to_owned(),
        ..EngineOptions::new(StoreOptions::Memory)
    };
    Arc::new(Backend::Embedded(Arc::new(Engine::open(options).unwrap())))
}

fn places(exports: &Arc<Exports>, target: &Arc<Backend>) -> (Arc<Threads>, Arc<Progress>) {
    let progress = Arc::new(Progress::default());
    let sides = [
        Side::Export(Arc::clone(exports)),
        Side::Tables(Arc::clone(target)),
    ];
    let called = Called {
        places: ["e", "t"].map(str::to_owned),
        rights: "",
    };
    (
        Threads::new(sides, called, Arc::clone(&progress), Instant::now()),
        progress,
    )
}

/// Moves the table, and ends when it is copied.
fn moved(
    exports: &Arc<Exports>,
    target: &Arc<Backend>,
    page: Option<u32>,
) -> Result<Ended, ClientError> {
    let (world, progress) = places(exports, target);
    let options = Options {
        page,
        step_time: Duration::from_millis(1),
        ..Options::new("Notes")
    };
    let found = blocked(tables::look(&*world, "Notes"))?;
    blocked(prepare(&*world, &options, &found, None))?;
    let of = (found.schema, None);
    let ended = blocked(carry_on(
        Arc::clone(&world) as _,
        options,
        of,
        Arc::clone(&progress),
    ));
    progress.stop();
    world.join();
    ended
}

fn compared(exports: &Arc<Exports>, target: &Arc<Backend>) -> Vec<(Item, Difference)> {
    let (world, progress) = places(exports, target);
    let found = blocked(tables::look(&*world, "Notes")).unwrap();
    let comparison = Comparison {
        table: "Notes".to_owned(),
        schema: found.schema,
        page: Some(7),
        lag: Duration::from_millis(1),
        rate: None,
        most: 100,
    };
    let compared = blocked(compare(&*world, &comparison, &progress)).unwrap();
    assert!(compared.undecided.is_empty());
    compared.differences
}

fn scanned(target: &Backend) -> Vec<Item> {
    let input = ScanInput {
        table_name: Some("Notes".to_owned()),
        ..ScanInput::default()
    };
    let Response::Scan(page) = target.call(input.into()).unwrap() else {
        panic!("a scan has its own answer");
    };
    let items = page.items.unwrap();
    sorted(items.iter().map(|item| item.to_item()).collect())
}

fn sorted(mut items: Vec<Item>) -> Vec<Item> {
    items.sort_by_key(|item| format!("{item:?}"));
    items
}

#[test]
fn an_export_is_moved_and_compared() {
    for (seed, kind) in [KeyKind::S, KeyKind::N, KeyKind::B].into_iter().enumerate() {
        let mut rng = fastrand::Rng::with_seed(seed as u64);
        let mut items: Vec<Item> = (0..90).map(|at| generated(&mut rng, kind, at)).collect();
        let made = Made::of(&[items[..50].to_vec(), Vec::new(), items[50..].to_vec()]);
        made.define(kind);
        let (exports, target) = (made.open().unwrap(), engine());
        assert_eq!(moved(&exports, &target, Some(13)).unwrap(), Ended::Even);
        assert_eq!(compared(&exports, &target), []);
        assert_eq!(scanned(&target), sorted(items.clone()));
        // What differs is named.
        let delete = DeleteItemInput {
            table_name: Some("Notes".to_owned()),
            key: Some(Ok(exports.tables[0].schema.key_of(&items[60]))),
            ..DeleteItemInput::default()
        };
        target.call(delete.into()).unwrap();
        items[3].insert("a", "changed");
        let extra = generated(&mut rng, kind, 500);
        for item in [items[3].clone(), extra] {
            let put = PutItemInput {
                table_name: Some("Notes".to_owned()),
                item: Some(Ok(item)),
                ..PutItemInput::default()
            };
            target.call(put.into()).unwrap();
        }
        let kinds: Vec<Difference> = compared(&exports, &target)
            .into_iter()
            .map(|(_, one)| one)
            .collect();
        assert_eq!(kinds.len(), 3, "{kinds:?}");
        for one in [
            Difference::Missing,
            Difference::Extra,
            Difference::Attributes(vec!["a".to_owned()]),
        ] {
            assert!(kinds.contains(&one), "{kinds:?}");
        }
    }
}

/// Each page is asked for by another process, which has no open file.
#[test]
fn a_scan_goes_on_behind_any_key() {
    let made = Made::of(&[notes(0, 11), notes(1, 5), notes(2, 7)]);
    for of in [1, 2, 5] {
        let mut all = Vec::new();
        for segment in 0..of {
            let mut after = None;
            loop {
                let input = ScanInput {
                    table_name: Some("Notes".to_owned()),
                    limit: Some(3),
                    segment: (of > 1).then_some(segment),
                    total_segments: (of > 1).then_some(of),
                    exclusive_start_key: after.map(Ok),
                    ..ScanInput::default()
                };
                let page = made.open().unwrap().tables[0].scan(&input).unwrap();
                all.extend(page.items.unwrap().iter().map(|item| item.to_item()));
                after = page.last_evaluated_key;
                if after.is_none() {
                    break;
                }
            }
        }
        let items = [notes(0, 11), notes(1, 5), notes(2, 7)].concat();
        assert_eq!(sorted(all), sorted(items), "{of} segments");
    }
    let input = ScanInput {
        table_name: Some("Notes".to_owned()),
        exclusive_start_key: Some(Ok(note("q", 1))),
        ..ScanInput::default()
    };
    let error = made.open().unwrap().tables[0].scan(&input).unwrap_err();
    assert!(error.to_string().contains("it is another one"), "{error}");
}

/// Eighty items in two files.
fn items() -> [Vec<Item>; 2] {
    [notes(0, 40), notes(1, 40)]
}

fn check_refused(made: &Made, parts: &[&str]) {
    let said = made.refusal();
    for part in parts {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn a_wrong_export_is_refused_with_its_place() {
    let made = Made::of(&items());
    std::fs::remove_file(made.file(1)).unwrap();
    check_refused(
        &made,
        &["f1.json.gz is not there", "manifest-files.json, line 2"],
    );

    // A byte of the compressed data, of its checksum, and of what stands behind it.
    let whole = Made::of(&items());
    let bytes = std::fs::read(whole.file(1)).unwrap();
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        std::fs::write(whole.file(1), &changed).unwrap();
        check_refused(&whole, &["f1.json.gz"]);
    }
    for length in 0..bytes.len() {
        std::fs::write(whole.file(1), &bytes[..length]).unwrap();
        check_refused(&whole, &["f1.json.gz"]);
    }
    std::fs::write(whole.file(1), &bytes[..bytes.len() - 30]).unwrap();
    check_refused(&whole, &["f1.json.gz, line ", "cannot be read on"]);
    std::fs::write(whole.file(1), [&bytes[..], b"x"].concat()).unwrap();
    check_refused(&whole, &["f1.json.gz, line 41", "cannot be read on"]);
}

#[test]
fn wrong_items_and_counts_are_refused_with_their_place() {
    let made = Made::of(&[
        items()[0].clone(),
        [items()[1].clone(), vec![note("p", 7)]].concat(),
    ]);
    check_refused(
        &made,
        &[
            "f1.json.gz, line 41",
            "the key of that of",
            "f0.json.gz, line 8",
        ],
    );

    let made = Made::of(&items());
    made.list(|at, json| {
        if at == 1 {
            json["itemCount"] = json!(41);
        }
    });
    check_refused(&made, &["says that the export has 80 items", "have 81"]);
    made.sum_up(|json| json["itemCount"] = json!(81));
    check_refused(&made, &["f1.json.gz has 40 items", "line 2 says 41"]);

    let mut made = Made::of(&items());
    made.files[1][4] = line(&Item::from_iter([("pk", "p")]));
    made.write();
    check_refused(&made, &["f1.json.gz, line 5", "the item has no `sk`"]);
    made.files[1][4] = line(&Item::from_iter([("pk", "p"), ("sk", "1")]));
    made.write();
    check_refused(
        &made,
        &[
            "f1.json.gz, line 5",
            "`sk` of the item is of type S",
            "has N",
        ],
    );
    made.files[1][4] = line(&note("", 1));
    made.write();
    check_refused(&made, &["f1.json.gz, line 5", "`pk` of the item is empty"]);
    for text in [
        "{\"Item\":{\"pk\":{\"S\":\"p\"}",
        "",
        "{\"Item\":{\"pk\":{\"S\":1}}}",
        "{}",
    ] {
        made.files[1][4] = text.to_owned();
        made.write();
        check_refused(&made, &["f1.json.gz, line 5: it is no"]);
    }
}

#[test]
fn a_wrong_manifest_is_refused() {
    let says = |made: &Made, part: &str| {
        let said = made.refusal();
        assert!(said.contains(part), "{part}: {said}");
    };
    let made = Made::of(&[notes(0, 3)]);
    for name in ["manifest-files.json", "manifest-summary.json"] {
        let path = made.root().join(name);
        let before = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, before.replace("itemCount\":3", "itemCount\":2")).unwrap();
        says(&made, &format!("{name} is not as it was written"));
        std::fs::write(&path, before).unwrap();
    }
    let stray = made.root().join("data/stray.json.gz");
    std::fs::write(&stray, "").unwrap();
    says(&made, "stray.json.gz is in no line");
    std::fs::remove_file(stray).unwrap();
    for key in [
        "AWSDynamoDB/01-abc/data/..",
        "data/../f0.json.gz",
        "f0.json.gz",
        "data/",
    ] {
        made.list(|_, json| json["dataFileS3Key"] = json!(key));
        says(&made, "is no key of a data file");
    }
    made.list(|_, _| {});
    std::fs::remove_file(made.root().join("manifest-files.checksum")).unwrap();
    says(&made, "has no manifest-files.checksum beside it");
    made.list(|_, _| {});
    made.sum_up(|json| json["exportType"] = json!("INCREMENTAL_EXPORT"));
    says(&made, "is an incremental export, which is not applied");
    std::fs::remove_file(made.root().join("manifest-summary.json")).unwrap();
    says(&made, "has no manifest-summary.json, which is written last");
}

#[test]
fn another_export_is_another_source() {
    let (mut made, target) = (Made::of(&[notes(0, 3)]), engine());
    moved(&made.open().unwrap(), &target, None).unwrap();
    made.files = vec![notes(0, 4).iter().map(line).collect()];
    made.write();
    let error = moved(&made.open().unwrap(), &target, None).unwrap_err();
    assert!(
        error.to_string().contains("begun from another table"),
        "{error}"
    );
}

/// Of many keys, a part is held at a time.
#[test]
fn a_doubled_key_is_found_in_every_part() {
    for at in 0..20 {
        let made = Made::of(&[notes(0, 20), vec![note("p", at)]]);
        let exports = Exports::open(made.folder.path(), &[]).unwrap();
        let error = prove(&exports.tables[0], 4).unwrap_err().to_string();
        assert!(error.contains("f1.json.gz, line 1"), "{error}");
        assert!(
            error.contains(&format!("f0.json.gz, line {}", at + 1)),
            "{error}"
        );
    }
}

#[test]
fn a_definition_has_three_forms() {
    let made = Made::of(&[notes(0, 3)]);
    let mut body = definition(KeyKind::S);
    let members = body.as_object_mut().unwrap();
    members.remove("BillingModeSummary");
    members.insert("BillingMode".to_owned(), json!("PAY_PER_REQUEST"));
    let expiry = json!({ "AttributeName": "until", "Enabled": true });
    members.insert("TimeToLiveSpecification".to_owned(), expiry);
    members.insert("Tags".to_owned(), json!([{ "Key": "team", "Value": "a" }]));
    let resource = json!({ "Type": "AWS::DynamoDB::Table", "Properties": body });
    for form in [body, json!({ "Resources": { "One": resource } })] {
        made.define_as(&form);
        let (exports, target) = (made.open().unwrap(), engine());
        moved(&exports, &target, None).unwrap();
        let (world, _) = places(&exports, &target);
        let found = blocked(tables::look(&*world, "Notes")).unwrap();
        assert_eq!(found.expiry.as_deref(), Some("until"));
        assert_eq!(found.tags.len(), 1);
        blocked(complete(&*world, &Options::new("Notes"), &found)).unwrap();
        let input = DescribeTableInput {
            table_name: Some("Notes".to_owned()),
        };
        let Response::DescribeTable(table) = target.call(input.into()).unwrap() else {
            panic!("the operation has its own answer");
        };
        assert_eq!(table.key_schema.unwrap().len(), 2);
    }
    for (form, why) in [
        (json!({ "KeySchema": 1 }), "it defines no table"),
        (json!({ "Resources": {} }), "it has no table Notes"),
        (json!([]), "it has no table Notes"),
        (
            json!({ "Table": { "TableName": "Other", "KeySchema": [] } }),
            "it defines the table Other",
        ),
        (
            json!({ "Table": { "TableName": "Notes" } }),
            "describes no key",
        ),
    ] {
        made.define_as(&form);
        let said = made.refusal();
        assert!(said.contains(why) && said.contains("table.json"), "{said}");
    }
    std::fs::remove_file(made.root().join(DEFINITION)).unwrap();
    let said = made.refusal();
    assert!(
        said.contains("does not say which key the table Notes has"),
        "{said}"
    );
    assert!(said.contains("describe-table --table-name Notes"), "{said}");
}
