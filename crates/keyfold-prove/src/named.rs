//! Named writes: random arguments, and their execution on the rows, action by action.

use crate::ProveError;
use crate::condition::held_value;
use crate::expect::{self, Attributes, Expected};
use crate::generate::{Generator, set_of};
use crate::kept;
use crate::path;
use crate::row_write;
use crate::rows::{Rows, identity};
use crate::seen::Sight;
use crate::verdict::holds;
use keyfold_client::arguments::Values;
use keyfold_model::schema::{Assignment, Joint, Lent, Source, WriteParameter};
use keyfold_model::{Action, Entity, Operand, Type, Verb, Write, value};
use keyfold_types::Value;
use std::collections::BTreeMap;

/// Random arguments of a named write: new attributes for created entities, the keys of existing rows
/// for changed ones, random values otherwise.
pub(crate) fn arguments<'m>(
    rows: &Rows<'m>,
    named: &'m Write,
    generator: &mut Generator<'m>,
) -> Values {
    let mut all = Values::new();
    // By entity: the row that the last action on it was given.
    let mut last: BTreeMap<usize, i64> = BTreeMap::new();
    for action in &named.actions {
        let Some(entity) = rows.model.entities.get(action.entity) else {
            continue;
        };
        let is_written = matches!(action.verb, Verb::Create | Verb::Put | Verb::Upsert);
        let mut row = if is_written {
            generator.row(entity, rows)
        } else {
            Values::new()
        };
        let may_be_there = matches!(action.verb, Verb::Upsert | Verb::Put);
        if !is_written || (may_be_there && generator.rng.bool()) {
            let again = last.get(&action.entity).copied();
            let again = again.filter(|_| generator.rng.u8(..8) == 0);
            let meant = again.or_else(|| meant(rows, action, generator));
            let picked = meant.or_else(|| rows.pick_row(action.entity, &mut generator.rng));
            last.extend(picked.map(|row| (action.entity, row)));
            let stored = picked.and_then(|row| rows.get(action.entity, row));
            let key = identity(entity).into_iter();
            row.extend(key.filter_map(|name| Some((name.to_owned(), stored?.get(name)?.clone()))));
        }
        for (attribute, value) in &row {
            let Some(name) = parameter_of(action, attribute) else {
                continue;
            };
            if named.parameters.iter().any(|known| known.name == name) {
                // The first action that names an attribute gives its value.
                all.entry(name.to_owned()).or_insert_with(|| value.clone());
            }
        }
    }
    for parameter in &named.parameters {
        let may_lack = parameter.optional && !parameter.is_now;
        if all.contains_key(&parameter.name) || (may_lack && generator.rng.bool()) {
            continue;
        }
        let is_list_of_records =
            matches!(&parameter.kind, Type::List(of) if matches!(**of, Type::Record(_)));
        let compared = compared(rows, named, parameter, &all, generator);
        let value = if is_list_of_records {
            records(rows, named, &parameter.name, generator)
        } else if let Some(held) = compared.filter(|_| generator.rng.bool()) {
            held
        } else {
            small(&parameter.kind, generator)
        };
        all.insert(parameter.name.clone(), value);
    }
    // The client sets these itself where they are left out, as it does when they are now.
    for parameter in named
        .parameters
        .iter()
        .filter(|one| one.is_now && one.optional)
    {
        let now = value::time_of_epoch_ms(&parameter.kind, rows.now_epoch_ms);
        if let Some(now) = now.filter(|_| generator.rng.u8(..3) == 0) {
            all.insert(parameter.name.clone(), now);
        }
    }
    all
}

/// Half of the time, a row for which the conditions of an action hold, as far as no argument decides
/// them.
fn meant(rows: &Rows<'_>, action: &Action, generator: &mut Generator<'_>) -> Option<i64> {
    if action.conditions.is_empty() || generator.rng.bool() {
        return None;
    }
    let nothing = Values::new();
    let is_meant = |row: &Values| all_hold(action, row, &nothing);
    rows.pick_where(action.entity, &mut generator.rng, is_meant)
}

/// The parameter from which an action takes an attribute; `None` where it takes it from elsewhere.
fn parameter_of<'a>(action: &'a Action, attribute: &'a str) -> Option<&'a str> {
    let taken = action.taken.iter().find(|one| one.attribute == attribute);
    match taken.map(|one| &one.source) {
        None if action.alias.is_some() => None,
        None => Some(attribute),
        Some(Source::Parameter(name)) => Some(name),
        Some(Source::Literal(_) | Source::Attribute { .. }) => None,
    }
}

/// The value that the changed row has where a condition compares it with a parameter.
fn compared<'m>(
    rows: &Rows<'m>,
    named: &'m Write,
    parameter: &WriteParameter,
    arguments: &Values,
    generator: &mut Generator<'m>,
) -> Option<Value> {
    let of_action = |action: &Action| {
        let entity = rows.model.entities.get(action.entity)?;
        let (_, row) = rows.found(entity, &own(action, entity, arguments, &[], &[])?)?;
        let held = held_value(
            &action.conditions,
            &parameter.name,
            &row,
            &mut generator.rng,
        )?;
        value::check("", &parameter.kind, &held)
            .is_ok()
            .then_some(held)
    };
    named.actions.iter().find_map(of_action)
}

/// A small number, or a random value of another type.
fn small(kind: &Type, generator: &mut Generator<'_>) -> Value {
    if *kind == Type::Int {
        Value::from(generator.rng.i64(1..9))
    } else {
        generator.of_type(kind)
    }
}

/// Random records for an action that repeats over a list. Fields that are attributes of its entity
/// have the values of a new row.
fn records<'m>(
    rows: &Rows<'m>,
    named: &'m Write,
    list: &str,
    generator: &mut Generator<'m>,
) -> Value {
    let action = named
        .actions
        .iter()
        .find(|action| action.each.as_deref() == Some(list));
    let parameter = named
        .parameters
        .iter()
        .find(|parameter| parameter.name == list);
    let (Some(action), Some(parameter)) = (action, parameter) else {
        return Value::L(Vec::new());
    };
    let Some(entity) = rows.model.entities.get(action.entity) else {
        return Value::L(Vec::new());
    };
    let Type::List(of) = &parameter.kind else {
        return Value::L(Vec::new());
    };
    let Type::Record(record) = &**of else {
        return Value::L(Vec::new());
    };
    let count = generator.rng.usize(1..4);
    let one = |generator: &mut Generator<'m>| {
        let row = generator.row(entity, rows);
        let fields = record.fields.iter().map(|(name, kind, _)| {
            let value = match row.get(name) {
                Some(value) => value.clone(),
                None => small(kind, generator),
            };
            (name.clone(), value)
        });
        Value::M(fields.collect())
    };
    Value::L((0..count).map(|_| one(generator)).collect())
}

/// An action on one item.
struct OneItem<'a> {
    action: &'a Action,
    /// Its condition among what the proof must see.
    sight: Sight,
    entity: &'a Entity,
    /// The attributes of the entity that the action is given.
    own: Values,
    arguments: Values,
}

/// Executes the actions on the rows. Returns whether all of them are possible; if not, the caller
/// undoes the changes made so far.
pub(crate) fn carry_out(
    rows: &mut Rows<'_>,
    named: &Write,
    arguments: &Values,
) -> Result<bool, ProveError> {
    let Some(mut all) = items_of(rows, named, arguments) else {
        return Ok(false);
    };
    // Parents that keep aggregates come before their children.
    all.sort_by_key(|one| one.entity.aggregates.is_empty());
    let made = all.iter().filter(|one| match one.action.verb {
        Verb::Create | Verb::Put | Verb::Upsert => true,
        Verb::Update | Verb::Delete | Verb::Check => false,
    });
    rows.coming = made
        .map(|one| (one.action.entity, one.own.clone()))
        .collect();
    let deleted = all.iter().filter(|one| one.action.verb == Verb::Delete);
    rows.going = deleted
        .map(|one| (one.action.entity, one.own.clone()))
        .collect();
    // The actions happen together: one item may take a unique value that another gives away.
    rows.defer_uniques()?;
    let possible = act_all(rows, &all);
    rows.coming.clear();
    rows.going.clear();
    Ok(rows.settle_uniques()? && possible?)
}

/// Executes actions in their order. Returns whether all of them are possible.
fn act_all(rows: &mut Rows<'_>, all: &[OneItem<'_>]) -> Result<bool, ProveError> {
    let mut touched: Vec<(usize, Values)> = Vec::new();
    let mut changed: Vec<Attributes> = Vec::new();
    // A transaction sees every item as it was before all of its actions.
    let stored: Vec<Option<Values>> = all
        .iter()
        .map(|one| {
            let (row, _) = rows.found(one.entity, &one.own)?;
            kept::complete(rows, one.entity, row)
        })
        .collect();
    for (one, stored) in all.iter().zip(stored) {
        // A transaction allows one action per item.
        let key: Values = identity(one.entity)
            .into_iter()
            .filter_map(|f| Some((f.to_owned(), one.own.get(f)?.clone())))
            .collect();
        if touched.contains(&(one.action.entity, key.clone())) {
            return Ok(false);
        }
        touched.push((one.action.entity, key));
        let before = rows.found(one.entity, &one.own).map(|(_, row)| row);
        if !act(rows, one, stored.unwrap_or_default())? {
            return Ok(false);
        }
        rows.seen.show(one.sight);
        let after = rows.found(one.entity, &one.own).map(|(_, row)| row);
        let differing = differing_keys(rows, one.entity, [before, after]);
        if differing.iter().any(|key| changed.contains(key)) {
            return Ok(false);
        }
        changed.extend(differing);
    }
    Ok(true)
}

/// The keys of the stored items that differ between two states of a row. Guards are none of them: SQL
/// judges whether values are unique.
fn differing_keys(
    rows: &Rows<'_>,
    entity: &Entity,
    states: [Option<Values>; 2],
) -> Vec<Attributes> {
    let [before, after] = states.map(|state| {
        let made = state.and_then(|row| expect::items(rows.model, entity, &row).ok());
        made.unwrap_or_default()
    });
    let lacks = |all: &[Expected], one: &Expected| {
        let is_same = |other: &Expected| other.key == one.key && other.item == one.item;
        !all.iter().any(is_same)
    };
    let gone = before.iter().filter(|one| lacks(&after, one));
    let new = after.iter().filter(|one| lacks(&before, one));
    let all = gone.chain(new).filter(|one| one.kind != "unique");
    let mut keys: Vec<Attributes> = all.map(|one| one.key.clone()).collect();
    keys.dedup();
    keys
}

/// The items that the actions are given; `None` where a list is no list, or an action takes a value
/// from a row that does not exist. Actions whose key has no
/// value are left out.
fn items_of<'a>(rows: &Rows<'a>, named: &'a Write, arguments: &Values) -> Option<Vec<OneItem<'a>>> {
    let mut all = Vec::new();
    let mut lenders: Vec<Option<Values>> = Vec::new();
    let mut writes = rows.model.writes.iter();
    let write = writes.position(|one| one.name == named.name)?;
    for (number, action) in named.actions.iter().enumerate() {
        let entity = rows.model.entities.get(action.entity)?;
        let elements = match action.each.as_ref().map(|each| arguments.get(each)) {
            None => vec![(arguments.clone(), Vec::new())],
            Some(Some(Value::L(records))) => {
                let one = |record| (with(arguments, record), names_of(record));
                records.iter().map(one).collect()
            }
            Some(_) => return None,
        };
        let mut lender = None;
        for (mut arguments, fields) in elements {
            let Some(own) = own(action, entity, &arguments, &fields, &lenders) else {
                continue;
            };
            arguments.extend(lent(action, &lenders)?);
            let (own, row) = match action.verb {
                Verb::Create | Verb::Put => {
                    let new = whole(entity, action, &own, &arguments);
                    (new.clone(), Some(new))
                }
                Verb::Update | Verb::Upsert | Verb::Delete | Verb::Check => {
                    let row = rows.found(entity, &own).map(|(_, row)| row);
                    (own, row)
                }
            };
            lender = row;
            all.push(OneItem {
                action,
                sight: Sight::Condition(write, number),
                entity,
                own,
                arguments,
            });
        }
        lenders.push(lender);
    }
    Some(all)
}

/// What the assignments of an action take from the rows of other actions; `None` where there is no
/// such row.
fn lent(action: &Action, lenders: &[Option<Values>]) -> Option<Values> {
    let value = |lent: &Lent| {
        let row = lenders.get(lent.action)?.as_ref()?;
        Some((lent.argument(), row.get(&lent.attribute)?.clone()))
    };
    action.lent().map(value).collect()
}

/// The names of a record's fields.
fn names_of(record: &Value) -> Vec<String> {
    if let Value::M(fields) = record {
        return fields.keys().cloned().collect();
    }
    Vec::new()
}

/// The attributes of an entity that an action is given; `None` when it is left out.
fn own(
    action: &Action,
    entity: &Entity,
    arguments: &Values,
    fields: &[String],
    lenders: &[Option<Values>],
) -> Option<Values> {
    let mut own = Values::new();
    for attribute in &entity.attributes {
        let name = &attribute.name;
        let taken = action.taken.iter().find(|one| one.attribute == *name);
        let held = match taken.map(|one| &one.source) {
            None if action.alias.is_some() && !fields.contains(name) => None,
            None => arguments.get(name).cloned(),
            Some(Source::Parameter(from)) => arguments.get(from).cloned(),
            Some(Source::Literal(value)) => Some(value.clone()),
            Some(Source::Attribute { action, attribute }) => {
                let lender = lenders.get(*action).and_then(Option::as_ref);
                lender.and_then(|row| row.get(attribute).cloned())
            }
        };
        match held {
            Some(value) => {
                own.insert(name.clone(), value);
            }
            None if taken.is_some_and(|one| one.is_declared) => return None,
            None => {}
        }
    }
    Some(own)
}

/// The arguments with the fields of a record.
fn with(arguments: &Values, record: &Value) -> Values {
    let mut all = arguments.clone();
    if let Value::M(fields) = record {
        all.extend(
            fields
                .iter()
                .map(|(name, value)| (name.clone(), value.clone())),
        );
    }
    all
}

/// Whether the conditions of an action hold for a row.
fn all_hold(action: &Action, now: &Values, arguments: &Values) -> bool {
    let mut conditions = action.conditions.iter();
    conditions.all(|condition| holds(condition, now, arguments))
}

/// Executes one action on an item that has `now` what the table stores of it. Returns whether it is
/// possible.
fn act(rows: &mut Rows<'_>, one: &OneItem<'_>, now: Values) -> Result<bool, ProveError> {
    let OneItem {
        action,
        entity,
        own,
        arguments,
        ..
    } = one;
    if matches!(action.verb, Verb::Create | Verb::Put) {
        return write_whole(rows, one);
    }
    if action.verb == Verb::Upsert && rows.found(entity, own).is_none() {
        return create_by_upsert(rows, one);
    }
    let Some((row, old)) = rows.found(entity, own) else {
        return Ok(false);
    };
    if !all_hold(action, &now, arguments) {
        return Ok(false);
    }
    match action.verb {
        Verb::Delete => row_write::delete(rows, entity, own),
        Verb::Update | Verb::Upsert => {
            let mut new = old.clone();
            assign(entity, &action.assignments, arguments, &now, &mut new);
            for removed in &action.removed {
                path::change(&mut new, removed, None);
            }
            row_write::change(rows, entity, (row, &old), new)
        }
        Verb::Create | Verb::Put | Verb::Check => Ok(true),
    }
}

/// The attributes of an entity that an action writes as a whole: those given, those assigned, and
/// fixed defaults.
fn whole(entity: &Entity, action: &Action, own: &Values, arguments: &Values) -> Values {
    let mut new = own.clone();
    new.retain(|name, _| entity.attribute(name).is_some_and(|one| !one.is_kept));
    let nothing = Values::new();
    assign(entity, &action.assignments, arguments, &nothing, &mut new);
    for attribute in entity
        .attributes
        .iter()
        .filter(|attribute| !attribute.is_kept)
    {
        if let Some(keyfold_model::DefaultValue::Value(value)) = &attribute.default {
            new.entry(attribute.name.clone())
                .or_insert_with(|| value.clone());
        }
    }
    new
}

/// Creates or puts a row. Returns whether it is possible.
fn write_whole(rows: &mut Rows<'_>, one: &OneItem<'_>) -> Result<bool, ProveError> {
    let (entity, own) = (one.entity, &one.own);
    if one.action.verb == Verb::Put {
        let now = match rows.found(entity, own) {
            Some((row, _)) => kept::complete(rows, entity, row).unwrap_or_default(),
            None => Values::new(),
        };
        if !all_hold(one.action, &now, &one.arguments) {
            return Ok(false);
        }
        return row_write::put(rows, entity, own.clone());
    }
    row_write::create(rows, entity, own.clone())
}

/// Writes the row of an upsert that finds none. Returns whether that is possible.
fn create_by_upsert(rows: &mut Rows<'_>, one: &OneItem<'_>) -> Result<bool, ProveError> {
    let (entity, action, arguments) = (one.entity, one.action, &one.arguments);
    let nothing = Values::new();
    if !all_hold(action, &nothing, arguments) {
        return Ok(false);
    }
    let mut new = Values::new();
    for attribute in entity.attributes.iter().filter(|one| !one.is_kept) {
        let name = &attribute.name;
        let is_parameter = !attribute.optional || attribute.default.is_some();
        let fixed = match &attribute.default {
            Some(keyfold_model::DefaultValue::Value(value)) => Some(value),
            Some(
                keyfold_model::DefaultValue::Now
                | keyfold_model::DefaultValue::Always
                | keyfold_model::DefaultValue::New,
            )
            | None => None,
        };
        let given = one.own.get(name).filter(|_| is_parameter);
        if let Some(value) = given.or(fixed) {
            new.insert(name.clone(), value.clone());
        }
    }
    let named = action.assignments.iter().chain(&action.otherwise);
    named.for_each(|one| {
        new.remove(&one.attribute);
    });
    assign(entity, &action.assignments, arguments, &nothing, &mut new);
    assign(entity, &action.otherwise, arguments, &nothing, &mut new);
    row_write::create(rows, entity, new)
}

/// The value of an operand.
fn operand(operand: &Operand, arguments: &Values, old: &Values) -> Option<Value> {
    match operand {
        Operand::Attribute(path) => path::found(old, path).cloned(),
        Operand::Parameter(name) => arguments.get(name).cloned(),
        Operand::Lent(lent) => arguments.get(&lent.argument()).cloned(),
        Operand::Literal(value) => Some(value.clone()),
    }
}

/// Whether all parameters of an assignment are given. Others leave the attribute as it is.
fn is_given(assignment: &Assignment, arguments: &Values) -> bool {
    let right = assignment.right.iter().map(|(_, right)| right);
    let mut operands = std::iter::once(&assignment.left).chain(right);
    operands.all(|operand| match operand {
        Operand::Parameter(name) => arguments.contains_key(name),
        Operand::Attribute(_) | Operand::Lent(_) | Operand::Literal(_) => true,
    })
}

/// Sets the assigned attributes in `new`.
fn assign(
    entity: &Entity,
    assignments: &[Assignment],
    arguments: &Values,
    old: &Values,
    new: &mut Values,
) {
    for assignment in assignments.iter().filter(|one| is_given(one, arguments)) {
        let target = assignment.path();
        let left = operand(&assignment.left, arguments, old);
        let Some((joint, right)) = &assignment.right else {
            if let Some(value) = left {
                path::change(new, &target, Some(value));
            }
            continue;
        };
        let right = operand(right, arguments, old);
        let kind = path::kind(entity, &target);
        let is_set = matches!(kind, Some(Type::Set(_)));
        let made = if matches!(kind, Some(Type::List(_))) {
            Some(with_element(left, *joint, right))
        } else if is_set {
            changed_set(left, *joint, right)
        } else {
            number(left, *joint, right)
        };
        // A set goes with its last element.
        if made.is_some() || is_set {
            path::change(new, &target, made);
        }
    }
}

/// The list with an element behind or before the others.
fn with_element(list: Option<Value>, joint: Joint, element: Option<Value>) -> Value {
    let held = match list {
        Some(Value::L(all)) => all,
        _ => Vec::new(),
    };
    Value::L(match joint {
        Joint::Before => element.into_iter().chain(held).collect(),
        Joint::Plus | Joint::Minus => held.into_iter().chain(element).collect(),
    })
}

/// The set with an element more or less; `None` when it is empty.
fn changed_set(set: Option<Value>, joint: Joint, element: Option<Value>) -> Option<Value> {
    let mut elements: Vec<Value> = match set {
        Some(Value::Ss(set)) => set.members().iter().cloned().map(Value::S).collect(),
        Some(Value::Ns(set)) => set.members().iter().copied().map(Value::N).collect(),
        Some(Value::Bs(set)) => set.members().iter().cloned().map(Value::B).collect(),
        _ => Vec::new(),
    };
    elements.retain(|one| Some(one) != element.as_ref());
    if joint != Joint::Minus {
        elements.extend(element);
    }
    set_of(elements)
}

/// The sum or difference of two numbers.
fn number(left: Option<Value>, joint: Joint, right: Option<Value>) -> Option<Value> {
    let (Some(Value::N(left)), Some(Value::N(right))) = (left, right) else {
        return None;
    };
    let made = match joint {
        Joint::Plus | Joint::Before => left.checked_add(&right),
        Joint::Minus => left.checked_sub(&right),
    };
    made.ok().map(Value::N)
}
