//! An upsert as one request: what becomes of each stored attribute, whether the item exists or not.
//!
//! An update of DynamoDB that finds no item makes one, and `if_not_exists` gives an attribute its
//! first value. That is exact for attributes that every stored item has, and for changes whose
//! outcome does not rest on other attributes of the stored item.

use crate::schema::{Action, Assignment, Entity, IndexKey, Model, Operand, Table, Verb};
use crate::template::KeyTemplate;
use crate::value::gives_back;
use std::collections::BTreeMap;

/// What an upsert does to a stored attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Upserted {
    /// A stored item and a new one get the same value, or lack it.
    Same,
    /// Only a new item gets it. Every stored item has it.
    First,
    /// A number is added to what is stored, or subtracted; a new item gets another value.
    Moved,
    /// An element is added to a list or set, or taken from a set; a missing one counts as empty.
    Added,
}

/// By stored attribute, index keys and the time of expiry included: what an upsert does to it. Other
/// attributes are not touched.
pub type UpsertPlan = BTreeMap<String, Upserted>;

impl Model {
    /// The plan of an upsert as one update; `None` when the stored item must be read first.
    pub fn upsert_plan(&self, action: &Action) -> Option<UpsertPlan> {
        let entity = self.entities.get(action.entity)?;
        let table = self.tables.get(entity.table)?;
        let is_direct = action.verb == Verb::Upsert
            && self.is_alone(entity)
            && super::action::engine_judges(entity, action);
        if !is_direct {
            return None;
        }
        let upsert = Upsert {
            table,
            entity,
            action,
        };
        let mut plan = upsert.attributes()?;
        let own = plan.clone();
        for key in &entity.indexes {
            upsert.add_index_key(key, &own, &mut plan)?;
        }
        if let (Some(column), Some(ttl)) = (&table.ttl_attribute, &entity.ttl)
            && let Some(fate) = own.get(ttl)
        {
            add(&mut plan, column, *fate)?;
        }
        if let Some(column) = &table.type_attribute {
            add(&mut plan, column, Upserted::First)?;
        }
        Some(plan)
    }
}

/// The first assignment to each attribute.
fn first_of_each(all: &[Assignment]) -> BTreeMap<&str, &Assignment> {
    let last_first = all.iter().rev();
    last_first.map(|one| (&*one.attribute, one)).collect()
}

/// Adds a stored attribute; `None` where two keys need different changes of it.
fn add(plan: &mut UpsertPlan, name: &str, fate: Upserted) -> Option<()> {
    let known = plan.insert(name.to_owned(), fate);
    known.is_none_or(|known| known == fate).then_some(())
}

struct Upsert<'u> {
    table: &'u Table,
    entity: &'u Entity,
    action: &'u Action,
}

impl Upsert<'_> {
    /// The changes of the entity's own attributes.
    fn attributes(&self) -> Option<UpsertPlan> {
        let mut plan = UpsertPlan::new();
        let own = self.entity.attributes.iter().filter(|one| !one.is_kept);
        let set = first_of_each(&self.action.assignments);
        let otherwise = first_of_each(&self.action.otherwise);
        for attribute in own {
            let name = &attribute.name;
            let assigned = set.get(name.as_str()).copied();
            let other = otherwise.get(name.as_str()).copied();
            let is_new = other.is_some() || attribute.default.is_some() || !attribute.optional;
            let fate = match assigned {
                Some(one) => self.assigned(one, other, attribute.optional)?,
                None if !is_new => continue,
                // A stored item may lack it, and keeps lacking it.
                None if attribute.optional => return None,
                None => Upserted::First,
            };
            plan.insert(name.clone(), fate);
        }
        Some(plan)
    }

    /// The change that an assignment is; `None` where no expression has its outcome.
    fn assigned(
        &self,
        one: &Assignment,
        other: Option<&Assignment>,
        may_lack: bool,
    ) -> Option<Upserted> {
        let is_given = |operand: &Operand| !matches!(operand, Operand::Attribute(_));
        let is_itself = one.left.is_path(&one.path());
        if !one.fields.is_empty() {
            return None;
        }
        let right = match &one.right {
            Some((_, right)) => right,
            None if !is_given(&one.left) => return None,
            None => {
                return other
                    .is_none_or(|other| other == one)
                    .then_some(Upserted::Same);
            }
        };
        if one.operands().all(is_given) {
            return other
                .is_none_or(|other| other == one)
                .then_some(Upserted::Same);
        }
        if !is_itself || !is_given(right) || !self.entity.stores_plainly(&one.attribute) {
            return None;
        }
        match other {
            None => Some(Upserted::Added),
            Some(Assignment { right: None, .. }) if !may_lack && self.is_number(&one.attribute) => {
                Some(Upserted::Moved)
            }
            Some(_) => None,
        }
    }

    fn is_number(&self, name: &str) -> bool {
        let found = self.entity.attribute(name);
        found.is_some_and(|found| found.kind.is_number())
    }

    /// Whether the key of the item gives the stored value of an attribute back.
    fn is_in_key(&self, name: &str) -> bool {
        let key = &self.entity.key;
        key.templates()
            .flat_map(KeyTemplate::columns)
            .any(|parts| gives_back(parts, name))
    }

    /// Adds the attributes of an index key; `None` where they rest on what is stored.
    fn add_index_key(&self, key: &IndexKey, own: &UpsertPlan, plan: &mut UpsertPlan) -> Option<()> {
        let index = self.table.indexes.get(key.index)?;
        let is_made = |name: &str| {
            self.entity.attribute(name).is_none()
                && self.table.columns().all(|column| column.name != name)
        };
        let columns: Vec<&str> = index
            .columns()
            .map(|column| column.name.as_str())
            .filter(|name| is_made(name))
            .collect();
        if columns.is_empty() {
            return Some(());
        }
        let fate = match self.sources(key, own) {
            Sources::Untouched => return Some(()),
            Sources::Alike(fate) => fate,
            Sources::Mixed => return None,
        };
        columns
            .iter()
            .try_for_each(|column| add(plan, column, fate))
    }

    /// What becomes of the attributes that an index key is made of. None of them is kept by the model:
    /// an item with such a key is not alone.
    fn sources(&self, key: &IndexKey, own: &UpsertPlan) -> Sources {
        let fixed = key.sparse.as_ref().filter(|sparse| sparse.value.is_some());
        let fields = key
            .key
            .fields()
            .chain(key.sparse.iter().map(|one| one.attribute.as_str()));
        let (mut same, mut first, mut missing, mut other) = (false, false, false, false);
        for field in fields {
            match own.get(field) {
                _ if self.is_in_key(field) => {}
                Some(Upserted::Same) => same = true,
                Some(Upserted::First) => first = true,
                Some(Upserted::Moved | Upserted::Added) => other = true,
                None => missing = true,
            }
        }
        // Whether a stored item has the value that puts it into the index is not known.
        let is_unsure = fixed
            .is_some_and(|sparse| own.get(&sparse.attribute) == Some(&Upserted::First))
            && first;
        match (same, first, missing) {
            _ if other || is_unsure => Sources::Mixed,
            (true, false, false) => Sources::Alike(Upserted::Same),
            (false, _, false) => Sources::Alike(Upserted::First),
            // A new item is not in the index, and a stored one stays where it is.
            (false, _, true) => Sources::Untouched,
            (true, true, _) | (true, _, true) => Sources::Mixed,
        }
    }
}

/// What becomes of the attributes that an index key is made of.
enum Sources {
    /// A new item has no such key, and a stored one keeps its own.
    Untouched,
    /// The key follows them in the same way.
    Alike(Upserted),
    /// The key rests on what is stored.
    Mixed,
}
