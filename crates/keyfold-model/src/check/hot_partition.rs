//! KF030, hot partition: the writes or reads of one partition exceed its limits.

use super::estimate::{item_bytes, partitions, print_bytes, print_count};
use super::rule::Rule;
use crate::diagnostic::{Diagnostic, Edit};
use crate::schema::{Entity, IndexKind, KeyPair, Model, Pattern, Projection, Table};
use keyfold_types::limits::{
    PARTITION_READ_UNITS_S, PARTITION_WRITE_UNITS_S, READ_UNIT_BYTES, WRITE_UNIT_BYTES,
};

pub(crate) const RULE: Rule = Rule {
    code: "KF030",
    name: "hot-partition",
    summary: "The writes and reads of one partition stay below its limits: 1,000 write units and 3,000 \
        read units a second.",
    why: "A table grows by adding partitions, and the throughput of each partition is fixed. All \
        requests go to one partition, whatever the capacity of the table, if the partition key \
        has the same text for all items (`ORDERS`), is one of a few words (`STATUS#{status}`) or \
        contains the current day. `shard N` spreads the items over N partitions that are read \
        together. Another key attribute is better if there is one. If the rate is known to be \
        low, declare it: `expect 20 writes a second`.",
    failing: r##"model m 1
table Shop (PK, SK)
entity Order
  orderId: string, at: time
  key     "ORDERS"  "ORDER#{at}#{orderId}"
  expect  3000 writes a second, 400 bytes
pattern orders()  -> Order[]  newest page 50
"##,
    repaired: r##"model m 1
table Shop (PK, SK)
entity Order
  orderId: string, at: time
  key     "ORDERS"  "ORDER#{at}#{orderId}"  shard 8
  expect  3000 writes a second, 400 bytes
pattern orders()  -> Order[]  newest page 50
"##,
};

pub(crate) fn check(model: &Model, diagnostics: &mut Vec<Diagnostic>) {
    for entity in &model.entities {
        let what = format!("the key of {}", entity.name);
        diagnostics.extend(writes(model, entity, &entity.key, &what, Holds::All));
        let Some(table) = model.tables.get(entity.table) else {
            continue;
        };
        index_writes(model, entity, table, diagnostics);
        for copy in &entity.copies {
            let what = format!("the copy {}.{}", entity.name, copy.name);
            diagnostics.extend(writes(model, entity, &copy.key, &what, Holds::NoAggregates));
        }
    }
    for pattern in &model.patterns {
        diagnostics.extend(reads(model, pattern));
    }
}

/// Reports the global indexes of an entity with too many writes.
fn index_writes(model: &Model, entity: &Entity, table: &Table, diagnostics: &mut Vec<Diagnostic>) {
    let is_maintained = |name: &String| {
        entity
            .aggregates
            .iter()
            .any(|aggregate| aggregate.attribute == *name)
    };
    for key in entity.indexes.iter().filter(|key| key.is_declared) {
        let Some(index) = table.indexes.get(key.index) else {
            continue;
        };
        if index.kind != IndexKind::Global {
            continue;
        }
        // DynamoDB writes an index entry when one of its attributes changes.
        let holds = match &index.projection {
            Projection::All => Holds::All,
            Projection::Only(names) if names.iter().any(is_maintained) => Holds::All,
            Projection::Only(_) | Projection::Keys => Holds::NoAggregates,
        };
        let what = format!("{} in {}", entity.name, index.name);
        diagnostics.extend(writes(model, entity, &key.key, &what, holds));
    }
}

/// Whether the written item holds the aggregates of its entity, and so changes with their items.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    All,
    NoAggregates,
}

/// Reports a key whose partitions receive more writes than they take, or an unknown number.
fn writes(
    model: &Model,
    entity: &Entity,
    key: &KeyPair,
    what: &str,
    holds: Holds,
) -> Option<Diagnostic> {
    let partitions = partitions(&key.partition)?;
    let bytes = item_bytes(entity);
    let each = bytes.div_ceil(WRITE_UNIT_BYTES);
    let factor = transaction_factor(model, entity);
    let Some(rate) = rate(model, entity, holds) else {
        if partitions > 1 {
            return None;
        }
        let message = format!("all writes of {what} go to one partition at a time");
        return Some(
            Diagnostic::warning("KF030", key.partition.span, message, "the same for many items")
                .note(format!(
                    "one partition takes {} write units a second; one {} of {} takes {each}",
                    print_count(PARTITION_WRITE_UNITS_S),
                    entity.name,
                    print_bytes(bytes)
                ))
                .help(format!(
                    "say in {} how many there are: `expect 20 writes a second`; or spread them: `shard 8` behind the key",
                    entity.name
                )),
        );
    };
    let units = rate.saturating_mul(each).saturating_mul(factor);
    if units <= PARTITION_WRITE_UNITS_S * partitions {
        return None;
    }
    let shards = units.div_ceil(PARTITION_WRITE_UNITS_S).max(2);
    let message = format!(
        "{what} is hot: {} write units a second go to {}",
        print_count(units),
        count(partitions)
    );
    let sum = format!(
        "{} writes a second x {each} {} ({}){} = {}; {}",
        print_count(rate),
        if each == 1 { "unit" } else { "units" },
        print_bytes(bytes),
        if factor == 2 {
            " x 2 in transactions"
        } else {
            ""
        },
        print_count(units),
        limit(partitions, PARTITION_WRITE_UNITS_S)
    );
    let diagnostic = Diagnostic::warning("KF030", key.partition.span, message, "the same for many items")
        .note(sum)
        .help(format!("spread them: `shard {shards}` behind the key, which is read by {shards} queries; or put another attribute into the partition key"));
    if partitions > 1 {
        return Some(diagnostic);
    }
    Some(diagnostic.repair(vec![Edit::insert(key.span.end, format!(" shard {shards}"))]))
}

/// The writes of an entity a second: its own, and those of the items that are counted in it. `None`
/// if none are declared.
fn rate(model: &Model, entity: &Entity, holds: Holds) -> Option<u64> {
    if holds == Holds::NoAggregates {
        return entity.expected.writes;
    }
    let counted = entity
        .aggregates
        .iter()
        .filter_map(|aggregate| model.entities.get(aggregate.entity));
    let mut children: Vec<&Entity> = Vec::new();
    counted.for_each(|child| {
        if !children.iter().any(|known| known.name == child.name) {
            children.push(child);
        }
    });
    let of_children: u64 = children
        .iter()
        .filter_map(|child| child.expected.writes)
        .fold(0, u64::saturating_add);
    match (entity.expected.writes, of_children) {
        (None, 0) => None,
        (own, more) => Some(own.unwrap_or(0).saturating_add(more)),
    }
}

/// The factor of the cost of a write: a write of several items is a transaction, which costs twice.
fn transaction_factor(model: &Model, entity: &Entity) -> u64 {
    let is_counted = model.aggregates_of(entity).next().is_some();
    let several = !entity.copies.is_empty() || !entity.uniques.is_empty() || entity.split.is_some();
    if several || is_counted || !entity.aggregates.is_empty() {
        2
    } else {
        1
    }
}

/// The limit of a number of partitions, in words.
fn limit(partitions: u64, each: u64) -> String {
    match partitions {
        1 => format!("one partition takes {}", print_count(each)),
        many => format!(
            "{many} partitions of {} take {}",
            print_count(each),
            print_count(each * many)
        ),
    }
}

/// A number of partitions, in words.
fn count(partitions: u64) -> String {
    if partitions == 1 {
        "one partition".to_owned()
    } else {
        format!("{partitions} partitions")
    }
}

/// Reports a pattern that reads more from its partitions than they take.
fn reads(model: &Model, pattern: &Pattern) -> Option<Diagnostic> {
    let rate = pattern.rate?;
    let partition = pattern.plan.partition.as_ref()?;
    let partitions = partitions(partition)?;
    let bytes: u64 = pattern
        .returned
        .iter()
        .filter_map(|returned| model.entities.get(returned.entity))
        .map(item_bytes)
        .max()?;
    let items = u64::from(
        pattern
            .page
            .unwrap_or(if pattern.is_single() { 1 } else { 100 }),
    );
    let factor = if pattern.strong.is_some() { 2 } else { 1 };
    let halves = items.saturating_mul(bytes).div_ceil(READ_UNIT_BYTES) * factor;
    let units = rate.saturating_mul(halves) / 2;
    if units <= PARTITION_READ_UNITS_S * partitions {
        return None;
    }
    let message = format!(
        "{} is hot: {} read units a second go to {}",
        pattern.name,
        print_count(units),
        count(partitions)
    );
    Some(
        Diagnostic::warning("KF030", pattern.span, message, "reads one partition")
            .label(partition.span, "the same for many items")
            .note(format!(
                "{} a second x {items} items x {} = {} units; {}",
                print_count(rate),
                print_bytes(bytes),
                print_count(units),
                limit(partitions, PARTITION_READ_UNITS_S)
            ))
            .help("read smaller pages or fewer attributes, or copy the items under several keys"),
    )
}
