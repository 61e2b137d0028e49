//! Checks that Query and Scan share: Select, projections, filters and start keys.

use crate::check::expressions::Texts;
use crate::check::keys;
use crate::check::legacy::Legacy;
use crate::table::{Index, IndexKind, IndexProjection, Table};
use keyfold_api::{ApiError, Select, Validation};
use keyfold_codec::key::{self, KeyBytes};
use keyfold_expr::{Condition, Projection};
use keyfold_types::{Item, KeySchema};

/// The name of a FilterExpression in messages.
pub(crate) const FILTER_EXPRESSION: &str = "Filter Expression";

/// Finds the index that a request names.
pub(crate) fn index<'t>(
    table: &'t Table,
    name: &Option<String>,
) -> Result<Option<&'t Index>, ApiError> {
    match name {
        None => Ok(None),
        Some(name) => match table.index(name) {
            Some(index) if index.is_building => Err(Validation::Sentence(format!(
                "Cannot read from backfilling global secondary index: {name}"
            ))
            .into()),
            Some(index) => Ok(Some(index)),
            None => Err(Validation::NoSuchIndex(name.clone()).into()),
        },
    }
}

/// Refuses strongly consistent reads of a global index.
pub(crate) fn check_consistency(
    index: Option<&Index>,
    consistent: Option<bool>,
) -> Result<(), ApiError> {
    let global = index.is_some_and(|index| index.kind == IndexKind::Global);
    if global && consistent == Some(true) {
        return Err(Validation::ConsistentReadOnGlobalIndex.into());
    }
    Ok(())
}

/// Checks the rules between Select, IndexName and ProjectionExpression that need no table.
pub(crate) fn check_select(
    select: Option<Select>,
    on_index: bool,
    chosen: Option<Chosen>,
) -> Result<(), ApiError> {
    let by = chosen.map(|chosen| match chosen {
        Chosen::Projection => "ProjectionExpression",
        Chosen::AttributesToGet => "AttributesToGet",
    });
    let detail = match (select, by) {
        (None, _) | (Some(Select::SpecificAttributes), Some(_)) => return Ok(()),
        (Some(Select::SpecificAttributes), None) => {
            "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES"
                .to_owned()
        }
        (Some(Select::Count), Some(by)) => {
            format!("Cannot specify the {by} when choosing to get only the Count")
        }
        (Some(Select::AllAttributes), Some(by)) => {
            format!("Cannot specify the {by} when choosing to get ALL_ATTRIBUTES")
        }
        (Some(Select::AllProjectedAttributes), Some(by)) => {
            format!("Cannot specify the {by} when choosing to get ALL_PROJECTED_ATTRIBUTES")
        }
        (Some(Select::AllProjectedAttributes), None) if !on_index => {
            let detail = "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName";
            return Err(Validation::Parameter(detail.to_owned()).into());
        }
        (Some(_), None) => return Ok(()),
    };
    Err(Validation::Sentence(detail).into())
}

/// The parameter by which a request chooses attributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Chosen {
    Projection,
    AttributesToGet,
}

/// The parameter by which a request chooses attributes, if there is one.
pub(crate) fn chosen(texts: &Texts<'_>, legacy: &Legacy) -> Option<Chosen> {
    if texts.projection.is_some() {
        Some(Chosen::Projection)
    } else {
        legacy.projection.as_ref().map(|_| Chosen::AttributesToGet)
    }
}

/// Whether entries must be completed from the table. Refuses attributes that a global index does not
/// hold.
pub(crate) fn fetches(
    table: &Table,
    index: Option<&Index>,
    select: Option<Select>,
    projection: Option<&Projection>,
) -> Result<bool, ApiError> {
    let Some(index) = index else { return Ok(false) };
    if index.projection == IndexProjection::All {
        return Ok(false);
    }
    let missing: Vec<String> = projection
        .into_iter()
        .flat_map(Projection::paths)
        .map(|path| path.root().to_owned())
        .filter(|name| !index.projects(table, name))
        .collect();
    let wants_all = select == Some(Select::AllAttributes);
    match index.kind {
        IndexKind::Local => Ok(wants_all || !missing.is_empty()),
        IndexKind::Global if wants_all => {
            Err(Validation::SelectNotProjected(index.name.clone()).into())
        }
        IndexKind::Global if !missing.is_empty() => Err(Validation::NotProjected {
            index: index.name.clone(),
            attributes: missing,
        }
        .into()),
        IndexKind::Global => Ok(false),
    }
}

/// Encodes a start key. It must have exactly the attributes of a cursor, each of its type.
pub(crate) fn cursor(table: &Table, index: Option<&Index>, start: &Item) -> Option<KeyBytes> {
    let attributes = table.cursor_attributes(index);
    let fits = |attribute: &&keyfold_types::KeyAttribute| {
        start
            .get(&attribute.name)
            .is_some_and(|value| value.kind() == attribute.kind.value_kind())
    };
    if start.len() != attributes.len() || !attributes.iter().all(fits) {
        return None;
    }
    keys::check_key(&table.key, &table.key.key_of(start)).ok()?;
    match index {
        None => key::base_key(table.id, &table.key, start).ok(),
        Some(index) => key::entry_key(
            table.id,
            index.id,
            &index.key,
            &table.key,
            index.tail(),
            start,
        )
        .ok(),
    }
}

/// Refuses a filter on attributes of the key that a key condition is given for.
pub(crate) fn check_filter_keys(
    filter: Option<&Condition>,
    schema: &KeySchema,
    parameter: &'static str,
) -> Result<(), ApiError> {
    let mut on_key = None;
    if let Some(filter) = filter {
        filter.visit_paths(&mut |path| {
            if schema.contains(path.root()) && on_key.is_none() {
                on_key = Some(path.root().to_owned());
            }
        });
    }
    on_key.map_or(Ok(()), |name| {
        Err(Validation::FilterOnKey { parameter, name }.into())
    })
}
