//! The binary log as it is sent to a replica, read up to a place that a snapshot holds.
//!
//! Rows wait in a queue until they are carried; the place from which the log is read after a restart moves
//! behind a transaction when all of its rows are. A long transaction is carried in pieces: its rows are read in
//! snapshots that hold it whole.

use super::ddl;
use super::place::{Place, Transactions};
use super::reading::{self, Row};
use super::session::{self, Session};
use super::table::Table;
use crate::source::SourceError;
use crate::world;
use mysql::binlog::events::{Event, EventData};
use mysql::prelude::Queryable as _;
use mysql::{BinlogRequest, Conn, OptsBuilder};
use std::cmp::Ordering;
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

/// How long the log is waited for, of which the server has said that it is there.
const READ_WITHIN: Duration = Duration::from_secs(60);
/// The largest event.
const EVENT_MAX: usize = 1 << 30;
/// Events that only MariaDB has, by their numbers.
const GTID: u8 = 162;
/// A prepared transaction of several databases: its end is another transaction.
const XA_PREPARE: u8 = 38;
const COMPRESSED: std::ops::RangeInclusive<u8> = 165..=171;
/// Flags of a transaction.
const ALONE: u8 = 1;
const PREPARED: u8 = 64;
const COMPLETED: u8 = 128;
/// The flag of events that may be passed over by those who do not know them.
const IGNORABLE: u16 = 0x80;
/// What a server answers when its log does not have a place.
const NOT_THERE: u16 = 1236;

/// What is in the queue.
#[derive(Debug)]
enum Entry {
    Row(Row),
    /// A transaction has ended here.
    End(Place),
}

/// The transaction that is being read.
#[derive(Debug)]
struct Transaction {
    domain: u32,
    server: u32,
    number: u64,
    flags: u8,
    /// What names a transaction of several databases.
    xid: Vec<u8>,
    /// Where it begins.
    start: Place,
    /// Its rows, if they are not to be carried yet.
    rows: Vec<Row>,
}

/// The log from a place on.
pub(super) struct Log {
    server_id: u32,
    stream: Option<mysql::BinlogStream>,
    /// The place behind the last event that was read.
    at: Place,
    /// The place from which all that is not carried is read again.
    kept: Place,
    queue: VecDeque<Entry>,
    /// The rows in the queue.
    waiting: usize,
    /// Counts how often the log was read anew from the place that is kept.
    generation: i64,
    open: Option<Transaction>,
    /// Prepared transactions of several databases, by what names them.
    prepared: BTreeMap<Vec<u8>, Transaction>,
}

/// Rows of the log, and what names them when they are forgotten.
pub(super) struct Read {
    pub(super) rows: Vec<Row>,
    pub(super) mark: Vec<i64>,
    pub(super) has_more: bool,
}

fn gone(what: &str) -> SourceError {
    SourceError::lasting(format!(
        "{what}, so changes were passed over: give the migration up with `keyfold migrate abort`, begin again, and \
         `keyfold migrate verify --mend` at the end"
    ))
}

impl Log {
    /// The log from a place on.
    pub(super) fn from(place: Place) -> Log {
        Log {
            server_id: world::server_number(),
            stream: None,
            at: place.clone(),
            kept: place,
            queue: VecDeque::new(),
            waiting: 0,
            generation: 0,
            open: None,
            prepared: BTreeMap::new(),
        }
    }

    /// The place to go on from.
    pub(super) fn kept(&self) -> &Place {
        &self.kept
    }

    /// Checks that a server sends its log, and has it from the place on that is kept.
    pub(super) fn check(&mut self, session: &mut Session) -> Result<(), SourceError> {
        self.connect(session)?;
        self.stream = None;
        Ok(())
    }

    /// Rows that were touched, about so many, up to a place that a snapshot holds.
    pub(super) fn read(
        &mut self,
        session: &mut Session,
        tables: &[Table],
        until: &Place,
        most: usize,
    ) -> Result<Read, SourceError> {
        if self.at.order(until) == Ordering::Greater {
            return Err(gone(
                "the log of MariaDB ends before a place that was read already (it was begun anew with RESET MASTER, \
                 the server has lost its end in a failure, or another server answers)",
            ));
        }
        while self.waiting < most && self.at.order(until) == Ordering::Less {
            if let Err(error) = self.step(session, tables) {
                self.restart();
                return Err(error);
            }
        }
        self.move_over();
        let mut count = 0;
        let mut taken = Vec::new();
        for entry in &self.queue {
            match entry {
                Entry::Row(_) if taken.len() >= most => break,
                Entry::Row(row) => taken.push(row.clone()),
                Entry::End(_) => {}
            }
            count += 1;
        }
        let taken_rows = taken.len();
        Ok(Read {
            rows: taken,
            mark: vec![self.generation, count],
            has_more: self.waiting > taken_rows || self.at.order(until) == Ordering::Less,
        })
    }

    /// Forgets rows that were carried.
    pub(super) fn forget(&mut self, mark: &[i64]) {
        let [generation, count] = mark else {
            return;
        };
        if *generation != self.generation {
            return;
        }
        for _ in 0..*count {
            match self.queue.pop_front() {
                Some(Entry::End(place)) => self.keep(place),
                Some(Entry::Row(_)) => self.waiting -= 1,
                None => {}
            }
        }
        self.move_over();
    }

    /// Goes on behind transactions of which nothing waits.
    fn move_over(&mut self) {
        while matches!(self.queue.front(), Some(Entry::End(_))) {
            if let Some(Entry::End(place)) = self.queue.pop_front() {
                self.keep(place);
            }
        }
    }

    /// Keeps a place; one before it where prepared transactions begin that have not ended.
    fn keep(&mut self, place: Place) {
        let starts = self.prepared.values().map(|one| &one.start);
        let first = starts.min_by(|one, other| one.order(other));
        let first = first.filter(|start| start.order(&place) == Ordering::Less);
        self.kept = first.cloned().unwrap_or(place);
    }

    /// Reads the log anew from the place that is kept.
    fn restart(&mut self) {
        self.stream = None;
        self.at = self.kept.clone();
        self.queue.clear();
        self.waiting = 0;
        self.open = None;
        self.prepared.clear();
        self.generation += 1;
    }

    /// Asks the server for its log, if it does not send it already.
    fn connect(&mut self, session: &mut Session) -> Result<(), SourceError> {
        if self.stream.is_some() {
            return Ok(());
        }
        self.check_place(session)?;
        if self.kept.position > u64::from(u32::MAX) {
            return Err(gone(
                "a file of the log is longer than 4 GB, and its end cannot be asked for",
            ));
        }
        let opts = OptsBuilder::from_opts(session.opts().clone())
            .read_timeout(Some(READ_WITHIN))
            .max_allowed_packet(Some(EVENT_MAX));
        let answer = |error: mysql::Error| match &error {
            mysql::Error::MySqlError(said) if said.code == NOT_THERE => gone(&format!(
                "the server does not have its log from {} on any more ({})",
                self.kept.kept(),
                said.message
            )),
            error if session::is_right(error) => SourceError::lasting(format!(
                "the role may not read the log: GRANT REPLICATION SLAVE ON *.* TO it ({error})"
            )),
            error => session::of(error),
        };
        let mut conn = Conn::new(opts).map_err(answer)?;
        // The server sends all that it has of MariaDB's own.
        conn.query_drop("SET @mariadb_slave_capability = 4, SESSION net_write_timeout = 3600")
            .map_err(answer)?;
        let request = BinlogRequest::new(self.server_id)
            .with_filename(self.kept.file.as_bytes())
            .with_pos(self.kept.position);
        let mut stream = conn.get_binlog_stream(request).map_err(answer)?;
        // The first event names the file.
        match stream.next() {
            Some(Ok(_)) => {}
            Some(Err(error)) => return Err(answer(error)),
            None => return Err(ended()),
        }
        self.stream = Some(stream);
        Ok(())
    }

    /// Checks that the server has the log that the place is of.
    fn check_place(&self, session: &mut Session) -> Result<(), SourceError> {
        let place = &self.kept;
        let before = gtids(session, &place.file, place.position)?;
        match before.as_ref() == Some(&place.before) {
            true => Ok(()),
            false => Err(gone(&format!(
                "the server does not have its log from {} on any more: it was thrown away (PURGE, \
                 binlog_expire_logs_seconds, RESET MASTER), its end was lost in a failure, or another server answers",
                place.kept()
            ))),
        }
    }

    /// Reads the next event.
    fn step(&mut self, session: &mut Session, tables: &[Table]) -> Result<(), SourceError> {
        self.connect(session)?;
        let Some(stream) = &mut self.stream else {
            return Err(ended());
        };
        let event = match stream.next() {
            Some(Ok(event)) => event,
            Some(Err(error)) => return Err(session::of(&error)),
            None => return Err(ended()),
        };
        let start = self.at.clone();
        // Events that the server makes for the reader alone have no place.
        if event.header().log_pos() != 0 {
            self.at.position = behind(self.at.position, event.header().log_pos());
        }
        self.take(&event, tables, start)
    }

    fn take(&mut self, event: &Event, tables: &[Table], start: Place) -> Result<(), SourceError> {
        let kind = event.header().event_type_raw();
        match kind {
            GTID => return self.begin(event, start),
            XA_PREPARE => {
                self.end();
                return Ok(());
            }
            kind if COMPRESSED.contains(&kind) => {
                return Err(gone(
                    "the log was compressed for a while (log_bin_compress)",
                ));
            }
            _ => {}
        }
        let data = event.read_data().map_err(|error| {
            SourceError::lasting(format!(
                "the log of MariaDB holds an event of another form ({error})"
            ))
        })?;
        match data {
            Some(EventData::RotateEvent(rotate)) => {
                self.at.file = rotate.name().into_owned();
                self.at.position = rotate.position();
            }
            Some(EventData::XidEvent(_)) => self.end(),
            Some(EventData::QueryEvent(query)) => {
                self.statement(&query.query(), &query.schema(), tables)?;
            }
            Some(EventData::RowsEvent(rows)) => {
                let stream = self.stream.as_ref();
                let map = stream.and_then(|stream| stream.get_tme(rows.table_id()));
                let map = map.ok_or_else(|| {
                    SourceError::lasting("the log of MariaDB does not say of which table rows are")
                })?;
                let rows = reading::rows(&rows, map, tables)?;
                match &mut self.open {
                    Some(open) if open.flags & PREPARED != 0 => open.rows.extend(rows),
                    _ => self.push(rows),
                }
            }
            Some(EventData::IncidentEvent(_)) => {
                return Err(gone("the server says that events are missing in its log"));
            }
            Some(EventData::TransactionPayloadEvent(_)) => {
                return Err(gone("the log was compressed for a while"));
            }
            Some(_) => {}
            None => self.unknown(event)?,
        }
        Ok(())
    }

    /// An event that is not known here: those of MariaDB that tell no rows, and those that may be passed over.
    fn unknown(&self, event: &Event) -> Result<(), SourceError> {
        let kind = event.header().event_type_raw();
        let is_known = (160..=164).contains(&kind);
        match is_known || event.header().flags_raw() & IGNORABLE != 0 {
            true => Ok(()),
            false => Err(SourceError::lasting(format!(
                "the log of MariaDB holds events of the kind {kind}, which are not known here"
            ))),
        }
    }

    fn push(&mut self, rows: Vec<Row>) {
        self.waiting += rows.len();
        self.queue.extend(rows.into_iter().map(Entry::Row));
    }

    /// A transaction begins.
    fn begin(&mut self, event: &Event, start: Place) -> Result<(), SourceError> {
        let data = event.data();
        let read = || {
            let number = u64::from_le_bytes(data.get(..8)?.try_into().ok()?);
            let domain = u32::from_le_bytes(data.get(8..12)?.try_into().ok()?);
            let flags = *data.get(12)?;
            let behind = if flags & 2 != 0 { 21 } else { 13 };
            let xid = match flags & (PREPARED | COMPLETED) {
                0 => Vec::new(),
                _ => {
                    // A kind, two lengths, and as many bytes as both say.
                    let length = |at: usize| data.get(behind + at).copied().map(usize::from);
                    let end = behind + 6 + length(4)? + length(5)?;
                    data.get(behind..end)?.to_vec()
                }
            };
            Some((domain, number, flags, xid))
        };
        let (domain, number, flags, xid) = read().ok_or_else(|| {
            SourceError::lasting("the log of MariaDB holds a transaction of another form")
        })?;
        self.open = Some(Transaction {
            domain,
            server: event.header().server_id(),
            number,
            flags,
            xid,
            start,
            rows: Vec::new(),
        });
        Ok(())
    }

    /// The transaction has ended.
    fn end(&mut self) {
        let Some(open) = self.open.take() else {
            return;
        };
        self.at
            .before
            .insert(open.domain, (open.server, open.number));
        if open.flags & PREPARED != 0 {
            self.prepared.insert(open.xid.clone(), open);
        }
        if matches!(self.queue.back(), Some(Entry::End(_))) {
            self.queue.pop_back();
        }
        self.queue.push_back(Entry::End(self.at.clone()));
    }

    /// A statement in the log.
    fn statement(&mut self, sql: &str, schema: &str, tables: &[Table]) -> Result<(), SourceError> {
        if let Some(table) = tables.iter().find(|table| ddl::harms(sql, schema, table)) {
            let shown: String = sql.chars().take(80).collect();
            return Err(gone(&format!(
                "`{}` was changed by `{shown}`, and the log does not tell its rows since",
                table.name
            )));
        }
        let mut words = sql.split_ascii_whitespace().map(str::to_ascii_uppercase);
        let words = (words.next(), words.next());
        let flags = self.open.as_ref().map_or(0, |open| open.flags);
        match (words.0.as_deref(), words.1.as_deref()) {
            (Some("XA"), Some("COMMIT" | "ROLLBACK")) if flags & COMPLETED != 0 => {
                self.complete(words.1.as_deref() == Some("COMMIT"))?;
                self.end();
            }
            (Some("COMMIT"), _) => self.end(),
            (Some("ROLLBACK"), None) => self.end(),
            _ if flags & ALONE != 0 => self.end(),
            _ => {}
        }
        Ok(())
    }

    /// A prepared transaction has ended: its rows are carried from here on, if it was not taken back.
    fn complete(&mut self, is_committed: bool) -> Result<(), SourceError> {
        let xid = self.open.as_ref().map(|open| open.xid.clone());
        match xid.and_then(|xid| self.prepared.remove(&xid)) {
            Some(prepared) if is_committed => {
                self.push(prepared.rows);
                Ok(())
            }
            None if is_committed => Err(gone(
                "a transaction of several databases (XA) was committed that was prepared before the log was read",
            )),
            Some(_) | None => Ok(()),
        }
    }
}

/// A position behind another one, of which the log tells the lower 32 bits.
fn behind(position: u64, lower: u32) -> u64 {
    const RANGE: u64 = 1 << 32;
    let found = position / RANGE * RANGE + u64::from(lower);
    match found < position {
        true => found + RANGE,
        false => found,
    }
}

fn ended() -> SourceError {
    SourceError {
        message: "MariaDB has ended the connection that its log is read by".to_owned(),
        may_pass: true,
    }
}

/// The last transactions before a place of the log; `None` where the log has no such place.
pub(super) fn gtids(
    session: &mut Session,
    file: &str,
    position: u64,
) -> Result<Option<Transactions>, SourceError> {
    let file = super::quoting::literal(file);
    let rows = session.texts(&format!(
        "SELECT BINLOG_GTID_POS({file}, {position}), BINLOG_GTID_POS({file}, {position}) IS NULL"
    ))?;
    let row = rows.first().map(Vec::as_slice).unwrap_or_default();
    match row {
        [text, is_null] if is_null == "0" => Ok(super::place::transactions(text)),
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::behind;

    #[test]
    fn positions_grow_beyond_what_the_log_tells() {
        assert_eq!(behind(4, 300), 300);
        assert_eq!(behind(4_294_967_290, 4), 4_294_967_300);
        assert_eq!(behind(4_294_967_300, 900), 4_294_968_196);
    }
}
