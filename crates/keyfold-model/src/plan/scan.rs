//! A pattern that says `scan`: the whole table is read, and what is not asked for is thrown away.

use super::request::{Fan, PatternPlan, RequestKind, SortCondition};
use crate::diagnostic::Diagnostic;
use crate::schema::{Comparator, Comparison, Limit, Model, Operand, Pattern, Returned};

pub(super) fn plan(
    model: &Model,
    pattern: &Pattern,
    returned: &Returned,
) -> Result<PatternPlan, Box<Diagnostic>> {
    let gone = || Box::new(Diagnostic::error("KF002", pattern.span, "nothing to scan", "no entity"));
    let entity = model.entities.get(returned.entity).ok_or_else(gone)?;
    let table = model.tables.get(entity.table).ok_or_else(gone)?;
    let refuse = |span, message: String, help: &str| {
        Err(Box::new(Diagnostic::error("KF010", span, message, "not in a scan").help(help.to_owned())))
    };
    if let Some(order) = &pattern.order {
        return Err(Box::new(
            Diagnostic::error("KF014", order.span, "a scan is in no order", "this order")
                .note("a table is read partition by partition, in the order of their hashes")
                .help("remove the order, or serve the pattern from an index"),
        ));
    }
    if !returned.many {
        let message = format!("{} promises one item and reads a whole table", pattern.name);
        return refuse(pattern.span, message, "return all of them: `[]`");
    }
    if let Some(unit) = table.period {
        let message = format!("{} is a table per {unit}, and a scan reads one table", table.name);
        return refuse(pattern.span, message, "ask for a range of times");
    }
    if entity.split.is_some() {
        let message =
            format!("{} is split over several items, which a scan does not keep together", entity.name);
        return refuse(pattern.span, message, "serve the pattern from a key");
    }
    // A key attribute can be filtered in a scan of the table: it is not a key condition there.
    let mut filters = pattern.filters.clone();
    for (name, kind, text) in &pattern.fixed_values {
        let Ok(value) = crate::value::parse(name, kind, text) else { continue };
        filters.push(Comparison {
            attribute: name.clone(),
            comparator: Comparator::Equal,
            operand: Some(Operand::Literal(value)),
            span: pattern.span,
        });
    }
    for name in &pattern.present {
        filters.push(Comparison {
            attribute: name.clone(),
            comparator: Comparator::Exists,
            operand: None,
            span: pattern.span,
        });
    }
    for parameter in &pattern.parameters {
        let comparator = match parameter.limit {
            Limit::Free => continue,
            Limit::Equal => Comparator::Equal,
            Limit::AtLeast => Comparator::AtLeast,
            Limit::AtMost => Comparator::AtMost,
            Limit::Starts | Limit::In(_) => Comparator::Starts,
            Limit::Among => {
                let message = "a list of ids is no scan".to_owned();
                return refuse(parameter.span, message, "remove `scan`: a list of ids is a BatchGetItem");
            }
        };
        filters.push(Comparison {
            attribute: parameter.attribute.clone(),
            comparator,
            operand: Some(Operand::Parameter(parameter.name.clone())),
            span: parameter.span,
        });
    }
    Ok(PatternPlan {
        request: RequestKind::Scan,
        table: table.name.clone(),
        index: None,
        partition_attributes: vec![table.partition.name.clone()],
        partition: None,
        sort_attributes: table.sort.iter().map(|column| column.name.clone()).collect(),
        sort: SortCondition::Any,
        fan: Fan::One,
        period: None,
        descending: false,
        ordered_by: None,
        is_reversed: false,
        page: pattern.page,
        strong: pattern.strong.is_some(),
        only: pattern.only.clone(),
        filters,
    })
}
