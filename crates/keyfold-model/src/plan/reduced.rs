//! A pattern without some of its optional parameters.

use crate::schema::Pattern;

/// The sets of optional parameters that may be left out together, the smallest first. An optional
/// parameter can be given only if those before it are given.
pub(super) fn choices(pattern: &Pattern) -> Vec<Vec<String>> {
    let optional: Vec<String> = pattern
        .parameters
        .iter()
        .filter(|p| p.optional)
        .map(|parameter| parameter.name.clone())
        .collect();
    (0..optional.len())
        .rev()
        .map(|from| optional.iter().skip(from).cloned().collect())
        .collect()
}

/// The pattern without some of its parameters and the comparisons of filters that use them.
pub(super) fn without(pattern: &Pattern, absent: &[String]) -> Pattern {
    let mut reduced = pattern.clone();
    reduced
        .parameters
        .retain(|parameter| !absent.contains(&parameter.name));
    let filters = reduced.filters.iter();
    reduced.filters = filters
        .filter_map(|one| one.without(&|name| absent.iter().any(|one| one == name)))
        .collect();
    reduced
}
