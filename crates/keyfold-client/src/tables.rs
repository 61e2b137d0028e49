//! A model's tables: made if they are absent, compared if they exist.

use crate::backend::{Backend, unexpected};
use crate::complete::now_epoch_ms;
use crate::error::ClientError;
use keyfold_api::{
    AttributeDefinition, BillingMode, CreateTableInput, DescribeTableInput, ErrorKind, KeyElement,
    KeySchemaElement, KeyType, Named, Projection, ProjectionType, ProvisionedThroughput, Response,
    ScalarAttributeType, ScanInput, SecondaryIndex, TableDescription, TableStatus, WireName,
};
use keyfold_model::schema::{self, Capacity, Column};
use keyfold_model::{IndexKind, Model, Precision, Table, Type, value};
use keyfold_types::{Item, KeyKind, Value};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Time that a new table may take to become active.
const ACTIVE_TIMEOUT: Duration = Duration::from_secs(120);

/// The outcome for a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It was made.
    Created,
    /// It exists and fits the model.
    Existing,
}

/// Makes the tables of a model, or checks those that exist. Of a table with periods, that of the
/// present period is made; others are made when their first item is written.
///
/// # Errors
/// `TableDiffers` when one contradicts the model; what the backend says otherwise.
pub fn ensure(backend: &Backend, model: &Model) -> Result<Vec<(String, Outcome)>, ClientError> {
    // Compared first, so that nothing is made for a model that does not fit.
    let mut missing = Vec::new();
    let mut outcomes = Vec::new();
    for table in &model.tables {
        let name = present_name(table);
        match describe(backend, &name)? {
            None => missing.push((table, name)),
            Some(existing) => {
                let differences = differences(table, &existing);
                if !differences.is_empty() {
                    return Err(ClientError::TableDiffers {
                        table: name,
                        differences,
                    });
                }
                outcomes.push((name, Outcome::Existing));
            }
        }
    }
    for (table, name) in missing {
        make(backend, table, &name)?;
        outcomes.push((name, Outcome::Created));
    }
    Ok(outcomes)
}

/// The name of a table; with periods, that of the present one.
fn present_name(table: &Table) -> String {
    match table.period {
        None => table.name.clone(),
        Some(unit) => table.physical_name(unit.of(&present())),
    }
}

fn present() -> String {
    match value::time_of_epoch_ms(&Type::Time(Precision::Millis), now_epoch_ms()) {
        Some(Value::S(text)) => text,
        _ => String::new(),
    }
}

fn make(backend: &Backend, table: &Table, name: &str) -> Result<(), ClientError> {
    // Names of periods are in their order, so that those before the present one are past.
    let is_past = table.period.is_some() && name < present_name(table).as_str();
    let capacity = table.cooled.filter(|_| is_past).unwrap_or(table.capacity);
    match backend.call(create_input(table, name, capacity).into()) {
        Ok(_) => wait_until_active(backend, name),
        // Another writer was faster.
        Err(error) if error.kind() == Some(ErrorKind::ResourceInUse) => {
            wait_until_active(backend, name)
        }
        // The answer was lost; whether it was done can be seen.
        Err(error @ ClientError::OutcomeUnknown { .. }) => match describe(backend, name)? {
            Some(_) => wait_until_active(backend, name),
            None => Err(error),
        },
        Err(error) => Err(error),
    }
}

/// Makes those of the named tables that are of a period and do not exist yet. Gives whether one was
/// made.
///
/// # Errors
/// The backend's error.
pub(crate) fn ensure_periods(
    backend: &Backend,
    model: &Model,
    names: &[String],
) -> Result<bool, ClientError> {
    let mut made = false;
    for table in &model.tables {
        let Some(unit) = table.period else { continue };
        let prefix = format!("{}_", table.name);
        let is_of_table = |name: &&String| {
            name.strip_prefix(&prefix)
                .is_some_and(|period| unit.is_period_in_name(period))
        };
        for name in names.iter().filter(is_of_table) {
            if describe(backend, name)?.is_none() {
                make(backend, table, name)?;
                made = true;
            }
        }
    }
    Ok(made)
}

/// A table's description; `None` when there is no such table.
///
/// # Errors
/// The backend's error.
pub fn describe(backend: &Backend, table: &str) -> Result<Option<TableDescription>, ClientError> {
    let input = DescribeTableInput {
        table_name: Some(table.to_owned()),
    };
    match backend.call(input.into()) {
        Ok(Response::DescribeTable(description)) => Ok(Some(description)),
        Ok(_) => Err(unexpected()),
        Err(error) if error.kind() == Some(ErrorKind::ResourceNotFound) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Some items of a table, as they are stored: the first that a scan finds.
///
/// # Errors
/// The backend's error.
pub fn sample(backend: &Backend, table: &str, count: usize) -> Result<Vec<Item>, ClientError> {
    let (mut items, mut after) = (Vec::new(), None);
    while items.len() < count {
        let input = ScanInput {
            table_name: Some(table.to_owned()),
            limit: i64::try_from(count - items.len()).ok(),
            exclusive_start_key: after.take().map(Ok),
            ..ScanInput::default()
        };
        let Response::Scan(output) = backend.call(input.into())? else {
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

fn wait_until_active(backend: &Backend, table: &str) -> Result<(), ClientError> {
    let started = Instant::now();
    loop {
        let status = describe(backend, table)?.and_then(|description| description.status());
        if status == Some(TableStatus::Active) {
            return Ok(());
        }
        if started.elapsed() > ACTIVE_TIMEOUT {
            return Err(ClientError::Transport(format!(
                "the table {table} did not become active in two minutes"
            )));
        }
        std::thread::sleep(Duration::from_millis(500));
    }
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

/// The CreateTable request of a model's table, with all its indexes.
pub fn create_input(table: &Table, name: &str, capacity: Capacity) -> CreateTableInput {
    let (billing_mode, throughput) = match capacity {
        Capacity::OnDemand => (BillingMode::PayPerRequest, None),
        Capacity::Provisioned { reads, writes } => {
            let units = |units: u64| Some(i64::try_from(units).unwrap_or(i64::MAX));
            let throughput = ProvisionedThroughput {
                read_capacity_units: units(reads),
                write_capacity_units: units(writes),
            };
            (BillingMode::Provisioned, Some(throughput))
        }
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
                    provisioned_throughput: throughput
                        .clone()
                        .filter(|_| kind == IndexKind::Global),
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
    CreateTableInput {
        table_name: Some(name.to_owned()),
        attribute_definitions: Some(definitions(table).into_iter().map(definition).collect()),
        key_schema: key_schema(key_elements([&table.partition], &table.sort)),
        local_secondary_indexes: of_kind(IndexKind::Local),
        global_secondary_indexes: of_kind(IndexKind::Global),
        billing_mode: Some(Named::Known(billing_mode)),
        provisioned_throughput: throughput,
        ..CreateTableInput::default()
    }
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

/// The differences of an existing table from a model's. An index that the model does not know is
/// none.
pub fn differences(table: &Table, existing: &TableDescription) -> Vec<String> {
    let mut found = Vec::new();
    let wanted_kinds = definitions(table);
    let existing_kinds: BTreeMap<String, ScalarAttributeType> =
        existing.definitions().into_iter().collect();
    let mut compare = |what: String, wanted: &[KeyElement], is: &[KeyElement]| {
        let (wanted, is) = (
            print_key(wanted, &wanted_kinds),
            print_key(is, &existing_kinds),
        );
        if wanted != is {
            found.push(format!(
                "{what}: the model says {wanted}, the table has {is}"
            ));
        }
    };
    compare(
        "key".to_owned(),
        &key_elements([&table.partition], &table.sort),
        &existing.key_elements(),
    );
    let mut others = Vec::new();
    for index in &table.indexes {
        let (kind, there) = match index.kind {
            IndexKind::Local => ("lsi", &existing.local_secondary_indexes),
            IndexKind::Global => ("gsi", &existing.global_secondary_indexes),
        };
        let Some(is) = there
            .iter()
            .flatten()
            .find(|is| is.index_name.as_ref() == Some(&index.name))
        else {
            others.push(format!(
                "{kind} {}: the model has it, the table has not",
                index.name
            ));
            continue;
        };
        compare(
            format!("{kind} {}", index.name),
            &key_elements(&index.partition, &index.sort),
            &is.key_elements(),
        );
        let (wanted_type, mut wanted_names) = projection(index);
        let (is_type, mut names) = is.projected();
        wanted_names.sort_unstable();
        names.sort_unstable();
        if wanted_type != is_type || wanted_names != names {
            let print = |kind: ProjectionType, names: &[String]| match kind {
                ProjectionType::Include => format!("INCLUDE ({})", names.join(", ")),
                ProjectionType::All | ProjectionType::KeysOnly => kind.word().to_owned(),
            };
            others.push(format!(
                "{kind} {}: the model projects {}, the table {}",
                index.name,
                print(wanted_type, &wanted_names),
                print(is_type, &names)
            ));
        }
    }
    found.extend(others);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_made_from_a_model_has_no_differences_to_it() {
        let source = "model m 1\ntable Tab (PK, SK: number)\n  gsi Gee (A, B) project (x)\n  lsi Loc (N: number)\n";
        let model = keyfold_model::compile(source).model.unwrap();
        let table = &model.tables[0];
        let engine = keyfold_engine::Engine::open(keyfold_engine::EngineOptions::new(
            keyfold_engine::StoreOptions::Memory,
        ))
        .unwrap();
        let backend = Backend::Embedded(std::sync::Arc::new(engine));
        assert_eq!(
            ensure(&backend, &model).unwrap(),
            [("Tab".to_owned(), Outcome::Created)]
        );
        assert_eq!(
            ensure(&backend, &model).unwrap(),
            [("Tab".to_owned(), Outcome::Existing)]
        );
        let existing = describe(&backend, "Tab").unwrap().unwrap();
        assert_eq!(differences(table, &existing), Vec::<String>::new());

        let other = "model m 1\ntable Tab (PK, SK)\n  gsi Gee (A, C) project keys\n  gsi Hay (D)\n";
        let other = keyfold_model::compile(other).model.unwrap();
        let Err(ClientError::TableDiffers { differences, .. }) = ensure(&backend, &other) else {
            panic!("fits")
        };
        assert_eq!(
            differences,
            [
                "key: the model says (PK: S, SK: S), the table has (PK: S, SK: N)",
                "gsi Gee: the model says (A: S, C: S), the table has (A: S, B: S)",
                "gsi Gee: the model projects KEYS_ONLY, the table INCLUDE (x)",
                "gsi Hay: the model has it, the table has not",
            ]
        );
    }
}
