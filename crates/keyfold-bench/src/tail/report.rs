//! The result: a table for people, JSON for programs.

use super::arrivals::Arrivals;
use super::marks::{Kind, Mark};
use super::measured::Tail;
use crate::report::{rounded, table};
use serde_json::{Value, json};
use std::time::Duration;

fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

fn times(latency: Duration, median: Duration) -> f64 {
    latency.as_secs_f64() / median.as_secs_f64().max(1e-9)
}

fn seconds(marks: &[Mark], kind: Kind) -> f64 {
    let of_kind = marks.iter().filter(|mark| mark.kind == kind);
    of_kind.map(|mark| mark.to - mark.from).sum()
}

/// The table.
pub(super) fn text(tails: &[Tail]) -> String {
    let head = [
        "server",
        "operation",
        "load",
        "a second",
        "p50 ms",
        "p99",
        "p99.9",
        "max",
        "p99/p50",
        "p99.9/p50",
        "flushing",
        "compacting",
        "written x",
        "generator late",
    ];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for tail in tails {
        let answers = &tail.answers;
        let [p50, p99, p999, max] = answers.quantiles([0.5, 0.99, 0.999, 1.0]);
        let share = |kind| {
            let part = seconds(&tail.marks, kind) / answers.measured.as_secs_f64();
            format!("{:.0} %", part * 100.0)
        };
        let mut row = vec![
            tail.server.clone(),
            tail.operation.name().to_owned(),
            tail.arrivals.words(tail.connections),
            rounded(answers.rate()),
            format!("{:.2}", millis(p50)),
            format!("{:.2}", millis(p99)),
            format!("{:.2}", millis(p999)),
            format!("{:.1}", millis(max)),
            format!("{:.1}", times(p99, p50)),
            format!("{:.1}", times(p999, p50)),
            share(Kind::Flush),
            share(Kind::Compaction),
            tail.amplification
                .map(|times| format!("{times:.1}"))
                .unwrap_or_default(),
            match tail.arrivals {
                Arrivals::Closed => String::new(),
                Arrivals::Open { .. } => format!("{:.2} ms", millis(answers.late())),
            },
        ];
        if answers.errors > 0 {
            let first = answers.error.clone().unwrap_or_default();
            row.push(format!("{} errors: {first}", answers.errors));
        }
        rows.push(row);
    }
    table(&rows)
}

/// The same for programs.
pub(super) fn json(tails: &[Tail]) -> Value {
    let one = |tail: &Tail| {
        let answers = &tail.answers;
        let [p50, p99, p999, max] = answers
            .quantiles([0.5, 0.99, 0.999, 1.0])
            .map(|latency| latency.as_micros() as u64);
        let (open_rate, connections) = match tail.arrivals {
            Arrivals::Closed => (None, Some(tail.connections)),
            Arrivals::Open { rate } => (Some(rate), None),
        };
        json!({
            "server": tail.server,
            "operation": tail.operation.name(),
            "connections": connections,
            "open_rate": open_rate,
            "rate": answers.rate(),
            "p50_micros": p50,
            "p99_micros": p99,
            "p999_micros": p999,
            "max_micros": max,
            "errors": answers.errors,
            "flush_seconds": seconds(&tail.marks, Kind::Flush),
            "compaction_seconds": seconds(&tail.marks, Kind::Compaction),
            "written_for_each_byte": tail.amplification,
            "generator_late_p99_micros": answers.late().as_micros() as u64,
        })
    };
    Value::Array(tails.iter().map(one).collect())
}
