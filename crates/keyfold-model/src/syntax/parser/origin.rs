//! Where the items of an entity come from: the rows of a relational database.

use super::cursor::{Cursor, Parsed};
use crate::diagnostic::{Diagnostic, Span};
use crate::syntax::ast::{
    EntityDecl, JoinDecl, Name, OriginDecl, SqlColumnDecl, SqlDecl, SqlTableDecl,
};
use crate::syntax::lexer::TokenKind;
use crate::syntax::sql_words::OF_SQL;

/// The words that follow a table in the line, and so are no name for it.
const AFTER_TABLE: [&str; 6] = ["join", "left", "on", "where", "set", "back"];

/// Refuses a word of SQL that the line does not have, with what is written instead.
fn only_own_words(cursor: &Cursor<'_>) -> Parsed<()> {
    let Some(TokenKind::Word(word)) = cursor.peek() else {
        return Ok(());
    };
    let lower = word.to_ascii_lowercase();
    let mut known = OF_SQL.iter();
    let Some((_, instead)) = known.find(|(one, _)| *one == lower) else {
        return Ok(());
    };
    let message = format!("a `from` line has no `{word}`");
    let error = Diagnostic::error("KF001", cursor.span(), message, "a word of SQL");
    Err(Box::new(error.help(*instead)))
}

/// Reads what follows `from`; a second line of it is refused.
pub(super) fn only_origin(
    cursor: &mut Cursor<'_>,
    entity: &mut EntityDecl,
    word: Span,
) -> Parsed<()> {
    let read = origin(cursor, word)?;
    if entity.origin.is_some() {
        return Err(Box::new(
            Diagnostic::error(
                "KF003",
                word,
                "an entity has one `from` line",
                "this is a second one",
            )
            .help("rows of several tables that make one item are joined: `from \"a\" a join \"b\" b on b.id = a.b_id`"),
        ));
    }
    entity.origin = Some(read);
    Ok(())
}

fn origin(cursor: &mut Cursor<'_>, span: Span) -> Parsed<OriginDecl> {
    let table = table(cursor)?;
    let mut joins = Vec::new();
    while cursor.is_word("join") || cursor.is_word("left") {
        joins.push(join(cursor)?);
        only_own_words(cursor)?;
    }
    let only = cursor
        .take_word("where")
        .then(|| condition(cursor))
        .transpose()?;
    only_own_words(cursor)?;
    let set = cursor
        .take_word("set")
        .then(|| cursor.separated(taken))
        .transpose()?;
    let back = cursor
        .take_word("back")
        .then(|| cursor.separated(given_back))
        .transpose()?;
    Ok(OriginDecl {
        span,
        table,
        joins,
        only,
        set: set.unwrap_or_default(),
        back: back.unwrap_or_default(),
    })
}

/// A condition in SQL, in quotes.
fn condition(cursor: &mut Cursor<'_>) -> Parsed<Name> {
    let read = cursor.text("a condition in SQL, in quotes");
    read.map_err(|error| {
        Box::new(error.help("the condition is the database's, as a text: `where \"o.paid = 1\"`"))
    })
}

/// `[schema.]table [alias]`.
fn table(cursor: &mut Cursor<'_>) -> Parsed<SqlTableDecl> {
    let first = cursor.name("a table of the relational database")?;
    let (schema, name) = match cursor.take_sign(".") {
        true => (Some(first), cursor.name("the table behind its schema")?),
        false => (None, first),
    };
    only_own_words(cursor)?;
    let is_alias = matches!(cursor.peek(), Some(TokenKind::Word(word)) if !AFTER_TABLE.contains(&word.as_str()));
    let alias = match is_alias {
        true => cursor.word("the table's name in this line")?,
        false => name.clone(),
    };
    only_own_words(cursor)?;
    Ok(SqlTableDecl {
        schema,
        name,
        alias,
    })
}

fn join(cursor: &mut Cursor<'_>) -> Parsed<JoinDecl> {
    let is_left = cursor.take_word("left");
    only_own_words(cursor)?;
    cursor.keyword("join")?;
    let table = table(cursor)?;
    cursor.keyword("on")?;
    let mut on = vec![equal(cursor)?];
    while cursor.take_word("and") {
        on.push(equal(cursor)?);
    }
    Ok(JoinDecl { is_left, table, on })
}

/// `a.b = c.d`.
fn equal(cursor: &mut Cursor<'_>) -> Parsed<(SqlColumnDecl, SqlColumnDecl)> {
    let one = column(cursor)?;
    cursor.sign("=")?;
    Ok((one, column(cursor)?))
}

fn column(cursor: &mut Cursor<'_>) -> Parsed<SqlColumnDecl> {
    let alias = cursor.name("a table's name in this line, a dot and a column")?;
    cursor.sign(".")?;
    let column = cursor.name("a column")?;
    Ok(SqlColumnDecl { alias, column })
}

/// `attribute = a.b` or `attribute = "SQL"`.
fn taken(cursor: &mut Cursor<'_>) -> Parsed<(Name, SqlDecl)> {
    let attribute = cursor.attribute("an attribute")?;
    cursor.sign("=")?;
    let is_column = cursor.peek_second() == Some(&TokenKind::Sign("."));
    let from = match is_column {
        true => SqlDecl::Column(column(cursor)?),
        false => SqlDecl::Expression(cursor.text("a column (`o.total`) or SQL in quotes")?),
    };
    Ok((attribute, from))
}

/// `column = "SQL"`.
fn given_back(cursor: &mut Cursor<'_>) -> Parsed<(Name, Name)> {
    let column = cursor.name("a column of the first table")?;
    cursor.sign("=")?;
    let sql = cursor.text("SQL over attributes, in quotes").map_err(|error| {
        Box::new(error.help(format!(
            "say what the column is of the item's attributes, as a text: `back {} = \"price * 100\"`",
            column.text
        )))
    })?;
    Ok((column, sql))
}
