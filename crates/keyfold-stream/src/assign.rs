//! Which leases exist, which are free, and which of them a worker takes. No requests are made here.

use crate::lease::{Began, Lease, ShardKey};
use crate::position::Position;
use crate::streams::{Streams, is_before};
use crate::topology::Shard;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// The leases of a consumer, as a worker has watched them.
#[derive(Debug, Default)]
pub(crate) struct View {
    seen: BTreeMap<ShardKey, Seen>,
    /// The streams of the shards.
    pub(crate) streams: Streams,
}

#[derive(Debug)]
struct Seen {
    lease: Lease,
    /// The moment since which it was not renewed.
    since: Duration,
}

/// A worker that takes leases.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Taker<'t> {
    pub(crate) worker: &'t str,
    pub(crate) now: Duration,
    pub(crate) lease_time: Duration,
    /// Random bits.
    pub(crate) random: u64,
}

impl View {
    /// Takes note of the leases as they were read just now.
    pub(crate) fn update(&mut self, leases: Vec<Lease>, now: Duration) {
        let mut before = std::mem::take(&mut self.seen);
        for lease in leases {
            let key = lease.key.clone();
            let since = match before.remove(&key) {
                Some(seen) if seen.lease.mark() == lease.mark() => seen.since,
                Some(_) | None => now,
            };
            self.seen.insert(key, Seen { lease, since });
        }
    }

    pub(crate) fn leases(&self) -> impl Iterator<Item = &Lease> {
        self.seen.values().map(|seen| &seen.lease)
    }

    fn lease(&self, key: &ShardKey) -> Option<&Lease> {
        self.seen.get(key).map(|seen| &seen.lease)
    }

    /// The streams of which not all records are handled.
    fn unfinished(&self) -> BTreeSet<&str> {
        let is_ended = |shard: &Shard| {
            // A shard that had a lease, and has none any more, has ended.
            !shard.is_open && self.lease(&shard.key).is_none_or(Lease::is_ended)
        };
        let unread = self.streams.iter();
        let unread =
            unread.filter(|(_, shards)| shards.is_none_or(|shards| !shards.iter().all(is_ended)));
        let leased = self.leases().filter(|lease| !lease.is_ended());
        let leased = leased.map(|lease| lease.key.stream.as_str());
        unread.map(|(stream, _)| stream).chain(leased).collect()
    }

    /// Whether a shard's records may be handled: those of its parent are, and those of the streams before
    /// its own.
    fn is_ready(&self, lease: &Lease, unfinished: &BTreeSet<&str>) -> bool {
        let waits = |stream: &&str| is_before(stream, &lease.key.stream);
        if unfinished.iter().any(waits) {
            return false;
        }
        let parent = lease.parent.as_ref().map(|shard| ShardKey {
            stream: lease.key.stream.clone(),
            shard: shard.clone(),
        });
        parent
            .and_then(|parent| self.lease(&parent))
            .is_none_or(Lease::is_ended)
    }

    /// The leases whose records may be handled.
    pub(crate) fn ready(&self) -> impl Iterator<Item = &Lease> {
        self.ready_seen().into_iter().map(|seen| &seen.lease)
    }

    fn ready_seen(&self) -> Vec<&Seen> {
        let unfinished = self.unfinished();
        let is_ready = |seen: &&Seen| {
            let lease = &seen.lease;
            !lease.is_ended() && self.is_ready(lease, &unfinished)
        };
        self.seen.values().filter(is_ready).collect()
    }

    /// The leases that a worker takes now, as they were seen. `held` are those that it has.
    ///
    /// Each worker takes its share: as many as all workers would have if they had equally many. When
    /// none is free and it has less, it takes one from the worker that has most.
    pub(crate) fn to_take(&self, taker: Taker<'_>, held: &BTreeSet<ShardKey>) -> Vec<Lease> {
        let found = self.ready_seen();
        let ready = || found.iter().copied();
        let is_alive = |seen: &&Seen| taker.now.saturating_sub(seen.since) < taker.lease_time;
        let mut owners: BTreeMap<&str, usize> = BTreeMap::new();
        for seen in ready().filter(is_alive) {
            if let Some(owner) = seen
                .lease
                .owner
                .as_deref()
                .filter(|one| *one != taker.worker)
            {
                *owners.entry(owner).or_default() += 1;
            }
        }
        let share = ready().count().div_ceil(owners.len() + 1);
        let wanted = share.saturating_sub(held.len());
        let is_free = |seen: &&Seen| {
            !held.contains(&seen.lease.key) && (seen.lease.owner.is_none() || !is_alive(seen))
        };
        let mut free: Vec<&Lease> = ready().filter(is_free).map(|seen| &seen.lease).collect();
        if !free.is_empty() {
            // Workers that look at the same moment begin at different places.
            let from = usize::try_from(taker.random % free.len() as u64).unwrap_or_default();
            free.rotate_left(from);
            return free.into_iter().take(wanted).cloned().collect();
        }
        let most = owners.iter().max_by_key(|(_, count)| **count);
        let Some((richest, _)) = most.filter(|(_, count)| wanted > 0 && **count > held.len() + 1)
        else {
            return Vec::new();
        };
        let theirs = ready().filter(|seen| seen.lease.owner.as_deref() == Some(richest));
        let theirs: Vec<&Lease> = theirs.map(|seen| &seen.lease).collect();
        let at = usize::try_from(taker.random % theirs.len().max(1) as u64).unwrap_or_default();
        theirs
            .get(at)
            .map(|one| (*one).clone())
            .into_iter()
            .collect()
    }

    /// Leases whose shard the stream does not list any more, although records of it were not handled.
    pub(crate) fn lost(&self, stream: &str, listed: &[Shard]) -> Vec<Lease> {
        let lost = self.unlisted(stream, listed);
        let lost = lost.filter(|lease| !lease.is_ended());
        lost.cloned().collect()
    }

    /// Leases of shards that have ended and are not listed any more: nobody needs them.
    pub(crate) fn over(&self, stream: &str, listed: &[Shard]) -> Vec<ShardKey> {
        let over = self.unlisted(stream, listed).filter(|one| one.is_ended());
        over.map(|lease| lease.key.clone()).collect()
    }

    fn unlisted<'v>(
        &'v self,
        stream: &'v str,
        listed: &[Shard],
    ) -> impl Iterator<Item = &'v Lease> + use<'v> {
        let listed: BTreeSet<ShardKey> = listed.iter().map(|shard| shard.key.clone()).collect();
        self.leases()
            .filter(move |lease| lease.key.stream == stream && !listed.contains(&lease.key))
    }

    /// The leases that are to be created for the shards of a stream, parents before their children.
    /// `began` says where the consumer began.
    pub(crate) fn missing(&self, listed: &[Shard], began: &Began) -> Vec<Lease> {
        let mut missing: Vec<Lease> = Vec::new();
        let mut left: Vec<&Shard> = listed
            .iter()
            .filter(|shard| !self.seen.contains_key(&shard.key))
            .collect();
        while !left.is_empty() {
            let names: BTreeSet<String> = left.iter().map(|one| one.key.shard.clone()).collect();
            let waits = |shard: &&Shard| {
                let parent = shard.parent.as_ref();
                parent.is_some_and(|parent| *parent != shard.key.shard && names.contains(parent))
            };
            let (later, next): (Vec<&Shard>, Vec<&Shard>) = left.into_iter().partition(waits);
            if next.is_empty() {
                // A circle of parents, which no stream has: none of them comes first.
                return missing;
            }
            let made = next.iter().map(|shard| {
                // A shard that was not there then is read from its oldest record.
                let position = began.get(&shard.key.shard).cloned();
                let position = position.unwrap_or(Position::Horizon);
                Lease::new(shard.key.clone(), shard.parent.clone(), position)
            });
            missing.extend(made);
            left = later;
        }
        missing
    }
}

impl Lease {
    /// What changes when it is renewed or changes hands.
    fn mark(&self) -> (Option<&str>, u64, u64) {
        (self.owner.as_deref(), self.fence, self.counter)
    }
}
