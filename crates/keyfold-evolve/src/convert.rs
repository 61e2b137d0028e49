//! Values of a type of the old model as values of one of the new model, where each has one form there.

use keyfold_model::{Type, value};
use keyfold_types::{Set, Value};
use std::collections::BTreeSet;

/// The value in the form of the new type; as it is where the types have the same forms. Whether it is a
/// value of the new type is checked by the caller.
pub(crate) fn converted(from: &Type, to: &Type, held: &Value) -> Value {
    match (from, to, held) {
        (Type::Time(_), Type::Time(_), Value::S(text)) => text_of(to, text),
        (Type::Date, Type::Time(_), Value::S(text)) => text_of(to, &format!("{text}T00:00:00Z")),
        (Type::Time(_), Type::Date, Value::S(text)) => {
            Value::S(text.get(..10).unwrap_or(text).to_owned())
        }
        (Type::List(one), Type::List(two), Value::L(all)) => {
            Value::L(all.iter().map(|held| converted(one, two, held)).collect())
        }
        (Type::Set(one), Type::Set(two), Value::Ss(all)) => {
            let each = all.members().iter().map(|text| {
                let made = converted(one, two, &Value::S(text.clone()));
                if let Value::S(made) = made {
                    made
                } else {
                    text.clone()
                }
            });
            // Several members may become one.
            let distinct: BTreeSet<String> = each.collect();
            Set::new(distinct.into_iter().collect()).map_or_else(|_| held.clone(), Value::Ss)
        }
        (Type::Map(one), Type::Map(two), Value::M(all)) => {
            let each = all.iter();
            Value::M(
                each.map(|(name, held)| (name.clone(), converted(one, two, held)))
                    .collect(),
            )
        }
        (Type::Record(one), Type::Record(two), Value::M(all)) => {
            let each = all.iter().map(|(name, held)| {
                let of = |record: &keyfold_model::schema::Record| {
                    let mut fields = record.fields.iter();
                    fields
                        .find(|(known, ..)| known == name)
                        .map(|(_, kind, _)| kind.clone())
                };
                match (of(one), of(two)) {
                    (Some(one), Some(two)) => (name.clone(), converted(&one, &two, held)),
                    _ => (name.clone(), held.clone()),
                }
            });
            Value::M(each.collect())
        }
        (_, _, held) => held.clone(),
    }
}

/// A time in the precision of a type: digits that it does not have are cut off.
fn text_of(to: &Type, text: &str) -> Value {
    let digits = if let Type::Time(precision) = to {
        precision.digits()
    } else {
        0
    };
    let (whole, _) = text
        .split_once('.')
        .unwrap_or((text.trim_end_matches('Z'), ""));
    let fraction = text
        .split_once('.')
        .map_or("", |(_, rest)| rest.trim_end_matches('Z'));
    if digits == 0 {
        return Value::S(format!("{whole}Z"));
    }
    let mut fraction: String = fraction.chars().take(digits).collect();
    while fraction.len() < digits {
        fraction.push('0');
    }
    Value::S(format!("{whole}.{fraction}Z"))
}

/// Whether a value is one of a type.
pub(crate) fn is_of(kind: &Type, held: &Value) -> bool {
    value::check("", kind, held).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use keyfold_model::Precision;

    #[test]
    fn times_and_dates_get_one_form() {
        let second = Type::Time(Precision::Seconds);
        let milli = Type::Time(Precision::Millis);
        let text = |from: &Type, to: &Type, text: &str| {
            let made = converted(from, to, &Value::S(text.to_owned()));
            assert!(is_of(to, &made), "{made:?} of {to}");
            made
        };
        let s = |text: &str| Value::S(text.to_owned());
        assert_eq!(
            text(&second, &milli, "2024-01-15T10:30:00Z"),
            s("2024-01-15T10:30:00.000Z")
        );
        assert_eq!(
            text(&milli, &second, "2024-01-15T10:30:00.987Z"),
            s("2024-01-15T10:30:00Z")
        );
        assert_eq!(
            text(&Type::Date, &milli, "2024-01-15"),
            s("2024-01-15T00:00:00.000Z")
        );
        assert_eq!(
            text(&milli, &Type::Date, "2024-01-15T10:30:00.987Z"),
            s("2024-01-15")
        );
    }

    #[test]
    fn members_that_become_equal_are_one() {
        let times = [
            "2024-01-15T10:00:00Z",
            "2024-01-15T11:00:00Z",
            "2024-01-16T10:00:00Z",
        ];
        let set = |all: &[&str]| {
            Value::Ss(Set::new(all.iter().map(|one| (*one).to_owned()).collect()).unwrap())
        };
        let of = |kind: Type| Type::Set(Box::new(kind));
        let made = converted(
            &of(Type::Time(Precision::Seconds)),
            &of(Type::Date),
            &set(&times),
        );
        assert_eq!(made, set(&["2024-01-15", "2024-01-16"]));
    }
}
