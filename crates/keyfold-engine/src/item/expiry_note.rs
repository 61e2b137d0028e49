//! The note of when an item expires, which is kept beside it where a table has an expiry attribute.

use crate::base::layout;
use keyfold_codec::RawItem;
use keyfold_codec::key::{KeyBytes, TableId};
use keyfold_store::Batch;
use keyfold_types::Number;

/// The second at which an item expires; none when its attribute is no number or far from any time.
pub(crate) fn expires(item: &RawItem, attribute: &str) -> Option<(u64, Number)> {
    let number = item.get(attribute)?.as_number()?;
    let whole = number.to_string();
    let second = whole.split('.').next()?.parse().ok()?;
    Some((second, number))
}

/// The key of the note of an item that expires; none when it does not. `key` is the item's own.
pub(crate) fn note_of(
    table: TableId,
    key: &[u8],
    attribute: &str,
    item: &RawItem,
) -> Option<Vec<u8>> {
    expires(item, attribute).map(|(second, _)| layout::expiry(table, second, key))
}

/// Notes when the item expires after a change, and forgets when it would have expired before.
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
