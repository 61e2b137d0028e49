//! The settings of a table: capacity, stream, recovery, protection, class and tags.

use super::cursor::{Cursor, Parsed};
use crate::diagnostic::Diagnostic;
use crate::syntax::ast::{CapacityDecl, Name, TableDecl};
use crate::syntax::lexer::TokenKind;
use crate::words::{Capacity, StreamView, TableClass, Units};

/// Reads the rest of a line that starts with `word`. Returns whether the word starts a setting.
pub(super) fn setting(cursor: &mut Cursor<'_>, word: &Name, table: &mut TableDecl) -> Parsed<bool> {
    match word.text.as_str() {
        "capacity" => {
            table.capacity = Some(capacity(cursor)?);
            if cursor.take_word("then") {
                table.cooled = Some(capacity(cursor)?);
            }
        }
        "stream" => table.settings.stream = Some(stream(cursor)?),
        "point" => {
            for word in ["in", "time", "recovery"] {
                cursor.keyword(word)?;
            }
            table.settings.recovery = true;
        }
        "deletion" => {
            cursor.keyword("protection")?;
            table.settings.deletion_protection = true;
        }
        "class" => table.settings.class = Some(class(cursor)?),
        // Further lines add to the tags.
        "tags" => {
            table.settings.tags.extend(cursor.separated(tag)?);
            return Ok(true);
        }
        _ => return Ok(false),
    }
    check_once(word, table)?;
    Ok(true)
}

/// Refuses a setting that an earlier line has.
fn check_once(word: &Name, table: &mut TableDecl) -> Parsed<()> {
    let said = &mut table.settings.said;
    let Some(first) = said.iter().find(|one| one.text == word.text) else {
        said.push(word.clone());
        return Ok(());
    };
    let message = format!("`{}` is said twice of a table", word.text);
    let twice = Diagnostic::error("KF003", word.span, message, "again here");
    Err(Box::new(
        twice
            .label(first.span, "first here")
            .help("remove one of them"),
    ))
}

/// `on demand`, or units of reads and writes and the use at which they scale.
pub(super) fn capacity(cursor: &mut Cursor<'_>) -> Parsed<CapacityDecl> {
    let start = cursor.span();
    let capacity = if cursor.take_word("on") {
        cursor.keyword("demand")?;
        Capacity::OnDemand
    } else {
        let reads = units(
            cursor,
            "`on demand`, or read units a second: `5 read 5 write`",
        )?;
        cursor.keyword("read")?;
        let writes = units(cursor, "write units a second")?;
        cursor.keyword("write")?;
        Capacity::Provisioned {
            reads,
            writes,
            target: target(cursor)?,
        }
    };
    Ok(CapacityDecl {
        capacity,
        span: start.to(cursor.before()),
    })
}

/// `5`, or the bounds of autoscaling: `5..100`.
fn units(cursor: &mut Cursor<'_>, wanted: &str) -> Parsed<Units> {
    let least = cursor.number(wanted)?;
    let most = if cursor.take_sign("..") {
        cursor.number("the most units a second")?
    } else {
        least
    };
    Ok(Units { least, most })
}

/// `at 70 percent`, if it stands here.
fn target(cursor: &mut Cursor<'_>) -> Parsed<Option<u64>> {
    if !cursor.take_word("at") {
        return Ok(None);
    }
    let target = cursor.number("the use at which the units scale: `70 percent`")?;
    cursor.keyword("percent")?;
    Ok(Some(target))
}

fn stream(cursor: &mut Cursor<'_>) -> Parsed<StreamView> {
    if cursor.take_word("keys") {
        return Ok(StreamView::Keys);
    }
    let view = if cursor.take_word("old") {
        StreamView::Old
    } else if !cursor.take_word("new") {
        return cursor.fail("`new and old images`, `new images`, `old images` or `keys`");
    } else if cursor.take_word("and") {
        cursor.keyword("old")?;
        StreamView::NewAndOld
    } else {
        StreamView::New
    };
    cursor.keyword("images")?;
    Ok(view)
}

fn class(cursor: &mut Cursor<'_>) -> Parsed<TableClass> {
    if cursor.take_word("standard") {
        return Ok(TableClass::Standard);
    }
    if !cursor.take_word("infrequent") {
        return cursor.fail("`standard` or `infrequent access`");
    }
    cursor.keyword("access")?;
    Ok(TableClass::InfrequentAccess)
}

/// `key = "value"`; the key may stand in quotes too.
fn tag(cursor: &mut Cursor<'_>) -> Parsed<(Name, Name)> {
    let key = cursor.name("a tag: `team = \"orders\"`")?;
    cursor.sign("=")?;
    let Some(TokenKind::Text(text)) = cursor.peek() else {
        return cursor.fail("the tag's value in quotes");
    };
    let value = Name {
        text: text.clone(),
        span: cursor.span(),
    };
    cursor.advance();
    Ok((key, value))
}
