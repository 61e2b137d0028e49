//! Notes about items that the model cannot read: an item of a source, which gives nothing to a view, and
//! a row whose sum is no number.

use super::links::digest_of;
use super::place::{Kind, PARTITION, SORT, Space, TABLE};
use super::requests::{delete, page, put};
use super::rows::{Note, Row, Target};
use crate::world::Io;
use keyfold_api::TransactWriteItem;
use keyfold_lower::ClientError;
use keyfold_lower::sums::exact_attribute;
use keyfold_model::schema::view::From;
use keyfold_types::{Item, Value};

const OF: &str = "view:table";
const KEY: &str = "view:key";
const WHY: &str = "view:why";
/// The most characters of a cause.
const WHY_MAX: usize = 1_000;
/// The most items that are counted.
const COUNTED: usize = 1_000;

/// An item that the model cannot read.
#[derive(Debug, Clone, PartialEq)]
pub struct UnreadableItem {
    /// Its table.
    pub table: String,
    /// Its key.
    pub key: Item,
    /// The reason.
    pub why: String,
}

/// The action that stores or deletes the note about an item; `None` where there is none.
pub(crate) fn action(
    space: &Space,
    (table, key): (&str, &Item),
    note: &Note,
) -> Option<TransactWriteItem> {
    let place = space.key(Kind::Broken, &digest_of(table, key));
    match note {
        Note::None => None,
        Note::Mended => Some(delete(TABLE, place, None)),
        Note::Broken(why) => Some(put(TABLE, noted(place, (table, key), why), None)),
    }
}

/// A note about an item.
fn noted(mut place: Item, (table, key): (&str, &Item), why: &str) -> Item {
    place.insert(OF, table);
    place.insert(KEY, Value::M(key.as_map().clone()));
    place.insert(WHY, why.chars().take(WHY_MAX).collect::<String>());
    place
}

/// The action that stores or deletes the note about a row whose sums are no numbers, for these reasons;
/// `None` where there is none. `before` is the row before the change.
pub(crate) fn of_sums(
    target: &Target<'_>,
    row: &Row,
    before: Option<&Item>,
    whys: &[String],
) -> Option<TransactWriteItem> {
    let place = target.space.key(Kind::Sums, &row.digest);
    if !whys.is_empty() {
        let table = &target.definition.table().name;
        let note = noted(place, (table, &row.key), &whys.join("; "));
        return Some(put(TABLE, note, None));
    }
    let mut columns = target.definition.view().columns.iter();
    let has_note = columns.any(|column| {
        let exact = exact_attribute(&column.attribute);
        let is_sum = matches!(column.from, From::Sum { .. });
        is_sum && before.is_some_and(|row| row.get(&exact).is_some())
    });
    has_note.then(|| delete(TABLE, place, None))
}

/// The items of which there are notes of a kind; no more than are counted.
///
/// # Errors
/// The backend's.
pub(crate) async fn list(
    io: &dyn Io,
    space: &Space,
    kind: Kind,
) -> Result<Vec<UnreadableItem>, ClientError> {
    let mut all = Vec::new();
    for partition in space.partitions(kind) {
        let mut after = None;
        while all.len() < COUNTED {
            let names = (TABLE, [PARTITION, SORT]);
            let limit = Some(COUNTED - all.len());
            let asked = (partition.as_str(), "");
            let (items, last) = page(io, names, asked, after, limit).await?;
            all.extend(items.iter().filter_map(of_item));
            after = last;
            if after.is_none() {
                break;
            }
        }
    }
    Ok(all)
}

fn of_item(item: &Item) -> Option<UnreadableItem> {
    let text = |name: &str| super::held::text(item.get(name)?).map(str::to_owned);
    let Some(Value::M(key)) = item.get(KEY) else {
        return None;
    };
    Some(UnreadableItem {
        table: text(OF)?,
        key: key.clone().into_iter().collect(),
        why: text(WHY)?,
    })
}
