//! Lines to declarations. A line with an error is reported and left out; parsing goes on at the next
//! line.

mod condition;
mod cursor;
mod entity;
mod pattern;
mod settings;
mod table;
mod template;
mod write;

use super::ast::{RecordDecl, Tree};
use super::lexer::{self, Line, Token, TokenKind};
use crate::diagnostic::{Diagnostic, Edit, Span};
use cursor::{Cursor, Parsed};

pub use entity::MEMBER_WORDS;

/// The declaration that the indented lines belong to.
#[derive(Clone, Copy)]
enum Current {
    Nothing,
    Record,
    Table,
    Entity,
    Pattern,
    Write,
}

/// The words that start a declaration, as an error message lists them.
const DECLARATIONS: &str = "`model`, `record`, `table`, `entity`, `pattern` or `write`";

/// Reads the text of a model. Lines with errors are reported and left out.
pub(crate) fn parse(source: &str, diagnostics: &mut Vec<Diagnostic>) -> Tree {
    let mut tree = Tree::default();
    let mut current = Current::Nothing;
    let mut lines = lexer::lines(source, diagnostics).into_iter().peekable();
    while let Some(mut line) = lines.next() {
        if first_word(&line) == Some("pattern") && !line.indented {
            // The indented lines after a pattern continue it.
            while let Some(next) = lines.next_if(|next| next.indented) {
                line.tokens.extend(next.tokens);
            }
        }
        let mut cursor = Cursor::new(&line.tokens);
        let outcome = if line.indented {
            member(&mut cursor, &mut tree, current)
        } else {
            declaration(&mut cursor, &mut tree).map(|declared| current = declared)
        };
        extend(&mut tree, current, &line);
        if let Err(diagnostic) = outcome.and_then(|()| cursor.expect_end()) {
            diagnostics.push(*diagnostic);
            note_broken_key(&line, &mut tree, current);
            tree.has_broken_table |= first_word(&line) == Some("table") && !line.indented;
        }
    }
    tree
}

/// Moves the end of the current entity or table behind a line of it.
fn extend(tree: &mut Tree, current: Current, line: &Line) {
    let line_end = line.tokens.last().map_or(0, |token| token.span.end);
    let end = match current {
        Current::Entity => tree.entities.last_mut().map(|entity| &mut entity.end),
        Current::Table => tree.tables.last_mut().map(|table| &mut table.end),
        Current::Nothing | Current::Record | Current::Pattern | Current::Write => None,
    };
    if let Some(end) = end {
        *end = line_end.max(*end);
    }
}

fn first_word(line: &Line) -> Option<&str> {
    match line.tokens.first() {
        Some(Token {
            kind: TokenKind::Word(word),
            ..
        }) => Some(word),
        _ => None,
    }
}

/// Notes a key line with an error, so that its entity is not reported as one without a key.
fn note_broken_key(line: &Line, tree: &mut Tree, current: Current) {
    if let (Some("key"), Current::Entity, Some(entity)) =
        (first_word(line), current, tree.entities.last_mut())
    {
        entity.is_broken = true;
    }
}

/// Reads a line in the first column: the start of a declaration.
fn declaration(cursor: &mut Cursor<'_>, tree: &mut Tree) -> Parsed<Current> {
    let keyword = cursor.word(DECLARATIONS)?;
    match keyword.text.as_str() {
        "model" => {
            if tree.name.is_some() {
                let message = "a file holds one model";
                return Err(Box::new(Diagnostic::error(
                    "KF003",
                    keyword.span,
                    message,
                    "a second one starts here",
                )));
            }
            tree.name = Some(cursor.word("the model's name")?);
            if cursor.peek().is_some() {
                tree.version = Some(cursor.number("the model's version, a number")?);
            }
            Ok(Current::Nothing)
        }
        "record" => {
            tree.records.push(RecordDecl {
                name: cursor.word("the record's name")?,
                fields: Vec::new(),
            });
            Ok(Current::Record)
        }
        "table" => {
            tree.tables.push(table::table(cursor)?);
            Ok(Current::Table)
        }
        "entity" => {
            tree.entities.push(entity::entity(cursor)?);
            Ok(Current::Entity)
        }
        "pattern" => {
            tree.patterns.push(pattern::pattern(cursor)?);
            Ok(Current::Pattern)
        }
        "write" => {
            tree.writes.push(write::write(cursor)?);
            Ok(Current::Write)
        }
        other => Err(Box::new(no_declaration(other, keyword.span))),
    }
}

/// The error about a word that starts no declaration; a similar word is suggested.
fn no_declaration(word: &str, span: Span) -> Diagnostic {
    let known = ["model", "record", "table", "entity", "pattern", "write"];
    let near = known.into_iter().find(|known| {
        known.chars().next() == word.chars().next() && known.len().abs_diff(word.len()) <= 2
    });
    let message = format!("`{word}` starts no declaration");
    let diagnostic = Diagnostic::error("KF001", span, message, format!("expected {DECLARATIONS}"));
    match near {
        Some(near) => diagnostic
            .help(format!("did you mean `{near}`?"))
            .repair(vec![Edit::replace(span, near)]),
        None => diagnostic.help("lines that belong to the declaration above are indented"),
    }
}

/// Reads an indented line: a part of the current declaration.
fn member(cursor: &mut Cursor<'_>, tree: &mut Tree, current: Current) -> Parsed<()> {
    let nothing = "a declaration in the first column: this line belongs to nothing";
    match current {
        Current::Record => match tree.records.last_mut() {
            Some(record) => entity::attributes(cursor, &mut record.fields),
            None => cursor.fail(nothing),
        },
        Current::Table => match tree.tables.last_mut() {
            Some(table) => table::member(cursor, table),
            None => cursor.fail(nothing),
        },
        Current::Entity => match tree.entities.last_mut() {
            Some(entity) => entity::member(cursor, entity),
            None => cursor.fail(nothing),
        },
        Current::Write => match tree.writes.last_mut() {
            Some(write) => {
                write.actions.push(write::action(cursor)?);
                Ok(())
            }
            None => cursor.fail(nothing),
        },
        Current::Nothing | Current::Pattern => cursor.fail(nothing),
    }
}
