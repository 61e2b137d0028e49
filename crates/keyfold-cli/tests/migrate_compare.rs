//! `keyfold migrate compare`: what it shows, its gate with the exit codes, and its reports.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod workplace;

use workplace::Workplace;

const MODEL: &str = "model m 1
table Tab (PK, SK)

entity Pen in Tab
  shelf: string, id: int, colour: string
  key \"SHELF#{shelf}\" \"PEN#{id:04}\"
  from pens

pattern pens(shelf) -> Pen[]
pattern pen(shelf, id) -> Pen
";

/// Ten pens on two shelves, carried.
fn place() -> Workplace {
    let place = Workplace::new();
    let database = rusqlite::Connection::open(place.folder.path().join("pens.db")).unwrap();
    let rows: String = (0..10)
        .map(|id| format!("INSERT INTO pens VALUES ('s{}', {id}, 'red');", id % 2))
        .collect();
    let table = "CREATE TABLE pens (shelf TEXT, id INTEGER PRIMARY KEY, colour TEXT);";
    database.execute_batch(&format!("{table}{rows}")).unwrap();
    place.write("pens.keyfold", MODEL);
    migrate(&place, 0, "run", &["--once", "--report", "run.md"]);
    place
}

fn migrate(place: &Workplace, code: i32, word: &str, more: &[&str]) -> (String, String) {
    let both = [
        "migrate",
        word,
        "pens.keyfold",
        "--from",
        "sqlite:pens.db",
        "--at",
        "keyfold:./data",
    ];
    let output = place.run(&[&both[..], more].concat());
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let said = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{more:?}\n{said:?}");
    said
}

fn file(place: &Workplace, name: &str) -> String {
    std::fs::read_to_string(place.folder.path().join(name)).unwrap()
}

#[test]
fn equal_answers_end_it_well_and_others_with_1() {
    let place = place();
    let (out, _) = migrate(&place, 0, "compare", &["--all"]);
    assert!(out.contains("pens     2      2"), "{out}");
    place.text(&[
        "update",
        "pens.keyfold",
        "Pen",
        "shelf=s1",
        "id=3",
        "colour=blue",
        "--data",
        "data",
    ]);
    let asked = ["--all", "--lag", "1ms", "--report", "compare.html"];
    let (out, err) = migrate(&place, 1, "compare", &asked);
    assert!(out.contains("differs pens shelf=s1"), "{out}");
    assert!(
        out.contains("the tables say, and the database does not: Pen shelf=s1 id=3 colour=blue"),
        "{out}"
    );
    assert!(err.contains("and 0 in a thousand may"), "{err}");
    assert!(file(&place, "compare.html").contains("beyond the gate of 0 in a thousand"));
    let wide = ["--all", "--lag", "1ms", "--gate", "500"];
    migrate(&place, 0, "compare", &wide);
}

#[test]
fn reports_say_what_was_read_and_written() {
    let place = place();
    let text = file(&place, "run.md");
    for part in [
        "**Everything is carried.**",
        "10 rows",
        "10 items",
        "seconds",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    migrate(&place, 0, "verify", &["--report", "verify.md"]);
    let text = file(&place, "verify.md");
    assert!(text.contains("**Rows and items are the same.**"), "{text}");
    assert!(text.contains("| Pen | 10 |"), "{text}");
    // Before anything is read.
    let (_, err) = migrate(&place, 2, "verify", &["--report", "verify.pdf"]);
    assert!(err.contains("neither with .md nor with .html"), "{err}");
}

#[test]
fn a_comparison_that_asks_nothing_is_no_success() {
    let place = place();
    let database = rusqlite::Connection::open(place.folder.path().join("pens.db")).unwrap();
    database.execute_batch("DELETE FROM pens").unwrap();
    migrate(&place, 0, "run", &["--once"]);
    let (_, err) = migrate(&place, 1, "compare", &[]);
    assert!(err.contains("nothing was asked"), "{err}");
}
