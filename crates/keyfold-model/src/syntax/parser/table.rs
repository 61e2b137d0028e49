//! Tables, their indexes and their capacity.

use super::cursor::{Cursor, Parsed};
use crate::syntax::ast::{Column, IndexDecl, ProjectionDecl, TableDecl};
use crate::words::{Capacity, IndexKind};

/// Reads the first line of a table.
pub(super) fn table(cursor: &mut Cursor<'_>) -> Parsed<TableDecl> {
    let name = cursor.name("the table's name")?;
    let mut table = TableDecl {
        name,
        columns: columns(cursor)?,
        type_attribute: None,
        ttl_attribute: None,
        period: None,
        capacity: None,
        cooled: None,
        indexes: Vec::new(),
        end: cursor.before().end,
    };
    loop {
        if cursor.take_word("type") {
            table.type_attribute = Some(cursor.word("an attribute")?);
        } else if cursor.take_word("ttl") {
            table.ttl_attribute = Some(cursor.word("an attribute")?);
        } else if cursor.take_word("per") {
            table.period = Some(cursor.word("`hour`, `day`, `month` or `year`")?);
        } else if cursor.peek().is_none() {
            return Ok(table);
        } else {
            return cursor.fail("`type`, `ttl`, `per` or the end of the line");
        }
    }
}

/// Reads a line of a table: an index or the capacity.
pub(super) fn member(cursor: &mut Cursor<'_>, table: &mut TableDecl) -> Parsed<()> {
    let kind = cursor.word("`gsi`, `lsi` or `capacity`")?;
    match kind.text.as_str() {
        "gsi" => table.indexes.push(index(cursor, IndexKind::Global)?),
        "lsi" => table.indexes.push(index(cursor, IndexKind::Local)?),
        "capacity" => {
            table.capacity = Some(capacity(cursor)?);
            if cursor.take_word("then") {
                table.cooled = Some(capacity(cursor)?);
            }
        }
        _ => {
            cursor.step_back();
            return cursor.fail("`gsi`, `lsi` or `capacity`");
        }
    }
    Ok(())
}

fn capacity(cursor: &mut Cursor<'_>) -> Parsed<Capacity> {
    if cursor.take_word("on") {
        cursor.keyword("demand")?;
        return Ok(Capacity::OnDemand);
    }
    let reads = cursor.number("`on demand`, or read units a second: `5 read 5 write`")?;
    cursor.keyword("read")?;
    let writes = cursor.number("write units a second")?;
    cursor.keyword("write")?;
    Ok(Capacity::Provisioned { reads, writes })
}

fn column(cursor: &mut Cursor<'_>) -> Parsed<Column> {
    let name = cursor.word("a key attribute")?;
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
        let names = cursor.words("an attribute")?;
        cursor.sign(")")?;
        ProjectionDecl::Only(names)
    };
    let projection_span = if start == cursor.span() {
        start
    } else {
        start.to(cursor.before())
    };
    Ok(IndexDecl {
        kind,
        name,
        partition,
        sort,
        projection,
        projection_span,
    })
}
