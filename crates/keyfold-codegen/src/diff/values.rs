//! Differences of types: which stored values of one fit the other.

use keyfold_model::Type;
use keyfold_model::schema::Record;

/// What is to be done with the values of a type that became another.
#[derive(Debug, Default)]
pub(super) struct Work {
    /// Whether each value has another form now.
    pub(super) is_rewrite: bool,
    /// What is to be done with the values that do not fit.
    pub(super) steps: Vec<String>,
}

impl Work {
    /// Adds what is to be done with some values.
    pub(super) fn fill(&mut self, step: String) {
        self.steps.push(step);
    }
}

/// Where values are: an attribute, or a part of one.
pub(super) struct Nested {
    /// `lines`, `lines[].sku`.
    pub(super) path: String,
    /// Whether they are parts of the attribute's value.
    pub(super) is_inside: bool,
}

impl Nested {
    fn inside(&self, part: &str) -> Nested {
        Nested {
            path: format!("{}{part}", self.path),
            is_inside: true,
        }
    }

    /// `value`, or the path of a part.
    fn subject(&self) -> &str {
        if self.is_inside { &self.path } else { "value" }
    }
}

/// Compares the values of two types. Values are the same whatever their record is called, to what it
/// refers, and in which order its words stand.
pub(super) fn values(old: &Type, new: &Type, place: &Nested, work: &mut Work) {
    match (old, new) {
        (before, after) if before == after => {}
        (Type::Int, Type::Number) => {}
        (Type::Number, Type::Int) => work.fill(format!(
            "settle the items whose {} is no whole number",
            place.subject()
        )),
        (before, Type::String) if before.is_text() => {}
        (Type::String, after) if after.is_text() => {
            let form = after.in_full();
            let of = if place.is_inside {
                format!(" of {}", place.path)
            } else {
                String::new()
            };
            work.fill(format!(
                "write every value{of} that is not written as a {form} is stored in that form; settle those that are none"
            ));
        }
        (Type::Words(before), Type::Words(after)) => {
            let gone = before.iter().filter(|word| !after.contains(word));
            let gone: Vec<&str> = gone.map(String::as_str).collect();
            if !gone.is_empty() {
                let of = if place.is_inside {
                    format!(" in {}", place.path)
                } else {
                    String::new()
                };
                work.fill(format!(
                    "settle the items that have {}{of}",
                    gone.join(", ")
                ));
            }
        }
        (Type::List(before), Type::List(after)) | (Type::Set(before), Type::Set(after)) => {
            values(before, after, &place.inside("[]"), work);
        }
        (Type::Map(before), Type::Map(after)) => values(before, after, &place.inside(".*"), work),
        (Type::Record(before), Type::Record(after)) => records(before, after, place, work),
        // Any other pair, including types that the language does not have yet: no stored value is
        // trusted to fit.
        _ => work.is_rewrite = true,
    }
}

/// Compares the fields of two records.
fn records(old: &Record, new: &Record, place: &Nested, work: &mut Work) {
    for (name, after, optional) in &new.fields {
        let inside = place.inside(&format!(".{name}"));
        let mut known = old.fields.iter();
        match known.find(|(known, ..)| known == name) {
            Some((_, before, was_optional)) => {
                if *was_optional && !optional {
                    work.fill(format!("write {} where it is missing", inside.path));
                }
                values(before, after, &inside, work);
            }
            None if *optional => {}
            None => work.fill(format!("write {} everywhere: it is required", inside.path)),
        }
    }
}
