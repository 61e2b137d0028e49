//! The design at a glance: each pattern with its request, each entity with its keys and a sample,
//! and what shares an index.

use crate::sample;
use keyfold_model::check::estimate::{item_bytes, projected_bytes};
use keyfold_model::schema::RequestKind;
use keyfold_model::schema::{Aggregate, GUARD_SORT, Limit, Projection, guard_parts};
use keyfold_model::template::print;
use keyfold_model::{
    Entity, Fan, IndexKind, KeyTemplate, Model, Pattern, PatternPlan, Table, Verb, Write, value,
};
use serde_json::{Value as Json, json};

/// A checked model as rows for people and programs.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// The model's name.
    pub model: String,
    /// Its version.
    pub version: u32,
    /// A row for each pattern, and for each choice of its optional parameters.
    pub patterns: Vec<PatternRow>,
    /// What lies in each table, under which keys.
    pub tables: Vec<TableChart>,
    /// The named writes.
    pub writes: Vec<WriteRow>,
}

/// A pattern and how it is served.
#[derive(Debug, Clone, PartialEq)]
pub struct PatternRow {
    /// Its name.
    pub name: String,
    /// The optional parameters that are left out.
    pub without: Vec<String>,
    /// Parameters and their types.
    pub parameters: Vec<(String, String)>,
    /// What it promises: `Order[]`.
    pub returns: String,
    /// The operation.
    pub request: String,
    /// The table.
    pub table: String,
    /// The index, if it reads one.
    pub index: Option<String>,
    /// Table and index as one word.
    pub place: String,
    /// The key condition.
    pub key_condition: String,
    /// `ascending` or `descending`.
    pub order: &'static str,
    /// Items a page.
    pub page: Option<u32>,
    /// Requests a page, in words.
    pub requests: String,
    /// Read units a page, estimated from the declared or guessed size of the items; none where it
    /// depends on their number.
    pub units: Option<f64>,
    /// `strong` or `eventual`.
    pub consistency: &'static str,
    /// What is thrown away after reading.
    pub filters: Vec<String>,
}

/// What lies in a table.
#[derive(Debug, Clone, PartialEq)]
pub struct TableChart {
    /// The table.
    pub name: String,
    /// Its key attributes.
    pub key: Vec<String>,
    /// A row for each kind of item.
    pub rows: Vec<KeyRow>,
    /// Its indexes.
    pub indexes: Vec<IndexChart>,
}

/// An index and what shares it.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexChart {
    /// The index.
    pub name: String,
    /// `local` or `global`.
    pub kind: &'static str,
    /// Its key attributes.
    pub key: Vec<String>,
    /// How many of them make the partition key.
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
    /// Which items are there, if not all.
    pub only: Option<String>,
}

/// A named write.
#[derive(Debug, Clone, PartialEq)]
pub struct WriteRow {
    /// Its name.
    pub name: String,
    /// Parameters and their types.
    pub parameters: Vec<(String, String)>,
    /// Its actions in words.
    pub actions: Vec<String>,
}

impl Chart {
    /// The chart of a model.
    pub fn of(model: &Model) -> Chart {
        let patterns = model.patterns.iter().flat_map(|pattern| {
            pattern
                .plans()
                .map(move |(without, plan)| pattern_row(model, pattern, without, plan))
        });
        let tables = model
            .tables
            .iter()
            .enumerate()
            .map(|(at, table)| table_chart(model, at, table));
        Chart {
            model: model.name.clone(),
            version: model.version,
            patterns: patterns.collect(),
            tables: tables.collect(),
            writes: model
                .writes
                .iter()
                .map(|write| write_row(model, write))
                .collect(),
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
            "order": self.order,
            "page": self.page,
            "requestsPerPage": self.requests.parse::<u32>().map_or_else(|_| json!(self.requests), |count| json!(count)),
            "unitsPerPage": self.units,
            "consistency": self.consistency,
            "filters": self.filters,
        })
    }

    /// The name, with what is left out: `results without raceId`.
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

/// What a pattern promises: one item, perhaps one, or any number of each kind.
pub fn promise(model: &Model, pattern: &Pattern) -> String {
    let one = |returned: &keyfold_model::Returned| {
        let Some(entity) = model.entities.get(returned.entity) else {
            return String::new();
        };
        let copy = returned
            .copy
            .and_then(|at| entity.copies.get(at))
            .map_or(String::new(), |copy| format!(".{}", copy.name));
        let count = match (returned.many, returned.optional) {
            (true, _) => "[]",
            (false, true) => "?",
            (false, false) => "",
        };
        format!("{}{copy}{count}", entity.name)
    };
    let all = pattern
        .returned
        .iter()
        .map(one)
        .collect::<Vec<_>>()
        .join(" + ");
    match pattern.only.as_slice() {
        [] => all,
        only => format!("{all} only {}", only.join(", ")),
    }
}

fn pattern_row(
    model: &Model,
    pattern: &Pattern,
    without: &[String],
    plan: &PatternPlan,
) -> PatternRow {
    let given = pattern
        .parameters
        .iter()
        .filter(|parameter| !without.contains(&parameter.name));
    PatternRow {
        name: pattern.name.clone(),
        without: without.to_vec(),
        parameters: given
            .map(|p| {
                (
                    optional(&p.name, p.optional || p.is_now()),
                    p.kind.to_string(),
                )
            })
            .collect(),
        returns: promise(model, pattern),
        request: plan.request.to_string(),
        table: plan.table.clone(),
        index: plan.index.clone(),
        place: plan.place(),
        key_condition: plan.key_condition(),
        order: if plan.descending {
            "descending"
        } else {
            "ascending"
        },
        page: plan.page,
        requests: plan.requests(),
        units: units(model, pattern, plan),
        consistency: if plan.strong { "strong" } else { "eventual" },
        filters: plan.filters.iter().map(ToString::to_string).collect(),
    }
}

/// Read units of one page: the items' bytes in steps of 4 KB, half of it when read eventually.
fn units(model: &Model, pattern: &Pattern, plan: &PatternPlan) -> Option<f64> {
    let halves = |bytes: u64| bytes.div_ceil(4_096).max(1) * if plan.strong { 2 } else { 1 };
    let table = model.tables.iter().find(|table| table.name == plan.table);
    let index = table.and_then(|table| {
        table
            .indexes
            .iter()
            .find(|index| Some(&index.name) == plan.index.as_ref())
    });
    let bytes = |at: usize| {
        model
            .entities
            .get(at)
            .map_or(0, |entity| match index.map(|index| &index.projection) {
                Some(Projection::Only(names)) => projected_bytes(entity, names),
                Some(Projection::Keys) => projected_bytes(entity, &[]),
                Some(Projection::All) | None => item_bytes(entity),
            })
    };
    let largest = pattern
        .returned
        .iter()
        .map(|returned| bytes(returned.entity))
        .max()?;
    let halves = match (plan.request, plan.page) {
        (RequestKind::GetItem, _) => halves(largest),
        (RequestKind::Query, Some(page)) => halves(largest * u64::from(page)),
        (RequestKind::Query, None) if pattern.is_single() => halves(largest),
        (RequestKind::Query, None) => halves(expected(model, pattern)?),
        (RequestKind::BatchGetItem | RequestKind::Scan, _) => return None,
    };
    // Each shard reads a page of its own; how many periods there are is not known before.
    let requests = match plan.fan {
        Fan::One => 1,
        Fan::Shards(count) => u64::from(count),
        Fan::Periods { .. } => return None,
    };
    Some((halves * requests) as f64 / 2.0)
}

/// Bytes of a whole answer, where the number of items is declared.
fn expected(model: &Model, pattern: &Pattern) -> Option<u64> {
    let given = |name: &String| {
        pattern
            .parameters
            .iter()
            .any(|p| p.limit == Limit::Equal && p.attribute == *name)
    };
    let mut sum = 0;
    for returned in &pattern.returned {
        let entity = model.entities.get(returned.entity)?;
        let count = match returned.many {
            false => 1,
            true => entity
                .expected
                .per
                .iter()
                .find(|(name, _)| given(name))
                .map(|(_, count)| *count)?,
        };
        sum += count * item_bytes(entity);
    }
    Some(sum)
}

fn table_chart(model: &Model, at: usize, table: &Table) -> TableChart {
    let entities: Vec<&Entity> = model
        .entities
        .iter()
        .filter(|entity| entity.table == at)
        .collect();
    let mut rows = Vec::new();
    for entity in &entities {
        let key = |partition: &KeyTemplate, sort: Option<&KeyTemplate>| {
            (vec![partition.clone()], sort.cloned())
        };
        let (partition, sort) = key(&entity.key.partition, entity.key.sort.as_ref());
        rows.push(row(
            table,
            entity,
            entity.name.clone(),
            &partition,
            sort.as_ref(),
            None,
        ));
        for copy in &entity.copies {
            let (partition, sort) = key(&copy.key.partition, copy.key.sort.as_ref());
            let kind = format!("{}.{}", entity.name, copy.name);
            rows.push(row(table, entity, kind, &partition, sort.as_ref(), None));
        }
        for unique in &entity.uniques {
            let partition = KeyTemplate {
                parts: guard_parts(entity, unique),
                span: entity.span,
            };
            let sort = table
                .sort
                .as_ref()
                .map(|_| KeyTemplate::of_text(GUARD_SORT, entity.span));
            let kind = format!("unique {}.{}", entity.name, unique.join("+"));
            rows.push(row(table, entity, kind, &[partition], sort.as_ref(), None));
        }
    }
    let indexes = table.indexes.iter().enumerate().map(|(place, index)| {
        let mut rows = Vec::new();
        for entity in &entities {
            for key in entity.indexes.iter().filter(|key| key.index == place) {
                let only = key.sparse.as_ref().map(|sparse| match &sparse.value {
                    Some(value) => format!("{} = {value}", sparse.attribute),
                    None => format!("with {}", sparse.attribute),
                });
                let partition = [key.key.partition.clone()];
                rows.push(row(
                    table,
                    entity,
                    entity.name.clone(),
                    &partition,
                    key.key.sort.as_ref(),
                    only,
                ));
            }
        }
        let reads = |pattern: &&Pattern| {
            pattern.plans().any(|(_, plan)| {
                plan.table == table.name && plan.index.as_ref() == Some(&index.name)
            })
        };
        IndexChart {
            name: index.name.clone(),
            kind: if index.kind == IndexKind::Local {
                "local"
            } else {
                "global"
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
    });
    let key = std::iter::once(&table.partition).chain(&table.sort);
    TableChart {
        name: table.name.clone(),
        key: key.map(|column| column.name.clone()).collect(),
        rows,
        indexes: indexes.collect(),
    }
}

fn row(
    table: &Table,
    entity: &Entity,
    kind: String,
    partition: &[KeyTemplate],
    sort: Option<&KeyTemplate>,
    only: Option<String>,
) -> KeyRow {
    let values = sample::values(entity);
    let templates: Vec<&KeyTemplate> = partition.iter().chain(sort).collect();
    let columns = || templates.iter().flat_map(|template| template.columns());
    let made = |parts: &[keyfold_model::Part]| {
        value::column(parts, &values, &table.delimiters)
            .map_or_else(|_| print(parts), |made| value::display(&made))
    };
    KeyRow {
        kind,
        templates: columns().map(print).collect(),
        sample: columns().map(made).collect(),
        only,
    }
}

/// A parameter's name, with `?` behind it where it may be left out.
fn optional(name: &str, may_lack: bool) -> String {
    if may_lack {
        format!("{name}?")
    } else {
        name.to_owned()
    }
}

pub(crate) fn write_row(model: &Model, write: &Write) -> WriteRow {
    let parameter = |parameter: &keyfold_model::schema::WriteParameter| {
        (
            optional(&parameter.name, parameter.optional),
            parameter.kind.to_string(),
        )
    };
    let action = |action: &keyfold_model::Action| {
        let entity = model
            .entities
            .get(action.entity)
            .map_or("", |entity| entity.name.as_str());
        let mut text = format!("{} {entity}", action.verb.word());
        if let Some(each) = &action.each {
            text.push_str(&format!(" for each of {each}"));
        }
        if action.verb == Verb::Update {
            let changes = action.assignments.iter().map(assignment);
            let removed = action.removed.iter().map(|name| format!("remove {name}"));
            text.push_str(&format!(
                " ({})",
                changes.chain(removed).collect::<Vec<_>>().join(", ")
            ));
        }
        let conditions: Vec<String> = action.conditions.iter().map(ToString::to_string).collect();
        if !conditions.is_empty() {
            text.push_str(&format!(" if {}", conditions.join(" and ")));
        }
        text
    };
    WriteRow {
        name: write.name.clone(),
        parameters: write.parameters.iter().map(parameter).collect(),
        actions: write.actions.iter().map(action).collect(),
    }
}

fn assignment(one: &keyfold_model::schema::Assignment) -> String {
    let right = one.right.as_ref().map_or(String::new(), |(plus, operand)| {
        format!(" {} {operand}", if *plus { "+" } else { "-" })
    });
    format!("{} = {}{right}", one.attribute, one.left)
}

/// What an entity keeps of others, in words: `orders: count of Order`.
pub fn aggregates(model: &Model, entity: &Entity) -> Vec<String> {
    let one = |aggregate: &Aggregate| {
        let child = model
            .entities
            .get(aggregate.entity)
            .map_or("", |child| child.name.as_str());
        let of = aggregate
            .of
            .as_ref()
            .map_or(String::new(), |of| format!(".{of}"));
        let condition = aggregate.condition.as_ref();
        let condition = condition.map_or(String::new(), |(name, text)| {
            format!(" where {name} = {text}")
        });
        let by = match aggregate.by.as_slice() {
            [] => String::new(),
            names => format!(" by {}", names.join(", ")),
        };
        format!(
            "{}: {} of {child}{of}{by}{condition}",
            aggregate.attribute,
            aggregate.kind.word()
        )
    };
    entity.aggregates.iter().map(one).collect()
}
