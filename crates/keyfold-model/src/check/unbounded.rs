//! KF031, unbounded: a pattern without a page reads a collection that grows, or a collection with a
//! local index may exceed 10 GB.

use super::estimate::{item_bytes, partitions, print_bytes, print_count};
use super::rule::Rule;
use crate::diagnostic::{Diagnostic, Edit};
use crate::schema::{
    Entity, Fan, IndexKind, KeyPair, Limit, Model, Pattern, RequestKind, Returned, Table,
};
use crate::template::{KeyTemplate, Part};
use crate::written::written;
use keyfold_types::limits::{ITEM_COLLECTION_BYTES_MAX, PAGE_BYTES_MAX};

pub(crate) const RULE: Rule = Rule {
    code: "KF031",
    name: "unbounded",
    summary: "The number of items that a pattern reads is bounded: by a page, by a declared count, by a \
        range of its sort key, or by a bucket of time.",
    why: "The orders of a user, the readings of a sensor and the events of a day only become more. \
        A query reads at most 1 MB, so a pattern without a page sends one query after the other, \
        and its time and cost grow with the age of the data. `page 20` bounds one answer. A range \
        bounds the items that are read, even if it has only one end. `bucket day` bounds a \
        partition. `expect 40 per userId` declares that there are never many. A partition of a \
        table with a local index must stay below 10 GB, because DynamoDB refuses writes above it.",
    failing: r##"model m 1
table Shop (PK, SK)
entity Order
  userId: string, at: time
  key  "USER#{userId}"  "ORDER#{at}"
pattern orders(userId)  -> Order[]
"##,
    repaired: r##"model m 1
table Shop (PK, SK)
entity Order
  userId: string, at: time
  key  "USER#{userId}"  "ORDER#{at}"
pattern orders(userId)  -> Order[]  newest page 20
"##,
};

pub(crate) fn check(model: &Model, diagnostics: &mut Vec<Diagnostic>) {
    for pattern in &model.patterns {
        let is_range = pattern.plan.request == RequestKind::Query && pattern.page.is_none();
        let is_bounded = matches!(pattern.plan.fan, Fan::Periods { .. })
            || pattern.parameters.iter().any(|p| {
                p.limit.is_lower() || p.limit.is_upper() || matches!(p.limit, Limit::In(_))
            });
        if is_range && !is_bounded {
            diagnostics.extend(collection(model, pattern));
        }
    }
    for (at, table) in model.tables.iter().enumerate() {
        if table
            .indexes
            .iter()
            .any(|index| index.kind == IndexKind::Local)
        {
            diagnostics.extend(local(model, at, table));
        }
    }
}

/// Reports a pattern that reads a growing collection, or more than a request returns.
fn collection(model: &Model, pattern: &Pattern) -> Option<Diagnostic> {
    let (mut sum, mut terms) = (0_u64, Vec::new());
    for returned in pattern.returned.iter().filter(|returned| returned.many) {
        let entity = model.entities.get(returned.entity)?;
        match bound(pattern, entity) {
            Some(count) => {
                let bytes = item_bytes(entity);
                terms.push(format!(
                    "{} {} x {}",
                    print_count(count),
                    entity.name,
                    print_bytes(bytes)
                ));
                sum = sum.saturating_add(count.saturating_mul(bytes));
            }
            None if grows(model, returned, pattern) => {
                return Some(growing(pattern, entity));
            }
            None => {}
        }
    }
    if sum <= PAGE_BYTES_MAX {
        return None;
    }
    let message = format!(
        "{} reads {} in one answer: {} requests",
        pattern.name,
        print_bytes(sum),
        print_count(sum.div_ceil(PAGE_BYTES_MAX))
    );
    Some(
        Diagnostic::warning("KF031", pattern.span, message, "no page")
            .note(format!(
                "{} = {}; one request reads at most 1 MB",
                terms.join(" + "),
                print_bytes(sum)
            ))
            .help("add `page 20` to the pattern")
            .offer(paged(pattern))
            .help("or return fewer attributes from an index: `only ...`"),
    )
}

/// The edit that gives a pattern pages.
fn paged(pattern: &Pattern) -> Vec<Edit> {
    vec![Edit::insert(pattern.returned_end, " page 20")]
}

/// The report that a pattern reads a collection without a declared count.
fn growing(pattern: &Pattern, entity: &Entity) -> Diagnostic {
    let message = format!(
        "{} reads all {} items of a collection that grows",
        pattern.name, entity.name
    );
    let mut limited = pattern.parameters.iter();
    let given = limited.find(|one| one.limit == Limit::Equal);
    // A pattern that gives nothing reads all items.
    let few = given.map_or("items".to_owned(), |one| {
        format!("per {}", written(&one.attribute))
    });
    Diagnostic::warning(
        "KF031",
        pattern.span,
        message,
        "no page, and no declared count",
    )
    .label(entity.span, "time goes on, and nothing bounds their number")
    .help("add `page 20` to the pattern")
    .offer(paged(pattern))
    .help(format!(
        "or say in {} that they are few: `expect 40 {few}`",
        entity.name
    ))
}

/// The declared number of items for the values that the pattern gives.
fn bound(pattern: &Pattern, entity: &Entity) -> Option<u64> {
    let given = |name: &String| {
        pattern
            .parameters
            .iter()
            .any(|p| p.limit == Limit::Equal && p.attribute == *name)
            || pattern.fixed.iter().any(|(fixed, _)| fixed == name)
    };
    let per = entity
        .expected
        .per
        .iter()
        .filter(|(name, _)| given(name))
        .map(|(_, count)| *count)
        .min();
    per.or(entity.expected.items)
}

/// Whether the number of items with a partition key grows with time or with the table.
fn grows(model: &Model, returned: &Returned, pattern: &Pattern) -> bool {
    let Some(entity) = model.entities.get(returned.entity) else {
        return false;
    };
    let key: &KeyPair = match (
        &pattern.plan.index,
        returned.copy.and_then(|at| entity.copies.get(at)),
    ) {
        (None, Some(copy)) => &copy.key,
        (None, None) => &entity.key,
        (Some(name), _) => {
            let table = model.tables.get(entity.table);
            let at =
                table.and_then(|table| table.indexes.iter().position(|index| index.name == *name));
            match entity.indexes.iter().find(|key| Some(key.index) == at) {
                Some(key) => &key.key,
                None => &entity.key,
            }
        }
    };
    let is_time = |part: &Part| matches!(part, Part::Field { kind, .. } if kind.is_time());
    let in_sort = key
        .sort
        .as_ref()
        .is_some_and(|sort| sort.parts.iter().any(is_time));
    in_sort || partitions(&key.partition).is_some()
}

/// Reports a table with a local index whose declared counts exceed the limit of a partition key.
fn local(model: &Model, at: usize, table: &Table) -> Option<Diagnostic> {
    let per = |entity: &Entity, template: &KeyTemplate| -> Option<u64> {
        let field = template.fields().next();
        match field {
            None => entity.expected.items,
            Some(field) => entity
                .expected
                .per
                .iter()
                .find(|(name, _)| name == field)
                .map(|(_, count)| *count),
        }
    };
    let mut groups: Vec<(String, u64, Vec<String>)> = Vec::new();
    for entity in model.entities.iter().filter(|entity| entity.table == at) {
        let Some(count) = per(entity, &entity.key.partition) else {
            continue;
        };
        let bytes = count.saturating_mul(item_bytes(entity));
        let term = format!(
            "{} {} x {}",
            print_count(count),
            entity.name,
            print_bytes(item_bytes(entity))
        );
        let partition = entity.key.partition.to_string();
        match groups.iter_mut().find(|(known, ..)| *known == partition) {
            Some((_, sum, terms)) => {
                *sum = sum.saturating_add(bytes);
                terms.push(term);
            }
            None => groups.push((partition, bytes, vec![term])),
        }
    }
    let (partition, sum, terms) = groups
        .into_iter()
        .find(|(_, sum, _)| *sum > ITEM_COLLECTION_BYTES_MAX)?;
    let message = format!(
        "a collection of {} passes 10 GB: {}",
        table.name,
        print_bytes(sum)
    );
    Some(
        Diagnostic::warning("KF031", table.span, message, "has a local index")
            .note(format!("{partition}: {} = {}", terms.join(" + "), print_bytes(sum)))
            .note("with a local index, the items of one partition key must stay below 10 GB; writes are refused then")
            .help("use a global index instead, or cut the partition: `bucket month`"),
    )
}
