//! Pages, read when they are asked for; and a page that goes on where another program stopped.
#![allow(
    clippy::print_stdout,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::expect_used,
    reason = "an example shows what it does"
)]

use keyfold::{Keyfold, values};

const MODEL: &str = r#"
model log 1
table Log (PK, SK)
entity Entry
  host: string, at: time, text: string
  key  "HOST#{host}"  "{at}"
pattern entries(host, at >= since?)  -> Entry[]  newest page 10
"#;

fn main() -> Result<(), keyfold::Error> {
    let log = Keyfold::memory()?.model(MODEL)?;
    for minute in 0..25 {
        let at = format!("2024-01-01T12:{minute:02}:00Z");
        log.put(
            "Entry",
            values! { "host": "a", "at": at, "text": format!("entry {minute}") },
        )?;
    }
    let mut sizes = Vec::new();
    for page in log.query("entries").arg("host", "a").pages() {
        sizes.push(page?.items.len());
    }
    assert_eq!(sizes, [10, 10, 5]);
    let first = log.query("entries").arg("host", "a").limit(3).page()?;
    let next = first.next.expect("there are more");
    let second = log
        .query("entries")
        .arg("host", "a")
        .limit(3)
        .after(&next)
        .page()?;
    assert_eq!(second.items[0].text("text"), Some("entry 21"));
    let since = log
        .query("entries")
        .arg("host", "a")
        .arg("since", "2024-01-01T12:20:00Z")
        .all()?;
    println!(
        "{sizes:?}, then {}, and {} since 12:20",
        second.items.len(),
        since.len()
    );
    Ok(())
}
