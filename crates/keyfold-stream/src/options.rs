//! The settings of a consumer.

use crate::gap::{AtGap, Gap};
use crate::report::Report;
use crate::start::Start;
use keyfold_api::StreamEvent;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// The decision about gaps.
pub type OnGap = Arc<dyn Fn(&Gap) -> AtGap + Send + Sync>;
/// The choice of records.
pub type Filter = Arc<dyn Fn(&StreamEvent) -> bool + Send + Sync>;
/// The listener of a worker.
pub type OnReport = Arc<dyn Fn(&Report) + Send + Sync>;

/// The settings of a consumer.
#[derive(Clone)]
pub struct Options {
    /// The consumer's name. Workers with one name share the shards of the table's stream; consumers
    /// with different names each see all records.
    pub name: String,
    /// The table whose stream is read.
    pub table: String,
    /// The table of the leases, created if it is absent. Several consumers may share it.
    pub leases: String,
    /// The table of the records that were set aside, created if it is absent.
    pub failures: String,
    /// Where a consumer begins that has never run.
    pub start: Start,
    /// How long a worker may be silent before others take its shards.
    pub lease_time: Duration,
    /// The time between two looks at the stream's shards. One is made at the end of a shard, too.
    pub discovery_time: Duration,
    /// The time between two looks at a shard that had no records.
    pub poll_time: Duration,
    /// The most records that are handled at once, 1 to 10,000.
    pub batch: usize,
    /// How long a batch that is not full waits for more records.
    pub window: Duration,
    /// The number of threads that handle the parts of a batch at the same time. All records of an item
    /// are in one part, in order. The effects of all parts are one transaction: writes of one model are put
    /// together, other calls ([`Effects::of_call`](crate::Effects::of_call)) only where they can be.
    pub lanes: usize,
    /// How often a batch that failed is tried again before it is divided, and a single record before it
    /// is set aside.
    pub retries: u32,
    /// The pause before the first retry; each further one doubles it, up to ten seconds.
    pub retry_pause: Duration,
    /// What happens at a gap; see [`Options::on_gap`].
    pub on_gap: OnGap,
    /// The choice of records; see [`Options::filter`].
    pub filter: Option<Filter>,
    /// The listener; see [`Options::on_report`].
    pub on_report: OnReport,
}

impl Options {
    /// The settings of a consumer of a table's stream.
    pub fn new(name: impl Into<String>, table: impl Into<String>) -> Options {
        Options {
            name: name.into(),
            table: table.into(),
            leases: "keyfold_leases".to_owned(),
            failures: "keyfold_failures".to_owned(),
            start: Start::Oldest,
            lease_time: Duration::from_secs(10),
            discovery_time: Duration::from_secs(5),
            poll_time: Duration::from_millis(250),
            batch: 1_000,
            window: Duration::ZERO,
            lanes: 1,
            retries: 2,
            retry_pause: Duration::from_millis(100),
            on_gap: Arc::new(|_| AtGap::Stop),
            filter: None,
            on_report: Arc::new(|_| {}),
        }
    }

    /// Decides what happens at a gap; by default the worker stops.
    #[must_use]
    pub fn on_gap(mut self, decide: impl Fn(&Gap) -> AtGap + Send + Sync + 'static) -> Options {
        self.on_gap = Arc::new(decide);
        self
    }

    /// Leaves out the records for which the function returns false.
    #[must_use]
    pub fn filter(
        mut self,
        keeps: impl Fn(&StreamEvent) -> bool + Send + Sync + 'static,
    ) -> Options {
        self.filter = Some(Arc::new(keeps));
        self
    }

    /// Calls a function with what the worker does, for logs and figures.
    #[must_use]
    pub fn on_report(mut self, listen: impl Fn(&Report) + Send + Sync + 'static) -> Options {
        self.on_report = Arc::new(listen);
        self
    }

    /// Checks the settings.
    ///
    /// # Errors
    /// A sentence that names the wrong one.
    pub(crate) fn check(&self) -> Result<(), String> {
        let names = [
            ("name", &self.name),
            ("table", &self.table),
            ("leases", &self.leases),
            ("failures", &self.failures),
        ];
        if let Some((which, _)) = names.iter().find(|(_, text)| text.is_empty()) {
            return Err(format!("the consumer's `{which}` is empty"));
        }
        if self.name.contains(['\u{0}', ' ']) {
            return Err("the consumer's `name` has a space".to_owned());
        }
        if self.leases == self.failures {
            return Err("`leases` and `failures` are one table: name two".to_owned());
        }
        if [&self.leases, &self.failures].contains(&&self.table) {
            return Err(format!(
                "the table {} is to have leases or failures, and is the one whose stream is read: \
                 each lease would be a record",
                self.table
            ));
        }
        if !(1..=10_000).contains(&self.batch) {
            return Err(format!("`batch` is {}, and not 1 to 10,000", self.batch));
        }
        if !(1..=64).contains(&self.lanes) {
            return Err(format!("`lanes` is {}, and not 1 to 64", self.lanes));
        }
        if self.lease_time < Duration::from_millis(300) {
            return Err(format!(
                "`lease_time` is {:?}: a lease that is renewed three times in less than 300 ms is \
                 lost at each pause of the machine",
                self.lease_time
            ));
        }
        Ok(())
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("name", &self.name)
            .field("table", &self.table)
            .finish_non_exhaustive()
    }
}
