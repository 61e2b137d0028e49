//! Tests the command line as users see it: its output and its exit codes.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod workplace;

use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::process::Command;
use workplace::Workplace;

#[test]
fn check_reports_the_request_of_each_pattern() {
    let place = Workplace::new();
    let report = place.json(0, &["check", &Workplace::model("shop.keyfold")]);
    assert_eq!(report["patterns"].as_array().unwrap().len(), 9);
    let by_status = report["patterns"]
        .as_array()
        .unwrap()
        .iter()
        .find(|p| p["name"] == "orders_by_status")
        .unwrap();
    assert_eq!(by_status["index"], "GSI1");
    assert_eq!(
        by_status["keyCondition"],
        r#"GSI1PK = "STATUS#{status}" AND begins_with(GSI1SK, "ORDER#")"#
    );
    assert_eq!(
        (
            by_status["requestsPerPage"].as_i64(),
            by_status["order"].as_str()
        ),
        (Some(1), Some("descending"))
    );
    let text = String::from_utf8(
        place
            .run(&["check", &Workplace::model("shop.keyfold")])
            .stdout,
    )
    .unwrap();
    assert!(
        text.contains("proved") && !text.contains('\u{1b}'),
        "{text}"
    );
}

#[test]
fn errors_of_a_model_point_into_the_line_and_end_with_3() {
    let place = Workplace::new();
    let file = place.write("bad.keyfold", "model bad 1\ntable Tab (PK, SK)\nentity User\n  id: string\n  key \"U#{ed}\" \"P\"\npattern p(id -> User\n");
    let report = place.json(3, &["check", &file]);
    let codes: Vec<_> = report["error"]["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|d| (d["code"].as_str().unwrap(), d["line"].as_i64().unwrap()))
        .collect();
    assert_eq!(codes, [("KF002", 5), ("KF001", 6)]);
    let output = place.run(&["check", &file]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(
        text.contains("did you mean `id`?") && text.contains("2 errors"),
        "{text}"
    );
    assert_eq!(
        place.json(2, &["check", "nowhere.keyfold"])["error"]["kind"],
        "usage"
    );
}

#[test]
fn writes_and_patterns_work_on_a_data_folder() {
    let place = Workplace::new();
    let shop = &Workplace::model("shop.keyfold");
    let order = |id: &str, day: &str| {
        let (id, day) = (format!("orderId={id}"), format!("createdAt={day}"));
        place.json(
            0,
            &[
                "put",
                shop,
                "Order",
                &id,
                "userId=u1",
                &day,
                "total=12.50",
                "status=pending",
            ],
        )
    };
    assert_eq!(order("o1", "2024-01-01")["operation"], "TransactWriteItems");
    order("o2", "2024-01-02");
    order("o3", "2024-01-03");
    let first = place.json(
        0,
        &["run", shop, "orders_of_user", "userId=u1", "--limit", "2"],
    );
    let ids = |page: &Json| {
        page["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|i| i["attributes"]["orderId"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(ids(&first), ["o3", "o2"]);
    assert_eq!(first["items"][0]["attributes"]["total"], 12.5);
    let rest = place.json(
        0,
        &[
            "run",
            shop,
            "orders_of_user",
            "userId=u1",
            "--after",
            &first["next"].to_string(),
        ],
    );
    assert_eq!(
        (ids(&rest), rest["next"].is_null()),
        (vec!["o1".to_owned()], true)
    );
    let all = place.json(
        0,
        &[
            "run",
            shop,
            "orders_of_user",
            "userId=u1",
            "--limit",
            "1",
            "--all",
        ],
    );
    assert_eq!((ids(&all).len(), all["requests"].as_i64()), (3, Some(4)));
    let unchanged = place.json(
        0,
        &["update", shop, "Order", "orderId=o1", "status=pending"],
    );
    assert_eq!(unchanged["changes"].as_array().unwrap().len(), 0);
    place.json(0, &["delete", shop, "Order", "orderId=o1"]);
    assert_eq!(
        ids(&place.json(0, &["run", shop, "orders_by_status", "status=pending"])),
        ["o3", "o2"]
    );
}

#[test]
fn each_kind_of_failure_has_an_exit_code() {
    let place = Workplace::new();
    let shop = &Workplace::model("shop.keyfold");
    let error = |code: i32, arguments: &[&str], part: &str| {
        let report = place.json(code, arguments);
        let message = report["error"]["message"].as_str().unwrap();
        assert!(message.contains(part), "{arguments:?}: {message}");
    };
    error(
        4,
        &["delete", shop, "User", "userId=nobody"],
        "there is no User with userId = nobody",
    );
    error(
        4,
        &["update", shop, "User", "userId=nobody", "name=x"],
        "there is no User",
    );
    error(
        2,
        &["delete", shop, "User", "userId=nobody", "name=x"],
        "`name` identifies no User",
    );
    error(2, &["run", shop, "user"], "needs userId; write userId=…");
    error(2, &["run", shop, "user", "userId=1", "x=2"], "has no `x`");
    error(
        2,
        &["run", shop, "nothing"],
        "shop.keyfold: the model shop has no pattern or write nothing; it has user, ",
    );
    error(
        2,
        &["run", shop, "usr"],
        "no pattern or write usr; did you mean `user`?",
    );
    error(
        2,
        &["run", shop, "orders_by_status", "status=lost"],
        "one of pending, paid, shipped",
    );
    error(
        2,
        &[
            "run",
            shop,
            "recent_orders",
            "userId=1",
            "since=2024-01-01T10:00:00",
        ],
        "a time with its zone",
    );
    error(
        2,
        &["put", shop, "User", "userId=1"],
        "needs email, name, createdAt; write email=…",
    );
    error(
        2,
        &["run", shop, "user", "userId=1", "userId=2"],
        "given twice",
    );
    error(
        2,
        &[
            "update", shop, "User", "userId=1", "name=x", "--remove", "name",
        ],
        "both set and removed",
    );
    error(
        2,
        &[
            "put",
            shop,
            "User",
            "userId=",
            "email=e",
            "name=n",
            "createdAt=2024-01-01",
        ],
        "userId is empty",
    );
    error(2, &["put", shop, "Nobody", "a=b"], "no entity Nobody");
    error(
        2,
        &["run", shop, "orders_of_user", "userId=1", "--after", "x"],
        "the `next` of a page",
    );
    error(
        5,
        &[
            "run",
            shop,
            "user",
            "userId=1",
            "--endpoint",
            "http://127.0.0.1:1",
        ],
        "; `keyfold serve` starts a server",
    );
    error(
        2,
        &["run", shop, "user", "userId=1", "--endpoint", "nowhere"],
        "is no connection",
    );
    error(
        2,
        &["serve", "--host", "0.0.0.0", "--port", "0"],
        "add --credential",
    );
    error(
        2,
        &["serve", "--memory", "--buckets", "absent", "--port", "0"],
        "--buckets absent: there is no such folder",
    );
    assert_eq!(place.run(&["frobnicate"]).status.code(), Some(2));
    let new = [
        "put",
        shop,
        "User",
        "userId=1",
        "email=e",
        "name=n",
        "createdAt=2024-01-01",
        "--new",
    ];
    place.json(0, &new);
    error(1, &new, "exists already");
}

#[test]
fn a_model_that_contradicts_a_table_is_refused_with_the_difference() {
    let place = Workplace::new();
    place.json(
        0,
        &[
            "put",
            &Workplace::model("shop.keyfold"),
            "Product",
            "productId=p",
            "name=n",
            "price=1",
            "stock=1",
        ],
    );
    let other = place.write(
        "other.keyfold",
        "model shop 2\ntable Shop (PK, SK: number)\n  gsi GSI1 (GSI1PK, GSI1SK)\n  gsi GSI2 (GSI2PK)\n",
    );
    let report = place.json(1, &["serve", &other, "--port", "0"]);
    let message = report["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("key: the model says (PK: S, SK: N), the table has (PK: S, SK: S)"),
        "{message}"
    );
    assert!(
        message.contains("gsi GSI2: the model has it, the table has not"),
        "{message}"
    );
}

#[test]
fn the_demo_answers_every_pattern() {
    let place = Workplace::new();
    let output = place.run(&["demo", "--once"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success());
    for part in [
        "order_with_items(orderId=o1)",
        "Query Shop.GSI1",
        "GetItem Shop",
        "1 request, 0.5 read units",
        "Grace",
    ] {
        assert!(text.contains(part), "{part} is missing:\n{text}");
    }
    // A second run on the same data gives the same answers.
    assert_eq!(
        String::from_utf8(place.run(&["demo", "--once"]).stdout).unwrap(),
        text
    );
}

/// Runs the command with an output on a full device; returns its exit code and its messages.
#[cfg(target_os = "linux")]
fn on_full_device(place: &Workplace, arguments: &[&str]) -> (Option<i32>, String) {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full");
    let mut command = Command::new(env!("CARGO_BIN_EXE_keyfold"));
    command
        .current_dir(place.folder.path())
        .args(arguments)
        .stdout(full.unwrap());
    let output = command.output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    (output.status.code(), message)
}

/// A program must not take half of an output for all of it.
#[test]
#[cfg(target_os = "linux")]
fn an_output_that_cannot_be_written_is_an_error() {
    let place = Workplace::new();
    let shop = Workplace::model("shop.keyfold");
    let commands = place.commands();
    let mut all: Vec<Vec<&str>> = vec![
        vec!["export", "terraform", &shop],
        vec!["check", &shop],
        vec!["--json", "check", &shop],
        vec!["docs", &shop],
        vec!["explain", "KF012"],
        vec!["completions", "bash"],
        vec!["--help"],
        vec!["-h"],
        vec!["--version"],
        vec!["help"],
    ];
    for command in &commands {
        all.push(vec![command, "--help"]);
        all.push(vec!["help", command]);
    }
    for arguments in all {
        let (code, message) = on_full_device(&place, &arguments);
        assert_eq!(code, Some(5), "{arguments:?}: {message}");
        assert!(
            message.contains("the output cannot be written: No space left on device"),
            "{message}"
        );
    }
    // A file that is named on a full device is no wrong usage either.
    for arguments in [
        &["plan", &shop, "-o", "/dev/full"][..],
        &["export", "cloudformation", &shop, "-o", "/dev/full"],
        &[
            "prove",
            &shop,
            "--items",
            "3",
            "--asks",
            "1",
            "--record",
            "/dev/full",
        ],
    ] {
        let error = place.json(5, arguments)["error"].clone();
        assert_eq!(error["kind"], "backend", "{error}");
        assert_eq!(error["where"]["file"], "/dev/full", "{error}");
    }
    let error = place.json(2, &["plan", &shop, "-o", "nowhere/plan.json"]);
    assert_eq!(error["error"]["kind"], "usage");
}

/// A reader that has read enough is no error.
#[test]
#[cfg(unix)]
fn a_closed_pipe_ends_a_command_quietly() {
    let place = Workplace::new();
    for arguments in [&["--help"][..], &["help", "check"], &["explain"]] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_keyfold"))
            .current_dir(place.folder.path())
            .args(arguments)
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), message.as_str()), (Some(0), ""));
    }
}

#[test]
#[cfg(unix)]
fn a_file_that_is_formatted_stays_the_file_it_was() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
    let place = Workplace::new();
    let file = place.write(
        "real.keyfold",
        "model a 1\ntable Tab  (PK,SK)\nentity Note\n  id: string\n  key \"N#{id}\" \"M\"\n",
    );
    let link = place.folder.path().join("link.keyfold");
    symlink(&file, &link).unwrap();
    for mode in [0o600, 0o664] {
        std::fs::write(
            &file,
            std::fs::read_to_string(&file)
                .unwrap()
                .replace("Tab (", "Tab    ("),
        )
        .unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        let output = place.run(&["fmt", link.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(0));
        assert!(link.is_symlink());
        assert_eq!(std::fs::metadata(&file).unwrap().mode() & 0o777, mode);
        assert!(
            std::fs::read_to_string(&file)
                .unwrap()
                .contains("Tab (PK, SK)")
        );
    }
    assert_eq!(
        std::fs::read_dir(place.folder.path()).unwrap().count(),
        2,
        "no other file remains"
    );
}

#[test]
fn warnings_that_are_not_shown_are_counted() {
    let place = Workplace::new();
    let patterns: String = (0..260)
        .map(|n| format!("pattern all{n}() -> Note[] page 20 scan\n"))
        .collect();
    let model = format!(
        "model many 1\ntable Many (PK, SK)\nentity Note\n  id: string\n  key \"NOTE#{{id}}\" \"META\"\n{patterns}"
    );
    let file = place.write("many.keyfold", &model);
    let report = place.json(0, &["check", &file]);
    let shown = report["diagnostics"].as_array().unwrap().len();
    assert_eq!((shown, report["more"].as_i64()), (200, Some(60)));
    let text = String::from_utf8(place.run(&["check", &file]).stderr).unwrap();
    assert!(text.contains("60 more warnings are not shown"), "{text}");
}

/// Commands and subcommands with `--data`.
fn commands_with_data(place: &Workplace) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for command in place.commands() {
        let below = place.subcommands(&[&command]);
        let of_below = below.iter().map(|one| vec![command.as_str(), one]);
        let own = std::iter::once(vec![command.as_str()]);
        for words in own.chain(of_below) {
            let help = place.text(&[words.as_slice(), &["--help"]].concat());
            if help.contains("--data <") {
                all.insert(words.join(" "));
            }
        }
    }
    all
}

#[test]
fn a_read_creates_no_data_folder() {
    let place = Workplace::new();
    let shop = &Workplace::model("shop.keyfold");
    let models = Workplace::new();
    let changing = &models.write(
        "changing.keyfold",
        "model m 1\ntable Tab (PK, SK)\nentity A\n  id: string, n: int = 0\n  key \"A#{id}\" \"A\"\nwrite raise(id)\n  update A set n = n + 1\nwrite drop(id)\n  delete A\n",
    );
    let viewed = &models.write(
        "viewed.keyfold",
        "model m 1\ntable Tab (PK, SK)\n  stream new and old images\nentity A\n  id: string, day: date\n  key \"A#{id}\" \"A\"\nview Days of A\n  key \"DAY#{day}\" \"DAY\"\n  n: count\npattern days(day) -> Days?\n",
    );
    let discarded = &models.write("failed.jsonl", "");
    // Those that make one say so, and write what is given.
    let mut seen: BTreeSet<String> = ["demo", "put", "serve", "tables"].map(str::to_owned).into();
    let user = ["User", "userId=1"];
    for (code, arguments) in [
        (5, &[&["run", shop, "user"], &user[1..]].concat()[..]),
        (5, &[&["delete", shop], &user[..]].concat()),
        (5, &[&["update", shop], &user[..], &["name=n"]].concat()),
        (5, &["run", changing, "raise", "id=1"]),
        (5, &["run", changing, "drop", "id=1"]),
        (5, &["infer", "Shop"]),
        (5, &["verify", shop]),
        (5, &["views", "run", viewed]),
        (5, &["views", "rebuild", viewed]),
        (5, &["views", "status", viewed]),
        (5, &["views", "failures", viewed]),
        (5, &["views", "replay", viewed]),
        (5, &["events", "status"]),
        (5, &["events", "failures", discarded]),
        (
            5,
            &[
                "events",
                "replay",
                discarded,
                "--to",
                "Tab=http://127.0.0.1:1",
            ],
        ),
        (5, &["views", "run", shop]),
        (5, &["views", "rebuild", shop]),
        (5, &["doctor"]),
        (5, &["backup", "copy"]),
    ] {
        let report = place.json(code, &[arguments, &["--data", "mistyped"]].concat());
        let message = report["error"]["message"].as_str().unwrap();
        assert!(message.contains("mistyped"), "{arguments:?}: {message}");
        let named = match arguments[0] {
            "views" | "events" => arguments[..2].join(" "),
            _ => arguments[0].to_owned(),
        };
        seen.insert(named);
    }
    assert_eq!(seen, commands_with_data(&place), "no command is forgotten");
    assert_eq!(
        place.json(0, &["run", shop, "user", "userId=1"])["items"]
            .as_array()
            .unwrap()
            .len(),
        0
    );
    // Nor is the default folder made to work on.
    for action in ["run", "rebuild"] {
        let error = place.json(5, &["views", action, viewed])["error"].clone();
        assert_eq!(error["where"]["folder"], ".keyfold/data", "{error}");
    }
    assert_eq!(std::fs::read_dir(place.folder.path()).unwrap().count(), 0);
    let user = [
        "put",
        shop,
        "User",
        "userId=1",
        "email=e",
        "name=n",
        "createdAt=2024-01-01",
        "--data",
        "made",
    ];
    let output = place.run(&user);
    assert!(String::from_utf8_lossy(&output.stderr).contains("a new data folder: made"));
}

#[test]
fn a_write_of_no_items_says_so() {
    let place = Workplace::new();
    let model = place.write(
        "m.keyfold",
        "model m 1\ntable Tab (PK, SK)\nrecord Move\n  id: string, n: int\nentity A\n  id: string, n: int = 0\n  key \"A#{id}\" \"A\"\nwrite put_all(ms: list of Move)\n  put A for each ms\n",
    );
    let run = |ms: &str| place.text(&["run", &model, "put_all", ms, "--data", "d"]);
    let text = run("ms=[]");
    assert!(
        text.contains("nothing to write: the arguments name no item"),
        "{text}"
    );
    let one = "ms=[{\"id\":\"1\",\"n\":2}]";
    assert!(run(one).starts_with("done"), "{text}");
    // An item that is as it should be was read.
    let update = ["update", &model, "A", "id=1", "n=2", "--data", "d"];
    let text = place.text(&update);
    assert!(text.contains("have these values already"), "{text}");
}

#[test]
fn the_endpoint_of_the_environment_is_used_unless_another_is_named() {
    let place = Workplace::new();
    let shop = &Workplace::model("shop.keyfold");
    let user = ["run", shop, "user", "userId=1", "--json"];
    for name in ["AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_DYNAMODB"] {
        let output = place.run_with(&[(name, "http://127.0.0.1:1")], &user);
        assert_eq!(output.status.code(), Some(5), "{name}");
        assert!(
            String::from_utf8_lossy(&output.stdout).contains("cannot reach"),
            "{name}"
        );
    }
    let put = [
        "put",
        shop,
        "User",
        "userId=1",
        "email=e",
        "name=n",
        "createdAt=2024-01-01",
        "--data",
        "own",
    ];
    assert!(
        place
            .run_with(&[("AWS_ENDPOINT_URL", "http://127.0.0.1:1")], &put)
            .status
            .success()
    );
}

#[test]
fn generated_values_are_shown() {
    let place = Workplace::new();
    let model = place.write(
        "notes.keyfold",
        "model notes 1\ntable Notes (PK, SK)\nentity Note\n  id: ulid = new, at: time = now, text: string, n: int = 1\n  key \"NOTE#{id}\" \"N\"\npattern note(id) -> Note?\nwrite jot()\n  create Note\n",
    );
    for arguments in [
        ["put", &model, "Note", "text=a"],
        ["run", &model, "jot", "text=a"],
    ] {
        let made = place.json(0, &arguments)["made"].clone();
        let names: Vec<&str> = made
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["attribute"].as_str().unwrap())
            .collect();
        assert_eq!(names, ["id", "at"], "{arguments:?}");
        let id = format!("id={}", made[0]["value"].as_str().unwrap());
        assert_eq!(
            place.json(0, &["run", &model, "note", &id])["items"]
                .as_array()
                .unwrap()
                .len(),
            1
        );
        assert!(place.text(&arguments).contains("id = 0"));
    }
}

/// A value that is generated for a new item must be given for an existing one, and so must a value
/// that a change uses.
#[test]
fn a_parameter_that_is_called_optional_can_be_left_out() {
    let place = Workplace::new();
    let model = place.write(
        "notes.keyfold",
        "model notes 1\ntable Notes (PK, SK)\nentity Note\n  id: ulid = new, n: int = 1, tag: string?\n  key \"NOTE#{id}\" \"N\"\nentity Board\n  boardId: string, count: int = 0\n  key \"BOARD#{boardId}\" \"B\"\nwrite jot()\n  create Note\nwrite tagit(tag)\n  update Note set tag = tag\nwrite drop()\n  delete Note\nwrite pin()\n  create Note\n  update Board set count = count + n\n",
    );
    let text = place.text(&["check", &model]);
    for wanted in [
        "jot(id?, n?, tag?)",
        "tagit(tag, id)",
        "drop(id)",
        "pin(id?, n, tag?, boardId)",
    ] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    place.json(0, &["put", &model, "Board", "boardId=b"]);
    place.json(0, &["run", &model, "jot"]);
    place.json(0, &["run", &model, "pin", "n=3", "boardId=b"]);
    let report = place.json(2, &["run", &model, "pin", "boardId=b"]);
    assert!(
        report["error"]["message"]
            .as_str()
            .unwrap()
            .contains("the write pin needs n; write n=…"),
        "{report}"
    );
    let report = place.json(2, &["update", &model, "Board", "boardId=b"]);
    assert!(
        report["error"]["message"]
            .as_str()
            .unwrap()
            .contains("nothing to change"),
        "{report}"
    );
    let report = place.json(2, &["run", &model, "drop"]);
    assert!(
        report["error"]["message"]
            .as_str()
            .unwrap()
            .contains("the write drop needs id; write id=…"),
        "{report}"
    );
}

#[test]
fn stored_text_does_not_move_the_cursor() {
    let place = Workplace::new();
    let shop = &Workplace::model("shop.keyfold");
    let name = "name=a\u{1b}[31m\nb\u{202e}c";
    place.json(
        0,
        &[
            "put",
            shop,
            "User",
            "userId=1",
            "email=e",
            name,
            "createdAt=2024-01-01",
        ],
    );
    let text = place.text(&["run", shop, "user", "userId=1"]);
    assert!(
        text.contains("a\\u{1b}[31m\\nb\\u{202e}c") && !text.contains('\u{1b}'),
        "{text}"
    );
    assert_eq!(
        place.json(0, &["run", shop, "user", "userId=1"])["items"][0]["attributes"]["name"],
        name[5..]
    );
}

#[test]
fn kinds_are_shown_in_the_order_of_the_pattern() {
    let place = Workplace::new();
    let shop = &Workplace::model("shop.keyfold");
    place.json(
        0,
        &[
            "put",
            shop,
            "OrderItem",
            "orderId=1",
            "itemId=i",
            "productId=p",
            "quantity=1",
            "price=1",
        ],
    );
    place.json(
        0,
        &[
            "put",
            shop,
            "Order",
            "orderId=1",
            "userId=u",
            "createdAt=2024-01-01",
            "total=1",
            "status=paid",
        ],
    );
    let text = place.text(&["run", shop, "order_with_items", "orderId=1"]);
    assert!(
        text.find("Order ").unwrap() < text.find("OrderItem").unwrap(),
        "{text}"
    );
}
