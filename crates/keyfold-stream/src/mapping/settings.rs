//! The settings of a mapping, and the text that has them.

use crate::mapping::filter::Pattern;
use crate::start::Start;
use keyfold_types::limits::{NAME_CHARS_MAX, NAME_CHARS_MIN};
use serde_json::Value as Json;
use std::ops::RangeInclusive;
use std::time::Duration;

/// The most records of a batch.
const BATCH: RangeInclusive<u64> = 1..=10_000;
/// The longest time that a batch waits for more records, in seconds.
const WINDOW: RangeInclusive<u64> = 0..=300;
/// The batches of a shard that are handled at the same time.
const PARALLEL: RangeInclusive<u64> = 1..=10;
const RETRIES: RangeInclusive<u64> = 0..=10_000;
/// The age of a record, in seconds.
const MAX_AGE: RangeInclusive<u64> = 60..=604_800;
/// The longest time of an invocation, in seconds.
const TIMEOUT: RangeInclusive<u64> = 1..=900;
/// The most filters of a mapping.
const FILTERS_MAX: usize = 5;

/// What becomes of a table's records: AWS's parameters of an event source mapping.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// The table whose stream is read.
    pub table: String,
    /// The function: a URL or a command.
    pub target: String,
    /// The name under which the positions are kept.
    pub name: String,
    /// The most records of an event: `BatchSize`.
    pub batch: usize,
    /// How long a batch that is not full waits: `MaximumBatchingWindowInSeconds`.
    pub window: Duration,
    /// The batches of a shard that are handled at the same time: `ParallelizationFactor`.
    pub parallel: usize,
    /// Where a mapping begins that has never run: `StartingPosition`.
    pub start: Start,
    /// How often a batch is tried again; `None` until its records expire: `MaximumRetryAttempts`.
    pub retries: Option<u32>,
    /// Older records are discarded; `None`: none are: `MaximumRecordAgeInSeconds`.
    pub max_age: Option<Duration>,
    /// Whether a batch that failed is split in two: `BisectBatchOnFunctionError`.
    pub bisect: bool,
    /// Whether an answer may name the records that failed: `ReportBatchItemFailures`.
    pub report_failures: bool,
    /// The records that are handled: those that one of the patterns matches; all without any.
    pub filters: Vec<Pattern>,
    /// The file to which a line is added for each batch that is discarded.
    pub on_failure: Option<String>,
    /// How long an invocation may take: the function's `Timeout`.
    pub timeout: Duration,
}

impl Settings {
    /// A mapping with AWS's defaults. Its name is that of the table and the target.
    pub fn new(table: &str, target: &str) -> Settings {
        Settings {
            table: table.to_owned(),
            target: target.to_owned(),
            name: format!("on-stream {table} {target}"),
            batch: 100,
            window: Duration::ZERO,
            parallel: 1,
            start: Start::Oldest,
            retries: None,
            max_age: None,
            bisect: false,
            report_failures: false,
            filters: Vec::new(),
            on_failure: None,
            timeout: Duration::from_secs(60),
        }
    }

    /// Reads `TABLE=TARGET`, with settings behind a question mark: `Orders=./handler?batch=10&bisect`.
    ///
    /// # Errors
    /// A sentence about the first part that is wrong.
    pub fn parse(text: &str) -> Result<Settings, String> {
        let (place, mut rest) = text.split_once('?').unwrap_or((text, ""));
        let place = place
            .split_once('=')
            .filter(|(table, target)| !table.trim().is_empty() && !target.trim().is_empty());
        let (table, target) = place.ok_or_else(|| {
            format!("`{text}` is no mapping: write TABLE=TARGET, such as Orders=./handler")
        })?;
        let (table, target) = (table.trim(), target.trim());
        check_table(table)?;
        let mut settings = Settings::new(table, target);
        let mut seen: Vec<&str> = Vec::new();
        while !rest.is_empty() {
            let (name, value, after) = next_setting(rest)?;
            if seen.contains(&name) && name != "filter" {
                return Err(format!("`{name}` is written twice"));
            }
            seen.push(name);
            settings.set(name, value)?;
            rest = after;
        }
        Ok(settings)
    }

    fn set(&mut self, name: &str, value: Option<&str>) -> Result<(), String> {
        let is_flag = matches!(name, "bisect" | "report-failures");
        if let (true, Some(value)) = (is_flag, value) {
            return Err(format!(
                "`{name}` takes no value: write {name} without `={value}`"
            ));
        }
        let value = value.unwrap_or_default();
        let seconds = |range| whole(name, value, range).map(Duration::from_secs);
        let count = |range| whole(name, value, range).map(|n| usize::try_from(n).unwrap_or(1));
        match name {
            "batch" => self.batch = count(BATCH)?,
            "window" => self.window = seconds(WINDOW)?,
            "parallel" => self.parallel = count(PARALLEL)?,
            "timeout" => self.timeout = seconds(TIMEOUT)?,
            "retries" if value == "-1" => self.retries = None,
            "retries" => {
                let retries = whole(name, value, RETRIES).map_err(or_infinite)?;
                self.retries = u32::try_from(retries).ok();
            }
            "max-age" if value == "-1" => self.max_age = None,
            "max-age" => self.max_age = Some(seconds(MAX_AGE).map_err(or_infinite)?),
            "bisect" => self.bisect = true,
            "report-failures" => self.report_failures = true,
            "start" => self.start = start(value)?,
            "filter" => self.add_filter(value)?,
            "on-failure" if value.is_empty() => {
                return Err("`on-failure` is the name of a file, such as failed.jsonl".to_owned());
            }
            "on-failure" => self.on_failure = Some(value.to_owned()),
            "name" if value.is_empty() => return Err("`name` is a text".to_owned()),
            "name" => value.clone_into(&mut self.name),
            other => {
                return Err(format!(
                    "there is no setting `{other}`: batch, window, parallel, start, retries, max-age, \
                     bisect, report-failures, filter, on-failure, timeout and name are the settings"
                ));
            }
        }
        Ok(())
    }

    fn add_filter(&mut self, text: &str) -> Result<(), String> {
        self.filters.push(Pattern::parse(text)?);
        match self.filters.len() > FILTERS_MAX {
            true => Err(format!("a mapping has at most {FILTERS_MAX} filters")),
            false => Ok(()),
        }
    }

    /// Whether a record, as the event has it, is handled.
    pub(crate) fn keeps(&self, record: &Json) -> bool {
        self.filters.is_empty() || self.filters.iter().any(|pattern| pattern.matches(record))
    }
}

/// Refuses a name that no table can have.
fn check_table(name: &str) -> Result<(), String> {
    let is_of_names = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    if !name.chars().all(is_of_names) {
        return Err(format!(
            "no table is called `{name}`: the names of tables have letters, digits and _.-"
        ));
    }
    let (least, most) = (NAME_CHARS_MIN, NAME_CHARS_MAX);
    match (least..=most).contains(&name.len()) {
        true => Ok(()),
        false => Err(format!(
            "no table is called `{name}`: the names of tables have {least} to {most} characters"
        )),
    }
}

/// The next setting of a text, its value, and what follows it. A value in JSON may have an `&`.
fn next_setting(text: &str) -> Result<(&str, Option<&str>, &str), String> {
    let plain_end = text.find('&').unwrap_or(text.len());
    let named = text.find('=').filter(|at| *at < plain_end);
    let Some(equals) = named else {
        let (name, rest) = text.split_at(plain_end);
        return Ok((name, None, rest.strip_prefix('&').unwrap_or(rest)));
    };
    let (name, value) = text.split_at(equals);
    let value = value.strip_prefix('=').unwrap_or(value);
    let end = match value.starts_with(['{', '[']) {
        false => value.find('&').unwrap_or(value.len()),
        true => {
            let mut documents = serde_json::Deserializer::from_str(value).into_iter::<Json>();
            match documents.next() {
                Some(Ok(_)) => documents.byte_offset(),
                Some(Err(error)) => return Err(format!("`{name}` is no JSON: {error}")),
                None => value.len(),
            }
        }
    };
    let (value, rest) = value.split_at_checked(end).unwrap_or((value, ""));
    match rest.strip_prefix('&') {
        Some(rest) => Ok((name, Some(value), rest)),
        None if rest.is_empty() => Ok((name, Some(value), "")),
        None => Err(format!("`&` belongs between `{name}` and `{rest}`")),
    }
}

fn whole(name: &str, value: &str, range: RangeInclusive<u64>) -> Result<u64, String> {
    let number = value.parse().ok().filter(|number| range.contains(number));
    number.ok_or_else(|| {
        let (least, most) = (range.start(), range.end());
        format!("`{name}` is a whole number from {least} to {most}, and not `{value}`")
    })
}

fn or_infinite(why: String) -> String {
    format!("{why}; -1 means: until the records expire")
}

fn start(value: &str) -> Result<Start, String> {
    match value.to_ascii_lowercase().as_str() {
        "trim_horizon" | "oldest" => Ok(Start::Oldest),
        "latest" => Ok(Start::Latest),
        _ => Err(format!(
            "`start` is trim_horizon or latest, and not `{value}`"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_those_of_aws() {
        let settings = Settings::parse("Orders=./handler").unwrap();
        assert_eq!(settings, Settings::new("Orders", "./handler"));
        assert_eq!((settings.batch, settings.retries), (100, None));
    }

    #[test]
    fn settings_stand_behind_a_question_mark() {
        let settings = Settings::parse(
            "Orders=node handler.mjs?batch=10&window=1&retries=3&bisect&report-failures\
             &filter={\"eventName\":[\"A&B?\"]}&filter={\"eventName\":[\"REMOVE\"]}\
             &on-failure=failed.jsonl&start=latest&max-age=60&parallel=2&timeout=3&name=a",
        )
        .unwrap();
        let two = settings.filters.clone();
        assert_eq!(two.len(), 2);
        let wanted = Settings {
            name: "a".to_owned(),
            batch: 10,
            window: Duration::from_secs(1),
            parallel: 2,
            start: Start::Latest,
            retries: Some(3),
            max_age: Some(Duration::from_secs(60)),
            bisect: true,
            report_failures: true,
            filters: two,
            on_failure: Some("failed.jsonl".to_owned()),
            timeout: Duration::from_secs(3),
            ..Settings::new("Orders", "node handler.mjs")
        };
        assert_eq!(settings, wanted);
    }

    #[test]
    fn wrong_settings_are_refused_with_a_sentence() {
        for (text, why) in [
            ("Orders", "write TABLE=TARGET"),
            ("=x", "write TABLE=TARGET"),
            ("T a=x", "no table is called"),
            ("To=x", "3 to 255 characters"),
            ("Tab=x?batch=0", "from 1 to 10000"),
            ("Tab=x?batch=10001", "from 1 to 10000"),
            ("Tab=x?window=301", "from 0 to 300"),
            ("Tab=x?parallel=11", "from 1 to 10"),
            ("Tab=x?retries=10001", "-1 means"),
            ("Tab=x?max-age=59", "from 60 to 604800"),
            ("Tab=x?start=now", "trim_horizon or latest"),
            ("Tab=x?bisect=yes", "takes no value"),
            ("Tab=x?batch=1&batch=2", "written twice"),
            ("Tab=x?size=1", "no setting `size`"),
            ("Tab=x?filter={", "no JSON"),
            ("Tab=x?filter={}x", "`&` belongs"),
            ("Tab=x?filter={}", "at least one"),
            ("Tab=x?on-failure=", "name of a file"),
        ] {
            let error = Settings::parse(text).unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
