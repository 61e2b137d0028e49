//! The rows of a chart, and their JSON.

use serde_json::{Value as Json, json};

/// A file of the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRow {
    /// Its path from the folder of the first file.
    pub file: String,
    /// The owner that it names.
    pub owner: Option<String>,
    /// The tables, entities and records that other files may use.
    pub shared: Vec<String>,
    /// Its other tables, entities and records.
    pub private: Vec<String>,
    /// Its patterns.
    pub patterns: Vec<String>,
    /// Its named writes.
    pub writes: Vec<String>,
}

impl FileRow {
    pub(super) fn json(&self) -> Json {
        let FileRow {
            file,
            owner,
            shared,
            private,
            patterns,
            writes,
        } = self;
        json!({
            "file": file,
            "fileOwner": owner,
            "shared": shared,
            "private": private,
            "patterns": patterns,
            "writes": writes,
        })
    }
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

/// Characters that an attribute's text must not contain, because of a key that it is in.
#[derive(Debug, Clone, PartialEq)]
pub struct ExcludedRow {
    /// The entity.
    pub entity: String,
    /// The attribute.
    pub attribute: String,
    /// The characters.
    pub characters: String,
    /// The template that forces it: its own, or that of a kind whose keys would be the same.
    pub template: String,
}

/// A view: what it is kept from, and what that costs.
#[derive(Debug, Clone, PartialEq)]
pub struct ViewRow {
    /// The view.
    pub name: String,
    /// Its source, with its conditions.
    pub of: String,
    /// The attributes of its rows, and what they are made of.
    pub columns: Vec<(String, String)>,
    /// What a change of its source costs.
    pub cost: String,
}

impl ViewRow {
    pub(super) fn json(&self) -> Json {
        let column = |(name, from): &(String, String)| json!({ "name": name, "from": from });
        let columns: Vec<Json> = self.columns.iter().map(column).collect();
        json!({ "name": self.name, "of": self.of, "columns": columns, "cost": self.cost })
    }
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
    /// Its requests: `UpdateItem`, or `GetItem, then TransactWriteItems`.
    pub requests: String,
}

/// Parameters as JSON: name, type, and whether it is optional.
pub(super) fn parameters_json(parameters: &[(String, String)]) -> Json {
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
    pub(super) fn json(&self) -> Json {
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
    pub(super) fn json(&self) -> Json {
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

impl ExcludedRow {
    pub(super) fn json(&self) -> Json {
        json!({
            "entity": self.entity,
            "attribute": self.attribute,
            "characters": self.characters,
            "template": self.template,
        })
    }
}
