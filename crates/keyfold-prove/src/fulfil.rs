//! Rows that fulfil a wish of the model, or miss it narrowly: by the number beside, or by a text that
//! begins like the other.

use crate::expect::seconds;
use crate::generate::{Generator, set_of};
use crate::path;
use crate::wishes::Wish;
use keyfold_client::arguments::Values;
use keyfold_model::schema::{Attribute, Comparator, Comparison, Condition, Measure, Path};
use keyfold_model::{Entity, Operand, Type, value};
use keyfold_types::{Number, Value};

/// The most elements or characters that are drawn for a size.
const SIZE_MAX: i64 = 400;
const DAY_S: i64 = 24 * 3_600;

impl<'m> Generator<'m> {
    /// Changes a row so that it fulfils the next wish, or misses it narrowly.
    pub(crate) fn fulfil(&mut self, at: usize, entity: &'m Entity, row: &mut Values) {
        let all = self.wishes.of_entity.get(at).map_or(0, Vec::len);
        if all == 0 {
            return;
        }
        let number = self.wishes.turns % all;
        self.wishes.turns += 1;
        let wish = self
            .wishes
            .of_entity
            .get(at)
            .and_then(|all| all.get(number));
        let Some(Wish { equal, conditions }) = wish.cloned() else {
            return;
        };
        let mut wanted: Vec<(&Comparison, bool)> = Vec::new();
        for condition in conditions {
            self.choose(condition, true, &mut wanted);
        }
        for (name, held) in equal {
            set(entity, &Path::of(name), held, row);
        }
        for (comparison, truth) in &wanted {
            let _unset = self.wanted(entity, comparison, *truth, row);
        }
        // Some rows are beside the condition.
        if self.rng.u8(..3) == 0
            && let Some((comparison, _)) = wanted.get(self.rng.usize(..wanted.len().max(1)))
        {
            self.miss(entity, comparison, row);
        }
    }

    /// The comparisons that decide a condition, each with the truth that it is to have.
    fn choose(
        &mut self,
        condition: &'m Condition,
        truth: bool,
        wanted: &mut Vec<(&'m Comparison, bool)>,
    ) {
        match condition {
            Condition::Is(comparison) => wanted.push((comparison, truth)),
            Condition::Not(member) => self.choose(member, !truth, wanted),
            Condition::All(members) | Condition::Any(members) => {
                let needs_all = matches!(condition, Condition::All(_)) == truth;
                let one = self.rng.usize(..members.len().max(1));
                let chosen = members.iter().enumerate();
                for (at, member) in chosen {
                    if needs_all || at == one {
                        self.choose(member, truth, wanted);
                    }
                }
            }
        }
    }

    /// Gives a row the value with which a comparison has this truth. `None` where that takes an
    /// argument, or another value than those of the model.
    fn wanted(
        &mut self,
        entity: &'m Entity,
        comparison: &Comparison,
        truth: bool,
        row: &mut Values,
    ) -> Option<()> {
        let target = comparison.path();
        let kind = path::kind(entity, &target)?;
        let comparator = if truth {
            comparison.comparator
        } else {
            opposite(comparison.comparator)?
        };
        if comparator == Comparator::Missing {
            return remove(entity, &target, row);
        }
        if comparator == Comparator::Exists {
            if path::found(row, &target).is_none() {
                let held = self.of_type(kind);
                self.place(entity, &target, held, row);
            }
            return Some(());
        }
        let has_several = matches!(comparator, Comparator::In | Comparator::Within);
        let among = if has_several {
            comparison.operands.len()
        } else {
            1
        };
        let number = self.rng.usize(..among.max(1));
        let literal = match comparison.operands.get(number)? {
            Operand::Literal(held) => held.clone(),
            Operand::Attribute(other) => path::found(row, other)?.clone(),
            Operand::Parameter(_) | Operand::Lent(_) => return None,
        };
        let held = match comparison.measure {
            Measure::Kind => return None,
            Measure::Size => {
                let size = beside(&Type::Int, &literal, comparator)?;
                self.of_size(kind, &size)?
            }
            Measure::Value if comparator == Comparator::Contains => {
                self.containing(kind, path::found(row, &target), literal)?
            }
            Measure::Value if comparator == Comparator::Starts && self.rng.bool() => {
                extended(&literal)?
            }
            Measure::Value => beside(kind, &literal, comparator)?,
        };
        self.place(entity, &target, held, row);
        Some(())
    }

    /// Gives a row a value beside the one that a comparison names.
    fn miss(&mut self, entity: &'m Entity, comparison: &Comparison, row: &mut Values) {
        let target = comparison.path();
        let (Some(kind), Some(Operand::Literal(literal))) =
            (path::kind(entity, &target), comparison.operands.first())
        else {
            return;
        };
        if comparison.measure != Measure::Value {
            return;
        }
        let side = if self.rng.bool() {
            Comparator::Less
        } else {
            Comparator::Greater
        };
        if let Some(held) = beside(kind, literal, side) {
            self.place(entity, &target, held, row);
        }
    }

    /// Gives a row a value at the end of a path. What it lies in is made where it is absent.
    fn place(&mut self, entity: &'m Entity, target: &Path, held: Value, row: &mut Values) {
        if !target.is_whole()
            && !row.contains_key(&target.attribute)
            && let Some(attribute) = entity.attribute(&target.attribute)
        {
            let whole = self.of_type(&attribute.kind);
            set(entity, &Path::of(&target.attribute), whole, row);
        }
        set(entity, target, held, row);
    }

    /// A text, list or set of a size.
    fn of_size(&mut self, kind: &Type, size: &Value) -> Option<Value> {
        let Value::N(size) = size else { return None };
        let size = size.to_i64().filter(|size| (0..=SIZE_MAX).contains(size))?;
        let size = usize::try_from(size).ok()?;
        match (kind, size) {
            (Type::String, _) => Some(Value::S("s".repeat(size))),
            (Type::List(of), _) => Some(Value::L((0..size).map(|_| self.of_type(of)).collect())),
            (Type::Set(of), _) => {
                let mut all: Vec<Value> = Vec::new();
                for _ in 0..size * 4 {
                    let one = self.of_type(of);
                    if all.len() < size && !all.contains(&one) {
                        all.push(one);
                    }
                }
                set_of(all)
            }
            _ => None,
        }
    }

    /// A text, list or set that contains a value.
    fn containing(&mut self, kind: &Type, held: Option<&Value>, one: Value) -> Option<Value> {
        match (kind, one) {
            (Type::String, Value::S(text)) => Some(Value::S(match self.rng.u8(..3) {
                0 => text,
                1 => format!("a{text}"),
                _ => format!("a{text}b"),
            })),
            (Type::List(_), one) => {
                let mut all = match held {
                    Some(Value::L(all)) => all.clone(),
                    _ => Vec::new(),
                };
                all.push(one);
                Some(Value::L(all))
            }
            (Type::Set(of), one) => {
                let other = self.of_type(of);
                let mut all = vec![one];
                all.extend(Some(other).filter(|other| !all.contains(other)));
                set_of(all)
            }
            _ => None,
        }
    }
}

/// The comparator that is true where this one is false, of values that are there.
fn opposite(comparator: Comparator) -> Option<Comparator> {
    match comparator {
        Comparator::Equal => Some(Comparator::Greater),
        Comparator::Unequal => Some(Comparator::Equal),
        Comparator::Less => Some(Comparator::AtLeast),
        Comparator::AtMost => Some(Comparator::Greater),
        Comparator::Greater => Some(Comparator::AtMost),
        Comparator::AtLeast => Some(Comparator::Less),
        Comparator::Exists => Some(Comparator::Missing),
        Comparator::Missing => Some(Comparator::Exists),
        Comparator::In | Comparator::Within | Comparator::Starts | Comparator::Contains => None,
    }
}

/// A value that compares so with a literal: the literal itself, or the one before or behind it.
fn beside(kind: &Type, literal: &Value, comparator: Comparator) -> Option<Value> {
    let step = match comparator {
        Comparator::Less => -1,
        Comparator::Greater | Comparator::Unequal => 1,
        Comparator::Equal
        | Comparator::AtMost
        | Comparator::AtLeast
        | Comparator::In
        | Comparator::Within
        | Comparator::Starts => return Some(literal.clone()),
        Comparator::Contains | Comparator::Exists | Comparator::Missing => return None,
    };
    match (kind, literal) {
        (Type::Int | Type::Number, Value::N(number)) => {
            let other = number.checked_add(&Number::from(step)).ok()?;
            // SQL takes neighbours of long numbers for equal.
            let is_short = other.to_i64().is_none_or(|whole| whole.abs() < 1 << 53);
            Some(Value::N(other)).filter(|_| is_short)
        }
        (Type::String, Value::S(text)) if step < 0 => {
            let mut start = text.clone();
            start.pop().map(|_| Value::S(start))
        }
        (Type::String, Value::S(_)) => extended(literal),
        (Type::Time(_) | Type::Date, Value::S(time)) => {
            let other = (seconds(time)? + step * DAY_S).checked_mul(1_000)?;
            value::time_of_epoch_ms(kind, other)
        }
        _ => None,
    }
}

/// A text that begins with another.
fn extended(text: &Value) -> Option<Value> {
    let Value::S(text) = text else { return None };
    Some(Value::S(format!("{text}x")))
}

/// Whether a row may have any value of this attribute: it is no reference, and the model does not
/// keep it.
fn is_free(entity: &Entity, attribute: &Attribute) -> bool {
    !attribute.is_kept && attribute.refers.is_none() && entity.ttl.as_ref() != Some(&attribute.name)
}

fn set(entity: &Entity, target: &Path, held: Value, row: &mut Values) {
    let (Some(attribute), Some(kind)) = (
        entity.attribute(&target.attribute),
        path::kind(entity, target),
    ) else {
        return;
    };
    if is_free(entity, attribute) && value::check("", kind, &held).is_ok() {
        path::change(row, target, Some(held));
    }
}

/// Takes a value away; `None` where it must be there.
fn remove(entity: &Entity, target: &Path, row: &mut Values) -> Option<()> {
    let attribute = entity.attribute(&target.attribute)?;
    let is_optional = entity
        .at(target)
        .is_some_and(|(_, is_optional)| is_optional);
    if !is_free(entity, attribute) || !is_optional {
        return None;
    }
    path::change(row, target, None);
    Some(())
}
