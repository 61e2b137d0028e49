//! The identifiers and moments that a write makes, where the caller does not give them.

use super::form::{Field, Given, MadeForm, MadeMember};
use super::names::{Names, pascal};
use super::shapes::Shapes;
use keyfold_model::schema::Source;
use keyfold_model::{Action, Attribute, DefaultValue, Entity, Model, Operand, Type, Verb, Write};

/// The attributes of a new entity that are made.
pub(super) fn of_new(
    entity: &Entity,
    type_name: &str,
    shapes: &mut Shapes<'_>,
    names: &mut Names,
) -> Option<MadeForm> {
    let made = entity.attributes.iter().filter(|one| is_made(one));
    of_entity(entity, &format!("{type_name}Made"), made, shapes, names)
}

/// The attributes of an entity that each update sets.
pub(super) fn of_update(
    entity: &Entity,
    type_name: &str,
    shapes: &mut Shapes<'_>,
    names: &mut Names,
) -> Option<MadeForm> {
    let made = entity.attributes.iter().filter(|one| one.is_touched());
    of_entity(entity, &format!("{type_name}Touched"), made, shapes, names)
}

fn of_entity<'m>(
    entity: &Entity,
    wanted: &str,
    made: impl Iterator<Item = &'m Attribute>,
    shapes: &mut Shapes<'_>,
    names: &mut Names,
) -> Option<MadeForm> {
    let members = made.map(|attribute| MadeMember {
        field: Field {
            name: attribute.name.clone(),
            shape: shapes.of_attribute(entity, attribute, names),
            optional: false,
            note: None,
        },
        entity: entity.name.clone(),
        attribute: attribute.name.clone(),
        each: None,
        given: Given::Argument,
        argument: None,
    });
    form(wanted, members.collect(), names)
}

/// What a named write makes: one value for an action, a list for an action on each element.
pub(super) fn of_write(
    model: &Model,
    write: &Write,
    shapes: &mut Shapes<'_>,
    names: &mut Names,
) -> Option<MadeForm> {
    let mut members: Vec<MadeMember> = Vec::new();
    for action in &write.actions {
        let Some(entity) = model.entities.get(action.entity) else {
            continue;
        };
        for attribute in &entity.attributes {
            let Some(Chance {
                given,
                argument,
                optional,
            }) = chance(model, (write, action), attribute)
            else {
                continue;
            };
            let name = match &action.alias {
                Some(alias) => format!("{alias}.{}", attribute.name),
                None => attribute.name.clone(),
            };
            members.push(MadeMember {
                field: Field {
                    name: name.clone(),
                    shape: shapes.of_attribute(entity, attribute, names),
                    optional,
                    note: None,
                },
                entity: entity.name.clone(),
                attribute: name.clone(),
                each: action.each.clone(),
                given,
                argument: argument
                    .filter(|argument| *argument != name)
                    .map(str::to_owned),
            });
        }
    }
    qualify(&mut members);
    form(&format!("{}Made", pascal(&write.name)), members, names)
}

/// How the caller may give an attribute that an action makes otherwise.
struct Chance<'w> {
    given: Given,
    /// The argument, where it is known.
    argument: Option<&'w str>,
    /// Whether it may be that it is neither given nor made.
    optional: bool,
}

impl<'w> Chance<'w> {
    fn of(given: Given, optional: bool) -> Option<Chance<'w>> {
        Some(Chance {
            given,
            argument: None,
            optional,
        })
    }
}

/// How the caller may give an attribute that an action makes otherwise; `None` where the action never
/// makes it.
fn chance<'w>(
    model: &Model,
    (write, action): (&'w Write, &'w Action),
    attribute: &Attribute,
) -> Option<Chance<'w>> {
    let is_left_out = is_left_out(model, write, action);
    let is_reported = !is_left_out || action.each.is_none();
    if let Some(argument) = moment(write, action, attribute) {
        return is_reported.then_some(Chance {
            given: Given::Argument,
            argument: Some(argument),
            optional: is_left_out,
        });
    }
    if !is_made(attribute) {
        return None;
    }
    match action.verb {
        Verb::Create | Verb::Put => {}
        // A stored item may be changed instead.
        Verb::Upsert => return Chance::of(Given::Never, true),
        Verb::Update | Verb::Delete | Verb::Check => return None,
    }
    if !is_reported {
        return None;
    }
    let name = &attribute.name;
    let parameter = |name: &str| write.parameters.iter().find(|one| one.name == name);
    if let Some(assigned) = action.assignments.iter().find(|one| one.attribute == *name) {
        let mut given = assigned.parameters().filter_map(|name| parameter(name));
        let may_lack = given.any(|one| one.optional);
        return may_lack.then(|| Chance::of(Given::Never, true)).flatten();
    }
    if let Some(taken) = action.taken.iter().find(|one| one.attribute == *name) {
        if !may_lack(model, write, &taken.source) {
            return None;
        }
        // An alias's parameter has the name by which the attribute is reported.
        if taken.is_declared {
            return Chance::of(Given::Never, true);
        }
        return Chance::of(Given::Argument, is_left_out);
    }
    if is_field(write, action, name) {
        return Chance::of(Given::Element, is_left_out);
    }
    match parameter(name).filter(|_| action.alias.is_none()) {
        Some(one) if !one.optional => None,
        Some(_) => Chance::of(Given::Argument, is_left_out),
        None => Chance::of(Given::Never, is_left_out),
    }
}

/// The parameter whose value, the present moment where the caller does not give it, an action sets an
/// attribute to: of a new item and of a stored one.
fn moment<'w>(write: &'w Write, action: &'w Action, attribute: &Attribute) -> Option<&'w str> {
    let name = &attribute.name;
    if action.otherwise.iter().any(|one| one.attribute == *name) {
        return None;
    }
    let mut assigned = action.assignments.iter();
    let assigned = assigned.find(|one| one.attribute == *name);
    let mut taken = action.taken.iter();
    let taken = taken.find(|one| one.attribute == *name && action.verb.writes_all_attributes());
    let parameter = match (assigned, taken.map(|one| &one.source)) {
        (Some(one), _) if one.fields.is_empty() => match (&one.left, &one.right) {
            (Operand::Parameter(name), None) => name,
            _ => return None,
        },
        (None, Some(Source::Parameter(name))) => name,
        _ => return None,
    };
    let mut parameters = write.parameters.iter();
    let known = parameters.find(|one| one.name == *parameter)?;
    (known.is_now && known.optional).then_some(known.name.as_str())
}

/// Whether a source may have no value.
fn may_lack(model: &Model, write: &Write, source: &Source) -> bool {
    match source {
        Source::Literal(_) => false,
        Source::Parameter(name) => {
            let found = write.parameters.iter().find(|one| one.name == *name);
            found.is_none_or(|one| one.optional)
        }
        Source::Attribute { action, attribute } => {
            let Some(action) = write.actions.get(*action) else {
                return true;
            };
            let entity = model.entities.get(action.entity);
            let found = entity.and_then(|entity| entity.attribute(attribute));
            found.is_none_or(|found| found.optional) || is_left_out(model, write, action)
        }
    }
}

/// Whether an action may be left out: the source of its key may have no value.
fn is_left_out(model: &Model, write: &Write, action: &Action) -> bool {
    let entity = model.entities.get(action.entity);
    let in_key = |name: &str| entity.is_some_and(|entity| entity.identifies(name));
    let mut declared = action.taken.iter().filter(|one| one.is_declared);
    declared.any(|one| in_key(&one.attribute) && may_lack(model, write, &one.source))
}

/// Whether the records that an action repeats over have a field.
fn is_field(write: &Write, action: &Action, name: &str) -> bool {
    let each = action.each.as_ref();
    let found = write.parameters.iter().find(|one| Some(&one.name) == each);
    if let Some(Type::List(of)) = found.map(|one| &one.kind)
        && let Type::Record(record) = &**of
    {
        return record.fields.iter().any(|(field, ..)| field == name);
    }
    false
}

/// Whether a write makes the attribute where the caller does not give it.
fn is_made(attribute: &Attribute) -> bool {
    let default = attribute.default.as_ref();
    !attribute.is_kept
        && default.is_some_and(|default| match default {
            DefaultValue::Now | DefaultValue::Always | DefaultValue::New => true,
            DefaultValue::Value(_) => false,
        })
}

/// Names the entities of attributes that several actions make by one name.
fn qualify(members: &mut [MadeMember]) {
    let names: Vec<String> = members.iter().map(|one| one.field.name.clone()).collect();
    for member in members {
        let same = names.iter().filter(|name| **name == member.field.name);
        if same.count() > 1 {
            member.field.name = format!("{}.{}", member.entity, member.field.name);
        }
    }
}

fn form(wanted: &str, mut members: Vec<MadeMember>, names: &mut Names) -> Option<MadeForm> {
    // Two actions of one entity on each element of a list report their values together.
    let mut met: Vec<String> = Vec::new();
    members.retain(|one| {
        let is_new = !met.contains(&one.field.name);
        met.push(one.field.name.clone());
        is_new
    });
    (!members.is_empty()).then(|| MadeForm {
        type_name: names.take(wanted.to_owned()),
        members,
    })
}
