//! Tests `keyfold verify`: the text, the exit code, and the file of findings.
#![allow(clippy::unwrap_used, reason = "tests")]

mod workplace;

use serde_json::Value as Json;
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
