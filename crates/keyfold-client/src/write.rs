//! Writes through the model: keys, index keys, copies and guards follow, in one transaction where more than
//! one item changes.
//!
//! A change of an existing item is optimistic: the item is read, what follows from its old and its new
//! attributes is compared, and the transaction requires that the attributes it rests on are still the
//! same. If another writer was faster, it is tried again.

use crate::arguments::Values;
use crate::backend::{Backend, unexpected};
use crate::derive::{Derived, Role, derive, followed, main_key, table};
use crate::error::ClientError;
use keyfold_api::{
    ConsumedCapacity, DeleteItemInput, ExpressionAttributes, GetItemInput, PutItemInput, Request, Response,
    ReturnConsumedCapacity, Returns, TransactDelete, TransactPut, TransactUpdate, TransactWriteItem,
    TransactWriteItemsInput, UpdateItemInput,
};
use keyfold_model::schema::Change;
use keyfold_model::{Action, Entity, Model, Operand, Table, Type, Write, value};
use keyfold_types::{CapacityHalves, Item, Value};

/// How often a change is tried against faster writers.
const TRIES: u32 = 24;

/// What a write did.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    /// The operation: PutItem, UpdateItem, DeleteItem or TransactWriteItems.
    pub operation: &'static str,
    /// What happened to each item: `put Order`, `delete the guard of email`.
    pub changes: Vec<String>,
    /// What it consumed.
    pub capacity: CapacityHalves,
}

/// One action of a write, and how to say that its condition failed.
struct Step {
    what: String,
    refusal: Refusal,
    action: TransactWriteItem,
}

enum Refusal {
    /// No condition.
    None,
    /// Another writer was faster: read and try again.
    Stale,
    /// The write is not possible.
    Because(String),
}

impl Refusal {
    fn reason(&self) -> Option<&str> {
        match self {
            Refusal::Because(reason) => Some(reason),
            Refusal::None | Refusal::Stale => None,
        }
    }
}

fn returns() -> Returns {
    Returns { consumed_capacity: Some(ReturnConsumedCapacity::Total.into()), item_collection_metrics: None }
}

/// Creates an entity that must not exist.
///
/// # Errors
/// `Refused` when it exists or a unique value is taken.
pub fn create(
    backend: &Backend,
    model: &Model,
    entity: &Entity,
    values: &Values,
) -> Result<Written, ClientError> {
    let steps = create_steps(model, entity, values, exists(entity, values))?;
    execute(backend, steps)?.ok_or_else(unexpected)
}

fn exists(entity: &Entity, values: &Values) -> Refusal {
    Refusal::Because(format!("{} exists already ({})", entity.name, key_text(entity, values)))
}

/// Puts of everything that follows from the values; `exists` is what it means that the entity is there.
fn create_steps(
    model: &Model,
    entity: &Entity,
    values: &Values,
    exists: Refusal,
) -> Result<Vec<Step>, ClientError> {
    let table = table(model, entity)?;
    let derived = derive(model, entity, values)?;
    let mut exists = Some(exists);
    Ok(derived
        .into_iter()
        .map(|one| match &one.role {
            Role::Main => put_step(table, entity, one, true, exists.take().unwrap_or(Refusal::None)),
            Role::Copy(_) => put_step(table, entity, one, false, Refusal::None),
            Role::Guard(attribute) => {
                let taken = taken(entity, attribute, values);
                put_step(table, entity, one, true, taken)
            }
        })
        .collect())
}

fn key_text(entity: &Entity, values: &Values) -> String {
    let show = |field: &str| values.get(field).map(|held| format!("{field} = {}", value::display(held)));
    let mut fields: Vec<&str> = entity.key.fields().collect();
    fields.dedup();
    fields.into_iter().filter_map(show).collect::<Vec<_>>().join(", ")
}

fn taken(entity: &Entity, attribute: &str, values: &Values) -> Refusal {
    let held = values.get(attribute).map(value::display).unwrap_or_default();
    Refusal::Because(format!("{attribute} `{held}` is taken: another {} has it", entity.name))
}

fn describe(entity: &Entity, role: &Role) -> String {
    match role {
        Role::Main => entity.name.clone(),
        Role::Copy(name) => format!("{}.{name}", entity.name),
        Role::Guard(attribute) => format!("the guard of {attribute}"),
    }
}

fn put_step(table: &Table, entity: &Entity, derived: Derived, new: bool, refusal: Refusal) -> Step {
    let mut put = TransactPut {
        table_name: Some(table.name.clone()),
        item: Some(Ok(derived.item)),
        ..TransactPut::default()
    };
    if new {
        put.condition_expression = Some("attribute_not_exists(#pk)".to_owned());
        put.expression_attributes = ExpressionAttributes::default().name("#pk", &table.partition.name);
    }
    let action = TransactWriteItem { put: Some(put), ..TransactWriteItem::default() };
    Step { what: format!("put {}", describe(entity, &derived.role)), refusal, action }
}

fn delete_step(table: &Table, entity: &Entity, derived: &Derived) -> Step {
    let delete = TransactDelete {
        table_name: Some(table.name.clone()),
        key: Some(Ok(derived.key.clone())),
        ..TransactDelete::default()
    };
    let action = TransactWriteItem { delete: Some(delete), ..TransactWriteItem::default() };
    Step { what: format!("delete {}", describe(entity, &derived.role)), refusal: Refusal::None, action }
}

/// Writes a whole entity, whether it exists or not.
///
/// # Errors
/// `Refused` when a unique value is taken.
pub fn put(
    backend: &Backend,
    model: &Model,
    entity: &Entity,
    values: &Values,
) -> Result<Written, ClientError> {
    retried(entity, || match read(backend, model, entity, values)? {
        None => execute(backend, create_steps(model, entity, values, Refusal::Stale)?),
        Some(old) => replace(backend, model, entity, &old, values.clone(), Whole::Yes),
    })
}

/// Changes some attributes of an entity that exists; `removed` are taken away.
///
/// # Errors
/// `NotFound` when it does not exist; `Refused` when a unique value is taken or a key attribute would
/// change.
pub fn update(
    backend: &Backend,
    model: &Model,
    entity: &Entity,
    changes: &Values,
    removed: &[String],
) -> Result<Written, ClientError> {
    for name in removed {
        match entity.attribute(name) {
            None => return Err(ClientError::Unknown(format!("{} has no `{name}`", entity.name))),
            Some(_) if changes.contains_key(name) => {
                return Err(ClientError::Unknown(format!("`{name}` is both set and removed")));
            }
            Some(attribute) if !attribute.optional => {
                return Err(ClientError::Refused(format!("{name} is required and cannot be removed")));
            }
            Some(_) => {}
        }
    }
    retried(entity, || {
        let Some(old) = read(backend, model, entity, changes)? else {
            return Err(not_found(entity, changes));
        };
        let mut new = old.values.clone();
        new.extend(changes.clone());
        for name in removed {
            new.remove(name);
        }
        replace(backend, model, entity, &old, new, Whole::No)
    })
}

/// Deletes an entity that exists, with its copies and guards.
///
/// # Errors
/// `NotFound` when it does not exist.
pub fn delete(
    backend: &Backend,
    model: &Model,
    entity: &Entity,
    key: &Values,
) -> Result<Written, ClientError> {
    retried(entity, || {
        let Some(old) = read(backend, model, entity, key)? else { return Err(not_found(entity, key)) };
        execute(backend, delete_steps(model, entity, &old)?)
    })
}

fn delete_steps(model: &Model, entity: &Entity, old: &Stored) -> Result<Vec<Step>, ClientError> {
    let table = table(model, entity)?;
    let derived = derive(model, entity, &old.values)?;
    let mut steps: Vec<Step> = derived.iter().map(|one| delete_step(table, entity, one)).collect();
    if let Some(Step { refusal, action: TransactWriteItem { delete: Some(delete), .. }, .. }) =
        steps.first_mut()
    {
        let (condition, placeholders) = unchanged(table, entity, old);
        delete.condition_expression = Some(condition);
        delete.expression_attributes = placeholders;
        *refusal = Refusal::Stale;
    }
    Ok(steps)
}

fn not_found(entity: &Entity, values: &Values) -> ClientError {
    ClientError::NotFound(format!("there is no {} with {}", entity.name, key_text(entity, values)))
}

/// Waits a random time that grows with the tries, so that writers of one item take turns.
fn back_off(tried: u32) {
    let most_ms = 4 * u64::from(tried + 1).min(16);
    std::thread::sleep(std::time::Duration::from_millis(fastrand::u64(1..=most_ms)));
}

fn retried(
    entity: &Entity,
    mut attempt: impl FnMut() -> Result<Option<Written>, ClientError>,
) -> Result<Written, ClientError> {
    for tried in 0..TRIES {
        if let Some(written) = attempt()? {
            return Ok(written);
        }
        back_off(tried);
    }
    Err(ClientError::Refused(format!(
        "{} was changed by others {TRIES} times in a row; try again",
        entity.name
    )))
}

/// An entity as it is stored.
struct Stored {
    item: Item,
    values: Values,
}

fn read(
    backend: &Backend,
    model: &Model,
    entity: &Entity,
    key: &Values,
) -> Result<Option<Stored>, ClientError> {
    let input = GetItemInput {
        table_name: Some(table(model, entity)?.name.clone()),
        key: Some(Ok(main_key(model, entity, key)?)),
        consistent_read: Some(true),
        ..GetItemInput::default()
    };
    let Response::GetItem(output) = backend.call(input.into())? else { return Err(unexpected()) };
    Ok(output.item.map(|item| {
        let item = item.to_item();
        let values = entity
            .attributes
            .iter()
            .filter_map(|attribute| Some((attribute.name.clone(), item.get(&attribute.name)?.clone())));
        Stored { values: values.collect(), item }
    }))
}

/// The condition that everything a write rests on is as it was read.
fn unchanged(table: &Table, entity: &Entity, old: &Stored) -> (String, ExpressionAttributes) {
    let mut condition = "attribute_exists(#pk)".to_owned();
    let mut placeholders = ExpressionAttributes::default().name("#pk", &table.partition.name);
    for (at, name) in followed(entity).into_iter().enumerate() {
        placeholders = placeholders.name(format!("#o{at}"), name);
        match old.values.get(name) {
            Some(value) => {
                condition.push_str(&format!(" AND #o{at} = :o{at}"));
                placeholders = placeholders.value(format!(":o{at}"), value.clone());
            }
            None => condition.push_str(&format!(" AND attribute_not_exists(#o{at})")),
        }
    }
    (condition, placeholders)
}

/// Moves an entity from its old to its new attributes; `None` when another writer was faster.
fn replace(
    backend: &Backend,
    model: &Model,
    entity: &Entity,
    old: &Stored,
    new: Values,
    whole: Whole,
) -> Result<Option<Written>, ClientError> {
    let table = table(model, entity)?;
    let before = derive(model, entity, &old.values)?;
    let after = derive(model, entity, &new)?;
    let (Some(main_before), Some(main_after)) = (before.first(), after.first()) else {
        return Err(ClientError::Unknown(format!("{} has no key", entity.name)));
    };
    if main_before.key != main_after.key {
        let message = format!("the key of {} cannot change; delete it and put it anew", entity.name);
        return Err(ClientError::Refused(message));
    }
    let main = match whole {
        Whole::Yes => Some(replace_step(table, entity, old, main_after)),
        Whole::No => update_step(table, entity, old, &main_before.item, main_after),
    };
    let Some(main) = main else {
        // Nothing differs, so nothing that follows from it does.
        return Ok(Some(Written {
            operation: "GetItem",
            changes: Vec::new(),
            capacity: CapacityHalves::ZERO,
        }));
    };
    let mut steps = vec![main];
    let is_kept = |one: &&Derived, others: &[Derived]| others.iter().any(|other| other.key == one.key);
    for gone in before.iter().skip(1).filter(|one| !is_kept(one, &after)) {
        steps.push(delete_step(table, entity, gone));
    }
    for one in after.iter().skip(1) {
        if before.contains(one) {
            continue;
        }
        let is_new = !is_kept(&one, &before);
        steps.push(match &one.role {
            Role::Guard(attribute) => {
                put_step(table, entity, one.clone(), is_new, taken(entity, attribute, &new))
            }
            Role::Main | Role::Copy(_) => put_step(table, entity, one.clone(), false, Refusal::None),
        });
    }
    execute(backend, steps)
}

/// Whether a write gives all attributes, or only those that change.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whole {
    Yes,
    No,
}

/// The put of the whole entity, if what it rests on is unchanged.
fn replace_step(table: &Table, entity: &Entity, old: &Stored, after: &Derived) -> Step {
    let mut step = put_step(table, entity, after.clone(), false, Refusal::Stale);
    if let Some(put) = &mut step.action.put {
        let (condition, placeholders) = unchanged(table, entity, old);
        put.condition_expression = Some(condition);
        put.expression_attributes = placeholders;
    }
    step
}

/// The update of the entity itself: only what differs, if what it rests on is unchanged. None when nothing
/// differs.
fn update_step(table: &Table, entity: &Entity, old: &Stored, before: &Item, after: &Derived) -> Option<Step> {
    let (condition, mut placeholders) = unchanged(table, entity, old);
    let (mut set, mut remove) = (Vec::new(), Vec::new());
    let mut at = 0;
    for (name, value) in &after.item {
        if old.item.get(name) != Some(value) {
            set.push(format!("#n{at} = :n{at}"));
            placeholders = placeholders.name(format!("#n{at}"), name).value(format!(":n{at}"), value.clone());
            at += 1;
        }
    }
    for (name, _) in before.iter().filter(|(name, _)| after.item.get(name).is_none()) {
        remove.push(format!("#n{at}"));
        placeholders = placeholders.name(format!("#n{at}"), name);
        at += 1;
    }
    let mut clauses = Vec::new();
    if !set.is_empty() {
        clauses.push(format!("SET {}", set.join(", ")));
    }
    if !remove.is_empty() {
        clauses.push(format!("REMOVE {}", remove.join(", ")));
    }
    if clauses.is_empty() {
        return None;
    }
    let update = TransactUpdate {
        table_name: Some(table.name.clone()),
        key: Some(Ok(after.key.clone())),
        update_expression: Some(clauses.join(" ")),
        condition_expression: Some(condition),
        expression_attributes: placeholders,
        ..TransactUpdate::default()
    };
    let action = TransactWriteItem { update: Some(update), ..TransactWriteItem::default() };
    Some(Step { what: format!("update {}", entity.name), refusal: Refusal::Stale, action })
}

/// Carries out the steps: one alone as a plain operation, several as a transaction. `None` when another
/// writer was faster.
fn execute(backend: &Backend, steps: Vec<Step>) -> Result<Option<Written>, ClientError> {
    let (mut refusals, mut changes, mut actions) = (Vec::new(), Vec::new(), Vec::new());
    for step in steps {
        refusals.push(step.refusal);
        changes.push(step.what);
        actions.push(step.action);
    }
    let request = request_of(actions);
    let operation = request.operation().name();
    match backend.call(request) {
        Ok(response) => Ok(Some(Written { operation, changes, capacity: consumed(response) })),
        Err(error) => {
            let Some(failed) = error.failed_actions() else { return Err(explained(error, &changes)) };
            let failed: Vec<&Refusal> = failed.iter().filter_map(|at| refusals.get(*at)).collect();
            // Read again before anything is refused: the other writer may have been one of the same entity.
            if failed.iter().any(|refusal| matches!(refusal, Refusal::Stale)) {
                return Ok(None);
            }
            match failed.into_iter().find_map(Refusal::reason) {
                Some(reason) => Err(ClientError::Refused(reason.to_owned())),
                None => Err(error),
            }
        }
    }
}

/// A transaction that an item does not fit, with that item and the reason instead of a list of codes.
fn explained(error: ClientError, changes: &[String]) -> ClientError {
    if let ClientError::Service { reasons, .. } = &error {
        for ((code, message), what) in reasons.iter().zip(changes) {
            if let ("ValidationError", Some(message)) = (code.as_str(), message) {
                return ClientError::Refused(format!("{what}: {message}"));
            }
        }
    }
    error
}

fn request_of(mut actions: Vec<TransactWriteItem>) -> Request {
    if let [_] = actions.as_slice() {
        match actions.remove(0) {
            TransactWriteItem { put: Some(put), .. } => {
                return Request::PutItem(PutItemInput {
                    table_name: put.table_name,
                    item: put.item,
                    condition_expression: put.condition_expression,
                    expression_attributes: put.expression_attributes,
                    returns: returns(),
                    ..PutItemInput::default()
                });
            }
            TransactWriteItem { update: Some(update), .. } => {
                return Request::UpdateItem(UpdateItemInput {
                    table_name: update.table_name,
                    key: update.key,
                    update_expression: update.update_expression,
                    condition_expression: update.condition_expression,
                    expression_attributes: update.expression_attributes,
                    returns: returns(),
                    ..UpdateItemInput::default()
                });
            }
            TransactWriteItem { delete: Some(delete), .. } => {
                return Request::DeleteItem(DeleteItemInput {
                    table_name: delete.table_name,
                    key: delete.key,
                    condition_expression: delete.condition_expression,
                    expression_attributes: delete.expression_attributes,
                    returns: returns(),
                    ..DeleteItemInput::default()
                });
            }
            other => actions.push(other),
        }
    }
    Request::TransactWriteItems(TransactWriteItemsInput {
        transact_items: Some(actions),
        returns: returns(),
        ..TransactWriteItemsInput::default()
    })
}

fn consumed(response: Response) -> CapacityHalves {
    let sum = |rows: Option<Vec<ConsumedCapacity>>| rows.into_iter().flatten().map(|row| row.total()).sum();
    match response {
        Response::PutItem(output) | Response::UpdateItem(output) | Response::DeleteItem(output) => {
            output.consumed_capacity.map_or(CapacityHalves::ZERO, |row| row.total())
        }
        Response::TransactWriteItems(output) => sum(output.consumed_capacity),
        _ => CapacityHalves::ZERO,
    }
}

/// Runs a named write: its actions together or not at all.
///
/// # Errors
/// `Refused` with the action and condition that did not hold.
pub fn run(
    backend: &Backend,
    model: &Model,
    write: &Write,
    arguments: &Values,
) -> Result<Written, ClientError> {
    for tried in 0..TRIES {
        let mut steps = Vec::new();
        for action in &write.actions {
            steps.extend(action_steps(backend, model, action, arguments)?);
        }
        if let Some(written) = execute(backend, steps)? {
            return Ok(written);
        }
        back_off(tried);
    }
    Err(ClientError::Refused(format!(
        "{}: the items were changed by others {TRIES} times in a row",
        write.name
    )))
}

fn action_steps(
    backend: &Backend,
    model: &Model,
    action: &Action,
    arguments: &Values,
) -> Result<Vec<Step>, ClientError> {
    let entity = |at: &usize| {
        model.entities.get(*at).ok_or_else(|| ClientError::Unknown("the write names no entity".to_owned()))
    };
    match action {
        Action::Create { entity: at } => {
            let entity = entity(at)?;
            let own = |name: &String| entity.attribute(name).is_some();
            let values =
                arguments.iter().filter(|(name, _)| own(name)).map(|(n, v)| (n.clone(), v.clone())).collect();
            let exists = exists(entity, &values);
            create_steps(model, entity, &values, exists)
        }
        Action::Delete { entity: at } => {
            let entity = entity(at)?;
            let Some(old) = read(backend, model, entity, arguments)? else {
                return Err(not_found(entity, arguments));
            };
            delete_steps(model, entity, &old)
        }
        Action::Update { entity: at, assignments, condition } => {
            let entity = entity(at)?;
            Ok(vec![assignment_step(model, entity, assignments, condition.as_ref(), arguments)?])
        }
    }
}

/// Turns operands into placeholders of one update.
struct Expressions {
    placeholders: ExpressionAttributes,
    count: usize,
}

impl Expressions {
    fn name(&mut self, attribute: &str) -> String {
        let key = format!("#a{}", self.count);
        self.count += 1;
        self.placeholders = std::mem::take(&mut self.placeholders).name(&key, attribute);
        key
    }

    fn operand(&mut self, operand: &Operand, kind: &Type, arguments: &Values) -> Result<String, ClientError> {
        let value: Value = match operand {
            Operand::Attribute(attribute) => return Ok(self.name(attribute)),
            Operand::Parameter(name) => arguments
                .get(name)
                .cloned()
                .ok_or_else(|| ClientError::Missing(format!("{name}=… is missing")))?,
            Operand::Literal(text) => value::parse("literal", kind, text)?,
        };
        let key = format!(":a{}", self.count);
        self.count += 1;
        self.placeholders = std::mem::take(&mut self.placeholders).value(&key, value);
        Ok(key)
    }
}

fn assignment_step(
    model: &Model,
    entity: &Entity,
    assignments: &[(String, Operand, Option<Change>)],
    condition: Option<&(String, String, Operand)>,
    arguments: &Values,
) -> Result<Step, ClientError> {
    let table = table(model, entity)?;
    let kind = |name: &str| entity.attribute(name).map_or(&Type::String, |attribute| &attribute.kind);
    let mut made = Expressions { placeholders: ExpressionAttributes::default(), count: 0 };
    let mut set = Vec::new();
    for (attribute, left, right) in assignments {
        let target = made.name(attribute);
        let mut text = format!("{target} = {}", made.operand(left, kind(attribute), arguments)?);
        if let Some((plus, operand)) = right {
            let operand = made.operand(operand, kind(attribute), arguments)?;
            text.push_str(&format!(" {} {operand}", if *plus { "+" } else { "-" }));
        }
        set.push(text);
    }
    let mut required = format!("attribute_exists({})", made.name(&table.partition.name));
    let mut reason = format!("there is no {} with {}", entity.name, key_text(entity, arguments));
    if let Some((attribute, comparator, operand)) = condition {
        let target = made.name(attribute);
        let operand_text = made.operand(operand, kind(attribute), arguments)?;
        required.push_str(&format!(" AND {target} {comparator} {operand_text}"));
        let shown = match operand {
            Operand::Parameter(name) => arguments.get(name).map(value::display).unwrap_or_default(),
            Operand::Attribute(text) | Operand::Literal(text) => text.clone(),
        };
        reason = format!("{reason}, or it does not have {attribute} {comparator} {shown}");
    }
    let update = TransactUpdate {
        table_name: Some(table.name.clone()),
        key: Some(Ok(main_key(model, entity, arguments)?)),
        update_expression: Some(format!("SET {}", set.join(", "))),
        condition_expression: Some(required),
        expression_attributes: made.placeholders,
        ..TransactUpdate::default()
    };
    let action = TransactWriteItem { update: Some(update), ..TransactWriteItem::default() };
    Ok(Step { what: format!("update {}", entity.name), refusal: Refusal::Because(reason), action })
}
