//! Several writes in one transaction: random ones, and whether two of them meet in an item; random
//! batches.

use crate::generate::Generator;
use crate::leftover;
use crate::op::Op;
use crate::rows::Rows;
use crate::{ProveError, change, many, views};
use keyfold_model::Entity;
use std::collections::BTreeSet;

/// Sizes of a batch: a few, and more than one request takes.
const SIZES: [usize; 8] = [0, 1, 2, 3, 3, 5, 8, 27];

/// Two or three random writes, often of one row or of its neighbours.
pub(crate) fn any<'m>(rows: &Rows<'m>, generator: &mut Generator<'m>) -> Option<Op> {
    let model = rows.model;
    let mut parts = Vec::new();
    let size = if generator.rng.u8(..4) == 0 { 3 } else { 2 };
    while parts.len() < size {
        let entity = model
            .entities
            .get(generator.rng.usize(..views::written(model)))?;
        let part = match generator.rng.u8(..5) {
            0..2 => Some(change::create(rows, entity, generator)),
            _ => change::any(rows, generator),
        };
        let part = part?;
        // An expiry is no write of a client.
        if matches!(part, Op::Expire { .. }) {
            return None;
        }
        parts.push(part);
    }
    Some(Op::Transact { parts })
}

/// A random batch of one entity.
pub(crate) fn batch<'m>(rows: &Rows<'m>, generator: &mut Generator<'m>) -> Option<Op> {
    let model = rows.model;
    let alone: Vec<&'m Entity> = model
        .entities
        .iter()
        .filter(|one| many::is_alone(rows, one))
        .collect();
    // Mostly one of those that batches take.
    let all = model.entities.iter().take(views::written(model)).collect();
    let among = if alone.is_empty() || generator.rng.u8(..8) == 0 {
        all
    } else {
        alone
    };
    let entity = *among.get(generator.rng.usize(..among.len().max(1)))?;
    let size = SIZES.get(generator.rng.usize(..SIZES.len())).copied()?;
    let at = rows.place(entity);
    if generator.rng.bool() {
        let mut items = Vec::new();
        for _ in 0..size {
            let mut values = generator.row(entity, rows);
            if generator.rng.u8(..3) == 0 {
                values.extend(many::stored_key(rows, entity, generator).unwrap_or_default());
            }
            items.push(values);
        }
        return Some(Op::PutMany { entity: at, items });
    }
    let keys = many::keys(rows, entity, size, generator);
    Some(Op::DeleteMany { entity: at, keys })
}

/// Whether two of the writes, one after the other, touch one row or one stored item; or one of them
/// reads rows that it does not change. Only such a transaction may be refused although its writes are
/// possible one after the other.
pub(crate) fn meet(rows: &mut Rows<'_>, parts: &[Op]) -> Result<bool, ProveError> {
    rows.begin()?;
    let found = touched_twice(rows, parts);
    rows.undo()?;
    found
}

fn touched_twice(rows: &mut Rows<'_>, parts: &[Op]) -> Result<bool, ProveError> {
    let mut before = leftover::stored(rows);
    let mut touched: BTreeSet<String> = BTreeSet::new();
    for part in parts {
        let length = rows.changes_made();
        if part.reads_others(rows.model) {
            return Ok(true);
        }
        part.in_rows(rows)?;
        let mut own: BTreeSet<String> = rows.changed_since(length).into_iter().collect();
        let after = leftover::stored(rows);
        let gone = before
            .iter()
            .filter(|(key, item)| after.get(*key) != Some(item));
        own.extend(gone.map(|(key, _)| key.clone()));
        let new = after
            .iter()
            .filter(|(key, item)| before.get(*key) != Some(item));
        own.extend(new.map(|(key, _)| key.clone()));
        if own.iter().any(|one| touched.contains(one)) {
            return Ok(true);
        }
        touched.extend(own);
        before = after;
    }
    Ok(false)
}
