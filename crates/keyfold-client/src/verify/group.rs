//! Everything that a scan found out about one key, and whether it fits together.

use super::finding::{Finding, FindingKind, ModelLine};
use super::fold::Fold;
use super::judge::kept_names;
use super::record::{
    Record, RecordKind, Relation, digest, group_of, is_pair, is_same_digest, item, role,
};
use super::rows;
use super::sorter::{Merged, torn};
use super::told::{of_its_type, show};
use crate::kinds::Role;
use keyfold_lower::ClientError;
use keyfold_model::schema::Aggregate;
use keyfold_model::schema::view::View;
use keyfold_model::{Entity, Model, Table, value as values};
use keyfold_types::{Item, Value};
use std::collections::BTreeMap;

/// The most claims of one key that are kept.
const CLAIMS_MAX: usize = 8;

/// The records of one key.
#[derive(Debug, Clone)]
pub(super) struct Group {
    pub(super) id: u128,
    pub(super) table: String,
    /// The key, as a stored item.
    pub(super) key: Vec<u8>,
    /// The state at which an earlier scan found something wrong.
    pub(super) suspect: Option<u128>,
    pub(super) stored: Option<Record>,
    pub(super) claims: Vec<Record>,
    pub(super) parent: Option<Record>,
    folds: BTreeMap<(u32, u32), Fold>,
}

impl Group {
    fn of(first: &Record) -> Group {
        Group {
            id: first.group,
            table: first.table.clone(),
            key: first.key.clone(),
            suspect: None,
            stored: None,
            claims: Vec::new(),
            parent: None,
            folds: BTreeMap::new(),
        }
    }

    /// Adds a record; `None` when it is not whole.
    fn add(&mut self, record: Record) -> Option<()> {
        match record.kind {
            RecordKind::Suspect => self.suspect = Some(record.digest),
            RecordKind::Stored => self.stored = Some(record),
            RecordKind::Claimed if self.claims.len() < CLAIMS_MAX => self.claims.push(record),
            RecordKind::Claimed => {}
            RecordKind::Parent => self.parent = Some(record),
            RecordKind::Share => {
                let fold = self.folds.entry((record.entity, record.slot)).or_default();
                fold.join(Fold::decoded(&record.more, record.digest)?);
            }
        }
        Some(())
    }

    /// Whether exactly one item asks for the copy or guard that is stored, or there is none.
    pub(super) fn relatives_fit(&self) -> bool {
        match (&self.stored, self.claims.as_slice()) {
            (None, []) => true,
            (Some(stored), [claim]) => fits(stored, claim),
            (Some(_) | None, _) => false,
        }
    }

    /// The entity and the slot of a copy or guard that no item asks for.
    pub(super) fn foreign(&self) -> Option<Relation> {
        let stored = self.stored.as_ref().filter(|_| self.claims.is_empty())?;
        Some((stored.entity, stored.slot))
    }

    /// A digest of everything that the group says: it differs whenever the group does.
    pub(super) fn state(&self) -> u128 {
        let mut text = Vec::new();
        for record in self.stored.iter().chain(&self.claims) {
            text.extend_from_slice(&record.digest.to_be_bytes());
            text.extend_from_slice(&record.more);
        }
        text.extend(self.parent.iter().flat_map(|parent| &parent.more));
        for fold in self.folds.values() {
            text.extend_from_slice(&fold.digest.to_be_bytes());
        }
        digest(&text)
    }

    /// The record that makes a later scan look at the group again.
    pub(super) fn as_suspect(&self) -> Record {
        Record {
            group: self.id,
            kind: RecordKind::Suspect,
            entity: 0,
            slot: 0,
            digest: self.state(),
            table: self.table.clone(),
            key: self.key.clone(),
            more: Vec::new(),
        }
    }

    /// A finding about the item of the group.
    fn finding(
        &self,
        kind: FindingKind,
        item_kind: String,
        line: ModelLine,
        message: String,
    ) -> Finding {
        Finding {
            kind,
            table: self.table.clone(),
            key: item(&self.key),
            item: Some(item_kind),
            owner: None,
            line: Some(line),
            message,
        }
    }

    /// What is wrong with the copy or guard, when the records are the truth.
    pub(super) fn relatives(&self, model: &Model) -> Option<Finding> {
        if self.relatives_fit() {
            return None;
        }
        let record = self.claims.first().or(self.stored.as_ref())?;
        let entity = model.entities.get(usize::try_from(record.entity).ok()?)?;
        let (name, line, is_guard) = declared(entity, role(record.slot))?;
        let owner = self.claims.first().map(|claim| item(&claim.more));
        let shown = |claim: &Record| show(&item(&claim.more));
        let (kind, message) = match (&self.stored, self.claims.as_slice()) {
            (_, [first, second, ..]) if is_guard => {
                let text = format!("{} and {} have it", shown(first), shown(second));
                (FindingKind::NotUnique, text)
            }
            (None, [claim, ..]) => {
                let text = format!("it belongs to {}", shown(claim));
                let kind = if is_guard {
                    FindingKind::GuardMissing
                } else {
                    FindingKind::CopyMissing
                };
                (kind, text)
            }
            (Some(_), [claim, ..]) if is_guard => {
                let text = format!("it says another key than that of {}", shown(claim));
                (FindingKind::GuardStale, text)
            }
            (Some(_), [claim, ..]) => {
                let text = format!("it does not hold what {} does", shown(claim));
                (FindingKind::CopyStale, text)
            }
            (_, []) if is_guard => {
                let at = match role(record.slot) {
                    Role::Guard(at) => Some(at),
                    Role::Main | Role::Copy(_) => None,
                };
                let unique = at.and_then(|at| entity.uniques.get(at));
                let names = unique.map_or(String::new(), |unique| unique.joined(", "));
                let text = format!("no {} has this {names}", entity.name);
                (FindingKind::GuardForeign, text)
            }
            (_, []) => (
                FindingKind::CopyForeign,
                "no item makes this copy".to_owned(),
            ),
        };
        let finding = self.finding(kind, name, line, message);
        Some(Finding { owner, ..finding })
    }

    /// The aggregates that differ from the items.
    pub(super) fn aggregates(&self, model: &Model) -> Vec<Finding> {
        let mut found = Vec::new();
        let entity_at = |at: u32| {
            model
                .entities
                .get(usize::try_from(at).unwrap_or(usize::MAX))
        };
        let of_view = self.parent.as_ref().map(|parent| parent.entity);
        let of_view = of_view.or_else(|| self.folds.keys().next().map(|(entity, _)| *entity));
        if let Some((at, entity)) = of_view.and_then(|at| Some((at, entity_at(at)?)))
            && let Some(view) = rows::compared(model, entity)
            && let Some(table) = model.tables.get(entity.table)
        {
            return self.row(at, entity, (table, view)).into_iter().collect();
        }
        if let Some(parent) = &self.parent
            && let Some(entity) = entity_at(parent.entity)
        {
            let stored = item(&parent.more);
            for (at, aggregate) in entity.aggregates.iter().enumerate() {
                let at = u32::try_from(at).unwrap_or(u32::MAX);
                let fold = self.folds.get(&(parent.entity, at)).cloned();
                if fold.as_ref().is_some_and(|fold| fold.is_unknown) {
                    continue;
                }
                found.extend(self.aggregate(entity, aggregate, &stored, &fold.unwrap_or_default()));
            }
            return found;
        }
        for ((at, slot), fold) in &self.folds {
            let Some(entity) = entity_at(*at) else {
                continue;
            };
            let slot = usize::try_from(*slot).unwrap_or(usize::MAX);
            let Some(aggregate) = entity.aggregates.get(slot) else {
                continue;
            };
            let text = format!(
                "{}: {} items are counted in it, and it is not stored",
                aggregate.attribute, fold.count
            );
            let line = ModelLine::at(aggregate.span);
            let kind = FindingKind::Aggregate;
            found.push(self.finding(kind, entity.name.clone(), line, text));
        }
        found
    }

    /// What is wrong with the row of a view with a position.
    fn row(&self, at: u32, entity: &Entity, (table, view): (&Table, &View)) -> Option<Finding> {
        let own = self.folds.iter().filter(|((of, _), _)| *of == at);
        let folds: BTreeMap<u32, Fold> =
            own.map(|((_, slot), fold)| (*slot, fold.clone())).collect();
        let items = folds
            .get(&rows::items_slot(view))
            .map_or(0, |fold| fold.count);
        let text = match &self.parent {
            None if items == 1 => "an item of its source makes it, and it is not stored".to_owned(),
            None => format!("{items} items of its source make it, and it is not stored"),
            Some(_) if items == 0 => "no item of its source makes it".to_owned(),
            Some(parent) => {
                let wrong = rows::differences((table, view), &item(&parent.more), &folds);
                (!wrong.is_empty()).then(|| wrong.join("; "))?
            }
        };
        let line = ModelLine::at(entity.span);
        Some(self.finding(FindingKind::ViewRow, entity.name.clone(), line, text))
    }

    fn aggregate(
        &self,
        entity: &Entity,
        aggregate: &Aggregate,
        stored: &Item,
        fold: &Fold,
    ) -> Option<Finding> {
        let (name, items_name) = (&aggregate.attribute, aggregate.items_attribute());
        let mut wrong = Vec::new();
        let mut compare = |name: &str, expected: Option<Value>, found: Option<&Value>| {
            if expected.as_ref() != found {
                let is_other_type = |(one, other): (&Value, &Value)| one.kind() != other.kind();
                let show = match expected.as_ref().zip(found).is_some_and(is_other_type) {
                    true => of_its_type,
                    false => values::shown,
                };
                let show = |one: Option<&Value>| one.map_or("nothing".to_owned(), show);
                let (found, expected) = (show(found), show(expected.as_ref()));
                wrong.push(format!("{name} is {found}, the items make {expected}"));
            }
        };
        compare(name, fold.value(aggregate.kind), stored.get(name));
        if items_name != *name {
            // A number that has never changed is not stored.
            let zero = Value::from(0_i64);
            let held = stored.get(&items_name).unwrap_or(&zero);
            compare(&items_name, Some(Value::from(fold.count)), Some(held));
        }
        if wrong.is_empty() {
            return None;
        }
        let line = ModelLine::at(aggregate.span);
        let kind = FindingKind::Aggregate;
        Some(self.finding(kind, entity.name.clone(), line, wrong.join("; ")))
    }

    /// The stored aggregates of the item of the group, as the group says and as an item holds them.
    pub(super) fn parent_is(&self, model: &Model, now: Option<&Item>) -> bool {
        match (&self.parent, now) {
            (None, None) => true,
            (Some(parent), Some(now)) => {
                let held = item(&parent.more);
                let entity = model
                    .entities
                    .get(usize::try_from(parent.entity).unwrap_or(0));
                let names = entity.map(|entity| kept_names(model, entity));
                let mut names = names.iter().flatten();
                names.all(|name| held.get(name) == now.get(name))
            }
            (None, Some(_)) | (Some(_), None) => false,
        }
    }

    /// The key of the item.
    pub(super) fn key(&self) -> Item {
        item(&self.key)
    }
}

fn fits(stored: &Record, claim: &Record) -> bool {
    (stored.entity, stored.slot) == (claim.entity, claim.slot)
        && is_same_digest(stored.digest, claim.digest)
}

/// The name and the line of a copy or guard, and whether it is a guard.
fn declared(entity: &Entity, role: Role) -> Option<(String, ModelLine, bool)> {
    match role {
        Role::Copy(at) => {
            let copy = entity.copies.get(at)?;
            let name = format!("{}.{}", entity.name, copy.name);
            Some((name, ModelLine::at(copy.span), false))
        }
        Role::Guard(at) => {
            let unique = entity.uniques.get(at)?;
            let word = entity.word_of(unique);
            let line = ModelLine::of_word(entity, word, unique.attributes().next()?);
            Some(("unique".to_owned(), line, true))
        }
        Role::Main => None,
    }
}

/// The owner's key of a claim.
pub(super) fn owner(claim: &Record) -> Item {
    item(&claim.more)
}

/// The most records of a group that are kept encoded: a copy or guard, and the item that asks for it.
const ENCODED_MAX: usize = 2;

/// The records of a group: the first ones encoded, and more of them folded.
#[derive(Default)]
struct Open {
    id: u128,
    bytes: Vec<u8>,
    /// The end of each record in the bytes.
    ends: Vec<usize>,
    group: Option<Group>,
}

impl Open {
    fn push(&mut self, record: &[u8]) -> Result<(), ClientError> {
        if self.group.is_none() && self.ends.len() < ENCODED_MAX {
            self.bytes.extend_from_slice(record);
            self.ends.push(self.bytes.len());
            return Ok(());
        }
        self.fold()?;
        add(&mut self.group, record)
    }

    fn records(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let each = starts.zip(&self.ends);
        each.map(|(from, to)| self.bytes.get(from..*to).unwrap_or_default())
    }

    /// Whether there is only a copy or guard, and the item that asks for it.
    fn is_good(&self) -> bool {
        let mut records = self.records();
        match (records.next(), records.next(), &self.group) {
            (Some(stored), Some(claim), None) => is_pair(stored, claim),
            (_, _, _) => false,
        }
    }

    /// Adds the encoded records to the group.
    fn fold(&mut self) -> Result<(), ClientError> {
        let mut group = self.group.take();
        for record in self.records() {
            add(&mut group, record)?;
        }
        self.group = group;
        self.bytes.clear();
        self.ends.clear();
        Ok(())
    }

    /// The group, of which nothing is left here; `None` for a copy or guard that an item asks for.
    fn take(&mut self) -> Result<Option<Group>, ClientError> {
        if self.is_good() {
            self.bytes.clear();
            self.ends.clear();
        }
        self.fold()?;
        Ok(self.group.take())
    }
}

/// Adds an encoded record to its group.
fn add(group: &mut Option<Group>, record: &[u8]) -> Result<(), ClientError> {
    let record = Record::decode(record).ok_or_else(torn)?;
    let group = group.get_or_insert_with(|| Group::of(&record));
    group.add(record).ok_or_else(torn)
}

/// Calls `each` with every group, but those that are good at first sight.
///
/// # Errors
/// That of the files, and that of `each`.
pub(super) fn for_each(
    mut records: Merged,
    mut each: impl FnMut(Group) -> Result<(), ClientError>,
) -> Result<(), ClientError> {
    let mut open = Open::default();
    while let Some(record) = records.next()? {
        let id = group_of(record).ok_or_else(torn)?;
        if id != open.id {
            open.take()?.map_or(Ok(()), &mut each)?;
            open.id = id;
        }
        open.push(record)?;
    }
    open.take()?.map_or(Ok(()), each)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_items_of_one_parent_take_the_memory_of_few() {
        let mut record = Record {
            group: 7,
            kind: RecordKind::Share,
            entity: 0,
            slot: 0,
            digest: 1,
            table: "Tab".to_owned(),
            key: vec![b'k'; 100],
            more: Fold::default().encoded(),
        };
        let mut open = Open::default();
        for number in 0..10_000_u32 {
            record.digest = number.into();
            let mut bytes = Vec::new();
            let (head, texts) = record.parts();
            head.encode(texts, &mut bytes);
            open.push(super::super::record::payload(&bytes, 0)).unwrap();
            assert!(open.bytes.len() < 1000, "{number}");
        }
        let group = open.take().unwrap().unwrap();
        assert_eq!(group.folds.len(), 1);
    }
}
