//! Entities that are made of some of the items of one, and those of which several become one.

use super::change::{Class, Place, Verdict, Verdicts, Work};
use super::collect::Collect;
use super::entity::of_entity;
use super::pair::{Pair, Takes};
use crate::value;

/// Reports that an entity gets some of the items of an entity of the old version.
pub(super) fn split(pair: &Pair<'_>, all: &mut Collect<'_>) {
    let (how, wrong) = match pair.takes {
        Takes::All => return,
        Takes::Rest => (format!("has the other items of {}", pair.old.name), None),
        Takes::Where(name, text) => {
            let how = format!("has the items of {} with {name} = {text}", pair.old.name);
            (how, wrong(pair, (name, text)))
        }
    };
    let is_wrong = wrong.is_some();
    let class = if is_wrong {
        Class::Impossible
    } else {
        Class::Backfill
    };
    let mut change = of_entity(pair, Place::New(pair.new.span), class);
    change.how = how;
    change.reason = wrong.unwrap_or_else(|| "each item becomes one of its new entity".to_owned());
    let because = "an item of one version is one of another entity in the other version";
    change.verdicts = Verdicts::none(&Verdict::no(because));
    if !is_wrong {
        change.work = vec![Work::Rewrite {
            entity: pair.new.name.clone(),
        }];
    }
    all.add(change);
}

/// Reports that the items of several entities of the old version become those of one.
pub(super) fn merge(pair: &Pair<'_>, all: &mut Collect<'_>) {
    if !pair.is_merged {
        return;
    }
    let mut attributes = pair.new.attributes.iter();
    let double = attributes.find_map(|two| pair.had_two_names(two).zip(Some(two)));
    let wrong = double.map(|(names, two)| pair.double(two, names));
    let class = match wrong {
        Some(_) => Class::Impossible,
        None => Class::Backfill,
    };
    let mut change = of_entity(pair, Place::New(pair.new.span), class);
    change.how = format!("has the items of {}", pair.old.name);
    let reason = || "each item becomes one of the entity that several become".to_owned();
    change.reason = wrong.unwrap_or_else(reason);
    let because = "an item of one version is one of another entity in the other version";
    change.verdicts = Verdicts::none(&Verdict::no(because));
    if class == Class::Backfill {
        change.work = vec![Work::Rewrite {
            entity: pair.new.name.clone(),
        }];
    }
    all.add(change);
}

/// Why a condition chooses no items of the old version.
fn wrong(pair: &Pair<'_>, (name, text): (&str, &str)) -> Option<String> {
    let Some(one) = pair.old.attribute(name) else {
        return Some(format!(
            "the old version of {} has no attribute `{name}`",
            pair.old.name
        ));
    };
    let parsed = value::parse(name, &one.kind, text);
    parsed.err().map(|error| error.to_string())
}
