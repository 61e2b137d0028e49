//! Changes of an entity's attributes: names, types, presence, and the values of each write.

use super::change::{Change, Class, Place, Verdict, Verdicts, Work};
use super::collect::Collect;
use super::entity::of_entity;
use super::former::Made;
use super::names;
use super::pair::Pair;
use super::stored::is_stored;
use super::unknown;
use super::values::{Cure, Misfit, lost, misfit};
use crate::schema::{Attribute, DefaultValue, Entity};
use crate::value;
use crate::written::{one as article, written};

/// One of the two versions, in sentences.
pub(super) const OLD: &str = "old";
/// The other one.
pub(super) const NEW: &str = "new";

/// Reports the changes of the attributes that the entity declares; those that the model keeps follow
/// from its other lines.
pub(super) fn attributes(pair: &Pair<'_>, all: &mut Collect<'_>) {
    for two in pair.new.attributes.iter().filter(|one| !one.is_kept) {
        if let Some(names) = pair.had_two_names(two).filter(|_| !pair.is_merged) {
            all.add(was_two(pair, two, names));
            continue;
        }
        match pair.old_of(two).filter(|one| !one.is_kept) {
            None => added(pair, two, all),
            Some(one) => changed(pair, one, two, all),
        }
    }
    for one in pair.old.attributes.iter().filter(|one| !one.is_kept) {
        let is_told = names::is_taken(pair, one) || is_one_of_two(pair, one);
        if pair.new_of(one).is_none() && !is_told {
            removed(pair, one, all);
        }
    }
}

/// An attribute that was two of the old version: an item may have both.
fn was_two(pair: &Pair<'_>, two: &Attribute, names: (&str, &str)) -> Change {
    let mut change = of_entity(pair, Place::New(two.span), Class::Impossible);
    let (one, other) = names;
    change.how = format!("attribute {} was {one} or {other}", written(&two.name));
    change.reason = pair.double(two, names);
    change.help = Some(format!(
        "say which one of them it was; or keep both beside `{}`, and let programs write it of them before a later version removes them",
        two.name
    ));
    change.verdicts = Verdicts::none(&Verdict::no(change.reason.clone()));
    change
}

/// Whether an attribute of the old version is among those that one of the new version is said to have been.
fn is_one_of_two(pair: &Pair<'_>, one: &Attribute) -> bool {
    let mut all = pair.new.attributes.iter();
    all.any(|two| pair.had_two_names(two).is_some() && two.was.contains(&one.name))
}

/// What a reader makes of an attribute that writers of the other version write, or do not.
fn read(
    reader: (&Entity, &Attribute),
    writer: (&Entity, Option<&Attribute>),
    version: &str,
) -> Verdict {
    let (own, wanted) = (&reader.0.name, &reader.1.name);
    let Some(held) = writer.1 else {
        return match wanted_always(reader.1) {
            false => Verdict::Yes,
            true => Verdict::no_as(
                format!("the {version} version writes no `{wanted}`, which every {own} must have"),
                format!("{} without `{wanted}`", article(own)),
            ),
        };
    };
    if held.name != *wanted && (is_stored(reader.0, wanted) || is_stored(writer.0, &held.name)) {
        let because = format!(
            "the {version} version stores it as `{}`, and it is read as `{wanted}`",
            held.name
        );
        return Verdict::no_as(
            because,
            format!("{} with `{}` alone", article(own), held.name),
        );
    }
    if let Some(Misfit { example, .. }) = misfit(&held.kind, &reader.1.kind) {
        return Verdict::no_as(
            format!(
                "the {version} version writes values of `{}` that are none of {}",
                held.name, reader.1.kind
            ),
            format!("`{}` = {example}", held.name),
        );
    }
    if held.optional && wanted_always(reader.1) {
        return Verdict::no_as(
            format!("the {version} version may leave `{wanted}` out, which every {own} must have"),
            format!("{} without `{wanted}`", article(own)),
        );
    }
    Verdict::Yes
}

/// Whether a reader refuses an item without the attribute.
fn wanted_always(attribute: &Attribute) -> bool {
    !attribute.optional
}

/// Writers keep what both readers need, or one of them breaks it.
fn writers(old_reader: &Verdict, new_reader: &Verdict) -> Verdict {
    old_reader.clone().and(new_reader.clone())
}

/// A writer of the version that lacks an attribute does not set it.
fn unset(attribute: &Attribute, version: &str) -> Verdict {
    match attribute.is_touched() {
        true => Verdict::no(format!(
            "a writer of the {version} version does not set `{}`, which each write sets",
            attribute.name
        )),
        false => Verdict::Yes,
    }
}

/// A writer writes a value as a whole: without the fields of its records that only the other version has.
fn written_whole(one: &Attribute, two: &Attribute) -> Verdict {
    let no = |own: &Attribute, version: &str, field: String| {
        Verdict::no(format!(
            "a writer of the {version} version writes `{}` as a whole, without `{field}`, which only the other version has",
            own.name
        ))
    };
    match (lost(&one.kind, &two.kind), lost(&two.kind, &one.kind)) {
        (Some(field), _) => no(one, OLD, field),
        (None, Some(field)) => no(two, NEW, field),
        (None, None) => Verdict::Yes,
    }
}

/// A writer of the version that lacks an attribute writes the copies that both versions have without it.
fn uncopied((holder, held): (&Entity, &Attribute), other: &Entity, version: &str) -> Verdict {
    let mut copies = holder.copies.iter();
    let found = copies
        .find(|copy| copy.attributes.contains(&held.name) && other.copy(&copy.name).is_some());
    found.map_or(Verdict::Yes, |copy| {
        Verdict::no(format!(
            "a writer of the {version} version writes the copy {} without `{}`",
            copy.name, held.name
        ))
    })
}

fn added(pair: &Pair<'_>, two: &Attribute, all: &mut Collect<'_>) {
    let new_reader = read((pair.new, two), (pair.old, None), OLD);
    let touched = unset(two, OLD);
    let is_read = new_reader.is_yes();
    let touched = touched.and(uncopied((pair.new, two), pair.old, OLD));
    let made = pair.made(two);
    let touched = match &two.former {
        Some(former) => touched.and(Verdict::no(format!(
            "a writer of the old version does not write `{}`, which is made of {former} once",
            two.name
        ))),
        None => touched,
    };
    let verdicts = Verdicts {
        old_reader: Verdict::Yes,
        writers: new_reader.clone().and(touched),
        new_reader,
    };
    let unknown = unknown::attribute(pair, two, all);
    let is_unknown = unknown.is_some();
    let (class, reason) = match (unknown.map(Err).or(made), is_read, &two.default) {
        (Some(made), _, _) => made_of(two, made),
        (None, true, _) => (
            Class::NewWritersOnly,
            "items that are there may lack it".to_owned(),
        ),
        (None, false, Some(default)) => (
            Class::Backfill,
            format!("items that are there get {}", default_text(default)),
        ),
        (None, false, None) => (
            Class::Impossible,
            "nothing says which value items that are there get".to_owned(),
        ),
    };
    let mut change = of_entity(pair, Place::New(two.span), class);
    change.how = format!("attribute {} added: {}", written(&two.name), form(two));
    change.reason = reason;
    change.verdicts = verdicts;
    let is_told = is_unknown || two.former.is_some();
    change.help = (class == Class::Impossible && !is_told).then(|| {
        format!(
            "give it a default (`= value`), make it optional (`{}?`), or say which attribute it `was`, or of which it is made",
            two.kind
        )
    });
    change.work = rewrite(pair, class);
    all.add(change);
}

/// What the value is made of, in items that are there; why it is not, where it cannot be.
fn made_of(two: &Attribute, made: Result<Made<'_>, String>) -> (Class, String) {
    let former = two.former.as_ref();
    let former = former.map_or_else(String::new, ToString::to_string);
    match (made, &two.default) {
        (Err(why), _) => (Class::Impossible, why),
        (Ok(_), Some(default)) => {
            let default = default_text(default);
            let reason = format!("items that are there get {former}, or {default}");
            (Class::Backfill, reason)
        }
        (Ok(_), None) => (
            Class::Backfill,
            format!("items that are there get {former}"),
        ),
    }
}

fn removed(pair: &Pair<'_>, one: &Attribute, all: &mut Collect<'_>) {
    let old_reader = read((pair.old, one), (pair.new, None), NEW);
    let mut change = of_entity(pair, Place::New(pair.new.span), Class::NewWritersOnly);
    change.how = format!("attribute {} removed", written(&one.name));
    change.reason = "items that are there keep it, and nothing reads it".to_owned();
    let kept = unset(one, NEW).and(uncopied((pair.old, one), pair.new, NEW));
    change.verdicts = Verdicts {
        writers: old_reader.clone().and(kept),
        old_reader,
        new_reader: Verdict::Yes,
    };
    all.add(change);
}

fn changed(pair: &Pair<'_>, one: &Attribute, two: &Attribute, all: &mut Collect<'_>) {
    let old_reader = read((pair.old, one), (pair.new, Some(two)), NEW);
    let new_reader = read((pair.new, two), (pair.old, Some(one)), OLD);
    let is_renamed = one.name != two.name;
    let is_made = two.former.is_some();
    if !is_renamed && !is_made && (form(one), &one.default) == (form(two), &two.default) {
        return;
    }
    let Cured {
        class,
        reason,
        help,
        settled,
    } = cured(pair, (one, two), &new_reader);
    let mut change = of_entity(pair, Place::New(two.span), class);
    change.how = how_changed(one, two);
    change.reason = reason;
    change.help = help;
    let touched = match (one.is_touched(), two.is_touched()) {
        (false, true) => unset(two, OLD),
        (true, false) => unset(one, NEW),
        (true, true) | (false, false) => Verdict::Yes,
    };
    change.verdicts = match is_made && class == Class::Impossible {
        true => Verdicts::none(&Verdict::no(change.reason.clone())),
        false => Verdicts {
            writers: writers(&old_reader, &new_reader)
                .and(touched)
                .and(written_whole(one, two)),
            old_reader,
            new_reader,
        },
    };
    change.work = match settled {
        None => rewrite(pair, class),
        Some(which) => vec![Work::Settle {
            entity: pair.new.name.clone(),
            which,
        }],
    };
    all.add(change);
}

/// What differs between an attribute of both versions, in words.
fn how_changed(one: &Attribute, two: &Attribute) -> String {
    let is_renamed = one.name != two.name;
    if let Some(former) = &two.former {
        let (name, before, after) = (written(&two.name), form(one), form(two));
        return format!("attribute {name}: {before} becomes {after}, made of {former}");
    }
    match is_renamed {
        true if form(one) == form(two) => format!(
            "attribute {} is called {}",
            written(&one.name),
            written(&two.name)
        ),
        true => format!(
            "attribute {}, {}, is called {}, {}",
            written(&one.name),
            form(one),
            written(&two.name),
            form(two)
        ),
        false if form(one) == form(two) => {
            format!("attribute {}: another default", written(&two.name))
        }
        false => format!(
            "attribute {}: {} becomes {}",
            written(&two.name),
            form(one),
            form(two)
        ),
    }
}

/// What makes an attribute of the new version of that of the old one.
struct Cured {
    class: Class,
    reason: String,
    help: Option<String>,
    /// The items whose values people decide.
    settled: Option<String>,
}

impl Cured {
    fn of(class: Class, reason: String) -> Cured {
        Cured {
            class,
            reason,
            help: None,
            settled: None,
        }
    }

    /// Items of which nothing says what they become.
    fn settled(pair: &Pair<'_>, which: String) -> Cured {
        Cured {
            class: Class::Backfill,
            reason: format!("{which} get other values first, which only you know"),
            help: Some(format!(
                "`keyfold verify NEW` finds the items of {} that do not fit; where there are none, nothing is to be done",
                pair.new.name
            )),
            settled: Some(which),
        }
    }
}

/// What makes an attribute of the new version of that of the old one.
fn cured(pair: &Pair<'_>, (one, two): (&Attribute, &Attribute), new_reader: &Verdict) -> Cured {
    let is_renamed = one.name != two.name;
    if let Some(made) = pair.made(two) {
        let (class, reason) = made_of(two, made);
        return Cured::of(class, reason);
    }
    if new_reader.is_yes() {
        let reason = match is_renamed {
            false => "each value that is there is one of the new version",
            true => "it is stored in keys only, which do not change",
        };
        let is_same = (&one.kind, one.optional) == (&two.kind, two.optional);
        let class = match is_same && one.default == two.default {
            true => Class::Nothing,
            false => Class::NewWritersOnly,
        };
        return Cured::of(class, reason.to_owned());
    }
    match misfit(&one.kind, &two.kind).map(|found| found.cure) {
        Some(Cure::Nothing) => {
            let reason = format!("no value of {} is one of {}", one.kind, two.kind);
            let help = format!(
                "add the new form as an attribute of another name beside `{}`, fill it, and remove the old one in a later version",
                one.name
            );
            return Cured {
                help: Some(help),
                ..Cured::of(Class::Impossible, reason)
            };
        }
        Some(Cure::Decided(which)) => return Cured::settled(pair, which),
        Some(Cure::Converted(how)) => return Cured::of(Class::Backfill, how),
        None => {}
    }
    let may_lack = one.optional && !two.optional;
    match (&two.default, is_renamed) {
        (None, _) if may_lack => Cured::settled(pair, format!("items without `{}`", one.name)),
        (_, true) => {
            let reason = format!("its value goes from `{}` to `{}`", one.name, two.name);
            Cured::of(Class::Backfill, reason)
        }
        (Some(default), false) => {
            let reason = format!("items without it get {}", default_text(default));
            Cured::of(Class::Backfill, reason)
        }
        (None, false) => Cured::of(Class::Backfill, "its values are written again".to_owned()),
    }
}

/// The type of an attribute, and whether an item may lack it.
fn form(attribute: &Attribute) -> String {
    let mark = if attribute.optional { "?" } else { "" };
    format!("{}{mark}", attribute.kind.in_full())
}

fn default_text(default: &DefaultValue) -> String {
    match default {
        DefaultValue::Value(held) => format!("its default {}", value::display(held)),
        DefaultValue::Now | DefaultValue::Always => "the moment of the write".to_owned(),
        DefaultValue::New => "a new identifier each".to_owned(),
    }
}

/// The writes of each item, where there are some.
fn rewrite(pair: &Pair<'_>, class: Class) -> Vec<Work> {
    match class {
        Class::Backfill => vec![Work::Rewrite {
            entity: pair.new.name.clone(),
        }],
        Class::Nothing
        | Class::NewWritersOnly
        | Class::Rekey
        | Class::NewTable
        | Class::Impossible => Vec::new(),
    }
}
