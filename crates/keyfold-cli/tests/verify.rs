//! Tests `keyfold verify`: the text, the exit code, and the file of findings.
#![allow(clippy::unwrap_used, reason = "tests")]

mod workplace;

use serde_json::Value as Json;
use std::process::{Command, Output, Stdio};
use workplace::Workplace;

#[test]
fn findings_name_the_line_of_the_model_and_end_with_1() {
    let place = Workplace::new();
    let shop = &Workplace::model("shop.keyfold");
    place.text(&["demo", "--once", "--data", "d"]);
    let good = place.text(&[
        "verify",
        shop,
        "--data",
        "d",
        "--segments",
        "3",
        "--rate",
        "1000",
    ]);
    assert!(good.contains("every item is as the model says"), "{good}");

    // A stricter model: its users lack an attribute, and its statuses are others.
    let source = std::fs::read_to_string(shop).unwrap();
    let strict = source.replacen("email: string", "phone: string, email: string", 1);
    assert_ne!(source, strict);
    let strict_model = &place.write("strict.keyfold", &strict);
    // An older file, which is longer, is replaced; the state is gone at the end.
    place.write("f", &"x".repeat(100_000));
    let output = place.run(&[
        "verify",
        strict_model,
        "--data",
        "d",
        "--findings",
        "f",
        "--state",
        "state",
    ]);
    assert!(!place.folder.path().join("state").exists());
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    let line = strict
        .lines()
        .position(|line| line.contains("phone"))
        .unwrap()
        + 1;
    assert!(
        text.contains("2 a required attribute is missing (User)"),
        "{text}"
    );
    assert!(text.contains(&format!("strict.keyfold:{line} ")), "{text}");

    let file = std::fs::read_to_string(place.folder.path().join("f")).unwrap();
    let findings: Vec<Json> = file
        .lines()
        .map(|one| serde_json::from_str(one).unwrap())
        .collect();
    assert_eq!(findings.len(), 2, "{file}");
    assert!(
        findings
            .iter()
            .all(|one| one["kind"] == "missing_attribute" && one["line"] == line)
    );
}

/// A folder with the data of the shop, and a model that its two users do not fit.
fn strict() -> (Workplace, Vec<String>) {
    let place = Workplace::new();
    let shop = &Workplace::model("shop.keyfold");
    place.text(&["demo", "--once", "--data", "d"]);
    let source = std::fs::read_to_string(shop).unwrap();
    let strict = source.replacen("email: string", "phone: string, email: string", 1);
    place.write("strict.keyfold", &strict);
    let words = "verify strict.keyfold --data d --yes --findings";
    (place, words.split(' ').map(str::to_owned).collect())
}

/// Runs the command in a shell: `$K` is the command with its first words.
fn shell(place: &Workplace, words: &[String], script: &str) -> Output {
    let command = format!("{} {}", env!("CARGO_BIN_EXE_keyfold"), words.join(" "));
    Command::new("bash")
        .current_dir(place.folder.path())
        .args(["-c", script])
        .env("K", command)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn lines(text: &str) -> Vec<Json> {
    let each = text.lines().filter(|line| line.starts_with('{'));
    each.map(|one| serde_json::from_str(one).unwrap()).collect()
}

#[cfg(unix)]
#[test]
fn findings_are_written_straight_into_what_is_no_file() {
    let (place, words) = strict();
    // A pipe of their own, and that of the text.
    for script in [
        "$K >(cat > f; echo done > g) > t; while ! test -s g; do sleep 0.01; done; cat f",
        "$K /dev/stdout | cat",
    ] {
        let output = shell(&place, &words, script);
        let text = String::from_utf8(output.stdout).unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(lines(&text).len(), 2, "{script}: {text}{error}");
    }
    for script in ["$K /dev/null --json", "$K /dev/null --json > /dev/null"] {
        let output = shell(&place, &words, script);
        assert_eq!(output.status.code(), Some(1), "{script}: {output:?}");
    }
    // What takes nothing is an error, and none of the findings' own code.
    #[cfg(target_os = "linux")]
    {
        let output = shell(&place, &words, "$K /dev/full --json");
        assert_eq!(output.status.code(), Some(5), "{output:?}");
        let report = String::from_utf8(output.stdout).unwrap();
        assert!(
            report.contains("cannot write the findings to /dev/full: "),
            "{report}"
        );
    }
}

#[cfg(unix)]
#[test]
fn findings_do_not_go_where_the_report_goes() {
    let (place, words) = strict();
    for (script, why) in [
        ("$K /dev/stdout --json", "the report of --json goes there"),
        (
            "$K /dev/stdout > out; code=$?; cat out; exit $code",
            "goes to the same file",
        ),
        (
            "$K out > out; code=$?; cat out; exit $code",
            "goes to the same file",
        ),
        (
            "$K out 2> out; code=$?; cat out; exit $code",
            "goes to the same file",
        ),
        ("$K /dev/null --state s", "--state cuts the file"),
    ] {
        let output = shell(&place, &words, script);
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert_eq!(output.status.code(), Some(2), "{script}: {text}");
        assert!(text.contains(why), "{script}: {text}");
    }
}

/// The state of an interrupted run belongs to its file of findings, and that must have what the state
/// says.
#[cfg(target_os = "linux")]
#[test]
fn a_run_continues_with_its_own_findings_only() {
    let (place, words) = strict();
    let limited = "ulimit -f 0; trap '' XFSZ; $K f --state s";
    let output = shell(&place, &words, limited);
    assert!(!matches!(output.status.code(), Some(0 | 1)), "{output:?}");
    let state = place.folder.path().join("s");
    drop(std::fs::remove_dir_all(&state));
    let output = shell(&place, &words, "$K f --state s");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(!state.exists());
    assert_eq!(
        lines(&std::fs::read_to_string(place.folder.path().join("f")).unwrap()).len(),
        2
    );
}

#[test]
fn a_table_without_items_is_counted_in_a_whole_line() {
    let place = Workplace::new();
    let shop = &Workplace::model("shop.keyfold");
    place.text(&["tables", shop]);
    let said = place.text(&["verify", shop]);
    assert!(said.lines().any(|line| line == "0 items"), "{said}");
    assert!(
        !said.lines().any(|line| line.trim_end().ends_with(':')),
        "{said}"
    );
}
