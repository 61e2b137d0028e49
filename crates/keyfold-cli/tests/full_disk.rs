//! Fills the disk under a server: writes are refused, which the answer and the log say, and reads continue.
//! Once the disk has free space again, the same server takes writes, and after a restart all acknowledged
//! writes are complete. The disk is a small file system in memory, in a mount namespace of its own (Linux).
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use keyfold_api::{GetItemInput, PutItemInput, Request, Response};
use keyfold_client::{Backend, ClientError, tables};
use keyfold_types::{Item, Value};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const MODEL: &str = "model full 1\ntable Full (pk, sk)\n  gsi ByKind (kind)\n";
const ITEM_BYTES: usize = 100_000;

/// Runs two servers over one folder, one after the other, and grows the disk under the first one, when it is
/// asked for. Then runs the doctor.
const SCRIPT: &str = r#"
set -e
mount -t tmpfs -o size=24m tmpfs "$DISK"
"$KEYFOLD" serve --port 0 --json --data "$DISK/data" > "$OUT/first" 2> "$OUT/first.log" &
first=$!
echo $first > "$OUT/first.pid"
while [ ! -e "$OUT/grow" ]; do sleep 0.1; done
mount -o remount,size=256m "$DISK"
wait $first || true
"$KEYFOLD" serve --port 0 --json --data "$DISK/data" > "$OUT/second" & echo $! > "$OUT/second.pid"
wait $! || true
"$KEYFOLD" doctor --data "$DISK/data" --json > "$OUT/doctor"
"#;

/// Kills the first server when it is asked for, takes the rest of the disk from then on, and starts a second one there, whose disk
/// grows when that is asked for. Before, it tries to make a new folder on the full disk, and on a small one.
const KILLED: &str = r#"
set -e
mount -t tmpfs -o size=24m tmpfs "$DISK"
"$KEYFOLD" serve --port 0 --json --data "$DISK/data" > "$OUT/first" 2> "$OUT/first.log" &
first=$!
echo $first > "$OUT/first.pid"
wait $first || true
cat /dev/zero > "$DISK/rest" || true
# What a server frees that has just started is taken, too.
while [ -d "$OUT" ] && [ ! -e "$OUT/grow" ]; do cat /dev/zero >> "$DISK/rest" || true; sleep 0.02; done 2> "$OUT/full" &
rest=$!
"$KEYFOLD" serve --port 0 --data "$DISK/new" 2> "$OUT/new" || echo "ended with $?" >> "$OUT/new"
"$KEYFOLD" serve --port 0 --json --data "$DISK/data" > "$OUT/second" 2> "$OUT/second.log" &
second=$!
echo $second > "$OUT/second.pid"
wait $rest
mount -o remount,size=256m "$DISK"
wait $second || true
"$KEYFOLD" doctor --data "$DISK/data" --json > "$OUT/doctor"
umount "$DISK"
mount -t tmpfs -o size=1m tmpfs "$DISK"
"$KEYFOLD" put "$OUT/model.keyfold" One id=1 --data "$DISK/small" > "$OUT/small" 2>&1
"#;

/// The shell of the servers, and the folder with their ids. All of them end with the test.
struct Shell(Child, PathBuf);

impl Drop for Shell {
    fn drop(&mut self) {
        for name in ["first.pid", "second.pid"] {
            if let Ok(id) = std::fs::read_to_string(self.1.join(name)) {
                drop(
                    Command::new("kill")
                        .args(["-KILL", id.trim()])
                        .stderr(Stdio::null())
                        .status(),
                );
            }
        }
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

fn text_of(path: &Path) -> String {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        match std::fs::read_to_string(path) {
            Ok(text) if text.ends_with('\n') => return text,
            _ => assert!(
                Instant::now() < deadline,
                "{} was not written: the test needs `unshare` and user namespaces",
                path.display()
            ),
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn server(out: &Path, name: &str) -> Backend {
    let report: serde_json::Value = serde_json::from_str(&text_of(&out.join(name))).unwrap();
    let endpoint = report["result"]["endpoint"].as_str().unwrap().to_owned();
    Backend::endpoint(&endpoint, "us-east-1", "k", "s").unwrap()
}

fn end(out: &Path, name: &str) {
    let id = text_of(&out.join(format!("{name}.pid")));
    assert!(
        Command::new("kill")
            .args(["-TERM", id.trim()])
            .status()
            .unwrap()
            .success()
    );
}

fn key(at: usize) -> Item {
    [("pk", format!("{at:04}")), ("sk", "x".to_owned())]
        .into_iter()
        .collect()
}

fn put(backend: &Backend, at: usize) -> bool {
    put_or_why(backend, at).is_ok()
}

fn put_or_why(backend: &Backend, at: usize) -> Result<(), ClientError> {
    let mut item = key(at);
    item.insert("kind", Value::from(format!("kind {}", at % 7)));
    item.insert("body", Value::from("x".repeat(ITEM_BYTES)));
    let input = PutItemInput {
        table_name: Some("Full".to_owned()),
        item: Some(Ok(item)),
        ..PutItemInput::default()
    };
    backend.call(Request::PutItem(input)).map(drop)
}

fn body_length(backend: &Backend, at: usize) -> Option<usize> {
    let input = GetItemInput {
        table_name: Some("Full".to_owned()),
        key: Some(Ok(key(at))),
        consistent_read: Some(true),
        ..GetItemInput::default()
    };
    let Response::GetItem(output) = backend.call(Request::GetItem(input)).unwrap() else {
        panic!("no item")
    };
    output.item.map(|raw| match raw.to_item().get("body") {
        Some(Value::S(text)) => text.len(),
        other => panic!("{other:?}"),
    })
}

/// A shell with a disk of its own for servers.
fn shell(folder: &Path, script: &str) -> Shell {
    let (disk, out) = (folder.join("disk"), folder.join("out"));
    std::fs::create_dir(&disk).unwrap();
    std::fs::create_dir(&out).unwrap();
    let mut shell = Command::new("unshare");
    shell
        .args(["--user", "--mount", "--map-root-user", "sh", "-c", script])
        .stdin(Stdio::null());
    shell
        .env("DISK", &disk)
        .env("OUT", &out)
        .env("KEYFOLD", env!("CARGO_BIN_EXE_keyfold"));
    let child = shell
        .spawn()
        .expect("the test needs `unshare` and user namespaces");
    Shell(child, out)
}

/// Puts items until the disk takes no more; returns how many.
fn fill(server: &Backend) -> usize {
    let model = keyfold_model::compile(MODEL).model.unwrap();
    tables::ensure(server, &model).unwrap();
    let acknowledged = (0..2000).take_while(|at| put(server, *at)).count();
    assert!(
        (20..1000).contains(&acknowledged),
        "the disk takes some writes: {acknowledged}"
    );
    acknowledged
}

/// A server that is killed while its disk is full serves reads from the next start on, and takes writes when there is
/// room.
#[test]
fn a_server_starts_on_a_full_disk() {
    let folder = tempfile::tempdir().unwrap();
    let mut shell = shell(folder.path(), KILLED);
    let out = shell.1.clone();
    std::fs::write(
        out.join("model.keyfold"),
        "model small 1\ntable Small (pk)\nentity One\n  id: string\n  key \"{id}\"\n",
    )
    .unwrap();
    let acknowledged = fill(&server(&out, "first"));
    let id = text_of(&out.join("first.pid"));
    let killed = Command::new("kill").args(["-KILL", id.trim()]).status();
    assert!(killed.unwrap().success());

    let second = server(&out, "second");
    for at in 0..acknowledged {
        assert_eq!(body_length(&second, at), Some(ITEM_BYTES), "item {at}");
    }
    assert_eq!(body_length(&second, acknowledged), None, "it was refused");
    // Files that nobody needs any more leave room for a moment.
    let deadline = Instant::now() + Duration::from_secs(20);
    let why = loop {
        match put_or_why(&second, acknowledged + 1) {
            Err(error) => break error.to_string(),
            Ok(()) => assert!(Instant::now() < deadline, "it refuses writes again"),
        }
    };
    assert!(why.contains("once 8 MB of it are free"), "{why}");
    let room = "writes are refused until 8 MB of it are free";
    // It is told by another thread than the one that refuses.
    let log = loop {
        let log = std::fs::read_to_string(out.join("second.log")).unwrap();
        if log.contains(room) || Instant::now() > deadline {
            break log;
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    assert!(
        log.contains(room) && log.contains("0.0 MB of the disk are free"),
        "{log}"
    );
    let new = text_of(&out.join("new"));
    let room = "0.0 MB of the disk are free, and a data folder is opened with 1 MB";
    assert!(new.contains(room) && new.contains("ended with 5"), "{new}");

    std::fs::write(out.join("grow"), "").unwrap();
    let deadline = Instant::now() + Duration::from_secs(90);
    while !put(&second, acknowledged + 2) {
        assert!(Instant::now() < deadline, "it takes writes again");
    }
    end(&out, "second");
    assert!(
        shell.0.wait().unwrap().success(),
        "{}",
        text_of(&out.join("small"))
    );
    let report: serde_json::Value = serde_json::from_str(&text_of(&out.join("doctor"))).unwrap();
    assert_eq!(report["ok"], true, "{report}");
}

#[test]
fn a_full_disk_loses_nothing_that_was_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let mut shell = shell(folder.path(), SCRIPT);
    let out = shell.1.clone();

    let first = server(&out, "first");
    let acknowledged = fill(&first);
    let why = put_or_why(&first, acknowledged + 1).unwrap_err();
    let why = why.to_string();
    assert!(
        why.contains("The disk under the data folder is full"),
        "{why}"
    );
    let log = std::fs::read_to_string(out.join("first.log")).unwrap();
    assert!(
        log.contains("the disk is full, so writes are refused until 8 MB of it are free"),
        "{log}"
    );
    assert!(log.contains(" MB of the disk are free"), "{log}");
    for at in 0..acknowledged {
        assert_eq!(
            body_length(&first, at),
            Some(ITEM_BYTES),
            "item {at} is read from a full disk"
        );
    }
    std::fs::write(out.join("grow"), "").unwrap();
    let deadline = Instant::now() + Duration::from_secs(90);
    while !put(&first, acknowledged + 2) {
        assert!(
            Instant::now() < deadline,
            "the same server takes writes again"
        );
    }
    end(&out, "first");

    let second = server(&out, "second");
    for at in 0..acknowledged {
        assert_eq!(
            body_length(&second, at),
            Some(ITEM_BYTES),
            "item {at} is there after the restart"
        );
    }
    for refused in [acknowledged, acknowledged + 1] {
        assert_eq!(body_length(&second, refused), None, "it was refused");
    }
    assert_eq!(body_length(&second, acknowledged + 2), Some(ITEM_BYTES));
    assert!(put(&second, acknowledged + 3));
    end(&out, "second");
    assert!(shell.0.wait().unwrap().success());
    let report: serde_json::Value = serde_json::from_str(&text_of(&out.join("doctor"))).unwrap();
    assert_eq!(report["ok"], true, "{report}");
}
