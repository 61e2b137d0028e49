//! Opens the home as a page and an API.

use examples_web::{announce, connection, given, listen, outcome, serve, usage};
use keyfold::nonblocking::Keyfold;
use smart_home::{Home, open, routes};
use std::error::Error;
use std::process::ExitCode;

const USAGE: &str = "usage: smart-home

Opens the devices of a home as a page and an API, until Ctrl-C.

  HOME_CONNECTION
               the database: keyfold:./data if it is not set
";

#[tokio::main]
async fn main() -> ExitCode {
    let words = given();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match usage(USAGE, &words, words.is_empty()) {
        Some(code) => code,
        None => outcome("The smart home", run().await),
    }
}

async fn run() -> Result<(), Box<dyn Error>> {
    let database: Keyfold = open(&connection("HOME_CONNECTION", "keyfold:./data")).await?;
    let home = Home::open(&database).await?;
    let listener = listen().await?;
    announce("The smart home", &listener)?;
    serve(listener, routes(home)).await?;
    database.close().await?;
    Ok(())
}
