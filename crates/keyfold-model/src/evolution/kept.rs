//! Changes of what the model keeps for an entity: aggregates, expiry, versions, the stored form, and
//! the rows of views.

use super::change::{Change, Class, Place, Verdict, Verdicts, Work};
use super::collect::Collect;
use super::entity::of_entity;
use super::pair::{Pair, of_new, title};
use super::text::is_same_key;
use crate::schema::{Aggregate, Entity};
use crate::view_form;

fn rewrite(pair: &Pair<'_>) -> Vec<Work> {
    vec![Work::Rewrite {
        entity: pair.new.name.clone(),
    }]
}

/// The aggregates of an entity of the new version that are computed anew, of the items that are there:
/// the old version keeps none of the name, or makes it in another way.
pub fn computed<'m>(pair: &Pair<'m>, pairs: &[Pair<'m>]) -> Vec<&'m Aggregate> {
    let is_kept = |two: &&Aggregate| {
        let mut before = pair.old.aggregates.iter();
        let one = before.find(|one| one.attribute == two.attribute);
        one.is_some_and(|one| is_same_aggregate(pair, one, two, pairs))
    };
    let all = pair.new.aggregates.iter();
    all.filter(|two| !is_kept(two)).collect()
}

/// Reports changes of the aggregates that an entity keeps.
pub(super) fn aggregates(pair: &Pair<'_>, all: &mut Collect<'_>) {
    let kept = |entity: &Entity, name: &str| {
        entity
            .aggregates
            .iter()
            .position(|one| one.attribute == name)
    };
    for two in &pair.new.aggregates {
        let one = kept(pair.old, &two.attribute).and_then(|at| pair.old.aggregates.get(at));
        if one.is_some_and(|one| is_same_aggregate(pair, one, two, &all.pairs)) {
            continue;
        }
        let word = two.kind.word();
        let mut change = of_entity(pair, Place::New(two.span), Class::Backfill);
        change.how = match one {
            None => format!("{word} {} added", two.attribute),
            Some(_) => format!("{word} {} is made in another way", two.attribute),
        };
        change.reason =
            "it is computed of the items that are there, while nobody writes them: a count that \
                         writers change meanwhile does not say which items are in it"
                .to_owned();
        let because = format!(
            "`{}` is missing or wrong until it is computed",
            two.attribute
        );
        change.verdicts.new_reader = Verdict::no(because);
        if one.is_some() {
            let because = format!("`{}` is not what the old version computes", two.attribute);
            change.verdicts.old_reader = Verdict::no(because);
        }
        let because = format!(
            "a writer of the old version does not keep `{}` up to date",
            two.attribute
        );
        change.verdicts.writers = Verdict::no(because);
        let child = pair.new_model.entities.get(two.entity);
        change.work = vec![Work::Compute {
            entity: pair.new.name.clone(),
            attribute: two.attribute.clone(),
            of: child.map_or_else(String::new, |child| child.name.clone()),
        }];
        all.add(change);
    }
    for one in &pair.old.aggregates {
        if kept(pair.new, &one.attribute).is_some() {
            continue;
        }
        let mut change = of_entity(pair, Place::New(pair.new.span), Class::NewWritersOnly);
        change.how = format!("{} {} removed", one.kind.word(), one.attribute);
        change.reason = "items that are there keep what was last computed".to_owned();
        let because = format!(
            "writers of the new version do not keep `{}` up to date",
            one.attribute
        );
        change.verdicts.old_reader = Verdict::no(because.clone());
        change.verdicts.writers = Verdict::no(because);
        all.add(change);
    }
}

/// Whether two aggregates are always equal.
fn is_same_aggregate(
    pair: &Pair<'_>,
    one: &Aggregate,
    two: &Aggregate,
    pairs: &[Pair<'_>],
) -> bool {
    let Some(child) = pair
        .new_model
        .entities
        .get(two.entity)
        .and_then(|child| of_new(pairs, &child.name).next())
    else {
        return false;
    };
    let of_old = pair.old_model.entities.get(one.entity);
    let name = |name: &String| child.old_name(name).to_owned();
    let link: Vec<(String, String)> = two
        .link
        .iter()
        .map(|(own, reference)| (pair.old_name(own).to_owned(), name(reference)))
        .collect();
    let condition = two.condition.as_ref();
    let condition = condition.map(|(attribute, value)| (name(attribute), value.clone()));
    let counted = two.link.iter().map(|(_, reference)| reference);
    let counted = counted
        .chain(&two.of)
        .chain(two.condition.iter().map(|(one, _)| one));
    let mut rewritten = counted.filter(|name| is_rewritten(child, name));
    one.kind == two.kind
        && !child.is_split()
        && !child.is_merged
        && !pair.is_merged
        && rewritten.next().is_none()
        && of_old.is_some_and(|old| old.name == child.old.name)
        && one.of == two.of.as_ref().map(name)
        && one.link == link
        && one.condition == condition
}

/// Whether items that are there get another value of an attribute than they have, which no writer counts.
fn is_rewritten(child: &Pair<'_>, name: &str) -> bool {
    let two = child.new.attribute(name);
    let one = child.old.attribute(child.old_name(name));
    let (Some(one), Some(two)) = (one, two) else {
        return false;
    };
    two.former.is_some() || (one.optional && !two.optional)
}

/// Why writers of the new version may not write items of the old one: they would write the moment of expiry over a value
/// that the backfill needs still.
pub(super) fn written_over(pair: &Pair<'_>) -> Option<String> {
    let (name, two) = pair.taken_for_expiry()?;
    Some(format!(
        "they write the moment of expiry over `{name}`, of which `{}` is made",
        two.name
    ))
}

/// Reports changes of expiry.
pub(super) fn expiry(pair: &Pair<'_>, all: &mut Collect<'_>) {
    let Some((old_table, new_table)) = pair.tables() else {
        return;
    };
    let before = pair.old.ttl.as_deref();
    let after = pair.new.ttl.as_deref().map(|name| pair.old_name(name));
    let is_held_alike = before.is_none() || old_table.ttl_attribute == new_table.ttl_attribute;
    if before == after && is_held_alike {
        return;
    }
    let mut change = of_entity(pair, Place::New(pair.new.span), Class::Backfill);
    (change.how, change.reason) = match (&pair.old.ttl, &pair.new.ttl) {
        (_, None) => (
            "does not expire any more".to_owned(),
            "the moment of expiry is removed from each item: those that keep it are deleted"
                .to_owned(),
        ),
        (None, Some(ttl)) => (
            format!("expires at {ttl}"),
            "the moment of expiry is written into each item: those without it stay".to_owned(),
        ),
        (Some(_), Some(ttl)) => (
            format!("expires at {ttl}"),
            "the moment of expiry is written again into each item".to_owned(),
        ),
    };
    change.verdicts.writers = Verdict::no(match &pair.new.ttl {
        None => "a writer of the old version goes on to write the moment of expiry",
        Some(_) => {
            "a writer of the old version does not write the moment of expiry, or another one"
        }
    });
    change.work = rewrite(pair);
    all.add(change);
}

/// Reports changes of the count of versions.
pub(super) fn version(pair: &Pair<'_>, all: &mut Collect<'_>) {
    match (&pair.old.version, &pair.new.version) {
        (one, two) if one == two => {}
        (Some(one), None) => {
            let mut change = of_entity(pair, Place::New(pair.new.span), Class::NewWritersOnly);
            change.how = format!("version {one} removed");
            change.reason = "items that are there keep it".to_owned();
            let because = format!(
                "a writer of the new version does not count `{one}`: one of the old version does not notice its change"
            );
            change.verdicts.writers = Verdict::no(because);
            all.add(change);
        }
        (_, Some(two)) => {
            let mut change = of_entity(pair, Place::New(pair.new.span), Class::Backfill);
            change.how = format!("version {two} added");
            change.reason =
                "each item gets a first version: an update that names one is refused without it"
                    .to_owned();
            let because = format!(
                "a writer of the old version does not count `{two}`: one of the new version does not notice its change"
            );
            change.verdicts.writers = Verdict::no(because);
            change.work = rewrite(pair);
            all.add(change);
        }
        (None, None) => {}
    }
}

/// Reports changes of how attributes are stored: compressed, in parts, or in keys only.
pub(super) fn stored_form(pair: &Pair<'_>, all: &mut Collect<'_>) {
    let mut before: Vec<&str> = pair.old.compressed.iter().map(String::as_str).collect();
    let compressed = pair.new.compressed.iter();
    let mut after: Vec<&str> = compressed.map(|name| pair.old_name(name)).collect();
    before.sort_unstable();
    after.sort_unstable();
    before.retain(|name| {
        pair.old
            .attribute(name)
            .is_some_and(|one| pair.new_of(one).is_some())
    });
    after.retain(|name| pair.old.attribute(name).is_some());
    if before != after {
        let differs = |one: &[&str], two: &[&str]| {
            let found: Vec<&str> = one
                .iter()
                .filter(|name| !two.contains(name))
                .copied()
                .collect();
            found.join(", ")
        };
        let (plain, packed) = (differs(&before, &after), differs(&after, &before));
        let mut change = of_entity(pair, Place::New(pair.new.span), Class::Backfill);
        change.how = match packed.is_empty() {
            false => format!("{packed} is stored compressed"),
            true => format!("{plain} is not stored compressed any more"),
        };
        change.reason =
            "each item is written again: neither version reads the form of the other".to_owned();
        let because = "neither version reads the stored form of the other";
        change.verdicts = Verdicts::none(&Verdict::no(because));
        change.work = rewrite(pair);
        all.add(change);
    }
    parts(pair, all);
    unstored(pair, all);
}

/// Reports another size of the parts of a list. Whether there are parts at all is in the key.
fn parts(pair: &Pair<'_>, all: &mut Collect<'_>) {
    if let (Some((one, before)), Some((two, after))) = (&pair.old.split, &pair.new.split)
        && before != after
        && one == pair.old_name(two)
    {
        let mut change = of_entity(pair, Place::New(pair.new.span), Class::NewWritersOnly);
        change.how = format!("{two} is split by {after}, not by {before}");
        change.reason =
            "readers join parts of any size; a list gets new parts when it is written".to_owned();
        all.add(change);
    }
}

/// Reports attributes that are stored in keys only, or beside them again.
fn unstored(pair: &Pair<'_>, all: &mut Collect<'_>) {
    for two in &pair.new.attributes {
        let Some(one) = pair.old_of(two) else {
            continue;
        };
        let has = |names: &[String], name: &str| names.iter().any(|own| own == name);
        let was = has(&pair.old.unstored, &one.name);
        let is = has(&pair.new.unstored, &two.name);
        if was == is {
            continue;
        }
        let class = match was {
            true => Class::Backfill,
            false => Class::NewWritersOnly,
        };
        let mut change = of_entity(pair, Place::New(two.span), class);
        (change.how, change.reason) = match was {
            true => (
                format!("{} is stored beside its key again", two.name),
                "it is written into each item: filters and conditions miss what is only in a key"
                    .to_owned(),
            ),
            false => (
                format!("{} is stored in keys only", two.name),
                "readers take it from the key where the item does not hold it".to_owned(),
            ),
        };
        let because = format!(
            "a filter or condition on `{}` misses items that hold it in their key only",
            two.name
        );
        if was {
            change.verdicts.new_reader = Verdict::no(because.clone());
            change.work = rewrite(pair);
        } else {
            change.verdicts.old_reader = Verdict::no(because.clone());
        }
        change.verdicts.writers = Verdict::no(because);
        all.add(change);
    }
}

/// Reports a view whose rows are others. Rows are nobody's to write: they are built.
pub(super) fn view(pair: &Pair<'_>, all: &mut Collect<'_>) {
    let before = view_form::written(pair.old_model, pair.old);
    let after = view_form::written(pair.new_model, pair.new);
    let is_moved = !is_same_key(pair, &pair.old.key, &pair.new.key);
    let is_there = pair.tables().is_some_and(|(one, two)| one.name == two.name);
    if before == after && !is_moved && is_there {
        return;
    }
    let mut change = of_entity(pair, Place::New(pair.new.span), Class::Backfill);
    change.how = match (&before, &after) {
        (None, _) => "becomes a view".to_owned(),
        (_, None) => "is no view any more".to_owned(),
        (Some(_), Some(_)) => "its rows are made in another way".to_owned(),
    };
    change.reason =
        "its rows are built anew, and take the place of the others when they are complete"
            .to_owned();
    let because = "the rows of each version are made in its own way";
    change.verdicts = Verdicts::none(&Verdict::no(because));
    change.work = vec![Work::Rebuild {
        view: pair.new.name.clone(),
    }];
    all.add(change);
}

/// A view that one of the models does not have.
pub(super) fn view_added(new: &Entity, change: &mut Change) {
    change.class = Class::Backfill;
    change.reason = "its rows are built of the items that are there".to_owned();
    change.verdicts.new_reader =
        Verdict::no(format!("{} has no rows until it is built", title(new)));
    change.work = vec![Work::Rebuild {
        view: new.name.clone(),
    }];
}
