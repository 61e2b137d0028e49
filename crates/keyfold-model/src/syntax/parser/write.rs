//! Named writes and their actions.

use super::condition::conditions;
use super::cursor::{Cursor, Parsed};
use super::entity::type_of;
use crate::diagnostic::Diagnostic;
use crate::syntax::ast::{
    ActionDecl, AssignmentDecl, KeySourceDecl, Name, PathDecl, WriteDecl, WriteParameterDecl,
};
use crate::syntax::lexer::TokenKind;
use crate::words::Verb;

/// The verbs, as an error message lists them.
const VERBS: &str = "`create`, `put`, `update`, `create or update`, `delete` or `check`";

/// Reads the first line of a named write.
pub(super) fn write(cursor: &mut Cursor<'_>) -> Parsed<WriteDecl> {
    let name = cursor.word("the write's name")?;
    let mut parameters = Vec::new();
    if cursor.take_sign("(") && !cursor.take_sign(")") {
        parameters = cursor.separated(|cursor| {
            let parameter = cursor.attribute("a parameter")?;
            if cursor.take_sign(".") {
                return Err(of_alias(cursor, &parameter));
            }
            let kind = cursor.take_sign(":").then(|| type_of(cursor)).transpose()?;
            let optional = cursor.take_sign("?");
            Ok(WriteParameterDecl {
                name: parameter,
                kind,
                optional,
            })
        })?;
        cursor.sign(")")?;
    }
    Ok(WriteDecl {
        name,
        parameters,
        actions: Vec::new(),
    })
}

/// The error about a parameter of an action with a name of its own.
fn of_alias(cursor: &mut Cursor<'_>, alias: &Name) -> Box<Diagnostic> {
    let field = match cursor.attribute("an attribute") {
        Ok(field) => field,
        Err(error) => return error,
    };
    let name = format!("{}.{}", alias.text, field.text);
    let message = format!("`{name}` is not declared as a parameter");
    let label = "it is one by itself where an action needs it";
    Box::new(
        Diagnostic::error("KF001", alias.span.to(field.span), message, label).help(format!(
            "leave it out: a caller gives `{name}` where the action `as {}` needs `{}`",
            alias.text, field.text
        )),
    )
}

/// Reads a line of a named write.
pub(super) fn action(cursor: &mut Cursor<'_>) -> Parsed<ActionDecl> {
    let word = cursor.word(VERBS)?;
    let verb = match word.text.as_str() {
        "create" if is_upsert(cursor) => {
            cursor.advance();
            cursor.advance();
            Verb::Upsert
        }
        "create" => Verb::Create,
        "put" => Verb::Put,
        "update" => Verb::Update,
        "delete" => Verb::Delete,
        "check" => Verb::Check,
        _ => {
            cursor.step_back();
            return cursor.fail(VERBS);
        }
    };
    let entity = cursor.word("an entity")?;
    let mut action = ActionDecl {
        verb,
        entity,
        alias: None,
        each: None,
        keys: Vec::new(),
        assignments: Vec::new(),
        otherwise: Vec::new(),
        removed: Vec::new(),
        conditions: Vec::new(),
    };
    if cursor.take_word("as") {
        action.alias = Some(cursor.word("another name of the entity")?);
    }
    if cursor.take_word("for") {
        cursor.keyword("each")?;
        action.each = Some(cursor.attribute("a parameter that is a list")?);
    }
    if matches!(verb, Verb::Update | Verb::Delete | Verb::Check) && cursor.take_word("where") {
        action.keys = cursor.separated(key_source)?;
        if cursor.is_word("and") {
            let failed = cursor.fail("`,`");
            return failed.map_err(|one| Box::new(one.help("a comma stands between the attributes of a key, `and` between conditions behind `when`")));
        }
    }
    let writes = verb.may_create() || verb == Verb::Update;
    if writes && cursor.take_word("set") {
        action.assignments = cursor.separated(assignment)?;
    }
    if verb == Verb::Upsert && cursor.take_word("else") {
        action.otherwise = cursor.separated(assignment)?;
    }
    if verb == Verb::Update && cursor.take_word("remove") {
        action.removed = cursor.separated(|cursor| cursor.path("an attribute"))?;
    }
    if verb == Verb::Upsert && action.assignments.is_empty() && action.otherwise.is_empty() {
        return cursor.fail("`set` or `else`");
    }
    if verb == Verb::Update && action.assignments.is_empty() && action.removed.is_empty() {
        return cursor.fail("`set` or `remove`");
    }
    if verb != Verb::Create && cursor.take_word("when") {
        action.conditions = conditions(cursor)?;
    }
    Ok(action)
}

/// Whether `or update` and an entity stand behind `create`.
fn is_upsert(cursor: &Cursor<'_>) -> bool {
    let is_update = matches!(cursor.peek_second(), Some(TokenKind::Word(word)) if word == "update");
    cursor.is_word("or") && is_update
}

fn key_source(cursor: &mut Cursor<'_>) -> Parsed<KeySourceDecl> {
    let attribute = cursor.attribute("an attribute of the key")?;
    cursor.sign("=")?;
    let operand = cursor.operand()?;
    let of = match cursor.take_sign(".") {
        true => Some(cursor.attribute("an attribute")?),
        false => None,
    };
    Ok(KeySourceDecl {
        attribute,
        operand,
        of,
    })
}

fn assignment(cursor: &mut Cursor<'_>) -> Parsed<AssignmentDecl> {
    let PathDecl { name, fields } = cursor.path("an attribute")?;
    cursor.sign("=")?;
    let left = cursor.path_operand()?;
    let right = if cursor.take_sign("+") {
        Some((true, cursor.path_operand()?))
    } else if cursor.take_sign("-") {
        Some((false, cursor.path_operand()?))
    } else {
        None
    };
    Ok(AssignmentDecl {
        attribute: name,
        fields,
        left,
        right,
    })
}
