//! Exports are written of a table, and read again; their writer is ended at each of its files.

use super::super::{Unfinished, Writing, may_export};
use super::*;
use crate::tables::Found;
use keyfold_api::{CreateTableInput, Request};
use keyfold_types::limits::ITEM_BYTES_MAX;
use std::path::Path;

/// What the place of the tables is known by.
const SOURCE: &str = "http://127.0.0.1:1";

/// An engine with a table of items.
fn filled(kind: KeyKind, items: &[Item]) -> Arc<Backend> {
    let backend = engine();
    let body = definition(kind)
        .to_string()
        .replace("BillingModeSummary", "x");
    let mut body: Json = serde_json::from_str(&body).unwrap();
    body.as_object_mut().unwrap().remove("x");
    body["BillingMode"] = json!("PAY_PER_REQUEST");
    body["Tags"] = json!([{ "Key": "of", "Value": "é +-=._:/@" }]);
    let body = body.to_string();
    let create = keyfold_wire::decode(keyfold_api::Operation::CreateTable, body.as_bytes());
    let create = create.unwrap();
    assert!(matches!(
        &create,
        Request::CreateTable(CreateTableInput { .. })
    ));
    backend.call(create).unwrap();
    put_all(&backend, items);
    backend
}

fn put_all(backend: &Backend, items: &[Item]) {
    for item in items {
        let put = PutItemInput {
            table_name: Some("Notes".to_owned()),
            item: Some(Ok(item.clone())),
            ..PutItemInput::default()
        };
        backend.call(put.into()).unwrap();
    }
}

fn world_of(source: &Side) -> (Arc<Threads>, Arc<Progress>) {
    let progress = Arc::new(Progress::default());
    let called = Called {
        places: ["s", "e"].map(str::to_owned),
        rights: "",
    };
    let sides = [source.clone(), source.clone()];
    (
        Threads::new(sides, called, Arc::clone(&progress), Instant::now()),
        progress,
    )
}

fn found_in(source: &Side) -> Found {
    let (world, _) = world_of(source);
    blocked(tables::look(&*world, "Notes")).unwrap()
}

/// Writes an export of the table of a place.
fn export(source: &Side, folder: &Path) -> Result<Ended, ClientError> {
    let (world, progress) = world_of(source);
    let found = blocked(tables::look(&*world, "Notes"))?;
    let writing = Writing::begin(&*world, (SOURCE, folder), std::slice::from_ref(&found))?;
    let ended = blocked(writing.export(&*world, (&found, None), &progress))?;
    assert_eq!(writing.end()?, ended == Ended::Even);
    Ok(ended)
}

fn read(folder: &Path) -> Result<Arc<Exports>, ClientError> {
    let exports = Exports::open(folder, &[])?;
    exports.prove()?;
    Ok(Arc::new(exports))
}

/// All items of an export.
fn items_of(exports: &Exports) -> Vec<Item> {
    let mut items = Vec::new();
    let mut take = |item: Item, _: Vec<u8>, _: &keyfold_transfer::ExportedItems| {
        items.push(item);
        Ok(true)
    };
    exports.tables[0].each(&mut take).unwrap();
    sorted(items)
}

/// The files of a folder, by their names below it.
fn files_of(folder: &Path) -> Vec<PathBuf> {
    let (mut files, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(one) = folders.pop() {
        for entry in std::fs::read_dir(one).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => files.push(path),
            }
        }
    }
    files.sort();
    files
}

#[test]
fn items_go_into_an_export_and_out_of_it() {
    let counts = [0, 1, 70, 7];
    for (seed, count) in (0..).zip(counts) {
        for kind in [KeyKind::S, KeyKind::N, KeyKind::B] {
            let mut rng = fastrand::Rng::with_seed(seed);
            let mut items: Vec<Item> = (0..count).map(|at| generated(&mut rng, kind, at)).collect();
            for (at, name) in (0_u64..).zip([" ", "\u{1f600}\"\\", "a.b[0]#:", "Item", "\n"]) {
                items.iter_mut().for_each(|item| {
                    item.insert(name, Value::n(&at.to_string()).unwrap());
                });
            }
            if let Some(item) = items.first_mut() {
                item.insert("long", "");
                let rest = ITEM_BYTES_MAX - item.size_bytes();
                item.insert("long", "x".repeat(rest as usize));
            }
            let first = Side::Tables(filled(kind, &items));
            let folder = tempfile::tempdir().unwrap();
            let one = folder.path().join("one/two");
            assert_eq!(export(&first, &one).unwrap(), Ended::Even);
            let exports = read(&one).unwrap();
            assert_eq!(items_of(&exports), sorted(items.clone()));
            let found = found_in(&Side::Export(Arc::clone(&exports)));
            assert_eq!(found.tags, found_in(&first).tags);
            assert_eq!(exports.notes, [""; 0]);

            // To another engine, to another export, and from one export to another.
            let second = engine();
            assert_eq!(moved(&exports, &second, Some(13)).unwrap(), Ended::Even);
            assert_eq!(compared(&exports, &second), []);
            for (name, source) in [
                ("three", Side::Tables(second)),
                ("four", Side::Export(exports)),
            ] {
                let other = folder.path().join(name);
                assert_eq!(export(&source, &other).unwrap(), Ended::Even);
                let other = read(&other).unwrap();
                assert_eq!(items_of(&other), sorted(items.clone()));
            }
        }
    }
}

/// The state of the folder behind each file that was written, as of a process that was killed there.
#[test]
fn an_export_that_was_ended_anywhere_is_not_read_and_is_written_anew() {
    let source = Side::Tables(filled(KeyKind::S, &notes(0, 30)));
    let folder = tempfile::tempdir().unwrap();
    let (world, progress) = world_of(&source);
    let found = found_in(&source);
    let tables = std::slice::from_ref(&found);
    let writing = Writing::begin(&*world, (SOURCE, folder.path()), tables).unwrap();
    blocked(writing.export(&*world, (&found, None), &progress)).unwrap();
    let root = writing.root("Notes").unwrap();
    let data = files_of(&root.join("data")).remove(0);
    let note = folder.path().join("AWSDynamoDB/keyfold-move.json");
    // In the order in which they are written.
    let mut order = vec![note.clone()];
    order.push(root.join("_started"));
    order.push(data);
    order.extend(
        [
            "table.json",
            "manifest-files.checksum",
            "manifest-files.json",
        ]
        .map(|name| root.join(name)),
    );
    order
        .extend(["manifest-summary.checksum", "manifest-summary.json"].map(|name| root.join(name)));
    let mut all = order.clone();
    all.sort();
    assert_eq!(files_of(folder.path()), all);

    for count in 0..=order.len() {
        for half in [false, true] {
            let killed = tempfile::tempdir().unwrap();
            std::fs::create_dir(killed.path().join("AWSDynamoDB")).unwrap();
            let files = order.iter().take(count);
            for (at, file) in (1..).zip(files) {
                let to = killed
                    .path()
                    .join(file.strip_prefix(folder.path()).unwrap());
                std::fs::create_dir_all(to.parent().unwrap()).unwrap();
                let mut bytes = std::fs::read(file).unwrap();
                let mut to = to;
                if half && at == count {
                    bytes.truncate(bytes.len() / 2);
                    // These are renamed when they are whole.
                    match to.file_name().unwrap().to_str().unwrap() {
                        "keyfold-move.json" => to.set_extension("part"),
                        name if name.starts_with("manifest-") && name.ends_with("json") => {
                            to.set_extension("json.part")
                        }
                        _ => false,
                    };
                }
                std::fs::write(to, bytes).unwrap();
            }
            let at = format!("{count} files, {half}");
            let said = read(killed.path()).err().map(|error| error.to_string());
            assert!(said.is_some(), "{at}");
            let named = Exports::open(killed.path(), &["Notes".to_owned()]);
            assert_eq!(named.is_ok(), count == order.len() && !half, "{at}");
            assert_eq!(export(&source, killed.path()).unwrap(), Ended::Even, "{at}");
            let exports = read(killed.path()).unwrap();
            assert_eq!(items_of(&exports), sorted(notes(0, 30)), "{at}");
            assert_eq!(exports.notes, [""; 0], "{at}");
            assert!(Unfinished::of(killed.path()).unwrap().is_none(), "{at}");
        }
    }
}

#[test]
fn a_changed_byte_of_a_written_export_is_seen() {
    let source = Side::Tables(filled(KeyKind::S, &notes(0, 30)));
    let folder = tempfile::tempdir().unwrap();
    export(&source, folder.path()).unwrap();
    let mut seen = 0;
    for file in files_of(folder.path()) {
        let name = file.file_name().unwrap().to_str().unwrap();
        if ["_started", DEFINITION].contains(&name) {
            continue;
        }
        let bytes = std::fs::read(&file).unwrap();
        for at in (0..bytes.len()).step_by(7) {
            let mut changed = bytes.clone();
            changed[at] ^= 2;
            std::fs::write(&file, &changed).unwrap();
            assert!(read(folder.path()).is_err(), "{name}, byte {at}");
            seen += 1;
        }
        std::fs::write(&file, &bytes).unwrap();
    }
    assert!(seen > 100, "{seen}");
    assert!(read(folder.path()).is_ok());
}

#[test]
fn a_folder_of_something_else_gets_no_export() {
    let source = Side::Tables(filled(KeyKind::S, &notes(0, 3)));
    let found = found_in(&source);
    let tables = std::slice::from_ref(&found);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let said = |folder: &Path| may_export(folder, tables).unwrap_err().to_string();
    std::fs::write(path.join("file"), "").unwrap();
    assert!(said(path).contains("is not empty"), "{}", said(path));
    assert!(export(&source, &path.join("file")).is_err());
    std::fs::write(path.join("keyfold"), "").unwrap();
    assert!(
        said(path).contains("data folder of Keyfold"),
        "{}",
        said(path)
    );
    let own = path.join("own");
    export(&source, &own).unwrap();
    assert!(
        said(&own).contains("of the table Notes already"),
        "{}",
        said(&own)
    );
    let root = read(&own).unwrap().tables[0].exported.root.clone();
    assert!(
        said(&root).contains("is an export itself"),
        "{}",
        said(&root)
    );
    // The folder of all exports stands for the one above it.
    let below = path.join("below/AWSDynamoDB");
    export(&source, &below).unwrap();
    assert!(read(&below).is_ok() && !below.join("AWSDynamoDB").exists());

    // Of another table of the name, or of more tables, nothing goes on.
    let halves = path.join("halves");
    let (world, _) = world_of(&source);
    let writing = Writing::begin(&*world, (SOURCE, &halves), tables).unwrap();
    let second = Writing::begin(&*world, (SOURCE, &halves), tables).unwrap_err();
    assert!(second.to_string().contains("another process"), "{second}");
    drop(writing);
    let other = Side::Tables(filled(KeyKind::S, &[]));
    let error = export(&other, &halves).unwrap_err();
    assert!(error.to_string().contains("of another source"), "{error}");
    let begun = Unfinished::of(&halves).unwrap().unwrap();
    assert_eq!(begun.states(), [("Notes".to_owned(), false)]);
    // They are given up for the place whose tables they are of. A note of an earlier version says of none.
    assert!(begun.check_of(SOURCE).is_ok());
    let error = begun
        .check_of("http://127.0.0.1:2")
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("are of http://127.0.0.1:1, and not of http://127.0.0.1:2"),
        "{error}"
    );
    assert!(error.contains("these tables: Notes"), "{error}");
    let note = halves.join("AWSDynamoDB/keyfold-move.json");
    let text = std::fs::read_to_string(&note).unwrap();
    let earlier = text.replace(&format!("\"source\": \"{SOURCE}\","), "");
    assert_ne!(earlier, text);
    std::fs::write(&note, earlier).unwrap();
    let begun = Unfinished::of(&halves).unwrap().unwrap();
    let error = begun.check_of(SOURCE).unwrap_err().to_string();
    assert!(error.contains("an earlier version began them"), "{error}");
    begun.abort().unwrap();
    assert!(files_of(&halves).is_empty());
    export(&other, &halves).unwrap();

    // What another process has written to its end, while somebody was asked, is not removed.
    let since = path.join("since");
    drop(Writing::begin(&*world, (SOURCE, &since), tables).unwrap());
    let begun = Unfinished::of(&since).unwrap().unwrap();
    export(&source, &since).unwrap();
    let error = begun.abort().unwrap_err();
    assert!(error.to_string().contains("nothing was deleted"), "{error}");
    assert!(read(&since).is_ok());
}

/// A run that is to stop leaves nothing that is read.
#[test]
fn a_stopped_export_is_not_whole() {
    let source = Side::Tables(filled(KeyKind::S, &notes(0, 3)));
    let found = found_in(&source);
    let folder = tempfile::tempdir().unwrap();
    let (world, progress) = world_of(&source);
    let tables = std::slice::from_ref(&found);
    let writing = Writing::begin(&*world, (SOURCE, folder.path()), tables).unwrap();
    progress.stop();
    let ended = blocked(writing.export(&*world, (&found, None), &progress)).unwrap();
    assert_eq!((ended, writing.end().unwrap()), (Ended::Stopped, false));
    drop(writing);
    for named in [&[][..], &["Notes".to_owned()]] {
        let error = Exports::open(folder.path(), named)
            .err()
            .unwrap()
            .to_string();
        assert!(
            error.contains("are not all written, of these tables: Notes."),
            "{error}"
        );
    }
    export(&source, folder.path()).unwrap();
    assert_eq!(items_of(&read(folder.path()).unwrap()).len(), 3);
}

/// Changes a member of the summary of an export, and makes its checksum true.
fn sum_up(root: &Path, change: impl Fn(&mut Json)) {
    let path = root.join("manifest-summary.json");
    let mut json: Json = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    change(&mut json);
    let text = json.to_string();
    std::fs::write(
        root.join("manifest-summary.checksum"),
        digest(text.as_bytes()),
    )
    .unwrap();
    std::fs::write(path, text).unwrap();
}

/// A folder with a whole export of the table, and with what is a copy of it.
fn with_other(change: impl Fn(&Path)) -> tempfile::TempDir {
    let source = Side::Tables(filled(KeyKind::S, &notes(0, 3)));
    let folder = tempfile::tempdir().unwrap();
    export(&source, folder.path()).unwrap();
    let root = read(folder.path()).unwrap().tables[0].exported.root.clone();
    let other = folder.path().join("AWSDynamoDB/other");
    for file in files_of(&root) {
        let to = other.join(file.strip_prefix(&root).unwrap());
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::copy(file, to).unwrap();
    }
    change(&other);
    folder
}

#[test]
fn exports_of_tables_that_are_not_named_are_not_judged() {
    let of_other = |json: &mut Json| json["tableArn"] = json!(ARN.replace("Notes", "Other"));
    let broken: [&dyn Fn(&Path); 4] = [
        &|root| {
            sum_up(root, of_other);
            std::fs::write(root.join("manifest-files.json"), "x").unwrap();
        },
        &|root| {
            sum_up(root, of_other);
            std::fs::remove_file(root.join(DEFINITION)).unwrap();
        },
        &|root| {
            sum_up(root, of_other);
            std::fs::remove_dir_all(root.join("data")).unwrap();
        },
        &|root| std::fs::write(root.join("manifest-summary.json"), "x").unwrap(),
    ];
    for (at, broken) in broken.iter().enumerate() {
        let folder = with_other(broken);
        assert!(read(folder.path()).is_err(), "{at}");
        let named = Exports::open(folder.path(), &["Notes".to_owned()]);
        assert_eq!(named.unwrap().names(), ["Notes"], "{at}");
        let error = Exports::open(folder.path(), &["Absent".to_owned()])
            .err()
            .unwrap();
        let error = error.to_string();
        assert!(
            error.contains("has no full export of the table Absent"),
            "{error}"
        );
    }
}

#[test]
fn changes_since_a_full_export_are_refused() {
    let folder = with_other(|root| {
        sum_up(root, |json| {
            json["exportType"] = json!("INCREMENTAL_EXPORT")
        });
    });
    let error = read(folder.path()).err().unwrap().to_string();
    assert!(
        error.contains("other has changes of the table Notes"),
        "{error}"
    );
    let base = folder.path().join("AWSDynamoDB");
    let mut roots = std::fs::read_dir(base)
        .unwrap()
        .map(|one| one.unwrap().path());
    let full = roots.find(|root| !root.ends_with("other")).unwrap();
    assert!(error.contains(&full.display().to_string()), "{error}");
    assert!(read(&full).is_ok());
    // Those of another table are said.
    let folder = with_other(|root| {
        sum_up(root, |json| {
            json["exportType"] = json!("INCREMENTAL_EXPORT");
            json["tableArn"] = json!(ARN.replace("Notes", "Other"));
        });
    });
    let notes = &read(folder.path()).unwrap().notes;
    assert!(notes[0].contains("which is not applied"), "{notes:?}");
}

#[cfg(unix)]
#[test]
fn what_says_of_an_export_is_no_link_and_has_bounds() {
    use std::os::unix::fs::symlink;
    for name in [
        "manifest-summary.json",
        "manifest-files.json",
        "manifest-files.checksum",
        DEFINITION,
    ] {
        let folder = with_other(|root| {
            let (path, aside) = (root.join(name), root.join("aside"));
            std::fs::rename(&path, &aside).unwrap();
            symlink(&aside, &path).unwrap();
        });
        let other = folder.path().join("AWSDynamoDB/other");
        let error = read(&other).err().unwrap().to_string();
        assert!(error.contains(name), "{error}");
        std::fs::remove_file(other.join(name)).unwrap();
        std::fs::rename(other.join("aside"), other.join(name)).unwrap();
        assert!(read(&other).is_ok());
        // Of a file without an end, nothing is held.
        let long = std::fs::File::options().write(true).open(other.join(name));
        long.unwrap().set_len(1 << 40).unwrap();
        if name != "manifest-files.json" {
            let error = read(&other).err().unwrap().to_string();
            assert!(
                error.contains("bytes, which no file of its name has"),
                "{error}"
            );
        }
    }
}
