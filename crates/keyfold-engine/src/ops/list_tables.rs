//! ListTables: names in ascending order, a page at a time.

use crate::check::Constraints;
use crate::core::Core;
use keyfold_api::{ApiError, ListTablesInput, ListTablesOutput};
use keyfold_types::limits::LIST_TABLES_MAX;
use std::ops::Bound;

pub(crate) fn run(core: &Core, input: ListTablesInput) -> Result<ListTablesOutput, ApiError> {
    let mut constraints = Constraints::default();
    if let Some(name) = &input.exclusive_start_table_name {
        constraints.name("exclusiveStartTableName", name, name);
    }
    constraints.range("limit", input.limit, 1, i64::from(LIST_TABLES_MAX));
    constraints.finish()?;
    let limit = input
        .limit
        .and_then(|limit| usize::try_from(limit).ok())
        .unwrap_or(LIST_TABLES_MAX as usize);
    let after = input
        .exclusive_start_table_name
        .map_or(Bound::Unbounded, Bound::Excluded);
    let tables = core.catalog().read();
    let mut names = tables
        .range((after, Bound::Unbounded))
        .map(|(name, _)| name.clone());
    let table_names: Vec<String> = names.by_ref().take(limit).collect();
    let last_evaluated_table_name = if names.next().is_some() {
        table_names.last().cloned()
    } else {
        None
    };
    Ok(ListTablesOutput {
        table_names: Some(table_names),
        last_evaluated_table_name,
    })
}
