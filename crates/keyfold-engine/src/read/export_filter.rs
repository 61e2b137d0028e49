//! The FilterSpecification of an export, bound to its table.
//!
//! A key condition narrows the range that is read; the filter and the projection are those of Query
//! and Scan. Of an incremental export a change is held when the item before or after it is: who
//! follows the exports learns of items that came to match and of those that ceased to.

use crate::check::expressions::{Bound, Texts};
use crate::read::page;
use crate::read::{key_range, options};
use crate::table::Table;
use keyfold_api::{ApiError, ExpressionAttributes, FilterSpecification, Validation};
use keyfold_codec::RawItem;
use keyfold_codec::key::{self, IndexId, KeyRange};
use keyfold_transfer::Change;

/// Which items are exported, and what of them.
pub(crate) struct Chosen {
    /// The keys; all of the table's without a key condition.
    pub(crate) range: KeyRange,
    bound: Bound,
}

/// Checks a specification's expressions; none chooses everything.
pub(crate) fn check(given: Option<&FilterSpecification>) -> Result<Bound, ApiError> {
    let Some(given) = given else {
        return Ok(Bound::default());
    };
    let values = given
        .expression_attribute_values
        .clone()
        .transpose()
        .map_err(Validation::Value)?;
    let attributes = ExpressionAttributes {
        names: given.expression_attribute_names.clone(),
        values: values.map(|values| Ok(values.into_iter().collect())),
    };
    let texts = Texts {
        key_condition: given.key_condition_expression.as_deref(),
        filter: given.filter_expression.as_deref(),
        projection: given.projection_expression.as_deref(),
        ..Texts::default()
    };
    texts.bind(
        &attributes,
        "FilterExpression and KeyConditionExpression are null",
    )
}

impl Chosen {
    /// The items of a table that checked expressions choose.
    pub(crate) fn of(table: &Table, mut bound: Bound) -> Result<Chosen, ApiError> {
        let range = match bound.key_condition.take() {
            None => KeyRange::prefix(key::space_prefix(table.id, IndexId::BASE)),
            Some(condition) => {
                let range = key_range::plan(table.id, None, &table.key, &condition)?.wanted;
                options::check_filter_keys(bound.filter.as_ref(), &table.key, "Filter Expression")?;
                range
            }
        };
        Ok(Chosen { range, bound })
    }

    fn holds(&self, item: &RawItem) -> bool {
        self.bound
            .filter
            .as_ref()
            .is_none_or(|filter| filter.holds(Some(item)))
    }

    fn projected(&self, item: RawItem) -> RawItem {
        page::projected(self.bound.projection.as_ref(), item)
    }

    /// The part of an item of the range that is exported, if it is.
    pub(crate) fn part(&self, item: RawItem) -> Option<RawItem> {
        self.holds(&item).then(|| self.projected(item))
    }

    /// The part of a change that is exported, if the item before or after it is.
    pub(crate) fn part_of_change(&self, change: Change) -> Option<Change> {
        let is_chosen = change
            .old
            .iter()
            .chain(&change.new)
            .any(|item| self.holds(item));
        let part = |item: Option<RawItem>| item.map(|item| self.projected(item));
        is_chosen.then(|| Change {
            old: part(change.old),
            new: part(change.new),
            ..change
        })
    }
}
