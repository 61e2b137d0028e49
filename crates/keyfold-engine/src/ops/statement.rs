//! PartiQL statements: parsing, their writes, and the keys in their conditions.

use crate::check::{CheckedReturns, Constraints, TableName};
use crate::item::plan::{Action, ItemWrite};
use crate::ops::single_write::SingleWrite;
use crate::table::Table;
use keyfold_api::{
    ApiError, ParameterizedStatement, ReturnValue, ReturnValuesOnConditionCheckFailure, Validation,
};
use keyfold_codec::RawItem;
use keyfold_expr::partiql::{Returning, Statement};
use keyfold_expr::{Comparator, Condition, Literal, Operand, Path, Projection, Update};
use keyfold_types::limits::STATEMENT_CHARS_MAX;
use keyfold_types::{Item, KeySchema, Value};

/// The refusal of a statement that is an EXISTS.
pub(crate) const EXISTS_OUTSIDE_TRANSACTION: &str = "EXISTS can be used in ExecuteTransaction only";

pub(crate) fn constrain(constraints: &mut Constraints, path: &str, given: &ParameterizedStatement) {
    let member = |name: &str| format!("{path}{name}");
    constraints.required(&member("statement"), &given.statement);
    if let Some(text) = &given.statement {
        constraints.count(
            &member("statement"),
            text.chars().count(),
            text,
            1,
            STATEMENT_CHARS_MAX,
        );
    }
    if let Some(parameters) = &given.parameters {
        constraints.list(&member("parameters"), parameters.len(), 1, usize::MAX);
    }
    constraints.word(
        &member("returnValuesOnConditionCheckFailure"),
        &given.return_values_on_condition_check_failure,
    );
}

/// Parses a statement with its parameters.
pub(crate) fn parse(given: &ParameterizedStatement) -> Result<Statement, ApiError> {
    let parameters: Vec<Value> = given
        .parameters
        .iter()
        .flatten()
        .cloned()
        .collect::<Result<_, _>>()
        .map_err(Validation::Value)?;
    let text = given.statement.as_deref().unwrap_or_default();
    Statement::parse(text, &parameters)
        .map_err(|error| Validation::Sentence(error.to_string()).into())
}

/// The conjuncts of a condition.
pub(crate) fn conjuncts(condition: &Condition) -> Vec<&Condition> {
    match condition {
        Condition::And(members) => members.iter().flat_map(conjuncts).collect(),
        Condition::Or(_)
        | Condition::Not(_)
        | Condition::Compare(..)
        | Condition::Between(..)
        | Condition::In(..)
        | Condition::Exists(_)
        | Condition::NotExists(_)
        | Condition::IsType(..)
        | Condition::BeginsWith(..)
        | Condition::Contains(..) => vec![condition],
    }
}

/// The value of an attribute if the condition is an equality of it.
pub(crate) fn equality<'c>(condition: &'c Condition, attribute: &str) -> Option<&'c Literal> {
    let Condition::Compare(Comparator::Eq, left, right) = condition else {
        return None;
    };
    match (left, right) {
        (Operand::Path(path), Operand::Literal(value))
        | (Operand::Literal(value), Operand::Path(path)) => {
            (path.as_attribute() == Some(attribute)).then_some(value)
        }
        _ => None,
    }
}

/// The key in a condition with equalities on all key attributes, and the other conjuncts.
pub(crate) fn full_key(
    schema: &KeySchema,
    condition: &Condition,
) -> Option<(Item, Vec<Condition>)> {
    let mut rest = conjuncts(condition);
    let mut key = Item::new();
    for attribute in schema.attributes() {
        let at = rest
            .iter()
            .position(|one| equality(one, &attribute.name).is_some())?;
        let found = rest.remove(at);
        key.insert(
            attribute.name.as_str(),
            equality(found, &attribute.name)?.value().clone(),
        );
    }
    Some((key, rest.into_iter().cloned().collect()))
}

/// Binds a write statement to its table.
pub(crate) fn write(
    table: &Table,
    statement: Statement,
    given: &ParameterizedStatement,
    returns: CheckedReturns,
) -> Result<SingleWrite, ApiError> {
    let key = &table.key;
    let (name, mut write, returning) = match statement {
        Statement::Insert { table: name, item } => (name, insert(key, item), None),
        Statement::Update {
            table: name,
            update,
            condition,
            returning,
        } => (name, change(key, update, &condition)?, returning),
        Statement::Delete {
            table: name,
            condition,
            returning,
        } => (name, delete(key, &condition)?, returning),
        Statement::Exists(select) => {
            let check = exists(key, select.condition.as_ref())?;
            (select.table, check, None)
        }
        Statement::Select(_) => {
            return Err(Validation::Sentence("A SELECT writes nothing".to_owned()).into());
        }
    };
    write.is_statement = true;
    // The answer to a failed INSERT has no item.
    write.return_on_failure = !write.is_insert
        && given.return_values_on_condition_check_failure
            == Some(ReturnValuesOnConditionCheckFailure::AllOld.into());
    let targets = match &write.action {
        Action::Update { update, .. } => update.targets().to_vec(),
        Action::Put(_) | Action::Delete { .. } | Action::Check { .. } => Vec::new(),
    };
    let return_values = match returning {
        None => ReturnValue::None,
        Some(Returning::AllOld) => ReturnValue::AllOld,
        Some(Returning::AllNew) => ReturnValue::AllNew,
        Some(Returning::ModifiedOld) => ReturnValue::UpdatedOld,
        Some(Returning::ModifiedNew) => ReturnValue::UpdatedNew,
    };
    Ok(SingleWrite {
        table: TableName::new(Some(name)),
        write,
        return_values,
        targets,
        returns,
    })
}

/// A put that fails when the item exists.
fn insert(key: &KeySchema, item: Item) -> ItemWrite {
    ItemWrite {
        condition: Some(Condition::NotExists(first_key(key))),
        is_insert: true,
        ..ItemWrite::new(Action::Put(item))
    }
}

/// An update that fails when the item does not exist: an UPDATE never creates an item.
fn change(key: &KeySchema, update: Update, condition: &Condition) -> Result<ItemWrite, ApiError> {
    let (named, mut rest) = full_key(key, condition).ok_or_else(no_key)?;
    rest.insert(0, Condition::Exists(first_key(key)));
    Ok(ItemWrite {
        condition: Some(Condition::And(rest)),
        ..ItemWrite::new(Action::Update { key: named, update })
    })
}

/// A deletion. Deleting a missing item succeeds, whatever the other conditions are.
fn delete(key: &KeySchema, condition: &Condition) -> Result<ItemWrite, ApiError> {
    let (named, rest) = full_key(key, condition).ok_or_else(no_key)?;
    let missing = Condition::NotExists(first_key(key));
    let condition = (!rest.is_empty()).then(|| Condition::Or(vec![missing, Condition::And(rest)]));
    Ok(ItemWrite {
        condition,
        ..ItemWrite::new(Action::Delete { key: named })
    })
}

/// The check of an EXISTS.
fn exists(key: &KeySchema, condition: Option<&Condition>) -> Result<ItemWrite, ApiError> {
    let found = condition.and_then(|condition| full_key(key, condition));
    let (named, mut rest) = found.ok_or_else(no_key)?;
    rest.insert(0, Condition::Exists(first_key(key)));
    Ok(ItemWrite {
        condition: Some(Condition::And(rest)),
        ..ItemWrite::new(Action::Check { key: named })
    })
}

fn no_key() -> Validation {
    let sentence = "Where clause does not contain a mandatory equality on all key attributes";
    Validation::Sentence(sentence.to_owned())
}

fn first_key(key: &KeySchema) -> Path {
    let first = key.partition.first();
    Path::attribute(first.map_or("", |attribute| attribute.name.as_str()))
}

/// The columns of a SELECT: attributes, or the values of paths, each under the name of the path's last
/// step with its position.
pub(crate) fn columns(columns: Option<&[Path]>, item: RawItem) -> RawItem {
    let Some(columns) = columns else { return item };
    if columns.iter().all(|path| path.as_attribute().is_some()) {
        return Projection::of_paths(columns.to_vec()).apply(&item);
    }
    let mut chosen = Item::new();
    for path in columns {
        if let Some(value) = path.find(&item) {
            chosen.insert(path.column(), value.to_value());
        }
    }
    RawItem::encode(&chosen)
}
