//! The layout of the key space. `docs/format.md` has the same table.
//!
//! ```text
//! 00000000 'T' name                     a table's definition
//! 00000000 'N'                          the next table id
//! 00000000 'C' table index 'n' | 'b'    entries, bytes (counters)
//! 00000000 'P' table partition value    bytes of an item collection (tables with a local index)
//! 00000000 'K' token                    an idempotency token
//! 00000000 'E' expiry token             an idempotency token by its expiry
//! 00000000 'D' table [index]            a deleted table (or index) whose keys still exist
//! 00000000 'Q'                          the next sequence number (the store's)
//! 00000000 'V' stream                   a stream's definition
//! 00000000 'S' shard sequence           a record of a stream
//! 00000000 'H' table sequence           a change, for point-in-time recovery
//! 00000000 'X' table expiry key         an item by the second it expires
//! 00000000 'B' backup                   a backup's definition
//! 00000000 'J' export                   an export
//! 00000000 'I' import                   an import
//! 00000000 'Y' shard                    the greatest trimmed sequence number
//! 00000000 'Z'                          the secret of seals
//! table index hash ...                  items and index entries (see the codec's `key`)
//! ```

use keyfold_codec::key::{self, IndexId, KeyRange, TableId};

const SYSTEM: [u8; 4] = [0; 4];

/// The keys of the items of a table or of a backup.
pub(crate) fn items_of(space: TableId) -> KeyRange {
    entries_of(space, IndexId::BASE)
}

/// The keys of the entries of an index; of the items for the base.
pub(crate) fn entries_of(space: TableId, index: IndexId) -> KeyRange {
    KeyRange::prefix(key::space_prefix(space, index))
}

fn system(kind: u8, parts: &[&[u8]]) -> Vec<u8> {
    let mut key = SYSTEM.to_vec();
    key.push(kind);
    for part in parts {
        key.extend_from_slice(part);
    }
    key
}

pub(crate) fn table_record(name: &str) -> Vec<u8> {
    system(b'T', &[name.as_bytes()])
}

pub(crate) fn table_records() -> Vec<u8> {
    system(b'T', &[])
}

pub(crate) fn next_table_id() -> Vec<u8> {
    system(b'N', &[])
}

/// The quantity of a counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counter {
    Entries,
    Bytes,
}

pub(crate) fn counter(table: TableId, index: IndexId, counter: Counter) -> Vec<u8> {
    let quantity = match counter {
        Counter::Entries => b'n',
        Counter::Bytes => b'b',
    };
    system(b'C', &[&table.0.to_be_bytes(), &[index.0, quantity]])
}

pub(crate) fn counters_of(table: TableId) -> Vec<u8> {
    system(b'C', &[&table.0.to_be_bytes()])
}

pub(crate) fn collection(table: TableId, encoded_partition: &[u8]) -> Vec<u8> {
    system(b'P', &[&table.0.to_be_bytes(), encoded_partition])
}

pub(crate) fn collections_of(table: TableId) -> Vec<u8> {
    system(b'P', &[&table.0.to_be_bytes()])
}

pub(crate) fn token(token: &str) -> Vec<u8> {
    system(b'K', &[token.as_bytes()])
}

pub(crate) fn token_expiry(expires_epoch_ms: u64, token: &str) -> Vec<u8> {
    system(b'E', &[&expires_epoch_ms.to_be_bytes(), token.as_bytes()])
}

/// The token's name in a key of [`token_expiry`].
pub(crate) fn expired_token(key: &[u8]) -> Option<&str> {
    key.get(SYSTEM.len() + 1 + 8..)
        .and_then(|name| std::str::from_utf8(name).ok())
}

pub(crate) fn token_expiries() -> Vec<u8> {
    system(b'E', &[])
}

pub(crate) fn dropped(table: TableId) -> Vec<u8> {
    system(b'D', &[&table.0.to_be_bytes()])
}

pub(crate) fn dropped_tables() -> Vec<u8> {
    system(b'D', &[])
}

/// The key of the record that an index of a table is deleted.
pub(crate) fn dropped_index(table: TableId, index: IndexId) -> Vec<u8> {
    system(b'D', &[&table.0.to_be_bytes(), &[index.0]])
}

/// The table of a key of [`dropped`] or [`dropped_index`], and the index of the latter.
pub(crate) fn dropped_place(key: &[u8]) -> Option<(TableId, Option<IndexId>)> {
    let (id, index) = key.get(SYSTEM.len() + 1..)?.split_at_checked(4)?;
    let table = TableId(u32::from_be_bytes(id.try_into().ok()?));
    Some((table, index.first().map(|index| IndexId(*index))))
}

pub(crate) fn stream_records() -> Vec<u8> {
    system(b'V', &[])
}

pub(crate) fn stream_record(stream: TableId) -> Vec<u8> {
    system(b'V', &[&stream.0.to_be_bytes()])
}

/// The prefix of the records of a stream's shard.
pub(crate) fn events(shard: TableId) -> Vec<u8> {
    system(b'S', &[&shard.0.to_be_bytes()])
}

/// The prefix of a table's changes.
pub(crate) fn changes(table: TableId) -> Vec<u8> {
    system(b'H', &[&table.0.to_be_bytes()])
}

/// The sequence number at the end of a key of [`events`] or [`changes`].
pub(crate) fn sequence_of(key: &[u8]) -> Option<u64> {
    Some(u64::from_be_bytes(
        key.get(SYSTEM.len() + 5..)?.try_into().ok()?,
    ))
}

pub(crate) fn expiries_of(table: TableId) -> Vec<u8> {
    system(b'X', &[&table.0.to_be_bytes()])
}

pub(crate) fn expiry(table: TableId, epoch_s: u64, key: &[u8]) -> Vec<u8> {
    system(b'X', &[&table.0.to_be_bytes(), &epoch_s.to_be_bytes(), key])
}

/// The item's key inside a key of [`expiry`].
pub(crate) fn expiring_key(key: &[u8]) -> Option<&[u8]> {
    key.get(SYSTEM.len() + 1 + 4 + 8..)
}

pub(crate) fn backup_records() -> Vec<u8> {
    system(b'B', &[])
}

pub(crate) fn backup_record(backup: TableId) -> Vec<u8> {
    system(b'B', &[&backup.0.to_be_bytes()])
}

pub(crate) fn export_records() -> Vec<u8> {
    system(b'J', &[])
}

pub(crate) fn export_record(export: TableId) -> Vec<u8> {
    system(b'J', &[&export.0.to_be_bytes()])
}

pub(crate) fn import_records() -> Vec<u8> {
    system(b'I', &[])
}

pub(crate) fn import_record(import: TableId) -> Vec<u8> {
    system(b'I', &[&import.0.to_be_bytes()])
}

/// The key of the greatest trimmed sequence number of a shard.
pub(crate) fn trimmed(shard: TableId) -> Vec<u8> {
    system(b'Y', &[&shard.0.to_be_bytes()])
}

/// The key of the data folder's secret.
pub(crate) fn secret() -> Vec<u8> {
    system(b'Z', &[])
}
