//! Unique values that change hands: which of the entities that are to be written wait for each other in a circle,
//! because each takes a value that the next one still has.

use crate::mapping::Mapping;
use crate::patient::patient;
use crate::wish::Wish;
use keyfold_client::{Backend, ClientError, read};
use keyfold_lower::arguments::Values;
use std::collections::{BTreeMap, BTreeSet};

/// A unique value: its entity, the number of the unique line, and its text.
type Place = (usize, usize, String);

/// The unique values of an entity.
fn places(mapping: &Mapping<'_>, mapped: usize, values: &Values) -> Vec<Place> {
    let Some(one) = mapping.entities.get(mapped) else {
        return Vec::new();
    };
    let uniques = one.entity.uniques.iter().enumerate();
    let value = uniques.map(|(number, unique)| {
        let attributes = unique.attributes();
        let values: Vec<_> = attributes.map(|name| values.get(name)).collect();
        (mapped, number, format!("{values:?}"))
    });
    value.collect()
}

/// The circles among entities, each as their positions.
///
/// # Errors
/// When the target cannot be read.
pub(super) fn of(
    backend: &Backend,
    mapping: &Mapping<'_>,
    left: &[Wish],
) -> Result<Vec<Vec<usize>>, ClientError> {
    let mut holders: BTreeMap<Place, usize> = BTreeMap::new();
    for (at, mapped) in mapping.entities.iter().enumerate() {
        if mapped.entity.uniques.is_empty() || mapped.entity.split.is_some() {
            continue;
        }
        let own = left
            .iter()
            .enumerate()
            .filter(|(_, wish)| wish.mapped == at);
        let (numbers, keys): (Vec<usize>, Vec<Values>) =
            own.map(|(number, wish)| (number, wish.key.clone())).unzip();
        if keys.is_empty() {
            continue;
        }
        let found = patient(|| read::many(backend, mapping.model, mapped.entity, &keys, true))?;
        for (number, stored) in numbers.into_iter().zip(found.items) {
            let stored = stored.map(|item| item.attributes.into_iter().collect::<Values>());
            for place in stored.iter().flat_map(|stored| places(mapping, at, stored)) {
                holders.insert(place, number);
            }
        }
    }
    // Whoever an entity waits for.
    let next = |at: usize| {
        let wish = left.get(at)?;
        let wanted = places(mapping, wish.mapped, wish.values.as_ref()?);
        let mut others = wanted.iter().filter_map(|place| holders.get(place));
        others.find(|other| **other != at).copied()
    };
    let (mut circles, mut done) = (Vec::new(), BTreeSet::new());
    for start in 0..left.len() {
        let mut path = Vec::new();
        let mut at = Some(start);
        while let Some(one) = at.filter(|one| !done.contains(one)) {
            if let Some(begin) = path.iter().position(|known| *known == one) {
                circles.push(path.split_off(begin));
                break;
            }
            path.push(one);
            at = next(one);
            if path.len() > left.len() {
                break;
            }
        }
        done.extend(path);
        done.extend(circles.last().into_iter().flatten().copied());
    }
    Ok(circles)
}
