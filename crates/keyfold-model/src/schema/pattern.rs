//! Access patterns.

use super::condition::Comparison;
use super::plan::PatternPlan;
use crate::diagnostic::Span;
use crate::period::Unit;
use crate::types::Type;
use crate::words::Order;

/// The kind of limit that a parameter puts on its attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// The attribute equals it.
    Equal,
    /// The attribute is at least this.
    AtLeast,
    /// The attribute is at most this.
    AtMost,
    /// The attribute's text starts with it.
    Starts,
    /// The attribute's time lies in this hour, day, month or year.
    In(Unit),
    /// The attribute is one of several.
    Among,
    /// It limits no attribute; a filter compares with it.
    Free,
}

/// A parameter of a pattern.
#[derive(Debug, Clone)]
pub struct Parameter {
    /// Its name; that of the attribute when it is an equality.
    pub name: String,
    /// The attribute it limits.
    pub attribute: String,
    /// The type of its argument.
    pub kind: Type,
    /// The kind of limit.
    pub limit: Limit,
    /// Whether it may be left out.
    pub optional: bool,
    /// The place of its declaration.
    pub span: Span,
}

impl Parameter {
    /// Whether it is the present moment where it is not given: the upper end `now` of a range of
    /// times.
    pub fn is_now(&self) -> bool {
        self.name == "now"
            && self.limit == Limit::AtMost
            && matches!(self.kind, Type::Time(_) | Type::Date)
    }
}

/// A kind in a pattern's result.
#[derive(Debug, Clone)]
pub struct Returned {
    /// The entity, by place.
    pub entity: usize,
    /// One of its copies, by place, instead of the entity itself.
    pub copy: Option<usize>,
    /// Any number of items, or one.
    pub many: bool,
    /// Whether the one may be missing.
    pub optional: bool,
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
    /// The same with the attributes' types.
    pub fixed_values: Vec<(String, Type, String)>,
    /// Attributes that must be there: `where note`.
    pub present: Vec<String>,
    /// The kinds that it returns.
    pub returned: Vec<Returned>,
    /// The attributes it gives back; all, if empty.
    pub only: Vec<String>,
    /// The order asked for.
    pub order: Option<Ordered>,
    /// Items a page.
    pub page: Option<u32>,
    /// Whether it reads strongly.
    pub strong: Option<Span>,
    /// Whether it may read a whole table.
    pub scan: Option<Span>,
    /// Filters, which are applied after reading.
    pub filters: Vec<Comparison>,
    /// Declared runs a second.
    pub rate: Option<u64>,
    /// The plan when all parameters are given.
    pub plan: PatternPlan,
    /// The plans without some optional parameters: their names, and the plan.
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

    /// All plans: with all parameters, and with some left out.
    pub fn plans(&self) -> impl Iterator<Item = (&[String], &PatternPlan)> {
        let variants = self
            .variants
            .iter()
            .map(|(absent, plan)| (absent.as_slice(), plan));
        std::iter::once((&[][..], &self.plan)).chain(variants)
    }

    /// Whether the pattern with these parameters left out returns many items of its only kind.
    pub fn is_single(&self) -> bool {
        matches!(self.returned.as_slice(), [one] if !one.many)
    }
}

/// An order, and where it is asked for.
#[derive(Debug, Clone)]
pub struct Ordered {
    /// Which.
    pub order: Order,
    /// By this attribute; by what the key has, if none.
    pub attribute: Option<String>,
    /// The place where it is asked for.
    pub span: Span,
}
