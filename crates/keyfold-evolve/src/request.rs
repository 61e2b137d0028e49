//! Requests of writes: each under the condition that the item is as it was read.

use crate::wish::{Action, Does};
use keyfold_api::{
    ConditionCheck, ExpressionAttributes, Request, TransactDelete, TransactPut, TransactUpdate,
    TransactWriteItem, TransactWriteItemsInput, UpdateItemInput,
};
use keyfold_types::{Item, Value};

/// An expression that grows, with its placeholders.
#[derive(Default)]
struct Expression {
    attributes: ExpressionAttributes,
    names: usize,
    values: usize,
}

impl Expression {
    fn name(&mut self, name: &str) -> String {
        let placeholder = format!("#{}", self.names);
        self.names += 1;
        self.attributes = std::mem::take(&mut self.attributes).name(&placeholder, name);
        placeholder
    }

    fn value(&mut self, value: &Value) -> String {
        let placeholder = format!(":{}", self.values);
        self.values += 1;
        self.attributes = std::mem::take(&mut self.attributes).value(&placeholder, value.clone());
        placeholder
    }

    /// The condition that an item is as it was read.
    fn condition(&mut self, action: &Action) -> String {
        let mut all = Vec::new();
        match &action.before {
            None => {
                let first = action.key.iter().next();
                let name = self.name(first.map_or("", |(name, _)| name));
                all.push(format!("attribute_not_exists({name})"));
            }
            Some(before) => {
                for (name, value) in before {
                    let (name, value) = (self.name(name), self.value(value));
                    all.push(format!("{name} = {value}"));
                }
            }
        }
        for absent in &action.absent {
            let name = self.name(absent);
            all.push(format!("attribute_not_exists({name})"));
        }
        all.join(" AND ")
    }

    /// The update that makes one item of another.
    fn update(&mut self, before: &Item, after: &Item) -> String {
        let (mut set, mut removed) = (Vec::new(), Vec::new());
        for (name, value) in after {
            if before.get(name) != Some(value) {
                let (name, value) = (self.name(name), self.value(value));
                set.push(format!("{name} = {value}"));
            }
        }
        for (name, _) in before {
            if after.get(name).is_none() {
                removed.push(self.name(name));
            }
        }
        let mut all = Vec::new();
        if !set.is_empty() {
            all.push(format!("SET {}", set.join(", ")));
        }
        if !removed.is_empty() {
            all.push(format!("REMOVE {}", removed.join(", ")));
        }
        all.join(" ")
    }
}

/// The request that carries actions out: all of them, or none.
pub(crate) fn request(actions: &[Action]) -> Request {
    if let [one] = actions
        && let (Does::Update(after), Some(before)) = (&one.does, &one.before)
    {
        let mut expression = Expression::default();
        let condition = expression.condition(one);
        return UpdateItemInput {
            table_name: Some(one.table.clone()),
            key: Some(Ok(one.key.clone())),
            update_expression: Some(expression.update(before, after)),
            condition_expression: Some(condition),
            expression_attributes: expression.attributes,
            ..UpdateItemInput::default()
        }
        .into();
    }
    TransactWriteItemsInput {
        transact_items: Some(actions.iter().map(transacted).collect()),
        ..TransactWriteItemsInput::default()
    }
    .into()
}

fn transacted(one: &Action) -> TransactWriteItem {
    let mut expression = Expression::default();
    let condition = Some(expression.condition(one));
    let table_name = Some(one.table.clone());
    let key = Some(Ok(one.key.clone()));
    let mut all = TransactWriteItem::default();
    match &one.does {
        Does::Check => {
            all.condition_check = Some(ConditionCheck {
                table_name,
                key,
                condition_expression: condition,
                expression_attributes: expression.attributes,
                ..ConditionCheck::default()
            });
        }
        Does::Put(item) => {
            all.put = Some(TransactPut {
                table_name,
                item: Some(Ok(item.clone())),
                condition_expression: condition,
                expression_attributes: expression.attributes,
                ..TransactPut::default()
            });
        }
        Does::Update(after) => {
            let before = one.before.clone().unwrap_or_default();
            all.update = Some(TransactUpdate {
                table_name,
                key,
                update_expression: Some(expression.update(&before, after)),
                condition_expression: condition,
                expression_attributes: expression.attributes,
                ..TransactUpdate::default()
            });
        }
        Does::Delete => {
            all.delete = Some(TransactDelete {
                table_name,
                key,
                condition_expression: condition,
                expression_attributes: expression.attributes,
                ..TransactDelete::default()
            });
        }
    }
    all
}

/// The write units of actions in a table without indexes.
pub(crate) fn units(actions: &[Action]) -> u64 {
    let times = match actions {
        [one] if matches!(one.does, Does::Update(_)) => 1,
        _ => 2,
    };
    let one = |action: &Action| {
        let before = action.before.as_ref().map_or(0, Item::size_bytes);
        let after = match &action.does {
            Does::Put(item) | Does::Update(item) => item.size_bytes(),
            Does::Check | Does::Delete => 0,
        };
        before.max(after).div_ceil(1024).max(1) * times
    };
    actions.iter().map(one).sum()
}
