//! Compares the table of the source with that of the target.
//!
//! Both are scanned into buckets by the digest of the key; of each bucket the sum of its items' digests
//! is kept, which does not depend on their order. Digests are over canonical items: 1 and 1.0 are one
//! number, and the members of a set have no order. Of the buckets that differ, the items are compared
//! one by one in another scan. What seems to differ then is read again from both sides, strongly
//! consistently, until it is equal, or until it differs twice with the same item in the source: a change
//! that is on its way is no difference.
//!
//! Memory is bounded: it holds the buckets, and the digests of the items of some buckets that differ. When
//! these have many items, there is a scan for each part of them. The comparison ends when enough
//! differences are named.

pub use crate::difference::{Compared, Difference};
use crate::pace::Pace;
use crate::patience::Patience;
use crate::progress::Progress;
use crate::saved::{BUCKETS, Bucket};
pub use crate::saved::{Saved, Unusable};
use crate::world::{At, Place, World};
use keyfold_api::{GetItemInput, Input, Request, ScanInput};
use keyfold_client::ClientError;
use keyfold_codec::RawItem;
use keyfold_lower::capacity;
use keyfold_stream::world::ask;
use keyfold_types::{CapacityHalves, Item, KeySchema};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use xxhash_rust::xxh3::Xxh3;

/// The most items of both sides whose digests are held at once.
const HELD_MAX: u64 = 100_000;
/// The items that are read again together.
const TOGETHER: usize = 1_000;
/// The time between two calls of the function that keeps how far a comparison is.
const KEEP_TIME: Duration = Duration::from_secs(3);
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
    /// The time between two reads of an item that seems to differ: as long as a change may be on its way.
    pub lag: Duration,
    /// The most read units of each side a second.
    pub rate: Option<u32>,
    /// How many differences are named; the comparison ends when there are more.
    pub most: usize,
}

const PLACES: [Place; 2] = [Place::Source, Place::Target];

/// Compares a table of two places. `progress` counts the items of both sides and the requests that failed
/// and were sent again, and its [`Progress::stop`] ends the comparison.
///
/// # Errors
/// The backend's, when it does not pass; `Refused` when it was stopped.
pub async fn compare(
    world: &dyn World,
    comparison: &Comparison,
    progress: &Progress,
) -> Result<Compared, ClientError> {
    let keep = &mut |_: &Saved| -> Result<(), ClientError> { Ok(()) };
    compare_on(world, comparison, progress, (Saved::default(), keep)).await
}

/// Keeps how far a comparison is.
pub type Keep<'k> = &'k mut dyn FnMut(&Saved) -> Result<(), ClientError>;

/// Compares as [`compare`] does, and goes on where another comparison was. `keep` is called every three
/// seconds, and when the comparison fails or is stopped.
///
/// # Errors
/// As [`compare`]; that of `keep`.
pub async fn compare_on(
    world: &dyn World,
    comparison: &Comparison,
    progress: &Progress,
    (saved, keep): (Saved, Keep<'_>),
) -> Result<Compared, ClientError> {
    for (place, items) in PLACES.into_iter().zip(saved.items()) {
        progress.compared(place, usize::try_from(items).unwrap_or(usize::MAX));
    }
    let mut work = Work {
        world,
        comparison,
        progress,
        paces: [Pace::new(comparison.rate), Pace::new(comparison.rate)],
        far: saved,
        kept: world.now(),
        keep,
    };
    let done = work.all().await;
    if done.is_err() {
        work.far.settle();
    }
    let kept = (work.keep)(&work.far);
    done?;
    kept?;
    Ok(work.far.compared)
}

/// The buckets that differ, in parts of which each has few enough items, or is one bucket.
fn parts(buckets: &[Bucket]) -> Vec<BTreeSet<usize>> {
    let mut parts: Vec<BTreeSet<usize>> = Vec::new();
    let mut held = 0;
    let differ = buckets.iter().enumerate();
    for (at, bucket) in differ.filter(|(_, bucket)| bucket.sums.first() != bucket.sums.last()) {
        held += bucket.items;
        match parts.last_mut() {
            Some(part) if held <= HELD_MAX => {
                part.insert(at);
            }
            Some(_) | None => {
                held = bucket.items;
                parts.push(BTreeSet::from([at]));
            }
        }
    }
    parts
}

struct Work<'w> {
    world: &'w dyn World,
    comparison: &'w Comparison,
    progress: &'w Progress,
    paces: [Pace; 2],
    far: Saved,
    /// When it was kept last.
    kept: Duration,
    keep: Keep<'w>,
}

/// The digests of one key on both sides.
struct Sides {
    key: Item,
    digests: [Option<u128>; 2],
}

impl Work<'_> {
    /// Reads both sides into buckets, and compares the items of those that differ.
    async fn all(&mut self) -> Result<(), ClientError> {
        self.buckets().await?;
        let parts = parts(&self.far.buckets);
        for (at, some) in parts.iter().enumerate().skip(self.far.parts_done) {
            if self.far.compared.is_cut {
                return Ok(());
            }
            let keys = self.keys(some).await?;
            for keys in keys.chunks(TOGETHER) {
                self.read_again(keys.to_vec()).await?;
                let most = self.comparison.most;
                if self.far.compared.differences.len() > most {
                    self.far.compared.differences.truncate(most);
                    self.far.compared.is_cut = true;
                    break;
                }
            }
            self.far.parts_done = at + 1;
            let compared = &self.far.compared;
            self.far.settled = [compared.differences.len(), compared.undecided.len()];
            self.keep_now_and_then()?;
        }
        Ok(())
    }

    fn keep_now_and_then(&mut self) -> Result<(), ClientError> {
        let now = self.world.now();
        if now.saturating_sub(self.kept) < KEEP_TIME {
            return Ok(());
        }
        self.kept = now;
        (self.keep)(&self.far)
    }

    /// Reads what is left of both sides into buckets.
    async fn buckets(&mut self) -> Result<(), ClientError> {
        while let Some(place) = PLACES.get(self.far.sides_done).copied() {
            let side = self.far.sides_done;
            let (items, last) = self.page(place, self.far.after.clone()).await?;
            for item in &items {
                let at = bucket(&self.key_bytes(item));
                let Some(bucket) = self.far.buckets.get_mut(at) else {
                    continue;
                };
                bucket.items += 1;
                if let Some(sum) = bucket.sums.get_mut(side) {
                    *sum = sum.wrapping_add(digest(item));
                }
            }
            if let Some(count) = self.far.compared.items.get_mut(side) {
                *count += items.len() as u64;
            }
            self.far.sides_done += usize::from(last.is_none());
            self.far.after = last;
            self.keep_now_and_then()?;
        }
        Ok(())
    }

    /// The keys whose items differ, in some buckets.
    async fn keys(&mut self, buckets: &BTreeSet<usize>) -> Result<Vec<Item>, ClientError> {
        let mut found: BTreeMap<Vec<u8>, Sides> = BTreeMap::new();
        for (side, place) in PLACES.into_iter().enumerate() {
            let mut after = None;
            loop {
                let (items, last) = self.page(place, after).await?;
                for item in &items {
                    let bytes = self.key_bytes(item);
                    if !buckets.contains(&bucket(&bytes)) {
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
        for place in PLACES {
            self.world.will_get(place, &self.comparison.table, &keys);
        }
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
                        self.far.compared.differences.push((key, difference));
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
        let undecided = open.into_iter().map(|(key, _)| key);
        self.far.compared.undecided.extend(undecided);
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
        let page = self.ask(place, input).await?;
        self.wait_for_rate(place, capacity::total(page.consumed_capacity))
            .await;
        let items = page.items.unwrap_or_default();
        self.progress.compared(place, items.len());
        Ok((items, page.last_evaluated_key))
    }

    async fn get(&mut self, place: Place, key: &Item) -> Result<Option<Item>, ClientError> {
        let input = GetItemInput {
            table_name: Some(self.comparison.table.clone()),
            key: Some(Ok(key.clone())),
            consistent_read: Some(true),
            returns: capacity::requested(),
            ..GetItemInput::default()
        };
        let found = self.ask(place, input).await?;
        self.wait_for_rate(place, capacity::total(found.consumed_capacity))
            .await;
        Ok(found.item.map(|item| item.to_item()))
    }

    /// Sends a request until it is answered with something that no pause changes.
    async fn ask<I: Input + Into<Request> + Clone>(
        &self,
        place: Place,
        input: I,
    ) -> Result<I::Output, ClientError> {
        let mut patience = Patience::new();
        loop {
            if self.progress.is_stopping() {
                return Err(ClientError::refused("the comparison was stopped"));
            }
            let error = match ask(&self.at(place), input.clone()).await {
                Ok(output) => return Ok(output),
                Err(error) => error,
            };
            let Some(pause) = patience.after(&error, self.world.random()) else {
                return Err(error);
            };
            self.progress.troubled(place, &error);
            self.world.pause(pause).await;
        }
    }

    async fn wait_for_rate(&mut self, place: Place, halves: CapacityHalves) {
        self.far.compared.halves += halves.0;
        let [source, target] = &self.paces;
        let pace = match place {
            Place::Source => source,
            Place::Target => target,
        };
        let time = pace.after(self.world.now(), halves);
        if !time.is_zero() {
            self.world.pause(time).await;
        }
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
