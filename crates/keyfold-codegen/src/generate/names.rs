//! Names of a model as identifiers of a language.

use std::collections::BTreeSet;

/// The words of a name: what other characters than letters and digits separate. A word of capitals
/// only is written small.
fn words(name: &str) -> Vec<String> {
    let parts = name.split(|c: char| !is_letter_or_digit(c));
    let word = |part: &str| {
        let is_shouted = part.chars().count() > 1 && !part.chars().any(char::is_lowercase);
        if is_shouted {
            part.to_lowercase()
        } else {
            part.to_owned()
        }
    };
    parts.filter(|part| !part.is_empty()).map(word).collect()
}

/// Whether each of our languages takes the character in an identifier. Enclosed letters are
/// letters, but stand in no identifier.
fn is_letter_or_digit(c: char) -> bool {
    let is_enclosed = matches!(c, '\u{24B6}'..='\u{24E9}' | '\u{1F130}'..='\u{1F189}');
    c.is_ascii_digit() || (c.is_alphabetic() && !is_enclosed)
}

/// A word with a capital first letter.
fn capital(word: &str) -> String {
    let mut chars = word.chars();
    let first = chars.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(chars).collect()
}

/// A word with a small first letter.
fn small(word: &str) -> String {
    let mut chars = word.chars();
    let first = chars.next().map(char::to_lowercase);
    first.into_iter().flatten().chain(chars).collect()
}

/// An identifier: an underscore stands before a digit, and for nothing at all.
fn begun(name: String) -> String {
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        return format!("_{name}");
    }
    name
}

/// `orders_of_user` as `OrdersOfUser`. An entity's or record's own capitals stay: `DNSRecord`.
pub(super) fn pascal(name: &str) -> String {
    if !name.contains(|c: char| !is_letter_or_digit(c)) {
        return begun(capital(name));
    }
    begun(words(name).iter().map(|word| capital(word)).collect())
}

/// `orders_of_user` as `ordersOfUser`.
pub(super) fn camel(name: &str) -> String {
    let words = words(name);
    let spelled = words.iter().enumerate().map(
        |(at, word)| {
            if at == 0 { small(word) } else { capital(word) }
        },
    );
    begun(spelled.collect())
}

/// The plural of an English noun: `orderItem` as `orderItems`, `category` as `categories`.
pub(super) fn plural(name: &str) -> String {
    let is_sibilant = ["s", "x", "z", "ch", "sh"]
        .iter()
        .any(|end| name.ends_with(end));
    match name.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{stem}ies"),
        _ if is_sibilant => format!("{name}es"),
        _ => format!("{name}s"),
    }
}

/// The name of a method.
pub(super) struct Method {
    pub(super) name: String,
    /// The sentence of its doc comment where it is not the name that was wanted.
    pub(super) renamed: Option<String>,
}

/// The identifiers of one scope, each of which stands for one thing.
pub(super) struct Names {
    taken: BTreeSet<String>,
    spelling: fn(String) -> String,
    /// Whether the second of a name gets a 2 behind it, and no underscore.
    is_numbered: bool,
}

impl Names {
    /// A scope in which these words mean something already.
    pub(super) fn without(reserved: &[&str]) -> Names {
        Names {
            taken: reserved.iter().map(|word| (*word).to_owned()).collect(),
            spelling: |wanted| wanted,
            is_numbered: false,
        }
    }

    /// The same scope, whose identifiers a language spells in its way. Of several that would be the
    /// same, the others get numbers.
    pub(super) fn spelled(self, spelling: Option<fn(String) -> String>) -> Names {
        Names {
            spelling: spelling.unwrap_or(self.spelling),
            is_numbered: spelling.is_some(),
            ..self
        }
    }

    /// Takes an identifier; underscores, or a number, stand behind one that is taken already.
    pub(super) fn take(&mut self, wanted: String) -> String {
        let wanted = (self.spelling)(wanted);
        let mut name = wanted.clone();
        let mut number = 1;
        while !self.taken.insert(name.clone()) {
            number += 1;
            if self.is_numbered {
                name = format!("{wanted}{number}");
            } else {
                name.push('_');
            }
        }
        name
    }

    /// Takes the identifier of a method.
    pub(super) fn take_method(&mut self, wanted: String) -> Method {
        let name = self.take(wanted.clone());
        let renamed = (name != wanted)
            .then(|| format!("The name `{wanted}` means something else here, so it is `{name}`."));
        Method { name, renamed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_identifiers() {
        for (name, camelled, pascalled) in [
            ("orders_of_user", "ordersOfUser", "OrdersOfUser"),
            ("ordersOfUser", "ordersOfUser", "OrdersOfUser"),
            ("Order", "order", "Order"),
            ("DNSRecord", "dNSRecord", "DNSRecord"),
            ("DNS", "dns", "DNS"),
            ("GSI1-PK", "gsi1Pk", "Gsi1Pk"),
            ("State#Date", "stateDate", "StateDate"),
            ("from.accountId", "fromAccountId", "FromAccountId"),
            ("2nd place", "_2ndPlace", "_2ndPlace"),
            ("__", "_", "_"),
            ("größe_über", "größeÜber", "GrößeÜber"),
            ("a\u{24B6}b", "aB", "AB"),
        ] {
            assert_eq!(
                (camel(name), pascal(name)),
                (camelled.to_owned(), pascalled.to_owned())
            );
        }
    }

    #[test]
    fn a_taken_name_gets_underscores() {
        let mut names = Names::without(&["class"]);
        let taken = ["class", "user", "user", "user_"].map(|name| names.take(name.to_owned()));
        assert_eq!(taken, ["class_", "user", "user_", "user__"]);
    }

    #[test]
    fn a_taken_name_gets_numbers_where_underscores_are_bad_style() {
        let mut names = Names::without(&[]).spelled(Some(|name| name));
        let taken = ["User", "User", "User2", "User"].map(|name| names.take(name.to_owned()));
        assert_eq!(taken, ["User", "User2", "User22", "User3"]);
    }
}
