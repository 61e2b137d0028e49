//! What goes wrong at the tables of a migration is said in a sentence: what, where, and how to go on. Afterwards the same
//! command goes on.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod kept;
mod workplace;

use kept::Kept;
use keyfold_api::{StreamSpecification, UpdateTableInput};
use keyfold_client::tables::names;
use rusqlite::Connection;
use serde_json::Value as Json;
use std::time::{Duration, Instant};
use workplace::Workplace;
use workplace::server::Server;

const MODEL: &str = "\
model shop 1

table Shop (PK, SK)

entity Customer in Shop
  customerId: int, name: string, note: string?
  key \"C#{customerId}\" \"C\"
  from customers set customerId = customers.id

pattern customer(customerId) -> Customer
";

/// A folder with the model, and a database of customers with notes of so many bytes.
fn shop(customers: u32, bytes: u32) -> (Workplace, Connection) {
    let place = Workplace::new();
    place.write("shop.keyfold", MODEL);
    let program = Connection::open(place.folder.path().join("shop.db")).unwrap();
    let rows = format!(
        "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, note TEXT); WITH RECURSIVE n (n) AS (SELECT 1 UNION
         ALL SELECT n + 1 FROM n WHERE n < {customers}) INSERT INTO customers SELECT n, 'Ann', hex(zeroblob({bytes} / 2)) FROM n"
    );
    program.execute_batch(&rows).unwrap();
    (place, program)
}

/// The document of a command of the migration, which ends with this exit code, as somebody.
fn migrate(
    place: &Workplace,
    (code, at): (i32, &str),
    words: &[&str],
    who: Option<(&str, &str)>,
) -> Json {
    let both = ["shop.keyfold", "--from", "sqlite:shop.db", "--at", at];
    let line = [&["migrate", words[0]], &both[..], &words[1..], &["--json"]].concat();
    let mut command = place.command(&line);
    if let Some((key, secret)) = who {
        command.envs([
            ("AWS_ACCESS_KEY_ID", key),
            ("AWS_SECRET_ACCESS_KEY", secret),
            ("AWS_REGION", "us-east-1"),
        ]);
    }
    let output = command.output().unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(code), "{words:?}: {out}");
    serde_json::from_str(out.lines().last().unwrap()).unwrap()
}

/// The error of a document, which is one sentence that has all of these texts.
fn error_of(document: &Json, texts: &[&str]) {
    let message = document["error"]["message"].as_str().unwrap();
    for text in texts {
        assert!(message.contains(text), "{text}: {message}");
    }
    assert!(!message.contains("before you do it again"), "{message}");
}

/// What a migration has made in the database.
fn made(program: &Connection) -> i64 {
    let sql = "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'keyfold%'";
    program.query_row(sql, [], |row| row.get(0)).unwrap()
}

#[test]
fn credentials_and_rights_that_are_missing_are_named() {
    let (place, program) = shop(3, 10);
    let file = place.write(
        "credentials.json",
        r#"[{"accessKey": "reader", "secret": "s", "access": "read"},
            {"accessKey": "someone", "secret": "s", "access": "read-write", "tables": {"Shop": "read"}},
            {"accessKey": "local", "secret": "local"}]"#,
    );
    let server = Server::start(&["--credentials", &file]);
    let at = server.endpoint.as_str();
    let named = format!("he target {at} ");
    let run = ["run", "--once"];
    let unknown = "does not take these credentials";
    let denied = "does not allow this request to these credentials";
    let refused = [
        ("nobody", "s", unknown),
        ("reader", "wrong", unknown),
        ("reader", "s", denied),
        ("someone", "s", denied),
    ];
    // Before it begins, nothing is made on either side.
    for (key, secret, why) in refused {
        let document = migrate(&place, (5, at), &run, Some((key, secret)));
        error_of(&document, &[&named, why, "the same command goes on"]);
        assert_eq!(names(&server.backend()).unwrap(), [""; 0], "{document}");
        assert_eq!(made(&program), 0, "{document}");
    }
    let done = migrate(&place, (0, at), &run, Some(("local", "local")));
    assert_eq!(done["result"]["counted"]["put"], 3, "{done}");
    program
        .execute("UPDATE customers SET name = 'Eve'", [])
        .unwrap();
    // Nobody turns or ends it without the rights, and it stays as it is.
    for (key, secret, why) in refused {
        for words in [
            &run[..],
            &["switch", "--yes"],
            &["complete", "--yes"],
            &["verify", "--mend", "--yes"],
        ] {
            let document = migrate(&place, (5, at), words, Some((key, secret)));
            error_of(&document, &[&named, why, "the same command goes on"]);
        }
    }
    for (key, secret) in [("nobody", "s"), ("reader", "wrong")] {
        for word in ["status", "verify", "compare"] {
            let document = migrate(&place, (5, at), &[word], Some((key, secret)));
            error_of(&document, &[&named, unknown, "the same command goes on"]);
        }
    }
    let status = migrate(&place, (0, at), &["status"], Some(("reader", "s")));
    assert_eq!(status["result"]["state"], "follow", "{status}");
    let done = migrate(&place, (0, at), &run, Some(("local", "local")));
    assert_eq!(done["result"]["counted"]["put"], 3, "{done}");
    migrate(
        &place,
        (0, at),
        &["switch", "--yes"],
        Some(("local", "local")),
    );
    let differs = migrate(&place, (0, at), &["verify"], Some(("reader", "s")));
    assert_eq!(differs["result"]["differences"], 0, "{differs}");
}

/// A server that does not come again in time.
#[test]
fn a_target_that_goes_away_is_named_and_loses_nothing() {
    let (place, program) = shop(4_500, 200);
    let mut server = Kept::start(&place.folder.path().join("data"), &[]);
    let at = server.endpoint.clone();
    let both = ["shop.keyfold", "--from", "sqlite:shop.db", "--at", &at];
    let run = [
        &["migrate", "run"],
        &both[..],
        &["--report", "r.md", "--json"],
    ]
    .concat();
    let mut child = place.command(&run);
    let child = child.stdout(std::process::Stdio::piped());
    let child = child.stderr(std::process::Stdio::null()).spawn().unwrap();
    let backend = server.backend();
    let began = Instant::now();
    while !names(&backend)
        .unwrap()
        .contains(&"keyfold_migrations".to_owned())
    {
        assert!(began.elapsed() < Duration::from_secs(120));
        std::thread::sleep(Duration::from_millis(5));
    }
    server.kill();
    let output = child.wait_with_output().unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(5), "{out}");
    let document: Json = serde_json::from_str(out.lines().last().unwrap()).unwrap();
    let away = format!("the target {at} does not answer: ");
    error_of(&document, &[&away, "the same command goes on"]);
    assert_eq!(document["result"]["state"], "failed", "{document}");
    let report = std::fs::read_to_string(place.folder.path().join("r.md")).unwrap();
    assert!(
        report.contains("The tables could not be used: "),
        "{report}"
    );
    program
        .execute("UPDATE customers SET name = 'Eve' WHERE id = 1", [])
        .unwrap();
    server.again();
    migrate(&place, (0, &at), &["run", "--once"], None);
    let verified = migrate(&place, (0, &at), &["verify"], None);
    assert_eq!(verified["result"]["differences"], 0, "{verified}");
}

/// Changes of the tables that no stream has any more: what is lost is said, and what helps does.
#[test]
fn a_stream_that_is_trimmed_or_switched_off_is_told() {
    for is_trimmed in [true, false] {
        let (place, program) = shop(2, 10);
        let server = Server::start(&["--stream-retention", if is_trimmed { "5s" } else { "24h" }]);
        let at = server.endpoint.as_str();
        let migrate = |code, words: &[&str]| migrate(&place, (code, at), words, None);
        let write = |name: &str| {
            let name = format!("name={name}");
            let update = ["update", "shop.keyfold", "Customer", "customerId=1", &name];
            place.text(&[&update[..], &["--endpoint", at]].concat());
        };
        migrate(0, &["run", "--once"]);
        migrate(0, &["switch", "--yes"]);
        write("first");
        migrate(0, &["run", "--once"]);
        match is_trimmed {
            true => {
                write("lost");
                std::thread::sleep(Duration::from_secs(20));
            }
            false => {
                let off = UpdateTableInput {
                    table_name: Some("Shop".to_owned()),
                    stream_specification: Some(StreamSpecification {
                        stream_enabled: Some(false),
                        stream_view_type: None,
                    }),
                    ..UpdateTableInput::default()
                };
                server.backend().call(off.into()).unwrap();
                write("lost");
            }
        }
        let name = || {
            let sql = "SELECT name FROM customers WHERE id = 1";
            program
                .query_row(sql, [], |row| row.get::<_, String>(0))
                .unwrap()
        };
        for words in [&["run", "--once"][..], &["switch", "--back", "--yes"]] {
            let document = migrate(1, words);
            let helps = [
                "`keyfold migrate verify --mend`",
                "`keyfold migrate complete`",
            ];
            error_of(
                &document,
                &["changes of the table Shop are lost: ", helps[0], helps[1]],
            );
            assert_eq!(name(), "first");
        }
        assert_eq!(migrate(0, &["status"])["result"]["state"], "lead");
        let mended = migrate(0, &["verify", "--mend", "--yes"]);
        assert_eq!(mended["result"]["put"], 1, "{mended}");
        assert_eq!(name(), "lost");
        migrate(0, &["complete", "--yes"]);
        assert_eq!(made(&program), 0);
        // Nobody writes rows over what programs write from now on.
        write("last");
        assert_eq!(name(), "lost");
        for words in [&["verify"][..], &["verify", "--mend", "--yes"]] {
            error_of(&migrate(1, words), &["the tables lead"]);
        }
        let get = ["run", "shop.keyfold", "customer", "customerId=1"];
        let found = place.json(0, &[&get[..], &["--endpoint", at]].concat());
        assert!(found.to_string().contains("\"last\""), "{found}");
    }
}

/// Migrates to a server whose disk is too small, and to the same server when it has room. The disk is a small file system
/// in memory, in a mount namespace of its own (Linux).
#[cfg(target_os = "linux")]
const FULL: &str = r#"
mount -t tmpfs -o size=24m tmpfs "$DISK" || exit 1
"$KEYFOLD" serve --port 0 --json --data "$DISK/data" > serve 2> serve.log &
server=$!
trap 'kill $server' EXIT
tries=0
until grep -q endpoint serve; do
  tries=$((tries + 1))
  [ $tries -lt 1200 ] && kill -0 $server || exit 1
  sleep 0.1
done
AT=$(sed -E 's/.*"endpoint": *"([^"]*)".*/\1/' serve | head -n 1)
migrate() {
  name="$1"
  word="$2"
  shift 2
  "$KEYFOLD" migrate "$word" shop.keyfold --from sqlite:shop.db --at "$AT" "$@" --json > "$name"
  code=$?
  echo "$AT" >> "$name"
  echo $code >> "$name"
}
migrate first run --once
migrate status status
mount -o remount,size=400m "$DISK" || exit 1
for try in 1 2 3 4 5 6; do
  migrate second run --once
  [ $code = 0 ] && break
  sleep 5
done
migrate third verify
"#;

#[cfg(target_os = "linux")]
#[test]
fn a_target_that_is_full_is_named_and_goes_on_when_there_is_room() {
    let (place, _program) = shop(500, 60_000);
    let disk = place.folder.path().join("disk");
    std::fs::create_dir(&disk).unwrap();
    let status = std::process::Command::new("unshare")
        .args(["--user", "--mount", "--map-root-user", "sh", "-c", FULL])
        .current_dir(place.folder.path())
        .stdin(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .env("DISK", &disk)
        .env("KEYFOLD", env!("CARGO_BIN_EXE_keyfold"))
        .status()
        .expect("the test needs `unshare` and user namespaces");
    assert!(status.success());
    let ended = |name: &str, code: &str| {
        let text = std::fs::read_to_string(place.folder.path().join(name)).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let [.., document, at, ended] = lines.as_slice() else {
            panic!("{text}");
        };
        assert_eq!(*ended, code, "{name}: {document}");
        let document: Json = serde_json::from_str(document).unwrap();
        (document, (*at).to_owned())
    };
    let (document, at) = ended("first", "5");
    let target = format!("the target {at} could not carry out this request");
    let full = "The disk under the data folder is full";
    error_of(&document, &[&target, full, "the same command goes on"]);
    let (document, _) = ended("status", "0");
    assert_eq!(document["result"]["state"], "copy", "{document}");
    ended("second", "0");
    let (document, _) = ended("third", "0");
    assert_eq!(document["result"]["entities"][0]["rows"], 500, "{document}");
}
