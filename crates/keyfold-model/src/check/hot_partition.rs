//! KF030, hot partition: many writes or reads go to one partition, which takes 1,000 write and 3,000 read
//! units a second.

use super::estimate::{PARTITION_READS, PARTITION_WRITES, item_bytes, partitions, print_bytes, print_count};
use super::rule::Rule;
use crate::diagnostic::{Diagnostic, Edit};
use crate::schema::{Entity, KeyPair, Model, Pattern};

pub(crate) const RULE: Rule = Rule {
    code: "KF030",
    name: "hot-partition",
    summary: "What is written to or read from one partition stays below what it takes: 1,000 write and 3,000 read units a second.",
    why: "A table grows by partitions, and each partition has a fixed speed. A key with the same text for all items (`ORDERS`), with a few words (`STATUS#{status}`) or with the present day sends everything to one of them, however much capacity is paid for. `shard N` spreads it over N partitions that are read together; another key attribute is better where there is one. Where the rate is known to be low, declare it: `expect 20 writes a second`.",
    failing: r##"model m 1
table Shop (PK, SK)
entity Order
  orderId: string, at: time
  key "ORDERS" "ORDER#{at}#{orderId}"
  expect 3000 writes a second, 400 bytes
pattern orders() -> Order[] newest page 50
"##,
    repaired: r##"model m 1
table Shop (PK, SK)
entity Order
  orderId: string, at: time
  key "ORDERS" "ORDER#{at}#{orderId}" shard 8
  expect 3000 writes a second, 400 bytes
pattern orders() -> Order[] newest page 50
"##,
};

pub(crate) fn check(model: &Model, diagnostics: &mut Vec<Diagnostic>) {
    for entity in &model.entities {
        diagnostics.extend(writes(entity, &entity.key, &format!("the key of {}", entity.name)));
        let Some(table) = model.tables.get(entity.table) else { continue };
        for key in entity.indexes.iter().filter(|key| key.is_declared) {
            let Some(index) = table.indexes.get(key.index) else { continue };
            if index.kind == crate::schema::IndexKind::Global {
                diagnostics.extend(writes(entity, &key.key, &format!("{} in {}", entity.name, index.name)));
            }
        }
        for copy in &entity.copies {
            diagnostics.extend(writes(entity, &copy.key, &format!("the copy {}.{}", entity.name, copy.name)));
        }
    }
    for pattern in &model.patterns {
        diagnostics.extend(reads(model, pattern));
    }
}

fn writes(entity: &Entity, key: &KeyPair, what: &str) -> Option<Diagnostic> {
    let partitions = partitions(&key.partition)?;
    let bytes = item_bytes(entity);
    let each = bytes.div_ceil(1_024);
    let Some(rate) = entity.expected.writes else {
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
    let units = rate * each;
    if units <= PARTITION_WRITES * partitions {
        return None;
    }
    let shards = units.div_ceil(PARTITION_WRITES).max(2);
    let message =
        format!("{what} is hot: {} write units a second go to {}", print_count(units), count(partitions));
    let sum = format!(
        "{} writes a second x {each} {} ({}) = {}; {}",
        print_count(rate),
        if each == 1 { "unit" } else { "units" },
        print_bytes(bytes),
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

/// What so many partitions take.
fn taken(partitions: u64, each: u64) -> String {
    match partitions {
        1 => format!("one partition takes {}", print_count(each)),
        many => format!("{many} partitions of {} take {}", print_count(each), print_count(each * many)),
    }
}

fn count(partitions: u64) -> String {
    if partitions == 1 { "one partition".to_owned() } else { format!("{partitions} partitions") }
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
    let items = u64::from(pattern.page.unwrap_or(if pattern.is_single() { 1 } else { 100 }));
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
