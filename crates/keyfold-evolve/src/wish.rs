//! What must be stored of one entity under the new model, beside what is stored: the whole mechanism of a
//! run, without a request.
//!
//! From the items of an entity follow its attributes ([`crate::decode`]), and from these the items that the
//! new model stores: the main item with its index keys, the parts of its list, copies and guards. What
//! stands elsewhere is deleted in the same transaction. The difference between both is the writes; where
//! there is none, nothing is written.

use crate::decode::{Decoded, Fault, Moment, decode};
use crate::problem::{Problem, ProblemKind};
use crate::shares::{Hidden, Shares};
use keyfold_lower::ClientError;
use keyfold_lower::derive::{Derived, Role, derive};
use keyfold_lower::stored::{digest_attribute, is_as_written, parts_attribute};
use keyfold_model::evolution::Pair;
use keyfold_model::{Entity, Table};
use keyfold_types::{Item, Value};
use std::collections::{BTreeMap, BTreeSet};

/// An item that is to be there, or not.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Wished {
    pub(crate) table: String,
    pub(crate) key: Item,
    pub(crate) is: Is,
}

/// How an item is to be.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Is {
    /// As this one, whatever stands there of the same entity.
    Beside(Item),
    /// As this one, where nothing stands yet: the main item under its new key.
    Put(Item),
    /// As this one: the guard of a value that may be another item's.
    Guard(Item),
    /// Absent, if it is as the old version wrote it.
    Former(Item),
    /// Absent: it was read as a part of the entity.
    Part(Item),
}

impl Is {
    /// The item that is written, if it is one.
    pub(crate) fn written(&self) -> Option<&Item> {
        match self {
            Is::Beside(item) | Is::Put(item) | Is::Guard(item) => Some(item),
            Is::Former(_) | Is::Part(_) => None,
        }
    }

    fn is_written(&self) -> bool {
        self.written().is_some()
    }
}

/// What is wanted of one entity.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Wish {
    pub(crate) table: String,
    pub(crate) key: Item,
    /// The main item as it was read.
    pub(crate) main: Item,
    /// What becomes of it; `None` where it moves.
    pub(crate) target: Option<Item>,
    /// The names of attributes that must still be absent.
    pub(crate) absent: Vec<String>,
    /// The other items.
    pub(crate) others: Vec<Wished>,
    /// The keys that no other item may claim: that of a main item that moves, and those of guards.
    pub(crate) claims: Vec<(String, Item, ProblemKind)>,
}

/// Whether items of the old version beside an item that stays are deleted, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Beside {
    Stays,
    Goes,
}

/// What is known beside the items of an entity.
#[derive(Clone, Copy)]
pub(crate) struct Aim<'a> {
    pub(crate) moment: Moment,
    pub(crate) beside: Beside,
    /// What its computed aggregates are, with the number of its pair.
    pub(crate) shares: Option<(&'a Shares<'a>, usize)>,
}

/// What is wanted of an entity, of which the main item comes first and then the parts of its list.
pub(crate) fn wish(
    pair: &Pair<'_>,
    (table, items): (&str, &[Item]),
    aim: Aim<'_>,
) -> Result<Wish, Problem> {
    let (Some(main), Some((old_table, new_table))) = (items.first(), pair.tables()) else {
        let why = "it has no table";
        return Err(problem(ProblemKind::Unreadable, table, Item::new(), why));
    };
    let is_new = table_is(new_table, table);
    let stored_in = if is_new { new_table } else { old_table };
    let key = key_of(stored_in, main);
    let both = derived(pair, (table, &key), items, aim);
    let Both {
        own,
        wanted,
        former,
        hidden,
    } = both.map_err(|(kind, message)| problem(kind, table, key.clone(), message))?;
    let is_in_place = own.table == table && own.key == key;
    let goes = match (is_in_place, aim.beside) {
        (true, Beside::Stays) => Vec::new(),
        (true, Beside::Goes) | (false, _) => former,
    };
    let mut target = target(pair, (stored_in, main), &own, is_in_place);
    for (name, held) in hidden {
        match held {
            Some(held) => drop(target.insert(name.as_str(), held)),
            None => drop(target.remove(&name)),
        }
    }
    let parts = items.get(1..).unwrap_or_default();
    let mut others = others((stored_in, table), parts, &wanted, goes);
    let mut claims = claims(&wanted);
    if !is_in_place {
        claims.push((own.table.clone(), own.key.clone(), ProblemKind::KeyTaken));
        // What is written to the place of another one's former item is written, not deleted.
        others.retain(|one| (&one.table, &one.key) != (&own.table, &own.key));
        let put = Wished {
            table: own.table,
            key: own.key,
            is: Is::Put(target.clone()),
        };
        others.insert(0, put);
    }
    let absent = relevant(pair).into_iter();
    Ok(Wish {
        table: table.to_owned(),
        key,
        absent: absent.filter(|name| main.get(name).is_none()).collect(),
        main: main.clone(),
        target: is_in_place.then_some(target),
        others,
        claims,
    })
}

/// What both versions store of an entity.
struct Both {
    /// The main item of the new version.
    own: Derived,
    /// What the new version stores beside it.
    wanted: Vec<Derived>,
    /// What the old version stores beside it.
    former: Vec<Derived>,
    /// What the main item has beside its aggregates, under names that no model declares.
    hidden: Hidden,
}

/// Derives what both versions store of the entity that was read at a key.
fn derived(
    pair: &Pair<'_>,
    (table, key): (&str, &Item),
    items: &[Item],
    aim: Aim<'_>,
) -> Result<Both, Fault> {
    let unreadable = |why: String| (ProblemKind::Unreadable, why);
    let Decoded { mut values, former } = decode(pair, items, aim.moment)?;
    if !items
        .first()
        .is_some_and(|main| is_whole(pair, main, (&values, &former)))
    {
        let why = "the parts of its list do not belong together";
        return Err(unreadable(why.to_owned()));
    }
    let hidden = match aim.shares {
        Some((shares, at)) => shares.set(at, pair, &mut values)?,
        None => Hidden::new(),
    };
    let wanted = derive(pair.new_model, pair.new, &values);
    let mut wanted = wanted
        .map_err(|error| (ProblemKind::Value, error.to_string()))?
        .into_iter();
    let Some(own) = wanted.next() else {
        return Err((ProblemKind::Value, "it has no key".to_owned()));
    };
    let is_in_place = own.table == table && own.key == *key;
    let former = match derive(pair.old_model, pair.old, &former) {
        Ok(all) => all,
        Err(_) if is_in_place => Vec::new(),
        Err(error) => return Err(unreadable(error.to_string())),
    };
    let mut mains = former.iter().take(1);
    if !is_in_place && !mains.any(|one| one.table == table && one.key == *key) {
        let why = "its key is not what its attributes make";
        return Err(unreadable(why.to_owned()));
    }
    Ok(Both {
        own,
        wanted: wanted.collect(),
        former: former.into_iter().skip(1).collect(),
        hidden,
    })
}

fn problem(kind: ProblemKind, table: &str, key: Item, message: impl Into<String>) -> Problem {
    Problem {
        kind,
        table: table.to_owned(),
        key,
        message: message.into(),
    }
}

fn table_is(table: &Table, name: &str) -> bool {
    match table.period {
        None => table.name == name,
        Some(_) => table.period_of(name).is_some(),
    }
}

/// The key of an item.
pub(crate) fn key_of(table: &Table, item: &Item) -> Item {
    let columns = table.columns();
    let held = columns.filter_map(|one| Some((one.name.as_str(), item.get(&one.name)?.clone())));
    held.collect()
}

/// Whether the parts of a split list are those of its main item, in the form of either version.
fn is_whole(
    pair: &Pair<'_>,
    main: &Item,
    (values, former): (
        &keyfold_lower::arguments::Values,
        &keyfold_lower::arguments::Values,
    ),
) -> bool {
    let has = |entity: &Entity| {
        let split = entity.split.as_ref();
        split.is_none_or(|(name, _)| main.get(&digest_attribute(name)).is_some())
    };
    match (has(pair.new), has(pair.old)) {
        (true, _) if is_as_written(pair.new, main, values) => true,
        (_, true) => is_as_written(pair.old, main, former),
        // It has no list.
        (_, false) => true,
    }
}

/// The attributes that the new model decides: where it makes none of them, the item has none.
pub(crate) fn managed(entity: &Entity, table: &Table) -> BTreeSet<String> {
    let own = entity.attributes.iter().map(|one| one.name.clone());
    let indexes = table.indexes.iter().flat_map(|index| index.columns());
    let columns = table.columns().chain(indexes).map(|one| one.name.clone());
    let split = entity.split.iter();
    let hidden = split.flat_map(|(name, _)| [parts_attribute(name), digest_attribute(name)]);
    let of_table = table
        .ttl_attribute
        .iter()
        .chain(&table.type_attribute)
        .cloned();
    own.chain(columns).chain(hidden).chain(of_table).collect()
}

/// The attributes of which an item is made, in either version.
fn relevant(pair: &Pair<'_>) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    if let Some((old, new)) = pair.tables() {
        all.extend(managed(pair.new, new));
        all.extend(managed(pair.old, old));
    }
    all
}

/// The main item as it is to be: what the new model makes, with what neither model names.
fn target(
    pair: &Pair<'_>,
    (table, main): (&Table, &Item),
    own: &Derived,
    is_in_place: bool,
) -> Item {
    let mut item = main.clone();
    let (old_table, new_table) = pair.tables().unwrap_or((table, table));
    for name in managed(pair.new, new_table) {
        item.remove(&name);
    }
    // What the new version calls otherwise, or keeps in another way.
    for one in &pair.old.attributes {
        if pair.new_of(one).is_some_and(|two| two.name != one.name) {
            item.remove(&one.name);
        }
    }
    let split = pair.old.split.iter();
    for name in split.flat_map(|(name, _)| [parts_attribute(name), digest_attribute(name)]) {
        item.remove(&name);
    }
    let is_declared = |name: &String| pair.old.attribute(name).is_some();
    for name in old_table
        .ttl_attribute
        .iter()
        .filter(|name| !is_declared(name))
    {
        item.remove(name);
    }
    if !is_in_place {
        let indexes = old_table.indexes.iter().flat_map(|index| index.columns());
        let columns = old_table.columns().chain(indexes);
        for column in columns.filter(|one| !is_declared(&one.name)) {
            item.remove(&column.name);
        }
    }
    for (name, value) in &own.item {
        item.insert(name.as_str(), value.clone());
    }
    item
}

/// The items beside the main one: those that are wanted, and those that go.
fn others(
    (table, name): (&Table, &str),
    parts: &[Item],
    wanted: &[Derived],
    goes: Vec<Derived>,
) -> Vec<Wished> {
    let mut all: Vec<Wished> = Vec::new();
    for one in wanted {
        let is = match &one.role {
            Role::Guard(_) | Role::IdGuard => Is::Guard(one.item.clone()),
            Role::Main | Role::Part(_) | Role::Copy(_) => Is::Beside(one.item.clone()),
        };
        all.push(Wished {
            table: one.table.clone(),
            key: one.key.clone(),
            is,
        });
    }
    let mut add = |table: &str, key: &Item, is: Is| {
        let is_known = all.iter().any(|one| one.table == table && one.key == *key);
        if !is_known {
            all.push(Wished {
                table: table.to_owned(),
                key: key.clone(),
                is,
            });
        }
    };
    for part in parts {
        add(name, &key_of(table, part), Is::Part(part.clone()));
    }
    for one in goes {
        if !matches!(one.role, Role::Part(_) | Role::Main) {
            add(&one.table, &one.key, Is::Former(one.item));
        }
    }
    all
}

fn claims(wanted: &[Derived]) -> Vec<(String, Item, ProblemKind)> {
    let guards = wanted
        .iter()
        .filter(|one| matches!(one.role, Role::Guard(_) | Role::IdGuard));
    guards
        .map(|one| (one.table.clone(), one.key.clone(), ProblemKind::NotUnique))
        .collect()
}

/// The items that were read, by table and key; absent ones are not among them.
pub(crate) type Found = BTreeMap<(String, Vec<u8>), Item>;

/// A key as the place in [`Found`].
pub(crate) fn place(table: &str, key: &Item) -> (String, Vec<u8>) {
    let bytes = keyfold_codec::RawItem::encode(key).bytes().to_vec();
    (table.to_owned(), bytes)
}

/// A write, under the condition that the item is as it was read.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Action {
    pub(crate) table: String,
    pub(crate) key: Item,
    /// The item as it was read; `None` where there was none.
    pub(crate) before: Option<Item>,
    /// Names of attributes that must still be absent.
    pub(crate) absent: Vec<String>,
    pub(crate) does: Does,
}

/// What an action does.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Does {
    Check,
    Put(Item),
    /// Sets and removes what differs: attributes that others add meanwhile stay.
    Update(Item),
    Delete,
}

/// The most actions of a transaction, one of which may be a check of who has the evolution, and the most
/// bytes of its items.
const ACTIONS_MAX: usize = 99;
const BYTES_MAX: u64 = 3_500_000;
const ITEM_BYTES_MAX: u64 = 400 * 1024;
/// The most attributes of a condition: an expression has 300 operators.
const NAMES_MAX: usize = 140;

/// What stands where an item is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stands {
    /// What one of the models writes beside an entity: it may be replaced.
    Beside,
    /// The main item of another entity.
    Main,
    /// An item of neither model.
    Foreign,
}

impl Wish {
    /// The writes that make it so; none where it is. `stands` says what an item is that is found where another
    /// one is wanted.
    ///
    /// # Errors
    /// A problem where another item is in the way, or where no transaction takes them.
    pub(crate) fn actions(
        &self,
        found: &Found,
        stands: &dyn Fn(&Wished, &Item) -> Stands,
    ) -> Result<Vec<Action>, Problem> {
        let mut all = Vec::new();
        for one in &self.others {
            let stored = found.get(&place(&one.table, &one.key));
            match stored.map(|stored| stands(one, stored)) {
                Some(Stands::Main) => return Err(self.taken(&one.key)),
                Some(Stands::Foreign) if one.is.is_written() => return Err(self.foreign(one)),
                // What is to go there is gone.
                Some(Stands::Foreign) => continue,
                Some(Stands::Beside) | None => {}
            }
            all.extend(self.action(one, stored));
        }
        let main = match &self.target {
            None => Some(Does::Delete),
            Some(target) if *target != self.main => Some(Does::Update(target.clone())),
            Some(_) if all.is_empty() => None,
            Some(_) => Some(Does::Check),
        };
        let Some(does) = main else {
            return Ok(all);
        };
        all.insert(
            0,
            Action {
                table: self.table.clone(),
                key: self.key.clone(),
                before: Some(self.main.clone()),
                absent: self.absent.clone(),
                does,
            },
        );
        self.check_size(&all)?;
        Ok(all)
    }

    fn fault(&self, kind: ProblemKind, message: impl Into<String>) -> Problem {
        problem(kind, &self.table, self.key.clone(), message)
    }

    fn taken(&self, key: &Item) -> Problem {
        let why = format!("another item has the key {} of it", shown(key));
        self.fault(ProblemKind::KeyTaken, why)
    }

    fn foreign(&self, one: &Wished) -> Problem {
        let what = match one.is {
            Is::Put(_) => "its new key",
            Is::Guard(_) => "the key of its guard",
            Is::Beside(_) | Is::Former(_) | Is::Part(_) => "the key of an item beside it",
        };
        let why = format!(
            "{what} is {}, where an item of neither model is: it would be replaced; move that item or delete it, or \
             choose another key in the new model",
            shown(&one.key)
        );
        self.fault(ProblemKind::KeyTaken, why)
    }

    fn action(&self, one: &Wished, stored: Option<&Item>) -> Option<Action> {
        let does = match (&one.is, stored) {
            (Is::Put(item) | Is::Guard(item) | Is::Beside(item), None) => Does::Put(item.clone()),
            (Is::Put(item) | Is::Guard(item) | Is::Beside(item), Some(stored)) => {
                let mut held = item.iter();
                let is_there = held.all(|(name, value)| stored.get(name) == Some(value));
                match is_there && stored.len() == item.len() {
                    true => return None,
                    false => Does::Put(item.clone()),
                }
            }
            (Is::Former(item), Some(stored)) => {
                let mut held = item.iter();
                match held.all(|(name, value)| stored.get(name) == Some(value)) {
                    true => Does::Delete,
                    // It is another one's by now.
                    false => return None,
                }
            }
            (Is::Part(_), Some(_)) => Does::Delete,
            (Is::Former(_) | Is::Part(_), None) => return None,
        };
        Some(Action {
            table: one.table.clone(),
            key: one.key.clone(),
            before: stored.cloned(),
            absent: Vec::new(),
            does,
        })
    }

    fn check_size(&self, all: &[Action]) -> Result<(), Problem> {
        let too_large = |what: String| Err(self.fault(ProblemKind::TooLarge, what));
        if all.len() > ACTIONS_MAX {
            let count = all.len();
            return too_large(format!(
                "it needs {count} writes in one transaction, which has at most {ACTIONS_MAX}"
            ));
        }
        let mut bytes = 0;
        for one in all {
            let put = match &one.does {
                Does::Put(item) | Does::Update(item) => item.size_bytes(),
                Does::Check | Does::Delete => 0,
            };
            if put > ITEM_BYTES_MAX {
                return too_large(format!(
                    "it has {put} bytes in its new form, and an item has at most {ITEM_BYTES_MAX}"
                ));
            }
            bytes += put + one.before.as_ref().map_or(0, Item::size_bytes);
            let names = one.before.as_ref().map_or(0, Item::len) + one.absent.len();
            if names > NAMES_MAX {
                return too_large(format!(
                    "it has {names} attributes, of which one condition takes at most {NAMES_MAX}"
                ));
            }
        }
        match bytes > BYTES_MAX {
            true => too_large(format!(
                "its writes have {bytes} bytes, and a transaction takes at most {BYTES_MAX}"
            )),
            false => Ok(()),
        }
    }
}

/// A key in words.
pub(crate) fn shown(key: &Item) -> String {
    let one = |(name, value): (&String, &Value)| {
        format!("{name} = {}", keyfold_model::value::shown(value))
    };
    key.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// The keys of the parts of a list behind its main item, as the version that wrote them counts them.
pub(crate) fn part_keys(pair: &Pair<'_>, main: &Item) -> Result<Vec<Item>, ClientError> {
    let mut keys = Vec::new();
    let Some((old_table, new_table)) = pair.tables() else {
        return Ok(keys);
    };
    for (table, entity) in [(old_table, pair.old), (new_table, pair.new)] {
        let (Some((name, _)), Some(sort)) = (&entity.split, &table.sort) else {
            continue;
        };
        let count = match main.get(&parts_attribute(name)) {
            Some(Value::N(number)) => number.to_i64().unwrap_or(0),
            _ => 0,
        };
        let Some(Value::S(text)) = main.get(&sort.name) else {
            continue;
        };
        let digits = keyfold_model::template::CHUNK_DIGITS;
        let Some(start) = text.len().checked_sub(digits).and_then(|at| text.get(..at)) else {
            continue;
        };
        for at in 1..count {
            let mut key = key_of(table, main);
            key.insert(sort.name.as_str(), format!("{start}{at:0digits$}"));
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
    }
    Ok(keys)
}

#[cfg(test)]
mod tests {
    use super::*;
    use keyfold_model::Model;
    use keyfold_model::evolution::pairs;

    const OLD: &str = r#"
model shop 1
table Shop (PK, SK)
entity User
  userId: string, name: string, town: string
  key "USER#{userId}" "PROFILE"
pattern user(userId) -> User?
"#;

    fn model(text: &str) -> Model {
        keyfold_model::compile(text).model.expect("no errors")
    }

    fn user(more: &[(&str, &str)]) -> Item {
        let own = [
            ("PK", "USER#1"),
            ("SK", "PROFILE"),
            ("userId", "1"),
            ("town", "Ulm"),
        ];
        own.iter().chain(more).copied().collect()
    }

    /// The writes of a user of the old model, where nothing stands beside it.
    fn actions(new: &str, item: Item) -> Result<Vec<Action>, Problem> {
        let (old, new) = (model(OLD), model(new));
        let all = pairs(&old, &new);
        let moment = Moment {
            now_epoch_ms: 0,
            random: 0,
        };
        let aim = Aim {
            moment,
            beside: Beside::Stays,
            shares: None,
        };
        let wish = wish(&all[0], ("Shop", &[item]), aim)?;
        wish.actions(&Found::new(), &|_, _| Stands::Beside)
    }

    #[test]
    fn an_entity_in_the_right_form_costs_no_write() {
        assert_eq!(actions(OLD, user(&[("name", "Ada")])), Ok(Vec::new()));
    }

    #[test]
    fn a_new_name_is_written_and_the_former_one_removed() {
        let new = OLD.replace("name: string", "fullName: string was name");
        let done = actions(&new, user(&[("name", "Ada"), ("more", "x")])).unwrap();
        let [one] = done.as_slice() else {
            panic!("{done:?}");
        };
        let target = user(&[("fullName", "Ada"), ("more", "x")]);
        assert_eq!(
            one.does,
            Does::Update(target.clone()),
            "what no model names stays"
        );
        assert_eq!(actions(&new, target), Ok(Vec::new()));
    }

    #[test]
    fn what_an_earlier_version_left_under_the_new_name_gives_way() {
        let new = OLD.replace("name: string", "nick: string was name");
        let left = user(&[("name", "Ada"), ("nick", "stale")]);
        let done = actions(&new, left).unwrap();
        let does: Vec<&Does> = done.iter().map(|one| &one.does).collect();
        assert_eq!(does, [&Does::Update(user(&[("nick", "Ada")]))]);
        // Under its former name stands the kind of the items in their new form.
        let kind = OLD.replace("(PK, SK)", "(PK, SK) type name");
        let new = kind.replace("name: string", "nick: string was name");
        let target = user(&[("name", "User"), ("nick", "Ada")]);
        assert_eq!(actions(&new, target), Ok(Vec::new()));
    }

    #[test]
    fn an_item_moves_with_what_is_beside_it() {
        let new = OLD.replace(
            "\"USER#{userId}\" \"PROFILE\"",
            "\"U#{userId}\" \"PROFILE\"\n  unique name",
        );
        let done = actions(&new, user(&[("name", "Ada")])).unwrap();
        let does: Vec<&Does> = done.iter().map(|one| &one.does).collect();
        assert!(
            matches!(does.as_slice(), [Does::Delete, Does::Put(_), Does::Put(_)]),
            "{does:?}"
        );
        let is_read = |one: &Action| one.before.is_some() == (one.does == Does::Delete);
        assert!(done.iter().all(is_read));
    }

    #[test]
    fn what_has_no_value_of_the_new_type_is_named() {
        let new = OLD.replace("name: string", "name: Ada | Bob");
        assert_eq!(actions(&new, user(&[("name", "Ada")])), Ok(Vec::new()));
        let problem = actions(&new, user(&[("name", "Eve")])).unwrap_err();
        assert_eq!(problem.kind, ProblemKind::Value);
    }
}
