//! An entity of the new model, read from items that either version has written.
//!
//! An item may be in the form of the old version, in that of the new one, or in parts of both: a writer of
//! the new version changes attributes of an item that is still in the old form. So each attribute is
//! looked for under its new name and form first, then under its former one, then in the keys.

use crate::convert::{converted, is_of};
use crate::problem::ProblemKind;
use keyfold_lower::arguments::Values;
use keyfold_lower::default_of;
use keyfold_lower::stored::value_of;
use keyfold_model::Attribute;
use keyfold_model::evolution::Pair;
use keyfold_types::{Item, Value};

/// The moment of a reading, and chance, for defaults.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment {
    pub(crate) now_epoch_ms: i64,
    pub(crate) random: u128,
}

/// The attributes of an entity in both versions.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Decoded {
    /// Those of the new version.
    pub(crate) values: Values,
    /// Those of the old version, as far as items hold them in its form or in that of the new version.
    pub(crate) former: Values,
}

/// Why an entity cannot be read.
pub(crate) type Fault = (ProblemKind, String);

/// Reads an entity from its main item, with the parts of its list.
pub(crate) fn decode(pair: &Pair<'_>, items: &[Item], moment: Moment) -> Result<Decoded, Fault> {
    let mut values = Values::new();
    for two in &pair.new.attributes {
        if let Some(held) = attribute(pair, two, items, moment)? {
            values.insert(two.name.clone(), held);
        }
    }
    if let Some(version) = &pair.new.version {
        values
            .entry(version.clone())
            .or_insert_with(|| Value::from(1_i64));
    }
    excluded(pair, &values)?;
    let former = former(pair, items, &values);
    Ok(Decoded { values, former })
}

/// Reads some attributes of the new version from an entity's main item: none of a split list.
pub(crate) fn some<'n>(
    pair: &Pair<'_>,
    names: impl Iterator<Item = &'n str>,
    main: &Item,
    moment: Moment,
) -> Result<Values, Fault> {
    let mut values = Values::new();
    for name in names {
        let two = pair.new.attribute(name);
        let held = two.map(|two| attribute(pair, two, std::slice::from_ref(main), moment));
        if let Some(held) = held.transpose()?.flatten() {
            values.insert(name.to_owned(), held);
        }
    }
    Ok(values)
}

/// What items hold of an attribute under its name of the new version, in the form of that version.
fn in_new_form(pair: &Pair<'_>, two: &Attribute, items: &[Item]) -> Option<Value> {
    let main = items.first()?;
    main.get(&two.name)?;
    // What is there under its name is the value of another attribute, or was left by an earlier version: an item in
    // the new form has nothing under the former name.
    if is_in_former_form(pair, two, main) {
        return None;
    }
    let table = pair.tables()?.1;
    let held = value_of(table, pair.new, None, &two.name, items).ok()??;
    is_of(&two.kind, &held).then_some(held)
}

/// Whether an item has an attribute under its former name, which the new version keeps nothing under.
fn is_in_former_form(pair: &Pair<'_>, two: &Attribute, main: &Item) -> bool {
    let former = pair.old_name(&two.name);
    let is_kept = || {
        let Some((_, table)) = pair.tables() else {
            return false;
        };
        let indexes = table.indexes.iter().flat_map(|index| index.columns());
        let mut columns = table.columns().chain(indexes);
        let mut filled = table.type_attribute.iter().chain(&table.ttl_attribute);
        filled.any(|name| name == former) || columns.any(|one| one.name == former)
    };
    former != two.name && main.get(former).is_some() && (pair.takes_over(two) || !is_kept())
}

fn attribute(
    pair: &Pair<'_>,
    two: &Attribute,
    items: &[Item],
    moment: Moment,
) -> Result<Option<Value>, Fault> {
    if let Some(held) = in_new_form(pair, two, items) {
        return Ok(Some(held));
    }
    let Some((old_table, new_table)) = pair.tables() else {
        return Ok(None);
    };
    if let Some(made) = made(pair, two, items)? {
        return Ok(Some(made));
    }
    // What is made of others has no value of its own before.
    let former = match two.former {
        Some(_) => None,
        None => pair.old_of(two),
    };
    if let Some(one) = former {
        let held = value_of(old_table, pair.old, None, &one.name, items);
        let held = held.map_err(|error| (ProblemKind::Unreadable, error.to_string()))?;
        if let Some(held) = held {
            let made = converted(&one.kind, &two.kind, &held);
            return match is_of(&two.kind, &made) {
                true => Ok(Some(made)),
                false => Err(unfit(two, &held)),
            };
        }
    }
    let in_key = value_of(new_table, pair.new, None, &two.name, items);
    let in_key = in_key.map_err(|error| (ProblemKind::Unreadable, error.to_string()))?;
    if let Some(held) = in_key {
        return match is_of(&two.kind, &held) {
            true => Ok(Some(held)),
            false => Err(unfit(two, &held)),
        };
    }
    if two.is_kept || two.optional {
        return Ok(None);
    }
    let made = default_of(two, moment.now_epoch_ms, moment.random);
    made.map(Some).ok_or_else(|| {
        (
            ProblemKind::Value,
            format!("it lacks `{}`, which the new version requires", two.name),
        )
    })
}

/// The value that the new model makes of attributes of the old version, where it says so and the item has
/// them.
fn made(pair: &Pair<'_>, two: &Attribute, items: &[Item]) -> Result<Option<Value>, Fault> {
    let wrong = |why: String| (ProblemKind::Value, format!("`{}`: {why}", two.name));
    let (Some(attribute), Some((table, _))) = (pair.new.attribute(&two.name), pair.tables()) else {
        return Ok(None);
    };
    let Some(how) = pair.made(attribute) else {
        return Ok(None);
    };
    let held = |name: &str| {
        let held = value_of(table, pair.old, None, name, items);
        held.map_err(|error| error.to_string())
    };
    let made = how.and_then(|how| how.value(&held)).map_err(wrong)?;
    match made {
        Some(made) if !is_of(&two.kind, &made) => Err(unfit(two, &made)),
        made => Ok(made),
    }
}

fn unfit(two: &Attribute, held: &Value) -> Fault {
    let held = keyfold_model::value::shown(held);
    (
        ProblemKind::Value,
        format!(
            "`{}` is {held}, which is no value of {}",
            two.name, two.kind
        ),
    )
}

/// Refuses a character that a key of the new version excludes.
fn excluded(pair: &Pair<'_>, values: &Values) -> Result<(), Fault> {
    for one in &pair.new.excluded {
        if let Some(Value::S(text)) = values.get(&one.attribute)
            && text.contains(one.character)
        {
            return Err((
                ProblemKind::Value,
                format!(
                    "`{}` holds `{}`, which {} excludes",
                    one.attribute, one.character, one.template
                ),
            ));
        }
    }
    Ok(())
}

/// The attributes as the old version has them.
fn former(pair: &Pair<'_>, items: &[Item], values: &Values) -> Values {
    let mut all = Values::new();
    let Some((table, _)) = pair.tables() else {
        return all;
    };
    for one in &pair.old.attributes {
        let held = value_of(table, pair.old, None, &one.name, items)
            .ok()
            .flatten();
        let held = held.filter(|held| is_of(&one.kind, held)).or_else(|| {
            let two = pair.new_of(one)?;
            let held = values.get(&two.name)?;
            let made = converted(&two.kind, &one.kind, held);
            is_of(&one.kind, &made).then_some(made)
        });
        all.extend(held.map(|held| (one.name.clone(), held)));
    }
    all
}
