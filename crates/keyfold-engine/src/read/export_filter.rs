//! The FilterSpecification of an export, bound to its table.
//!
//! A key condition narrows the range that is read. The filter and the projection are those of Query
//! and Scan. An incremental export has a change when the filter holds for the item before or after
//! it, so that a reader of the exports sees items that begin and cease to match.

use crate::base::layout;
use crate::check::expressions::{Bound, NO_FILTER_NOR_KEY_CONDITION, Texts};
use crate::read::page;
use crate::read::{key_range, options};
use crate::table::Table;
use keyfold_api::{ApiError, ExpressionAttributes, FilterSpecification, Validation};
use keyfold_codec::RawItem;
use keyfold_codec::key::KeyRange;
use keyfold_transfer::Change;

/// The exported items and their exported attributes.
pub(crate) struct Chosen {
    /// The range of keys: the complete table without a key condition.
    pub(crate) range: KeyRange,
    bound: Bound,
}

/// Binds the expressions of a specification. No specification chooses everything.
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
    texts.bind(&attributes, NO_FILTER_NOR_KEY_CONDITION)
}

impl Chosen {
    /// Binds checked expressions to a table.
    pub(crate) fn of(table: &Table, mut bound: Bound) -> Result<Chosen, ApiError> {
        let range = match bound.key_condition.take() {
            None => layout::items_of(table.id),
            Some(condition) => {
                let range = key_range::plan(table.id, None, &table.key, &condition)?.wanted;
                options::check_filter_keys(
                    bound.filter.as_ref(),
                    &table.key,
                    options::FILTER_EXPRESSION,
                )?;
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

    /// The exported attributes of an item of the range; none when the filter does not hold.
    pub(crate) fn part(&self, item: RawItem) -> Option<RawItem> {
        self.holds(&item).then(|| self.projected(item))
    }

    /// The exported part of a change; none when the filter holds for no image.
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
