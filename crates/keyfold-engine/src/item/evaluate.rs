//! The evaluation of a write against the present item: its condition, and the new version.

use super::plan::{Action, WritePlan};
use super::refusal::Refusal;
use crate::check::keys::{self, Maker};
use keyfold_api::Validation;
use keyfold_codec::RawItem;
use keyfold_expr::{Budget, UpdateError};
use keyfold_types::Item;
use std::borrow::Cow;

/// An item before and after a write.
#[derive(Debug)]
pub(crate) struct Change<'p> {
    pub(crate) before: Option<RawItem>,
    pub(crate) after: Option<RawItem>,
    /// The decoded item after the write; before it when the item is deleted.
    pub(super) tree: Option<Cow<'p, Item>>,
    /// Whether it is a ConditionCheck, which costs units but writes nothing.
    pub(super) is_check: bool,
}

impl Change<'_> {
    /// Bytes of the item before or after the change, whichever are more.
    pub(crate) fn bytes(&self) -> u64 {
        let size = |item: &Option<RawItem>| item.as_ref().map_or(0, RawItem::size_bytes);
        size(&self.before).max(size(&self.after))
    }
}

impl WritePlan {
    /// The change of a restore or import. The item was accepted before, so the rules for new items do
    /// not apply.
    pub(crate) fn filled(&self, before: Option<RawItem>, item: RawItem) -> Change<'_> {
        let tree = match &self.write.action {
            Action::Put(tree) => Some(Cow::Borrowed(tree)),
            Action::Update { .. } | Action::Delete { .. } | Action::Check { .. } => None,
        };
        Change {
            before,
            after: Some(item),
            tree,
            is_check: false,
        }
    }

    /// Evaluates the condition and makes the item's new version.
    pub(crate) fn evaluate(
        &self,
        before: Option<RawItem>,
        work: &Budget,
    ) -> Result<Change<'_>, Refusal> {
        if work.is_spent() {
            return Err(Validation::TooMuchWork.into());
        }
        if let Some(condition) = &self.write.condition
            && !condition.holds_within(before.as_ref(), work)
        {
            if self.write.is_insert {
                return Err(Refusal::Duplicate);
            }
            let item = if self.write.return_on_failure {
                before
            } else {
                None
            };
            return Err(Refusal::Condition(item.map(Box::new)));
        }
        let (tree, maker) = match &self.write.action {
            Action::Check { .. } => {
                return Ok(Change {
                    after: before.clone(),
                    before,
                    tree: None,
                    is_check: true,
                });
            }
            Action::Delete { .. } => {
                let tree = before.as_ref().map(|before| Cow::Owned(before.to_item()));
                return Ok(Change {
                    before,
                    after: None,
                    tree,
                    is_check: false,
                });
            }
            Action::Put(item) => (Cow::Borrowed(item), Maker::Put),
            Action::Update { update, .. } if before.is_none() && !update.creates() => {
                return Ok(Change {
                    before,
                    after: None,
                    tree: None,
                    is_check: false,
                });
            }
            Action::Update { key, update } => {
                let mut item = before
                    .as_ref()
                    .map_or_else(|| key.clone(), RawItem::to_item);
                update.apply(&mut item).map_err(update_refused)?;
                (Cow::Owned(item), Maker::Update)
            }
        };
        let after = RawItem::encode(&tree);
        keys::check_new_item(&self.table, &tree, after.size_bytes(), maker)?;
        Ok(Change {
            before,
            after: Some(after),
            tree: Some(tree),
            is_check: false,
        })
    }
}

fn update_refused(error: UpdateError) -> Validation {
    if error == UpdateError::ItemSize {
        Validation::UpdatedItemSize
    } else {
        Validation::Update(error)
    }
}
