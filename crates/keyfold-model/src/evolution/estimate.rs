//! What the phases of a change cost: items, requests, units and hours. The counts are exact for the
//! given numbers of items and bytes; how long it takes follows from the rate of units.

use super::change::{ALL_ITEMS, Work};
use super::keys;
use super::pair::{Pair, pairs};
use super::phases::Phase;
use crate::check::estimate::item_bytes;
use crate::schema::{Entity, IndexKind, Model};

/// Bytes that one unit of a read pays for, of a scan that reads what was written last.
const READ_UNIT_BYTES: u64 = 4096;
/// Bytes that one write unit pays for.
const WRITE_UNIT_BYTES: u64 = 1024;
/// Bytes of a page of a scan.
const PAGE_BYTES: u64 = 1024 * 1024;
/// Seconds of an hour.
const HOUR_SECONDS: f64 = 3600.0;

/// The items and bytes of a table as they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableCounts {
    /// The table.
    pub table: String,
    /// Its items, all kinds together.
    pub items: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// Where the numbers of items come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Basis {
    /// Each entity has the items that its model expects, or this number where it expects none.
    Items(u64),
    /// The tables as they are. Each entity is taken to have all items of its table: what is there is
    /// not known by kinds, and so no phase costs more.
    Tables(Vec<TableCounts>),
}

/// What a phase costs.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Estimate {
    /// The items that are read.
    pub items: u64,
    /// The requests: pages that are read, and writes.
    pub requests: u64,
    /// The read units.
    pub read_units: f64,
    /// The write units, those of indexes included.
    pub write_units: u64,
    /// The hours at the rate of units a second.
    pub hours: f64,
}

/// What each phase costs, in the order of the phases, at a rate of units a second.
pub fn estimate(
    (old, new): (&Model, &Model),
    phases: &[Phase],
    basis: &Basis,
    rate: u32,
) -> Vec<Estimate> {
    let of = |phase: &Phase| {
        let mut total = Estimate::default();
        for table in tables(&phase.work, old, new) {
            add_table(&mut total, (old, new), (&phase.work, table), basis);
        }
        let units = total.read_units + as_f64(total.write_units);
        total.hours = units / f64::from(rate.max(1)) / HOUR_SECONDS;
        total
    };
    phases.iter().map(of).collect()
}

#[expect(clippy::cast_precision_loss, reason = "a sum of units, for people")]
fn as_f64(units: u64) -> f64 {
    units as f64
}

/// The entities whose items a piece of work writes, each with its model.
fn entity_of<'m>(work: &Work, old: &'m Model, new: &'m Model) -> Vec<(&'m Entity, &'m Model)> {
    let named = |model: &'m Model, name: &str| {
        let found = model.entity(name).into_iter();
        found.map(|entity| (entity, model)).collect()
    };
    match work {
        Work::Rewrite { entity }
        | Work::WriteBeside { entity, .. }
        | Work::Compute { entity, .. } => named(new, entity),
        // They are read where they are.
        Work::Rekey { entity, .. } => as_stored(entity, old, new),
        Work::Drop { entity, .. } => named(old, entity),
        Work::AddTable(_)
        | Work::RemoveTable(_)
        | Work::AddIndex { .. }
        | Work::RemoveIndex { .. }
        | Work::UpdateTable(_)
        | Work::Expiry { .. }
        | Work::Settle { .. }
        // The workers of views count what they do.
        | Work::Rebuild { .. } => Vec::new(),
    }
}

/// The entities of the old model whose items become those of one of the new model.
fn as_stored<'m>(name: &str, old: &'m Model, new: &'m Model) -> Vec<(&'m Entity, &'m Model)> {
    let was = new.entity(name).into_iter().flat_map(|two| &two.was);
    let mut found: Vec<&Entity> = was.filter_map(|was| old.entity(was)).collect();
    if found.is_empty() && new.entity(name).is_some() {
        found.extend(old.entity(name));
    }
    found.into_iter().map(|one| (one, old)).collect()
}

/// The entities whose items a piece of work only reads.
fn read_by<'m>(work: &Work, old: &'m Model, new: &'m Model) -> Vec<(&'m Entity, &'m Model)> {
    match work {
        Work::Compute { of, .. } => as_stored(of, old, new),
        Work::Rewrite { .. }
        | Work::WriteBeside { .. }
        | Work::Rekey { .. }
        | Work::Drop { .. }
        | Work::AddTable(_)
        | Work::RemoveTable(_)
        | Work::AddIndex { .. }
        | Work::RemoveIndex { .. }
        | Work::UpdateTable(_)
        | Work::Expiry { .. }
        | Work::Settle { .. }
        | Work::Rebuild { .. } => Vec::new(),
    }
}

/// The names of the tables that a phase reads, each once.
fn tables(work: &[Work], old: &Model, new: &Model) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let written = work.iter().flat_map(|one| entity_of(one, old, new));
    let read = work.iter().flat_map(|one| read_by(one, old, new));
    for (entity, model) in written.chain(read) {
        let table = model.tables.get(entity.table);
        names.extend(table.map(|table| table.name.clone()));
    }
    names.sort();
    names.dedup();
    names
}

/// The items of an entity, and the bytes of one.
fn size(entity: &Entity, table: &str, basis: &Basis) -> (u64, u64) {
    match basis {
        Basis::Items(count) => (entity.expected.items.unwrap_or(*count), item_bytes(entity)),
        Basis::Tables(counts) => {
            let found = counts.iter().find(|one| one.table == table);
            let (items, bytes) = found.map_or((0, 0), |one| (one.items, one.bytes));
            (items, bytes.checked_div(items).unwrap_or(0))
        }
    }
}

/// Adds what a phase costs in one table, which is read once.
fn add_table(
    total: &mut Estimate,
    (old, new): (&Model, &Model),
    (work, table): (&[Work], String),
    basis: &Basis,
) {
    let mut read: Vec<(&str, u64, u64)> = Vec::new();
    let is_here = |(entity, model): &(&Entity, &Model)| {
        let place = model.tables.get(entity.table);
        place.is_some_and(|place| place.name == table)
    };
    let mut computed: Vec<&str> = Vec::new();
    for one in work {
        let mut written = entity_of(one, old, new);
        written.retain(is_here);
        let beside = read_by(one, old, new);
        for (entity, _) in written
            .iter()
            .chain(beside.iter().filter(|one| is_here(one)))
        {
            let (items, bytes) = size(entity, &table, basis);
            if !read.iter().any(|(name, ..)| *name == entity.name) {
                read.push((&entity.name, items, items.saturating_mul(bytes)));
            }
        }
        for (entity, model) in written {
            // All aggregates of an item are written at once.
            if matches!(one, Work::Compute { .. }) {
                if computed.contains(&entity.name.as_str()) {
                    continue;
                }
                computed.push(&entity.name);
            }
            let (items, bytes) = size(entity, &table, basis);
            let in_indexes = entries((entity, model), one, &pairs(old, new));
            let cost = writes(entity, one, (bytes, in_indexes));
            total.requests = total
                .requests
                .saturating_add(items.saturating_mul(cost.requests));
            total.write_units = total
                .write_units
                .saturating_add(items.saturating_mul(cost.units));
        }
    }
    // What is there is read once, whatever is written.
    let (items, bytes) = match basis {
        Basis::Items(_) => read.iter().fold((0_u64, 0_u64), |(items, bytes), one| {
            (items.saturating_add(one.1), bytes.saturating_add(one.2))
        }),
        Basis::Tables(_) => read.first().map_or((0, 0), |one| (one.1, one.2)),
    };
    // To be computed, the items are read before those that keep it are written.
    let times = match work.iter().any(|one| matches!(one, Work::Compute { .. })) {
        true => 2,
        false => 1,
    };
    total.items = total.items.saturating_add(items);
    let pages = bytes.div_ceil(PAGE_BYTES).saturating_mul(times);
    total.requests = total.requests.saturating_add(pages);
    total.read_units += as_f64(bytes.div_ceil(READ_UNIT_BYTES).saturating_mul(times));
}

/// What is written for one item.
struct Cost {
    requests: u64,
    units: u64,
}

/// The entries of indexes that are written with an item: one of each index, and two where its key changes.
fn entries((entity, model): (&Entity, &Model), work: &Work, pairs: &[Pair<'_>]) -> u64 {
    let own = || {
        let table = model.tables.get(entity.table);
        let all = entity.indexes.iter().filter(|key| {
            let index = table.and_then(|table| table.indexes.get(key.index));
            index.is_some_and(|index| index.kind == IndexKind::Global)
        });
        all.count()
    };
    let count = match work {
        Work::Rewrite { .. } | Work::Compute { .. } => {
            let of = pairs.iter().filter(|pair| pair.new.name == entity.name);
            let counts = of.map(|pair| {
                let (all, moved) = keys::entries(pair);
                all + moved
            });
            counts.max().unwrap_or_else(own)
        }
        // An entry goes and one comes.
        Work::Rekey { .. } => own() * 2,
        Work::Drop { .. } => own(),
        Work::WriteBeside { .. }
        | Work::AddTable(_)
        | Work::RemoveTable(_)
        | Work::AddIndex { .. }
        | Work::RemoveIndex { .. }
        | Work::UpdateTable(_)
        | Work::Expiry { .. }
        | Work::Settle { .. }
        | Work::Rebuild { .. } => 0,
    };
    u64::try_from(count).unwrap_or(u64::MAX)
}

fn writes(entity: &Entity, work: &Work, (bytes, entries): (u64, u64)) -> Cost {
    let one = bytes.div_ceil(WRITE_UNIT_BYTES).max(1);
    let beside = entity.copies.len() + entity.uniques.len();
    let beside = u64::try_from(beside).unwrap_or(u64::MAX);
    let in_indexes = entries.saturating_mul(one);
    let units = match work {
        Work::Rewrite { .. } => one.saturating_add(in_indexes),
        // A check of the item and each item beside it, in a transaction, which costs twice.
        Work::WriteBeside { .. } => one
            .saturating_mul(beside.saturating_add(1))
            .saturating_mul(2),
        // A put and a deletion of the item and of each item beside it, twice for the transaction.
        Work::Rekey { .. } => one
            .saturating_mul(beside.saturating_add(1))
            .saturating_mul(4)
            .saturating_add(in_indexes),
        // An update and a check of who has the evolution, in a transaction, which costs twice.
        Work::Compute { .. } => one
            .saturating_add(1)
            .saturating_mul(2)
            .saturating_add(in_indexes),
        Work::Drop {
            is_of_items: true, ..
        } => one.saturating_add(in_indexes),
        // A deletion, which is a transaction of its own; copies and guards are in no index.
        Work::Drop { what, .. } => one
            .saturating_mul(2)
            .saturating_add(match *what == ALL_ITEMS {
                true => in_indexes,
                false => 0,
            }),
        Work::AddTable(_)
        | Work::RemoveTable(_)
        | Work::AddIndex { .. }
        | Work::RemoveIndex { .. }
        | Work::UpdateTable(_)
        | Work::Expiry { .. }
        | Work::Settle { .. }
        | Work::Rebuild { .. } => {
            return Cost {
                requests: 0,
                units: 0,
            };
        }
    };
    Cost { requests: 1, units }
}
