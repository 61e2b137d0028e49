//! The state of a place: its tables with their sizes and indexes, expiry, streams and backups, and its exports and
//! imports.

use super::exchange::send;
use super::fault::Fault;
use super::place::Place;
use keyfold_api::{
    DescribeContinuousBackupsInput, DescribeTableInput, DescribeTimeToLiveInput, ListBackupsInput,
    ListExportsInput, ListImportsInput, Request,
};
use keyfold_client::tables;
use serde_json::{Value as Json, json};

/// What each table says about itself. An endpoint need not know all of these requests: the sentence of
/// its refusal then stands in the place of the answer.
pub(super) fn state(place: &Place) -> Result<Json, Fault> {
    let names = tables::names(&place.backend)?;
    let all = names.iter().map(|name| table(place, name));
    Ok(json!({
        "tables": all.collect::<Vec<_>>(),
        "exports": said(place, ListExportsInput::default().into()),
        "imports": said(place, ListImportsInput::default().into()),
    }))
}

fn table(place: &Place, name: &str) -> Json {
    let table_name = Some(name.to_owned());
    let table = DescribeTableInput {
        table_name: table_name.clone(),
    };
    let expiry = DescribeTimeToLiveInput {
        table_name: table_name.clone(),
    };
    let recovery = DescribeContinuousBackupsInput {
        table_name: table_name.clone(),
    };
    let backups = ListBackupsInput {
        table_name,
        ..ListBackupsInput::default()
    };
    json!({
        "name": name,
        "table": said(place, table.into()),
        "expiry": said(place, expiry.into()),
        "recovery": said(place, recovery.into()),
        "backups": said(place, backups.into()),
    })
}

/// The answer of a request as the wire has it, or `error` with the reason of its refusal.
fn said(place: &Place, request: Request) -> Json {
    let mut notes = Vec::new();
    match send(place, request, &mut notes) {
        Ok(_) => {
            let mut note = notes.pop().unwrap_or_default();
            note["answer"].take()
        }
        Err(error) => json!({ "error": error.to_string() }),
    }
}
