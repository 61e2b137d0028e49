//! What an item says about copies and guards: that it is one, or which ones it must have.

use super::causes::{Unmade, cause_of};
use super::finding::{FindingKind, ModelLine};
use super::form::Scope;
use super::pack::Pack;
use super::record::{ANY_DIGEST, Head, RecordKind, Relation, digest, group, key_bytes, slot};
use crate::kinds::Role;
use keyfold_lower::arguments::Values;
use keyfold_lower::derive;
use keyfold_model::Entity;
use keyfold_model::schema::{Condition, Copy, held_in_guard};
use keyfold_types::Item;
use std::borrow::Cow;

/// The entity that an item is of.
#[derive(Clone, Copy)]
pub(super) struct Subject<'s> {
    pub(super) scope: Scope<'s>,
    /// Its position in the model.
    pub(super) at: usize,
    pub(super) entity: &'s Entity,
}

/// What an item must have beside itself.
#[derive(Default)]
pub(super) struct Claims {
    /// The copies and guards.
    pub(super) made: Vec<Claim>,
    /// Those of which no key can be made.
    pub(super) unmade: Vec<Unmade>,
}

/// A copy or guard that an item must have.
pub(super) struct Claim {
    key: Item,
    slot: u32,
    /// The digest of its values.
    digest: u128,
}

/// The encoded value of an attribute.
pub(super) type Encoded<'v> = Option<Cow<'v, [u8]>>;

/// The encoded values of attributes.
fn encoded_of<'v>(values: &Values) -> impl Fn(&str) -> Encoded<'v> {
    |name| {
        let held = values.get(name)?;
        Some(Cow::Owned(keyfold_codec::item::encode_value(held)))
    }
}

/// Whether broken attributes decide where the copy lies, or whether there is one.
fn is_copy_broken(copy: &Copy, is_broken: &dyn Fn(&str) -> bool) -> bool {
    let deciding = copy.when.iter().flat_map(Condition::attributes);
    copy.key.fields().chain(deciding).any(is_broken)
}

impl Subject<'_> {
    /// Adds a record about the item with a key, as a stored item.
    pub(super) fn add(
        self,
        kind: RecordKind,
        (key, more): (&[u8], &[u8]),
        (slot, digest): (u32, u128),
        records: &mut Pack,
    ) {
        let head = Head {
            group: group(self.scope.name, key),
            kind,
            entity: u32::try_from(self.at).unwrap_or(0),
            slot,
            digest,
        };
        records.push_parts(head, [self.scope.name.as_bytes(), key, more]);
    }

    /// Adds the record of a copy or guard that is stored, with the encoded values of its attributes.
    pub(super) fn add_stored<'v>(
        self,
        role: Role,
        key: &[u8],
        get: impl Fn(&str) -> Encoded<'v>,
        records: &mut Pack,
    ) {
        let digest = match role {
            Role::Guard(number) => self.guard_digest(number, |name| get(&held_in_guard(name))),
            Role::Copy(number) => {
                let copy = self.entity.copies.get(number);
                self.copy_digest(copy.map_or(&[], |copy| &copy.attributes), get)
            }
            Role::Main => self.copy_digest(&[], get),
        };
        let place = (slot(role), digest);
        self.add(RecordKind::Stored, (key, &[]), place, records);
    }

    /// The copies and guards that an item may have, of which broken attributes do not say which ones,
    /// and those of which its values make none.
    pub(super) fn unclaimed(
        self,
        is_broken: &dyn Fn(&str) -> bool,
        unmade: &[Unmade],
    ) -> Vec<Relation> {
        let copies = self.entity.copies.iter().enumerate();
        let copies = copies.filter(|(_, copy)| is_copy_broken(copy, is_broken));
        let copies = copies.map(|(at, _)| Role::Copy(at));
        let guards = self.entity.uniques.iter().enumerate();
        let guards = guards.filter(|(_, unique)| unique.attributes().any(is_broken));
        let roles = copies.chain(guards.map(|(at, _)| Role::Guard(at)));
        let roles = roles.chain(unmade.iter().filter_map(|one| one.role));
        let at = u32::try_from(self.at).unwrap_or(0);
        roles.map(|role| (at, slot(role))).collect()
    }

    /// The copies and guards that the item with these values must have, without those that are
    /// [`Subject::unclaimed`].
    pub(super) fn claims(self, values: &Values, is_broken: &dyn Fn(&str) -> bool) -> Claims {
        let mut claims = Claims::default();
        self.add_copies(values, is_broken, &mut claims);
        self.add_guards(values, is_broken, &mut claims);
        claims
    }

    fn add_copies(self, values: &Values, is_broken: &dyn Fn(&str) -> bool, claims: &mut Claims) {
        let (table, name) = (self.scope.kinds.table, self.scope.name);
        let copies = self.entity.copies.iter().enumerate();
        for (at, copy) in copies.filter(|(_, copy)| !is_copy_broken(copy, is_broken)) {
            let key = match derive::copy_key(table, name, self.entity, copy, values) {
                Ok(Some(key)) => key,
                Ok(None) => continue,
                Err(error) => {
                    claims.unmade.push(Unmade {
                        kind: FindingKind::CopyKey,
                        line: ModelLine::at(copy.key.span),
                        message: format!("no copy {} can be stored: {error}", copy.name),
                        what: format!("copy {}", copy.name),
                        cause: cause_of(&error, values),
                        role: Some(Role::Copy(at)),
                    });
                    continue;
                }
            };
            let digest = if copy.attributes.iter().any(|one| is_broken(one)) {
                ANY_DIGEST
            } else {
                self.copy_digest(&copy.attributes, encoded_of(values))
            };
            let slot = slot(Role::Copy(at));
            claims.made.push(Claim { key, slot, digest });
        }
    }

    fn add_guards(self, values: &Values, is_broken: &dyn Fn(&str) -> bool, claims: &mut Claims) {
        for (at, unique) in self.entity.uniques.iter().enumerate() {
            let is_held = |name: &str| values.contains_key(name) && !is_broken(name);
            if !unique.attributes().all(is_held) {
                continue;
            }
            let parts = self.scope.forms.guard_parts(self.at, at);
            let table = self.scope.kinds.table;
            let key = match derive::guard_key_of(table, (self.entity, unique), parts, values) {
                Ok(key) => key,
                Err(error) => {
                    let first = unique.attributes().next().unwrap_or_default();
                    let word = self.entity.word_of(unique);
                    claims.unmade.push(Unmade {
                        kind: FindingKind::GuardKey,
                        line: ModelLine::of_word(self.entity, word, first),
                        message: format!("no guard can be stored: {error}"),
                        what: format!(
                            "{word} {}",
                            unique.attributes().collect::<Vec<_>>().join(", ")
                        ),
                        cause: cause_of(&error, values),
                        role: Some(Role::Guard(at)),
                    });
                    continue;
                }
            };
            let moving = self.entity.moving();
            let digest = if moving.iter().any(|name| is_broken(name)) {
                ANY_DIGEST
            } else {
                self.guard_digest(at, encoded_of(values))
            };
            let slot = slot(Role::Guard(at));
            claims.made.push(Claim { key, slot, digest });
        }
    }

    /// Adds the records of what the item with this key must have.
    pub(super) fn add_claimed(self, owner: &[u8], made: &[Claim], records: &mut Pack) {
        for claim in made {
            let texts: (&[u8], _) = (&key_bytes(&claim.key), owner);
            let place = (claim.slot, claim.digest);
            self.add(RecordKind::Claimed, texts, place, records);
        }
    }

    /// The digest of the key attributes that the guard of an `id` holds; any, for other guards.
    fn guard_digest<'v>(self, at: usize, get: impl Fn(&str) -> Encoded<'v>) -> u128 {
        let unique = self.entity.uniques.get(at);
        if !unique.is_some_and(|unique| self.entity.is_id(unique)) {
            return ANY_DIGEST;
        }
        let moving = self.entity.moving().into_iter().map(str::to_owned);
        self.copy_digest(&moving.collect::<Vec<_>>(), get)
    }

    /// The digest of a copy's attributes.
    fn copy_digest<'v>(self, names: &[String], get: impl Fn(&str) -> Encoded<'v>) -> u128 {
        // Both sides go through the names in the same order.
        let mut text = Vec::new();
        let is_declared = |name: &&String| self.entity.attribute(name).is_some();
        for name in names.iter().filter(is_declared) {
            if let Some(held) = get(name) {
                text.extend_from_slice(name.as_bytes());
                text.push(0);
                text.extend_from_slice(&held);
            }
        }
        digest(&text)
    }
}
