//! Compares the table of the source with that of the target.
//!
//! Both are scanned into buckets by the digest of the key; of each bucket the sum of its items' digests
//! is kept, which does not depend on their order. Digests are over canonical items: 1 and 1.0 are one
//! number, and the members of a set have no order. Of the buckets that differ, the items are compared
//! one by one in another scan. What seems to differ then is read again from both sides, strongly
//! consistently, until it is equal, or until it differs twice with the same item in the source: a change
//! that is on its way is no difference.
//!
//! Memory holds the buckets, and the digests of the items in those that differ.

use crate::world::{At, Place, World};
use keyfold_api::{GetItemInput, ScanInput};
use keyfold_client::ClientError;
use keyfold_codec::RawItem;
use keyfold_lower::capacity;
use keyfold_stream::world::ask;
use keyfold_types::{Item, KeySchema};
use std::collections::BTreeMap;
use std::time::Duration;
use xxhash_rust::xxh3::Xxh3;

/// The number of buckets.
const BUCKETS: usize = 4_096;
/// How often an item that seems to differ is read again at the most.
const REREADS: u32 = 10;

/// How a comparison is made.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// The table.
    pub table: String,
    /// Its key.
    pub schema: KeySchema,
    /// The most items of a page; without it, a page is a megabyte.
    pub page: Option<u32>,
    /// The time between two reads of an item that seems to differ.
    pub lag: Duration,
}

/// How an item differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Difference {
    /// The target lacks it.
    Missing,
    /// Only the target has it.
    Extra,
    /// These attributes are others, or only one side has them.
    Attributes(Vec<String>),
}

/// The result of a comparison.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Compared {
    /// The items of the source and of the target.
    pub items: [u64; 2],
    /// The items that differ, by their key.
    pub differences: Vec<(Item, Difference)>,
    /// The items that changed at each look, and so were not decided.
    pub undecided: Vec<Item>,
    /// The read units of both sides, in halves.
    pub halves: u64,
}

impl Compared {
    /// Whether both sides have the same items.
    pub fn is_equal(&self) -> bool {
        self.differences.is_empty() && self.undecided.is_empty()
    }
}

const PLACES: [Place; 2] = [Place::Source, Place::Target];

/// Compares a table of two places. `seen` is told of each page: its place and the number of its items.
///
/// # Errors
/// The backend's.
pub async fn compare(
    world: &dyn World,
    comparison: &Comparison,
    seen: &(dyn Fn(Place, u64) + Send + Sync),
) -> Result<Compared, ClientError> {
    let mut work = Work {
        world,
        comparison,
        seen,
        compared: Compared::default(),
    };
    let buckets = work.buckets().await?;
    if !buckets.contains(&true) {
        return Ok(work.compared);
    }
    let keys = work.keys(&buckets).await?;
    work.read_again(keys).await?;
    Ok(work.compared)
}

struct Work<'w> {
    world: &'w dyn World,
    comparison: &'w Comparison,
    seen: &'w (dyn Fn(Place, u64) + Send + Sync),
    compared: Compared,
}

/// The digests of one key on both sides.
struct Sides {
    key: Item,
    digests: [Option<u128>; 2],
}

impl Work<'_> {
    /// Which buckets differ.
    async fn buckets(&mut self) -> Result<Vec<bool>, ClientError> {
        let mut sums = vec![[0_u128; 2]; BUCKETS];
        for (side, place) in PLACES.into_iter().enumerate() {
            let mut after = None;
            loop {
                let (items, last) = self.page(place, after).await?;
                for item in &items {
                    let key = self.key_bytes(item);
                    if let Some(sum) = sums.get_mut(bucket(&key)).and_then(|sum| sum.get_mut(side))
                    {
                        *sum = sum.wrapping_add(digest(item));
                    }
                }
                if let Some(count) = self.compared.items.get_mut(side) {
                    *count += items.len() as u64;
                }
                (self.seen)(place, items.len() as u64);
                after = last;
                if after.is_none() {
                    break;
                }
            }
        }
        Ok(sums.iter().map(|[one, other]| one != other).collect())
    }

    /// The keys whose items differ, in the buckets that do.
    async fn keys(&mut self, buckets: &[bool]) -> Result<Vec<Item>, ClientError> {
        let mut found: BTreeMap<Vec<u8>, Sides> = BTreeMap::new();
        for (side, place) in PLACES.into_iter().enumerate() {
            let mut after = None;
            loop {
                let (items, last) = self.page(place, after).await?;
                for item in &items {
                    let bytes = self.key_bytes(item);
                    if buckets.get(bucket(&bytes)) != Some(&true) {
                        continue;
                    }
                    let sides = found.entry(bytes).or_insert_with(|| Sides {
                        key: self.comparison.schema.key_of(&item.to_item()),
                        digests: [None; 2],
                    });
                    if let Some(one) = sides.digests.get_mut(side) {
                        *one = Some(digest(item));
                    }
                }
                (self.seen)(place, items.len() as u64);
                after = last;
                if after.is_none() {
                    break;
                }
            }
        }
        let differ = found
            .into_values()
            .filter(|Sides { digests, key: _ }| digests.first() != digests.last());
        Ok(differ.map(|sides| sides.key).collect())
    }

    /// Reads items again until each is equal, or differs twice beside the same item of the source.
    async fn read_again(&mut self, keys: Vec<Item>) -> Result<(), ClientError> {
        let mut open: Vec<(Item, Option<[Option<Item>; 2]>)> =
            keys.into_iter().map(|key| (key, None)).collect();
        for _ in 0..REREADS {
            let mut left = Vec::new();
            for (key, before) in open {
                let source = self.get(Place::Source, &key).await?;
                let target = self.get(Place::Target, &key).await?;
                if source == target {
                    continue;
                }
                let is_settled = before.is_some_and(|[before, _]| before == source);
                match is_settled {
                    true => {
                        let difference = difference(source.as_ref(), target.as_ref());
                        self.compared.differences.push((key, difference));
                    }
                    false => left.push((key, Some([source, target]))),
                }
            }
            open = left;
            if open.is_empty() {
                return Ok(());
            }
            self.world.pause(self.comparison.lag).await;
        }
        self.compared.undecided = open.into_iter().map(|(key, _)| key).collect();
        Ok(())
    }

    async fn page(
        &mut self,
        place: Place,
        after: Option<Item>,
    ) -> Result<(Vec<RawItem>, Option<Item>), ClientError> {
        let input = ScanInput {
            table_name: Some(self.comparison.table.clone()),
            limit: self.comparison.page.map(i64::from),
            exclusive_start_key: after.map(Ok),
            returns: capacity::requested(),
            ..ScanInput::default()
        };
        let page = ask(&self.at(place), input).await?;
        self.compared.halves += capacity::total(page.consumed_capacity).0;
        Ok((page.items.unwrap_or_default(), page.last_evaluated_key))
    }

    async fn get(&mut self, place: Place, key: &Item) -> Result<Option<Item>, ClientError> {
        let input = GetItemInput {
            table_name: Some(self.comparison.table.clone()),
            key: Some(Ok(key.clone())),
            consistent_read: Some(true),
            returns: capacity::requested(),
            ..GetItemInput::default()
        };
        let found = ask(&self.at(place), input).await?;
        self.compared.halves += capacity::total(found.consumed_capacity).0;
        Ok(found.item.map(|item| item.to_item()))
    }

    fn at(&self, place: Place) -> At<'_> {
        At {
            world: self.world,
            place,
        }
    }

    /// The bytes of an item's key, which are the same for equal keys.
    fn key_bytes(&self, item: &RawItem) -> Vec<u8> {
        let mut bytes = Vec::new();
        for attribute in self.comparison.schema.attributes() {
            let value = item.get(&attribute.name);
            let value = value.map(|value| value.bytes()).unwrap_or_default();
            bytes.extend_from_slice(&(value.len() as u64).to_be_bytes());
            bytes.extend_from_slice(value);
        }
        bytes
    }
}

fn bucket(key: &[u8]) -> usize {
    let mut hasher = Xxh3::new();
    hasher.update(key);
    usize::try_from(hasher.digest() % BUCKETS as u64).unwrap_or(0)
}

/// The digest of an item: of its attributes in the order of their names, each in its one form.
fn digest(item: &RawItem) -> u128 {
    let mut hasher = Xxh3::new();
    for (name, value) in item.attributes() {
        hasher.update(&(name.len() as u64).to_be_bytes());
        hasher.update(name.as_bytes());
        let bytes = value.bytes();
        hasher.update(&(bytes.len() as u64).to_be_bytes());
        hasher.update(bytes);
    }
    hasher.digest128()
}

fn difference(source: Option<&Item>, target: Option<&Item>) -> Difference {
    match (source, target) {
        (_, None) => Difference::Missing,
        (None, Some(_)) => Difference::Extra,
        (Some(source), Some(target)) => {
            let names = source.iter().chain(target.iter()).map(|(name, _)| name);
            let mut names: Vec<String> = names
                .filter(|name| source.get(name) != target.get(name))
                .cloned()
                .collect();
            names.sort_unstable();
            names.dedup();
            Difference::Attributes(names)
        }
    }
}
