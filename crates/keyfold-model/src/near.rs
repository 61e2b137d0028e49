//! Similar names: suggestions for a name that is not known.

/// Greatest edit distance of a suggestion.
const LETTERS_MAX: usize = 2;

/// The edit distance of two words, in which two letters that changed places are one difference;
/// `None` if it is more than [`LETTERS_MAX`]. Only letters that are at most that far apart are
/// compared.
fn distance(one: &str, two: &str) -> Option<usize> {
    let two: Vec<char> = two.to_lowercase().chars().collect();
    let first = |place: usize| if place <= LETTERS_MAX { place } else { FAR };
    let mut row: Vec<usize> = (0..=two.len()).map(first).collect();
    let mut count = 0_usize;
    // The letter before, and the row before the last one.
    let mut before: Option<char> = None;
    let mut older: Vec<usize> = Vec::new();
    for letter in one.to_lowercase().chars() {
        count += 1;
        let last = row.clone();
        let get = |row: &[usize], at: usize| row.get(at).copied().unwrap_or(FAR);
        let from = count.saturating_sub(LETTERS_MAX);
        // The cells to the left, in the row before and in this one.
        let mut corner = if from == 0 {
            get(&row, 0)
        } else {
            get(&row, from - 1)
        };
        let mut left = FAR;
        for place in from..=(count + LETTERS_MAX).min(two.len()) {
            let above = get(&row, place);
            let change = match place.checked_sub(1).and_then(|at| two.get(at)) {
                Some(other) => corner + usize::from(letter != *other),
                None => FAR,
            };
            let other = |back: usize| place.checked_sub(back).and_then(|at| two.get(at)).copied();
            let has_changed_places =
                before.is_some() && other(1) == before && other(2) == Some(letter);
            let swap = match place.checked_sub(2) {
                Some(at) if has_changed_places => get(&older, at) + 1,
                Some(_) | None => FAR,
            };
            left = if place == 0 {
                first(count)
            } else {
                change.min(above + 1).min(left + 1).min(swap)
            };
            if let Some(slot) = row.get_mut(place) {
                *slot = left;
            }
            corner = above;
        }
        older = last;
        before = Some(letter);
    }
    let is_near = count.abs_diff(two.len()) <= LETTERS_MAX;
    row.last()
        .copied()
        .filter(|far| is_near && *far <= LETTERS_MAX)
}

/// An edit distance greater than any that matters.
const FAR: usize = 1_000;

/// The known names with the least edit distance to a name: none, one, or several at the same
/// distance. At most half the letters of the shorter word may differ.
pub(crate) fn nearest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let letters = name.chars().count();
    let is_like = |far: usize, other: &str| 2 * far <= other.chars().count().min(letters);
    let mut near: Vec<(usize, &str)> = known
        .filter_map(|other| Some((distance(other, name)?, other)))
        .collect();
    near.retain(|(far, other)| is_like(*far, other));
    near.sort_unstable();
    near.dedup();
    let least = near.first().map(|(far, _)| *far);
    near.into_iter()
        .filter(|(far, _)| Some(*far) == least)
        .map(|(_, name)| name)
        .collect()
}

/// The nearest names as the end of a message: ``; did you mean `user`?``. Empty if there are none.
pub fn meant<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> String {
    match nearest(name, known).as_slice() {
        [] => String::new(),
        near => {
            let quoted: Vec<String> = near.iter().take(3).map(|one| format!("`{one}`")).collect();
            format!("; did you mean {}?", quoted.join(" or "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{distance, meant};

    #[test]
    fn the_distance_of_similar_words_is_found() {
        for (one, two, expected) in [
            ("user", "user", Some(0)),
            ("user", "User", Some(0)),
            ("user", "usr", Some(1)),
            ("usr", "user", Some(1)),
            ("user", "userId", Some(2)),
            ("order", "oredr", Some(1)),
            ("open", "opne", Some(1)),
            ("ab", "ba", Some(1)),
            ("open", "poen", Some(1)),
            ("open", "pone", Some(2)),
            ("done", "opne", Some(2)),
            ("a", "", Some(1)),
            ("", "abc", None),
            ("user", "order", None),
            ("status", "state", Some(2)),
            ("status", "statement", None),
            ("abcdef", "bcdefa", Some(2)),
            ("abcdef", "defabc", None),
        ] {
            assert_eq!(distance(one, two), expected, "{one} and {two}");
            assert_eq!(distance(two, one), expected, "{two} and {one}");
        }
    }

    #[test]
    fn similar_names_are_suggested() {
        let known = || {
            [
                "orders_of_user",
                "user",
                "uses",
                "at",
                "product",
                "orders",
                "order",
            ]
            .into_iter()
        };
        for (name, expected) in [
            ("usr", "; did you mean `user`?"),
            ("usen", "; did you mean `user` or `uses`?"),
            // The second nearest is not.
            ("oders", "; did you mean `orders`?"),
            ("zz", ""),
            ("prodct", "; did you mean `product`?"),
            ("nothing", ""),
        ] {
            assert_eq!(meant(name, known()), expected, "{name}");
        }
    }
}
