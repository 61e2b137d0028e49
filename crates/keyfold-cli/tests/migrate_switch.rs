//! The transcript of the documentation in which the tables of a migration lead, and the database again.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod workplace;

use rusqlite::Connection;
use workplace::Workplace;

const GUIDE: &str = include_str!("../../../docs/migrate.md");

/// The texts in a section that stand between fences of a kind.
fn fences(section: &str, fence: &str) -> Vec<&'static str> {
    let section = GUIDE.split(section).nth(1).unwrap();
    let section = section.split("\n## ").next().unwrap();
    let texts = section.split(fence).skip(1);
    texts
        .map(|text| text.split("```").next().unwrap())
        .collect()
}

/// A text with each number as `0`: how long a switch took is another one each time.
fn without_seconds(text: &str) -> String {
    let lines = text.lines().map(|line| match line.split_once("; for ") {
        Some((before, _)) => format!("{before}; for .. seconds"),
        None => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn texts(row: &rusqlite::Row<'_>) -> rusqlite::Result<String> {
    row.get::<_, i64>(0).map(|number| number.to_string())
}

/// What a line of the transcript says.
fn said(place: &Workplace, program: &Connection, line: &str) -> String {
    if let Some(sql) = line.strip_prefix("sqlite3 shop.db \"") {
        let sql = sql.trim_end_matches('"');
        if sql.starts_with("SELECT") {
            return program.query_row(sql, [], texts).unwrap();
        }
        return program.execute_batch(sql).unwrap_err().to_string();
    }
    let words: Vec<&str> = line.split_whitespace().skip(1).collect();
    let text = place.text(&words);
    match words[0] {
        "migrate" => text,
        _ => String::new(),
    }
}

#[test]
fn the_way_back_is_as_the_documentation_shows_it() {
    let place = Workplace::new();
    let program = Connection::open(place.folder.path().join("shop.db")).unwrap();
    program
        .execute_batch(fences("## An example", "```sql\n")[0])
        .unwrap();
    program
        .execute_batch(
            "INSERT INTO customers VALUES (1, 'ann@example.org', 'Ann', 1), (2, NULL, 'Bob', 1);
             INSERT INTO orders VALUES ('a1', 1, 1767261600, 'open'), ('a2', 2, 1767261601, 'paid');
             INSERT INTO products VALUES ('ink', 'Blue ink'), ('pen', 'Pen');
             INSERT INTO lines VALUES ('a1', 1, 'pen', 199), ('a1', 2, 'ink', 300), ('a2', 1, 'ink', 300)",
        )
        .unwrap();
    let first = fences("## An example", "```text\n")[0];
    let (customer, _) = first.split_once("entity Order").unwrap();
    let (_, patterns) = first.split_once("\npattern").unwrap();
    let back = fences("## The way back", "```text\n");
    let model = format!(
        "model shop 1\n\ntable Shop (PK, SK)\n\n{customer}{}\npattern{patterns}",
        back[0]
    );
    place.write("shop.keyfold", &model);
    let mut shown = String::new();
    let mut heard = String::new();
    for line in back[1].lines() {
        shown.push_str(&format!("{line}\n"));
        if let Some(line) = line.strip_prefix("$ ") {
            let said = said(&place, &program, line);
            heard.push_str(&format!("$ {line}\n"));
            heard.extend(said.lines().map(|line| format!("{line}\n")));
        }
    }
    assert_eq!(without_seconds(&heard), without_seconds(&shown));
}
