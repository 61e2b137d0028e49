//! Items as structs: what derives `Serialize` is written, what derives `Deserialize` is read.
#![allow(
    clippy::print_stdout,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::expect_used,
    reason = "an example shows what it does"
)]

use keyfold::Keyfold;
use serde::{Deserialize, Serialize};

const MODEL: &str = r#"
model library 1
table Library (PK, SK)
entity Book
  isbn: string, title: string, authors: list of string, pages: int, lent: bool = false
  key  "BOOK#{isbn}"  "BOOK"
pattern book(isbn)  -> Book?
"#;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Book {
    isbn: String,
    title: String,
    authors: Vec<String>,
    pages: u32,
    lent: bool,
}

fn main() -> Result<(), keyfold::Error> {
    let library = Keyfold::memory()?.model(MODEL)?;
    let book = Book {
        isbn: "978-0".to_owned(),
        title: "Single-table design".to_owned(),
        authors: vec!["Ada".to_owned(), "Grace".to_owned()],
        pages: 320,
        lent: false,
    };
    library.put("Book", &book)?;
    let found = library.query("book").arg("isbn", &book.isbn).one()?;
    let read: Option<Book> = found.map(|item| item.to()).transpose()?;
    assert_eq!(read, Some(book));
    println!("{read:?}");
    Ok(())
}
