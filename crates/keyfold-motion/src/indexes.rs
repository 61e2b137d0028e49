//! Global indexes that the source's table gets while it is moved: the target's table gets them, too.
//!
//! They are made when a run begins. A switch and a completion look once more: a program that asks an index would
//! have no answers where programs go on.

use crate::tables::{ACTIVE_PAUSE, ACTIVE_TRIES, Found, active, at, index_of};
use crate::world::{Place, World};
use keyfold_api::{
    AttributeDefinition, ErrorKind, GlobalSecondaryIndexUpdate, IndexDescription, KeySchemaElement,
    TableDescription, TableStatus, UpdateTableInput, known,
};
use keyfold_client::ClientError;
use keyfold_stream::world::ask;

/// The global indexes of a table that are not being deleted.
fn global(table: &TableDescription) -> impl Iterator<Item = &IndexDescription> {
    let all = table.global_secondary_indexes.iter().flatten();
    all.filter(|one| known(&one.index_status) != Some(TableStatus::Deleting))
}

fn named<'t>(table: &'t TableDescription, name: &Option<String>) -> Option<&'t IndexDescription> {
    global(table).find(|one| one.index_name == *name)
}

/// Whether two indexes answer the same: their keys, and the attributes that they hold.
fn are_alike(one: &IndexDescription, other: &IndexDescription) -> bool {
    let held = |index: &IndexDescription| {
        let (kind, mut names) = index.projected();
        names.sort_unstable();
        (kind, names)
    };
    one.key_elements() == other.key_elements() && held(one) == held(other)
}

/// The names of the global indexes that a table lacks, or has with another key or other attributes.
fn lacking(wanted: &TableDescription, table: &TableDescription) -> Vec<String> {
    let lacks = |one: &&IndexDescription| {
        let own = named(table, &one.index_name);
        own.is_none_or(|own| !are_alike(one, own))
    };
    let names = global(wanted).filter(lacks);
    names.filter_map(|one| one.index_name.clone()).collect()
}

/// Refuses to let programs go on where a global index is missing.
///
/// # Errors
/// `Refused`, with the names of the indexes.
pub(crate) fn check(
    lead: &TableDescription,
    (next, place): (&TableDescription, Place),
    table: &str,
) -> Result<(), ClientError> {
    let missing = lacking(lead, next);
    if missing.is_empty() {
        return Ok(());
    }
    let advice = match place {
        Place::Target => "`keyfold move` of the same places makes those that are missing",
        Place::Source => "make it there",
    };
    Err(ClientError::refused(format!(
        "the table {table} of the {} lacks the index {}, or has another one of that name, which programs ask where they \
         write now: nothing was changed. {advice}; one that is other has to be deleted first",
        place.word(),
        missing.join(", ")
    )))
}

/// Makes the indexes in the target that the source has got since its table was made, one after the other. One of
/// the same name that is another is left, and is told by [`check`].
///
/// # Errors
/// The backend's; `Refused` when an index is not active for long: the same call goes on then.
pub(crate) async fn add(world: &dyn World, found: &Found) -> Result<(), ClientError> {
    for _ in 0..ACTIVE_TRIES {
        let target = active(world, Place::Target, &found.table).await?;
        let is_missing = |one: &&IndexDescription| {
            let all = target.global_secondary_indexes.iter().flatten();
            let mut all = all.map(|own| &own.index_name);
            all.all(|own| *own != one.index_name)
        };
        let Some(index) = global(&found.description).find(is_missing) else {
            return Ok(());
        };
        match ask(&at(world, Place::Target), addition(found, index)).await {
            Ok(_) => {}
            Err(error)
                if matches!(
                    error.kind(),
                    Some(ErrorKind::ResourceInUse | ErrorKind::LimitExceeded)
                ) => {}
            // The next look shows what became of it.
            Err(ClientError::OutcomeUnknown { .. }) => {}
            Err(error) => return Err(error),
        }
        world.pause(ACTIVE_PAUSE).await;
    }
    Err(ClientError::refused(format!(
        "the table {} of the target takes no index that the source has got: the same command goes on when it does",
        found.table
    )))
}

/// The request that adds an index of the source to the target's table.
fn addition(found: &Found, index: &IndexDescription) -> UpdateTableInput {
    let table = &found.description;
    let keys = |schema: &Option<Vec<KeySchemaElement>>| {
        let names = schema.iter().flatten();
        names
            .filter_map(|one| one.attribute_name.clone())
            .collect::<Vec<_>>()
    };
    let named = [keys(&table.key_schema), keys(&index.key_schema)].concat();
    let is_named = |one: &&AttributeDefinition| {
        let name = one.attribute_name.as_ref();
        name.is_some_and(|name| named.contains(name))
    };
    let definitions = table.attribute_definitions.iter().flatten();
    UpdateTableInput {
        table_name: Some(found.table.clone()),
        attribute_definitions: Some(definitions.filter(is_named).cloned().collect()),
        global_secondary_index_updates: Some(vec![GlobalSecondaryIndexUpdate {
            create: Some(index_of(index, true)),
            ..GlobalSecondaryIndexUpdate::default()
        }]),
        ..UpdateTableInput::default()
    }
}
