//! The parts of two models side by side, matched by name.

/// A part that only the old model has, only the new model has, or both have.
pub(super) enum Pair<'p, T> {
    Added(&'p T),
    Removed(&'p T),
    Both(&'p T, &'p T),
}

/// Matches parts by name: first those of the old model in their order, then the added ones.
pub(super) fn pairs<'p, T>(
    old: &'p [T],
    new: &'p [T],
    name: impl Fn(&T) -> &str,
) -> Vec<Pair<'p, T>> {
    let mut all: Vec<Pair<'p, T>> = Vec::new();
    for one in old {
        all.push(match new.iter().find(|two| name(two) == name(one)) {
            Some(two) => Pair::Both(one, two),
            None => Pair::Removed(one),
        });
    }
    let is_added = |two: &&T| !old.iter().any(|one| name(one) == name(two));
    all.extend(new.iter().filter(is_added).map(Pair::Added));
    all
}
