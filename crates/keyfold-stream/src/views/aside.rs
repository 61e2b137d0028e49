//! Records that the consumers of views have set aside: listed, and tried again.

use super::definition::Definition;
use super::keeper::{Keeper, Replay};
use super::state::State;
use crate::failures::{self, SetAside};
use crate::handler::Failure;
use crate::options::Options;
use crate::tables::described;
use crate::threads::{Sends, Threads};
use crate::world::Io;
use keyfold_client::blocked;
use keyfold_lower::ClientError;
use keyfold_model::Model;
use std::sync::Arc;

/// A record of a source that was set aside: its view does not have what it has changed.
#[derive(Debug, Clone, PartialEq)]
pub struct ViewFailure {
    /// `model.View`.
    pub view: String,
    /// The generation of the view.
    pub generation: u64,
    /// The table whose stream has the record.
    pub table: String,
    /// The record, and the cause.
    pub aside: SetAside,
    consumer: String,
}

/// The records that were set aside of a model's views, or of the one that is named.
///
/// # Errors
/// `Unknown` when the model has no view of this name; the backend's.
pub fn failures(
    send: &Sends,
    model: &Arc<Model>,
    options: &Options,
    view: Option<&str>,
) -> Result<Vec<ViewFailure>, ClientError> {
    let world = Threads::new(Arc::clone(send));
    let definitions = Definition::named(model, view)?.into_iter();
    let mut all = Vec::new();
    for definition in definitions {
        all.extend(blocked(of(&*world, &definition, options))?);
    }
    Ok(all)
}

async fn of(
    io: &dyn Io,
    definition: &Definition,
    options: &Options,
) -> Result<Vec<ViewFailure>, ClientError> {
    let mut all = Vec::new();
    for table in [super::place::TABLE, &options.failures] {
        if described(io, table).await?.is_none() {
            return Ok(all);
        }
    }
    let state = State::read(io, &definition.name).await?;
    let next = state.next.map(|(next, _)| next);
    for generation in state.live.into_iter().chain(next) {
        for table in &generation.streams {
            let consumer = generation.consumer(&definition.name, table);
            let found = failures::list(io, &options.failures, &consumer).await?;
            all.extend(found.into_iter().map(|aside| ViewFailure {
                view: definition.name.clone(),
                generation: generation.number,
                table: table.clone(),
                aside,
                consumer: consumer.clone(),
            }));
        }
    }
    Ok(all)
}

/// Handles a record that was set aside once more, and deletes it in the transaction of what it changes.
/// A record whose item has changed since changes nothing: rows have what came later.
///
/// # Errors
/// The reason for which it cannot be handled, or the backend's. Then the record is still there.
pub fn replay(
    send: &Sends,
    model: &Arc<Model>,
    options: &Options,
    failure: &ViewFailure,
) -> Result<(), Failure> {
    let world = Threads::new(Arc::clone(send));
    let all = Definition::all(model)?;
    let definition = all.into_iter().find(|one| one.name == failure.view);
    let definition =
        definition.ok_or_else(|| Failure::of(format!("the model has no view {}", failure.view)))?;
    let handler = Replay(Keeper {
        definition: Arc::new(definition),
        generation: failure.generation,
        table: failure.table.clone(),
    });
    let place = (options.failures.as_str(), failure.consumer.as_str());
    blocked(failures::replay(&*world, place, &failure.aside, &handler))
}
