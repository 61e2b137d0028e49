//! Entities and records: attributes, keys, copies, unique values, aggregates.

use super::condition::conditions;
use super::cursor::{Cursor, Parsed};
use super::former::former;
use super::origin;
use super::template::template;
use crate::diagnostic::{Diagnostic, Edit, Span};
use crate::syntax::ast::{
    AggregateDecl, AttributeDecl, Collection, CopyDecl, EntityDecl, Head, IndexKeyDecl, KeyDecl,
    Name, SparseDecl, TypeDecl, UniqueDecl,
};
use crate::syntax::foreign;
use crate::syntax::lexer::TokenKind;
use crate::types::TYPE_DEPTH_MAX;
use crate::words::{AggregateKind, Compared};

/// Reads the first line of an entity.
pub(super) fn entity(cursor: &mut Cursor<'_>, head: Head) -> Parsed<EntityDecl> {
    let name = cursor.word("the entity's name")?;
    let mut was = Vec::new();
    if cursor.take_word("was") {
        was.push(cursor.word("the name that the entity had")?);
        while cursor.take_word("or") {
            was.push(cursor.word("the name of another entity of the earlier version")?);
        }
    }
    let part = match was.len() == 1 && cursor.take_word("where") {
        true => {
            let attribute = cursor.attribute("an attribute of the earlier version")?;
            cursor.sign("=")?;
            Some((attribute, cursor.fixed_value()?))
        }
        false => None,
    };
    let table = cursor
        .take_word("in")
        .then(|| cursor.name("a table"))
        .transpose()?;
    Ok(EntityDecl {
        was,
        part,
        ..empty(name, head, table, cursor.before().end)
    })
}

/// An entity of which only the first line is read.
pub(super) fn empty(name: Name, head: Head, table: Option<Name>, end: usize) -> EntityDecl {
    EntityDecl {
        end,
        name,
        was: Vec::new(),
        part: None,
        head,
        table,
        attributes: Vec::new(),
        key: None,
        id: None,
        indexes: Vec::new(),
        copies: Vec::new(),
        uniques: Vec::new(),
        ttl: None,
        version: None,
        aggregates: Vec::new(),
        splits: Vec::new(),
        unstored: Vec::new(),
        compressed: Vec::new(),
        expects: Vec::new(),
        origin: None,
        view: None,
    }
}

/// The words that start a line of an entity. An index of such a name stands in quotes.
pub const MEMBER_WORDS: [&str; 14] = [
    "key", "id", "copy", "unique", "ttl", "version", "count", "sum", "max", "split", "compress",
    "unstored", "expect", "from",
];

/// Reads a line of an entity.
pub(super) fn member(cursor: &mut Cursor<'_>, entity: &mut EntityDecl) -> Parsed<()> {
    if matches!(cursor.peek_second(), Some(TokenKind::Sign(":"))) {
        return attributes(cursor, &mut entity.attributes);
    }
    let is_quoted = matches!(cursor.peek(), Some(TokenKind::Text(_)));
    let word = cursor.name("an attribute, `key`, `copy`, `unique` or an index")?;
    if is_quoted {
        return index_key(cursor, entity, word);
    }
    let mut kept = |cursor: &mut Cursor<'_>, kind| -> Parsed<()> {
        entity.aggregates.push(aggregate(cursor, kind, word.span)?);
        Ok(())
    };
    match word.text.as_str() {
        "key" => only_key(cursor, entity, word.span)?,
        "id" => only_id(cursor, entity, word.span)?,
        "copy" => entity.copies.push(copy(cursor)?),
        "unique" => unique(cursor, &mut entity.uniques)?,
        "ttl" => {
            entity.ttl = Some(cursor.attribute("an attribute that says when the item expires")?)
        }
        "version" => entity.version = Some(cursor.attribute("the attribute that counts versions")?),
        "count" => kept(cursor, AggregateKind::Count)?,
        "sum" => kept(cursor, AggregateKind::Sum)?,
        "max" => kept(cursor, AggregateKind::Max)?,
        "split" => {
            let attribute = cursor.attribute("an attribute that is a list")?;
            cursor.keyword("by")?;
            let elements = cursor.number("how many elements one item holds")?;
            entity.splits.push((attribute, elements));
        }
        "unstored" => entity.unstored.extend(cursor.attributes("an attribute")?),
        "compress" => entity.compressed.extend(cursor.attributes("an attribute")?),
        "expect" => entity.expects.extend(cursor.expectations()?),
        "from" => origin::only_origin(cursor, entity, word.span)?,
        _ => index_key(cursor, entity, word)?,
    }
    Ok(())
}

/// Reads the key; a second key is refused.
pub(super) fn only_key(cursor: &mut Cursor<'_>, entity: &mut EntityDecl, word: Span) -> Parsed<()> {
    let key = key(cursor)?;
    if entity.key.is_some() {
        return Err(Box::new(
            Diagnostic::error("KF003", word, "an entity has one key", "this is a second one")
                .help("other ways to reach the entity are indexes (`GSI1 ...`) or copies (`copy name ...`)"),
        ));
    }
    entity.key = Some(key);
    Ok(())
}

/// Reads the attributes that identify an item; a second line of them is refused.
fn only_id(cursor: &mut Cursor<'_>, entity: &mut EntityDecl, word: Span) -> Parsed<()> {
    let names = cursor.attributes("an attribute that identifies the item")?;
    if entity.id.is_some() {
        return Err(Box::new(
            Diagnostic::error(
                "KF003",
                word,
                "an entity has one identity",
                "this is a second one",
            )
            .help("attributes that identify an item together stand in one line: `id a, b`"),
        ));
    }
    entity.id = Some(names);
    Ok(())
}

fn copy(cursor: &mut Cursor<'_>) -> Parsed<CopyDecl> {
    let name = cursor.word("the copy's name")?;
    let key = key(cursor)?;
    let only = cursor
        .take_word("only")
        .then(|| cursor.attributes("an attribute"))
        .transpose()?;
    let when = cursor
        .take_word("when")
        .then(|| conditions(cursor))
        .transpose()?;
    Ok(CopyDecl {
        name,
        key,
        only,
        when: when.unwrap_or_default(),
    })
}

/// `a, (b, lower(c))`: attributes that are unique each, or together.
fn unique(cursor: &mut Cursor<'_>, into: &mut Vec<Vec<UniqueDecl>>) -> Parsed<()> {
    loop {
        if cursor.take_sign("(") {
            into.push(cursor.separated(unique_member)?);
            cursor.sign(")")?;
        } else {
            into.push(vec![unique_member(cursor)?]);
        }
        if !cursor.take_sign(",") {
            return Ok(());
        }
    }
}

/// `email` or `lower(email)`.
fn unique_member(cursor: &mut Cursor<'_>) -> Parsed<UniqueDecl> {
    let start = cursor.span();
    let is_call = cursor.peek_second() == Some(&TokenKind::Sign("("));
    let mut named = Compared::NAMED.into_iter();
    let named = named.find(|one| is_call && one.word().is_some_and(|word| cursor.take_word(word)));
    if named.is_some() {
        cursor.sign("(")?;
    }
    let attribute = cursor.attribute("an attribute")?;
    if named.is_some() {
        cursor.sign(")")?;
    }
    Ok(UniqueDecl {
        attribute,
        compared: named.unwrap_or(Compared::Whole),
        span: start.to(cursor.before()),
    })
}

pub(super) fn index_key(
    cursor: &mut Cursor<'_>,
    entity: &mut EntityDecl,
    index: Name,
) -> Parsed<()> {
    let key = key(cursor)?;
    let sparse = cursor
        .take_word("sparse")
        .then(|| sparse(cursor))
        .transpose()?;
    entity.indexes.push(IndexKeyDecl { index, key, sparse });
    Ok(())
}

fn aggregate(
    cursor: &mut Cursor<'_>,
    kind: AggregateKind,
    kind_span: Span,
) -> Parsed<AggregateDecl> {
    let attribute = cursor.attribute("the attribute that holds the result")?;
    cursor.keyword("of")?;
    let entity = cursor.word("an entity")?;
    let of = match kind {
        AggregateKind::Count => None,
        AggregateKind::Sum | AggregateKind::Max => {
            cursor.sign(".")?;
            Some(cursor.attribute("an attribute of the entity")?)
        }
    };
    let by = if cursor.take_word("by") {
        cursor.attributes("the attribute that refers to it")?
    } else {
        Vec::new()
    };
    let condition = if cursor.take_word("where") {
        let attribute = cursor.attribute("an attribute")?;
        cursor.sign("=")?;
        Some((attribute, cursor.fixed_value()?))
    } else {
        None
    };
    Ok(AggregateDecl {
        kind,
        kind_span,
        attribute,
        entity,
        of,
        by,
        condition,
    })
}

fn sparse(cursor: &mut Cursor<'_>) -> Parsed<SparseDecl> {
    cursor.keyword("when")?;
    Ok(SparseDecl {
        attribute: cursor.attribute("an attribute")?,
        value: cursor.operand_after_equals()?,
    })
}

/// `name: type, other: type? = default, third: type was former`. The attributes before an error are kept, so that no other
/// line reports them as unknown.
pub(super) fn attributes(cursor: &mut Cursor<'_>, into: &mut Vec<AttributeDecl>) -> Parsed<()> {
    loop {
        let name = cursor.attribute("an attribute")?;
        cursor.sign(":")?;
        let kind = type_of(cursor)?;
        let optional = cursor.take_sign("?");
        let mark = optional.then(|| cursor.before());
        let default = cursor.operand_after_equals()?;
        let always = default.is_some() && cursor.take_word("always");
        let was = cursor
            .take_word("was")
            .then(|| former(cursor))
            .transpose()?;
        into.push(AttributeDecl {
            name,
            kind,
            optional,
            mark,
            default,
            always,
            was,
        });
        if !cursor.take_sign(",") {
            return Ok(());
        }
    }
}

/// A type: a name, `Entity.attribute`, `one | two`, `list of` another.
pub(super) fn type_of(cursor: &mut Cursor<'_>) -> Parsed<TypeDecl> {
    nested(cursor, 0)
}

fn nested(cursor: &mut Cursor<'_>, depth: usize) -> Parsed<TypeDecl> {
    if depth > TYPE_DEPTH_MAX {
        return cursor.fail("a type of less depth: items have at most 32 levels");
    }
    if let Some(TokenKind::Text(text)) = cursor.peek() {
        if text.contains('{') {
            let message = "a template is no type";
            let template =
                Diagnostic::error("KF001", cursor.span(), message, "the template of a key");
            return Err(Box::new(template.help(
                "keys stand in a line of their own, in the order of the table's key attributes: `key \"USER#{userId}\" \"PROFILE\"`",
            )));
        }
        return enumeration(cursor);
    }
    let first = cursor.word("a type")?;
    let collection = match first.text.as_str() {
        "list" => Some(Collection::List),
        "map" => Some(Collection::Map),
        "set" => Some(Collection::Set),
        _ => None,
    };
    if let Some(collection) = collection
        && cursor.take_word("of")
    {
        let of = nested(cursor, depth + 1)?;
        return Ok(TypeDecl::Of(collection, first.span, Box::new(of)));
    }
    if cursor.take_sign(".") {
        return Ok(TypeDecl::Reference(
            first,
            cursor.attribute("an attribute of the entity")?,
        ));
    }
    if cursor.is_sign("|") {
        cursor.step_back();
        return enumeration(cursor);
    }
    let precision = if cursor.take_sign("(") {
        let word = cursor.word("`s`, `ms`, `us` or `ns`")?;
        cursor.sign(")")?;
        Some(word)
    } else {
        None
    };
    Ok(TypeDecl::Named(first, precision))
}

/// `one | "the other"`.
fn enumeration(cursor: &mut Cursor<'_>) -> Parsed<TypeDecl> {
    let start = cursor.span();
    let mut words = Vec::new();
    let mut is_absent = false;
    loop {
        let is_plain = matches!(cursor.peek(), Some(TokenKind::Word(_)));
        let word = cursor.enumerated()?;
        is_absent |= is_plain && foreign::ABSENT.contains(&word.text.as_str());
        words.push(word);
        if !cursor.take_sign("|") {
            break;
        }
    }
    if let (true, [first, second]) = (is_absent, words.as_slice()) {
        let is_word = |one: &&Name| foreign::ABSENT.contains(&one.text.as_str());
        let kind = [first, second].into_iter().find(|one| !is_word(one));
        return Err(Box::new(no_value(kind, start.to(cursor.before()))));
    }
    Ok(TypeDecl::Words(words))
}

/// The error about `string | null`, which would be a choice of two words.
fn no_value(kind: Option<&Name>, span: Span) -> Diagnostic {
    let kind = kind.map_or("string", |kind| kind.text.as_str());
    let meant = format!("{kind}?");
    Diagnostic::error(
        "KF001",
        span,
        "these are two words, of which each value would be one",
        "no type and no value",
    )
    .help(format!(
        "an attribute that may be missing has a `?` behind its type: `{meant}`"
    ))
    .help("a word that is meant stands in quotes: \"null\"")
    .offer(vec![Edit::replace(span, meant)])
}

/// The templates of a key, with `shard` and `bucket`.
fn key(cursor: &mut Cursor<'_>) -> Parsed<KeyDecl> {
    let start = cursor.span();
    let mut templates = vec![template(cursor)?];
    while matches!(
        cursor.peek(),
        Some(TokenKind::Text(_) | TokenKind::Braces(_))
    ) {
        templates.push(template(cursor)?);
    }
    let span = start.to(cursor.before());
    let (mut shard, mut bucket) = (None, None);
    loop {
        if cursor.take_word("shard") {
            let at = cursor.span();
            let count: u32 = cursor.number("a number of shards, 2 to 1000")?;
            if !(2..=1000).contains(&count) {
                cursor.step_back();
                return cursor.fail("a number of shards, 2 to 1000");
            }
            shard = Some((count, at));
        } else if cursor.take_word("bucket") {
            let unit = cursor.word("`hour`, `day`, `month` or `year`")?;
            let of = cursor
                .take_word("of")
                .then(|| cursor.attribute("a time attribute"))
                .transpose()?;
            bucket = Some((unit, of));
        } else {
            return Ok(KeyDecl {
                templates,
                shard,
                bucket,
                span,
            });
        }
    }
}
