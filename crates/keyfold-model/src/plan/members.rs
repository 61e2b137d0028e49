//! The kinds of a mixed collection: the partition that they share, and the start of their sort
//! keys.

use super::bind::{Binder, Place, is_given, is_split_tail};
use super::sort::{self, LAST_CHARACTER};
use crate::check::ordered;
use crate::check::shape::{Owner, Space, copy_key_in};
use crate::schema::{Entity, Fan, KeyPair, Model, Pattern, Returned, SortCondition, Table, Type};
use crate::template::{Format, KeyTemplate, Part, fields_of};
use crate::value::gives_back;

/// The kinds of a pattern that are read together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Read {
    /// All kinds, by the start that their sort keys share.
    Whole,
    /// The kinds with `[]`, by a range of their sort keys.
    Range,
}

/// The kinds that a pattern returns, in one key space.
pub(super) struct Members {
    /// The partition key of all kinds.
    pub(super) partition: KeyTemplate,
    pub(super) fan: Fan,
    pub(super) owners: Vec<Owner>,
    kinds: Vec<Member>,
}

/// One kind of a collection.
struct Member {
    /// The parts at the start of its sort key that the pattern gives.
    bound: Vec<Part>,
    /// The values that the pattern fixes, by their places in the sort key.
    fixed_at: Vec<(String, usize)>,
    /// The first part that the pattern does not give.
    varying: Option<Part>,
    /// The range that the pattern gives of it.
    range: SortCondition,
    many: bool,
}

impl Members {
    /// Binds the keys of all kinds in a key space. `Err` is the reason why they do not lie together
    /// or why the space does not give one of them.
    pub(super) fn new(
        model: &Model,
        pattern: &Pattern,
        table: &Table,
        space: Space,
        read: Read,
    ) -> Result<Members, String> {
        let mut shared: Option<KeyTemplate> = None;
        let (mut owners, mut kinds) = (Vec::new(), Vec::new());
        // The partitions are the same, so their shards are too.
        let mut fan = Fan::One;
        let is_read = |returned: &&Returned| returned.many || read == Read::Whole;
        for returned in pattern.returned.iter().filter(is_read) {
            let Some(entity) = model.entities.get(returned.entity) else {
                continue;
            };
            let name = &entity.name;
            let key = key_in(model, table, returned, space)
                .ok_or_else(|| absent(returned, entity, space))?;
            let mut binder = Binder::new(pattern, &key);
            let partition = bound_partition(&mut binder, name, &key)?;
            match &mut shared {
                None => shared = Some(partition),
                Some(first) => {
                    check_same_partition(first, &partition, name)?;
                    // A value that one kind excludes may be that of another.
                    first.exclude_in_common(&partition);
                }
            }
            kinds.push(Member::new(returned, entity, &key, &mut binder, read)?);
            fan = std::mem::take(&mut binder.fan);
            owners.push(Owner {
                entity: returned.entity,
                copy: returned.copy,
                is_guard: false,
            });
        }
        let members = Members {
            partition: shared.ok_or_else(|| {
                "a range limits the kinds with `[]`, and the pattern returns none".to_owned()
            })?,
            fan,
            owners,
            kinds,
        };
        members.check_order(pattern)?;
        Ok(members)
    }

    /// The range of all kinds, which must be the same. `Err` if the keys of one do not have it.
    pub(super) fn range(&self, pattern: &Pattern) -> Result<SortCondition, String> {
        let mut ranges = self.kinds.iter().map(|member| &member.range);
        let first = ranges.next().cloned().unwrap_or_default();
        let has_strict_end = !pattern.strict_ends().is_empty();
        ranges.try_fold(first, |shared, range| {
            joined(shared, range, has_strict_end).ok_or_else(|| {
                "the sort keys of its kinds do not have the range at the same place and in the same form"
                    .to_owned()
            })
        })
    }

    /// The part that varies first in the kinds of which there are many.
    pub(super) fn varying(&self) -> Option<&Part> {
        let first = self.kinds.iter().find(|member| member.many)?;
        first.varying.as_ref()
    }

    /// Refuses an order if the kinds have different texts before the part that varies first.
    fn check_order(&self, pattern: &Pattern) -> Result<(), String> {
        let mut starts = self
            .kinds
            .iter()
            .filter(|member| member.many)
            .map(|member| &member.bound);
        let first = starts.next();
        if pattern.order.is_some() && starts.any(|start| Some(start) != first) {
            return Err(
                "its kinds have different texts before the attribute to order by, so they are not in one order"
                    .to_owned(),
            );
        }
        let mut forms = self
            .kinds
            .iter()
            .filter(|member| member.many)
            .filter_map(|member| Some((member.varying.as_ref()?, form(member.varying.as_ref()?))));
        let first = forms.next();
        let other = forms.find(|(_, form)| first.as_ref().is_some_and(|(_, first)| form != first));
        match (&pattern.order, first, other) {
            (Some(_), Some((one, _)), Some((two, _))) => Err(format!(
                "its kinds are ordered by {one} and by {two}, which are written differently, so they are not in one order"
            )),
            (_, _, _) => Ok(()),
        }
    }

    /// The start that the sort keys of all kinds share. Everything that the pattern gives must be
    /// part of it or of the partition key: the rest would have to be filtered.
    pub(super) fn shared_start(&self, pattern: &Pattern) -> Result<Vec<Part>, String> {
        let start = self.ended(self.common_start())?;
        let is_in_range = |name: &str| {
            [self.partition.parts.as_slice(), &start]
                .into_iter()
                .any(|parts| fields_of(parts).contains(&name))
        };
        let outside = pattern.parameters.iter().find(|p| {
            !p.attribute.is_empty() && !is_in_range(&p.attribute) && !is_in_range(&p.name)
        });
        match outside {
            Some(parameter) => Err(format!(
                "`{}` is not part of what the keys of all kinds share",
                parameter.name
            )),
            None => Ok(start),
        }
    }

    /// Whether the shared start says more than the partition does: it has a value that the partition
    /// lacks, or has only the day, the small letters or the hash of.
    pub(super) fn narrows(&self, start: &[Part]) -> bool {
        let is_new = |part: &Part| match part {
            Part::Field { name, .. } => !gives_back(&self.partition.parts, name),
            Part::Text(_) | Part::Shard { .. } | Part::Chunk | Part::Break => false,
        };
        start.iter().any(is_new) || self.kinds.iter().any(|kind| !kind.fixed_at.is_empty())
    }

    /// Refuses a value that the pattern fixes and that the shared start does not contain.
    pub(super) fn check_fixed(&self, start: &[Part]) -> Result<(), String> {
        for member in &self.kinds {
            let is_cut =
                |at: usize| start.get(at).is_none() || start.get(at) != member.bound.get(at);
            if let Some((name, _)) = member.fixed_at.iter().find(|(_, at)| is_cut(*at)) {
                return Err(format!(
                    "`where {name}` is not part of what the keys of all kinds share"
                ));
            }
        }
        Ok(())
    }

    /// The longest start that the bound sort keys of all kinds share.
    fn common_start(&self) -> Vec<Part> {
        let mut kinds = self.kinds.iter();
        let mut shared = match kinds.next() {
            Some(first) => first.bound.clone(),
            None => return Vec::new(),
        };
        for member in kinds {
            let same = shared
                .iter()
                .zip(&member.bound)
                .take_while(|(one, two)| one == two)
                .count();
            let tail = if let (Some(Part::Text(one)), Some(Part::Text(two))) =
                (shared.get(same), member.bound.get(same))
            {
                common_text(one, two)
            } else {
                None
            };
            shared.truncate(same);
            for (own, other) in shared.iter_mut().zip(&member.bound) {
                own.exclude_in_common(other);
            }
            shared.extend(tail);
        }
        shared
    }

    /// Removes a field at the end of the start: no delimiter ends it, so keys with longer values
    /// would start like it too. The partition key must contain such a field instead.
    fn ended(&self, mut start: Vec<Part>) -> Result<Vec<Part>, String> {
        if let Some(part @ Part::Field { name, .. }) = start.last()
            && !part.is_fixed_width()
        {
            if !self.partition.fields().any(|field| field == name) {
                return Err(format!(
                    "nothing that all kinds share ends {part} in their sort keys, so longer values that start like it would be found too; let each go on with the same delimiter"
                ));
            }
            start.pop();
        }
        Ok(start)
    }
}

/// The range that holds the keys of two kinds; `None` if their ranges differ. Parts may follow the
/// range's field in one kind alone: their keys end above the field's text. An end outside of the
/// range would need another text for each.
fn joined(one: SortCondition, two: &SortCondition, has_strict_end: bool) -> Option<SortCondition> {
    let high = |one: KeyTemplate, two: &KeyTemplate| {
        let last = [Part::Text(LAST_CHARACTER.to_string())];
        let is_longer = |long: &KeyTemplate, short: &KeyTemplate| {
            !has_strict_end && long.parts.strip_suffix(&last) == Some(&short.parts)
        };
        if is_longer(two, &one) {
            let mut long = two.clone();
            long.exclude_in_common(&one);
            return Some(long);
        }
        let is_one = is_longer(&one, two);
        if is_one {
            excluding(one, two)
        } else {
            same(one, two)
        }
    };
    match (one, two) {
        (SortCondition::BeginsWith(one), SortCondition::BeginsWith(two)) => {
            Some(SortCondition::BeginsWith(same(one, two)?))
        }
        (SortCondition::AtLeast(one), SortCondition::AtLeast(two)) => {
            Some(SortCondition::AtLeast(same(one, two)?))
        }
        (SortCondition::AtMost(one), SortCondition::AtMost(two)) => {
            Some(SortCondition::AtMost(high(one, two)?))
        }
        (SortCondition::Between(low, up), SortCondition::Between(other, end)) => {
            Some(SortCondition::Between(same(low, other)?, high(up, end)?))
        }
        (
            SortCondition::Any
            | SortCondition::Equal(_)
            | SortCondition::BeginsWith(_)
            | SortCondition::AtLeast(_)
            | SortCondition::AtMost(_)
            | SortCondition::Between(_, _),
            _,
        ) => None,
    }
}

/// A template of two kinds that is the same in both; `None` if it differs.
fn same(one: KeyTemplate, two: &KeyTemplate) -> Option<KeyTemplate> {
    if one.parts == two.parts {
        excluding(one, two)
    } else {
        None
    }
}

/// The first template. A value that one kind excludes may be that of the other.
fn excluding(mut one: KeyTemplate, two: &KeyTemplate) -> Option<KeyTemplate> {
    one.exclude_in_common(two);
    Some(one)
}

/// How the values of a field are written; `None` for other parts.
fn form(part: &Part) -> Option<(&Type, Format)> {
    match part {
        Part::Field { kind, format, .. } => Some((kind, *format)),
        Part::Text(_) | Part::Shard { .. } | Part::Chunk | Part::Break => None,
    }
}

/// The common start of two texts; `None` if there is none.
fn common_text(one: &str, two: &str) -> Option<Part> {
    let length: usize = one
        .chars()
        .zip(two.chars())
        .take_while(|(a, b)| a == b)
        .map(|(c, _)| c.len_utf8())
        .sum();
    one.get(..length)
        .filter(|text| !text.is_empty())
        .map(|text| Part::Text(text.to_owned()))
}

/// The partition key of a kind, which the pattern must give completely.
fn bound_partition(
    binder: &mut Binder<'_>,
    name: &str,
    key: &KeyPair,
) -> Result<KeyTemplate, String> {
    let (parts, open) = binder.bind(&key.partition.parts, Place::Partition);
    match open.first() {
        Some(part) => Err(format!(
            "the partition key of {name} needs {part}, which is not given"
        )),
        None => Ok(KeyTemplate {
            parts,
            span: key.partition.span,
        }),
    }
}

/// Refuses a kind whose partition is not that of the first kind.
fn check_same_partition(
    first: &KeyTemplate,
    partition: &KeyTemplate,
    name: &str,
) -> Result<(), String> {
    if first.parts == partition.parts {
        return Ok(());
    }
    // Templates that print alike differ in what the number of their shard is made of.
    if first.to_string() == partition.to_string() {
        return Err(format!(
            "each kind in {partition} is spread over shards by its own key, so that {name} and the others do not lie together"
        ));
    }
    Err(format!(
        "{name} lies in the partition {partition}, others in {first}"
    ))
}

/// The key of a returned kind in a space; `None` if the space does not hold all of its items.
fn key_in(model: &Model, table: &Table, returned: &Returned, space: Space) -> Option<KeyPair> {
    let entity = model.entities.get(returned.entity)?;
    match (
        space,
        returned.copy.and_then(|copy| entity.copies.get(copy)),
    ) {
        (Space::Table, None) => Some(entity.key.clone()),
        (Space::Table, Some(copy)) => Some(copy.key.clone()),
        (Space::Index(index), Some(copy)) => {
            copy_key_in(table, entity, copy, table.indexes.get(index)?)
        }
        (Space::Index(index), None) => {
            let found = entity
                .indexes
                .iter()
                .find(|key| key.index == index && key.sparse.is_none());
            found.map(|key| key.key.clone())
        }
    }
}

/// The reason why a mixed collection cannot find a kind in a key space.
fn absent(returned: &Returned, entity: &Entity, space: Space) -> String {
    let name = &entity.name;
    let is_sparse = match space {
        Space::Index(index) if returned.copy.is_none() => {
            entity.indexes.iter().any(|key| key.index == index)
        }
        Space::Index(_) | Space::Table => false,
    };
    if is_sparse {
        format!(
            "{name} is in it only where `sparse` says, and a mixed collection reads indexes that hold all items of its kinds: read {name} by a pattern of its own, or leave `sparse` out"
        )
    } else {
        format!("{name} is not in it")
    }
}

impl Member {
    /// Binds the sort key of one kind. `Err` is the reason if items of it would be missed, or if
    /// the pattern promises one and there can be many.
    fn new(
        returned: &Returned,
        entity: &Entity,
        key: &KeyPair,
        binder: &mut Binder<'_>,
        read: Read,
    ) -> Result<Member, String> {
        let pattern = binder.pattern;
        if let (Fan::Periods { unit, .. }, Read::Whole) = (&binder.fan, read) {
            return Err(format!(
                "{} lies in a partition per {unit}, which a collection does not read",
                entity.name
            ));
        }
        let copy = returned.copy.and_then(|at| entity.copies.get(at));
        let is_demanded = |field: &str| copy.is_some_and(|copy| copy.demands(field));
        let optional = |field: &&str| {
            entity
                .attribute(field)
                .is_some_and(|attribute| attribute.optional)
        };
        if let Some(field) = key
            .fields()
            .filter(|field| !is_given(pattern, field) && !is_demanded(field))
            .find(optional)
        {
            return Err(format!(
                "`{field}` of {} is optional, so items without it would be missed",
                entity.name
            ));
        }
        let sort = key.sort.as_ref().map_or(&[][..], |sort| &sort.parts);
        let (bound, open) = binder.bind(sort, Place::Sort);
        if let Some(name) = binder.open_attributes().first() {
            return Err(format!(
                "`{name}` is not given by the key of {}, so it would have to be filtered",
                entity.name
            ));
        }
        if !returned.many && !open.is_empty() && !is_split_tail(open) {
            return Err(format!(
                "it can hold many {} items, and the pattern promises one; return {}[]",
                entity.name, entity.name
            ));
        }
        if returned.many
            && let Some(order) = &pattern.order
            && let Some(reason) = ordered::reason(order, entity, open)
        {
            return Err(format!("{}: {reason}", entity.name));
        }
        let range = range_of(binder, &entity.name, key, (&bound, open), read)?;
        Ok(Member {
            range,
            bound,
            fixed_at: fixed_places(pattern, key),
            varying: open.first().cloned(),
            many: returned.many,
        })
    }
}

/// The range that a pattern gives of the open parts of a kind's sort key.
fn range_of(
    binder: &mut Binder<'_>,
    name: &str,
    key: &KeyPair,
    (bound, open): (&[Part], &[Part]),
    read: Read,
) -> Result<SortCondition, String> {
    match (read, binder.open_limits().first()) {
        (Read::Whole, Some(limit)) => Err(format!(
            "`{}` is not part of what the keys of all kinds share",
            limit.name
        )),
        (Read::Whole, None) => Ok(SortCondition::Any),
        (Read::Range, _) => {
            let span = key.sort.as_ref().map_or(key.span, |sort| sort.span);
            sort::condition(binder, span, bound.to_vec(), open)
                .map_err(|reason| format!("{name}: {reason}"))
        }
    }
}

/// The values that the pattern fixes in a sort key and that the partition does not give, with their
/// places in it.
fn fixed_places(pattern: &Pattern, key: &KeyPair) -> Vec<(String, usize)> {
    let sort = key.sort.as_ref().map_or(&[][..], |sort| &sort.parts);
    let place = |name: &String| {
        sort.iter()
            .position(|part| matches!(part, Part::Field { name: field, .. } if field == name))
    };
    pattern
        .fixed
        .iter()
        .map(|(name, _)| name)
        .filter(|name| !gives_back(&key.partition.parts, name))
        .filter_map(|name| Some((name.clone(), place(name)?)))
        .collect()
}
