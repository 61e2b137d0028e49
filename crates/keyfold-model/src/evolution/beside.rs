//! Changes of the items beside an entity's own, copies and guards, and of the name of their kind.

use super::change::{Class, Place, Verdict, Verdicts, Work};
use super::collect::{Collect, Way, asks_kind, reads_by};
use super::entity::of_entity;
use super::keys::{dropped, moves};
use super::pair::Pair;
use super::text::{example, is_same, is_same_key, key_text, moved};
use crate::check::shape::guard_key;
use crate::schema::{Condition, Copy, Unique, conjunction};
use crate::written::one as article;

/// Reports changes of copies.
pub(super) fn copies(pair: &Pair<'_>, all: &mut Collect<'_>) {
    for two in &pair.new.copies {
        match pair.old.copy(&two.name) {
            None => copy_added(pair, two, all),
            Some(one) => copy_changed(pair, one, two, all),
        }
    }
    for one in &pair.old.copies {
        if pair.new.copy(&one.name).is_none() {
            copy_removed(pair, one, all);
        }
    }
}

fn beside(pair: &Pair<'_>) -> Vec<Work> {
    vec![Work::WriteBeside {
        entity: pair.new.name.clone(),
        is_first: false,
    }]
}

fn copy_added(pair: &Pair<'_>, two: &Copy, all: &mut Collect<'_>) {
    let mut change = of_entity(pair, Place::New(two.span), Class::Backfill);
    change.how = format!("copy {} added: {}", two.name, key_text(&two.key));
    change.reason = "a copy of each item is written beside it".to_owned();
    if let Some(reader) = reads_by(pair.new_model, pair.new, Way::Copy(&two.name)) {
        let because = format!(
            "{reader} reads the copies {}, which items of the old version do not have",
            two.name
        );
        change.verdicts.new_reader = Verdict::no_as(because, example(&two.key));
    }
    let because = format!(
        "a writer of the old version does not write the copy {}: it stays as it was",
        two.name
    );
    change.verdicts.writers = Verdict::no_as(because, example(&two.key));
    change.work = beside(pair);
    all.add(change);
}

/// What is deleted where copies are not any more, in words.
pub(super) fn copies_of(copy: &Copy) -> String {
    format!("its copies {}", copy.name)
}

fn copy_removed(pair: &Pair<'_>, one: &Copy, all: &mut Collect<'_>) {
    let mut change = dropped(pair, &copies_of(one));
    change.how = format!("copy {} removed", one.name);
    change.reason = "copies that are there are deleted when no old reader is left".to_owned();
    if let Some(reader) = reads_by(pair.old_model, pair.old, Way::Copy(&one.name)) {
        let because = format!(
            "{reader} reads the copies {}, which the new version does not write",
            one.name
        );
        change.verdicts.old_reader = Verdict::no_as(because, example(&one.key));
    }
    let because = format!(
        "a writer of the new version leaves the copy {} as it was",
        one.name
    );
    change.verdicts.writers = Verdict::no_as(because, example(&one.key));
    all.add(change);
}

/// What of a copy differs between two versions. An attribute that one version does not have at all is a
/// change of its own.
struct Compared {
    is_same_place: bool,
    /// The attributes that the copy holds, of those that both versions have, by their old names.
    held: [Vec<String>; 2],
    /// The conditions under which there is one.
    when: [String; 2],
}

impl Compared {
    fn of(pair: &Pair<'_>, one: &Copy, two: &Copy) -> Compared {
        let sorted = |mut names: Vec<String>| {
            names.sort();
            names
        };
        let is_common = |name: &&String| {
            let own = pair.old.attribute(name);
            own.is_some_and(|own| pair.new_of(own).is_some())
        };
        let before = one.attributes.iter().filter(is_common).cloned();
        let after = two.attributes.iter().map(|name| pair.old_name(name));
        let after = after.filter(|name| pair.old.attribute(name).is_some());
        let when = |all: &[Condition]| match all {
            [] => "always".to_owned(),
            all => format!("when {}", conjunction(all)),
        };
        Compared {
            is_same_place: is_same_key(pair, &one.key, &two.key),
            held: [
                sorted(before.collect()),
                sorted(after.map(str::to_owned).collect()),
            ],
            when: [when(&one.when), when(&two.when)],
        }
    }

    /// Whether both versions have the same copies under the same keys.
    fn is_same_place(&self) -> bool {
        self.is_same_place && self.when[0] == self.when[1]
    }

    /// Whether a copy of one version has all that a reader of the other expects in it.
    fn serves(&self, reader: &[String], writer: &[String]) -> bool {
        self.is_same_place() && reader.iter().all(|name| writer.contains(name))
    }

    fn how(&self, one: &Copy, two: &Copy) -> String {
        let [before, after] = &self.held;
        let [when_before, when_after] = &self.when;
        if !self.is_same_place {
            let (before, after) = (key_text(&one.key), key_text(&two.key));
            return format!("copy {}: {before} becomes {after}", two.name);
        }
        if before == after {
            return format!("copy {}: {when_before} becomes {when_after}", two.name);
        }
        let (before, after) = (before.join(", "), after.join(", "));
        format!("copy {} holds {after}, not {before}", two.name)
    }
}

fn copy_changed(pair: &Pair<'_>, one: &Copy, two: &Copy, all: &mut Collect<'_>) {
    let compared = Compared::of(pair, one, two);
    let [before, after] = &compared.held;
    if compared.is_same_place() && before == after {
        return;
    }
    let mut change = of_entity(pair, Place::New(two.span), Class::Backfill);
    change.how = compared.how(one, two);
    change.reason = match compared.is_same_place() {
        true => "the copy of each item is written again".to_owned(),
        false => "each copy is written where it belongs, and deleted where it was".to_owned(),
    };
    let example = match compared.is_same_place {
        true => example(&two.key),
        false => moved(&one.key, &two.key),
    };
    let no = |reader: &str, version: &str| {
        let because = format!(
            "{reader} reads the copies {}, which the {version} version writes in another way",
            two.name
        );
        Verdict::no_as(because, example.clone())
    };
    if let Some(reader) = reads_by(pair.old_model, pair.old, Way::Copy(&one.name))
        && !compared.serves(before, after)
    {
        change.verdicts.old_reader = no(&reader, "new");
    }
    let reader = reads_by(pair.new_model, pair.new, Way::Copy(&two.name));
    if let Some(reader) = &reader
        && !compared.serves(after, before)
    {
        change.verdicts.new_reader = no(reader, "old");
    }
    let because = format!("each version writes the copy {} in its own way", two.name);
    change.verdicts.writers = Verdict::no_as(because, example);
    change.work = beside(pair);
    // The transaction that moves an item deletes its copies where they were.
    if !compared.is_same_place() && !moves(pair) {
        change.work.push(Work::Drop {
            entity: pair.old.name.clone(),
            what: format!("{} that the new version does not have", copies_of(one)),
            // Under the keys of others, a reader would take them for such.
            is_in_the_way: compared.is_same_place && reader.is_some(),
            is_of_items: false,
        });
    }
    all.add(change);
}

/// Why writers of the new version refuse items of the old one: a copy lies under a key of an attribute that such an
/// item may lack, so that they do not know whether there is one. The backfill writes the attribute.
pub(super) fn refused(pair: &Pair<'_>) -> Option<String> {
    let lacks = |name: &&str| {
        let two = pair.new.attribute(name).filter(|two| !two.optional);
        two.is_some_and(|two| pair.old_of(two).is_none_or(|one| one.optional))
    };
    pair.new.copies.iter().find_map(|copy| {
        let name = copy.key.fields().find(lacks)?;
        let (entity, copy) = (article(&pair.new.name), &copy.name);
        Some(format!(
            "they refuse {entity} without `{name}`, of which the key of its copy {copy} is made"
        ))
    })
}

/// Reports changes of the guards of unique values and of the `id`.
pub(super) fn guards(pair: &Pair<'_>, all: &mut Collect<'_>) {
    let Some((old_table, new_table)) = pair.tables() else {
        return;
    };
    let is_held_alike = |one: &Unique, two: &Unique| {
        let before = guard_key(old_table, pair.old, one);
        let after = guard_key(new_table, pair.new, two);
        let is_compared_alike = one
            .members
            .iter()
            .map(|member| member.compared)
            .eq(two.members.iter().map(|member| member.compared));
        let moving = |names: Vec<&str>| {
            let mut names: Vec<String> = names.into_iter().map(str::to_owned).collect();
            names.sort();
            names
        };
        let is_id = (pair.old.is_id(one), pair.new.is_id(two));
        let holds_alike = match is_id {
            (true, true) => moving(pair.old.moving()) == moving(pair.new.moving()),
            (false, false) => true,
            (true, false) | (false, true) => false,
        };
        is_compared_alike
            && holds_alike
            && is_same(pair, &before.partition.parts, &after.partition.parts)
    };
    for two in &pair.new.uniques {
        if !pair.old.uniques.iter().any(|one| is_held_alike(one, two)) {
            guard_added(
                pair,
                two,
                &example(&guard_key(new_table, pair.new, two)),
                all,
            );
        }
    }
    for one in &pair.old.uniques {
        if !pair.new.uniques.iter().any(|two| is_held_alike(one, two)) {
            guard_removed(
                pair,
                one,
                &example(&guard_key(old_table, pair.old, one)),
                all,
            );
        }
    }
}

fn guard_added(pair: &Pair<'_>, two: &Unique, example: &str, all: &mut Collect<'_>) {
    let (word, names) = (pair.new.word_of(two), two.joined(", "));
    let is_id = pair.new.is_id(two);
    let mut change = of_entity(pair, Place::New(pair.new.span), Class::Backfill);
    change.how = format!("{word} {names}: guards {example}");
    change.reason = match is_id {
        true => {
            "a guard of each item is written before the new version runs, which finds items by it"
                .to_owned()
        }
        false => format!(
            "a guard of each item is written; until then a new item may get {names} of one that is there, and of two such items one gets another"
        ),
    };
    if is_id {
        let because = format!(
            "the new version finds {} by its guard, which items of the old version do not have",
            article(&pair.new.name)
        );
        change.verdicts.new_reader = Verdict::no_as(because, example);
    }
    let because =
        format!("a writer of the old version writes no guard: two items may get the same {names}");
    change.verdicts.writers = Verdict::no_as(because, example);
    change.work = vec![Work::WriteBeside {
        entity: pair.new.name.clone(),
        is_first: is_id,
    }];
    all.add(change);
}

fn guard_removed(pair: &Pair<'_>, one: &Unique, example: &str, all: &mut Collect<'_>) {
    let (word, names) = (pair.old.word_of(one), one.joined(", "));
    let mut change = dropped(pair, &format!("its guards of {names}"));
    change.how = format!("{word} {names}: no guards {example} any more");
    change.reason = "guards that are there are deleted when no old writer is left".to_owned();
    if pair.old.is_id(one) {
        let because = format!(
            "the old version finds {} by its guard, which the new version does not write",
            article(&pair.old.name)
        );
        change.verdicts.old_reader = Verdict::no_as(because, example);
    }
    let because = format!(
        "a writer of the new version writes no guard: the old version would let two items have the same {names}"
    );
    change.verdicts.writers = Verdict::no_as(because, example);
    all.add(change);
}

/// Reports another name of the kind, which items hold.
pub(super) fn kind(pair: &Pair<'_>, all: &mut Collect<'_>) {
    let Some((old_table, new_table)) = pair.tables() else {
        return;
    };
    let held = |attribute: &Option<String>, name: &str| {
        attribute.as_ref().map(|one| format!("{one} = {name}"))
    };
    let before = held(&old_table.type_attribute, &pair.old.name);
    let after = held(&new_table.type_attribute, &pair.new.name);
    let is_renamed = pair.old.name != pair.new.name;
    if before == after && !is_renamed {
        return;
    }
    let (class, reason) = match (&before, &after) {
        (one, two) if one == two => (
            Class::Nothing,
            "no item holds the name of its entity as its kind".to_owned(),
        ),
        (_, None) => (
            Class::NewWritersOnly,
            "items that are there keep the name of their kind".to_owned(),
        ),
        (_, Some(after)) => (Class::Backfill, format!("each item gets {after}")),
    };
    let mut change = of_entity(pair, Place::New(pair.new.span), class);
    change.how = match (is_renamed, &before, &after) {
        (true, _, _) => format!("{} is called {}", pair.old.name, pair.new.name),
        (false, _, None) => "the kind is not written any more".to_owned(),
        (false, _, Some(after)) => format!("the kind is written: {after}"),
    };
    change.reason = reason;
    // An item that says no kind is read by its key; one that says another kind is an unknown item.
    let is_denied =
        before.is_some() && is_renamed && old_table.type_attribute == new_table.type_attribute;
    let no = |asker: Option<String>, (reader, version): (&str, &str), held: &Option<String>| {
        let because = match asker {
            Some(asker) => {
                format!("{asker} asks for the kind, which the {version} version writes otherwise")
            }
            None if is_denied => {
                format!("to the {reader} version, an item of this kind is unknown")
            }
            None => return Verdict::Yes,
        };
        let example = held.clone();
        Verdict::no_as(
            because,
            example.unwrap_or_else(|| "an item without its kind".to_owned()),
        )
    };
    if before != after {
        let old_reader = no(asks_kind(pair.old_model, pair.old), ("old", "new"), &after);
        let new_reader = no(asks_kind(pair.new_model, pair.new), ("new", "old"), &before);
        change.verdicts = Verdicts {
            writers: old_reader.clone().and(new_reader.clone()),
            old_reader,
            new_reader,
        };
    }
    if class == Class::Backfill {
        change.work = vec![Work::Rewrite {
            entity: pair.new.name.clone(),
        }];
    }
    all.add(change);
}
