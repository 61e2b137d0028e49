//! Named writes and their actions.

use super::cursor::{Cursor, Parsed};
use super::entity::type_of;
use crate::syntax::ast::{ActionDecl, AssignmentDecl, Verb, WriteDecl};

const VERBS: &str = "`create`, `put`, `update`, `delete` or `check`";

pub(super) fn write(cursor: &mut Cursor<'_>) -> Parsed<WriteDecl> {
    let name = cursor.word("the write's name")?;
    let mut parameters = Vec::new();
    if cursor.take_sign("(") && !cursor.take_sign(")") {
        loop {
            let parameter = cursor.word("a parameter")?;
            let kind = if cursor.take_sign(":") {
                Some(type_of(cursor)?)
            } else {
                None
            };
            parameters.push((parameter, kind));
            if !cursor.take_sign(",") {
                break;
            }
        }
        cursor.sign(")")?;
    }
    Ok(WriteDecl {
        name,
        parameters,
        actions: Vec::new(),
    })
}

pub(super) fn action(cursor: &mut Cursor<'_>) -> Parsed<ActionDecl> {
    let word = cursor.word(VERBS)?;
    let verb = match word.text.as_str() {
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
        each: None,
        assignments: Vec::new(),
        removed: Vec::new(),
        conditions: Vec::new(),
    };
    if cursor.take_word("for") {
        cursor.keyword("each")?;
        action.each = Some(cursor.word("a parameter that is a list")?);
    }
    let writes = matches!(verb, Verb::Create | Verb::Put | Verb::Update);
    if writes && cursor.take_word("set") {
        loop {
            action.assignments.push(assignment(cursor)?);
            if !cursor.take_sign(",") {
                break;
            }
        }
    }
    if verb == Verb::Update && cursor.take_word("remove") {
        action.removed = cursor.words("an attribute")?;
    }
    if verb == Verb::Update && action.assignments.is_empty() && action.removed.is_empty() {
        return cursor.fail("`set` or `remove`");
    }
    let may = matches!(verb, Verb::Update | Verb::Delete | Verb::Check);
    if may && cursor.take_word("when") {
        action.conditions.push(cursor.comparison()?);
        while cursor.take_word("and") {
            action.conditions.push(cursor.comparison()?);
        }
    }
    Ok(action)
}

fn assignment(cursor: &mut Cursor<'_>) -> Parsed<AssignmentDecl> {
    let attribute = cursor.word("an attribute")?;
    cursor.sign("=")?;
    let left = cursor.operand()?;
    let right = if cursor.take_sign("+") {
        Some((true, cursor.operand()?))
    } else if cursor.take_sign("-") {
        Some((false, cursor.operand()?))
    } else {
        None
    };
    Ok(AssignmentDecl {
        attribute,
        left,
        right,
    })
}
