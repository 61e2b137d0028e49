//! The values that a row's items have: so that the next greatest is found when the greatest leaves,
//! and each different value is counted once.
//!
//! For least, greatest and distinct values there is an item for each value, with the number of source
//! items that have it; for a top list one for each source item, with its record. Sort keys are in the
//! order of the list, so that its beginning is one Query.

use super::place::{Kind, SORT, TABLE, bytes, digest, sort_of};
use super::requests::{delete, get_many, page, put};
use super::rows::{Row, Target, whole};
use crate::views::place::PARTITION;
use crate::world::Io;
use keyfold_api::TransactWriteItem;
use keyfold_codec::key::encode_value;
use keyfold_lower::ClientError;
use keyfold_model::schema::view::From;
use keyfold_model::value;
use keyfold_types::{Item, Value};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The attribute with the number of items that have a value.
const COUNT: &str = "view:count";
/// The attribute with a value, or the record of a list.
const HELD: &str = "view:held";
/// The most bytes of a sort key.
const SORT_MAX: usize = 1_024;

/// What a batch changes of the values of a column of a row.
#[derive(Debug, Default)]
pub(crate) struct Values {
    /// For each sort key the value, and how many items more have it.
    counted: BTreeMap<String, (Value, i64)>,
    /// For each sort key the record that comes, or `None` for one that leaves.
    listed: BTreeMap<String, Option<Value>>,
    /// How many items have the values that the batch changes, before and behind it.
    numbers: BTreeMap<String, (i64, i64)>,
    /// Whether the row is absent: then no value has items, whatever is read of them. Another worker may
    /// make the row and delete it in between, and the write would not see that.
    is_new: bool,
}

/// How a column orders its values; `None` where it needs none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    Up,
    Down,
    /// By nothing: a value is found, not listed.
    Digest,
}

fn order(from: &From) -> Option<Order> {
    match from {
        From::Min { .. } => Some(Order::Up),
        From::Max { .. } => Some(Order::Down),
        From::Distinct { .. } => Some(Order::Digest),
        From::Top { descending, .. } => Some(match descending {
            true => Order::Down,
            false => Order::Up,
        }),
        From::Group { .. }
        | From::Copied { .. }
        | From::Count
        | From::Sum { .. }
        | From::Average { .. }
        | From::Joined { .. } => None,
    }
}

/// The value in a sort key.
fn text(order: Order, held: &Value, attribute: &str) -> Result<String, ClientError> {
    if order == Order::Digest {
        return Ok(digest(&Item::from_iter([("v", held.clone())])));
    }
    let mut encoded = Vec::new();
    encode_value(&mut encoded, held).map_err(|_| {
        ClientError::refused(format!("{attribute} follows from a value without an order"))
    })?;
    let mut text = String::with_capacity(encoded.len() * 2);
    for byte in encoded {
        let byte = match order {
            Order::Down => !byte,
            Order::Up | Order::Digest => byte,
        };
        let _infallible = write!(text, "{byte:02x}");
    }
    Ok(text)
}

/// An identity in at most so many bytes: the beginning of a long one orders items of one value, and a
/// digest keeps them apart.
fn within(identity: &str, room: usize) -> String {
    if identity.len() <= room {
        return identity.to_owned();
    }
    let digest = value::digest(identity);
    let end = identity.floor_char_boundary(room.saturating_sub(digest.len()));
    let begin = identity.get(..end).unwrap_or_default();
    format!("{begin}{digest}")
}

/// What the sort keys of a column of a row begin with.
fn begins(row: &Row, at: usize) -> String {
    format!("{}{at:02x}", row.digest)
}

impl Values {
    /// What a batch changes of the values of a column; `None` where the column has none.
    ///
    /// # Errors
    /// `Refused` for a value that is too long for a key.
    pub(crate) fn of(
        (row, is_new): (&Row, bool),
        (at, attribute, from): (usize, &str, &From),
    ) -> Result<Option<Values>, ClientError> {
        let Some(order) = order(from) else {
            return Ok(None);
        };
        let mut values = Values {
            is_new,
            ..Values::default()
        };
        for (shares, sign) in [(&row.left, -1), (&row.came, 1)] {
            for share in shares {
                let Some(Some(held)) = share.given.get(at) else {
                    continue;
                };
                let (by, is_listed) = match (from, held) {
                    (From::Top { by, .. }, Value::M(record)) => (record.get(by), true),
                    _ => (Some(held), false),
                };
                let Some(by) = by else { continue };
                let mut sort = begins(row, at);
                sort.push_str(&text(order, by, attribute)?);
                if is_listed {
                    let room = SORT_MAX.saturating_sub(sort.len());
                    sort.push_str(&within(&share.identity, room));
                }
                if sort.len() > SORT_MAX {
                    return Err(ClientError::refused(format!(
                        "{attribute} follows from a value that is too long to be ordered: {} bytes \
                         of a key, which has at most {SORT_MAX}",
                        sort.len()
                    )));
                }
                if is_listed {
                    // What comes is noted behind what leaves.
                    let record = (sign > 0).then(|| held.clone());
                    values.listed.insert(sort, record);
                } else {
                    let entry = values.counted.entry(sort);
                    entry.or_insert_with(|| (held.clone(), 0)).1 += sign;
                }
            }
        }
        values.counted.retain(|_, (_, added)| *added != 0);
        Ok(Some(values))
    }

    /// The values whose numbers of items are read.
    fn keys(&self, target: &Target<'_>) -> Vec<Item> {
        let sorts = self.counted.keys();
        sorts
            .filter(|_| !self.is_new)
            .map(|sort| target.space.key(Kind::Values, sort))
            .collect()
    }

    /// The actions that change the values.
    pub(crate) fn actions(&self, target: &Target<'_>) -> Vec<TransactWriteItem> {
        let mut actions = Vec::new();
        for (sort, (held, _)) in &self.counted {
            let key = target.space.key(Kind::Values, sort);
            let after = self.numbers.get(sort).map_or(0, |(_, after)| *after);
            if after > 0 {
                let mut item = key;
                item.insert(COUNT, after);
                item.insert(HELD, held.clone());
                actions.push(put(TABLE, item, None));
            } else {
                actions.push(delete(TABLE, key, None));
            }
        }
        for (sort, record) in &self.listed {
            let key = target.space.key(Kind::Values, sort);
            actions.push(match record {
                Some(record) => {
                    let mut item = key;
                    item.insert(HELD, record.clone());
                    put(TABLE, item, None)
                }
                None => delete(TABLE, key, None),
            });
        }
        actions
    }

    /// How many different values there are more.
    pub(crate) fn added(&self) -> i64 {
        let numbers = self.numbers.values();
        let changed = numbers.map(|(before, after)| i64::from(*after > 0) - i64::from(*before > 0));
        changed.sum()
    }

    /// The first values behind the batch, in the column's order.
    ///
    /// # Errors
    /// The backend's.
    pub(crate) async fn first(
        &self,
        io: &dyn Io,
        target: &Target<'_>,
        (row, at): (&Row, usize),
        wanted: usize,
    ) -> Result<Vec<Value>, ClientError> {
        let is_gone = |sort: &&String| match self.numbers.get(*sort) {
            Some((_, after)) => *after <= 0,
            None => false,
        };
        let gone = self.counted.keys().filter(is_gone).count();
        let gone = gone + self.listed.values().filter(|one| one.is_none()).count();
        let begins = begins(row, at);
        let partition = target.space.partition_of(Kind::Values, &begins);
        let mut found: BTreeMap<String, Value> = BTreeMap::new();
        let mut after = None;
        while !self.is_new && found.len() < wanted + gone {
            let names = (TABLE, [PARTITION, SORT]);
            let limit = Some(wanted + gone - found.len());
            let asked = (partition.as_str(), begins.as_str());
            let (items, last) = page(io, names, asked, after, limit).await?;
            for mut item in items {
                if let (Some(sort), Some(held)) =
                    (sort_of(&item).map(str::to_owned), item.remove(HELD))
                {
                    found.insert(sort, held);
                }
            }
            after = last;
            if after.is_none() {
                break;
            }
        }
        for (sort, (held, _)) in &self.counted {
            match is_gone(&sort) {
                true => found.remove(sort),
                false => found.insert(sort.clone(), held.clone()),
            };
        }
        for (sort, record) in &self.listed {
            match record {
                None => found.remove(sort),
                Some(record) => found.insert(sort.clone(), record.clone()),
            };
        }
        Ok(found.into_values().take(wanted).collect())
    }
}

/// Reads how many items have the values that a batch changes.
///
/// # Errors
/// The backend's; `Refused` when fewer have one than leave.
pub(crate) async fn count(
    io: &dyn Io,
    target: &Target<'_>,
    all: &mut [Vec<Option<Values>>],
) -> Result<(), ClientError> {
    let every = all.iter().flatten().flatten();
    let keys = every.flat_map(|values| values.keys(target)).collect();
    let stored = get_many(io, TABLE, keys).await?;
    for values in all.iter_mut().flatten().flatten() {
        for (sort, (_, added)) in &values.counted {
            let key = target.space.key(Kind::Values, sort);
            let before = stored
                .get(&bytes(&key))
                .filter(|_| !values.is_new)
                .map_or(0, |item| whole(item, COUNT));
            if before + added < 0 {
                return Err(target.lacking());
            }
            values
                .numbers
                .insert(sort.clone(), (before, before + added));
        }
    }
    Ok(())
}
