//! The judgement of one unit: what is wrong with its items, and what it says about others. Pure:
//! nothing is read.

use super::assemble::Unit;
use super::causes::{Unmade, by_cause, cause_of};
use super::claims::Subject;
use super::finding::{Finding, FindingKind, ModelLine};
use super::form::Scope;
use super::nearest;
use super::pack::Pack;
use super::record::{RecordKind, Relation, key_bytes, stored_bytes};
use super::rows;
use super::shares::Shares;
use super::told::{difference, of_its_type, show};
use crate::event::readable;
use crate::kinds::Role;
use keyfold_codec::RawItem;
use keyfold_lower::arguments::Values;
use keyfold_lower::derive::{self, Place};
use keyfold_lower::kind_name::{part_name, says_another};
use keyfold_lower::stored::{
    Unreadable, digest_attribute, is_as_written, parts_attribute, unread, value_of,
};
use keyfold_lower::sums::without_sum;
use keyfold_lower::{ClientError, lengths};
use keyfold_model::schema::{Aggregate, AggregateKind, Attribute, IndexKey};
use keyfold_model::template::CHUNK_DIGITS;
use keyfold_model::{Entity, KeyTemplate, Model, Table, value};
use keyfold_types::{Item, Value};
use std::borrow::Cow;

/// The judgement of a unit.
#[derive(Default)]
pub(super) struct Judged {
    /// What is wrong with its own items.
    pub(super) findings: Vec<Finding>,
    /// What it says about other items, and what they are compared with.
    pub(super) records: Pack,
    /// The aggregates that count it.
    pub(super) shares: Shares,
    /// The copies and guards that it may have, and does not say which ones.
    pub(super) unclaimed: Vec<Relation>,
}

impl Judged {
    /// The findings, and all records.
    pub(super) fn into_parts(self) -> (Vec<Finding>, Pack) {
        let mut records = self.records;
        self.shares.add_to(&mut records);
        (self.findings, records)
    }
}

/// The judgement of one unit alone.
pub(super) fn judge(scope: Scope<'_>, unit: &Unit) -> Judged {
    let mut judged = Judged::default();
    add_judgement(scope, unit, &mut judged);
    judged
}

/// Judges a unit, and adds the judgement to that of others.
pub(super) fn add_judgement(scope: Scope<'_>, unit: &Unit, judged: &mut Judged) {
    match unit {
        Unit::Unknown(item) => judged.findings.push(Finding {
            kind: FindingKind::UnknownItem,
            table: scope.name.to_owned(),
            key: scope.kinds.key_of(item),
            item: None,
            owner: None,
            line: None,
            message: nearest::unknown(scope, item),
        }),
        Unit::Entity(at, items) => {
            if let (Some(entity), Some(main)) = (scope.model.entities.get(*at), items.first()) {
                One::new(scope, (*at, entity), main).main(main, items, judged);
            }
        }
        Unit::Copy(at, number, item) => {
            one_item(scope, *at, Role::Copy(*number), item, judged);
        }
        Unit::Guard(at, number, item) => {
            one_item(scope, *at, Role::Guard(*number), item, judged);
        }
        Unit::Part(at, item) => {
            if let Some(entity) = scope.model.entities.get(*at) {
                let one = One::new(scope, (*at, entity), item);
                let found = one.of_list(FindingKind::PartForeign, "its first part is not stored");
                judged.findings.push(found);
            }
        }
    }
}

/// Judges a copy or a guard.
fn one_item(scope: Scope<'_>, at: usize, role: Role, item: &Item, judged: &mut Judged) {
    let Some(entity) = scope.model.entities.get(at) else {
        return;
    };
    let one = One::new(scope, (at, entity), item);
    let copy = match role {
        Role::Copy(number) => entity.copies.get(number),
        Role::Main | Role::Guard(_) => None,
    };
    let held: &[String] = copy.map_or(&[], |copy| &copy.attributes);
    one.side_item(scope.kinds.name(at, role), held, item, &mut judged.findings);
    let get = |name: &str| {
        if copy.is_none() {
            return item.get(name).map(encoded);
        }
        let stored = value_of(one.table, entity, copy, name, std::slice::from_ref(item));
        let stored = stored.unwrap_or_else(|_| item.get(name).cloned());
        stored.as_ref().map(encoded)
    };
    let key = key_bytes(&one.key());
    one.subject()
        .add_stored(role, &key, get, &mut judged.records);
}

fn encoded(value: &Value) -> Cow<'static, [u8]> {
    Cow::Owned(keyfold_codec::item::encode_value(value))
}

/// Whether an attribute is of the table's key, or declared.
pub(super) fn is_own(table: &Table, entity: &Entity, name: &str) -> bool {
    table.columns().any(|column| column.name == name) || entity.attribute(name).is_some()
}

/// The attributes of an entity's items that are compared with other items.
pub(super) fn kept_names(model: &Model, entity: &Entity) -> Vec<String> {
    let aggregates = entity.aggregates.iter();
    let names = aggregates.flat_map(|one| [one.attribute.clone(), one.items_attribute()]);
    let rows = rows::compared(model, entity).map(rows::kept);
    names.chain(rows.into_iter().flatten()).collect()
}

/// An item that is judged.
struct One<'s> {
    scope: Scope<'s>,
    at: usize,
    entity: &'s Entity,
    table: &'s Table,
    item: &'s Item,
}

impl<'s> One<'s> {
    fn new(scope: Scope<'s>, (at, entity): (usize, &'s Entity), item: &'s Item) -> One<'s> {
        One {
            scope,
            at,
            entity,
            table: scope.kinds.table,
            item,
        }
    }

    fn key(&self) -> Item {
        self.scope.kinds.key_of(self.item)
    }

    fn finding(&self, kind: FindingKind, line: ModelLine, message: String) -> Finding {
        Finding {
            kind,
            table: self.scope.name.to_owned(),
            key: self.key(),
            item: Some(self.entity.name.clone()),
            owner: None,
            line: Some(line),
            message,
        }
    }

    /// A finding about a part of the list.
    fn of_list(&self, kind: FindingKind, message: &str) -> Finding {
        let line = self.split_line();
        Finding {
            item: Some(part_name(self.entity)),
            ..self.finding(kind, line, message.to_owned())
        }
    }

    fn split_line(&self) -> ModelLine {
        let name = self.entity.split.as_ref().map_or("", |(name, _)| name);
        ModelLine::of_word(self.entity, "split", name)
    }

    fn subject(&self) -> Subject<'s> {
        Subject {
            scope: self.scope,
            at: self.at,
            entity: self.entity,
        }
    }

    /// Judges the main item of an entity with its parts.
    fn main(&self, main: &Item, items: &[Item], judged: &mut Judged) {
        let (values, mut broken) = self.values(items, &mut judged.findings);
        let mut of_key = self.entity.key.fields();
        if !of_key.any(|name| broken.iter().any(|one| one == name)) {
            let before = judged.findings.len();
            self.check_key(&values, &mut judged.findings);
            if judged.findings.len() > before {
                // Either the key is wrong, or the attributes are.
                broken.extend(self.entity.key.fields().map(str::to_owned));
            }
        }
        let is_broken = |name: &str| broken.iter().any(|one| one == name);
        let mut unmade = self.check_index_keys(main, &values, &is_broken, &mut judged.findings);
        self.check_type(&self.entity.name, main, &mut judged.findings);
        self.check_expiry(main, &values, &is_broken, &mut judged.findings);
        self.check_parts(items, &values, &is_broken, &mut judged.findings);
        self.check_changes(main, &mut judged.findings);
        if !self.entity.copies.is_empty() || !self.entity.uniques.is_empty() {
            let key = key_bytes(&self.key());
            let claims = self.subject().claims(&values, &is_broken);
            let records = &mut judged.records;
            self.subject().add_claimed(&key, &claims.made, records);
            let unclaimed = self.subject().unclaimed(&is_broken, &claims.unmade);
            judged.unclaimed.extend(unclaimed);
            unmade.extend(claims.unmade);
        }
        let unmade = by_cause(unmade).into_iter();
        let unmade = unmade.map(|one| self.finding(one.kind, one.line, one.message));
        judged.findings.extend(unmade);
        self.add_shares(main, (&values, &is_broken), &mut judged.shares);
        self.add_kept(main, &mut judged.records);
    }

    /// Adds what it gives to aggregates, and to the rows of views.
    fn add_shares(
        &self,
        main: &Item,
        (values, is_broken): (&Values, &dyn Fn(&str) -> bool),
        shares: &mut Shares,
    ) {
        let (counted, views) = (
            self.scope.kinds.counted(self.at),
            self.scope.forms.views_of(self.at),
        );
        if counted.is_empty() && views.is_empty() {
            return;
        }
        let columns = self.table.columns();
        let held = columns.filter_map(|column| main.get(&column.name));
        let key: Vec<u8> = held.flat_map(|held| encoded(held).into_owned()).collect();
        for used in views {
            let (model, kinds) = (self.scope.model, self.scope.kinds);
            // What cannot be read gives nothing to a view, and is a finding of its own.
            if let Some(values) = readable(model, kinds, main, &used.names) {
                shares.rows.add((model, used.view), &key, &values);
            }
        }
        if !counted.is_empty() {
            let source = (self.scope.model, counted);
            // Whoever wrote an item that says another kind may have counted it, or not.
            let is_stranger = says_another(self.table, &self.entity.name, main);
            let is_unknown = |aggregate: &Aggregate| {
                let mut deciding = aggregate.condition.iter().map(|(name, _)| name.as_str());
                let of = aggregate.of.as_deref();
                is_stranger || deciding.any(is_broken) || of.is_some_and(is_broken)
            };
            shares.add(source, key, (values, &is_unknown));
        }
    }

    /// Adds what it keeps of other items: aggregates, or the attributes of a row.
    fn add_kept(&self, main: &Item, records: &mut Pack) {
        let names = kept_names(self.scope.model, self.entity);
        if names.is_empty() {
            return;
        }
        let held = names.into_iter().filter_map(|name| {
            let held = main.get(&name)?.clone();
            Some((name, held))
        });
        let kept: Item = held.collect();
        let key = key_bytes(&self.key());
        let kept = stored_bytes(&RawItem::encode(&kept));
        self.subject()
            .add(RecordKind::Parent, (&key, &kept), (0, 0), records);
    }

    /// The values of the attributes, and the names of those that are absent or wrong.
    fn values<'i>(
        &self,
        items: &'i [Item],
        findings: &mut Vec<Finding>,
    ) -> (Cow<'i, Values>, Vec<String>) {
        // Most attributes are stored as they are: what is stored is copied only where it differs.
        let mut values = match items.first() {
            Some(main) => Cow::Borrowed(main.as_map()),
            None => Cow::Owned(Values::new()),
        };
        let mut broken = Vec::new();
        let mut in_keys = Vec::new();
        let is_aggregate = |attribute: &&Attribute| {
            let mut all = self.entity.aggregates.iter();
            all.any(|one| one.attribute == attribute.name)
        };
        let no_sum = |name: &str| without_sum(items.first()?, name);
        for attribute in self.entity.attributes.iter() {
            let name = attribute.name.as_str();
            let mut add = |kind, message| {
                findings.push(self.finding(kind, ModelLine::at(attribute.span), message));
                broken.push(name.to_owned());
            };
            let held = match self.held(name, items) {
                Ok(held) => held,
                Err(error) => {
                    values.to_mut().remove(name);
                    add(FindingKind::WrongType, error.to_string());
                    continue;
                }
            };
            match &held {
                // Aggregates are compared with the items.
                Some(_) if is_aggregate(&attribute) => {}
                Some(held) => {
                    if let Err(error) = value::check(name, &attribute.kind, held) {
                        let why = no_sum(name).unwrap_or_else(|| error.to_string());
                        add(FindingKind::WrongType, why);
                        in_keys.extend(Some(attribute).zip(self.in_keys(attribute, items)));
                    } else if let Some(by) = self.compared_unstored(name, items) {
                        let message =
                            format!("{name} is in a key only, and {by} compares what is stored");
                        add(FindingKind::MissingAttribute, message);
                    }
                }
                None if attribute.optional || is_aggregate(&attribute) => {}
                None => {
                    let why = items
                        .first()
                        .and_then(|main| unread(self.table, self.entity, None, name, main));
                    let why = why.map(|why| format!(": {why}"));
                    let why = why.or_else(|| self.absent_key(name)).unwrap_or_default();
                    let why = no_sum(name).unwrap_or_else(|| format!("{name} is missing{why}"));
                    add(FindingKind::MissingAttribute, why);
                }
            }
            if let Some(Cow::Owned(held)) = held {
                values.to_mut().insert(name.to_owned(), held);
            }
        }
        // Of an attribute that a key says, too, it is known what should follow from it.
        for (attribute, held) in in_keys {
            broken.retain(|name| *name != attribute.name);
            values.to_mut().insert(attribute.name.clone(), held);
        }
        (values, broken)
    }

    /// The absence of the keys of indexes that would give an attribute back, in words.
    fn absent_key(&self, name: &str) -> Option<String> {
        let keys = self.entity.indexes.iter().flat_map(|key| {
            let index = self.table.indexes.get(key.index).into_iter();
            let columns = index.flat_map(|index| index.columns());
            columns.zip(key.key.templates().flat_map(KeyTemplate::columns))
        });
        let mut giving =
            keys.filter(|(column, parts)| column.name != name && value::gives_back(parts, name));
        let (column, _) = giving.find(|(column, _)| self.item.get(&column.name).is_none())?;
        Some(format!(
            ", and so is {}, which would give it back",
            column.name
        ))
    }

    /// The value of an attribute that the keys of an item say, whatever is stored.
    fn in_keys(&self, attribute: &Attribute, items: &[Item]) -> Option<Value> {
        let mut main = items.first()?.clone();
        main.remove(&attribute.name);
        let main = std::slice::from_ref(&main);
        let held = value_of(self.table, self.entity, None, &attribute.name, main).ok()??;
        let checked = value::check(&attribute.name, &attribute.kind, &held);
        checked.is_ok().then_some(held)
    }

    /// The value of an attribute: as it is stored, or joined, unpacked or read back from a key.
    fn held<'i>(
        &self,
        name: &str,
        items: &'i [Item],
    ) -> Result<Option<Cow<'i, Value>>, Unreadable> {
        let entity = self.entity;
        let is_split = entity
            .split
            .as_ref()
            .is_some_and(|(split, _)| split == name);
        let is_plain = !is_split && !entity.compressed.iter().any(|one| one == name);
        let stored = items.first().filter(|_| is_plain);
        if let Some(held) = stored.and_then(|main| main.get(name)) {
            return Ok(Some(Cow::Borrowed(held)));
        }
        let held = value_of(self.table, entity, None, name, items)?;
        Ok(held.map(Cow::Owned))
    }

    /// The pattern or write whose conditions do not see an attribute, because the item has it only
    /// inside a key.
    fn compared_unstored(&self, name: &str, items: &[Item]) -> Option<&'s str> {
        let is_stored = items.first().is_none_or(|main| main.get(name).is_some());
        if is_stored || self.entity.unstored.iter().any(|one| one == name) {
            return None;
        }
        self.scope.forms.comparing((self.at, name))
    }

    fn check_key(&self, values: &Values, findings: &mut Vec<Finding>) {
        let line = || ModelLine::at(self.entity.key.span);
        let mut add = |message| findings.push(self.finding(FindingKind::Key, line(), message));
        match Place::of(self.scope.model, self.entity, values) {
            Ok(place) if place.key != self.key() => {
                add(format!("its attributes make the key {}", show(&place.key)));
            }
            Ok(place) if place.table_name != self.scope.name => {
                add(format!("its attributes belong into {}", place.table_name));
            }
            Ok(_) => {}
            Err(error) => add(format!("its attributes make no key: {error}")),
        }
    }

    /// Compares the key attributes of indexes with those that follow from the attributes. Returns the
    /// keys that cannot be made of them.
    fn check_index_keys(
        &self,
        main: &Item,
        values: &Values,
        is_broken: &dyn Fn(&str) -> bool,
        findings: &mut Vec<Finding>,
    ) -> Vec<Unmade> {
        let mut unmade = Vec::new();
        let mut expected: Vec<(&str, Value)> = Vec::new();
        let mut skipped: Vec<usize> = Vec::new();
        for one in &self.entity.indexes {
            let decides = one.sparse.iter().map(|sparse| sparse.attribute.as_str());
            if one.key.fields().chain(decides).any(is_broken) {
                skipped.push(one.index);
                continue;
            }
            let made = derive::index_columns(self.table, one, values);
            let made = made.and_then(|made| self.of_length(one, made, values));
            match made {
                Ok(made) => expected.extend(made),
                Err(error) => {
                    skipped.push(one.index);
                    let index = self.table.indexes.get(one.index);
                    unmade.push(Unmade {
                        kind: FindingKind::IndexKey,
                        line: ModelLine::at(one.key.span),
                        message: format!("its attributes make no key: {error}"),
                        what: index.map_or_else(String::new, |index| index.name.clone()),
                        cause: cause_of(&error, values),
                        role: None,
                    });
                }
            }
        }
        let mut seen: Vec<&str> = Vec::new();
        for (at, index) in self.table.indexes.iter().enumerate() {
            if skipped.contains(&at) {
                seen.extend(index.columns().map(|column| column.name.as_str()));
            }
        }
        for (at, index) in self.table.indexes.iter().enumerate() {
            let mut wrong = Vec::new();
            let columns = || index.columns().map(|column| column.name.as_str());
            let is_made = |name: &str| expected.iter().any(|(made, _)| *made == name);
            let is_inside = columns().all(|name| values.contains_key(name) || is_made(name));
            for name in columns() {
                if self.is_own(name) {
                    // The index holds what is stored, and not what is read back from a key.
                    let value = values.get(name).filter(|_| main.get(name).is_none());
                    let value = value.filter(|_| is_inside);
                    wrong.extend(value.and_then(|value| difference(name, Some(value), None)));
                    continue;
                }
                if seen.contains(&name) {
                    continue;
                }
                seen.push(name);
                // Of two templates that make an attribute, the last one counts.
                let made = expected.iter().rfind(|(made, _)| *made == name);
                wrong.extend(difference(name, made.map(|(_, made)| made), main.get(name)));
            }
            if !wrong.is_empty() {
                let line = self.entity.indexes.iter().find(|one| one.index == at);
                let span = line.map_or(index.span, |one| one.key.span);
                let message = format!("{}: {}", index.name, wrong.join("; "));
                findings.push(self.finding(FindingKind::IndexKey, ModelLine::at(span), message));
            }
        }
        unmade
    }

    /// The key attributes of an index, unless they make a key that is too long to be stored.
    fn of_length<'k>(
        &self,
        one: &IndexKey,
        made: Vec<(&'k str, Value)>,
        values: &Values,
    ) -> Result<Vec<(&'k str, Value)>, ClientError> {
        let columns = self.table.indexes.get(one.index).into_iter();
        let columns = columns.flat_map(|index| index.columns());
        let held = columns.filter_map(|column| {
            let name = column.name.as_str();
            let of_key = made.iter().find(|(made, _)| *made == name);
            let held = of_key.map(|(_, held)| held).or_else(|| values.get(name));
            let held = held.or_else(|| self.item.get(name))?;
            Some((column.name.clone(), held.clone()))
        });
        let held: Item = held.collect();
        let own = (&self.entity.key, self.entity.indexes.as_slice());
        lengths::check_index((self.table, one.index), &self.entity.name, own, &held)?;
        Ok(made)
    }

    fn is_own(&self, name: &str) -> bool {
        is_own(self.table, self.entity, name)
    }

    /// Compares the table's attribute of types.
    fn check_type(&self, kind: &str, item: &Item, findings: &mut Vec<Finding>) {
        let Some(name) = &self.table.type_attribute else {
            return;
        };
        let held = item.get(name);
        if matches!(held, Some(Value::S(text)) if text == kind) {
            return;
        }
        let wrong = difference(name, Some(&Value::from(kind)), held);
        let line = ModelLine::at(self.table.span);
        findings.extend(wrong.map(|text| self.finding(FindingKind::Hidden, line, text)));
    }

    /// Compares the time of expiry.
    fn check_expiry(
        &self,
        main: &Item,
        values: &Values,
        is_broken: &dyn Fn(&str) -> bool,
        findings: &mut Vec<Finding>,
    ) {
        let Some(name) = &self.table.ttl_attribute else {
            return;
        };
        let from = self.entity.ttl.as_deref();
        if from.is_some_and(is_broken) || (from.is_none() && self.is_own(name)) {
            return;
        }
        let at = from
            .and_then(|name| values.get(name))
            .and_then(value::epoch_seconds)
            .map(Value::from);
        let line = match from {
            Some(from) => ModelLine::of_word(self.entity, "ttl", from),
            None => ModelLine::at(self.table.span),
        };
        let wrong = difference(name, at.as_ref(), main.get(name));
        findings.extend(wrong.map(|text| self.finding(FindingKind::Hidden, line, text)));
    }

    /// Checks the attributes that count changes: a write adds to them.
    fn check_changes(&self, main: &Item, findings: &mut Vec<Finding>) {
        let aggregates = self.entity.aggregates.iter();
        for aggregate in aggregates.filter(|one| one.kind == AggregateKind::Max) {
            let name = aggregate.changes_attribute();
            if let Some(held) = main.get(&name)
                && !matches!(held, Value::N(_))
            {
                let line = ModelLine::of_word(self.entity, "max", &aggregate.attribute);
                let message = format!("{name} is no number: {}", of_its_type(held));
                findings.push(self.finding(FindingKind::Hidden, line, message));
            }
        }
    }

    /// Compares the parts of the list with what the main item says of them.
    fn check_parts(
        &self,
        items: &[Item],
        values: &Values,
        is_broken: &dyn Fn(&str) -> bool,
        findings: &mut Vec<Finding>,
    ) {
        let (Some((list, _)), Some(main)) = (&self.entity.split, items.first()) else {
            return;
        };
        let wrong = |text: String| self.finding(FindingKind::Hidden, self.split_line(), text);
        let (count_name, digest_name) = (parts_attribute(list), digest_attribute(list));
        let count = match (values.get(list), main.get(&count_name)) {
            (None, None) => 0,
            (_, Some(Value::N(number))) if number.to_i64().is_some_and(|count| count > 0) => {
                usize::try_from(number.to_i64().unwrap_or(0)).unwrap_or(0)
            }
            (_, held) => {
                let held = held.map_or("missing".to_owned(), of_its_type);
                findings
                    .extend((!is_broken(list)).then(|| wrong(format!("{count_name} is {held}"))));
                return;
            }
        };
        let number_of = |item: &Item| {
            let kind = self.scope.kinds.kind_of(item)?;
            kind.part_of(self.table, item).map(|(_, number)| number)
        };
        let stored: Vec<(usize, &Item)> = items
            .iter()
            .filter_map(|item| Some((number_of(item)?, item)))
            .collect();
        let before = findings.len();
        for number in (1..count).filter(|one| !stored.iter().any(|(held, _)| held == one)) {
            let missing = Finding {
                key: self.part_key(number),
                owner: Some(self.key()),
                ..self.of_list(
                    FindingKind::PartMissing,
                    &format!("part {number} of {count}"),
                )
            };
            findings.push(missing);
        }
        for (number, item) in stored.iter().skip(1) {
            let part = One::new(self.scope, (self.at, self.entity), item);
            if *number >= count {
                let text = format!("the list has {count} items");
                findings.push(part.of_list(FindingKind::PartForeign, &text));
            } else {
                let name = part_name(self.entity);
                part.side_item(&name, std::slice::from_ref(list), item, findings);
            }
        }
        // A list that cannot be read is a finding of its own.
        if findings.len() > before || is_broken(list) {
            return;
        }
        let is_digest_right = match values.get(list) {
            Some(_) => is_as_written(self.entity, main, values),
            None => main.get(&digest_name).is_none(),
        };
        if !is_digest_right {
            let text = format!("{digest_name} is not that of the list in {count} items");
            findings.push(wrong(text));
        }
    }

    /// The key of a part: that of the main item with another number.
    fn part_key(&self, number: usize) -> Item {
        let mut key = self.key();
        if let Some(column) = &self.table.sort
            && let Some(Value::S(text)) = key.get_mut(&column.name)
        {
            text.truncate(text.len().saturating_sub(CHUNK_DIGITS));
            text.push_str(&format!("{number:0CHUNK_DIGITS$}"));
        }
        key
    }

    /// Judges what the model keeps in an item beside the main one.
    fn side_item(&self, name: &str, held: &[String], item: &Item, findings: &mut Vec<Finding>) {
        let from = findings.len();
        self.check_type(name, item, findings);
        let is_own = |name: &str| {
            self.table.columns().any(|column| column.name == name)
                || held.iter().any(|one| one == name)
        };
        for index in &self.table.indexes {
            let names = index.columns().map(|column| column.name.as_str());
            let found: Vec<&str> = names
                .filter(|name| !is_own(name) && item.get(name).is_some())
                .collect();
            if let [_, ..] = found.as_slice() {
                let text = format!("{}: it has {}", index.name, found.join(", "));
                let line = ModelLine::at(index.span);
                findings.push(self.finding(FindingKind::IndexKey, line, text));
            }
        }
        if let Some(expires) = &self.table.ttl_attribute
            && !is_own(expires)
            && item.get(expires).is_some()
        {
            let line = ModelLine::at(self.table.span);
            let text = format!("it has {expires}, and would expire without its entity");
            findings.push(self.finding(FindingKind::Hidden, line, text));
        }
        for one in findings.iter_mut().skip(from) {
            one.item = Some(name.to_owned());
        }
    }
}
