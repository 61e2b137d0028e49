//! Where things lie in the key space. `docs/format.md` shows the same as a table.
//!
//! ```text
//! 00000000 'T' name                     a table's definition
//! 00000000 'N'                          the next table id
//! 00000000 'C' table index 'n' | 'b'    entries, bytes (counters)
//! 00000000 'P' table partition value    bytes of an item collection (tables with a local index)
//! 00000000 'K' token                    an idempotency token
//! 00000000 'E' expiry token             the same by expiry, to forget it
//! 00000000 'D' table                    a deleted table whose items are still to be removed
//! table index hash ...                  items and index entries (see the codec's `key`)
//! ```

use keyfold_codec::key::{IndexId, TableId};

const SYSTEM: [u8; 4] = [0; 4];

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

/// What a counter counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counter {
    Entries,
    Bytes,
}

pub(crate) fn counter(table: TableId, index: IndexId, counter: Counter) -> Vec<u8> {
    let what = match counter {
        Counter::Entries => b'n',
        Counter::Bytes => b'b',
    };
    system(b'C', &[&table.0.to_be_bytes(), &[index.0, what]])
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
    key.get(SYSTEM.len() + 1 + 8..).and_then(|name| std::str::from_utf8(name).ok())
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

/// The table of a key of [`dropped`].
pub(crate) fn dropped_table(key: &[u8]) -> Option<TableId> {
    let id = key.get(SYSTEM.len() + 1..)?.try_into().ok()?;
    Some(TableId(u32::from_be_bytes(id)))
}
