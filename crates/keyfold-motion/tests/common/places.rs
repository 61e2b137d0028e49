//! The source and the target as plain maps.

use super::chance::Chance;
use super::mutant::{Fence, Mutant};
use super::settings::Settings;
use super::values::{
    OTHER, condition_failed, is_only_begun, item, not_found, order, part_of, service, text, value,
};
use keyfold_api::{
    BatchWriteItemInput, BatchWriteItemOutput, DeleteItemInput, DescribeStreamOutput, ErrorKind,
    GetItemOutput, GetRecordsInput, GetRecordsOutput, GetShardIteratorOutput, Named, OperationType,
    PageOutput, ReasonCode, Request, Response, ScanInput, SequenceNumberRange, Shard,
    ShardIteratorType, StreamDescription, StreamEvent, StreamRecord, TransactWriteItem,
    UpdateItemInput, WriteItemOutput,
};
use keyfold_client::ClientError;
use keyfold_codec::RawItem;
use keyfold_motion::world::Place;
use keyfold_motion::{
    HAS_NONE, IS_ABSENT, IS_EARLIER, IS_MAKING, IS_MINE, IS_SEEN, IS_THERE, IS_UNCHANGED,
};
use keyfold_types::{Item, Value};
use std::collections::BTreeMap;

struct StreamShard {
    /// The stream that it belongs to.
    stream: usize,
    parent: Option<usize>,
    /// The keys whose changes it has.
    keys: Vec<usize>,
    records: Vec<Written>,
    is_open: bool,
    /// From when on it is listed.
    listed: u64,
}

/// A record of a shard.
#[derive(Clone)]
struct Written {
    number: u64,
    key: usize,
    value: Option<i64>,
    /// From when on readers see it.
    seen: u64,
}

/// The most steps until a record appears, or a shard is listed, and the most that a reader finds nothing
/// before the next record: together less than the time after which nothing is left.
const LATE_STEPS: usize = 6;
const EMPTY_STEPS: usize = 8;

pub(crate) struct Places {
    mutant: Option<Mutant>,
    source: BTreeMap<usize, i64>,
    /// What the target is to be, once its own writers have written it.
    moved: Option<BTreeMap<usize, i64>>,
    shards: Vec<StreamShard>,
    writes: u64,
    /// The present step of the world.
    pub(crate) step: u64,
    chance: Chance,
    /// Whether a phase has gone backwards.
    went_back: bool,
    /// Whether another table is being moved: the table of rows is kept.
    pub(crate) has_other: bool,
    target: BTreeMap<String, Item>,
    /// How many deletions were applied to it.
    pub(crate) deletions: u64,
    rows: BTreeMap<String, Item>,
    /// The tables themselves.
    settings: Settings,
    /// The effects that come after their checkpoint, of a mutant.
    later: Vec<Vec<TransactWriteItem>>,
    /// The iterator before the last one, by shard: a page may come twice.
    before: BTreeMap<String, String>,
}

impl Places {
    pub(crate) fn new(mutant: Option<Mutant>, has_stream: bool, seed: u64) -> Places {
        let mut places = Places {
            mutant,
            source: BTreeMap::new(),
            moved: None,
            shards: Vec::new(),
            writes: 0,
            step: 0,
            chance: Chance(seed),
            went_back: false,
            has_other: false,
            target: BTreeMap::new(),
            deletions: 0,
            rows: BTreeMap::new(),
            settings: Settings::default(),
            later: Vec::new(),
            before: BTreeMap::new(),
        };
        places.settings.all_tags = (mutant == Some(Mutant::AnyTag)).then(Vec::new);
        if has_stream {
            places.switch_on();
            places.settings.seems_on = mutant == Some(Mutant::StreamIsOn);
        }
        places
    }

    /// The source gets a stream.
    pub(crate) fn switch_on(&mut self) {
        let number = self.settings.switch_on();
        self.shards.push(StreamShard {
            stream: number,
            parent: None,
            keys: (0..4).collect(),
            records: Vec::new(),
            is_open: true,
            listed: 0,
        });
    }

    /// The source's stream is switched off.
    pub(crate) fn switch_off(&mut self) {
        self.settings.has_stream = false;
        for shard in &mut self.shards {
            shard.is_open = false;
        }
    }

    /// A day passes: the records up to now have left the stream.
    pub(crate) fn trim(&mut self) {
        for shard in &mut self.shards {
            shard.records.clear();
        }
    }

    /// A writer puts or deletes an item of the source.
    pub(crate) fn write(&mut self, key: usize, is_put: bool) {
        self.writes += 1;
        let value = is_put.then(|| i64::try_from(self.writes).unwrap());
        let had = match value {
            Some(value) => self.source.insert(key, value),
            None => self.source.remove(&key),
        };
        if value.is_none() && had.is_none() {
            return;
        }
        let open = self.shards.iter_mut();
        let mut of_key = open.filter(|shard| shard.is_open && shard.keys.contains(&key));
        let late = self.chance.below(LATE_STEPS) as u64;
        // Without a stream there is no shard.
        let Some(shard) = of_key.next() else { return };
        let last = shard.records.last().map_or(0, |last| last.seen);
        shard.records.push(Written {
            number: self.writes,
            key,
            value,
            seen: last.max(self.step + late),
        });
    }

    /// Ends the shard of a key; its children have one half of its keys each.
    pub(crate) fn split(&mut self, key: usize) {
        let of_key = self
            .shards
            .iter()
            .position(|shard| shard.is_open && shard.keys.contains(&key));
        let Some(at) = of_key else { return };
        let listed = self.step + self.chance.below(LATE_STEPS) as u64;
        self.shards[at].is_open = false;
        let keys = self.shards[at].keys.clone();
        let (one, other) = keys.split_at(keys.len() / 2);
        for keys in [one, other] {
            if !keys.is_empty() {
                self.shards.push(StreamShard {
                    stream: self.shards[at].stream,
                    parent: Some(at),
                    keys: keys.to_vec(),
                    records: Vec::new(),
                    is_open: true,
                    listed,
                });
            }
        }
    }

    /// Somebody deletes the target's table by hand.
    pub(crate) fn delete_by_hand(&mut self) {
        self.settings.table = None;
        self.target.clear();
    }

    /// A run is killed: a mutant's effects that were to come do not.
    pub(crate) fn kill(&mut self) {
        self.later.clear();
    }

    /// What a completed move has left undone.
    pub(crate) fn check_complete(&self) -> Result<(), String> {
        match &self.settings.table {
            _ if self.went_back => Err("a phase went backwards".to_owned()),
            // A beginning that was late makes a row without a table: it is refused, and aborted.
            Some(table) if table.expires && self.rows.values().all(is_only_begun) => Ok(()),
            Some(table) => Err(format!(
                "it is not complete: expires {}, {} rows",
                table.expires,
                self.rows.len()
            )),
            None => Err("there is no table".to_owned()),
        }
    }

    /// What differs between the target and what it is to be: the source, and what its own writers have
    /// written since the move was completed.
    pub(crate) fn compare(&self) -> Result<(), String> {
        let wanted = self.moved.as_ref().unwrap_or(&self.source);
        let items: BTreeMap<String, Item> = wanted
            .iter()
            .map(|(key, value)| (format!("k{key}"), item(*key, *value)))
            .collect();
        match items == self.target {
            true => Ok(()),
            false => Err(format!("{wanted:?} became {:?}", self.target)),
        }
    }

    /// A program that works with the target now puts or deletes an item there.
    pub(crate) fn write_target(&mut self, key: usize, is_put: bool) {
        self.writes += 1;
        let value = i64::try_from(self.writes).unwrap();
        let moved = self.moved.get_or_insert_with(|| self.source.clone());
        let name = format!("k{key}");
        if is_put {
            moved.insert(key, value);
            self.target.insert(name, item(key, value));
        } else {
            moved.remove(&key);
            self.target.remove(&name);
        }
    }

    /// Whether a mutant ignores a fence.
    fn ignores(&self, fence: Fence) -> bool {
        self.mutant == Some(Mutant::NoFence) || self.mutant == Some(Mutant::Ignores(fence))
    }

    /// As [`Places::answer`], but a page of records may be one that came before.
    pub(crate) fn again(
        &mut self,
        place: Place,
        request: &Request,
    ) -> Result<Response, ClientError> {
        if let Request::GetRecords(input) = request
            && let Some((shard, _)) = input.shard_iterator.as_deref().unwrap().split_once(':')
            && let Some(before) = self.before.get(shard)
        {
            let before = GetRecordsInput {
                shard_iterator: Some(before.clone()),
                limit: None,
            };
            return self.answer(place, &before.into());
        }
        self.answer(place, request)
    }

    pub(crate) fn answer(
        &mut self,
        place: Place,
        request: &Request,
    ) -> Result<Response, ClientError> {
        if self.mutant == Some(Mutant::CheckpointFirst)
            && let Some(effects) = self.later.pop()
        {
            for action in &effects {
                self.apply(action);
            }
        }
        match (place, request) {
            (Place::Source, Request::Scan(input)) => Ok(Response::Scan(self.scan(input))),
            (Place::Source, Request::DescribeStream(input)) => {
                Ok(self.described(input.stream_arn.as_deref().unwrap()))
            }
            (Place::Source, Request::GetShardIterator(input)) => {
                let shard = input.shard_id.clone().unwrap();
                let is_latest =
                    input.shard_iterator_type == Some(Named::Known(ShardIteratorType::Latest));
                let after = match &input.sequence_number {
                    Some(number) => number.parse().unwrap(),
                    None if is_latest => self.newest(shard.parse().unwrap()),
                    None => 0,
                };
                Ok(Response::GetShardIterator(GetShardIteratorOutput {
                    shard_iterator: Some(format!("{shard}:{after}:{}", self.empty_until())),
                }))
            }
            (Place::Source, Request::GetRecords(input)) => Ok(self.records(input)),
            (Place::Target, Request::DeleteTable(input)) => {
                match input.table_name.as_deref() == Some(super::settings::ROWS) {
                    true => self.rows.clear(),
                    false => self.target.clear(),
                }
                self.settings.answer(place, request)
            }
            (Place::Target, Request::CreateTable(_)) => {
                let made = self.settings.answer(place, request)?;
                if self.has_other {
                    let row = Item::from_iter([("part", OTHER)]);
                    self.rows.insert(OTHER.to_owned(), row);
                }
                Ok(made)
            }
            (
                _,
                Request::DescribeTable(_)
                | Request::DescribeTimeToLive(_)
                | Request::UpdateTimeToLive(_)
                | Request::ListTagsOfResource(_)
                | Request::UntagResource(_),
            ) => self.settings.answer(place, request),
            (Place::Target, _) if !self.settings.has(request) => Err(not_found()),
            (Place::Target, Request::GetItem(input)) => {
                let part = part_of(input.key.as_ref().unwrap().as_ref().unwrap());
                let found = self.rows.get(part).map(RawItem::encode);
                Ok(Response::GetItem(GetItemOutput {
                    item: found,
                    consumed_capacity: None,
                }))
            }
            (Place::Target, Request::Scan(input)) => {
                let prefix = match &input.filter_expression {
                    Some(_) => text(value(&input.expression_attributes, ":prefix")),
                    None => "",
                };
                let found = self
                    .rows
                    .iter()
                    .filter(|(part, _)| part.starts_with(prefix));
                Ok(Response::Scan(PageOutput {
                    items: Some(found.map(|(_, row)| RawItem::encode(row)).collect()),
                    ..PageOutput::default()
                }))
            }
            (Place::Target, Request::PutItem(input)) => {
                assert_eq!(input.condition_expression.as_deref(), Some(IS_ABSENT));
                let row = input.item.as_ref().unwrap().as_ref().unwrap();
                let part = part_of(row).to_owned();
                if self.rows.contains_key(&part) {
                    return Err(condition_failed());
                }
                self.rows.insert(part, row.clone());
                Ok(Response::PutItem(WriteItemOutput::default()))
            }
            (Place::Target, Request::UpdateItem(input)) => self.update(input),
            (Place::Target, Request::DeleteItem(input)) => self.delete(input),
            (Place::Target, Request::BatchWriteItem(input)) => Ok(self.delete_some(input)),
            (Place::Target, Request::TransactWriteItems(input)) => {
                self.transaction(input.transact_items.as_ref().unwrap())
            }
            (place, other) => panic!("{place:?} was asked {other:?}"),
        }
    }

    fn scan(&self, input: &ScanInput) -> PageOutput {
        assert_eq!(input.consistent_read, Some(true));
        let of = usize::try_from(input.total_segments.unwrap_or(1)).unwrap();
        let segment = usize::try_from(input.segment.unwrap_or(0)).unwrap();
        let after = input.exclusive_start_key.as_ref().map(|key| {
            let key = text(key.as_ref().unwrap().get("id").unwrap());
            key[1..].parse::<usize>().unwrap()
        });
        let limit = usize::try_from(input.limit.unwrap()).unwrap();
        let mut found = self
            .source
            .iter()
            .filter(|(key, _)| *key % of == segment && after.is_none_or(|after| **key > after));
        let page: Vec<(&usize, &i64)> = found.by_ref().take(limit).collect();
        let last = page.last().filter(|_| page.len() == limit);
        let last = last.map(|(key, _)| Item::from_iter([("id", format!("k{key}"))]));
        PageOutput {
            items: Some(
                page.iter()
                    .map(|(key, value)| RawItem::encode(&item(**key, **value)))
                    .collect(),
            ),
            last_evaluated_key: last,
            ..PageOutput::default()
        }
    }

    fn described(&self, stream: &str) -> Response {
        let all = self.shards.iter().enumerate();
        let listed = all.filter(|(_, shard)| {
            stream == format!("stream {}", shard.stream) && shard.listed <= self.step
        });
        let shards = listed.map(|(at, shard)| {
            let parent = match self.mutant {
                Some(Mutant::ChildrenFirst) => None,
                _ => shard.parent,
            };
            Shard {
                shard_id: Some(at.to_string()),
                sequence_number_range: Some(SequenceNumberRange {
                    starting_sequence_number: None,
                    ending_sequence_number: (!shard.is_open).then(|| "9".to_owned()),
                }),
                parent_shard_id: parent.map(|parent| parent.to_string()),
            }
        });
        let mut shards: Vec<Shard> = shards.collect();
        if self.mutant == Some(Mutant::ChildrenFirst) {
            shards.reverse();
        }
        Response::DescribeStream(DescribeStreamOutput {
            stream_description: Some(StreamDescription {
                shards: Some(shards),
                ..StreamDescription::default()
            }),
        })
    }

    /// The number of the newest record of a shard that has appeared.
    fn newest(&self, shard: usize) -> u64 {
        let records = self.shards[shard].records.iter();
        let appeared = records.take_while(|record| record.seen <= self.step);
        appeared.last().map_or(0, |record| record.number)
    }

    /// Until when the pages of an iterator are empty, though its shard has records: mostly not at all.
    fn empty_until(&mut self) -> u64 {
        match self.chance.happens(4) {
            true => self.step + self.chance.below(EMPTY_STEPS) as u64,
            false => 0,
        }
    }

    /// A page of at most three records behind a number.
    fn records(&mut self, input: &GetRecordsInput) -> Response {
        let iterator = input.shard_iterator.as_deref().unwrap();
        let mut parts = iterator.split(':');
        let name = parts.next().unwrap();
        let [after, empty_until] = [(); 2].map(|()| parts.next().unwrap().parse::<u64>().unwrap());
        let step = self.step;
        let is_empty = step < empty_until;
        let next_empty = self.empty_until();
        let shard = &self.shards[name.parse::<usize>().unwrap()];
        let behind = shard.records.iter().filter(|record| record.number > after);
        let mut page: Vec<Written> = behind
            .take_while(|record| record.seen <= step)
            .take(3)
            .cloned()
            .collect();
        if is_empty {
            page.clear();
        }
        // Behind records an iterator may find nothing for a while before the next one.
        let empty_until = match page.is_empty() {
            true => empty_until,
            false => next_empty,
        };
        let end = page.last().map_or(after, |last| last.number);
        let is_last = shard.records.last().is_none_or(|last| last.number <= end);
        if self.mutant == Some(Mutant::WrongOrder) && page.len() > 1 {
            let numbers: Vec<u64> = page.iter().map(|record| record.number).collect();
            page.reverse();
            for (record, number) in page.iter_mut().zip(numbers) {
                record.number = number;
            }
        }
        let is_over = !shard.is_open && is_last;
        self.before.insert(name.to_owned(), iterator.to_owned());
        Response::GetRecords(GetRecordsOutput {
            records: Some(page.iter().map(event).collect()),
            next_shard_iterator: (!is_over).then(|| format!("{name}:{end}:{empty_until}")),
        })
    }

    /// Deletes rows, but for the last of them now and then.
    fn delete_some(&mut self, input: &BatchWriteItemInput) -> Response {
        let (table, requests) = input.request_items.as_ref().unwrap().first().unwrap();
        assert!(requests.len() <= 25);
        let leaves = usize::from(self.chance.happens(4));
        let (done, left) = requests.split_at(requests.len() - leaves);
        for request in done {
            let key = request.delete.as_ref().unwrap().as_ref().unwrap();
            self.rows.remove(part_of(key.as_ref().unwrap()));
        }
        Response::BatchWriteItem(BatchWriteItemOutput {
            unprocessed_items: match left {
                [] => Vec::new(),
                left => vec![(table.clone(), left.to_vec())],
            },
            ..BatchWriteItemOutput::default()
        })
    }

    fn delete(&mut self, input: &DeleteItemInput) -> Result<Response, ClientError> {
        let part = part_of(input.key.as_ref().unwrap().as_ref().unwrap());
        assert_eq!(input.condition_expression.as_deref(), Some(IS_MINE));
        let fence = value(&input.expression_attributes, ":fence");
        if self.rows.get(part).and_then(|row| row.get("fence")) != Some(fence)
            && self.mutant != Some(Mutant::LateDeletes)
        {
            return Err(condition_failed());
        }
        self.rows.remove(part);
        Ok(Response::DeleteItem(WriteItemOutput::default()))
    }

    fn update(&mut self, input: &UpdateItemInput) -> Result<Response, ClientError> {
        let part = part_of(input.key.as_ref().unwrap().as_ref().unwrap()).to_owned();
        let attributes = &input.expression_attributes;
        let is =
            |row: &Item, name: &str, given: &str| row.get(name) == Some(value(attributes, given));
        let holds = match (self.rows.get(&part), input.condition_expression.as_deref()) {
            (None, _) => false,
            (Some(row), Some(IS_UNCHANGED)) => {
                let is_mine = is(row, "fence", ":fence") || self.ignores(Fence::Move);
                is_mine && (is(row, "phase", ":phase") || self.mutant == Some(Mutant::LateTaking))
            }
            (Some(row), Some(IS_EARLIER)) => {
                let is_mine = is(row, "fence", ":fence") || self.ignores(Fence::Notes);
                let phases = [":phase", ":before", ":earlier"];
                let is_earlier = phases.iter().any(|given| is(row, "phase", given));
                let number = |value: Option<&Value>| match value {
                    Some(Value::N(number)) => number.to_string().parse::<i64>().unwrap(),
                    other => panic!("{other:?}"),
                };
                let seen = number(row.get("seen")) <= number(Some(value(attributes, ":now")));
                is_mine && is_earlier && seen
            }
            (Some(row), Some(IS_MAKING)) => {
                let is_open = row.get("target").is_none() || is(row, "target", ":target");
                is(row, "move", ":move") && is(row, "phase", ":copying") && is_open
            }
            (Some(_), other) => panic!("{other:?}"),
        };
        if !holds {
            return Err(condition_failed());
        }
        let row = self.rows.get_mut(&part).unwrap();
        match input.update_expression.as_deref().unwrap() {
            "SET #target = :target" => row.insert("target", value(attributes, ":target").clone()),
            "SET #fence = :mine REMOVE #paused" => {
                row.remove("paused");
                row.insert("fence", value(attributes, ":mine").clone())
            }
            "SET #fence = :mine, #paused = :paused" => {
                row.insert("paused", value(attributes, ":paused").clone());
                row.insert("fence", value(attributes, ":mine").clone())
            }
            "SET #seen = :now, #phase = :phase" => {
                let after = value(attributes, ":phase");
                self.went_back |= order(row.get("phase").unwrap()) > order(after);
                row.insert("seen", value(attributes, ":now").clone());
                row.insert("phase", value(attributes, ":phase").clone())
            }
            other => panic!("{other}"),
        };
        Ok(Response::UpdateItem(WriteItemOutput::default()))
    }

    fn transaction(&mut self, actions: &[TransactWriteItem]) -> Result<Response, ClientError> {
        assert!(actions.len() <= 100);
        if !self.settings.has_all(actions) {
            return Err(not_found());
        }
        let holds: Vec<bool> = actions.iter().map(|action| self.holds(action)).collect();
        if holds.contains(&false) {
            let code = |holds: &bool| match holds {
                true => (ReasonCode::None, None),
                false => (ReasonCode::ConditionalCheckFailed, None),
            };
            return Err(ClientError::Service {
                kind: Some(ErrorKind::TransactionCanceled),
                exception: String::new(),
                message: String::new(),
                reasons: holds.iter().map(code).collect(),
                found: Vec::new(),
            });
        }
        // The service refuses one without actions. By that a move sees that it has transactions.
        let Some((first, effects)) = actions.split_first() else {
            return Err(service(ErrorKind::Validation));
        };
        if self.mutant.is_none() {
            self.check_counts(first, effects);
        }
        self.apply(first);
        if self.mutant == Some(Mutant::CheckpointFirst) && first.update.is_some() {
            self.later.push(effects.to_vec());
        } else {
            for action in effects {
                self.apply(action);
            }
        }
        Ok(Response::TransactWriteItems(Default::default()))
    }

    /// A checkpoint counts what is written beside it, neither more nor less.
    fn check_counts(&self, first: &TransactWriteItem, effects: &[TransactWriteItem]) {
        let Some(update) = &first.update else { return };
        if update.condition_expression.as_deref() != Some(IS_SEEN) {
            return;
        }
        let part = part_of(update.key.as_ref().unwrap().as_ref().unwrap());
        let count = |counts: Option<&Value>, name: &str| match counts {
            Some(Value::M(counts)) => match counts.get(name) {
                Some(Value::N(number)) => number.to_string().parse::<usize>().unwrap(),
                other => panic!("{name}: {other:?}"),
            },
            other => panic!("{other:?}"),
        };
        let before = self.rows[part].get("counts");
        let after = Some(value(&update.expression_attributes, ":counts"));
        let puts = effects.iter().filter_map(|action| action.put.as_ref());
        let of_target = |table: Option<&str>| table == Some(super::settings::TABLE);
        let written = puts
            .filter(|put| of_target(put.table_name.as_deref()))
            .count();
        let deleted = effects
            .iter()
            .filter(|action| action.delete.is_some())
            .count();
        for (name, now) in [("written", written), ("deleted", deleted)] {
            assert_eq!(
                count(after, name),
                count(before, name) + now,
                "{name}: {part}"
            );
        }
        assert!(count(after, "read") >= count(before, "read") + written + deleted);
    }

    fn holds(&self, action: &TransactWriteItem) -> bool {
        if let Some(check) = &action.condition_check {
            let row = self
                .rows
                .get(part_of(check.key.as_ref().unwrap().as_ref().unwrap()));
            let attributes = &check.expression_attributes;
            return match check.condition_expression.as_deref().unwrap() {
                IS_ABSENT => row.is_none() || self.mutant == Some(Mutant::NoTombstones),
                IS_MINE => {
                    let fence = value(attributes, ":fence");
                    row.is_some_and(|row| row.get("fence") == Some(fence))
                        || self.ignores(Fence::Held)
                }
                other => panic!("{other}"),
            };
        }
        if let Some(update) = &action.update {
            let attributes = &update.expression_attributes;
            let part = part_of(update.key.as_ref().unwrap().as_ref().unwrap());
            if update.condition_expression.as_deref() == Some(IS_THERE) {
                return self.rows.contains_key(part);
            }
            assert_eq!(update.condition_expression.as_deref(), Some(IS_SEEN));
            return self.rows.get(part).is_some_and(|row| {
                let fence = row.get("fence") == Some(value(attributes, ":fence"));
                let step = row.get("step") == Some(value(attributes, ":step"));
                (fence || self.ignores(Fence::Checkpoint))
                    && (step || self.mutant == Some(Mutant::NoStep))
            });
        }
        if let Some(put) = &action.put {
            let item = put.item.as_ref().unwrap().as_ref().unwrap();
            return match put.condition_expression.as_deref() {
                None => true,
                Some(IS_ABSENT) => !self.rows.contains_key(part_of(item)),
                Some(HAS_NONE) => {
                    !self.target.contains_key(text(item.get("id").unwrap()))
                        || self.mutant == Some(Mutant::CopyOverwrites)
                }
                Some(other) => panic!("{other}"),
            };
        }
        true
    }

    fn apply(&mut self, action: &TransactWriteItem) {
        if let Some(update) = &action.update {
            let part = part_of(update.key.as_ref().unwrap().as_ref().unwrap());
            let attributes = &update.expression_attributes;
            let row = self.rows.get_mut(part).unwrap();
            if update.condition_expression.as_deref() == Some(IS_THERE) {
                row.insert("fence", value(attributes, ":fence").clone());
                return;
            }
            row.insert("step", value(attributes, ":next").clone());
            row.insert("at", value(attributes, ":at").clone());
            row.insert("counts", value(attributes, ":counts").clone());
        }
        if let Some(put) = &action.put {
            let item = put.item.as_ref().unwrap().as_ref().unwrap();
            match put.table_name.as_deref() == Some(super::settings::ROWS) {
                true => self.rows.insert(part_of(item).to_owned(), item.clone()),
                false => self
                    .target
                    .insert(text(item.get("id").unwrap()).to_owned(), item.clone()),
            };
        }
        if let Some(delete) = &action.delete {
            let key = delete.key.as_ref().unwrap().as_ref().unwrap();
            self.target.remove(text(key.get("id").unwrap()));
            self.deletions += 1;
        }
    }
}

fn event(record: &Written) -> StreamEvent {
    let (sequence, key, value) = (record.number, record.key, record.value);
    StreamEvent {
        event_name: Some(Named::Known(match value {
            Some(_) => OperationType::Modify,
            None => OperationType::Remove,
        })),
        dynamodb: Some(StreamRecord {
            keys: Some(Ok(Item::from_iter([("id", format!("k{key}"))]))),
            new_image: value.map(|value| Ok(item(key, value))),
            sequence_number: Some(sequence.to_string()),
            ..StreamRecord::default()
        }),
        ..StreamEvent::default()
    }
}
