//! Writes of one row among the rows, as the model's declarations require: versions, parents and
//! aggregates.

use crate::ProveError;
use crate::kept::{fit_parents, has_children, is_counted};
use crate::rows::Rows;
use keyfold_client::arguments::Values;
use keyfold_model::Entity;
use keyfold_model::schema::Aggregate;
use keyfold_types::Value;

/// Writes a new row. Returns whether that is possible.
pub(crate) fn create(
    rows: &mut Rows<'_>,
    entity: &Entity,
    values: Values,
) -> Result<bool, ProveError> {
    let first = with_first_version(entity, values);
    Ok(has_parents(rows, entity, &first, None)
        && rows.insert(entity, first.clone())?
        && fit_parents(rows, entity, &first))
}

/// Writes a whole row, whether it exists or not. Returns whether that is possible.
pub(crate) fn put(
    rows: &mut Rows<'_>,
    entity: &Entity,
    values: Values,
) -> Result<bool, ProveError> {
    match rows.found(entity, &values) {
        Some((row, old)) => change(rows, entity, (row, &old), values),
        None => create(rows, entity, values),
    }
}

/// Changes a row from its old to new values. Returns whether that is possible.
pub(crate) fn change(
    rows: &mut Rows<'_>,
    entity: &Entity,
    (row, old): (i64, &Values),
    new: Values,
) -> Result<bool, ProveError> {
    let new = with_next_version(entity, old, new);
    Ok(has_parents(rows, entity, &new, Some(old))
        && rows.replace(entity, row, new.clone())?
        && fit_parents(rows, entity, &new)
        && fit_parents(rows, entity, old))
}

/// Changes some values of a row and removes others. Returns whether that is possible.
pub(crate) fn update(
    rows: &mut Rows<'_>,
    entity: &Entity,
    changes: &Values,
    removed: &[String],
) -> Result<bool, ProveError> {
    let Some((row, old)) = rows.found(entity, changes) else {
        return Ok(false);
    };
    let mut new = old.clone();
    new.extend(changes.clone());
    removed.iter().for_each(|name| {
        new.remove(name);
    });
    change(rows, entity, (row, &old), new)
}

/// Deletes a row. Returns whether that is possible: the row exists and counts no other rows.
pub(crate) fn delete(
    rows: &mut Rows<'_>,
    entity: &Entity,
    key: &Values,
) -> Result<bool, ProveError> {
    let Some((row, old)) = rows.found(entity, key) else {
        return Ok(false);
    };
    if has_children(rows, entity, &old) {
        return Ok(false);
    }
    rows.delete(entity, row)?;
    Ok(fit_parents(rows, entity, &old))
}

/// Whether all parents exist whose aggregates count a row. `before` are the row's old values.
fn has_parents(rows: &Rows<'_>, entity: &Entity, values: &Values, before: Option<&Values>) -> bool {
    let at = rows.place(entity);
    rows.model.entities.iter().all(|parent| {
        parent
            .aggregates
            .iter()
            .filter(|aggregate| aggregate.entity == at)
            .all(|aggregate| {
                let link = Link {
                    rows,
                    parent,
                    aggregate,
                    child: entity,
                };
                link.has_parent(values, before)
            })
    })
}

/// The link from a child to the parent that keeps an aggregate.
struct Link<'l> {
    rows: &'l Rows<'l>,
    parent: &'l Entity,
    aggregate: &'l Aggregate,
    child: &'l Entity,
}

impl Link<'_> {
    /// Whether the parent exists, or need not: the row is not counted, the aggregate does not
    /// change, or the row is its own parent.
    fn has_parent(&self, values: &Values, before: Option<&Values>) -> bool {
        if !is_counted(self.aggregate, values) {
            return true;
        }
        let key = self.parent_key(values);
        // A row without a reference belongs to no parent.
        if !self
            .parent
            .key
            .fields()
            .all(|field| key.contains_key(field))
        {
            return true;
        }
        let is_unchanged = before.is_some_and(|before| {
            is_counted(self.aggregate, before)
                && self.parent_key(before) == key
                && self.amount(before) == self.amount(values)
        });
        let mut fields = self.parent.key.fields();
        let is_own_parent = self.parent.name == self.child.name
            && fields.all(|field| key.get(field) == values.get(field));
        is_unchanged
            || is_own_parent
            || self.rows.is_coming(self.parent, &key)
            || self.rows.find(self.parent, &key).is_some()
    }

    fn parent_key(&self, values: &Values) -> Values {
        let link = self.rows.link(self.parent, self.child, self.aggregate);
        link.into_iter()
            .filter_map(|(field, name)| Some((field, values.get(&name)?.clone())))
            .collect()
    }

    /// The contribution of a row to the aggregate.
    fn amount(&self, values: &Values) -> Option<Value> {
        match &self.aggregate.of {
            None => Some(Value::from(1)),
            Some(of) => values.get(of).cloned(),
        }
    }
}

/// The row as it is after its first write: the version is 1.
fn with_first_version(entity: &Entity, mut values: Values) -> Values {
    if let Some(version) = &entity.version {
        values.insert(version.clone(), Value::from(1));
    }
    values
}

/// The row as it is after a further write: the version counts it, even if nothing else changed.
fn with_next_version(entity: &Entity, old: &Values, mut new: Values) -> Values {
    if let Some(version) = &entity.version {
        let mut held = 0;
        if let Some(Value::N(number)) = old.get(version) {
            held = number.to_i64().unwrap_or(0);
        }
        new.insert(version.clone(), Value::from(held + 1));
    }
    new
}
