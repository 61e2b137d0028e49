//! PutItem: writes an item, and replaces the one with the same key.

use crate::base::pending::Pending;
use crate::check::expressions::{NO_CONDITION, Texts};
use crate::check::legacy;
use crate::check::{self, Constraints, TableName};
use crate::core::Core;
use crate::item::plan::{Action, ItemWrite};
use crate::ops::single_write::{self, SingleWrite};
use keyfold_api::{
    ApiError, PutItemInput, ReturnValue, ReturnValuesOnConditionCheckFailure, Validation,
    WriteItemOutput,
};

pub(crate) fn run(core: &Core, input: PutItemInput) -> Pending<WriteItemOutput> {
    single_write::run(core, check(input))
}

fn check(input: PutItemInput) -> Result<SingleWrite, ApiError> {
    let mut constraints = Constraints::default();
    constraints.table("tableName", &input.table_name);
    constraints.required("item", &input.item);
    let return_values = constraints
        .word("returnValues", &input.return_values)
        .unwrap_or(ReturnValue::None);
    let on_failure = constraints.word(
        "returnValuesOnConditionCheckFailure",
        &input.return_values_on_condition_check_failure,
    );
    let returns = constraints.returns(&input.returns);
    legacy::constrain(&mut constraints, input.legacy.as_deref());
    constraints.finish()?;
    let texts = Texts {
        condition: input.condition_expression.as_deref(),
        ..Texts::default()
    };
    texts.check_mixed(input.legacy.as_deref())?;
    if !matches!(return_values, ReturnValue::None | ReturnValue::AllOld) {
        return Err(Validation::ReturnValues.into());
    }
    let item = check::attributes(input.item, "item")?;
    let mut bound = texts.bind(&input.expression_attributes, NO_CONDITION)?;
    bound.take_legacy(legacy::bind(input.legacy.as_deref())?);
    Ok(SingleWrite {
        table: TableName::new(input.table_name),
        write: ItemWrite {
            condition: bound.condition,
            return_on_failure: on_failure == Some(ReturnValuesOnConditionCheckFailure::AllOld),
            ..ItemWrite::new(Action::Put(item))
        },
        return_values,
        targets: Vec::new(),
        returns,
    })
}
