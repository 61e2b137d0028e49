//! Entities and records: attributes, keys, and what follows from them.

use super::cursor::{Cursor, Parsed};
use super::template::template;
use crate::diagnostic::Diagnostic;
use crate::syntax::ast::{
    AggregateDecl, AttributeDecl, CopyDecl, EntityDecl, IndexKeyDecl, KeyDecl, Name, SparseDecl,
    TypeDecl,
};
use crate::syntax::lexer::TokenKind;

pub(super) fn entity(cursor: &mut Cursor<'_>) -> Parsed<EntityDecl> {
    let name = cursor.word("the entity's name")?;
    let table = if cursor.take_word("in") {
        Some(cursor.name("a table")?)
    } else {
        None
    };
    Ok(EntityDecl {
        end: cursor.before().end,
        name,
        table,
        attributes: Vec::new(),
        key: None,
        indexes: Vec::new(),
        copies: Vec::new(),
        uniques: Vec::new(),
        ttl: None,
        version: None,
        aggregates: Vec::new(),
        splits: Vec::new(),
        compressed: Vec::new(),
        expects: Vec::new(),
        is_broken: false,
    })
}

pub(super) fn member(cursor: &mut Cursor<'_>, entity: &mut EntityDecl) -> Parsed<()> {
    if matches!(cursor.peek_second(), Some(TokenKind::Sign(":"))) {
        return attributes(cursor, &mut entity.attributes);
    }
    let is_quoted = matches!(cursor.peek(), Some(TokenKind::Text(_)));
    let word = cursor.name("an attribute, `key`, `copy`, `unique` or an index")?;
    match word.text.as_str() {
        _ if is_quoted => index_key(cursor, entity, word)?,
        "key" => {
            let key = key(cursor)?;
            if entity.key.is_some() {
                return Err(Box::new(
                    Diagnostic::error("KF003", word.span, "an entity has one key", "this is a second one")
                        .help("other ways to reach the entity are indexes (`GSI1 ...`) or copies (`copy name ...`)"),
                ));
            }
            entity.key = Some(key);
        }
        "copy" => {
            let name = cursor.word("the copy's name")?;
            let key = key(cursor)?;
            let only = if cursor.take_word("only") {
                Some(cursor.words("an attribute")?)
            } else {
                None
            };
            entity.copies.push(CopyDecl { name, key, only });
        }
        "unique" => loop {
            if cursor.take_sign("(") {
                entity.uniques.push(cursor.words("an attribute")?);
                cursor.sign(")")?;
            } else {
                entity.uniques.push(vec![cursor.word("an attribute")?]);
            }
            if !cursor.take_sign(",") {
                break;
            }
        },
        "ttl" => entity.ttl = Some(cursor.word("an attribute that says when the item expires")?),
        "version" => entity.version = Some(cursor.word("the attribute that counts versions")?),
        "count" | "sum" | "max" => {
            let kind = word;
            entity.aggregates.push(aggregate(cursor, kind)?);
        }
        "split" => {
            let attribute = cursor.word("an attribute that is a list")?;
            cursor.keyword("by")?;
            entity.splits.push((
                attribute,
                cursor.number("how many elements one item holds")?,
            ));
        }
        "compress" => entity.compressed.extend(cursor.words("an attribute")?),
        "expect" => entity.expects.extend(cursor.expectations()?),
        _ => index_key(cursor, entity, word)?,
    }
    Ok(())
}

fn index_key(cursor: &mut Cursor<'_>, entity: &mut EntityDecl, index: Name) -> Parsed<()> {
    let key = key(cursor)?;
    let sparse = if cursor.take_word("sparse") {
        Some(sparse(cursor)?)
    } else {
        None
    };
    entity.indexes.push(IndexKeyDecl { index, key, sparse });
    Ok(())
}

fn aggregate(cursor: &mut Cursor<'_>, kind: crate::syntax::ast::Name) -> Parsed<AggregateDecl> {
    let attribute = cursor.word("the attribute that holds the result")?;
    cursor.keyword("of")?;
    let entity = cursor.word("an entity")?;
    let of = if kind.text != "count" {
        cursor.sign(".")?;
        Some(cursor.word("an attribute of the entity")?)
    } else {
        None
    };
    let by = if cursor.take_word("by") {
        cursor.words("the attribute that refers to it")?
    } else {
        Vec::new()
    };
    let condition = if cursor.take_word("where") {
        let attribute = cursor.word("an attribute")?;
        cursor.sign("=")?;
        Some((attribute, cursor.operand()?))
    } else {
        None
    };
    Ok(AggregateDecl {
        kind,
        attribute,
        entity,
        of,
        by,
        condition,
    })
}

fn sparse(cursor: &mut Cursor<'_>) -> Parsed<SparseDecl> {
    cursor.keyword("when")?;
    let attribute = cursor.word("an attribute")?;
    let value = if cursor.take_sign("=") {
        Some(cursor.operand()?)
    } else {
        None
    };
    Ok(SparseDecl { attribute, value })
}

/// `name: type, other: type? = default`.
pub(super) fn attributes(cursor: &mut Cursor<'_>, into: &mut Vec<AttributeDecl>) -> Parsed<()> {
    loop {
        let name = cursor.word("an attribute")?;
        cursor.sign(":")?;
        let kind = type_of(cursor)?;
        let optional = cursor.take_sign("?");
        let default = if cursor.take_sign("=") {
            Some(cursor.operand()?)
        } else {
            None
        };
        into.push(AttributeDecl {
            name,
            kind,
            optional,
            default,
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

/// Deepest `list of list of ...`: DynamoDB's items have at most 32 levels.
const DEPTH_MAX: usize = 30;

fn nested(cursor: &mut Cursor<'_>, depth: usize) -> Parsed<TypeDecl> {
    if depth > DEPTH_MAX {
        return cursor.fail("a type of less depth: items have at most 32 levels");
    }
    let first = cursor.word("a type")?;
    if matches!(first.text.as_str(), "list" | "map" | "set") && cursor.take_word("of") {
        return Ok(TypeDecl::Of(first, Box::new(nested(cursor, depth + 1)?)));
    }
    if cursor.take_sign(".") {
        return Ok(TypeDecl::Reference(
            first,
            cursor.word("an attribute of the entity")?,
        ));
    }
    if cursor.is_sign("|") {
        let mut words = vec![first];
        while cursor.take_sign("|") {
            words.push(cursor.word("a word")?);
        }
        return Ok(TypeDecl::Words(words));
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
            let of = if cursor.take_word("of") {
                Some(cursor.word("a time attribute")?)
            } else {
                None
            };
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
