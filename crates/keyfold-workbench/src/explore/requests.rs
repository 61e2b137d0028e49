//! The requests that a server has answered since it began, by operation: how many, with which outcome, and how fast.
//!
//! A Keyfold server counts them (`/metrics`). The page asks again and again, and shows what has come between two
//! answers.

use super::fault::Fault;
use super::place::Place;
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeMap;

/// The counter of requests, with the labels `operation` and `outcome`.
const REQUESTS: &str = "keyfold_requests_total";
/// How many requests of an operation took up to `le` seconds.
const SECONDS: &str = "keyfold_request_seconds_bucket";
/// The connections that are open.
const CONNECTIONS: &str = "keyfold_connections";

/// What is counted of an operation.
#[derive(Default)]
struct Counted {
    /// The requests of each outcome: `ok`, or the name of an exception.
    outcomes: Map<String, Json>,
    /// An upper bound in seconds, none for any time, and the requests that took as long at the most.
    within: Vec<(Option<f64>, u64)>,
}

/// The counters of the place, as the page gets them; `why` where there are none.
pub(super) fn counted(place: &Place) -> Result<Json, Fault> {
    let text = (place.counters)().map_err(Fault::because)?;
    Ok(match text {
        Some(text) => read(&text),
        None if place.backend.is_embedded() => json!({
            "why": "There is no server here: nobody but this page asks these tables."
        }),
        None => json!({
            "why": "This endpoint is no Keyfold server, and counts elsewhere: Amazon DynamoDB in CloudWatch."
        }),
    })
}

fn read(text: &str) -> Json {
    let mut operations: BTreeMap<String, Counted> = BTreeMap::new();
    let mut connections = None;
    for line in text.lines() {
        let Some((name, labels, value)) = sample(line) else {
            continue;
        };
        let of = |label: &str| {
            let found = labels.iter().find(|(name, _)| *name == label);
            found.map(|(_, value)| (*value).to_owned())
        };
        match (name, of("operation")) {
            (CONNECTIONS, _) => connections = Some(value),
            (REQUESTS, Some(operation)) => {
                if let Some(outcome) = of("outcome") {
                    let own = operations.entry(operation).or_default();
                    own.outcomes.insert(outcome, value.into());
                }
            }
            (SECONDS, Some(operation)) => {
                let most = of("le").and_then(|most| most.parse::<f64>().ok());
                let most = most.filter(|most| most.is_finite());
                let own = operations.entry(operation).or_default();
                own.within.push((most, value));
            }
            _ => {}
        }
    }
    let all = operations.into_iter().map(|(name, counted)| {
        json!({ "name": name, "outcomes": counted.outcomes, "within": counted.within })
    });
    json!({ "operations": all.collect::<Vec<_>>(), "connections": connections })
}

/// A line of counters: its name, its labels, and its count.
type Sample<'l> = (&'l str, Vec<(&'l str, &'l str)>, u64);

/// The counters of a line. `None` for comments, and for what is no count.
fn sample(line: &str) -> Option<Sample<'_>> {
    let (head, value) = line.rsplit_once(' ')?;
    let value = value.parse::<u64>().ok()?;
    let Some((name, labels)) = head.split_once('{') else {
        return Some((head, Vec::new(), value));
    };
    // No label of a server has a comma or a quotation mark in its value.
    let labels = labels.strip_suffix('}')?.split(',');
    let labels = labels.map(|label| {
        let (name, value) = label.split_once('=')?;
        Some((name, value.strip_prefix('"')?.strip_suffix('"')?))
    });
    Some((name, labels.collect::<Option<_>>()?, value))
}

#[cfg(test)]
mod tests {
    use super::read;
    use serde_json::json;

    #[test]
    fn counters_are_read_by_operation() {
        let text = "# HELP keyfold_requests Requests by operation and outcome.\n\
            # TYPE keyfold_requests counter\n\
            keyfold_requests_total{operation=\"GetItem\",outcome=\"ok\"} 7\n\
            keyfold_requests_total{outcome=\"ProvisionedThroughputExceededException\",operation=\"GetItem\"} 2\n\
            keyfold_request_seconds_sum{operation=\"GetItem\"} 0.5\n\
            keyfold_request_seconds_bucket{le=\"0.0001\",operation=\"GetItem\"} 6\n\
            keyfold_request_seconds_bucket{le=\"+Inf\",operation=\"GetItem\"} 9\n\
            keyfold_requests_total{operation=\"broken\n\
            keyfold_connections 3\n# EOF\n";
        let get = json!({
            "name": "GetItem",
            "outcomes": { "ok": 7, "ProvisionedThroughputExceededException": 2 },
            "within": [[0.0001, 6], [null, 9]],
        });
        let due = json!({ "operations": [get], "connections": 3 });
        assert_eq!(read(text), due);
        assert_eq!(read(""), json!({ "operations": [], "connections": null }));
    }
}
