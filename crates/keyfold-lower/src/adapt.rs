//! Settings of a table that is there: those that the model declares and the table lacks are switched on.
//!
//! A setting that the model does not declare stays as it is, and so does a stream with other images, which would
//! have to be switched off first: its readers would lose it.

use crate::described::described;
use crate::error::ClientError;
use crate::lowering::Io;
use crate::retry::HALF_A_SECOND;
use crate::settings;
use keyfold_api::{ErrorKind, Request, TableDescription, TableStatus};
use keyfold_model::Table;

/// The most times that a change is tried again, each half a second after the other: a table takes one at a time.
const TRIES: u32 = 240;

/// Switches on what the table lacks, one setting after the other, and waits until the table is active.
///
/// # Errors
/// The backend's error.
pub(crate) async fn adapt(io: &Io, table: &Table, name: &str) -> Result<(), ClientError> {
    let mut tried = 0;
    loop {
        let Some(existing) = described(io, name).await? else {
            return Ok(());
        };
        if existing.status() == Some(TableStatus::Active) {
            let Some(request) = missing(io, table, name, &existing).await? else {
                return Ok(());
            };
            match io.ask(request).await {
                // The next look shows the others.
                Ok(_) => continue,
                Err(error) if passes(&error) && tried < TRIES => {}
                Err(error) => return Err(error),
            }
        } else if tried >= TRIES {
            return Err(ClientError::Transport(format!(
                "the table {name} did not become active in two minutes"
            )));
        }
        tried += 1;
        io.pause(HALF_A_SECOND).await;
    }
}

/// Whether a later look shows what became of the request, or the table takes it then.
fn passes(error: &ClientError) -> bool {
    let is_lost = matches!(error, ClientError::OutcomeUnknown { .. });
    is_lost || error.kind() == Some(ErrorKind::ResourceInUse)
}

/// A request for the first setting that the table lacks.
async fn missing(
    io: &Io,
    table: &Table,
    name: &str,
    existing: &TableDescription,
) -> Result<Option<Request>, ClientError> {
    let updates = settings::updates(&table.settings, name, existing);
    if let Some(update) = updates.into_iter().next() {
        return Ok(Some(update.into()));
    }
    let tags = settings::missing_tags(io, &table.settings, existing).await?;
    Ok(tags.map(Request::from))
}
