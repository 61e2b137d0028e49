//! The design at a glance: each pattern with its request, each entity with its keys and a sample,
//! each index with the entities and patterns that share it.

mod files;
mod pattern;
mod rows;
mod table;

pub use crate::words::whole_promise;
pub use rows::{
    ExcludedRow, FileRow, IndexChart, KeyRow, PatternRow, TableChart, ViewRow, WriteRow,
};

use crate::view::{ViewText, view_text};
use crate::words::{action_text, optional};
use files::file_rows;
use keyfold_model::schema::WriteParameter;
use keyfold_model::{Entity, Model, Write};
use pattern::pattern_rows;
use rows::parameters_json;
use serde_json::{Value as Json, json};
use table::table_chart;

/// A checked model as rows for people and programs.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// The model's name.
    pub model: String,
    /// Its version.
    pub version: u32,
    /// The files with their owners; none of a model of one file that names no owner.
    pub files: Vec<FileRow>,
    /// A row for each pattern and each choice of its optional parameters.
    pub patterns: Vec<PatternRow>,
    /// The tables with their keys and indexes.
    pub tables: Vec<TableChart>,
    /// What texts in keys must not contain.
    pub excluded: Vec<ExcludedRow>,
    /// The views.
    pub views: Vec<ViewRow>,
    /// The named writes.
    pub writes: Vec<WriteRow>,
}

impl Chart {
    /// The chart of a model.
    pub fn of(model: &Model) -> Chart {
        let Model {
            name,
            version,
            // `file_rows` shows them.
            files: _,
            tables,
            // The tables show their keys.
            entities,
            // It follows from the entities.
            counted: _,
            patterns,
            writes,
        } = model;
        let patterns = patterns
            .iter()
            .flat_map(|pattern| pattern_rows(model, pattern));
        let tables = tables.iter().enumerate();
        Chart {
            model: name.clone(),
            version: *version,
            files: file_rows(model),
            patterns: patterns.collect(),
            tables: tables
                .map(|(at, table)| table_chart(model, at, table))
                .collect(),
            excluded: entities.iter().flat_map(excluded_rows).collect(),
            views: entities
                .iter()
                .filter_map(|entity| view_row(model, entity))
                .collect(),
            writes: writes.iter().map(|write| write_row(model, write)).collect(),
        }
    }

    /// The chart as JSON, for programs.
    pub fn json(&self) -> Json {
        json!({
            "model": self.model,
            "version": self.version,
            "files": self.files.iter().map(FileRow::json).collect::<Vec<_>>(),
            "patterns": self.patterns.iter().map(PatternRow::json).collect::<Vec<_>>(),
            "tables": self.tables.iter().map(TableChart::json).collect::<Vec<_>>(),
            "excluded": self.excluded.iter().map(ExcludedRow::json).collect::<Vec<_>>(),
            "views": self.views.iter().map(ViewRow::json).collect::<Vec<_>>(),
            "writes": self.writes.iter().map(|write| json!({
                "name": write.name,
                "parameters": parameters_json(&write.parameters),
                "actions": write.actions,
                "requests": write.requests,
            })).collect::<Vec<_>>(),
        })
    }
}

/// What the texts of an entity exclude, a row for each attribute and template.
fn excluded_rows(entity: &Entity) -> Vec<ExcludedRow> {
    let mut rows: Vec<ExcludedRow> = Vec::new();
    for one in &entity.excluded {
        let same =
            |row: &&mut ExcludedRow| row.attribute == one.attribute && row.template == one.template;
        match rows.iter_mut().find(same) {
            Some(row) => row.characters.push(one.character),
            None => rows.push(ExcludedRow {
                entity: entity.name.clone(),
                attribute: one.attribute.clone(),
                characters: one.character.to_string(),
                template: one.template.clone(),
            }),
        }
    }
    rows
}

fn view_row(model: &Model, entity: &Entity) -> Option<ViewRow> {
    let ViewText { of, columns, cost } = view_text(model, entity)?;
    Some(ViewRow {
        name: entity.name.clone(),
        of,
        columns,
        cost,
    })
}

fn write_row(model: &Model, write: &Write) -> WriteRow {
    let requests = model.requests(write);
    let Write {
        name,
        span: _,
        parameters,
        actions,
    } = write;
    let parameter = |parameter: &WriteParameter| {
        let WriteParameter {
            name,
            kind,
            optional: may_lack,
            // A `now` may be left out.
            is_now: _,
        } = parameter;
        (optional(name, *may_lack), kind.to_string())
    };
    WriteRow {
        name: name.clone(),
        parameters: parameters.iter().map(parameter).collect(),
        actions: actions
            .iter()
            .map(|action| action_text(model, actions, action))
            .collect(),
        requests,
    }
}
