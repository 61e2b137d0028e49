//! The files of a model with their owners, and what each declares.

use super::rows::FileRow;
use keyfold_model::{Model, Span};

/// A row for each file of a model; none for a model of one file that names no owner.
pub(super) fn file_rows(model: &Model) -> Vec<FileRow> {
    if model.files.len() < 2 && model.files.iter().all(|file| file.owner.is_none()) {
        return Vec::new();
    }
    let files = model.files.iter();
    let mut rows: Vec<FileRow> = files
        .map(|file| FileRow {
            file: file.name.clone(),
            owner: file.owner.clone(),
            shared: Vec::new(),
            private: Vec::new(),
            patterns: Vec::new(),
            writes: Vec::new(),
        })
        .collect();
    let mut add = |span: Span, list: fn(&mut FileRow) -> &mut Vec<String>, what: String| {
        let file = model
            .files
            .iter()
            .rposition(|file| file.span.start <= span.start);
        if let Some(row) = file.and_then(|at| rows.get_mut(at)) {
            list(row).push(what);
        }
    };
    fn shared(row: &mut FileRow) -> &mut Vec<String> {
        &mut row.shared
    }
    fn private(row: &mut FileRow) -> &mut Vec<String> {
        &mut row.private
    }
    let list = |is_shared: bool| if is_shared { shared } else { private };
    for table in &model.tables {
        add(
            table.span,
            list(table.is_shared),
            format!("table {}", table.name),
        );
    }
    for entity in &model.entities {
        add(entity.span, list(entity.is_shared), entity.name.clone());
    }
    for file in &model.files {
        for (name, is_shared) in &file.records {
            add(file.span, list(*is_shared), format!("record {name}"));
        }
    }
    for pattern in &model.patterns {
        add(pattern.span, |row| &mut row.patterns, pattern.name.clone());
    }
    for write in &model.writes {
        add(write.span, |row| &mut row.writes, write.name.clone());
    }
    rows
}
