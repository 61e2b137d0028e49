//! From stored items to what they are: kinds told by keys, split lists put together.

use super::condition::print;
use super::request::one_page;
use super::{FoundItem, Question, Raw};
use crate::arguments::Values;
use crate::error::ClientError;
use crate::stored::{digest_attribute, is_as_written, values_of};
use keyfold_model::language::Language;
use keyfold_model::template::{CHUNK_DIGITS, Part};
use keyfold_model::{Entity, KeyTemplate, Model, Pattern, PatternPlan, Table};
use keyfold_types::{Item, Value};

/// The kinds of items that a pattern returns, ready to be told apart.
pub(super) struct Kinds<'m> {
    table: &'m Table,
    kinds: Vec<Kind<'m>>,
}

struct Kind<'m> {
    name: String,
    entity: &'m Entity,
    attributes: Vec<&'m str>,
    partition: Matcher,
    sort: Option<Matcher>,
    /// The sort key ends with the number of a part.
    is_split: bool,
}

impl Kind<'_> {
    /// The split list, if it is asked for.
    fn list(&self) -> Option<&str> {
        let (split, _) = self.entity.split.as_ref()?;
        self.attributes
            .iter()
            .find(|name| **name == split.as_str())
            .copied()
    }
}

/// Tells whether a template can have made a key.
enum Matcher {
    /// Any value of this type: the attribute itself is the key.
    Any,
    Texts(Language),
}

impl Matcher {
    fn new(template: &KeyTemplate, table: &Table) -> Matcher {
        if template.is_bare() {
            Matcher::Any
        } else {
            Matcher::Texts(template.language(&table.delimiters))
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
            let copy = returned.copy.and_then(|at| entity.copies.get(at));
            let (name, key, all): (String, _, Vec<&str>) = match copy {
                Some(copy) => (
                    format!("{}.{}", entity.name, copy.name),
                    &copy.key,
                    copy.attributes.iter().map(String::as_str).collect(),
                ),
                None => (
                    entity.name.clone(),
                    &entity.key,
                    entity
                        .attributes
                        .iter()
                        .map(|attribute| attribute.name.as_str())
                        .collect(),
                ),
            };
            let is_asked = |name: &&str| {
                pattern.only.is_empty() || pattern.only.iter().any(|only| only == name)
            };
            let ends_with_part = key
                .sort
                .as_ref()
                .is_some_and(|sort| matches!(sort.parts.last(), Some(Part::Chunk)));
            Some(Kind {
                name,
                entity,
                attributes: all.into_iter().filter(is_asked).collect(),
                partition: Matcher::new(&key.partition, table),
                sort: key.sort.as_ref().map(|sort| Matcher::new(sort, table)),
                is_split: copy.is_none() && ends_with_part && plan.index.is_none(),
            })
        });
        Kinds {
            table,
            kinds: kinds.collect(),
        }
    }

    /// Whether an item may be several.
    pub(super) fn is_split(&self) -> bool {
        self.kinds.iter().any(|kind| kind.is_split)
    }

    /// The attributes by which the lists that are put together are told to be whole.
    pub(super) fn digests(&self) -> impl Iterator<Item = String> {
        let split = self
            .kinds
            .iter()
            .filter(|kind| kind.is_split)
            .filter_map(Kind::list);
        split.map(digest_attribute)
    }

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

    /// The sort key without the number of the part, and that number; `None` for an item that is
    /// whole.
    fn part_of<'i>(&self, item: &'i Item) -> Option<(&'i str, &'i str)> {
        let kind = self.kind_of(item)?;
        let column = self.table.sort.as_ref().filter(|_| kind.is_split)?;
        match item.get(&column.name) {
            Some(Value::S(text)) => text.split_at_checked(text.len().checked_sub(CHUNK_DIGITS)?),
            _ => None,
        }
    }

    /// The items that belong together, as ranges: the parts of one lie side by side, which the
    /// compiler has proved.
    pub(super) fn groups(&self, items: &[Item]) -> Vec<std::ops::Range<usize>> {
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

    /// What the items are; none when parts of a list do not belong together. In a scan, items that
    /// are something else are left out; elsewhere there are none.
    pub(super) fn found(
        &self,
        pattern: &Pattern,
        items: Vec<Item>,
        is_scan: bool,
    ) -> Result<Option<Vec<FoundItem>>, ClientError> {
        let mut found = Vec::new();
        for group in self.groups(&items) {
            let Some(members) = items.get(group) else {
                continue;
            };
            let Some(first) = members.first() else {
                continue;
            };
            let Some(kind) = self.kind_of(first) else {
                if is_scan {
                    continue;
                }
                return Err(unknown(pattern, first));
            };
            let mut ordered: Vec<Item> = members.to_vec();
            ordered.sort_by(|one, two| {
                self.part_of(one)
                    .map(|(_, n)| n)
                    .cmp(&self.part_of(two).map(|(_, n)| n))
            });
            let mut values = values_of(kind.entity, kind.attributes.iter().copied(), &ordered)?;
            if kind.is_split && !self.is_whole(kind, &ordered, &values) {
                return Ok(None);
            }
            let attributes = kind
                .attributes
                .iter()
                .filter_map(|name| Some(((*name).to_owned(), values.remove(*name)?)))
                .collect();
            found.push(FoundItem {
                kind: kind.name.clone(),
                attributes,
            });
        }
        Ok(Some(found))
    }

    /// Whether the parts of an item are all of it: they begin with the first, and where the list is
    /// asked for, it is the one that was written.
    fn is_whole(&self, kind: &Kind<'_>, parts: &[Item], values: &Values) -> bool {
        let Some(first) = parts.first() else {
            return false;
        };
        let begins = self
            .part_of(first)
            .is_some_and(|(_, number)| number.bytes().all(|digit| digit == b'0'));
        begins && (kind.list().is_none() || is_as_written(kind.entity, first, values))
    }
}

fn unknown(pattern: &Pattern, item: &Item) -> ClientError {
    let key: Vec<String> = item
        .iter()
        .take(2)
        .map(|(name, value)| print(name, " = ", value))
        .collect();
    ClientError::Refused(format!(
        "{} found an item that the model does not know ({}): it was not written through the model",
        pattern.name,
        key.join(", ")
    ))
}

/// Reads until as many whole items are there as a page holds.
pub(super) fn whole_items(
    question: &Question<'_>,
    kinds: &Kinds<'_>,
    after: Option<Item>,
) -> Result<Raw, ClientError> {
    let mut raw = Raw::default();
    let mut after = after;
    let limit = question
        .limit
        .map(|limit| usize::try_from(limit).unwrap_or(usize::MAX));
    loop {
        let page = one_page(question, &question.arguments, after.take(), None)?;
        let next = page.next.clone();
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
            raw.next = raw.items.last().map(|item| cursor(question, item));
            return Ok(raw);
        }
        match next {
            Some(key) => after = Some(key),
            None => return Ok(raw),
        }
    }
}

/// The key behind which a page goes on.
pub(super) fn cursor(question: &Question<'_>, item: &Item) -> Item {
    let table = question.table;
    let own =
        std::iter::once(&table.partition.name).chain(table.sort.iter().map(|column| &column.name));
    let index = question
        .plan
        .partition_attributes
        .iter()
        .chain(&question.plan.sort_attributes);
    let mut key = Item::new();
    for name in own.chain(index) {
        if let Some(value) = item.get(name) {
            key.insert(name.as_str(), value.clone());
        }
    }
    key
}
