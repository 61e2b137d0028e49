//! The quick judgement of items that are as they should be, from their stored bytes: most items of
//! a table. It knows one answer. An item that it does not accept is decoded, and judged in full.

use super::assemble::Unit;
use super::claims::{Claims, Subject};
use super::form::{Declared, Form, Scope};
use super::judge::{Judged, is_own, judge};
use super::record::{RecordKind, stored_bytes};
use crate::kinds::{Kind, Role};
use crate::slots::{Slots, text};
use keyfold_codec::{RawItem, RawValue, item::encode_value};
use keyfold_lower::arguments::Values;
use keyfold_model::schema::{Attribute, Type};
use keyfold_model::value::{self, Attributes as _};
use keyfold_model::{Entity, Part};
use keyfold_types::{Value, ValueKind};

/// The bytes of most keys.
const KEY_BYTES: usize = 128;

/// Adds the judgement of an item that is good, and returns its kind; `None` for an item that is to
/// be judged in full, of which nothing is added.
pub(super) fn add_good<'s>(
    scope: Scope<'s>,
    item: &RawItem,
    judged: &mut Judged,
) -> Option<&'s Kind> {
    let kind = add(scope, item, judged)?;
    debug_assert!(is_judged_alike(scope, item, kind), "{:?}", item.to_item());
    Some(kind)
}

/// Whether the full judgement of an item is the same.
fn is_judged_alike(scope: Scope<'_>, item: &RawItem, kind: &Kind) -> bool {
    let whole = item.to_item();
    let found = scope.kinds.kind_of(&whole);
    let is_found = found.is_some_and(|one| (one.at, one.role) == (kind.at, kind.role));
    let unit = match kind.role {
        Role::Main => Unit::Entity(kind.at, vec![whole]),
        Role::Copy(at) => Unit::Copy(kind.at, at, whole),
        Role::Guard(at) => Unit::Guard(kind.at, at, whole),
    };
    let mut alone = Judged::default();
    let is_good = add(scope, item, &mut alone).is_some();
    let in_order = |judged: Judged| {
        let (findings, records) = judged.into_parts();
        let mut records: Vec<_> = records.records().collect();
        records.sort_unstable();
        (findings, records)
    };
    is_found && is_good && in_order(alone) == in_order(judge(scope, &unit))
}

fn add<'s>(scope: Scope<'s>, item: &RawItem, judged: &mut Judged) -> Option<&'s Kind> {
    let (kind, form) = scope.forms.form_of(item)?;
    let entity = scope.model.entities.get(kind.at)?;
    form.is_plain.then_some(())?;
    let stored = Slots::of(&form.names, item);
    let read_back = read_back(form, &stored)?;
    let one = Quick {
        scope,
        kind,
        entity,
        form,
        item,
        slots: stored.with(&read_back),
    };
    one.has_type().then_some(())?;
    match kind.role {
        Role::Main => one.main(judged)?,
        Role::Copy(_) | Role::Guard(_) => one.side_item(judged)?,
    }
    Some(kind)
}

/// The values of attributes that are not stored, from keys, with their positions. `None` where one
/// of them should be stored.
fn read_back(form: &Form<'_>, stored: &Slots<'_>) -> Option<Vec<(usize, Vec<u8>)>> {
    let mut all = Vec::new();
    let is_absent = |one: &&Declared<'_>| stored.at(one.at).is_none();
    for one in form.declared.iter().filter(is_absent) {
        let mut sources = one.sources.iter();
        let found = sources.find_map(|(column, parts)| {
            let held = stored.get(column)?.to_value();
            value::inverse(parts, &held)?.remove(&one.attribute.name)
        });
        if let Some(found) = found {
            one.may_be_in_key.then_some(())?;
            all.push((one.at, encode_value(&found)));
        }
    }
    Some(all)
}

/// An item that is judged.
struct Quick<'s> {
    scope: Scope<'s>,
    kind: &'s Kind,
    entity: &'s Entity,
    form: &'s Form<'s>,
    item: &'s RawItem,
    slots: Slots<'s>,
}

impl Quick<'_> {
    /// Whether the table's attribute of types has the name of the kind.
    fn has_type(&self) -> bool {
        let name = self.scope.kinds.table.type_attribute.as_ref();
        name.is_none_or(|name| self.slots.text(name) == Some(&self.kind.name))
    }

    /// Judges a copy or a guard; `None` where something is wrong.
    fn side_item(&self, judged: &mut Judged) -> Option<()> {
        let mut absent = self.form.absent.iter();
        if absent.any(|name| self.slots.has(name)) {
            return None;
        }
        let key = self.key();
        let get = |name: &str| self.slots.get(name).map(|held| held.bytes().into());
        self.subject()
            .add_stored(self.kind.role, &key, get, &mut judged.records);
        Some(())
    }

    /// Judges a main item; `None` where something is wrong.
    fn main(&self, judged: &mut Judged) -> Option<()> {
        let mut declared = self.form.declared.iter();
        let is_good = declared.all(|one| self.has(one))
            && self.has_key()
            && self.has_index_keys()
            && self.has_changes()
            && self.has_expiry();
        is_good.then_some(())?;
        let claims = self.claims();
        claims.unmade.is_empty().then_some(())?;
        let kinds = self.scope.kinds;
        let counted = kinds.counted(self.kind.at);
        if !counted.is_empty() {
            let mut key = Vec::with_capacity(KEY_BYTES);
            for column in kinds.table.columns() {
                let held = self.slots.get(&column.name);
                key.extend_from_slice(held.as_ref().map_or(&[], RawValue::bytes));
            }
            let source = (self.scope.model, counted);
            judged.shares.add(source, key, (&self.slots, &|_| false));
        }
        let kept = &self.form.kept;
        if claims.made.is_empty() && kept.is_empty() {
            return Some(());
        }
        let key = self.key();
        self.subject()
            .add_claimed(&key, &claims.made, &mut judged.records);
        if !kept.is_empty() {
            let kept = self.item.select(|name| kept.iter().any(|one| one == name));
            let kept = stored_bytes(&kept);
            let records = &mut judged.records;
            self.subject()
                .add(RecordKind::Parent, (&key, &kept), (0, 0), records);
        }
        Some(())
    }

    /// The copies and guards that the item must have.
    fn claims(&self) -> Claims {
        let claimed = &self.form.claimed;
        if claimed.is_empty() {
            return Claims::default();
        }
        let held = claimed.iter().filter_map(|name| {
            let held = self.slots.get(name)?;
            Some(((*name).to_owned(), held.to_value()))
        });
        let values: Values = held.collect();
        self.subject().claims(&values, &|_| false)
    }

    /// The key, as a stored item.
    fn key(&self) -> Vec<u8> {
        let table = self.scope.kinds.table;
        let is_of_key = |name: &str| table.columns().any(|column| column.name == name);
        stored_bytes(&self.item.select(is_of_key))
    }

    fn subject(&self) -> Subject<'_> {
        Subject {
            scope: self.scope,
            at: self.kind.at,
            entity: self.entity,
        }
    }

    /// Whether the item has a declared attribute as it should.
    fn has(&self, one: &Declared<'_>) -> bool {
        match self.slots.at(one.at) {
            None => one.attribute.optional || one.is_aggregate,
            Some(_) if one.is_aggregate => true,
            Some(held) => is_of_type(one.attribute, held),
        }
    }

    /// Whether the templates make the item's key of its attributes, in this table.
    fn has_key(&self) -> bool {
        let table = self.scope.kinds.table;
        let templates = self.entity.key.templates().zip(table.columns());
        let mut compared = templates.map(|(template, column)| {
            let held = self.slots.get(&column.name);
            held.is_some_and(|held| self.is_made(&template.parts, held))
        });
        compared.all(|fits| fits) && self.has_period()
    }

    /// Whether the item lies in the table of its period.
    fn has_period(&self) -> bool {
        let table = self.scope.kinds.table;
        let (Some(unit), Some(attribute)) = (table.period, &self.entity.period_attribute) else {
            return table.name == self.scope.name;
        };
        let time = self.slots.text(attribute);
        time.is_some_and(|time| table.physical_name(unit.of(time)) == self.scope.name)
    }

    /// Whether the item has the attributes of indexes that its attributes make, and no others.
    fn has_index_keys(&self) -> bool {
        self.form.index_columns.iter().all(|column| {
            let held = self.slots.get(column.name);
            match (column.maker(&self.slots), held) {
                (None, None) => true,
                (Some(parts), Some(held)) => self.is_made(parts, held),
                (Some(_), None) | (None, Some(_)) => false,
            }
        })
    }

    fn is_made(&self, parts: &[Part], held: RawValue<'_>) -> bool {
        match text(held) {
            Some(text) => value::is_text_made(parts, &self.slots, text),
            None => value::is_made(parts, &self.slots, &held.to_value()),
        }
    }

    /// Whether what counts changes is a number.
    fn has_changes(&self) -> bool {
        let mut held = self
            .form
            .changes
            .iter()
            .filter_map(|name| self.slots.get(name));
        held.all(|held| held.kind() == ValueKind::N)
    }

    /// Whether the item expires when it should.
    fn has_expiry(&self) -> bool {
        let Some(name) = &self.scope.kinds.table.ttl_attribute else {
            return true;
        };
        let from = self.entity.ttl.as_deref();
        if from.is_none() && is_own(self.scope.kinds.table, self.entity, name) {
            return true;
        }
        let at = from.and_then(|from| self.slots.value(from));
        let at = at.and_then(|held| value::epoch_seconds(&held));
        self.slots.value(name).as_deref() == at.map(Value::from).as_ref()
    }
}

/// Whether a value is of the type of an attribute.
fn is_of_type(attribute: &Attribute, held: RawValue<'_>) -> bool {
    let is_quick = match (&attribute.kind, held.kind()) {
        (Type::String, ValueKind::S) | (Type::Number, ValueKind::N) => true,
        (kind, ValueKind::S) => kind.is_text() && value::is_stored_form(kind, held.as_str()),
        (_, _) => false,
    };
    is_quick || value::check(&attribute.name, &attribute.kind, &held.to_value()).is_ok()
}

#[cfg(test)]
mod tests {
    use super::super::form::Forms;
    use super::*;
    use keyfold_lower::derive;
    use keyfold_model::Model;
    use keyfold_types::Item;

    const MODEL: &str = "\
model m 1
table Tab (PK, SK) type kind ttl gone
  gsi One (GSI1PK, GSI1SK)
  gsi Two (GSI2PK)

entity User
  userId: string, email: string, name: string, state: new | old, balance: number
  key    \"USER#{userId}\" \"PROFILE\"
  One    \"MAIL#{email:lower}\" \"{balance:08.2:signed}\"
  Two    \"OLD#{userId}\" sparse when state = old
  copy   card \"CARD#{userId}\" \"CARD\" only userId, name
  unique lower(email)
  count  notes of Note
  sum    total of Note.size

entity Note
  userId: User.userId, at: time, size: int, tags: set of string?
  key    \"USER#{userId}\" \"NOTE#{at}\"
  unstored userId, at

entity Login
  token: string, until: date
  key    \"LOGIN#{token:hash}\" \"LOGIN\"
  ttl    until

entity Place
  placeId: uuid, rank: int
  id     placeId
  key    \"PLACES\" \"{rank:04}#{placeId}\"
";

    fn items(model: &Model) -> Vec<Item> {
        let text = |text: &str| Value::from(text);
        let uuid = "8c5c2f0e-92a5-4b3d-8a0e-0123456789ab";
        let at = "2024-01-05T10:00:00.000Z";
        let all: [(&str, Vec<(&str, Value)>); 4] = [
            (
                "User",
                vec![
                    ("userId", text("u1")),
                    ("email", text("A#b@x.org")),
                    ("name", text("Ada")),
                    ("state", text("old")),
                    ("balance", Value::N("-12.5".parse().unwrap())),
                    ("notes", Value::from(1)),
                    ("total", Value::from(5)),
                ],
            ),
            (
                "Note",
                vec![
                    ("userId", text("u1")),
                    ("at", text(at)),
                    ("size", Value::from(5)),
                ],
            ),
            (
                "Login",
                vec![("token", text("secret")), ("until", text("2030-01-01"))],
            ),
            (
                "Place",
                vec![("placeId", text(uuid)), ("rank", Value::from(7))],
            ),
        ];
        let derived = all.into_iter().flat_map(|(name, values)| {
            let named = values
                .into_iter()
                .map(|(name, held)| (name.to_owned(), held));
            let entity = model.entity(name).unwrap();
            derive::derive(model, entity, &named.collect()).unwrap()
        });
        derived.map(|one| one.item).collect()
    }

    /// Whether it is accepted. What is accepted is judged in full, too, and alike.
    fn is_accepted(model: &Model, item: &Item) -> bool {
        let forms = Forms::of(model, 0, &model.tables[0]);
        let scope = Scope::new(model, &forms, "Tab");
        add_good(scope, &RawItem::encode(item), &mut Judged::default()).is_some()
    }

    #[test]
    fn good_items_are_accepted_and_changed_ones_only_where_they_are_good() {
        let compiled = keyfold_model::compile(MODEL);
        let shown = |one: &keyfold_model::Diagnostic| one.message.clone();
        let found: Vec<String> = compiled.diagnostics.iter().map(shown).collect();
        let model = compiled.model.unwrap_or_else(|| panic!("{found:?}"));
        let others = [
            Value::from("x"),
            Value::from(""),
            Value::from(7),
            Value::Null,
        ];
        let names = [
            "GSI1PK", "GSI1SK", "GSI2PK", "gone", "kind", "until", "userId",
        ];
        let (mut accepted, mut refused) = (0, 0);
        for item in items(&model) {
            assert!(is_accepted(&model, &item), "{item:?}");
            let held = item.iter().map(|(name, _)| name.as_str());
            for name in held.chain(names) {
                let without: Item = item
                    .clone()
                    .into_iter()
                    .filter(|(one, _)| one != name)
                    .collect();
                let changed = others.iter().map(|other| {
                    let mut changed = item.clone();
                    changed.insert(name, other.clone());
                    changed
                });
                for changed in changed.chain([without]) {
                    let is_accepted = is_accepted(&model, &changed);
                    *if is_accepted {
                        &mut accepted
                    } else {
                        &mut refused
                    } += 1;
                }
            }
        }
        assert!(accepted > 10 && refused > 10, "{accepted} {refused}");
    }
}
