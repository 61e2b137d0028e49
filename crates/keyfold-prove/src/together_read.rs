//! Several items in parentheses as SQL: the row of each key, by the parameters that give it.

use crate::ProveError;
use crate::condition::{Asked, conditions_of_copy};
use crate::generate::Generator;
use crate::rows::{Rows, quoted};
use crate::sql_value::sql;
use keyfold_client::arguments::Values;
use keyfold_model::schema::{KeyPair, Returned};
use keyfold_model::{Format, Model, Part, Pattern, Type};
use keyfold_types::Value;
use std::collections::BTreeSet;

/// The attributes of a returned item's key.
pub(crate) fn key_attributes(model: &Model, returned: &Returned) -> BTreeSet<String> {
    let Some(entity) = model.entities.get(returned.entity) else {
        return BTreeSet::new();
    };
    let key = match returned.copy {
        None => Some(&entity.key),
        Some(copy) => entity.copies.get(copy).map(|copy| &copy.key),
    };
    key.into_iter()
        .flat_map(KeyPair::fields)
        .map(str::to_owned)
        .collect()
}

/// The parameter that gives an attribute of an item's key.
pub(crate) fn parameter_of(returned: &Returned, attribute: &str) -> String {
    let bound = returned.bound.iter();
    let mut bound = bound.filter(|(name, _)| name == attribute);
    bound
        .next()
        .map_or(attribute, |(_, parameter)| parameter)
        .to_owned()
}

/// Random arguments: the keys of existing rows, so that there are answers. Items that share
/// parameters mostly belong together.
pub(crate) fn arguments<'m>(
    pattern: &'m Pattern,
    rows: &Rows<'m>,
    generator: &mut Generator<'m>,
) -> Values {
    let mut values = Values::new();
    let mut all: Vec<&Returned> = pattern.returned.iter().collect();
    generator.rng.shuffle(&mut all);
    for returned in all {
        let row = rows.pick_row(returned.entity, &mut generator.rng);
        let row = row.and_then(|row| rows.get(returned.entity, row));
        let Some(entity) = rows.model.entities.get(returned.entity) else {
            continue;
        };
        for name in key_attributes(rows.model, returned) {
            let parameter = parameter_of(returned, &name);
            if values.contains_key(&parameter) {
                continue;
            }
            let held = row.and_then(|row| row.get(&name)).cloned();
            let value = match (held, entity.attribute(&name)) {
                (Some(held), _) if generator.rng.u8(..12) > 0 => held,
                (_, Some(attribute)) => generator.attribute(entity, attribute),
                (held, None) => held.unwrap_or(Value::Null),
            };
            values.insert(parameter, value);
        }
    }
    // The same key twice is read once, and answered twice.
    if let [first, .., last] = pattern.parameters.as_slice()
        && first.kind == last.kind
        && generator.rng.u8(..6) == 0
        && let Some(value) = values.get(&first.name).cloned()
    {
        values.insert(last.name.clone(), value);
    }
    values
}

/// The row of one item; none where it does not exist.
pub(crate) fn expected(
    returned: &Returned,
    rows: &Rows<'_>,
    arguments: &Values,
) -> Result<Vec<i64>, ProveError> {
    let (mut conditions, mut parameters) = (vec!["1".to_owned()], Vec::new());
    for name in key_attributes(rows.model, returned) {
        let column = quoted(&name);
        conditions.push(if is_lower(rows.model, returned, &name) {
            format!("lower({column}) = lower(?)")
        } else {
            format!("{column} = ?")
        });
        parameters.push(sql(arguments.get(&parameter_of(returned, &name))));
    }
    let asked = Asked {
        rows,
        entity: returned.entity,
        kinds: &[],
        arguments: &Values::new(),
    };
    for condition in conditions_of_copy(rows, returned) {
        conditions.extend(asked.sql(condition, &mut parameters));
    }
    rows.select(returned.entity, &conditions.join(" AND "), None, parameters)
}

/// Whether an item's key has a text in small letters only.
pub(crate) fn is_lower(model: &Model, returned: &Returned, name: &str) -> bool {
    let entity = model.entities.get(returned.entity);
    let key = entity.and_then(|entity| match returned.copy {
        None => Some(&entity.key),
        Some(copy) => entity.copies.get(copy).map(|copy| &copy.key),
    });
    let parts = key
        .into_iter()
        .flat_map(KeyPair::templates)
        .flat_map(|template| &template.parts);
    let (mut lower, mut whole) = (false, false);
    for part in parts {
        if let Part::Field {
            name: field,
            format,
            kind,
            ..
        } = part
            && field == name
            && *kind == Type::String
        {
            lower |= *format == Format::Lower;
            whole |= *format != Format::Lower;
        }
    }
    lower && !whole
}
