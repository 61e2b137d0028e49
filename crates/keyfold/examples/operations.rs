//! The operations of the API themselves, typed by their inputs, on the same database; and a model
//! with a mistake.
#![allow(
    clippy::print_stdout,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::expect_used,
    reason = "an example shows what it does"
)]

use keyfold::api::{DescribeTableInput, ScanInput};
use keyfold::{Error, Keyfold, values};

const MODEL: &str = r#"
model notes 1
table Notes (PK, SK)
entity Note
  id: string, text: string
  key  "NOTE#{id}"  "NOTE"
pattern note(id)  -> Note?
"#;

fn main() -> Result<(), Error> {
    let db = Keyfold::memory()?;
    let notes = db.model(MODEL)?;
    notes.put("Note", values! { "id": "a", "text": "keys are texts" })?;
    let name = Some("Notes".to_owned());
    let table = db.send(DescribeTableInput {
        table_name: name.clone(),
    })?;
    let page = db.send(ScanInput {
        table_name: name,
        ..ScanInput::default()
    })?;
    println!("{:?} holds {} item", table.table_name, page.count);
    match db.model(&MODEL.replace("{id}", "{ident}")) {
        Err(Error::Model(findings)) => {
            let first = &findings[0];
            println!("{} in line {}: {}", first.code, first.line, first.message);
        }
        _ => panic!("the model has a mistake"),
    }
    Ok(())
}
