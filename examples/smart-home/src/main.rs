//! Opens the home as a page and an API.

use examples_web::{announce, connection, listen, outcome, serve};
use keyfold::nonblocking::Keyfold;
use smart_home::{Home, open, routes};
use std::error::Error;
use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    outcome("The smart home", run().await)
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
