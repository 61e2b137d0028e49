//! The program of a dispatcher.

use freight::{Freight, Refusal};
use keyfold::Keyfold;
use std::error::Error;
use std::io::Write;

const USAGE: &str = "usage: freight container ID PLACES | item ID DESCRIPTION | assign ITEM CONTAINER | unload ITEM CONTAINER | show ITEM";
/// Where the goods are, unless FREIGHT_DATABASE says so: any connection of Keyfold.
const DATABASE: &str = "keyfold:./freight-data";

fn main() -> Result<(), Box<dyn Error>> {
    let database = std::env::var("FREIGHT_DATABASE").unwrap_or_else(|_| DATABASE.to_owned());
    let freight = Freight::open(&Keyfold::connect(&database)?)?;
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let said = answer(&freight, &words)?;
    writeln!(std::io::stdout(), "{said}")?;
    Ok(())
}

/// Carries a command out, and says what happened.
fn answer(freight: &Freight, words: &[&str]) -> Result<String, Box<dyn Error>> {
    let said = match *words {
        ["container", id, places] => match freight.add_container(&id.into(), places.parse()?)? {
            true => format!("container {id} has {places} places"),
            false => format!("there is a container {id} already"),
        },
        ["item", id, description] => match freight.add_item(&id.into(), description)? {
            true => format!("item {id} is on the quay"),
            false => format!("there is an item {id} already"),
        },
        ["assign", item, to] => match freight.assign(&item.into(), &to.into())? {
            Ok(()) => format!("item {item} is in container {to}"),
            Err(Refusal::NoPlace) => format!("container {to} is full, or there is none"),
            Err(Refusal::NotFree) => format!("item {item} is in a container, or there is none"),
        },
        ["unload", item, from] => match freight.unload(&item.into(), &from.into())? {
            true => format!("item {item} is on the quay"),
            false => format!("item {item} is not in container {from}"),
        },
        ["show", id] => match freight.item(&id.into())? {
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
