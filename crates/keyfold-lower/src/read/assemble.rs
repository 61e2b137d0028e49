//! From stored items to the model's: keys distinguish the kinds, of which an item may say another name;
//! split lists are joined.

use super::answer::{FoundItem, Raw};
use super::cursor;
use super::places::Places;
use super::question::Question;
use super::request::one_page;
use crate::arguments::Values;
use crate::error::ClientError;
use crate::kind_name::{kind_name, part_name, says_another, unknown_item};
use crate::stored::{
    check_type, check_types, digest_attribute, is_as_written, value_in, values_of,
};
use crate::unknown::{OnUnknown, UnknownItem, key_of, shown_key, unwritten};
use keyfold_model::language::Language;
use keyfold_model::schema::{Attribute, Copy, Returned};
use keyfold_model::template::{CHUNK_DIGITS, Part};
use keyfold_model::{Entity, KeyTemplate, Model, Pattern, PatternPlan, Table};
use keyfold_types::{Item, Value};
use std::borrow::Cow;

/// The kinds of items that a pattern returns, with what distinguishes them.
pub(super) struct Kinds<'m> {
    table: &'m Table,
    kinds: Vec<Kind<'m>>,
    on_unknown: OnUnknown,
    only_first: bool,
}

struct Kind<'m> {
    name: String,
    /// The name that its items hold in the table's attribute of types, and that of a list's further parts.
    type_names: [String; 2],
    entity: &'m Entity,
    copy: Option<&'m Copy>,
    /// The attributes that are answered, in the order of their declaration.
    attributes: Vec<&'m Attribute>,
    partition: Matcher,
    sort: Option<Matcher>,
    /// Whether the sort key ends with the number of a part.
    is_split: bool,
    /// The index that is read; `None` for the table.
    index: Option<String>,
}

impl<'m> Kind<'m> {
    fn of(
        model: &Model,
        entity: &'m Entity,
        returned: &Returned,
        pattern: &Pattern,
        plan: &PatternPlan,
    ) -> Kind<'m> {
        let copy: Option<&'m Copy> = returned.copy.and_then(|at| entity.copies.get(at));
        let key = copy.map_or(&entity.key, |copy| &copy.key);
        let is_asked = |attribute: &&Attribute| {
            pattern.only.is_empty() || pattern.only.contains(&attribute.name)
        };
        let attributes: Vec<&Attribute> = match copy {
            Some(copy) => {
                let names = copy.attributes.iter();
                names.filter_map(|name| entity.attribute(name)).collect()
            }
            None => entity.attributes.iter().collect(),
        };
        let ends_with_part = key
            .sort
            .as_ref()
            .is_some_and(|sort| matches!(sort.parts.last(), Some(Part::Chunk)));
        Kind {
            name: model.name_of(returned),
            type_names: [kind_name(entity, copy), part_name(entity)],
            entity,
            copy,
            attributes: attributes.into_iter().filter(is_asked).collect(),
            partition: Matcher::new(&key.partition),
            sort: key.sort.as_ref().map(Matcher::new),
            is_split: copy.is_none() && ends_with_part && plan.index.is_none(),
            index: plan.index.clone(),
        }
    }

    /// Whether an item whose key is that of this kind says that it is of another one.
    fn is_denied_by(&self, table: &Table, item: &Item) -> bool {
        let [main, part] = &self.type_names;
        let name = match self.part_of(table, item) {
            Some((_, number)) if !is_first(number) => part,
            Some(_) | None => main,
        };
        says_another(table, name, item)
    }

    /// The sort key without the number of the part, and that number; `None` for an item that is no
    /// part.
    fn part_of<'i>(&self, table: &Table, item: &'i Item) -> Option<(&'i str, &'i str)> {
        let column = table.sort.as_ref().filter(|_| self.is_split)?;
        match item.get(&column.name) {
            Some(Value::S(text)) => text.split_at_checked(text.len().checked_sub(CHUNK_DIGITS)?),
            _ => None,
        }
    }

    /// Refuses an item without an attribute that every item of its kind has: an answer without it
    /// would be taken for the whole.
    fn check_required(
        &self,
        pattern: &Pattern,
        (table, item): (&Table, &Item),
        mut has: impl FnMut(&Attribute) -> bool,
    ) -> Result<(), ClientError> {
        let is_missing =
            |attribute: &&&Attribute| !has(attribute) && self.entity.always_has(attribute);
        let Some(missing) = self.attributes.iter().find(is_missing) else {
            return Ok(());
        };
        let missing = &missing.name;
        let place = match &self.index {
            None => "which is neither stored nor in a key".to_owned(),
            Some(index) => {
                format!("which {index} holds for it neither as an attribute nor in a key")
            }
        };
        let unknown = UnknownItem::because(format!(
            "{} found an item of {} without `{missing}`, {place} ({}): {}",
            pattern.name,
            self.name,
            shown_key(table, item),
            unwritten(self.entity, item, missing)
        ));
        let unknown = unknown.at(key_of(table, item));
        Err(ClientError::unknown(unknown.of(&self.name, missing)))
    }

    /// The split list, if the pattern returns it.
    fn list(&self) -> Option<&str> {
        let (split, _) = self.entity.split.as_ref()?;
        let mut names = self.attributes.iter().map(|one| one.name.as_str());
        names.find(|name| name == split)
    }
}

/// The key attributes that a template can make.
enum Matcher {
    /// Any value: the attribute itself is the key.
    Any,
    /// The texts of the template.
    Texts(Language),
}

impl Matcher {
    fn new(template: &KeyTemplate) -> Matcher {
        if template.is_bare() {
            Matcher::Any
        } else {
            Matcher::Texts(template.language())
        }
    }

    fn fits(&self, value: Option<&Value>) -> bool {
        match (self, value) {
            (Matcher::Any, Some(_)) => true,
            (Matcher::Texts(language), Some(Value::S(text))) => language.accepts(text),
            (Matcher::Texts(_), Some(_)) | (_, None) => false,
        }
    }
}

impl<'m> Kinds<'m> {
    pub(super) fn of(
        model: &'m Model,
        pattern: &'m Pattern,
        plan: &PatternPlan,
        table: &'m Table,
    ) -> Kinds<'m> {
        let kinds = pattern.returned.iter().filter_map(|returned| {
            let entity = model.entities.get(returned.entity)?;
            Some(Kind::of(model, entity, returned, pattern, plan))
        });
        Kinds {
            table,
            kinds: kinds.collect(),
            on_unknown: OnUnknown::Error,
            only_first: false,
        }
    }

    /// The kind of one returned item.
    pub(super) fn of_one(
        model: &'m Model,
        pattern: &Pattern,
        returned: &Returned,
        plan: &PatternPlan,
        table: &'m Table,
    ) -> Kinds<'m> {
        let entity = model.entities.get(returned.entity);
        let kind = entity.map(|entity| Kind::of(model, entity, returned, pattern, plan));
        Kinds {
            table,
            kinds: kind.into_iter().collect(),
            on_unknown: OnUnknown::Error,
            only_first: false,
        }
    }

    /// The same kinds, where an item of none of them is an error or is left out.
    pub(super) fn on_unknown(self, on_unknown: OnUnknown) -> Kinds<'m> {
        Kinds { on_unknown, ..self }
    }

    /// The same kinds, where items behind the first one of a page do not matter.
    pub(super) fn only_first(self, only_first: bool) -> Kinds<'m> {
        Kinds { only_first, ..self }
    }

    /// What becomes of an item that the model does not know, behind those that were found.
    fn unknown_behind(&self, found: &[FoundItem]) -> OnUnknown {
        match self.only_first && !found.is_empty() {
            true => OnUnknown::Skip,
            false => self.on_unknown,
        }
    }

    /// The entity or the copy, where the pattern returns only one kind.
    pub(super) fn only(&self) -> Option<(&'m Entity, Option<&'m Copy>)> {
        match self.kinds.as_slice() {
            [one] => Some((one.entity, one.copy)),
            [] | [_, _, ..] => None,
        }
    }

    /// Whether an entity may be stored as several items.
    pub(super) fn is_split(&self) -> bool {
        self.kinds.iter().any(|kind| kind.is_split)
    }

    /// The digest attributes of the split lists, which show whether all parts belong together.
    pub(super) fn digests(&self) -> impl Iterator<Item = String> {
        let split = self
            .kinds
            .iter()
            .filter(|kind| kind.is_split)
            .filter_map(Kind::list);
        split.map(digest_attribute)
    }

    /// The kind that has an item's key: the compiler proves that they are disjoint.
    fn kind_of(&self, item: &Item) -> Option<&Kind<'m>> {
        let partition = item.get(&self.table.partition.name);
        let sort = self
            .table
            .sort
            .as_ref()
            .map(|column| item.get(&column.name));
        self.kinds.iter().find(|kind| {
            kind.partition.fits(partition)
                && match (&kind.sort, sort) {
                    (Some(matcher), Some(value)) => matcher.fits(value),
                    (None, _) => true,
                    (Some(_), None) => false,
                }
        })
    }

    /// The first of the items of one entity or copy that says that it is of another kind.
    fn stranger<'i>(&self, kind: &Kind<'_>, members: &'i [Item]) -> Option<&'i Item> {
        let mut members = members.iter();
        members.find(|item| kind.is_denied_by(self.table, item))
    }

    /// The sort key without the number of the part, and that number; `None` for an item that is no
    /// part.
    fn part_of<'i>(&self, item: &'i Item) -> Option<(&'i str, &'i str)> {
        self.kind_of(item)?.part_of(self.table, item)
    }

    /// The items that belong together, as ranges. The parts of one entity lie side by side: the
    /// compiler proves it.
    pub(super) fn groups(&self, items: &[Item]) -> Vec<std::ops::Range<usize>> {
        if !self.is_split() {
            return (0..items.len()).map(|at| at..at + 1).collect();
        }
        let mut groups: Vec<std::ops::Range<usize>> = Vec::new();
        let mut open: Option<(Option<&Value>, &str)> = None;
        for (at, item) in items.iter().enumerate() {
            let part = self
                .part_of(item)
                .map(|(start, _)| (item.get(&self.table.partition.name), start));
            match groups.last_mut() {
                Some(group) if part.is_some() && part == open => group.end = at + 1,
                _ => groups.push(at..at + 1),
            }
            open = part;
        }
        groups
    }

    /// The main item of an entity among its parts.
    pub(super) fn main_of<'i>(&self, members: &'i [Item]) -> Option<&'i Item> {
        members
            .iter()
            .min_by_key(|item| self.part_of(item).map(|(_, number)| number))
    }

    /// The items with their kinds; `None` when parts of a list do not belong together. A scan skips
    /// items of other kinds; elsewhere they are an error unless the caller leaves them out.
    ///
    /// # Errors
    /// `UnknownItem` for an item of no kind or that says another one, and for attributes that the model
    /// did not store.
    pub(super) fn found(
        &self,
        pattern: &Pattern,
        items: Vec<Item>,
        is_scan: bool,
    ) -> Result<Option<Vec<FoundItem>>, ClientError> {
        let mut found = Vec::new();
        if !self.is_split() {
            for item in items {
                let unknown = self.unknown_behind(&found);
                let kind = self.known(pattern, std::slice::from_ref(&item), (is_scan, unknown))?;
                let whole = kind.map(|kind| self.whole(pattern, kind, item));
                found.extend(
                    whole
                        .map(|whole| answered(whole, unknown))
                        .transpose()?
                        .flatten(),
                );
            }
            return Ok(Some(found));
        }
        for group in self.groups(&items) {
            let members = items.get(group).unwrap_or_default();
            let unknown = self.unknown_behind(&found);
            let Some(kind) = self.known(pattern, members, (is_scan, unknown))? else {
                continue;
            };
            match answered(self.assembled(pattern, kind, members), unknown)? {
                Some(Some(item)) => found.push(item),
                Some(None) => return Ok(None),
                None => {}
            }
        }
        Ok(Some(found))
    }

    /// The kind of an entity's items; `None` for what is left out.
    fn known(
        &self,
        pattern: &Pattern,
        members: &[Item],
        (is_scan, unknown): (bool, OnUnknown),
    ) -> Result<Option<&Kind<'m>>, ClientError> {
        let Some(first) = members.first() else {
            return Ok(None);
        };
        let kind = self.kind_of(first);
        let stranger = match kind {
            Some(kind) => self.stranger(kind, members),
            None => Some(first),
        };
        match stranger {
            None => Ok(kind),
            Some(_) if is_scan || unknown == OnUnknown::Skip => Ok(None),
            Some(stranger) => {
                let found = format!("{} found", pattern.name);
                Err(unknown_item(&found, self.table, stranger))
            }
        }
    }

    /// An item of a kind that is stored as one item. Its values are moved: an answer has many.
    fn whole(
        &self,
        pattern: &Pattern,
        kind: &Kind<'_>,
        item: Item,
    ) -> Result<FoundItem, ClientError> {
        let place = (self.table, &item);
        let mut held = Vec::with_capacity(kind.attributes.len());
        for attribute in &kind.attributes {
            let value = value_in(self.table, kind.entity, kind.copy, &attribute.name, &item);
            let value =
                value.map_err(|wrong| wrong.error((self.table, kind.entity), kind.copy, &item))?;
            held.extend(value.map(|value| (*attribute, value)));
        }
        let mut present = held.iter().map(|(attribute, _)| *attribute).peekable();
        kind.check_required(pattern, place, |attribute| {
            present
                .next_if(|next| std::ptr::eq(*next, attribute))
                .is_some()
        })?;
        for (attribute, value) in &held {
            let found = || format!("{} found an item of {}", pattern.name, kind.name);
            check_type((attribute, value), (kind.entity, &kind.name), place, found)?;
        }
        let mut made = Vec::with_capacity(held.len());
        for (attribute, value) in held {
            made.push(match value {
                Cow::Borrowed(_) => (attribute, None),
                Cow::Owned(value) => (attribute, Some(value)),
            });
        }
        let mut stored = item.into_map();
        let attributes = made
            .into_iter()
            .filter_map(|(attribute, value)| match value {
                Some(value) => Some((attribute.name.clone(), value)),
                None => stored.remove_entry(&attribute.name),
            });
        Ok(FoundItem {
            kind: kind.name.clone(),
            attributes: attributes.collect(),
        })
    }

    /// An item of a kind, of its parts; `None` when they do not belong together.
    fn assembled(
        &self,
        pattern: &Pattern,
        kind: &Kind<'_>,
        members: &[Item],
    ) -> Result<Option<FoundItem>, ClientError> {
        let ordered = self.in_order(kind, members);
        let names = kind.attributes.iter().map(|one| one.name.as_str());
        let mut values = values_of(self.table, kind.entity, kind.copy, names, &ordered)?;
        if kind.is_split && !self.is_complete(kind, &ordered, &values) {
            return Ok(None);
        }
        if let Some(first) = members.first() {
            kind.check_required(pattern, (self.table, first), |attribute| {
                values.contains_key(&attribute.name)
            })?;
            let found = || format!("{} found an item of {}", pattern.name, kind.name);
            let of = (self.table, kind.entity);
            check_types(of, &kind.name, &values, first, found)?;
        }
        let attributes = kind
            .attributes
            .iter()
            .filter_map(|attribute| values.remove_entry(&attribute.name));
        Ok(Some(FoundItem {
            kind: kind.name.clone(),
            attributes: attributes.collect(),
        }))
    }

    /// The items of an entity by the numbers of its parts; an entity that has no parts is one item.
    fn in_order<'i>(&self, kind: &Kind<'_>, members: &'i [Item]) -> Cow<'i, [Item]> {
        if !kind.is_split {
            return members.into();
        }
        let mut ordered = members.to_vec();
        ordered.sort_by(|one, two| {
            self.part_of(one)
                .map(|(_, n)| n)
                .cmp(&self.part_of(two).map(|(_, n)| n))
        });
        ordered.into()
    }

    /// Whether the parts of an entity are complete: they begin with the first, and where the pattern
    /// returns the list, its digest is the stored one.
    fn is_complete(&self, kind: &Kind<'_>, parts: &[Item], values: &Values) -> bool {
        let Some(first) = parts.first() else {
            return false;
        };
        let begins = self
            .part_of(first)
            .is_some_and(|(_, number)| is_first(number));
        begins && (kind.list().is_none() || is_as_written(kind.entity, first, values))
    }
}

/// What was read; `None` for an item that the model did not store, where such are left out.
fn answered<T>(read: Result<T, ClientError>, unknown: OnUnknown) -> Result<Option<T>, ClientError> {
    match read {
        Err(ClientError::UnknownItem(_)) if unknown == OnUnknown::Skip => Ok(None),
        read => read.map(Some),
    }
}

/// Whether the number of a part is that of the first one, the main item.
fn is_first(number: &str) -> bool {
    number.bytes().all(|digit| digit == b'0')
}

/// Reads until the page has its limit of entities with all their parts.
pub(super) async fn split_entities(
    question: &Question<'_>,
    kinds: &Kinds<'_>,
    after: Option<Item>,
) -> Result<Raw, ClientError> {
    let mut raw = Raw::default();
    let mut after = after;
    let limit = question
        .limit
        .map(|limit| usize::try_from(limit).unwrap_or(usize::MAX));
    let mut places = Places::default();
    loop {
        let page = one_page(question, &question.arguments, after.take(), None).await?;
        let next = page.next.clone();
        places.go_on(question.name, next.as_ref())?;
        raw.add(page);
        let groups = kinds.groups(&raw.items);
        let complete = if next.is_some() {
            groups.len().saturating_sub(1)
        } else {
            groups.len()
        };
        if let Some(limit) =
            limit.filter(|limit| complete > *limit || (complete == *limit && next.is_some()))
            && let Some(last) = groups.get(limit - 1)
        {
            raw.items.truncate(last.end);
            raw.next = raw.items.last().map(|item| cursor::of_item(question, item));
            return Ok(raw);
        }
        match next {
            Some(key) => after = Some(key),
            None => return Ok(raw),
        }
    }
}
