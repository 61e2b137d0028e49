//! The items as which a row would be stored: they are made as the client makes them, and not sent. What
//! DynamoDB would refuse of them is a problem of the row.

use crate::cell::Cell;
use crate::convert::Problem;
use crate::mapping::Mapped;
use keyfold_client::ClientError;
use keyfold_lower::arguments::Values;
use keyfold_lower::default_of;
use keyfold_lower::derive::{Derived, Role, derive, table};
use keyfold_types::limits::ITEM_BYTES_MAX;
use keyfold_types::{Item, Value};
use sha2::{Digest, Sha256};

/// What two rows cannot both be.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Claim {
    /// One item.
    Item,
    /// The only one with values of unique attributes.
    Unique(String),
}

/// What stands for a claim among others.
pub(crate) fn digest(claim: &Claim, (table, key): &(String, Item)) -> u128 {
    let text = format!("{claim:?};{table};{key:?}");
    let bytes = Sha256::digest(text.as_bytes());
    let first = bytes.iter().take(16);
    first.fold(0, |sum, byte| sum << 8 | u128::from(*byte))
}

impl Mapped<'_> {
    /// What a row claims, once everything about it is right.
    pub(crate) fn claims(&self, row: &[Cell]) -> Result<Vec<(Claim, u128)>, Problem> {
        let identity = self.identity_of(row);
        let values = self.values(row)?;
        self.key(&identity)?;
        let items = self.items(&identity, &values)?;
        let claims = items.into_iter().filter_map(|one| {
            let claim = match one.role {
                Role::Main | Role::IdGuard => Claim::Item,
                // A value that is made for the write is another one each time.
                Role::Guard(names) => {
                    let is_said = names.iter().all(|name| values.contains_key(name));
                    Claim::Unique(is_said.then(|| names.join(", "))?)
                }
                Role::Part(_) | Role::Copy(_) => return None,
            };
            let digest = digest(&claim, &(one.table, one.key));
            Some((claim, digest))
        });
        Ok(claims.collect())
    }

    /// The items as which attributes would be stored, once DynamoDB takes all of them.
    pub(crate) fn items(
        &self,
        identity: &[Cell],
        values: &Values,
    ) -> Result<Vec<Derived>, Problem> {
        let refused = |error: ClientError| self.refused(identity, &error);
        let mut all = values.clone();
        for attribute in &self.entity.attributes {
            let default =
                default_of(attribute, 0, 0).filter(|_| !all.contains_key(&attribute.name));
            all.extend(default.map(|value| (attribute.name.clone(), value)));
        }
        let items = derive(self.model, self.entity, &all).map_err(refused)?;
        for one in &items {
            self.check_size(identity, &one.item)?;
            self.check_indexes(identity, &one.item)?;
        }
        Ok(items)
    }

    fn check_size(&self, identity: &[Cell], item: &Item) -> Result<(), Problem> {
        let bytes = item.size_bytes();
        if bytes <= ITEM_BYTES_MAX {
            return Ok(());
        }
        let why = format!(
            "its item of {} has {bytes} bytes, and an item has at most {ITEM_BYTES_MAX}",
            self.entity.name
        );
        Err(self.problem(identity, why).alike("item too large"))
    }

    /// DynamoDB takes no empty text in the key of an index.
    fn check_indexes(&self, identity: &[Cell], item: &Item) -> Result<(), Problem> {
        let table = table(self.model, self.entity);
        let table = table.map_err(|error| self.refused(identity, &error))?;
        for index in &table.indexes {
            for column in index.columns() {
                let is_empty = match item.get(&column.name) {
                    Some(Value::S(text)) => text.is_empty(),
                    Some(Value::B(bytes)) => bytes.is_empty(),
                    _ => false,
                };
                if is_empty {
                    let why = format!(
                        "{} is empty, and it is a key of the index {}: NULL is not in the index",
                        column.name, index.name
                    );
                    return Err(self.problem(identity, why));
                }
            }
        }
        Ok(())
    }
}
