//! Named writes: actions that happen together or not at all.

use super::assignment::{apply, change};
use super::blind;
use super::conditions::{add_conditions, require, terms, unfulfilled};
use super::context::Context;
use super::entity;
use super::execute::sent;
use super::inputs::{self, GivenItems, Inputs, name_of};
use super::lacking::Unread;
use super::left_behind::take_out;
use super::meeting;
use super::refusal::{Refusal, absent, not_found};
use super::step::{Draft, Step, StepAction};
use super::stored_entity::{self, StoredEntity};
use super::upsert;
use super::written::Written;
use crate::arguments::Values;
use crate::complete::{Made, complete};
use crate::derive::{Place, identifying_place, table};
use crate::error::ClientError;
use crate::expression::{Change, Term};
use crate::lowering::{Io, Lowering, Origin};
use crate::retry::TRIES;
use keyfold_model::schema::WriteParameter;
use keyfold_model::{Action, Entity, Model, Operand, Type, Verb, Write, value};
use keyfold_types::{Number, Value};
use std::collections::BTreeMap;

/// Runs a named write: its actions together or not at all.
///
/// # Errors
/// The result has: `Refused` with the action and the condition that did not hold; `NotFound` when an entity or a
/// parent does not exist; `Taken` when a unique value belongs to another item; `Missing` when an
/// argument is.
pub fn run<'l>(
    origin: Origin,
    model: &'l Model,
    write: &'l Write,
    arguments: &'l Values,
) -> Lowering<'l, Written> {
    Lowering::new(origin, move |io| async move {
        run_write(&io, model, write, arguments).await
    })
}

async fn run_write(
    io: &Io,
    model: &Model,
    write: &Write,
    arguments: &Values,
) -> Result<Written, ClientError> {
    let context = Context { io, model };
    let present = with_now(io, write, arguments);
    for tried in 0..TRIES {
        let (mut draft, mut given, mut made) = Default::default();
        let into = (&mut draft, &mut given, &mut made);
        compose(&context, write, (arguments, &present), into).await?;
        if let Some(written) = sent(&context, draft, tried).await? {
            return Ok(written.with(made));
        }
    }
    Err(ClientError::Overtaken(format!(
        "{}: the items were changed by others {TRIES} times in a row",
        write.name
    )))
}

/// Adds the steps of all actions, the items that they are given, and what is made for them. The
/// arguments are the caller's, and those with the present moment.
pub(super) async fn compose(
    context: &Context<'_>,
    write: &Write,
    (asked, arguments): (&Values, &Values),
    (draft, given, made): (&mut Draft, &mut GivenItems, &mut Vec<Made>),
) -> Result<(), ClientError> {
    let optional = write.optional_parameters();
    let mut lenders: Vec<Option<Values>> = Vec::new();
    for (at, action) in write.actions.iter().enumerate() {
        let entity = context.model.entities.get(action.entity);
        let entity =
            entity.ok_or_else(|| ClientError::Unknown("the write names no entity".to_owned()))?;
        let fields = fields_of(write, action);
        let mut lender = None;
        for (number, arguments) in arguments_of(action, &fields, arguments)?.iter().enumerate() {
            let Some(own) = inputs::own(action, entity, arguments, &fields, &lenders) else {
                continue;
            };
            let mut absent = optional.clone();
            absent.retain(|name| !arguments.contains_key(name));
            let action = action.without(&absent);
            let of_write = (context.model, write);
            let with_lent = inputs::with_lent(of_write, &action, arguments, &lenders)?;
            let inputs = Inputs {
                own,
                arguments: &with_lent,
                lent: inputs::lent(write, at, entity),
            };
            let mut own_made = Vec::new();
            let into = (&mut *draft, &mut *given, &mut own_made);
            let added = compose_one(context, (&action, entity), inputs, into).await;
            let renamed = |error| inputs::of_argument(&action, (&fields, number), error);
            lender = Some(added.map_err(renamed)?);
            let asked = (asked, arguments);
            own_made.extend(moments(write, (&action, entity), &fields, asked));
            made.extend(
                own_made
                    .into_iter()
                    .map(|one| inputs::of_alias(&action, one)),
            );
        }
        lenders.push(lender);
    }
    meeting::hand_over(&mut draft.steps)
}

/// The attributes that an action sets to the present moment since the caller did not give one: those
/// that it assigns, whether its item is new or not, and those of a whole entity.
fn moments(
    write: &Write,
    (action, entity): (&Action, &Entity),
    fields: &[String],
    (asked, arguments): (&Values, &Values),
) -> Vec<Made> {
    let is_moment = |one: &&WriteParameter| one.is_now && one.optional;
    let known = write.parameters.iter().filter(is_moment);
    let known: Vec<&str> = known
        .map(|one| one.name.as_str())
        .filter(|name| !asked.contains_key(*name))
        .collect();
    if known.is_empty() {
        return Vec::new();
    }
    let assigned = action.assignments.iter().filter_map(|one| {
        let (Operand::Parameter(name), None) = (&one.left, &one.right) else {
            return None;
        };
        one.fields
            .is_empty()
            .then_some((&one.attribute, name.as_str()))
    });
    let is_assigned = |name: &String| action.assignments.iter().any(|one| one.attribute == *name);
    let whole = entity.attributes.iter().map(|one| &one.name);
    let whole = whole
        .filter(|name| action.verb.writes_all_attributes() && !is_assigned(name))
        .filter_map(|name| Some((name, inputs::parameter_of(action, fields, name)?)));
    let is_only_stored = |name: &String| action.otherwise.iter().any(|one| one.attribute == *name);
    let made = assigned.chain(whole).filter_map(|(attribute, parameter)| {
        let is_made = known.contains(&parameter) && !is_only_stored(attribute);
        is_made.then_some(Made {
            entity: entity.name.clone(),
            attribute: attribute.clone(),
            value: arguments.get(parameter)?.clone(),
        })
    });
    made.collect()
}

/// Adds the steps of an action on one item. Returns what [`add`] does.
async fn compose_one(
    context: &Context<'_>,
    (action, entity): (&Action, &Entity),
    mut inputs: Inputs<'_>,
    (draft, given, made): (&mut Draft, &mut GivenItems, &mut Vec<Made>),
) -> Result<Values, ClientError> {
    if action.verb.writes_all_attributes() {
        inputs.own = all_attributes(context, (action, entity), &inputs, made)?;
    }
    given.add(context.model, (action, entity), &inputs.own)?;
    let added = add(context, (action, entity), &inputs, draft, made).await;
    added.map_err(|error| {
        let place = identifying_place(context.model, entity, &inputs.own);
        match place {
            Ok((table, key)) => error.at_item(&name_of(action, entity), &table, &key),
            Err(_) => error,
        }
    })
}

/// The arguments, with the present moment where a condition compares with `now`, or a write sets it,
/// and the caller gave none.
pub(super) fn with_now(io: &Io, write: &Write, arguments: &Values) -> Values {
    let mut all = arguments.clone();
    let moments = write
        .parameters
        .iter()
        .filter(|one| one.is_now && one.optional);
    for parameter in moments {
        if !all.contains_key(&parameter.name)
            && let Some(present) = value::time_of_epoch_ms(&parameter.kind, io.now_epoch_ms())
        {
            all.insert(parameter.name.clone(), present);
        }
    }
    all
}

/// The fields of the records that an action repeats over.
fn fields_of(write: &Write, action: &Action) -> Vec<String> {
    let mut parameters = write.parameters.iter();
    let parameter = parameters.find(|parameter| Some(&parameter.name) == action.each.as_ref());
    if let Some(Type::List(of)) = parameter.map(|parameter| &parameter.kind)
        && let Type::Record(record) = &**of
    {
        let fields = record.fields.iter();
        return fields.map(|(field, ..)| field.clone()).collect();
    }
    Vec::new()
}

/// The arguments of an action: one set, or one for each record of the list that it repeats over.
fn arguments_of(
    action: &Action,
    fields: &[String],
    arguments: &Values,
) -> Result<Vec<Values>, ClientError> {
    let Some(each) = &action.each else {
        return Ok(vec![arguments.clone()]);
    };
    // A field that a record lacks has no value: an argument of the same name is another item's.
    let mut others = arguments.clone();
    others.retain(|name, _| !fields.contains(name));
    let Some(Value::L(records)) = arguments.get(each) else {
        return Err(ClientError::missing("the write", each));
    };
    let with_record = |record: &Value| {
        let Value::M(fields) = record else {
            return Err(ClientError::refused(format!(
                "{each} holds {}, which is no record",
                value::shown(record)
            )));
        };
        let mut all = others.clone();
        all.extend(
            fields
                .iter()
                .map(|(name, value)| (name.clone(), value.clone())),
        );
        Ok(all)
    };
    records.iter().map(with_record).collect()
}

/// Adds the steps of one action. Returns the attributes of its entity that others may take: as they
/// are stored, or as they are created or put.
async fn add(
    context: &Context<'_>,
    (action, entity): (&Action, &Entity),
    inputs: &Inputs<'_>,
    draft: &mut Draft,
    made: &mut Vec<Made>,
) -> Result<Values, ClientError> {
    let values = &inputs.own;
    match action.verb {
        Verb::Create => {
            let exists = Refusal::exists(entity, values);
            entity::create(context, entity, values, exists, draft)?;
        }
        Verb::Put if context.model.is_direct(action) => {
            let mut step = blind::put(context, entity, values)?;
            step.conditions = terms(&action.conditions, inputs.arguments)?;
            step.refusal = unfulfilled(entity, action, &action.conditions, inputs);
            draft.push(step);
        }
        Verb::Put => {
            let old = stored_entity::read(context, entity, values).await?;
            let watched = require(context, entity, action, inputs, old.as_ref())?;
            entity::put_over(context, (entity, values), old.as_ref(), &watched, draft)?;
        }
        Verb::Delete => {
            let old = read(context, entity, values).await?;
            let mut watched = require(context, entity, action, inputs, Some(&old))?;
            old.require_readable((context, entity), |name| inputs.lent.has(name))?;
            watched.extend(inputs.lent.iter());
            entity::delete(context, entity, &old, &watched, draft)?;
            return Ok(old.values);
        }
        Verb::Check => return check(context, (action, entity), inputs, draft).await,
        Verb::Update => return update(context, (action, entity), inputs, draft).await,
        Verb::Upsert => upsert::add(context, (entity, action), inputs, draft, made).await?,
    }
    Ok(values.clone())
}

/// The attributes of a whole entity: those given, those assigned, and the defaults of the others.
fn all_attributes(
    context: &Context<'_>,
    (action, entity): (&Action, &Entity),
    inputs: &Inputs<'_>,
    made: &mut Vec<Made>,
) -> Result<Values, ClientError> {
    let own = |name: &String| entity.attribute(name).is_some();
    let mut values: Values = inputs
        .own
        .iter()
        .filter(|(name, _)| own(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    for assignment in &action.assignments {
        let nothing = Values::new();
        apply(entity, assignment, inputs.arguments, &nothing, &mut values)?;
    }
    Ok(complete(context.io, entity, &values, made))
}

/// Reads an entity that must exist.
async fn read(
    context: &Context<'_>,
    entity: &Entity,
    key: &Values,
) -> Result<StoredEntity, ClientError> {
    let found = stored_entity::read(context, entity, key).await?;
    found.ok_or_else(|| not_found(entity, key))
}

/// A step on the main item of an entity that must exist.
fn on_main_item(
    context: &Context<'_>,
    (action, entity): (&Action, &Entity),
    key: &Values,
) -> Result<Step, ClientError> {
    let place = Place::of(context.model, entity, key)?;
    Ok(Step {
        label: name_of(action, entity),
        refusal: Refusal::NotFound(absent(entity, key)),
        conditions: vec![Term::Exists(place.table.partition.name.clone())],
        table: place.table_name,
        key: place.key,
        action: StepAction::Check,
        maxima: BTreeMap::new(),
    })
}

/// Adds the step of a check. Returns the attributes that other actions take.
async fn check(
    context: &Context<'_>,
    (action, entity): (&Action, &Entity),
    inputs: &Inputs<'_>,
    draft: &mut Draft,
) -> Result<Values, ClientError> {
    if context.model.is_direct(action) && inputs.lent.is_empty() {
        let mut step = on_main_item(context, (action, entity), &inputs.own)?;
        add_conditions(&mut step, entity, &action.conditions, inputs)?;
        draft.push(step);
        return Ok(inputs.own.clone());
    }
    let old = read(context, entity, &inputs.own).await?;
    let mut watched = require(context, entity, action, inputs, Some(&old))?;
    old.require_readable((context, entity), |name| inputs.lent.has(name))?;
    watched.extend(inputs.lent.iter());
    let key = if entity.moves() {
        &old.values
    } else {
        &inputs.own
    };
    let step = on_main_item(context, (action, entity), key)?;
    draft.push(step.unless_stale(entity::unchanged(context, entity, &old, &watched)?));
    Ok(old.values)
}

/// Adds the steps of an update. Returns the attributes that other actions take.
async fn update(
    context: &Context<'_>,
    (action, entity): (&Action, &Entity),
    inputs: &Inputs<'_>,
    draft: &mut Draft,
) -> Result<Values, ClientError> {
    if context.model.is_direct(action) && inputs.lent.is_empty() {
        let mut step = on_main_item(context, (action, entity), &inputs.own)?;
        add_conditions(&mut step, entity, &action.conditions, inputs)?;
        if let Some(change) = update_expression(entity, action, inputs.arguments)? {
            step.action = change;
            let table = table(context.model, entity)?;
            take_out((table, entity), &inputs.own, &mut step);
            let place = (step.table.as_str(), &step.key);
            let unread = Unread::of((entity, action), &inputs.own, place);
            draft.unread.push(unread);
        }
        draft.push(step);
        return Ok(inputs.own.clone());
    }
    let old = read(context, entity, &inputs.own).await?;
    upsert::change_stored(context, (entity, action), inputs, &old, draft)?;
    Ok(old.values)
}

/// The update that the engine evaluates; `None` where nothing is given that it changes.
fn update_expression(
    entity: &Entity,
    action: &Action,
    arguments: &Values,
) -> Result<Option<StepAction>, ClientError> {
    let mut changes = Vec::new();
    for assignment in &action.assignments {
        let change = change(entity, assignment, arguments)?;
        changes.push((assignment.attribute.clone(), change));
    }
    if let Some(version) = &entity.version {
        changes.push((version.clone(), Change::Add(Number::from(1_i64))));
    }
    let removed = action.removed.clone();
    let is_empty = changes.is_empty() && removed.is_empty();
    Ok((!is_empty).then_some(StepAction::Update { changes, removed }))
}
