//! GetItem: reads one item by key.

use crate::base::error::{corrupt, internal};
use crate::check::expressions::{NO_PROJECTION, Texts};
use crate::check::keys;
use crate::check::legacy;
use crate::check::{self, CheckedReturns, Constraints, TableName};
use crate::core::Core;
use crate::read::capacity;
use crate::read::meter::Meter;
use crate::read::page::projected;
use crate::read::view::view;
use crate::table::Table;
use keyfold_api::{ApiError, GetItemInput, GetItemOutput, Validation};
use keyfold_codec::RawItem;
use keyfold_codec::key::{self, KeyBytes};
use keyfold_expr::Projection;
use keyfold_store::Snapshot;
use keyfold_types::capacity::ReadRate;
use keyfold_types::{CapacityHalves, Item};

struct GetItem {
    table: TableName,
    key: Item,
    rate: ReadRate,
    projection: Option<Projection>,
    returns: CheckedReturns,
}

fn check(input: GetItemInput) -> Result<GetItem, ApiError> {
    let mut constraints = Constraints::default();
    constraints.table("tableName", &input.table_name);
    constraints.required("key", &input.key);
    let returns = constraints.returns(&input.returns);
    legacy::constrain(&mut constraints, input.legacy.as_deref());
    constraints.finish()?;
    let texts = Texts {
        projection: input.projection_expression.as_deref(),
        ..Texts::default()
    };
    texts.check_mixed(input.legacy.as_deref())?;
    let key = check::attributes(input.key, "key")?;
    let bound = texts.bind(&input.expression_attributes, NO_PROJECTION)?;
    let legacy = legacy::bind(input.legacy.as_deref())?;
    Ok(GetItem {
        table: TableName::new(input.table_name),
        key,
        rate: rate(input.consistent_read),
        projection: bound.projection.or(legacy.projection),
        returns,
    })
}

/// The rate of a read outside of transactions.
pub(crate) fn rate(consistent_read: Option<bool>) -> ReadRate {
    if consistent_read == Some(true) {
        ReadRate::Strong
    } else {
        ReadRate::Eventual
    }
}

/// The encoded key of a read, checked against the table.
pub(crate) fn plan(table: &Table, key: &Item) -> Result<KeyBytes, Validation> {
    keys::check_key(&table.key, key)?;
    key::base_key(table.id, &table.key, key).map_err(|_| Validation::KeySchemaMismatch)
}

/// Reads the item of a key from a snapshot.
pub(crate) fn read(
    snapshot: &Snapshot,
    table: &Table,
    key: &KeyBytes,
) -> Result<Option<RawItem>, ApiError> {
    let bytes = snapshot.get(key.as_slice()).map_err(internal)?;
    bytes
        .map(|bytes| RawItem::open(bytes).map_err(|error| corrupt(&table.name, &error)))
        .transpose()
}

pub(crate) fn run(core: &Core, input: GetItemInput) -> Result<GetItemOutput, ApiError> {
    let get = check(input)?;
    let table = core
        .table(get.table.name())
        .ok_or_else(ApiError::table_not_found)?;
    keys::check_paths(&table.key, None, get.projection.as_ref())?;
    let key = plan(&table, &get.key)?;
    let meter = Meter::admit(core, &table, None, Some(key.as_slice()))?;
    let item = read(&view(core, None, get.rate), &table, &key)?;
    let units = CapacityHalves::read(item.as_ref().map_or(0, RawItem::size_bytes), get.rate);
    meter.charge(units);
    Ok(GetItemOutput {
        item: item.map(|item| projected(get.projection.as_ref(), item)),
        consumed_capacity: capacity::of_read(&get.table.given, units, get.returns.capacity),
    })
}
