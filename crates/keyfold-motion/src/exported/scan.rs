//! Pages and items of an exported table.

use super::{Stored, refused};
use keyfold_api::{PageOutput, ScanInput};
use keyfold_client::ClientError;
use keyfold_codec::RawItem;
use keyfold_codec::item::encode_value;
use keyfold_transfer::ExportedItems;
use keyfold_types::key::key_value_bytes;
use keyfold_types::{Item, KeySchema, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

/// The bytes at which a page ends.
const PAGE_BYTES: u64 = 1024 * 1024;

/// What is kept between the requests of a table.
#[derive(Default)]
pub(super) struct Scans {
    /// The open files behind the page that was read last, of each segment of so many.
    cursors: Mutex<BTreeMap<(u64, u64), Cursor>>,
    wanted: Mutex<Wanted>,
}

/// Items that are read together.
#[derive(Default)]
struct Wanted {
    keys: BTreeSet<Vec<u8>>,
    /// Those that are there; `None` until they are read.
    found: Option<BTreeMap<Vec<u8>, RawItem>>,
}

/// How far a segment is read.
struct Cursor {
    segment: u64,
    of: u64,
    /// The next file of the table that is to be opened.
    next: usize,
    open: Option<ExportedItems>,
    /// The key of the last item.
    at: Option<Vec<u8>>,
    /// The item behind it, which was read to see whether there is one.
    ahead: Option<(Item, Vec<u8>)>,
}

/// The bytes of an item's key, which are the same for equal keys.
pub(super) fn key_bytes(schema: &KeySchema, item: &Item) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    for attribute in schema.attributes() {
        let name = &attribute.name;
        let Some(value) = item.get(name) else {
            return Err(format!(
                "the item has no `{name}`, which is in the key of the table"
            ));
        };
        if value.kind() != attribute.kind.value_kind() {
            return Err(format!(
                "`{name}` of the item is of type {}, and the key of the table has {}",
                value.kind().descriptor(),
                attribute.kind.descriptor()
            ));
        }
        if key_value_bytes(value) == 0 && !matches!(value, Value::N(_)) {
            return Err(format!(
                "`{name}` of the item is empty, and in the key of the table"
            ));
        }
        let value = encode_value(value);
        bytes.extend_from_slice(&(value.len() as u64).to_be_bytes());
        bytes.extend_from_slice(&value);
    }
    Ok(bytes)
}

/// Takes an item, with its key and its place, and says whether the next one is to be read.
pub(super) type Take<'t> =
    &'t mut dyn FnMut(Item, Vec<u8>, &ExportedItems) -> Result<bool, ClientError>;

impl Stored {
    /// Reads all items of the table, each with its key and its place, until told to stop.
    pub(super) fn each(&self, take: Take<'_>) -> Result<(), ClientError> {
        let mut cursor = Cursor::new(0, 1);
        while let Some((item, key)) = cursor.step(self)? {
            let Some(open) = &cursor.open else { break };
            if !take(item, key, open)? {
                break;
            }
        }
        Ok(())
    }

    /// A page of a segment, behind a key.
    pub(super) fn scan(&self, input: &ScanInput) -> Result<PageOutput, ClientError> {
        let number = |number: Option<i64>, or: u64| number.map_or(or, i64::unsigned_abs);
        let segment = (number(input.segment, 0), number(input.total_segments, 1));
        let after = match &input.exclusive_start_key {
            Some(Ok(key)) => Some(self.key(key)?),
            Some(Err(_)) => return Err(ClientError::refused("a page begins behind a key")),
            None => None,
        };
        let kept = self.cursors().remove(&segment);
        let mut cursor = match kept {
            Some(kept) if after.is_some() && kept.at == after => kept,
            Some(_) | None => self.behind(segment, after)?,
        };
        let limit = input.limit.map_or(u64::MAX, i64::unsigned_abs);
        let (mut items, mut bytes) = (Vec::new(), 0);
        let mut last = None;
        while let Some((item, key)) = cursor.next(self)? {
            bytes += item.size_bytes();
            items.push(RawItem::encode(&item));
            cursor.at = Some(key);
            if bytes >= PAGE_BYTES || items.len() as u64 >= limit {
                cursor.ahead = cursor.step(self)?;
                if cursor.ahead.is_some() {
                    last = Some(self.schema.key_of(&item));
                }
                break;
            }
        }
        if last.is_some() {
            self.cursors().insert(segment, cursor);
        }
        let count = items.len() as u64;
        Ok(PageOutput {
            items: Some(items),
            count,
            scanned_count: count,
            last_evaluated_key: last,
            consumed_capacity: None,
        })
    }

    /// A cursor behind a key, or at the beginning.
    fn behind(
        &self,
        (segment, of): (u64, u64),
        after: Option<Vec<u8>>,
    ) -> Result<Cursor, ClientError> {
        let mut cursor = Cursor::new(segment, of);
        if after.is_none() {
            return Ok(cursor);
        }
        while let Some((_, key)) = cursor.step(self)? {
            if Some(&key) == after.as_ref() {
                cursor.at = after;
                return Ok(cursor);
            }
        }
        Err(ClientError::refused(format!(
            "the export {} has no item of the key at which an earlier run stood: it is another one than the move \
             began with",
            self.exported.root.display()
        )))
    }

    /// Notes which items are asked for next.
    pub(super) fn will_get(&self, keys: &[Item]) {
        let keys = keys.iter().filter_map(|key| self.key(key).ok());
        *self.wanted() = Wanted {
            keys: keys.collect(),
            found: None,
        };
    }

    /// An item by its key. All that were noted are read with the first of them.
    pub(super) fn get(&self, key: &Item) -> Result<Option<RawItem>, ClientError> {
        let key = self.key(key)?;
        let mut wanted = self.wanted();
        if !wanted.keys.contains(&key) {
            *wanted = Wanted {
                keys: BTreeSet::from([key.clone()]),
                found: None,
            };
        }
        if wanted.found.is_none() {
            let mut found = BTreeMap::new();
            self.each(&mut |item, key, _| {
                if wanted.keys.contains(&key) {
                    found.insert(key, RawItem::encode(&item));
                }
                Ok(found.len() < wanted.keys.len())
            })?;
            wanted.found = Some(found);
        }
        let found = wanted.found.as_ref().and_then(|found| found.get(&key));
        Ok(found.cloned())
    }

    fn key(&self, key: &Item) -> Result<Vec<u8>, ClientError> {
        key_bytes(&self.schema, key).map_err(ClientError::refused)
    }

    fn cursors(&self) -> std::sync::MutexGuard<'_, BTreeMap<(u64, u64), Cursor>> {
        let cursors = &self.scans.cursors;
        cursors.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wanted(&self) -> std::sync::MutexGuard<'_, Wanted> {
        let wanted = &self.scans.wanted;
        wanted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Cursor {
    fn new(segment: u64, of: u64) -> Cursor {
        Cursor {
            segment,
            of: of.max(1),
            next: 0,
            open: None,
            at: None,
            ahead: None,
        }
    }

    /// The next item: the one that was read ahead, or that of the files.
    fn next(&mut self, table: &Stored) -> Result<Option<(Item, Vec<u8>)>, ClientError> {
        match self.ahead.take() {
            Some(ahead) => Ok(Some(ahead)),
            None => self.step(table),
        }
    }

    /// Reads the next item of the files.
    fn step(&mut self, table: &Stored) -> Result<Option<(Item, Vec<u8>)>, ClientError> {
        loop {
            let Some(open) = &mut self.open else {
                let Some(file) = table.exported.files.get(self.next) else {
                    return Ok(None);
                };
                let is_mine = self.next as u64 % self.of == self.segment;
                self.next += 1;
                if is_mine {
                    self.open = Some(table.exported.items_of(file).map_err(refused)?);
                }
                continue;
            };
            let Some(item) = open.next_item().map_err(refused)? else {
                self.open = None;
                continue;
            };
            let key = key_bytes(&table.schema, &item)
                .map_err(|why| ClientError::refused(format!("{}: {why}", open.place())))?;
            return Ok(Some((item, key)));
        }
    }
}
