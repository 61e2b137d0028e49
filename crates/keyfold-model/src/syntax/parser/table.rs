//! Tables and their indexes.

use super::cursor::{Cursor, Parsed};
use super::settings;
use crate::syntax::ast::{Column, Head, IndexDecl, ProjectionDecl, SettingsDecl, TableDecl};
use crate::words::IndexKind;

/// Reads the first line of a table.
pub(super) fn table(cursor: &mut Cursor<'_>, head: Head) -> Parsed<TableDecl> {
    let name = cursor.name("the table's name")?;
    let mut table = TableDecl {
        name,
        head,
        columns: columns(cursor)?,
        type_attribute: None,
        ttl_attribute: None,
        period: None,
        capacity: None,
        cooled: None,
        settings: SettingsDecl::default(),
        indexes: Vec::new(),
        end: cursor.before().end,
    };
    loop {
        if cursor.take_word("type") {
            table.type_attribute = Some(cursor.attribute("an attribute")?);
        } else if cursor.take_word("ttl") {
            table.ttl_attribute = Some(cursor.attribute("an attribute")?);
        } else if cursor.take_word("per") {
            table.period = Some(cursor.word("`hour`, `day`, `month` or `year`")?);
        } else if cursor.peek().is_none() {
            return Ok(table);
        } else {
            return cursor.fail("`type`, `ttl`, `per` or the end of the line");
        }
    }
}

/// The lines of a table, as an error message lists them.
const MEMBERS: &str = "`gsi`, `lsi`, `capacity`, `stream`, `point in time recovery`, \
    `deletion protection`, `class` or `tags`";

/// Reads a line of a table: an index, the capacity or another setting.
pub(super) fn member(cursor: &mut Cursor<'_>, table: &mut TableDecl) -> Parsed<()> {
    let kind = cursor.word(MEMBERS)?;
    match kind.text.as_str() {
        "gsi" => table.indexes.push(index(cursor, IndexKind::Global)?),
        "lsi" => table.indexes.push(index(cursor, IndexKind::Local)?),
        _ if !settings::setting(cursor, &kind, table)? => {
            cursor.step_back();
            return cursor.fail(MEMBERS);
        }
        _ => {}
    }
    Ok(())
}

fn column(cursor: &mut Cursor<'_>) -> Parsed<Column> {
    let name = cursor.attribute("a key attribute")?;
    let kind = cursor.word_after(":", "`string`, `number` or `binary`")?;
    Ok(Column { name, kind })
}

fn columns(cursor: &mut Cursor<'_>) -> Parsed<Vec<Column>> {
    cursor.sign("(")?;
    let columns = cursor.separated(column)?;
    cursor.sign(")")?;
    Ok(columns)
}

/// One key attribute, or several in parentheses.
fn group(cursor: &mut Cursor<'_>) -> Parsed<Vec<Column>> {
    if cursor.is_sign("(") {
        columns(cursor)
    } else {
        Ok(vec![column(cursor)?])
    }
}

fn index(cursor: &mut Cursor<'_>, kind: IndexKind) -> Parsed<IndexDecl> {
    let name = cursor.name("the index's name")?;
    cursor.sign("(")?;
    let groups = cursor.separated(group)?;
    cursor.sign(")")?;
    let (partition, sort) = match (kind, groups.split_first()) {
        (IndexKind::Global, Some((first, rest))) => (first.clone(), rest.concat()),
        (IndexKind::Local, _) | (IndexKind::Global, None) => (Vec::new(), groups.concat()),
    };
    let start = cursor.span();
    let projection = if !cursor.take_word("project") || cursor.take_word("all") {
        ProjectionDecl::All
    } else if cursor.take_word("keys") {
        ProjectionDecl::Keys
    } else {
        cursor.sign("(")?;
        let names = cursor.attributes("an attribute")?;
        cursor.sign(")")?;
        ProjectionDecl::Only(names)
    };
    let projection_span = if start == cursor.span() {
        start
    } else {
        start.to(cursor.before())
    };
    let capacity = cursor
        .take_word("capacity")
        .then(|| settings::capacity(cursor))
        .transpose()?;
    Ok(IndexDecl {
        kind,
        name,
        partition,
        sort,
        projection,
        projection_span,
        capacity,
    })
}
