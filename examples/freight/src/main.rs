//! Opens the quay as a page and an API, or does what one dispatcher says.

use examples_web::{announce, connection, listen, outcome, serve};
use freight::{Freight, Refusal, routes};
use keyfold::nonblocking::Keyfold;
use std::error::Error;
use std::io::Write;
use std::process::ExitCode;

const USAGE: &str = "usage: freight [container ID PLACES | item ID DESCRIPTION | assign ITEM CONTAINER | unload ITEM CONTAINER | show ITEM]";

#[tokio::main]
async fn main() -> ExitCode {
    outcome("Freight", run().await)
}

async fn run() -> Result<(), Box<dyn Error>> {
    let database = connection("FREIGHT_CONNECTION", "keyfold:./data");
    let database = Keyfold::connect(&database).await?;
    let freight = Freight::open(&database).await?;
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    if words.is_empty() {
        freight.seed().await?;
        let listener = listen().await?;
        announce("Freight", &listener)?;
        serve(listener, routes(freight)).await?;
    } else {
        let said = answer(&freight, &words).await?;
        writeln!(std::io::stdout(), "{said}")?;
    }
    database.close().await?;
    Ok(())
}

/// Carries a command out, and says what happened.
async fn answer(freight: &Freight, words: &[&str]) -> Result<String, Box<dyn Error>> {
    let said = match *words {
        ["container", id, places] => {
            match freight.add_container(&id.into(), places.parse()?).await? {
                true => format!("container {id} has {places} places"),
                false => format!("there is a container {id} already"),
            }
        }
        ["item", id, description] => match freight.add_item(&id.into(), description).await? {
            true => format!("item {id} is on the quay"),
            false => format!("there is an item {id} already"),
        },
        ["assign", item, to] => match freight.assign(&item.into(), &to.into()).await? {
            Ok(()) => format!("item {item} is in container {to}"),
            Err(Refusal::NoPlace) => format!("container {to} is full, or there is none"),
            Err(Refusal::NotFree) => format!("item {item} is in a container, or there is none"),
        },
        ["unload", item, from] => match freight.unload(&item.into(), &from.into()).await? {
            true => format!("item {item} is on the quay"),
            false => format!("item {item} is not in container {from}"),
        },
        ["show", id] => match freight.item(&id.into()).await? {
            Some(item) => {
                let place = item.container_id.as_ref();
                let place = place.map_or("on the quay".to_owned(), |id| format!("in {id}"));
                format!("{id}: {}, {place}", item.description)
            }
            None => format!("there is no item {id}"),
        },
        _ => return Err(USAGE.into()),
    };
    Ok(said)
}
