//! Reading one page of a Query or Scan: the plan and its execution.
//!
//! The bytes read for a page depend on the page, not on the partition: entries are read one at a
//! time until the limit, the byte budget or the end of the range.

use crate::base::answer_size::AnswerSize;
use crate::base::error::{corrupt, internal};
use crate::core::Core;
use crate::core::throttle;
use crate::read::meter::Meter;
use crate::read::view::view;
use crate::table::{Index, IndexKind, Table};
use keyfold_api::{ApiError, ConsumedCapacity, PageOutput, ReturnConsumedCapacity};
use keyfold_codec::RawItem;
use keyfold_codec::key::{self, KeyRange};
use keyfold_expr::{Budget, Condition, Projection};
use keyfold_store::{Direction, Snapshot};
use keyfold_types::capacity::ReadRate;
use keyfold_types::limits::{PAGE_BYTES_MAX, PAGE_WORK_BYTES_MAX};
use keyfold_types::{CapacityHalves, Item};
use std::fmt;
use std::ops::Bound;
use std::sync::Arc;

/// The plan of one page. `Display` prints it in a line.
#[derive(Debug)]
pub struct ReadPlan {
    pub(crate) table: Arc<Table>,
    /// The table's name or ARN in the request.
    pub(crate) given_name: String,
    pub(crate) index: Option<Index>,
    pub(crate) range: KeyRange,
    pub(crate) direction: Direction,
    pub(crate) limit: Option<u64>,
    pub(crate) rate: ReadRate,
    pub(crate) filter: Option<Arc<Condition>>,
    pub(crate) projection: Option<Projection>,
    /// Whether each entry of a local index is completed from the table.
    pub(crate) fetch: bool,
    pub(crate) count_only: bool,
    pub(crate) capacity: ReturnConsumedCapacity,
}

impl fmt::Display for ReadPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self
            .index
            .as_ref()
            .map_or(String::new(), |index| format!(".{}", index.name));
        let direction = match self.direction {
            Direction::Forward => "forward",
            Direction::Backward => "backward",
        };
        write!(
            f,
            "Range {}{place} {} {direction}, ",
            self.table.name,
            RangeText(&self.range)
        )?;
        match self.limit {
            Some(limit) => write!(f, "{limit} items or {PAGE_BYTES_MAX} bytes a page")?,
            None => write!(f, "{PAGE_BYTES_MAX} bytes a page")?,
        }
        if self.fetch {
            write!(f, ", completed from the table")?;
        }
        if self.filter.is_some() {
            write!(f, ", filtered")?;
        }
        Ok(())
    }
}

/// A key range without table, index and hash: readable, and stable as a test's expectation.
struct RangeText<'r>(&'r KeyRange);

impl fmt::Display for RangeText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Table, index and hash take nine bytes.
        let text = |key: &[u8]| key.get(9..).unwrap_or_default().escape_ascii().to_string();
        match &self.0.low {
            Bound::Included(key) => write!(f, "[\"{}\", ", text(key))?,
            Bound::Excluded(key) => write!(f, "(\"{}\", ", text(key))?,
            Bound::Unbounded => write!(f, "(-, ")?,
        }
        match &self.0.high {
            Bound::Included(key) => write!(f, "\"{}\"]", text(key)),
            Bound::Excluded(key) => write!(f, "\"{}\")", text(key)),
            Bound::Unbounded => write!(f, "-)"),
        }
    }
}

/// The projected attributes of an item: all of them without a projection.
pub(crate) fn projected(projection: Option<&Projection>, item: RawItem) -> RawItem {
    match projection {
        Some(projection) => projection.apply(&item),
        None => item,
    }
}

impl ReadPlan {
    /// Starts after the cursor instead of at the range's beginning.
    pub(crate) fn resume_after(&mut self, cursor: Vec<u8>) {
        match self.direction {
            Direction::Forward => self.range.low = Bound::Excluded(cursor),
            Direction::Backward => self.range.high = Bound::Excluded(cursor),
        }
    }

    /// Reads the page.
    pub(crate) fn run(&self, core: &Core) -> Result<PageOutput, ApiError> {
        let meter = Meter::admit(core, &self.table, self.index.as_ref(), self.partition_key())?;
        let snapshot = view(core, self.index.as_ref(), self.rate);
        let mut page = Page::new();
        let (low, high) = self.range.bounds();
        for bytes in snapshot.values(low, high, self.direction) {
            let bytes = bytes.map_err(internal)?;
            let entry = RawItem::open(bytes).map_err(|error| corrupt(&self.table.name, &error))?;
            if self.take(&snapshot, entry, &mut page)? {
                break;
            }
        }
        meter.charge(CapacityHalves::read(page.bytes, self.rate) + page.fetched);
        Ok(PageOutput {
            consumed_capacity: self.consumed(&page),
            count: page.count,
            scanned_count: page.scanned,
            last_evaluated_key: page.cursor,
            items: (!self.count_only).then_some(page.items),
        })
    }

    /// A key of the partition that is read; none when the range spans several.
    fn partition_key(&self) -> Option<&[u8]> {
        let (low, high) = self.range.bounds();
        let (Bound::Included(low) | Bound::Excluded(low)) = low else {
            return None;
        };
        let (Bound::Included(high) | Bound::Excluded(high)) = high else {
            return None;
        };
        (throttle::partition_of(low)? == throttle::partition_of(high)?).then_some(low)
    }

    /// Evaluates one entry. Returns true when the page is full.
    fn take(&self, snapshot: &Snapshot, entry: RawItem, page: &mut Page) -> Result<bool, ApiError> {
        page.scanned += 1;
        page.bytes += entry.size_bytes();
        let fetched = if self.fetch {
            Some(self.complete(snapshot, &entry, page)?)
        } else {
            None
        };
        let is_full = page.bytes + page.fetched_bytes >= PAGE_BYTES_MAX;
        let item = fetched.as_ref().unwrap_or(&entry);
        let is_chosen = self
            .filter
            .as_ref()
            .is_none_or(|filter| filter.holds_within(Some(item), &page.work));
        let mut is_answer_full = false;
        if is_chosen {
            page.count += 1;
            if !self.count_only {
                let complete = fetched.unwrap_or_else(|| entry.clone());
                let item = projected(self.projection.as_ref(), complete);
                is_answer_full = page.size.add(&item);
                page.items.push(item);
            }
        }
        // A page also ends when its filter has used its budget, or when its answer is too long.
        let full = is_full
            || self.limit.is_some_and(|limit| page.scanned >= limit)
            || page.work.is_spent()
            || is_answer_full;
        if full {
            page.cursor = Some(self.cursor_of(&entry));
        }
        Ok(full)
    }

    fn cursor_of(&self, entry: &RawItem) -> Item {
        let attributes = self.table.cursor_attributes(self.index.as_ref());
        attributes
            .into_iter()
            .filter_map(|attribute| {
                Some((
                    attribute.name.clone(),
                    entry.get(&attribute.name)?.to_value(),
                ))
            })
            .collect()
    }

    /// Reads the complete item of an entry of a local index.
    fn complete(
        &self,
        snapshot: &Snapshot,
        entry: &RawItem,
        page: &mut Page,
    ) -> Result<RawItem, ApiError> {
        let missing = || {
            ApiError::Internal(format!(
                "table {}: an index entry has no item",
                self.table.name
            ))
        };
        let key = key::base_key(self.table.id, &self.table.key, &entry.to_item())
            .map_err(|_| missing())?;
        let bytes = snapshot
            .get(key.as_slice())
            .map_err(internal)?
            .ok_or_else(missing)?;
        let item = RawItem::open(bytes).map_err(|error| corrupt(&self.table.name, &error))?;
        page.fetched += CapacityHalves::read(item.size_bytes(), self.rate);
        page.fetched_bytes += item.size_bytes();
        Ok(item)
    }

    fn consumed(&self, page: &Page) -> Option<ConsumedCapacity> {
        let units = CapacityHalves::read(page.bytes, self.rate);
        let mut consumed = ConsumedCapacity {
            table: page.fetched,
            ..self.blank_capacity()?
        };
        match &self.index {
            None => consumed.table += units,
            Some(index) => {
                let of_kind = match index.kind {
                    IndexKind::Local => &mut consumed.local_secondary_indexes,
                    IndexKind::Global => &mut consumed.global_secondary_indexes,
                };
                of_kind.insert(index.name.clone(), units);
            }
        }
        Some(consumed)
    }

    fn blank_capacity(&self) -> Option<ConsumedCapacity> {
        crate::read::capacity::blank(&self.given_name, self.capacity)
    }
}

struct Page {
    /// The budget of bytes that the filter may read.
    work: Budget,
    size: AnswerSize,
    items: Vec<RawItem>,
    count: u64,
    scanned: u64,
    bytes: u64,
    /// Units of items fetched from the table, and their bytes, which count for the page too.
    fetched: CapacityHalves,
    fetched_bytes: u64,
    cursor: Option<Item>,
}

impl Page {
    fn new() -> Page {
        Page {
            work: Budget::new(PAGE_WORK_BYTES_MAX),
            size: AnswerSize::default(),
            items: Vec::new(),
            count: 0,
            scanned: 0,
            bytes: 0,
            fetched: CapacityHalves::ZERO,
            fetched_bytes: 0,
            cursor: None,
        }
    }
}
