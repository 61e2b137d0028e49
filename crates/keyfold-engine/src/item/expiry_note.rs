//! Expiry notes: keys that order the items of a table with time to live by their expiry.

use crate::base::layout;
use keyfold_codec::RawItem;
use keyfold_codec::key::{KeyBytes, TableId};
use keyfold_store::Batch;
use keyfold_types::Number;

/// The second at which an item expires, and the exact time; none when the attribute is not a number
/// of seconds.
pub(crate) fn expires(item: &RawItem, attribute: &str) -> Option<(u64, Number)> {
    let number = item.get(attribute)?.as_number()?;
    let text = number.to_string();
    let second = text.split('.').next()?.parse().ok()?;
    Some((second, number))
}

/// The key of an item's expiry note; none when the item does not expire. `key` is the item's key.
pub(crate) fn note_of(
    table: TableId,
    key: &[u8],
    attribute: &str,
    item: &RawItem,
) -> Option<Vec<u8>> {
    expires(item, attribute).map(|(second, _)| layout::expiry(table, second, key))
}

/// Replaces the expiry note of an item before a change by the note after it.
pub(crate) fn move_note(
    batch: &mut Batch,
    table: TableId,
    key: &KeyBytes,
    attribute: &str,
    before: Option<&RawItem>,
    after: Option<&RawItem>,
) {
    let second = |item: Option<&RawItem>| {
        item.and_then(|item| expires(item, attribute))
            .map(|(second, _)| second)
    };
    let (old, new) = (second(before), second(after));
    if old == new {
        return;
    }
    if let Some(second) = old {
        batch.remove(layout::expiry(table, second, key.as_slice()));
    }
    if let Some(second) = new {
        batch.put(layout::expiry(table, second, key.as_slice()), Vec::new());
    }
}
