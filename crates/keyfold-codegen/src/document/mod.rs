//! The living document of a design: its chart as Markdown, and as one HTML page with diagrams. What
//! both say is here.

mod html;
mod markdown;
mod markup;
mod picture;

pub use html::html;
pub use markdown::markdown;

use crate::chart::{Chart, KeyRow, WriteRow, aggregates};
use keyfold_model::schema::Record;
use keyfold_model::{DefaultValue, Entity, Model, Type, value};

const PATTERN_HEAD: [&str; 7] = [
    "pattern",
    "returns",
    "request",
    "key condition",
    "requests a page",
    "read units",
    "read",
];

fn pattern_rows(chart: &Chart) -> Vec<Vec<String>> {
    chart
        .patterns
        .iter()
        .map(|row| {
            let parameters: Vec<&str> = row
                .parameters
                .iter()
                .map(|(name, _)| name.as_str())
                .collect();
            let order = if row.order == "descending" {
                ", descending"
            } else {
                ""
            };
            let filters: String = row
                .filters
                .iter()
                .map(|filter| format!(", filter {filter}"))
                .collect();
            let page = row
                .page
                .map_or(String::new(), |page| format!(" ({page} items)"));
            vec![
                format!("{}({})", row.name, parameters.join(", ")),
                row.returns.clone(),
                format!("{} {}", row.request, row.place),
                format!("`{}`{order}{filters}", row.key_condition),
                format!("{}{page}", row.requests),
                row.units.map_or("?".to_owned(), |units| units.to_string()),
                row.consistency.to_owned(),
            ]
        })
        .collect()
}

fn key_head(key: &[String]) -> Vec<String> {
    let mut head = vec!["item".to_owned()];
    head.extend(key.iter().cloned());
    head.push("for example".to_owned());
    head
}

fn key_rows(rows: &[KeyRow], columns: usize) -> Vec<Vec<String>> {
    rows.iter()
        .map(|row| {
            let only = row
                .only
                .as_ref()
                .map_or(String::new(), |only| format!(" ({only})"));
            let mut cells = vec![format!("{}{only}", row.kind)];
            cells.extend(row.templates.iter().map(|template| format!("`{template}`")));
            cells.resize(columns + 1, String::new());
            cells.push(
                row.sample
                    .iter()
                    .map(|sample| format!("`{sample}`"))
                    .collect::<Vec<_>>()
                    .join(" "),
            );
            cells
        })
        .collect()
}

fn attribute_rows(entity: &Entity) -> Vec<Vec<String>> {
    entity
        .attributes
        .iter()
        .map(|attribute| {
            let optional = if attribute.optional { "?" } else { "" };
            let refers = attribute
                .refers
                .as_ref()
                .map(|(entity, name)| format!("of {entity}.{name}"));
            let kept = attribute.is_kept.then(|| "kept by the model".to_owned());
            let default = attribute.default.as_ref().filter(|_| !attribute.is_kept);
            let default = default.map(|default| format!("default {}", default_text(default)));
            let notes: Vec<String> = refers.into_iter().chain(default).chain(kept).collect();
            vec![
                attribute.name.clone(),
                format!("{}{optional}", attribute.kind),
                notes.join(", "),
            ]
        })
        .collect()
}

/// A default as the language writes it.
pub(crate) fn default_text(default: &DefaultValue) -> String {
    match default {
        DefaultValue::Value(value) => value::display(value),
        DefaultValue::Now => "now".to_owned(),
        DefaultValue::New => "new".to_owned(),
    }
}

/// The nested types of a model, by name, with their fields.
fn records(model: &Model) -> Vec<Vec<String>> {
    let mut found: Vec<&Record> = Vec::new();
    let mut open: Vec<&Type> = model
        .entities
        .iter()
        .flat_map(|e| &e.attributes)
        .map(|a| &a.kind)
        .collect();
    while let Some(kind) = open.pop() {
        match kind {
            Type::List(of) | Type::Map(of) | Type::Set(of) => open.push(of),
            Type::Record(record) if !found.iter().any(|known| known.name == record.name) => {
                found.push(record);
                open.extend(record.fields.iter().map(|(_, kind, _)| kind));
            }
            _ => {}
        }
    }
    found.sort_by(|one, two| one.name.cmp(&two.name));
    let fields = |record: &Record| {
        let each = record.fields.iter().map(|(name, kind, optional)| {
            format!("{name}: {kind}{}", if *optional { "?" } else { "" })
        });
        each.collect::<Vec<_>>().join(", ")
    };
    found
        .into_iter()
        .map(|record| vec![record.name.clone(), fields(record)])
        .collect()
}

/// What else is declared of an entity, a sentence each.
fn facts(model: &Model, entity: &Entity) -> Vec<String> {
    let mut facts: Vec<String> = entity
        .uniques
        .iter()
        .map(|unique| format!("unique: {}", unique.join(" with ")))
        .collect();
    facts.extend(
        aggregates(model, entity)
            .into_iter()
            .map(|one| format!("keeps {one}")),
    );
    facts.extend(entity.ttl.iter().map(|ttl| format!("expires at {ttl}")));
    facts.extend(
        entity
            .version
            .iter()
            .map(|version| format!("versions are counted in {version}")),
    );
    facts.extend(
        entity
            .split
            .iter()
            .map(|(name, count)| format!("{name} is split, {count} elements an item")),
    );
    let expected = &entity.expected;
    let numbers = [
        expected.items.map(|count| format!("{count} items")),
        expected.bytes.map(|count| format!("{count} bytes")),
        expected
            .writes
            .map(|count| format!("{count} writes a second")),
    ];
    let per = expected
        .per
        .iter()
        .map(|(name, count)| format!("{count} per {name}"));
    let numbers: Vec<String> = numbers.into_iter().flatten().chain(per).collect();
    if !numbers.is_empty() {
        facts.push(format!("expected: {}", numbers.join(", ")));
    }
    if !entity.compressed.is_empty() {
        facts.push(format!("stored as GZIP: {}", entity.compressed.join(", ")));
    }
    facts
}

fn write_rows(chart: &Chart) -> Vec<Vec<String>> {
    let parameters = |write: &WriteRow| -> Vec<String> {
        write
            .parameters
            .iter()
            .map(|(name, kind)| format!("{name}: {kind}"))
            .collect()
    };
    let row = |write: &WriteRow| {
        vec![
            write.name.clone(),
            parameters(write).join(", "),
            write.actions.join("; "),
        ]
    };
    chart.writes.iter().map(row).collect()
}
