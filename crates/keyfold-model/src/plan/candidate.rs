//! Plans for patterns that return one kind of item.

use super::{Found, PatternPlan, RequestKind, SortCondition, descends};
use crate::check::served::{self, IndexName, Miss};
use crate::check::shape::{Owner, Space};
use crate::check::{ordered, shape};
use crate::diagnostic::Diagnostic;
use crate::schema::Type;
use crate::schema::{Column, Entity, IndexKind, KeyPair, Limit, Model, Pattern, Returned, Sparse, Table};
use crate::template::{Format, KeyTemplate, Part};
use crate::value;

/// One key that might serve.
struct Candidate<'m> {
    space: Space,
    label: String,
    key: &'m KeyPair,
    sparse: Option<&'m Sparse>,
    partition: &'m Column,
    sort: Option<&'m Column>,
    index: Option<&'m str>,
}

/// Why a candidate does not serve; an order that is not there is told apart.
enum Unfit {
    Reason(String),
    Order(String),
}

impl From<String> for Unfit {
    fn from(reason: String) -> Unfit {
        Unfit::Reason(reason)
    }
}

pub(super) fn plan(model: &Model, pattern: &Pattern, returned: &Returned) -> Result<Found, Box<Diagnostic>> {
    let entity = model.entities.get(returned.entity).ok_or_else(|| gone(pattern))?;
    let table = model.tables.get(entity.table).ok_or_else(|| gone(pattern))?;
    let (mut misses, mut order_miss) = (Vec::new(), None);
    for candidate in candidates(table, entity, returned) {
        match fit(pattern, returned, entity, table, &candidate) {
            Ok(plan) => {
                let owner = Owner { entity: returned.entity, copy: returned.copy, is_guard: false };
                return Ok(Found { plan, table: entity.table, space: candidate.space, members: vec![owner] });
            }
            Err(Unfit::Reason(reason)) => misses.push(Miss { key: candidate.label, reason }),
            Err(Unfit::Order(reason)) => {
                order_miss.get_or_insert((candidate.label, candidate.key.span, reason));
            }
        }
    }
    if let (Some((label, span, reason)), Some((_, order))) = (order_miss, pattern.order) {
        let message = format!("{label} does not give the order that {} asks for", pattern.name);
        return Err(Box::new(
            Diagnostic::error("KF014", order, message, "this order")
                .label(span, reason)
                .note("a query answers in the order of its sort key, and in no other")
                .help("put the attribute to order by right behind the sort key's first text"),
        ));
    }
    let free = table.indexes.iter().enumerate().find(|(at, index)| {
        index.kind == IndexKind::Global && !entity.indexes.iter().any(|key| key.index == *at)
    });
    // An index that the entity is not in yet, or the name of a new one.
    let free_name = match free {
        Some((_, index)) => IndexName::Declared(index.name.clone()),
        None => IndexName::New(new_index_name(table)),
    };
    Err(Box::new(served::report(pattern, &[entity], misses, &free_name)))
}

/// The first of GSI1, GSI2, ... that the table does not have.
fn new_index_name(table: &Table) -> String {
    let taken = |name: &String| table.indexes.iter().any(|index| index.name == *name);
    (1..).map(|number| format!("GSI{number}")).find(|name| !taken(name)).unwrap_or_default()
}

/// Names are resolved before plans are made, so every place is there.
fn gone(pattern: &Pattern) -> Box<Diagnostic> {
    Box::new(Diagnostic::error("KF002", pattern.span, "the pattern returns nothing", "no entity"))
}

/// Every key of what is returned, cheapest first.
fn candidates<'m>(table: &'m Table, entity: &'m Entity, returned: &Returned) -> Vec<Candidate<'m>> {
    let base = |label: String, key: &'m KeyPair| Candidate {
        space: Space::Table,
        label,
        key,
        sparse: None,
        partition: &table.partition,
        sort: table.sort.as_ref(),
        index: None,
    };
    if let Some(copy) = returned.copy.and_then(|at| entity.copies.get(at)) {
        return vec![base(format!("the copy {}.{}", entity.name, copy.name), &copy.key)];
    }
    let mut all = vec![base(format!("the key of {}", entity.name), &entity.key)];
    for kind in [IndexKind::Local, IndexKind::Global] {
        for key in &entity.indexes {
            let Some(index) = table.indexes.get(key.index).filter(|index| index.kind == kind) else {
                continue;
            };
            all.push(Candidate {
                space: Space::Index(key.index),
                label: format!("{} in {}", entity.name, index.name),
                key: &key.key,
                sparse: key.sparse.as_ref(),
                partition: &index.partition,
                sort: index.sort.as_ref(),
                index: Some(&index.name),
            });
        }
    }
    all
}

/// Whether an argument (or a fixed value) gives the attribute exactly.
pub(super) fn is_given(pattern: &Pattern, attribute: &str) -> bool {
    let by_parameter = |p: &&crate::schema::Parameter| p.limit == Limit::Equal && p.attribute == attribute;
    pattern.parameters.iter().any(|p| by_parameter(&p))
        || pattern.fixed.iter().any(|(name, _)| name == attribute)
}

/// The parts up to the first field that is not given, with fixed values put in, and the rest.
pub(super) fn bind<'p>(pattern: &Pattern, template: &'p KeyTemplate) -> (Vec<Part>, &'p [Part]) {
    let mut bound = Vec::new();
    for (at, part) in template.parts.iter().enumerate() {
        let given = match part {
            Part::Text(_) => Some(part.clone()),
            // The day of a time is shared by other times: an argument does not give it exactly.
            Part::Field { format: Format::Day, .. } => None,
            Part::Field { name, kind, .. } => match pattern.fixed.iter().find(|(fixed, _)| fixed == name) {
                Some((_, text)) => Some(fixed_part(part, name, kind, text, template.bare)),
                None => is_given(pattern, name).then(|| part.clone()),
            },
        };
        match given {
            Some(part) => bound.push(part),
            None => return (bound, template.parts.get(at..).unwrap_or_default()),
        }
    }
    (bound, &[])
}

/// A fixed value as the key writes it. A bare number stays a field: the client gives it its value.
fn fixed_part(part: &Part, name: &str, kind: &Type, text: &str, bare: bool) -> Part {
    let written = value::parse(name, kind, text).ok().and_then(|held| {
        let values = std::collections::BTreeMap::from([(name.to_owned(), held)]);
        value::text(std::slice::from_ref(part), &values, &[]).ok()
    });
    match written {
        Some(written) if !bare => Part::Text(written),
        _ => part.clone(),
    }
}

fn fit(
    pattern: &Pattern,
    returned: &Returned,
    entity: &Entity,
    table: &Table,
    candidate: &Candidate<'_>,
) -> Result<PatternPlan, Unfit> {
    let key = candidate.key;
    let (partition, open) = bind(pattern, &key.partition);
    if let Some(Part::Field { name, .. }) = open.first() {
        return Err(format!(
            "its partition key {} needs `{name}`, which the pattern is not given",
            key.partition
        )
        .into());
    }
    check_complete(pattern, entity, candidate)?;
    let (bound, rest) = key.sort.as_ref().map_or((Vec::new(), &[][..]), |sort| bind(pattern, sort));
    check_consumed(pattern, candidate, &partition, &bound, rest)?;
    let bare = key.sort.as_ref().is_some_and(|sort| sort.bare);
    let sort = sort_condition(pattern, key, bound, rest, bare)?;
    if let Some((order, _)) = pattern.order
        && let Some(reason) = ordered::reason(order, rest.first(), bare)
    {
        return Err(Unfit::Order(reason));
    }
    if !returned.many && !rest.is_empty() {
        let open = KeyTemplate { parts: rest.to_vec(), bare: false, span: key.span };
        return Err(format!("it holds many items for these parameters; {open} is not given").into());
    }
    let by_key = !returned.many && candidate.space == shape::Space::Table;
    Ok(PatternPlan {
        request: if by_key { RequestKind::GetItem } else { RequestKind::Query },
        table: table.name.clone(),
        index: candidate.index.map(str::to_owned),
        partition_attribute: candidate.partition.name.clone(),
        partition: Some(KeyTemplate { parts: partition, ..key.partition.clone() }),
        sort_attribute: candidate.sort.map(|column| column.name.clone()),
        sort,
        descending: descends(pattern.order.map(|(order, _)| order)),
        page: pattern.page,
        strong: pattern.strong.is_some(),
    })
}

/// An index that holds only some items serves only patterns that ask for just these.
fn check_complete(pattern: &Pattern, entity: &Entity, candidate: &Candidate<'_>) -> Result<(), Unfit> {
    if let Some(sparse) = candidate.sparse {
        let fixed = pattern.fixed.iter().find(|(name, _)| *name == sparse.attribute);
        let fits = match (&sparse.value, fixed) {
            (Some(value), Some((_, fixed))) => value == fixed,
            (None, fixed) => fixed.is_some() || is_given(pattern, &sparse.attribute),
            (Some(_), None) => false,
        };
        if !fits {
            let when = match &sparse.value {
                Some(value) => format!("{} = {value}", sparse.attribute),
                None => sparse.attribute.clone(),
            };
            return Err(format!(
                "it holds only items with {when}, so others would be missed; ask for them: `where {when}`"
            )
            .into());
        }
    }
    let missing = candidate.key.fields().find(|field| {
        entity.attribute(field).is_some_and(|attribute| attribute.optional) && !is_given(pattern, field)
    });
    match missing {
        Some(field) => {
            Err(format!("`{field}` is optional, so items without it are not in there and would be missed")
                .into())
        }
        None => Ok(()),
    }
}

/// Everything given must be part of the key range; what is not would need a filter.
fn check_consumed(
    pattern: &Pattern,
    candidate: &Candidate<'_>,
    partition: &[Part],
    bound: &[Part],
    rest: &[Part],
) -> Result<(), Unfit> {
    // Only `sparse when a = v` says that all entries have this value.
    let in_sparse = |name: &str| {
        candidate.sparse.is_some_and(|sparse| sparse.attribute == name && sparse.value.is_some())
    };
    let has_field = |parts: &[Part], name: &str| {
        parts.iter().any(|part| matches!(part, Part::Field { name: field, .. } if field == name))
    };
    let key_fields: Vec<&str> = candidate.key.fields().collect();
    for name in pattern
        .parameters
        .iter()
        .filter(|parameter| parameter.limit == Limit::Equal)
        .map(|parameter| parameter.attribute.as_str())
        .chain(pattern.fixed.iter().map(|(name, _)| name.as_str()))
    {
        let is_fixed = pattern.fixed.iter().any(|(fixed, _)| fixed == name);
        let used = has_field(partition, name) || has_field(bound, name) || (is_fixed && in_sparse(name));
        let used = used || (is_fixed && key_fields.contains(&name) && !has_field(rest, name));
        if used {
            continue;
        }
        return Err(match rest.first() {
            Some(Part::Field { name: gap, .. }) if has_field(rest, name) => {
                format!("`{name}` stands behind `{gap}` in its sort key, and `{gap}` is not given").into()
            }
            _ => format!("`{name}` is not part of it, so it would have to be filtered").into(),
        });
    }
    Ok(())
}

fn sort_condition(
    pattern: &Pattern,
    key: &KeyPair,
    bound: Vec<Part>,
    rest: &[Part],
    bare: bool,
) -> Result<SortCondition, Unfit> {
    let Some(sort) = &key.sort else { return Ok(SortCondition::Any) };
    let template = |parts: Vec<Part>| KeyTemplate { parts, bare, span: sort.span };
    let limits: Vec<_> = pattern.parameters.iter().filter(|p| p.limit != Limit::Equal).collect();
    let Some(first) = limits.first() else {
        return Ok(match (rest.is_empty(), bound.is_empty()) {
            (true, _) => SortCondition::Equal(template(bound)),
            (false, true) => SortCondition::Any,
            (false, false) => SortCondition::BeginsWith(template(bound)),
        });
    };
    let Some(field @ Part::Field { name, kind, format }) = rest.first() else {
        return Err(format!(
            "`{}` is not part of its sort key, so a range of it would have to be filtered",
            first.attribute
        )
        .into());
    };
    if let Some(other) = limits.iter().find(|limit| limit.attribute != *name) {
        return Err(format!(
            "a range of `{}` needs it first among the open parts of the sort key; there is `{name}`",
            other.attribute
        )
        .into());
    }
    if let Some(reason) = ordered::range_reason(field, rest.len() == 1, bare) {
        return Err(reason.into());
    }
    let end = |limit: Limit| {
        limits.iter().find(|p| p.limit == limit).map(|p| Part::Field {
            name: p.name.clone(),
            kind: kind.clone(),
            format: *format,
        })
    };
    let with = |more: Vec<Part>| template(bound.iter().cloned().chain(more).collect());
    let last = || Part::Text(LAST_CHARACTER.to_string());
    // An open end is that of the text before the field; without one it needs no bound.
    let open = |text: Part| (!bound.is_empty()).then(|| with(vec![text]));
    let low = match end(Limit::AtLeast) {
        Some(part) => Some(with(vec![part])),
        None => open(Part::Text(String::new())),
    };
    let high = match end(Limit::AtMost) {
        // What follows the field in longer keys still belongs to the upper end.
        Some(part) if rest.len() > 1 => Some(with(vec![part, last()])),
        Some(part) => Some(with(vec![part])),
        None => open(last()),
    };
    Ok(match (low, high) {
        (Some(low), Some(high)) => SortCondition::Between(low, high),
        (Some(low), None) => SortCondition::AtLeast(low),
        (None, Some(high)) => SortCondition::AtMost(high),
        (None, None) => SortCondition::Any,
    })
}

/// Above every character of any key.
const LAST_CHARACTER: char = char::MAX;
