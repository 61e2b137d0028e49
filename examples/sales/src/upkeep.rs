//! A worker: it keeps the views until its standard input ends. Its output is a line of JSON for each
//! thing that it reports.

use crate::model::SalesClient;
use keyfold::stream::Report;
use keyfold::views::{ViewOptions, ViewReport};
use keyfold::{Error, Keyfold};
use serde::{Deserialize, Serialize};
use std::io::{Read, Write};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// The time after which the work of a worker that was killed is another one's.
const LEASE_TIME: Duration = Duration::from_secs(2);
const DISCOVERY_TIME: Duration = Duration::from_secs(1);
const POLL_TIME: Duration = Duration::from_millis(200);
/// The time between two looks whether the worker has stopped by itself.
const LOOK: Duration = Duration::from_millis(100);

/// What a worker reports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Reported {
    /// It has handled so many records.
    Handled(usize),
    /// It handles so many shards more from now on, or fewer.
    Took(i64),
    /// Something else, for people.
    Said(String),
}

/// The settings of the upkeep, which all workers share.
pub fn options() -> ViewOptions {
    let mut options = ViewOptions {
        rebuild: true,
        ..ViewOptions::default()
    };
    options.consumers.lease_time = LEASE_TIME;
    options.consumers.discovery_time = DISCOVERY_TIME;
    options.consumers.poll_time = POLL_TIME;
    options
}

/// Keeps the views of a database until standard input ends.
///
/// # Errors
/// Those of the database, and the reason for which the worker has stopped by itself.
pub fn keep(connection: &str) -> Result<(), Error> {
    let database = Keyfold::connect(connection)?;
    let client = SalesClient::new(&database)?;
    let options = ViewOptions {
        on_report: Arc::new(report),
        ..options()
    };
    let worker = database.views(client.database()).with(options).start()?;
    let (sender, ended) = channel::<()>();
    std::thread::spawn(move || {
        // An input that cannot be read has ended, too.
        std::io::stdin().read_to_end(&mut Vec::new()).unwrap_or(0);
        drop(sender);
    });
    while !worker.has_stopped() && ended.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {}
    worker.stop()?;
    database.close()
}

/// The name of a view, in whose whole name its table comes first.
pub(crate) fn without_table(view: &str) -> &str {
    view.split_once('.').map_or(view, |(_, name)| name)
}

/// A report for people. What is tried again says so; why is for the log.
fn said(view: &str, report: &ViewReport) -> String {
    let (sentence, why) = if let ViewReport::Consumer(Report::Failed { records, why, .. }) = report
    {
        (format!("{records} records are tried again."), why)
    } else if let ViewReport::Consumer(Report::Trouble(why)) | ViewReport::Trouble(why) = report {
        ("a request failed, and is tried again.".to_owned(), why)
    } else {
        return report.to_string();
    };
    // Where there is no log, nobody can be asked for it.
    writeln!(std::io::stderr(), "{view}: {sentence} {why}").unwrap_or_default();
    sentence
}

fn report(view: &str, report: &ViewReport) {
    let view = without_table(view);
    let is_taken = matches!(report, ViewReport::Consumer(Report::Taken(_)));
    let is_gone = matches!(
        report,
        ViewReport::Consumer(Report::Lost(_) | Report::Released(_) | Report::Ended(_))
    );
    let reported = if let ViewReport::Consumer(Report::Handled { records, .. }) = report {
        Reported::Handled(*records)
    } else if is_taken || is_gone {
        Reported::Took(if is_taken { 1 } else { -1 })
    } else {
        Reported::Said(format!("{view}: {}", said(view, report)))
    };
    let Ok(line) = serde_json::to_string(&reported) else {
        return;
    };
    // A parent that does not read any more has ended, and so has the input.
    writeln!(std::io::stdout(), "{line}").unwrap_or_default();
}
