//! Tests models of several files: each command reads them all, and names the file and its owner.
#![allow(clippy::unwrap_used, reason = "tests")]

mod workplace;

use serde_json::{Value as Json, json};
use workplace::Workplace;

const NAMES: [&str; 3] = ["shop.keyfold", "users.keyfold", "orders.keyfold"];

/// A folder with the model of three teams, and the path of its first file.
fn teams() -> (Workplace, String) {
    let place = Workplace::new();
    for name in NAMES {
        let text = std::fs::read_to_string(Workplace::model(&format!("shop-teams/{name}")));
        place.write(&format!("teams/{name}"), &text.unwrap());
    }
    (place, "teams/shop.keyfold".to_owned())
}

/// Replaces a text in a file.
fn change(place: &Workplace, name: &str, from: &str, to: &str) {
    let path = place.folder.path().join(name);
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.contains(from), "{name}: {text}");
    place.write(name, &text.replacen(from, to, 1));
}

fn read(place: &Workplace, name: &str) -> String {
    std::fs::read_to_string(place.folder.path().join(name)).unwrap()
}

/// The first error of `check`, which must be one.
fn error(place: &Workplace, file: &str) -> Json {
    let document = place.json(3, &["check", file]);
    let all = document["error"]["diagnostics"].as_array().unwrap();
    assert_eq!(all.len(), 1, "{document}");
    all[0].clone()
}

#[test]
fn every_command_reads_all_files() {
    let (place, shop) = teams();
    let shop = shop.as_str();
    let chart = place.json(0, &["check", shop]);
    assert_eq!(chart["diagnostics"], json!([]));
    assert_eq!(chart["files"][2]["fileOwner"], "team orders");
    assert_eq!(chart["files"][2]["shared"], json!(["Order"]));
    assert_eq!(
        chart["files"][2]["private"],
        json!(["OrderLine", "record Line"])
    );
    let text = place.text(&["check", shop, "--strict"]);
    assert!(
        text.contains("owned by team orders: shares Order"),
        "{text}"
    );

    place.text(&["prove", shop]);
    assert!(place.text(&["plan", shop]).contains("order_with_lines"));
    let exported = place.text(&["export", "cloudformation", shop]);
    assert!(exported.contains("GSI1SK"), "{exported}");
    for name in ["d.md", "d.html"] {
        place.text(&["docs", shop, "-o", name]);
        assert!(read(&place, name).contains("Files and owners"));
    }
    let data = |words: &[&str]| {
        let output = place.text(&[words, &["--data", "d"]].concat());
        assert!(!output.is_empty(), "{words:?}");
        output
    };
    data(&["put", shop, "User", "userId=u1", "email=a@b.c", "name=Ada"]);
    let to = r#"shipTo={"street": "s", "city": "c"}"#;
    let order = [
        "userId=u1",
        "orderId=o1",
        "createdAt=2024-01-01",
        "total=5",
        to,
    ];
    let lines = r#"lines=[{"line": 1, "sku": "x", "quantity": 2}]"#;
    data(&[&["run", shop, "place_order", lines][..], &order].concat());
    data(&["update", shop, "User", "userId=u1", "name=Eva"]);
    let found = data(&["run", shop, "user_with_orders", "userId=u1"]);
    assert!(found.contains("o1") && found.contains("Eva"), "{found}");
    data(&["verify", shop]);
    data(&["run", shop, "set_status", "orderId=o1", "status=paid"]);

    // What is stored breaks a line of another file.
    change(
        &place,
        "teams/users.keyfold",
        "name: string",
        "name: string, tax: string",
    );
    let verified = place.json(1, &["verify", shop, "--data", "d"]);
    let finding = &verified["result"]["findings"][0];
    assert_eq!(finding["file"], "teams/users.keyfold");
    assert_eq!(finding["fileOwner"], "team accounts");
    assert_eq!(finding["line"], 4);
    let output = place.run(&["verify", shop, "--data", "d"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("teams/users.keyfold:4, owned by team accounts"),
        "{text}"
    );
}

#[test]
fn completions_know_names_of_all_files() {
    let (place, shop) = teams();
    let variables = [
        ("KEYFOLD_COMPLETE", "zsh"),
        ("_CLAP_COMPLETE_INDEX", "3"),
        ("_CLAP_IFS", "\n"),
    ];
    let output = place.run_with(&variables, &["--", "keyfold", "run", &shop, "sessions"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("sessions_of_user"), "{text}");
}

#[test]
fn an_error_names_its_file_and_owner_and_places_in_it() {
    let (place, shop) = teams();
    change(&place, "teams/users.keyfold", "shared record", "record");
    let error = error(&place, &shop);
    assert_eq!(error["code"], "KF006");
    assert_eq!(error["file"], "teams/orders.keyfold");
    assert_eq!(error["fileOwner"], "team orders");
    assert_eq!((&error["line"], &error["column"]), (&json!(4), &json!(81)));
    let message = error["message"].as_str().unwrap();
    assert!(
        message.contains("users.keyfold, which team accounts owns"),
        "{message}"
    );
    for label in error["labels"].as_array().unwrap() {
        let text = read(&place, label["file"].as_str().unwrap());
        let offset = |name: &str| usize::try_from(label[name].as_u64().unwrap()).unwrap();
        assert_eq!(&text[offset("start")..offset("end")], "Address");
    }
    let output = place.run(&["check", &shop]);
    let text = String::from_utf8(output.stderr).unwrap();
    for part in [
        "--> teams/orders.keyfold:4:81",
        "::: teams/users.keyfold:",
        "orders.keyfold is owned by team orders, users.keyfold is owned by team accounts",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn a_repair_changes_its_own_file() {
    let (place, shop) = teams();
    change(&place, "teams/users.keyfold", "{email}", "{emial}");
    change(&place, "teams/shop.keyfold", "use \"orders", "us \"orders");
    change(&place, "teams/orders.keyfold", "{status}", "{statu}");
    let before = NAMES.map(|name| read(&place, &format!("teams/{name}")));
    let report = place.json(0, &["check", "--fix", &shop]);
    let repaired = report["repaired"].as_array().unwrap();
    let files: Vec<&str> = repaired
        .iter()
        .map(|one| one["file"].as_str().unwrap())
        .collect();
    let in_order = [
        "teams/shop.keyfold",
        "teams/users.keyfold",
        "teams/orders.keyfold",
    ];
    assert_eq!(files, in_order, "{report}");
    assert_eq!(repaired[2]["changed"], json!(["teams/orders.keyfold"]));
    let expected = [
        before[0].replace("us \"", "use \""),
        before[1].replace("emial", "email"),
        before[2].replace("{statu}", "{status}"),
    ];
    assert_eq!(
        NAMES.map(|name| read(&place, &format!("teams/{name}"))),
        expected
    );
}

#[test]
fn fmt_formats_the_named_files_only() {
    let (place, shop) = teams();
    change(
        &place,
        "teams/shop.keyfold",
        "shared table ",
        "shared   table ",
    );
    change(
        &place,
        "teams/users.keyfold",
        "shared record ",
        "shared   record ",
    );
    place.text(&["fmt", &shop]);
    assert!(read(&place, "teams/shop.keyfold").contains("shared table "));
    assert!(read(&place, "teams/users.keyfold").contains("shared   record "));
}

#[test]
fn diff_names_the_file_and_owner_of_a_change() {
    let (place, shop) = teams();
    for name in NAMES {
        place.write(
            &format!("new/{name}"),
            &read(&place, &format!("teams/{name}")),
        );
    }
    let same = place.json(0, &["diff", &shop, "new/shop.keyfold"]);
    assert_eq!(same["changes"], json!([]));
    change(
        &place,
        "new/orders.keyfold",
        "total: number",
        "total: number, note: string?",
    );
    change(
        &place,
        "new/users.keyfold",
        "pattern user(userId)              -> User?\n",
        "",
    );
    change(
        &place,
        "new/users.keyfold",
        "entity Session",
        "shared entity Session",
    );
    change(
        &place,
        "new/users.keyfold",
        "owner \"team accounts\"",
        "owner identity",
    );
    let report = place.json(0, &["diff", &shop, "new/shop.keyfold"]);
    let place_of = |how: &str| {
        let all = report["changes"].as_array().unwrap();
        let one = all
            .iter()
            .find(|one| one["how"].as_str().unwrap().contains(how));
        let one = one.unwrap_or_else(|| panic!("{how}: {report}"));
        json!([
            one["what"],
            one["file"],
            one["fileOwner"],
            one["line"],
            one["column"]
        ])
    };
    assert_eq!(
        place_of("attribute note added"),
        json!(["entity Order", "new/orders.keyfold", "team orders", 3, 15])
    );
    assert_eq!(
        place_of("removed"),
        json!([
            "pattern user",
            "teams/users.keyfold",
            "team accounts",
            19,
            9
        ])
    );
    assert_eq!(place_of("is shared")[1], "new/users.keyfold");
    assert_eq!(
        place_of("identity instead of team accounts owns entity User, entity Session, pattern")[2],
        "identity"
    );
    // An optional attribute needs nothing; a test may ask.
    let checked = place.json(0, &["diff", "--check", &shop, "new/shop.keyfold"]);
    assert_eq!(checked, report);
    change(
        &place,
        "new/orders.keyfold",
        "note: string?",
        "note: string = x",
    );
    let needed = place.json(1, &["diff", "--check", &shop, "new/shop.keyfold"]);
    assert!(
        needed.to_string().contains("attribute note added"),
        "{needed}"
    );
    change(
        &place,
        "new/orders.keyfold",
        "note: string = x",
        "note: string?",
    );
    let text = place.text(&["diff", &shop, "new/shop.keyfold"]);
    assert!(text.contains("new/orders.keyfold:3:15"), "{text}");
    assert!(text.contains("owned by team orders"), "{text}");
}

#[cfg(unix)]
#[test]
fn links_are_followed_inside_of_the_folder_only() {
    use std::os::unix::fs::symlink;
    let (place, shop) = teams();
    let folder = place.folder.path();
    let failed = |line: &str| {
        let text = read(&place, "teams/shop.keyfold");
        place.write("teams/wrong.keyfold", &format!("{text}{line}\n"));
        let error = error(&place, "teams/wrong.keyfold");
        assert_eq!(error["code"], "KF005", "{error}");
        format!("{} {}", error["message"], error["notes"])
    };
    symlink("users.keyfold", folder.join("teams/again.keyfold")).unwrap();
    let text = failed("use \"again.keyfold\"");
    assert!(text.contains("users.keyfold is used twice"), "{text}");
    place.write("other.keyfold", "owner others\n");
    symlink("../other.keyfold", folder.join("teams/out.keyfold")).unwrap();
    let text = failed("use \"out.keyfold\"");
    assert!(text.contains("outside of the model's folder"), "{text}");
    std::fs::create_dir(folder.join("teams/folder.keyfold")).unwrap();
    let text = failed("use \"folder.keyfold\"");
    assert!(text.contains("is not a file"), "{text}");
    let text = failed("use \"absent.keyfold\"");
    assert!(text.contains("No such file"), "{text}");

    // The first file may be a link, too: the others lie beside the file itself.
    symlink(&shop, folder.join("link.keyfold")).unwrap();
    change(&place, "teams/users.keyfold", "{email}", "{emial}");
    let report = place.json(0, &["check", "--fix", "link.keyfold"]);
    let file = report["repaired"][0]["file"].as_str().unwrap();
    assert!(file.ends_with("/teams/users.keyfold"), "{file}");
    assert!(read(&place, "teams/users.keyfold").contains("{email}"));
    assert!(folder.join("link.keyfold").is_symlink());
}
