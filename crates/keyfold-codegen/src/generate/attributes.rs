//! Names of attributes, fields and parameters in languages that write them with underscores.

use super::form::{Answer, Field, Form};
use super::names::Names;
use std::collections::{BTreeMap, BTreeSet};

/// Whether Python and Rust take the character in an identifier as it is: they bring others into a
/// normal form, in which two names may be one.
fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric()
        || matches!(c, 'À'..='Ö' | 'Ø'..='ö' | 'ø'..='į' | 'Ĵ'..='ľ' | 'Ł'..='ň' | 'Ŋ'..='ž')
        || matches!(c, 'А'..='я' | '\u{5D0}'..='\u{5EA}' | '\u{4E00}'..='\u{9FFF}')
        || matches!(c, '\u{3041}'..='\u{3096}' | '\u{30A1}'..='\u{30FA}')
}

/// `ordersOfUser` as `orders_of_user`, `DNSRecord` as `dns_record`.
pub(super) fn snake(name: &str) -> String {
    let chars: Vec<char> = name.chars().collect();
    let mut made = String::new();
    for (at, c) in chars.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| chars.get(at));
        let is_begun = c.is_uppercase()
            && before.is_some_and(|before| {
                let is_last_capital = before.is_uppercase()
                    && chars.get(at + 1).is_some_and(|next| next.is_lowercase());
                before.is_lowercase() || before.is_ascii_digit() || is_last_capital
            });
        if (is_begun || !is_plain(*c)) && !made.is_empty() && !made.ends_with('_') {
            made.push('_');
        }
        if is_plain(*c) {
            made.extend(c.to_lowercase());
        }
    }
    let made = made.trim_end_matches('_').to_owned();
    if made.is_empty() || made.starts_with(|c: char| c.is_ascii_digit()) {
        return format!("_{made}");
    }
    made
}

/// The names of all attributes, fields and parameters: the same everywhere.
pub(super) struct AttributeNames {
    by_name: BTreeMap<String, String>,
}

impl AttributeNames {
    /// The names of a form, none of which is a reserved one.
    pub(super) fn of(form: &Form, reserved: &[&str]) -> AttributeNames {
        let mut found: BTreeSet<&str> = BTreeSet::new();
        let of_records = form.records.iter().flat_map(|record| &record.fields);
        let of_entities = form.entities.iter().flat_map(|entity| &entity.stored);
        let of_writes = form.writes.iter().flat_map(|write| &write.parameters);
        let fields: Vec<&Field> = of_records.chain(of_entities).chain(of_writes).collect();
        found.extend(fields.into_iter().map(|field| field.name.as_str()));
        for (_, made) in form.made() {
            found.extend(made.members.iter().map(|one| one.field.name.as_str()));
        }
        for pattern in &form.patterns {
            found.extend(pattern.parameters.iter().map(|one| one.field.name.as_str()));
            match &pattern.answer {
                Answer::Together { items, .. } => {
                    found.extend(items.iter().map(|(name, _, _)| name.as_str()));
                }
                Answer::Many(many) => {
                    found.extend(many.whole_members().map(|(one, _)| one.name.as_str()));
                }
                Answer::One { .. } => {}
            }
        }
        let mut names = Names::without(reserved);
        // A name that is written so as it stands keeps it.
        let mut found: Vec<&str> = found.into_iter().collect();
        found.sort_by_key(|name| snake(name) != *name);
        let by_name = found
            .into_iter()
            .map(|name| (name.to_owned(), names.take(snake(name))));
        AttributeNames {
            by_name: by_name.collect(),
        }
    }

    /// The name in the language.
    pub(super) fn get<'n>(&'n self, name: &'n str) -> &'n str {
        self.by_name.get(name).map_or(name, String::as_str)
    }

    /// The names that differ from those of the model.
    pub(super) fn renamed(&self) -> impl Iterator<Item = (&str, &str)> {
        let all = self.by_name.iter();
        all.filter(|(name, python)| name != python)
            .map(|(name, python)| (name.as_str(), python.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_identifiers() {
        for (name, snaked) in [
            ("orders_of_user", "orders_of_user"),
            ("ordersOfUser", "orders_of_user"),
            ("userId", "user_id"),
            ("userID", "user_id"),
            ("DNSRecord", "dns_record"),
            ("GSI1-PK", "gsi1_pk"),
            ("State#Date", "state_date"),
            ("from.accountId", "from_account_id"),
            ("2nd place", "_2nd_place"),
            ("__", "_"),
            ("größeÜber", "größe_über"),
            ("\u{FB01}x", "x"),
        ] {
            assert_eq!(snake(name), snaked);
        }
    }
}
