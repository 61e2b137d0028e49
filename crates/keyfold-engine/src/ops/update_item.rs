//! UpdateItem: changes attributes of an item, and creates the item if it is absent.

use crate::base::pending::Pending;
use crate::check::expressions::Texts;
use crate::check::legacy;
use crate::check::{self, Constraints, TableName};
use crate::core::Core;
use crate::item::plan::{Action, ItemWrite};
use crate::ops::single_write::{self, SingleWrite};
use keyfold_api::{
    ApiError, ReturnValue, ReturnValuesOnConditionCheckFailure, UpdateItemInput, WriteItemOutput,
};

pub(crate) fn run(core: &Core, input: UpdateItemInput) -> Pending<WriteItemOutput> {
    single_write::run(core, check(input))
}

fn check(input: UpdateItemInput) -> Result<SingleWrite, ApiError> {
    let mut constraints = Constraints::default();
    constraints.table("tableName", &input.table_name);
    constraints.required("key", &input.key);
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
        update: input.update_expression.as_deref(),
        condition: input.condition_expression.as_deref(),
        ..Texts::default()
    };
    texts.check_mixed(input.legacy.as_deref())?;
    let key = check::attributes(input.key, "key")?;
    let mut bound = texts.bind(
        &input.expression_attributes,
        "UpdateExpression and ConditionExpression are null",
    )?;
    bound.take_legacy(legacy::bind(input.legacy.as_deref())?);
    let update = bound.update.unwrap_or_default();
    Ok(SingleWrite {
        table: TableName::new(input.table_name),
        targets: update.targets().to_vec(),
        write: ItemWrite {
            condition: bound.condition,
            return_on_failure: on_failure == Some(ReturnValuesOnConditionCheckFailure::AllOld),
            ..ItemWrite::new(Action::Update { key, update })
        },
        return_values,
        returns,
    })
}
