//! Opens the quay as a page and an API, or does what one dispatcher says.

use examples_web::{announce, connection, given, listen, outcome, serve, usage};
use freight::{Freight, Refusal, check_description, check_places, routes};
use keyfold::nonblocking::Keyfold;
use std::error::Error;
use std::io::Write;
use std::process::ExitCode;

const USAGE: &str = "usage: freight [COMMAND]

Opens the quay as a page and an API, until Ctrl-C; or does what one dispatcher says:

  container ID PLACES
  item ID DESCRIPTION
  assign ITEM CONTAINER
  unload ITEM CONTAINER
  show ITEM

  FREIGHT_CONNECTION
               the database: keyfold:./data if it is not set
";

#[tokio::main]
async fn main() -> ExitCode {
    let words = given();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    // Before a database is made for words that are none.
    let is_command = matches!(
        *words,
        [] | ["container" | "item" | "assign" | "unload", _, _] | ["show", _]
    );
    if let Some(code) = usage(USAGE, &words, is_command) {
        return code;
    }
    match run(&words).await {
        Ok(code) => code,
        Err(error) => outcome("Freight", Err(error)),
    }
}

async fn run(words: &[&str]) -> Result<ExitCode, Box<dyn Error>> {
    let database = connection("FREIGHT_CONNECTION", "keyfold:./data");
    let database = Keyfold::connect(&database).await?;
    let freight = Freight::open(&database).await?;
    let mut said = None;
    if words.is_empty() {
        freight.seed().await?;
        let listener = listen().await?;
        announce("Freight", &listener)?;
        serve(listener, routes(freight)).await?;
    } else {
        said = Some(answer(&freight, words).await?);
    }
    database.close().await?;
    match said {
        Some(Ok(done)) => writeln!(std::io::stdout(), "{done}")?,
        // Nothing was changed, or there is nothing to show: the exit code says it, too.
        Some(Err(refused)) => {
            writeln!(std::io::stderr(), "{refused}")?;
            return Ok(ExitCode::FAILURE);
        }
        None => {}
    }
    Ok(ExitCode::SUCCESS)
}

/// Refuses names and descriptions of blanks.
fn check_written(words: &[&str]) -> Result<(), &'static str> {
    match words.iter().any(|word| word.trim().is_empty()) {
        true => Err("A name or a description is blank. Give one that can be seen."),
        false => Ok(()),
    }
}

/// Carries a command out, and says what happened, or why nothing was done.
async fn answer(
    freight: &Freight,
    words: &[&str],
) -> Result<Result<String, String>, Box<dyn Error>> {
    let said = match *words {
        ["container", id, places] => {
            check_written(&[id])?;
            let places = places
                .parse()
                .map_err(|_| format!("{places} is no number of places"))?;
            check_places(places)?;
            match freight.add_container(&id.into(), places).await? {
                true => Ok(format!("container {id} has {places} places")),
                false => Err(format!("there is a container {id} already")),
            }
        }
        ["item", id, description] => {
            check_written(&[id, description])?;
            check_description(description)?;
            match freight.add_item(&id.into(), description).await? {
                true => Ok(format!("item {id} is on the quay")),
                false => Err(format!("there is an item {id} already")),
            }
        }
        ["assign", item, to] => match freight.assign(&item.into(), &to.into()).await? {
            Ok(()) => Ok(format!("item {item} is in container {to}")),
            Err(Refusal::NoPlace) => Err(format!("container {to} is full, or there is none")),
            Err(Refusal::NotFree) => {
                Err(format!("item {item} is in a container, or there is none"))
            }
        },
        ["unload", item, from] => match freight.unload(&item.into(), &from.into()).await? {
            true => Ok(format!("item {item} is on the quay")),
            false => Err(format!("item {item} is not in container {from}")),
        },
        ["show", id] => match freight.item(&id.into()).await? {
            Some(item) => {
                let place = item.container_id.as_ref();
                let place = place.map_or("on the quay".to_owned(), |id| format!("in {id}"));
                Ok(format!("{id}: {}, {place}", item.description))
            }
            None => Err(format!("there is no item {id}")),
        },
        _ => return Err(USAGE.into()),
    };
    Ok(said)
}
