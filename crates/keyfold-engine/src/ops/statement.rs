//! Common code of the PartiQL operations: reading a statement, and finding keys in its condition.

use crate::check::{Constraints, TableName};
use crate::item::plan::{Action, ItemWrite};
use crate::ops::single_write::SingleWrite;
use crate::table::Table;
use keyfold_api::{
    ApiError, ParameterizedStatement, ReturnValue, ReturnValuesOnConditionCheckFailure, Validation,
};
use keyfold_codec::RawItem;
use keyfold_expr::partiql::{Returning, Statement};
use keyfold_expr::{Comparator, Condition, Literal, Operand, Path, Projection};
use keyfold_types::limits::STATEMENT_CHARS_MAX;
use keyfold_types::{Item, KeyAttribute, KeySchema, Value};

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

/// Reads a statement with its parameters.
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

/// The conditions that must all hold.
pub(crate) fn conjuncts(condition: &Condition) -> Vec<&Condition> {
    match condition {
        Condition::And(members) => members.iter().flat_map(conjuncts).collect(),
        other => vec![other],
    }
}

/// The value that a condition says an attribute equals.
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

/// The item that a condition names with equalities on all key attributes, and what else it says.
pub(crate) fn whole_key(
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

/// A write statement against its table.
pub(crate) fn write(
    table: &Table,
    statement: Statement,
    given: &ParameterizedStatement,
    returns: crate::check::CheckedReturns,
) -> Result<SingleWrite, ApiError> {
    let return_on_failure = given.return_values_on_condition_check_failure
        == Some(ReturnValuesOnConditionCheckFailure::AllOld.into());
    let no_key = || {
        Validation::Sentence(
            "Where clause does not contain a mandatory equality on all key attributes".to_owned(),
        )
    };
    let first_key = |key: &KeySchema| {
        Path::attribute(
            key.partition
                .first()
                .map_or("", |attribute: &KeyAttribute| attribute.name.as_str()),
        )
    };
    let (name, write, returning, targets) = match statement {
        Statement::Insert { table: name, item } => {
            let condition = Some(Condition::NotExists(first_key(&table.key)));
            let write = ItemWrite {
                condition,
                is_insert: true,
                ..ItemWrite::new(Action::Put(item))
            };
            (name, write, None, Vec::new())
        }
        Statement::Update {
            table: name,
            update,
            condition,
            returning,
        } => {
            let (key, mut rest) = whole_key(&table.key, &condition).ok_or_else(no_key)?;
            // An UPDATE never makes an item.
            rest.insert(0, Condition::Exists(first_key(&table.key)));
            let targets = update.targets().to_vec();
            let write = ItemWrite {
                condition: Some(Condition::And(rest)),
                return_on_failure,
                ..ItemWrite::new(Action::Update { key, update })
            };
            (name, write, returning, targets)
        }
        Statement::Delete {
            table: name,
            condition,
            returning,
        } => {
            let (key, rest) = whole_key(&table.key, &condition).ok_or_else(no_key)?;
            // Deleting what is not there succeeds, whatever else is asked.
            let missing = Condition::NotExists(first_key(&table.key));
            let condition =
                (!rest.is_empty()).then(|| Condition::Or(vec![missing, Condition::And(rest)]));
            let write = ItemWrite {
                condition,
                return_on_failure,
                ..ItemWrite::new(Action::Delete { key })
            };
            (name, write, returning, Vec::new())
        }
        Statement::Exists(select) => {
            let (key, mut rest) = select
                .condition
                .as_ref()
                .and_then(|condition| whole_key(&table.key, condition))
                .ok_or_else(no_key)?;
            rest.insert(0, Condition::Exists(first_key(&table.key)));
            let condition = Some(Condition::And(rest));
            let write = ItemWrite {
                condition,
                return_on_failure,
                ..ItemWrite::new(Action::Check { key })
            };
            (select.table, write, None, Vec::new())
        }
        Statement::Select(_) => {
            return Err(Validation::Sentence("A SELECT writes nothing".to_owned()).into());
        }
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

/// The columns of a SELECT: the attributes asked for, or what paths lead to under the name of their
/// last step, with its position.
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
