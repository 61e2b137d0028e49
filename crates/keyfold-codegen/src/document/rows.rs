//! The contents of the tables in both forms of the document. Text between backticks is code.

use crate::chart::{Chart, FileRow, IndexChart, KeyRow, PatternRow, WriteRow};
use crate::view::view_line;
use crate::words::{aggregates, default_text, optional};
use keyfold_model::schema::{Capacity, Expected, Record, Settings};
use keyfold_model::{Attribute, Entity, Model, Table, Type};

pub(super) const PATTERN_HEAD: [&str; 7] = [
    "pattern",
    "returns",
    "request",
    "key condition",
    "requests a page",
    "read units",
    "read",
];
pub(super) const FILE_HEAD: [&str; 5] =
    ["file", "owner", "shared", "private", "patterns and writes"];
pub(super) const ATTRIBUTE_HEAD: [&str; 3] = ["attribute", "type", ""];
pub(super) const RECORD_HEAD: [&str; 2] = ["record", "fields"];
pub(super) const WRITE_HEAD: [&str; 3] = ["write", "parameters", "in one transaction"];

/// A row for each file.
pub(super) fn file_rows(chart: &Chart) -> Vec<Vec<String>> {
    let row = |row: &FileRow| {
        let FileRow {
            file,
            owner,
            shared,
            private,
            patterns,
            writes,
        } = row;
        vec![
            file.clone(),
            owner.clone().unwrap_or_default(),
            shared.join(", "),
            private.join(", "),
            [patterns.as_slice(), writes].concat().join(", "),
        ]
    };
    chart.files.iter().map(row).collect()
}

/// A row for each pattern.
pub(super) fn pattern_rows(chart: &Chart) -> Vec<Vec<String>> {
    chart.patterns.iter().map(pattern_row).collect()
}

fn pattern_row(row: &PatternRow) -> Vec<String> {
    let PatternRow {
        name,
        // The parameters show which are left out.
        without: _,
        parameters,
        returns,
        request,
        // `place` shows both.
        table: _,
        index: _,
        place,
        key_condition,
        is_descending,
        page,
        requests,
        units,
        consistency,
        filters,
    } = row;
    let parameters: Vec<&str> = parameters.iter().map(|(name, _)| name.as_str()).collect();
    let order = if *is_descending { ", descending" } else { "" };
    let filters: String = filters
        .iter()
        .map(|filter| format!(", filter {filter}"))
        .collect();
    let page = page.map_or(String::new(), |page| format!(" ({page} items)"));
    vec![
        format!("{name}({})", parameters.join(", ")),
        returns.clone(),
        format!("{request} {place}"),
        format!("`{key_condition}`{order}{filters}"),
        format!("{requests}{page}"),
        units.map_or("?".to_owned(), |units| units.to_string()),
        (*consistency).to_owned(),
    ]
}

/// The head of a table of keys.
pub(super) fn key_head(key: &[String]) -> Vec<String> {
    let mut head = vec!["item".to_owned()];
    head.extend(key.iter().cloned());
    head.push("for example".to_owned());
    head
}

/// A row for each kind of item; `columns` is the number of key attributes.
pub(super) fn key_rows(rows: &[KeyRow], columns: usize) -> Vec<Vec<String>> {
    rows.iter().map(|row| key_row(row, columns)).collect()
}

fn key_row(row: &KeyRow, columns: usize) -> Vec<String> {
    let KeyRow {
        kind,
        templates,
        sample,
        only,
    } = row;
    let only = only
        .as_ref()
        .map_or(String::new(), |only| format!(" ({only})"));
    let code = |text: &String| format!("`{text}`");
    let mut cells = vec![format!("{kind}{only}")];
    cells.extend(templates.iter().map(code));
    cells.resize(columns + 1, String::new());
    cells.push(sample.iter().map(code).collect::<Vec<_>>().join(" "));
    cells
}

/// The patterns that read an index, in words.
pub(super) fn readers(index: &IndexChart) -> String {
    match index.patterns.as_slice() {
        [] => "no pattern".to_owned(),
        patterns => patterns.join(", "),
    }
}

/// The settings of a table and the capacity of its indexes, a sentence each. Settings that are not
/// declared are left out.
pub(super) fn table_facts(table: &Table) -> Vec<String> {
    let Table {
        name: _,
        span: _,
        end: _,
        is_shared: _,
        // The chart shows the key and the indexes.
        partition: _,
        sort: _,
        type_attribute,
        ttl_attribute,
        period,
        capacity,
        cooled,
        settings,
        indexes,
        delimiters: _,
    } = table;
    let Settings {
        stream,
        recovery,
        deletion_protection,
        class,
        tags,
    } = settings;
    let said = |is_said: bool, text: &str| is_said.then(|| text.to_owned());
    let all = [
        type_attribute
            .as_ref()
            .map(|name| format!("the kind of each item is in {name}")),
        ttl_attribute
            .as_ref()
            .map(|name| format!("items expire at {name}")),
        period.map(|unit| format!("one table for each {}", unit.word())),
        (*capacity != Capacity::OnDemand).then(|| format!("capacity: {capacity}")),
        cooled.map(|cooled| format!("capacity of past periods: {cooled}")),
        stream.map(|view| format!("stream: {}", view.words())),
        said(*recovery, "point in time recovery"),
        said(*deletion_protection, "deletion protection"),
        class.map(|class| format!("class: {}", class.words())),
    ];
    let of_indexes = indexes.iter().filter_map(|index| {
        let capacity = index.capacity?;
        Some(format!("capacity of {}: {capacity}", index.name))
    });
    let tags: Vec<String> = tags
        .iter()
        .map(|(key, value)| format!("{key} = {value}"))
        .collect();
    let tags = (!tags.is_empty()).then(|| format!("tags: {}", tags.join(", ")));
    all.into_iter()
        .flatten()
        .chain(of_indexes)
        .chain(tags)
        .collect()
}

/// A row for each attribute of an entity.
pub(super) fn attribute_rows(entity: &Entity) -> Vec<Vec<String>> {
    entity.attributes.iter().map(attribute_row).collect()
}

fn attribute_row(attribute: &Attribute) -> Vec<String> {
    let Attribute {
        name,
        span: _,
        kind,
        optional: may_lack,
        mark: _,
        default,
        refers,
        is_kept,
        was,
        former,
    } = attribute;
    let refers = refers
        .as_ref()
        .map(|(entity, of)| format!("of {entity}.{of}"));
    let default = default
        .as_ref()
        .filter(|_| !is_kept)
        .map(|default| format!("default {}", default_text(default)));
    let kept = is_kept.then(|| "kept by the model".to_owned());
    let former = former.as_ref().map(ToString::to_string);
    let names = (!was.is_empty()).then(|| was.join(" or "));
    let was = names.or(former).map(|was| format!("was {was}"));
    let notes = refers.into_iter().chain(default).chain(kept).chain(was);
    let notes: Vec<String> = notes.collect();
    vec![
        name.clone(),
        optional(&kind.to_string(), *may_lack),
        notes.join(", "),
    ]
}

/// A row for each nested type of a model, by name, with its fields.
pub(super) fn record_rows(model: &Model) -> Vec<Vec<String>> {
    let mut found: Vec<&Record> = Vec::new();
    let mut open: Vec<&Type> = model
        .entities
        .iter()
        .flat_map(|entity| &entity.attributes)
        .map(|attribute| &attribute.kind)
        .collect();
    while let Some(kind) = open.pop() {
        match kind {
            Type::List(of) | Type::Map(of) | Type::Set(of) => open.push(of),
            Type::Record(record) => {
                if !found.iter().any(|known| known.name == record.name) {
                    found.push(record);
                    open.extend(record.fields.iter().map(|(_, kind, _)| kind));
                }
            }
            Type::String
            | Type::Int
            | Type::Number
            | Type::Bool
            | Type::Time(_)
            | Type::Date
            | Type::Period(_)
            | Type::Binary
            | Type::Ulid
            | Type::Uuid
            | Type::Words(_) => {}
        }
    }
    found.sort_by(|one, two| one.name.cmp(&two.name));
    found.into_iter().map(record_row).collect()
}

fn record_row(record: &Record) -> Vec<String> {
    // The attribute that a field refers to shows as the field's type.
    let Record {
        name,
        fields,
        refers: _,
    } = record;
    let fields: Vec<String> = fields
        .iter()
        .map(|(name, kind, may_lack)| format!("{name}: {}", optional(&kind.to_string(), *may_lack)))
        .collect();
    vec![name.clone(), fields.join(", ")]
}

/// The declarations of an entity besides its attributes and keys, a sentence each.
pub(super) fn facts(model: &Model, entity: &Entity) -> Vec<String> {
    let Entity {
        name: _,
        was: _,
        part: _,
        span: _,
        end: _,
        is_shared: _,
        // The document has a section for each table.
        table: _,
        // `attribute_rows` shows them.
        attributes: _,
        by_name: _,
        touched: _,
        // `key_rows` shows them.
        key: _,
        // Its guard is among `uniques`.
        id: _,
        indexes: _,
        copies: _,
        uniques,
        ttl,
        version,
        // They are added below.
        aggregates: _,
        split,
        unstored,
        compressed,
        expected,
        // It follows from the key.
        period_attribute: _,
        excluded: _,
        origin: _,
        view: _,
    } = entity;
    let guarded = uniques.iter().map(|unique| {
        let names = unique.joined(" with ");
        if entity.is_id(unique) {
            let moving = entity.moving().join(", ");
            return format!("identified by {names}: it moves when {moving} of its key change");
        }
        format!("unique: {names}")
    });
    let mut facts: Vec<String> = view_line(model, entity)
        .into_iter()
        .chain(guarded)
        .collect();
    let aggregates = aggregates(model, entity).into_iter();
    facts.extend(aggregates.map(|one| format!("keeps {one}")));
    facts.extend(ttl.iter().map(|ttl| format!("expires at {ttl}")));
    facts.extend(
        version
            .iter()
            .map(|version| format!("versions are counted in {version}")),
    );
    facts.extend(
        split
            .iter()
            .map(|(name, count)| format!("{name} is split, {count} elements an item")),
    );
    facts.extend(expectation(expected));
    if !unstored.is_empty() {
        facts.push(format!("stored in keys only: {}", unstored.join(", ")));
    }
    if !compressed.is_empty() {
        facts.push(format!("stored as GZIP: {}", compressed.join(", ")));
    }
    facts
}

/// The declared numbers of an entity, in words.
fn expectation(expected: &Expected) -> Option<String> {
    let Expected {
        items,
        bytes,
        writes,
        per,
        span: _,
    } = expected;
    let totals = [
        items.map(|count| format!("{count} items")),
        bytes.map(|count| format!("{count} bytes")),
        writes.map(|count| format!("{count} writes a second")),
    ];
    let per = per
        .iter()
        .map(|(name, count)| format!("{count} per {name}"));
    let numbers: Vec<String> = totals.into_iter().flatten().chain(per).collect();
    (!numbers.is_empty()).then(|| format!("expected: {}", numbers.join(", ")))
}

/// A row for each named write.
pub(super) fn write_rows(chart: &Chart) -> Vec<Vec<String>> {
    chart.writes.iter().map(write_row).collect()
}

fn write_row(row: &WriteRow) -> Vec<String> {
    let WriteRow {
        name,
        parameters,
        actions,
        // The page is about meaning; `check` shows the requests.
        requests: _,
    } = row;
    let parameters: Vec<String> = parameters
        .iter()
        .map(|(name, kind)| format!("{name}: {kind}"))
        .collect();
    vec![name.clone(), parameters.join(", "), actions.join("; ")]
}
