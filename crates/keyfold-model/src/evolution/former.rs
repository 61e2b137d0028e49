//! Values that items of the old version get: texts of their attributes, words for others, calculations.

use super::pair::Pair;
use super::stored::is_stored;
use super::values::have_common;
use crate::diagnostic::Span;
use crate::near;
use crate::resolve::field_format;
use crate::schema::{Attribute, Former, FormerNumber, FormerPart, FormerSign, Type};
use crate::syntax::ast::Name;
use crate::template::{Format, Part};
use crate::value;
use keyfold_types::{Number, NumberError, Value};
use std::collections::BTreeMap;

/// How an attribute is made of those of the old version, which has them.
#[derive(Debug, Clone)]
pub struct Made<'m> {
    attribute: &'m Attribute,
    how: How<'m>,
}

#[derive(Debug, Clone)]
enum How<'m> {
    Text(Vec<Part>),
    Words {
        of: &'m str,
        words: &'m [(String, String)],
        other: Option<&'m str>,
    },
    /// The same for each item of the entity.
    Fixed(&'m str),
    Number(&'m FormerNumber, &'m [(FormerSign, FormerNumber)]),
}

impl<'m> Pair<'m> {
    /// How an attribute of the new model is made of those of the old one; `None` where the model does not
    /// say so.
    ///
    /// # Errors
    /// Why it cannot be, as a sentence without its end.
    pub fn made(&self, two: &'m Attribute) -> Option<Result<Made<'m>, String>> {
        let former = two.former.as_ref()?;
        Some(self.made_of(two, former))
    }

    fn made_of(&self, two: &'m Attribute, former: &'m Former) -> Result<Made<'m>, String> {
        let how = match former {
            Former::Text(parts) => How::Text(self.text(parts)?),
            Former::Words { of, words, other } => {
                let one = self.known(of)?;
                for (word, value) in words {
                    let known = value::parse(of, &one.kind, word);
                    known.map_err(|error| match word == "else" {
                        true => {
                            format!("{error}; all other values get `else {value}`, without `=`")
                        }
                        false => error.to_string(),
                    })?;
                }
                How::Words {
                    of,
                    words,
                    other: other.as_deref(),
                }
            }
            Former::Entities(words) => How::Fixed(self.of_entity(words)?),
            Former::Number { first, rest } => {
                for name in former.names() {
                    let one = self.known(name)?;
                    if !one.kind.is_number() {
                        return Err(format!("`{name}` is {}", one.kind.with_article()));
                    }
                }
                How::Number(first, rest)
            }
        };
        self.distinguished(two, former)?;
        if !is_stored(self.new, &two.name) {
            return Err(format!(
                "`{}` is stored in keys only, where it is not seen whether it was made already",
                two.name
            ));
        }
        Ok(Made {
            attribute: two,
            how,
        })
    }

    /// What the items of this entity of the old version get.
    fn of_entity(&self, words: &'m [(String, String)]) -> Result<&'m str, String> {
        let merged = |name: &str| {
            let is_named = self.new.was.iter().any(|was| was == name);
            is_named && self.old_model.entity(name).is_some()
        };
        if let Some((name, _)) = words.iter().find(|(name, _)| !merged(name)) {
            return Err(format!(
                "no items of an entity `{name}` of the old version become those of {}",
                self.new.name
            ));
        }
        let found = words.iter().find(|(name, _)| *name == self.old.name);
        let found = found.map(|(_, value)| value.as_str());
        found.ok_or_else(|| format!("nothing says what an item of {} gets", self.old.name))
    }

    /// The attribute of the old version of a name.
    pub(super) fn known(&self, name: &str) -> Result<&'m Attribute, String> {
        let all = self.old.attributes.iter().map(|one| one.name.as_str());
        self.old.attribute(name).ok_or_else(|| {
            let near = near::nearest(name, all);
            let meant = near
                .first()
                .map_or(String::new(), |one| format!(": it has `{one}`"));
            format!(
                "the old version of {} has no attribute `{name}`{meant}",
                self.old.name
            )
        })
    }

    fn text(&self, parts: &[FormerPart]) -> Result<Vec<Part>, String> {
        let part = |part: &FormerPart| match part {
            FormerPart::Text(text) => Ok(Part::Text(text.clone())),
            FormerPart::Field { name, formats } => {
                let one = self.known(name)?;
                if !one.kind.fits_key() {
                    return Err(format!(
                        "`{name}` is {}, of which no text is made",
                        one.kind.with_article()
                    ));
                }
                let named = |format: &String| Name {
                    text: format.clone(),
                    span: Span { start: 0, end: 0 },
                };
                let formats: Vec<Name> = formats.iter().map(named).collect();
                let format = field_format(&formats, &one.kind)
                    .map_err(|diagnostic| format!("`{name}`: {}", diagnostic.message))?;
                Ok(Part::Field {
                    name: name.clone(),
                    kind: one.kind.clone(),
                    format,
                    excluded: Vec::new(),
                })
            }
        };
        parts.iter().map(part).collect()
    }

    /// Whether it is seen of each item which form it has: where an attribute keeps its name, no value of the
    /// old form may be one of the new form and become another one.
    fn distinguished(&self, two: &Attribute, former: &Former) -> Result<(), String> {
        let Some(one) = self.old.attribute(&two.name) else {
            return Ok(());
        };
        if !have_common(&one.kind, &two.kind) {
            return Ok(());
        }
        if let Former::Words { of, words, .. } = former
            && *of == two.name
        {
            let is_new = |text: &String| value::parse(&two.name, &two.kind, text).is_ok();
            let mut words = words.iter();
            // Other values stay, where they are values of the new form.
            return match words.find(|(word, after)| word != after && is_new(word)) {
                None => Ok(()),
                Some((word, _)) => Err(format!(
                    "`{word}` is a value of both versions and becomes another one: which of both an item \
                     holds is not seen; give the attribute another name"
                )),
            };
        }
        Err(format!(
            "a value of `{}` may be one of both versions: which of both an item holds is not seen; give \
             the attribute another name",
            two.name
        ))
    }
}

impl Made<'_> {
    /// The value that an item of the old version gets, by what it holds; `None` where it lacks an attribute
    /// that the value is made of.
    ///
    /// # Errors
    /// Why nothing can be made, as a sentence without its end; what `held` returns.
    pub fn value(
        &self,
        held: &dyn Fn(&str) -> Result<Option<Value>, String>,
    ) -> Result<Option<Value>, String> {
        match &self.how {
            How::Text(parts) => self.text(parts, held),
            How::Words { of, words, other } => {
                let Some(held) = held(of)? else {
                    return Ok(None);
                };
                self.word(&held, words, *other).map(Some)
            }
            How::Fixed(text) => {
                let (name, kind) = (&self.attribute.name, &self.attribute.kind);
                let made = value::parse(name, kind, text);
                made.map(Some).map_err(|error| error.to_string())
            }
            How::Number(first, rest) => calculated(first, rest, held),
        }
    }

    fn text(
        &self,
        parts: &[Part],
        held: &dyn Fn(&str) -> Result<Option<Value>, String>,
    ) -> Result<Option<Value>, String> {
        let mut text = String::new();
        for part in parts {
            let Part::Field { name, format, .. } = part else {
                let fixed = value::text(std::slice::from_ref(part), &BTreeMap::new());
                text.push_str(&fixed.map_err(|error| error.to_string())?);
                continue;
            };
            let Some(one) = held(name)? else {
                return Ok(None);
            };
            // A text of a key has at least one character; this one may be empty.
            if *format == Format::Plain {
                text.push_str(&value::display(&one));
                continue;
            }
            let values = BTreeMap::from([(name.clone(), one)]);
            let made = value::text(std::slice::from_ref(part), &values);
            text.push_str(&made.map_err(|error| error.to_string())?);
        }
        if self.attribute.kind == Type::String {
            return Ok(Some(Value::S(text)));
        }
        let made = value::parse(&self.attribute.name, &self.attribute.kind, &text);
        made.map(Some).map_err(|error| error.to_string())
    }

    fn word(
        &self,
        held: &Value,
        words: &[(String, String)],
        other: Option<&str>,
    ) -> Result<Value, String> {
        let (name, kind) = (&self.attribute.name, &self.attribute.kind);
        let shown = value::display(held);
        let found = words.iter().find(|(word, _)| *word == shown);
        let found = found.map(|(_, after)| after.as_str());
        if found.is_none() && value::check(name, kind, held).is_ok() {
            return Ok(held.clone());
        }
        match found.or(other) {
            Some(text) => value::parse(name, kind, text).map_err(|error| error.to_string()),
            None => Err(format!("nothing says what `{shown}` becomes in `{name}`")),
        }
    }
}

fn calculated(
    first: &FormerNumber,
    rest: &[(FormerSign, FormerNumber)],
    held: &dyn Fn(&str) -> Result<Option<Value>, String>,
) -> Result<Option<Value>, String> {
    let number = |one: &FormerNumber| match one {
        FormerNumber::Fixed(number) => Ok(Some(*number)),
        FormerNumber::Attribute(name) => match held(name)? {
            Some(Value::N(number)) => Ok(Some(number)),
            Some(_) => Err(format!("`{name}` is no number")),
            None => Ok(None),
        },
    };
    let Some(mut made) = number(first)? else {
        return Ok(None);
    };
    for (sign, one) in rest {
        let Some(one) = number(one)? else {
            return Ok(None);
        };
        let next = match sign {
            FormerSign::Plus => made.checked_add(&one),
            FormerSign::Minus => made.checked_sub(&one),
            FormerSign::Times => times(&made, &one),
        };
        made =
            next.map_err(|error| format!("{made} {} {one} is no number: {error}", sign.sign()))?;
    }
    Ok(Some(Value::N(made)))
}

/// The exact product.
fn times(one: &Number, two: &Number) -> Result<Number, NumberError> {
    let digits = one.coefficient().checked_mul(two.coefficient());
    let digits = digits.ok_or(NumberError::Precision)?;
    let is_negative = one.is_negative() != two.is_negative();
    Number::new(is_negative, digits, one.exponent() + two.exponent())
}

#[cfg(test)]
mod tests {
    use super::super::pairs;
    use super::*;

    const OLD: &str = r#"
model shop 1
table Shop (PK, SK)
entity User
  userId: string, first: string, last: string?, state: O | P | open, price: number, year: int, size: string
  key "USER#{userId}" "PROFILE"
pattern user(userId) -> User?
"#;

    /// What an attribute of the new version is for an item of the old one.
    fn made(attribute: &str, held: &[(&str, Value)]) -> Result<Option<Value>, String> {
        let model = |text: &str| crate::compile(text).model.expect("no errors");
        let own = attribute.split(':').next().unwrap_or_default();
        let text = match OLD.contains(&format!(" {own}: ")) {
            true => {
                let (before, behind) = OLD.split_once(&format!("{own}: ")).expect("it is there");
                let end = behind.find([',', '\n']).expect("it ends");
                format!("{before}{attribute}{}", &behind[end..])
            }
            false => OLD.replace(
                "  userId: string",
                &format!("  userId: string, {attribute}"),
            ),
        };
        let (old, new) = (model(OLD), model(&text));
        let all = pairs(&old, &new);
        let pair = &all[0];
        let two = pair.new.attribute(own).expect("declared");
        let of = |name: &str| {
            Ok(held
                .iter()
                .find(|(one, _)| *one == name)
                .map(|(_, held)| held.clone()))
        };
        pair.made(two).expect("it is made")?.value(&of)
    }

    fn text(text: &str) -> Value {
        Value::S(text.to_owned())
    }

    fn number(text: &str) -> Value {
        Value::N(text.parse().expect("a number"))
    }

    #[test]
    fn texts_are_made_of_attributes() {
        let held = [("first", text("Ada")), ("last", text("King"))];
        let label = "label: string? was \"{first:lower} {last}\"";
        assert_eq!(made(label, &held), Ok(Some(text("ada King"))));
        assert_eq!(made(label, &held[..1]), Ok(None), "it lacks one");
        let day = "day: date was \"{year}-01-{price:02}\"";
        let held = [("year", number("2024")), ("price", number("7"))];
        assert_eq!(made(day, &held), Ok(Some(text("2024-01-07"))));
        let size = "size: int was \"{size}\"";
        assert_eq!(made(size, &[("size", text("12"))]), Ok(Some(number("12"))));
        assert!(made(size, &[("size", text("large"))]).is_err());
    }

    #[test]
    fn words_stand_for_others() {
        let state = "state: open | paid was state (O = open, P = paid)";
        for (before, after) in [("O", "open"), ("P", "paid"), ("open", "open")] {
            assert_eq!(
                made(state, &[("state", text(before))]),
                Ok(Some(text(after)))
            );
        }
        let level = "level: low | high was year (1 = low, else high)";
        assert_eq!(made(level, &[("year", number("1"))]), Ok(Some(text("low"))));
        assert_eq!(
            made(level, &[("year", number("7"))]),
            Ok(Some(text("high")))
        );
    }

    #[test]
    fn a_name_stays_where_no_value_is_of_both_types() {
        let size = "size: bool was size (large = true, small = false)";
        for (before, after) in [(text("large"), true), (text("small"), false)] {
            assert_eq!(
                made(size, &[("size", before)]),
                Ok(Some(Value::Bool(after)))
            );
        }
        let year = "year: low | high was year (1 = low, 2 = high)";
        let held = [("year", number("2"))];
        assert_eq!(made(year, &held), Ok(Some(text("high"))));
    }

    #[test]
    fn numbers_are_calculated() {
        let cents = "cents: int was price * 100 - year";
        let held = [("price", number("12.5")), ("year", number("3"))];
        assert_eq!(made(cents, &held), Ok(Some(number("1247"))));
    }

    #[test]
    fn what_cannot_be_made_is_refused() {
        for (attribute, why) in [
            ("label: string was \"{frist}\"", "it has `first`"),
            (
                "state: open | P was state (O = P, P = open)",
                "of both versions",
            ),
            ("first: string was \"{first:lower}\"", "of both versions"),
            ("cents: int was first * 2", "`first` is a string"),
            ("label: string was \"{year:lower}\"", "no format `lower`"),
        ] {
            let found = made(attribute, &[]);
            assert!(
                found.as_ref().is_err_and(|error| error.contains(why)),
                "{attribute}: {found:?}"
            );
        }
    }
}
