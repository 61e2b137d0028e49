//! KF030, hot partition: many writes or reads go to one partition, which takes 1,000 write and
//! 3,000 read units a second.

use super::estimate::{
    PARTITION_READS, PARTITION_WRITES, item_bytes, partitions, print_bytes, print_count,
};
use super::rule::Rule;
use crate::diagnostic::{Diagnostic, Edit};
use crate::schema::{Entity, KeyPair, Model, Pattern, Projection};

pub(crate) const RULE: Rule = Rule {
    code: "KF030",
    name: "hot-partition",
    summary: "What is written to or read from one partition stays below what it takes: 1,000 write and 3,000 read units a second.",
    why: "A table grows by partitions, and each partition has a fixed speed. A key with the same text for all items (`ORDERS`), with a few words (`STATUS#{status}`) or with the present day sends everything to one of them, however much capacity is paid for. `shard N` spreads it over N partitions that are read together; another key attribute is better where there is one. Where the rate is known to be low, declare it: `expect 20 writes a second`.",
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
        diagnostics.extend(writes(
            model,
            entity,
            &entity.key,
            &format!("the key of {}", entity.name),
            Holds::All,
        ));
        let Some(table) = model.tables.get(entity.table) else {
            continue;
        };
        for key in entity.indexes.iter().filter(|key| key.is_declared) {
            let Some(index) = table.indexes.get(key.index) else {
                continue;
            };
            // An index is written when something that it holds changes.
            let kept = |name: &String| {
                entity
                    .aggregates
                    .iter()
                    .any(|aggregate| aggregate.attribute == *name)
            };
            let holds = match &index.projection {
                Projection::All => Holds::All,
                Projection::Only(names) if names.iter().any(kept) => Holds::All,
                Projection::Only(_) | Projection::Keys => Holds::NoAggregates,
            };
            if index.kind == crate::schema::IndexKind::Global {
                diagnostics.extend(writes(
                    model,
                    entity,
                    &key.key,
                    &format!("{} in {}", entity.name, index.name),
                    holds,
                ));
            }
        }
        for copy in &entity.copies {
            diagnostics.extend(writes(
                model,
                entity,
                &copy.key,
                &format!("the copy {}.{}", entity.name, copy.name),
                Holds::NoAggregates,
            ));
        }
    }
    for pattern in &model.patterns {
        diagnostics.extend(reads(model, pattern));
    }
}

/// Whether what is written holds the aggregates of its entity.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    All,
    NoAggregates,
}

fn writes(
    model: &Model,
    entity: &Entity,
    key: &KeyPair,
    what: &str,
    holds: Holds,
) -> Option<Diagnostic> {
    let partitions = partitions(&key.partition)?;
    let bytes = item_bytes(entity);
    let each = bytes.div_ceil(1_024);
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
                    print_count(PARTITION_WRITES),
                    entity.name,
                    print_bytes(bytes)
                ))
                .help(format!(
                    "say in {} how many there are: `expect 20 writes a second`; or spread them: `shard 8` behind the key",
                    entity.name
                )),
        );
    };
    let units = rate * each * factor;
    if units <= PARTITION_WRITES * partitions {
        return None;
    }
    let shards = units.div_ceil(PARTITION_WRITES).max(2);
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
        taken(partitions, PARTITION_WRITES)
    );
    let diagnostic = Diagnostic::warning("KF030", key.partition.span, message, "the same for many items")
        .note(sum)
        .help(format!("spread them: `shard {shards}` behind the key, which is read by {shards} queries; or put another attribute into the partition key"));
    if partitions > 1 {
        return Some(diagnostic);
    }
    Some(diagnostic.repair(vec![Edit::insert(key.span.end, format!(" shard {shards}"))]))
}

/// Writes a second: declared, and those that items make which are counted in this entity.
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
        .sum();
    match (entity.expected.writes, of_children) {
        (None, 0) => None,
        (own, more) => Some(own.unwrap_or(0) + more),
    }
}

/// A write of several items is a transaction, which costs twice.
fn transaction_factor(model: &Model, entity: &Entity) -> u64 {
    let is_counted = model
        .entities
        .iter()
        .flat_map(|parent| &parent.aggregates)
        .any(|aggregate| {
            model
                .entities
                .get(aggregate.entity)
                .is_some_and(|child| child.name == entity.name)
        });
    let several = !entity.copies.is_empty() || !entity.uniques.is_empty() || entity.split.is_some();
    if several || is_counted || !entity.aggregates.is_empty() {
        2
    } else {
        1
    }
}

/// The writes that so many partitions take.
fn taken(partitions: u64, each: u64) -> String {
    match partitions {
        1 => format!("one partition takes {}", print_count(each)),
        many => format!(
            "{many} partitions of {} take {}",
            print_count(each),
            print_count(each * many)
        ),
    }
}

fn count(partitions: u64) -> String {
    if partitions == 1 {
        "one partition".to_owned()
    } else {
        format!("{partitions} partitions")
    }
}

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
    let halves = (items * bytes).div_ceil(4_096) * if pattern.strong.is_some() { 2 } else { 1 };
    let units = rate * halves / 2;
    if units <= PARTITION_READS * partitions {
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
                taken(partitions, PARTITION_READS)
            ))
            .help("read smaller pages or fewer attributes, or copy the items under several keys"),
    )
}
