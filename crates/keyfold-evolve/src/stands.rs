//! What an item is that stands where one is wanted: nothing of another model is written over.

use crate::carry::Task;
use crate::wish::{Stands, Wish, Wished, key_of, managed};
use keyfold_client::kinds::Role;
use keyfold_types::Item;

impl Task<'_, '_> {
    /// What an item is that stands where one is wanted for an entity.
    pub(crate) fn stands(&self, pair: usize, wish: &Wish, wished: &Wished, item: &Item) -> Stands {
        let table = wished.table.as_str();
        let Some(own) = self.table(table) else {
            return Stands::Foreign;
        };
        let (old, new) = (
            self.course.old_kind(table, item),
            self.course.new_kind(table, item),
        );
        let is_own = table == wish.table && key_of(own, item) == wish.key;
        let is_main = new.or(old).is_some_and(|kind| {
            let is_part = kind.part_of(own, item).is_some_and(|(_, at)| at > 0);
            kind.role == Role::Main && !is_part
        });
        match (old, new) {
            (None, None) => Stands::Foreign,
            (_, _) if is_main && !is_own => Stands::Main,
            // No other program writes items under keys that the old version does not have: what does not say
            // that it is of the new version has what such an item has, or is none.
            (None, Some(_)) if !self.has_form(pair, wished, item) => Stands::Foreign,
            (_, _) => Stands::Beside,
        }
    }

    /// Whether an item says of which kind it is, as the new version writes it; where the table has no attribute for
    /// that, whether it has all that the new version writes always, and nothing that it never writes.
    fn has_form(&self, pair: usize, wished: &Wished, item: &Item) -> bool {
        let (Some(of), Some(written)) = (self.course.pairs.get(pair), wished.is.written()) else {
            return true;
        };
        let Some((_, table)) = of.tables() else {
            return true;
        };
        if let Some(name) = &table.type_attribute {
            return item.get(name).is_some();
        }
        let is_always = |name: &String| {
            let attribute = of.new.attribute(name);
            attribute.is_some_and(|one| !one.optional && !one.is_kept)
        };
        let known = managed(of.new, table);
        let mut names = written.iter().map(|(name, _)| name);
        let mut held = item.iter().map(|(name, _)| name);
        names.all(|name| !is_always(name) || item.get(name).is_some())
            && held.all(|name| known.contains(name) || written.get(name).is_some())
    }
}
