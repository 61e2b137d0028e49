//! Views: what they are kept from, and their columns.

use super::condition::conditions;
use super::cursor::{Cursor, Parsed};
use super::entity::{self, MEMBER_WORDS};
use crate::diagnostic::Diagnostic;
use crate::syntax::ast::{EntityDecl, FromDecl, Head, Name, ViewColumnDecl, ViewDecl};
use crate::syntax::lexer::TokenKind;
use crate::words::{Fold, Order};

/// The words that start what a column of a view is made of.
const VIEW_WORDS: [&str; 7] = ["count", "sum", "min", "max", "average", "distinct", "top"];

/// Reads the first line of a view.
pub(super) fn view(cursor: &mut Cursor<'_>, head: Head) -> Parsed<EntityDecl> {
    let name = cursor.word("the view's name")?;
    let table = cursor
        .take_word("in")
        .then(|| cursor.name("a table"))
        .transpose()?;
    cursor.keyword("of")?;
    let source = cursor.word("an entity")?;
    let when = cursor
        .take_word("where")
        .then(|| conditions(cursor))
        .transpose()?;
    let mut view = entity::empty(name, head, table, cursor.before().end);
    view.view = Some(ViewDecl {
        source,
        when: when.unwrap_or_default(),
        columns: Vec::new(),
    });
    Ok(view)
}

/// Reads a line of a view.
pub(super) fn member(cursor: &mut Cursor<'_>, view: &mut EntityDecl) -> Parsed<()> {
    if matches!(cursor.peek_second(), Some(TokenKind::Sign(":"))) {
        return columns(cursor, view);
    }
    let is_quoted = matches!(cursor.peek(), Some(TokenKind::Text(_)));
    let word = cursor.name("a column, `key`, `only`, `expect` or an index")?;
    match word.text.as_str() {
        _ if is_quoted => entity::index_key(cursor, view, word),
        "key" => entity::only_key(cursor, view, word.span),
        "only" => {
            let names = cursor.attributes("an attribute of the source")?;
            let copied = names.into_iter().map(|name| ViewColumnDecl {
                span: name.span,
                from: FromDecl::Attribute(name.clone()),
                name,
            });
            if let Some(view) = &mut view.view {
                view.columns.extend(copied);
            }
            Ok(())
        }
        "expect" => {
            view.expects.extend(cursor.expectations()?);
            Ok(())
        }
        other if MEMBER_WORDS.contains(&other) => Err(Box::new(no_line(&word))),
        _ => entity::index_key(cursor, view, word),
    }
}

/// The error about a line that entities have and views have not.
fn no_line(word: &Name) -> Diagnostic {
    let message = format!("a view has no line `{}`", word.text);
    let diagnostic = Diagnostic::error("KF001", word.span, message, "a line of entities").note(
        "a view has columns (`total: sum total`), a key, keys in indexes, `only` and `expect`",
    );
    match VIEW_WORDS.contains(&word.text.as_str()) {
        true => diagnostic.help(format!(
            "the name of a column stands before it: `{0}s: {0} ...`",
            word.text
        )),
        false => diagnostic.help("declare it in an entity, or leave it out"),
    }
}

/// `name: from, other: from`. A name behind a comma that no colon follows belongs to the `only`
/// before it.
fn columns(cursor: &mut Cursor<'_>, view: &mut EntityDecl) -> Parsed<()> {
    loop {
        let name = cursor.attribute("the name of a column")?;
        cursor.sign(":")?;
        let start = cursor.span();
        let from = from(cursor)?;
        let span = start.to(cursor.before());
        if let Some(view) = &mut view.view {
            view.columns.push(ViewColumnDecl { name, from, span });
        }
        if !cursor.take_sign(",") {
            return Ok(());
        }
    }
}

/// What a column is made of.
fn from(cursor: &mut Cursor<'_>) -> Parsed<FromDecl> {
    let is_word = matches!(cursor.peek(), Some(TokenKind::Word(_)));
    let wanted = "`count`, `sum`, `min`, `max`, `average`, `distinct`, `top`, an attribute of the source or `Entity.attribute`";
    let has_operand = cursor.is_second_name();
    if is_word && !has_operand && cursor.take_word("count") {
        return Ok(FromDecl::Count);
    }
    let mut folds = Fold::ALL.into_iter();
    let is_fold = is_word && has_operand;
    if let Some(fold) = folds.find(|fold| is_fold && cursor.take_word(fold.word())) {
        return Ok(FromDecl::Fold(
            fold,
            cursor.attribute("an attribute of the source")?,
        ));
    }
    let is_top = matches!(cursor.peek_second(), Some(TokenKind::Number(_)));
    if is_word && is_top && cursor.take_word("top") {
        return top(cursor);
    }
    let name = cursor.attribute(wanted)?;
    if !cursor.take_sign(".") {
        return Ok(FromDecl::Attribute(name));
    }
    let of = cursor.attribute("an attribute of the entity")?;
    let by = if cursor.take_word("by") {
        names(cursor, "the attribute of the source that refers to it")?
    } else {
        Vec::new()
    };
    Ok(FromDecl::Joined {
        entity: name,
        of,
        by,
    })
}

/// `3 [lowest] total [only a, b]`, behind `top`.
fn top(cursor: &mut Cursor<'_>) -> Parsed<FromDecl> {
    let number_span = cursor.span();
    let number = cursor.number("how many items")?;
    let mut orders = Order::ALL.into_iter();
    let is_order = cursor.is_second_name() && !is_only(cursor.peek_second());
    let span = cursor.span();
    let order = orders.find(|order| is_order && cursor.take_word(order.word()));
    let by = cursor.attribute("the attribute that orders the items")?;
    let only = if cursor.take_word("only") {
        names(cursor, "an attribute of the source")?
    } else {
        Vec::new()
    };
    Ok(FromDecl::Top {
        number,
        number_span,
        order: order.map(|order| (order, span)),
        by,
        only,
    })
}

fn is_only(token: Option<&TokenKind>) -> bool {
    matches!(token, Some(TokenKind::Word(word)) if word == "only")
}

/// One or more names, separated by commas, up to the next column.
fn names(cursor: &mut Cursor<'_>, wanted: &str) -> Parsed<Vec<Name>> {
    let mut all = vec![cursor.attribute(wanted)?];
    while cursor.is_sign(",")
        && cursor.is_second_name()
        && cursor.peek_third() != Some(&TokenKind::Sign(":"))
    {
        cursor.advance();
        all.push(cursor.attribute(wanted)?);
    }
    Ok(all)
}
