//! A model's tables: created if they are absent, compared if they exist.

use crate::adapt::adapt;
use crate::described::described;
use crate::difference::{Declared, Difference};
use crate::error::{ClientError, unexpected};
use crate::lowering::{Io, Lowering, Origin};
use crate::retry::HALF_A_SECOND;
use crate::settings;
use keyfold_api::{
    AttributeDefinition, CreateTableInput, ErrorKind, GlobalSecondaryIndexUpdate, KeyElement,
    KeySchemaElement, KeyType, Named, Projection, ProjectionType, Response, ScalarAttributeType,
    ScanInput, SecondaryIndex, TableDescription, TableStatus, UpdateTableInput, WireName,
};
use keyfold_model::schema::{self, Capacity, Column};
use keyfold_model::{IndexKind, Model, Precision, Table, Type, value};
use keyfold_types::{Item, KeyKind, Value};
use std::collections::BTreeMap;

/// The most times that a new table is asked for, each half a second after the other, until it is
/// active.
const ACTIVE_TRIES: u32 = 240;

/// The outcome for a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The table was created.
    Created,
    /// The table exists and has no differences to the model.
    Existing,
}

/// The names of a model's tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compared {
    /// Those that exist, without a difference to the model.
    pub existing: Vec<String>,
    /// Those that do not exist.
    pub missing: Vec<String>,
}

/// Creates the tables of a model, or checks those that exist. A table with periods is created for
/// the present period; others are created when their first item is written.
///
/// # Errors
/// The result has: `TableDiffers` when a table contradicts the model; the backend's error otherwise.
pub fn ensure(origin: Origin, model: &Model) -> Lowering<'_, Vec<(String, Outcome)>> {
    Lowering::new(
        origin,
        move |io| async move { ensure_tables(&io, model).await },
    )
}

/// Compares the tables of a model with those that exist: the names of those that are as it says, and
/// of those that do not exist. Of a table with periods it is that of the present period.
///
/// # Errors
/// The result has: `TableDiffers` when a table contradicts the model; the backend's error otherwise.
pub fn compare_all(origin: Origin, model: &Model) -> Lowering<'_, Compared> {
    Lowering::new(origin, move |io| async move {
        let (existing, missing) = compared(&io, model).await?;
        let missing = missing.into_iter().map(|(_, name)| name).collect();
        Ok(Compared { existing, missing })
    })
}

async fn ensure_tables(io: &Io, model: &Model) -> Result<Vec<(String, Outcome)>, ClientError> {
    // All tables are compared first: nothing is created for a model that contradicts one of them.
    let (existing, missing) = compared(io, model).await?;
    let mut outcomes: Vec<(String, Outcome)> = existing
        .into_iter()
        .map(|name| (name, Outcome::Existing))
        .collect();
    for (table, name) in missing {
        make(io, table, &name).await?;
        outcomes.push((name, Outcome::Created));
    }
    Ok(outcomes)
}

/// The names of a model's tables that exist and are as it says, and those that do not exist.
async fn compared<'m>(
    io: &Io,
    model: &'m Model,
) -> Result<(Vec<String>, Vec<(&'m Table, String)>), ClientError> {
    let (mut existing, mut missing) = (Vec::new(), Vec::new());
    for table in &model.tables {
        let name = present_name(io.now_epoch_ms(), table);
        let Some(description) = described(io, &name).await? else {
            missing.push((table, name));
            continue;
        };
        let found = all_differences(io, table, &name, &description).await?;
        let differences: Vec<String> = found.into_iter().map(|one| one.text).collect();
        if !differences.is_empty() {
            return Err(ClientError::TableDiffers {
                table: name,
                differences,
            });
        }
        existing.push(name);
    }
    Ok((existing, missing))
}

/// All differences between the declared table and the existing one of this name; none when there is
/// no such table.
///
/// # Errors
/// The backend's error.
pub fn compare<'c>(
    origin: Origin,
    table: &'c Table,
    name: &'c str,
) -> Lowering<'c, Vec<Difference>> {
    Lowering::new(origin, move |io| async move {
        match described(&io, name).await? {
            Some(existing) => all_differences(&io, table, name, &existing).await,
            None => Ok(Vec::new()),
        }
    })
}

async fn all_differences(
    io: &Io,
    table: &Table,
    name: &str,
    existing: &TableDescription,
) -> Result<Vec<Difference>, ClientError> {
    let mut found = differences(table, existing);
    found.extend(settings::differences(io, table, name, existing).await?);
    Ok(found)
}

/// Remarks about the tables of a model that [`ensure`] has created at this moment.
pub fn notes(now_epoch_ms: i64, model: &Model, outcomes: &[(String, Outcome)]) -> Vec<String> {
    let made = |name: &String| outcomes.contains(&(name.clone(), Outcome::Created));
    model
        .tables
        .iter()
        .map(|table| (table, present_name(now_epoch_ms, table)))
        .filter(|(_, name)| made(name))
        .flat_map(|(table, name)| settings::notes(table, &name))
        .collect()
}

/// The name of a table; with periods, of the table of the present period.
fn present_name(now_epoch_ms: i64, table: &Table) -> String {
    match table.period {
        None => table.name.clone(),
        Some(unit) => table.physical_name(unit.of(&present(now_epoch_ms))),
    }
}

/// The present moment as a text: `2026-01-31T12:00:00.000Z`.
fn present(now_epoch_ms: i64) -> String {
    match value::time_of_epoch_ms(&Type::Time(Precision::Millis), now_epoch_ms) {
        Some(Value::S(text)) => text,
        _ => String::new(),
    }
}

/// Creates a table under a name, which is its own or that of a period of it, and waits until it is active.
/// A table that is there stays, and gets the settings that the model declares and it lacks.
///
/// # Errors
/// The result has: the backend's error.
pub fn made<'c>(origin: Origin, table: &'c Table, name: &'c str) -> Lowering<'c, ()> {
    Lowering::new(origin, move |io| async move {
        match described(&io, name).await? {
            None => make(&io, table, name).await,
            Some(_) => {
                adapt(&io, table, name).await?;
                settings::settle(&io, table, name).await
            }
        }
    })
}

/// The UpdateTable request that adds a global index of a model's table.
pub fn index_input(table: &Table, name: &str, index: &schema::Index) -> UpdateTableInput {
    let create = create_input(table, name, None);
    let mut indexes = create.global_secondary_indexes.into_iter().flatten();
    let create_index = indexes.find(|one| one.index_name.as_ref() == Some(&index.name));
    let is_named = |one: &AttributeDefinition| {
        let mut columns = index.columns().chain(table.columns());
        columns.any(|column| one.attribute_name.as_ref() == Some(&column.name))
    };
    let definitions = create.attribute_definitions.unwrap_or_default();
    UpdateTableInput {
        table_name: Some(name.to_owned()),
        attribute_definitions: Some(definitions.into_iter().filter(is_named).collect()),
        global_secondary_index_updates: Some(vec![GlobalSecondaryIndexUpdate {
            create: create_index,
            ..GlobalSecondaryIndexUpdate::default()
        }]),
        ..UpdateTableInput::default()
    }
}

/// Creates a table and waits until it is active.
async fn make(io: &Io, table: &Table, name: &str) -> Result<(), ClientError> {
    // The names of periods sort by time: those before the present one are in the past.
    let is_over = table.period.is_some() && name < present_name(io.now_epoch_ms(), table).as_str();
    let cooled = table.cooled.filter(|_| is_over);
    match io.ask(create_input(table, name, cooled).into()).await {
        Ok(_) => {}
        // Another writer was faster.
        Err(error) if error.kind() == Some(ErrorKind::ResourceInUse) => {}
        // The answer was lost. The table shows whether the request was carried out.
        Err(error @ ClientError::OutcomeUnknown { .. }) => {
            if described(io, name).await?.is_none() {
                return Err(error);
            }
        }
        Err(error) => return Err(error),
    }
    wait_until_active(io, name).await?;
    settings::settle(io, table, name).await
}

/// Creates those of the named tables that belong to a period and do not exist. Returns whether one
/// was created.
///
/// # Errors
/// The backend's error.
pub(crate) async fn ensure_periods(
    io: &Io,
    model: &Model,
    names: &[String],
) -> Result<bool, ClientError> {
    let mut made = false;
    for table in &model.tables {
        for name in names.iter().filter(|name| table.period_of(name).is_some()) {
            if described(io, name).await?.is_none() {
                make(io, table, name).await?;
                made = true;
            }
        }
    }
    Ok(made)
}

/// Returns the description of a table; `None` when the table does not exist.
///
/// # Errors
/// The result has: The backend's error.
pub fn describe(origin: Origin, table: &str) -> Lowering<'_, Option<TableDescription>> {
    Lowering::new(origin, move |io| async move { described(&io, table).await })
}

/// Returns the first items of a scan as they are stored, at most `count`.
///
/// # Errors
/// The result has: The backend's error.
pub fn sample(origin: Origin, table: &str, count: usize) -> Lowering<'_, Vec<Item>> {
    Lowering::new(origin, move |io| async move {
        first_items(&io, table, count).await
    })
}

async fn first_items(io: &Io, table: &str, count: usize) -> Result<Vec<Item>, ClientError> {
    let (mut items, mut after) = (Vec::new(), None);
    while items.len() < count {
        let input = ScanInput {
            table_name: Some(table.to_owned()),
            limit: i64::try_from(count - items.len()).ok(),
            exclusive_start_key: after.take().map(Ok),
            ..ScanInput::default()
        };
        let Response::Scan(output) = io.ask(input.into()).await? else {
            return Err(unexpected());
        };
        items.extend(
            output
                .items
                .unwrap_or_default()
                .iter()
                .map(|item| item.to_item()),
        );
        match output.last_evaluated_key {
            Some(key) => after = Some(key),
            None => break,
        }
    }
    Ok(items)
}

async fn wait_until_active(io: &Io, table: &str) -> Result<(), ClientError> {
    for _ in 0..ACTIVE_TRIES {
        let description = described(io, table).await?;
        let status = description.and_then(|description| description.status());
        if status == Some(TableStatus::Active) {
            return Ok(());
        }
        io.pause(HALF_A_SECOND).await;
    }
    Err(ClientError::Transport(format!(
        "the table {table} did not become active in two minutes"
    )))
}

fn scalar(kind: KeyKind) -> ScalarAttributeType {
    match kind {
        KeyKind::S => ScalarAttributeType::S,
        KeyKind::N => ScalarAttributeType::N,
        KeyKind::B => ScalarAttributeType::B,
    }
}

fn key_elements<'c>(
    partition: impl IntoIterator<Item = &'c Column>,
    sort: impl IntoIterator<Item = &'c Column>,
) -> Vec<KeyElement> {
    let partition = partition
        .into_iter()
        .map(|column| (column.name.clone(), KeyType::Hash));
    partition
        .chain(
            sort.into_iter()
                .map(|column| (column.name.clone(), KeyType::Range)),
        )
        .collect()
}

fn key_schema(elements: Vec<KeyElement>) -> Option<Vec<KeySchemaElement>> {
    let element = |(name, part): KeyElement| KeySchemaElement {
        attribute_name: Some(name),
        key_type: Some(part.into()),
    };
    Some(elements.into_iter().map(element).collect())
}

fn projection(index: &schema::Index) -> (ProjectionType, Vec<String>) {
    match &index.projection {
        schema::Projection::All => (ProjectionType::All, Vec::new()),
        schema::Projection::Keys => (ProjectionType::KeysOnly, Vec::new()),
        schema::Projection::Only(names) => (ProjectionType::Include, names.clone()),
    }
}

/// The key attributes of a table and its indexes, and their types.
fn definitions(table: &Table) -> BTreeMap<String, ScalarAttributeType> {
    let own = std::iter::once(&table.partition).chain(&table.sort);
    let indexes = table.indexes.iter().flat_map(schema::Index::columns);
    own.chain(indexes)
        .map(|column| (column.name.clone(), scalar(column.kind)))
        .collect()
}

/// The CreateTable request of a model's table, with all its indexes. The indexes of a table of a
/// past period have the capacity of that table.
fn create_input(table: &Table, name: &str, cooled: Option<Capacity>) -> CreateTableInput {
    let (billing_mode, throughput) = settings::throughput(cooled.unwrap_or(table.capacity));
    let index_throughput = |index: &schema::Index| match (index.kind, cooled) {
        (IndexKind::Local, _) => None,
        (IndexKind::Global, Some(cooled)) => settings::throughput(cooled).1,
        (IndexKind::Global, None) => settings::throughput(index.capacity_in(table.capacity)).1,
    };
    let of_kind = |kind: IndexKind| {
        let indexes: Vec<SecondaryIndex> = table
            .indexes
            .iter()
            .filter(|index| index.kind == kind)
            .map(|index| {
                let (projection_type, names) = projection(index);
                SecondaryIndex {
                    index_name: Some(index.name.clone()),
                    key_schema: key_schema(key_elements(&index.partition, &index.sort)),
                    projection: Some(Projection {
                        projection_type: Some(projection_type.into()),
                        non_key_attributes: (!names.is_empty()).then_some(names),
                    }),
                    provisioned_throughput: index_throughput(index),
                    ..SecondaryIndex::default()
                }
            })
            .collect();
        (!indexes.is_empty()).then_some(indexes)
    };
    let definition = |(name, kind): (String, ScalarAttributeType)| AttributeDefinition {
        attribute_name: Some(name),
        attribute_type: Some(kind.into()),
    };
    let mut input = CreateTableInput {
        table_name: Some(name.to_owned()),
        attribute_definitions: Some(definitions(table).into_iter().map(definition).collect()),
        key_schema: key_schema(key_elements([&table.partition], &table.sort)),
        local_secondary_indexes: of_kind(IndexKind::Local),
        global_secondary_indexes: of_kind(IndexKind::Global),
        billing_mode: Some(Named::Known(billing_mode)),
        provisioned_throughput: throughput,
        ..CreateTableInput::default()
    };
    settings::add(&table.settings, &mut input);
    input
}

fn print_key(elements: &[KeyElement], kinds: &BTreeMap<String, ScalarAttributeType>) -> String {
    let print = |(name, _): &KeyElement| match kinds.get(name) {
        Some(kind) => format!("{name}: {}", kind.word()),
        None => name.clone(),
    };
    format!(
        "({})",
        elements.iter().map(print).collect::<Vec<_>>().join(", ")
    )
}

fn print_projection(kind: ProjectionType, names: &[String]) -> String {
    match kind {
        ProjectionType::Include => format!("INCLUDE ({})", names.join(", ")),
        ProjectionType::All | ProjectionType::KeysOnly => kind.word().to_owned(),
    }
}

/// Whether an existing table has the key of the model's: its items can be read by their keys.
pub fn has_key(table: &Table, existing: &TableDescription) -> bool {
    let existing_kinds: BTreeMap<String, ScalarAttributeType> =
        existing.definitions().into_iter().collect();
    let wanted = key_elements([&table.partition], &table.sort);
    print_key(&wanted, &definitions(table)) == print_key(&existing.key_elements(), &existing_kinds)
}

/// The differences between an existing table and the model's, one a line. An index that the model
/// does not have is no difference.
fn differences(table: &Table, existing: &TableDescription) -> Vec<Difference> {
    let mut found = Vec::new();
    let wanted_kinds = definitions(table);
    let existing_kinds: BTreeMap<String, ScalarAttributeType> =
        existing.definitions().into_iter().collect();
    let mut compare =
        |subject: (Declared, String), wanted: &[KeyElement], actual: &[KeyElement]| {
            let (wanted, actual) = (
                print_key(wanted, &wanted_kinds),
                print_key(actual, &existing_kinds),
            );
            if wanted != actual {
                let (declared, subject) = subject;
                let text = format!("{subject}: the model says {wanted}, the table has {actual}");
                found.push(Difference { declared, text });
            }
        };
    compare(
        (Declared::Table, "key".to_owned()),
        &key_elements([&table.partition], &table.sort),
        &existing.key_elements(),
    );
    let mut others = Vec::new();
    for index in &table.indexes {
        let (kind, existing) = match index.kind {
            IndexKind::Local => ("lsi", &existing.local_secondary_indexes),
            IndexKind::Global => ("gsi", &existing.global_secondary_indexes),
        };
        let Some(actual) = existing
            .iter()
            .flatten()
            .find(|one| one.index_name.as_ref() == Some(&index.name))
        else {
            others.push(Difference {
                declared: Declared::Index(index.span),
                text: format!("{kind} {}: the model has it, the table has not", index.name),
            });
            continue;
        };
        compare(
            (
                Declared::Index(index.span),
                format!("{kind} {}", index.name),
            ),
            &key_elements(&index.partition, &index.sort),
            &actual.key_elements(),
        );
        let (wanted_type, mut wanted_names) = projection(index);
        let (actual_type, mut actual_names) = actual.projected();
        wanted_names.sort_unstable();
        actual_names.sort_unstable();
        if wanted_type != actual_type || wanted_names != actual_names {
            others.push(Difference {
                declared: Declared::Index(index.span),
                text: format!(
                    "{kind} {}: the model projects {}, the table {}",
                    index.name,
                    print_projection(wanted_type, &wanted_names),
                    print_projection(actual_type, &actual_names)
                ),
            });
        }
    }
    found.extend(others);
    found
}
