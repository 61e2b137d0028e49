//! The data behind the page: the tables of one place, read through a model.
//!
//! ```text
//! POST /explore/model   form    the patterns of a model, with what their forms need
//! POST /explore/tables  tables  the names of the tables, and which the model has
//! POST /explore/table   tables  the description of one
//! POST /explore/items   items   a page of a table, an index or a collection, as entities
//! POST /explore/run     run     a page of a pattern's answer
//! POST /explore/raw     raw     a page of a Query, a Scan or a statement that somebody has written
//! POST /explore/state   operate  the state of all tables
//! POST /explore/requests  requests  how many requests a server has answered, and how fast
//! POST /explore/under-way  under_way  the views of a model, and moves, evolutions and migrations
//! POST /explore/measure  measure  how big the collections and items of a table are, page by page
//! POST /explore/stream  stream  the changes of a table, as they come
//! POST /explore/write   edit    a write of an entity: shown, and then carried out
//! POST /explore/named   named   a named write of the model: shown, and then carried out
//! POST /explore/transact  named  several writes of entities at once: shown, and then carried out
//! POST /explore/item    raw_write  one item as it is stored: shown, and then written
//! POST /explore/import  import  lines of JSON: shown what each writes, and then written
//! POST /explore/deployed  deployed  the tables of the place beside the model as it is edited
//! POST /explore/create  create  the tables of the model that the place has not
//! ```
//!
//! Each answer is JSON with a status of 200; a refusal has the member `error`. Each request that was
//! sent is in it, with what came back. Credentials stay in the [`Place`].

mod activity;
mod create;
mod deployed;
mod edit;
mod exchange;
mod fault;
mod form;
mod import;
mod items;
mod measure;
mod named;
mod operate;
mod place;
mod raw;
mod raw_write;
mod requests;
mod run;
mod shown;
mod step;
mod stream;
mod tables;
mod typed;
mod under_way;

use crate::files::Files;
pub use activity::{Activity, Counters, Known, Opened, UnderWay, View, Work};
use fault::Fault;
use keyfold_model::Model;
pub use place::Place;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

/// A question about one of the models; `None` where the page has none.
#[derive(Deserialize)]
struct OfModel {
    file: Option<usize>,
}

/// Answers a question of the page. `what` is the path behind `/explore/`; `None` for one that is not known.
pub(crate) fn answer(place: &Place, files: &Files, what: &str, body: &[u8]) -> Option<Json> {
    let answered = match what {
        "model" => asked(body).and_then(|OfModel { file }| Ok(form::of(&needed(files, file)?))),
        "tables" => asked(body)
            .and_then(|OfModel { file }| tables::names(place, model(files, file)?.as_ref())),
        "table" => asked(body).and_then(|asked| tables::described(place, &asked)),
        "items" => asked::<items::Asked>(body)
            .and_then(|asked| items::page(place, model(files, asked.file)?.as_ref(), &asked)),
        "run" => asked::<run::Asked>(body)
            .and_then(|asked| run::page(place, &needed(files, asked.file)?, &asked)),
        "raw" => asked::<raw::Asked>(body)
            .and_then(|asked| raw::page(place, model(files, asked.file)?.as_ref(), &asked)),
        "state" => operate::state(place),
        "requests" => requests::counted(place),
        "under-way" => asked::<OfModel>(body)
            .map(|OfModel { file }| under_way::activity(place, files, (file, model(files, file)))),
        "measure" => asked::<measure::Asked>(body).and_then(|asked| measure::page(place, &asked)),
        "stream" => asked::<stream::Asked>(body)
            .and_then(|asked| stream::records(place, model(files, asked.file)?.as_ref(), &asked)),
        "deployed" => asked::<deployed::Asked>(body).and_then(|asked| {
            let model = files.compiled(asked.file, &asked.text);
            deployed::difference(place, &model.map_err(Fault::because)?)
        }),
        "import" if place.may_write => asked::<import::Asked>(body)
            .and_then(|asked| import::lines(place, model(files, asked.file)?.as_ref(), &asked)),
        "item" if place.may_write => {
            asked::<raw_write::Asked>(body).and_then(|asked| raw_write::write(place, &asked))
        }
        "create" if place.may_write => asked::<create::Asked>(body)
            .and_then(|asked| create::make(place, &needed(files, asked.file)?, &asked)),
        "write" if place.may_write => asked::<edit::Asked>(body)
            .and_then(|asked| edit::write(place, &needed(files, asked.file)?, &asked)),
        "named" if place.may_write => asked::<named::Asked>(body)
            .and_then(|asked| named::run(place, &needed(files, asked.file)?, &asked)),
        "transact" if place.may_write => asked::<named::AskedParts>(body)
            .and_then(|asked| named::transact(place, &needed(files, asked.file)?, &asked)),
        _ => return None,
    };
    Some(answered.unwrap_or_else(|fault| fault.json()))
}

/// What the page asks.
fn asked<T: DeserializeOwned>(body: &[u8]) -> Result<T, Fault> {
    serde_json::from_slice(body).map_err(|error| Fault::because(error.to_string()))
}

/// The model of a file, as it is stored.
fn model(files: &Files, file: Option<usize>) -> Result<Option<Model>, Fault> {
    let Some(at) = file else {
        return Ok(None);
    };
    let path = files.path(at)?;
    let wrong = |why: String| Fault::because(format!("{}: {why}", path.display()));
    let sources = keyfold_model::files::read(path).map_err(|error| wrong(error.to_string()))?;
    let compiled = keyfold_model::compile_sources(&sources);
    let model = compiled.model;
    let model = model.ok_or_else(|| wrong("the stored model has errors".to_owned()))?;
    Ok(Some(model))
}

/// The model of a file, where there must be one.
fn needed(files: &Files, file: Option<usize>) -> Result<Model, Fault> {
    model(files, file)?.ok_or_else(|| Fault::because("this needs a model".to_owned()))
}

#[cfg(test)]
mod tests;
