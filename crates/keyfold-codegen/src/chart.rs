//! The design at a glance: each pattern with its request, each entity with its keys and a sample,
//! each index with the entities and patterns that share it.

use crate::sample;
use crate::words::{action_text, optional, sparse_text, templates};
use keyfold_model::check::estimate::{item_bytes, projected_bytes};
use keyfold_model::schema::{
    GUARD_SORT, Limit, Parameter, Projection, RequestKind, WriteParameter, guard_parts,
};
use keyfold_model::template::print;
use keyfold_model::{
    Copy, Entity, Fan, Index, IndexKey, IndexKind, KeyTemplate, Model, Part, Pattern, PatternPlan,
    Table, Write, value,
};
use keyfold_types::capacity::{CapacityHalves, ReadRate};
use serde_json::{Value as Json, json};

pub use crate::words::promise;

/// A checked model as rows for people and programs.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// The model's name.
    pub model: String,
    /// Its version.
    pub version: u32,
    /// A row for each pattern and each choice of its optional parameters.
    pub patterns: Vec<PatternRow>,
    /// The tables with their keys and indexes.
    pub tables: Vec<TableChart>,
    /// The named writes.
    pub writes: Vec<WriteRow>,
}

/// A pattern and its request.
#[derive(Debug, Clone, PartialEq)]
pub struct PatternRow {
    /// Its name.
    pub name: String,
    /// The optional parameters that this row leaves out.
    pub without: Vec<String>,
    /// Names and types of the parameters; the name of an optional one ends in `?`.
    pub parameters: Vec<(String, String)>,
    /// The promised result: `Order[]`.
    pub returns: String,
    /// The operation.
    pub request: String,
    /// The table.
    pub table: String,
    /// The index, if the request reads one.
    pub index: Option<String>,
    /// Table and index as one word.
    pub place: String,
    /// The key condition.
    pub key_condition: String,
    /// Whether the items come in descending order of their sort keys.
    pub is_descending: bool,
    /// Items a page.
    pub page: Option<u32>,
    /// Requests a page, in words.
    pub requests: String,
    /// Read units a page, estimated from the declared or guessed size of the items; `None` when
    /// the number of items is not known.
    pub units: Option<f64>,
    /// `strong` or `eventual`.
    pub consistency: &'static str,
    /// Conditions that are applied after reading.
    pub filters: Vec<String>,
}

/// A table: its key, the kinds of items in it, and its indexes.
#[derive(Debug, Clone, PartialEq)]
pub struct TableChart {
    /// Its name.
    pub name: String,
    /// Its key attributes.
    pub key: Vec<String>,
    /// A row for each kind of item.
    pub rows: Vec<KeyRow>,
    /// Its indexes.
    pub indexes: Vec<IndexChart>,
}

/// An index with the entities and patterns that share it.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexChart {
    /// Its name.
    pub name: String,
    /// `local` or `global`.
    pub kind: &'static str,
    /// Its key attributes.
    pub key: Vec<String>,
    /// The number of them that make the partition key.
    pub partition_count: usize,
    /// A row for each kind of item in it.
    pub rows: Vec<KeyRow>,
    /// The patterns that read it.
    pub patterns: Vec<String>,
}

/// A kind of item and its key.
#[derive(Debug, Clone, PartialEq)]
pub struct KeyRow {
    /// `Order`, `Order.summary`, `unique User.email`.
    pub kind: String,
    /// The templates of its key attributes.
    pub templates: Vec<String>,
    /// The key of a sample item.
    pub sample: Vec<String>,
    /// The condition under which an item is there; `None` if all are.
    pub only: Option<String>,
}

/// A named write.
#[derive(Debug, Clone, PartialEq)]
pub struct WriteRow {
    /// Its name.
    pub name: String,
    /// Names and types of its parameters; the name of an optional one ends in `?`.
    pub parameters: Vec<(String, String)>,
    /// Its actions, in words.
    pub actions: Vec<String>,
}

impl Chart {
    /// The chart of a model.
    pub fn of(model: &Model) -> Chart {
        let Model {
            name,
            version,
            tables,
            // In the rows of their tables.
            entities: _,
            patterns,
            writes,
        } = model;
        let patterns = patterns.iter().flat_map(|pattern| {
            pattern
                .plans()
                .map(move |(without, plan)| pattern_row(model, pattern, without, plan))
        });
        let tables = tables.iter().enumerate();
        Chart {
            model: name.clone(),
            version: *version,
            patterns: patterns.collect(),
            tables: tables
                .map(|(at, table)| table_chart(model, at, table))
                .collect(),
            writes: writes.iter().map(|write| write_row(model, write)).collect(),
        }
    }

    /// The chart for programs.
    pub fn json(&self) -> Json {
        json!({
            "model": self.model,
            "version": self.version,
            "patterns": self.patterns.iter().map(PatternRow::json).collect::<Vec<_>>(),
            "tables": self.tables.iter().map(TableChart::json).collect::<Vec<_>>(),
            "writes": self.writes.iter().map(|write| json!({
                "name": write.name,
                "parameters": parameters_json(&write.parameters),
                "actions": write.actions,
            })).collect::<Vec<_>>(),
        })
    }
}

fn parameters_json(parameters: &[(String, String)]) -> Json {
    let one = |(name, kind): &(String, String)| {
        let plain = name.trim_end_matches('?');
        json!({ "name": plain, "type": kind, "optional": plain != name })
    };
    parameters.iter().map(one).collect()
}

impl IndexChart {
    /// Its key as the language writes it: `(city, at)`, or `((country, city), at)`.
    pub fn key_text(&self) -> String {
        let group = |names: &[String]| match names {
            [one] => one.clone(),
            several => format!("({})", several.join(", ")),
        };
        match self.key.split_at(self.partition_count.min(self.key.len())) {
            (partition, []) => group(partition),
            (partition, sort) => format!("{}, {}", group(partition), group(sort)),
        }
    }
}

impl PatternRow {
    fn json(&self) -> Json {
        json!({
            "name": self.name,
            "without": self.without,
            "parameters": parameters_json(&self.parameters),
            "returns": self.returns,
            "request": self.request,
            "table": self.table,
            "index": self.index,
            "keyCondition": self.key_condition,
            "order": if self.is_descending { "descending" } else { "ascending" },
            "page": self.page,
            "requestsPerPage": self.requests.parse::<u32>().map_or_else(|_| json!(self.requests), |count| json!(count)),
            "unitsPerPage": self.units,
            "consistency": self.consistency,
            "filters": self.filters,
        })
    }

    /// The name with the parameters that are left out: `results without raceId`.
    pub fn title(&self) -> String {
        match self.without.as_slice() {
            [] => self.name.clone(),
            absent => format!("{} without {}", self.name, absent.join(", ")),
        }
    }
}

impl TableChart {
    fn json(&self) -> Json {
        let rows = |rows: &[KeyRow]| -> Json {
            rows.iter()
                .map(|row| json!({ "kind": row.kind, "templates": row.templates, "sample": row.sample, "only": row.only }))
                .collect()
        };
        json!({
            "name": self.name,
            "key": self.key,
            "items": rows(&self.rows),
            "indexes": self.indexes.iter().map(|index| json!({
                "name": index.name,
                "kind": index.kind,
                "key": index.key,
                "items": rows(&index.rows),
                "patterns": index.patterns,
            })).collect::<Vec<_>>(),
        })
    }
}

/// The row of a pattern when these optional parameters are left out.
fn pattern_row(
    model: &Model,
    pattern: &Pattern,
    without: &[String],
    plan: &PatternPlan,
) -> PatternRow {
    let PatternPlan {
        request,
        table,
        index,
        // In `place`.
        period: _,
        // In `key_condition`.
        partition_attributes: _,
        partition: _,
        sort_attributes: _,
        sort: _,
        // In `requests`.
        fan: _,
        descending,
        ordered_by: _,
        is_reversed: _,
        page,
        strong,
        // In the promise.
        only: _,
        filters,
    } = plan;
    let given = pattern
        .parameters
        .iter()
        .filter(|parameter| !without.contains(&parameter.name));
    PatternRow {
        name: pattern.name.clone(),
        without: without.to_vec(),
        parameters: given.map(parameter_row).collect(),
        returns: promise(model, pattern),
        request: request.to_string(),
        table: table.clone(),
        index: index.clone(),
        place: plan.place(),
        key_condition: plan.key_condition(),
        is_descending: *descending,
        page: *page,
        requests: plan.requests(),
        units: units(model, pattern, plan),
        consistency: if *strong { "strong" } else { "eventual" },
        filters: filters.iter().map(ToString::to_string).collect(),
    }
}

fn parameter_row(parameter: &Parameter) -> (String, String) {
    let may_lack = parameter.optional || parameter.is_now();
    (
        optional(&parameter.name, may_lack),
        parameter.kind.to_string(),
    )
}

/// Read units of one page, as far as the number of items is known.
fn units(model: &Model, pattern: &Pattern, plan: &PatternPlan) -> Option<f64> {
    let rate = if plan.strong {
        ReadRate::Strong
    } else {
        ReadRate::Eventual
    };
    let largest = pattern
        .returned
        .iter()
        .filter_map(|returned| model.entities.get(returned.entity))
        .map(|entity| read_bytes(model, plan, entity))
        .max()?;
    let bytes = match (plan.request, plan.page) {
        (RequestKind::GetItem, _) => largest,
        (RequestKind::Query, Some(page)) => largest * u64::from(page),
        (RequestKind::Query, None) if pattern.is_single() => largest,
        (RequestKind::Query, None) => answer_bytes(model, pattern)?,
        (RequestKind::BatchGetItem | RequestKind::Scan, _) => return None,
    };
    // Each shard reads a page of its own. The number of periods depends on the arguments.
    let requests = match plan.fan {
        Fan::One => 1,
        Fan::Shards(count) => u64::from(count),
        Fan::Periods { .. } => return None,
    };
    Some(CapacityHalves(CapacityHalves::read(bytes, rate).0 * requests).units())
}

/// Bytes of an item as a plan reads it: in an index, only what the index holds.
fn read_bytes(model: &Model, plan: &PatternPlan, entity: &Entity) -> u64 {
    let table = model.tables.iter().find(|table| table.name == plan.table);
    let index = table.and_then(|table| {
        let is_read = |index: &&Index| Some(&index.name) == plan.index.as_ref();
        table.indexes.iter().find(is_read)
    });
    match index.map(|index| &index.projection) {
        Some(Projection::Only(names)) => projected_bytes(entity, names),
        Some(Projection::Keys) => projected_bytes(entity, &[]),
        Some(Projection::All) | None => item_bytes(entity),
    }
}

/// Bytes of all items that a pattern returns, where their number is declared.
fn answer_bytes(model: &Model, pattern: &Pattern) -> Option<u64> {
    let is_given = |name: &String| {
        pattern
            .parameters
            .iter()
            .any(|p| p.limit == Limit::Equal && p.attribute == *name)
    };
    let mut sum = 0;
    for returned in &pattern.returned {
        let entity = model.entities.get(returned.entity)?;
        let count = if returned.many {
            let mut per = entity.expected.per.iter();
            per.find(|(name, _)| is_given(name))
                .map(|(_, count)| *count)?
        } else {
            1
        };
        sum += count * item_bytes(entity);
    }
    Some(sum)
}

/// The chart of the table at this place in the model.
fn table_chart(model: &Model, at: usize, table: &Table) -> TableChart {
    let entities: Vec<&Entity> = model
        .entities
        .iter()
        .filter(|entity| entity.table == at)
        .collect();
    let key = std::iter::once(&table.partition).chain(&table.sort);
    let indexes = table.indexes.iter().enumerate();
    TableChart {
        name: table.name.clone(),
        key: key.map(|column| column.name.clone()).collect(),
        rows: entities
            .iter()
            .flat_map(|entity| item_rows(table, entity))
            .collect(),
        indexes: indexes
            .map(|(place, index)| index_chart(model, table, &entities, (place, index)))
            .collect(),
    }
}

/// The rows of an entity's items in its table: the entity, its copies and its guards.
fn item_rows(table: &Table, entity: &Entity) -> Vec<KeyRow> {
    let name = &entity.name;
    let mut rows = vec![key_row(table, entity, name.clone(), templates(&entity.key))];
    rows.extend(entity.copies.iter().map(|copy| {
        let Copy {
            name: copy_name,
            span: _,
            key,
            attributes: _,
        } = copy;
        key_row(table, entity, format!("{name}.{copy_name}"), templates(key))
    }));
    rows.extend(entity.uniques.iter().map(|unique| {
        let partition = KeyTemplate {
            parts: guard_parts(entity, unique),
            span: entity.span,
        };
        let sort = table
            .sort
            .as_ref()
            .map(|_| KeyTemplate::of_text(GUARD_SORT, entity.span));
        let kind = format!("unique {name}.{}", unique.join("+"));
        key_row(
            table,
            entity,
            kind,
            std::iter::once(&partition).chain(&sort),
        )
    }));
    rows
}

/// The chart of an index at this place in the table.
fn index_chart(
    model: &Model,
    table: &Table,
    entities: &[&Entity],
    (place, index): (usize, &Index),
) -> IndexChart {
    let mut rows = Vec::new();
    for entity in entities {
        for one in entity.indexes.iter().filter(|one| one.index == place) {
            let IndexKey {
                index: _,
                key,
                sparse,
                is_declared: _,
            } = one;
            let mut row = key_row(table, entity, entity.name.clone(), templates(key));
            row.only = sparse.as_ref().map(|sparse| match &sparse.value {
                Some(_) => sparse_text(sparse),
                None => format!("with {}", sparse_text(sparse)),
            });
            rows.push(row);
        }
    }
    let reads = |pattern: &&Pattern| {
        pattern
            .plans()
            .any(|(_, plan)| plan.table == table.name && plan.index.as_ref() == Some(&index.name))
    };
    IndexChart {
        name: index.name.clone(),
        kind: match index.kind {
            IndexKind::Local => "local",
            IndexKind::Global => "global",
        },
        key: index.columns().map(|column| column.name.clone()).collect(),
        partition_count: index.partition.len(),
        rows,
        patterns: model
            .patterns
            .iter()
            .filter(reads)
            .map(|pattern| pattern.name.clone())
            .collect(),
    }
}

/// The row of a kind of item with this key.
fn key_row<'k>(
    table: &Table,
    entity: &Entity,
    kind: String,
    key: impl Iterator<Item = &'k KeyTemplate>,
) -> KeyRow {
    let values = sample::values(entity);
    let columns: Vec<&[Part]> = key.flat_map(KeyTemplate::columns).collect();
    let sample = |parts: &[Part]| {
        value::column(parts, &values, &table.delimiters)
            .map_or_else(|_| print(parts), |made| value::display(&made))
    };
    KeyRow {
        kind,
        templates: columns.iter().map(|parts| print(parts)).collect(),
        sample: columns.iter().map(|parts| sample(parts)).collect(),
        only: None,
    }
}

fn write_row(model: &Model, write: &Write) -> WriteRow {
    let Write {
        name,
        span: _,
        parameters,
        actions,
    } = write;
    let parameter = |parameter: &WriteParameter| {
        (
            optional(&parameter.name, parameter.optional),
            parameter.kind.to_string(),
        )
    };
    WriteRow {
        name: name.clone(),
        parameters: parameters.iter().map(parameter).collect(),
        actions: actions
            .iter()
            .map(|action| action_text(model, action))
            .collect(),
    }
}
