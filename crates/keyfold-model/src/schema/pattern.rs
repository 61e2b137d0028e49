//! Access patterns.

use super::condition::Condition;
use super::plan::PatternPlan;
use crate::diagnostic::Span;
use crate::period::Unit;
use crate::types::Type;
use crate::words::{Comparator, Order};

/// The kind of limit that a parameter puts on its attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// The attribute equals the argument.
    Equal,
    /// The attribute is at least the argument.
    AtLeast,
    /// The attribute is at most the argument.
    AtMost,
    /// The attribute is greater than the argument.
    Above,
    /// The attribute is less than the argument.
    Below,
    /// The attribute's text starts with the argument.
    Starts,
    /// The attribute's time lies in this hour, day, month or year.
    In(Unit),
    /// The attribute is one of the elements of the argument.
    Among,
    /// The parameter limits no attribute; a filter compares with it.
    Free,
}

impl Limit {
    /// Whether the argument is the lower end of a range.
    pub fn is_lower(self) -> bool {
        matches!(self, Limit::AtLeast | Limit::Above)
    }

    /// Whether the argument is the upper end of a range.
    pub fn is_upper(self) -> bool {
        matches!(self, Limit::AtMost | Limit::Below)
    }

    /// The sign of an end of a range that excludes the argument itself.
    pub fn strict_sign(self) -> Option<Comparator> {
        match self {
            Limit::Above => Some(Comparator::Greater),
            Limit::Below => Some(Comparator::Less),
            Limit::Equal
            | Limit::AtLeast
            | Limit::AtMost
            | Limit::Starts
            | Limit::In(_)
            | Limit::Among
            | Limit::Free => None,
        }
    }
}

/// A parameter of a pattern.
#[derive(Debug, Clone)]
pub struct Parameter {
    /// Its name. A parameter for an equality has the name of the attribute.
    pub name: String,
    /// The attribute that it limits; empty for [`Limit::Free`].
    pub attribute: String,
    /// The type of its argument.
    pub kind: Type,
    /// The kind of limit.
    pub limit: Limit,
    /// Whether a caller may leave it out.
    pub optional: bool,
    /// The place of its declaration.
    pub span: Span,
}

impl Parameter {
    /// Whether its default is the present time: an end `now` of a range of times, and the `now` of a
    /// filter.
    pub fn is_now(&self) -> bool {
        self.name == "now"
            && (self.limit.is_upper() || self.limit.is_lower() || self.limit == Limit::Free)
            && matches!(self.kind, Type::Time(_) | Type::Date)
    }

    /// The unit of its argument, where it is the end of a range of periods, as in `day of at >= first`,
    /// or a period by itself.
    pub fn period(&self) -> Option<Unit> {
        if let Type::Period(unit) = self.kind {
            Some(unit)
        } else {
            None
        }
    }
}

/// How several items are read by their keys in one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Together {
    /// All as they are at one moment.
    Snapshot,
    /// Each for itself, at half the price or less.
    Batch,
}

/// A kind in a pattern's result.
#[derive(Debug, Clone)]
pub struct Returned {
    /// The position of the entity in the model.
    pub entity: usize,
    /// The position of the copy that is returned instead of the entity itself.
    pub copy: Option<usize>,
    /// Whether any number of items is returned, or at most one.
    pub many: bool,
    /// Whether the single item may be missing.
    pub optional: bool,
    /// Its name in the answer, where it is not that of the entity.
    pub alias: Option<String>,
    /// The key attributes that parameters of other names give: attribute, parameter.
    pub bound: Vec<(String, String)>,
    /// The place of its declaration.
    pub span: Span,
}

/// An access pattern.
#[derive(Debug, Clone)]
pub struct Pattern {
    /// Its name.
    pub name: String,
    /// The place of its declaration.
    pub span: Span,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// Attributes with a fixed value: `where status = pending`.
    pub fixed: Vec<(String, String)>,
    /// The fixed values with the attributes' types.
    pub fixed_values: Vec<(String, Type, String)>,
    /// Attributes that must exist: `where note`.
    pub present: Vec<String>,
    /// The entities and copies that it returns.
    pub returned: Vec<Returned>,
    /// How the returned items are read, each by a key of its own; `None` for one key or range.
    pub together: Option<Together>,
    /// The place behind its results, where modifiers may follow.
    pub returned_end: usize,
    /// The attributes that it returns; empty for all.
    pub only: Vec<String>,
    /// The order that it asks for.
    pub order: Option<Ordered>,
    /// The number of items in a page.
    pub page: Option<u32>,
    /// The place of `strong`, which asks for strongly consistent reads.
    pub strong: Option<Span>,
    /// The place of `scan`, which allows it to read all items of a table.
    pub scan: Option<Span>,
    /// The place of `fetch all`, which allows it to read from the table what a local index lacks.
    pub fetch: Option<Span>,
    /// Filters, which are applied to the items read; all of them hold.
    pub filters: Vec<Condition>,
    /// The declared number of runs a second.
    pub rate: Option<u64>,
    /// The plan when all parameters are given.
    pub plan: PatternPlan,
    /// The plans without some optional parameters: the names of the parameters left out, and the
    /// plan.
    pub variants: Vec<(Vec<String>, PatternPlan)>,
}

impl Pattern {
    /// The plan for the parameters that are given.
    pub fn plan_for(&self, is_given: impl Fn(&str) -> bool) -> &PatternPlan {
        let fits = |absent: &[String]| {
            self.parameters
                .iter()
                .filter(|parameter| parameter.optional)
                .all(|parameter| absent.contains(&parameter.name) != is_given(&parameter.name))
        };
        self.variants
            .iter()
            .find(|(absent, _)| fits(absent))
            .map_or(&self.plan, |(_, plan)| plan)
    }

    /// All plans, each with the names of the parameters left out. The first has all parameters.
    pub fn plans(&self) -> impl Iterator<Item = (&[String], &PatternPlan)> {
        let variants = self
            .variants
            .iter()
            .map(|(absent, plan)| (absent.as_slice(), plan));
        std::iter::once((&[][..], &self.plan)).chain(variants)
    }

    /// The parameters that are an end of a range and lie outside of it, with their signs.
    pub(crate) fn strict_ends(&self) -> Vec<(String, Comparator)> {
        let sign = |p: &Parameter| Some((p.name.clone(), p.limit.strict_sign()?));
        self.parameters.iter().filter_map(sign).collect()
    }

    /// Whether the pattern returns at most one item.
    pub fn is_single(&self) -> bool {
        matches!(self.returned.as_slice(), [one] if !one.many)
    }
}

/// The order that a pattern asks for, and its place.
#[derive(Debug, Clone)]
pub struct Ordered {
    /// The order.
    pub order: Order,
    /// The attribute to order by; `None` leaves the choice to the key.
    pub attribute: Option<String>,
    /// The place of the order in the source.
    pub span: Span,
}
