//! The report of a soak, as text and as a picture, and the verdict.

use super::result::{Sample, Soak};
use crate::report::{rounded, table};
use plotters::prelude::*;
use std::path::Path;

/// A measurement of a minute, as a line of the picture.
type Line = fn(&Sample) -> f64;

const MIB: f64 = 1024.0 * 1024.0;
/// Minutes until the number of expiring items is steady.
const SETTLED: usize = 10;

fn micros(sample: &Sample, quantile: f64) -> f64 {
    sample.traffic.latency.value_at_quantile(quantile) as f64 / 1000.0
}

/// The measurements of a minute as a line of progress.
pub(super) fn line(minute: u64, sample: &Sample) -> String {
    format!(
        "minute {minute}: {} answers, {} errors, p50 {:.0} µs, p99 {:.0} µs, {:.0} MiB of memory, {:.0} MiB of files",
        sample.traffic.answers,
        sample.traffic.errors,
        micros(sample, 0.5),
        micros(sample, 0.99),
        sample.memory as f64 / MIB,
        sample.disk as f64 / MIB
    )
}

fn mean(samples: &[Sample], of: impl Fn(&Sample) -> f64) -> f64 {
    samples.iter().map(of).sum::<f64>() / samples.len().max(1) as f64
}

/// The first and the last third of the time with a steady number of items; none if it is too short.
fn thirds(soak: &Soak) -> Option<(&[Sample], &[Sample])> {
    let settled = soak.samples.get(SETTLED..)?;
    let third = settled.len() / 3;
    (third > 0).then(|| (&settled[..third], &settled[settled.len() - third..]))
}

/// The ways in which the soak failed.
pub(super) fn faults(soak: &Soak) -> Vec<String> {
    let mut faults = Vec::new();
    let errors: u64 = soak
        .samples
        .iter()
        .map(|sample| sample.traffic.errors)
        .sum();
    if errors > 0 {
        let first = soak
            .samples
            .iter()
            .find_map(|sample| sample.traffic.error.clone());
        faults.push(format!(
            "{errors} errors, the first: {}",
            first.unwrap_or_default()
        ));
    }
    if let Some((first, last)) = thirds(soak) {
        let growth = |of: fn(&Sample) -> f64| mean(last, of) / mean(first, of);
        let memory = growth(|sample| sample.memory as f64);
        if memory > 1.15 {
            faults.push(format!("memory grew by a factor of {memory:.2}"));
        }
        let latency = growth(|sample| micros(sample, 0.5));
        if latency > 1.5 {
            faults.push(format!(
                "the median latency grew by a factor of {latency:.2}"
            ));
        }
    }
    if soak.disk_after_deletion > soak.disk_without_tables_max() {
        faults.push("the space of the deleted tables was not released".to_owned());
    }
    faults
}

/// The report, as Markdown.
pub(super) fn text(soak: &Soak) -> String {
    let mut rows = vec![
        [
            "minutes", "answers", "errors", "p50", "p99", "p99.9", "memory", "files",
        ]
        .map(str::to_owned)
        .to_vec(),
    ];
    let step = (soak.samples.len() / 12).max(1);
    for (at, samples) in soak.samples.chunks(step).enumerate() {
        let sum = |of: fn(&Sample) -> u64| samples.iter().map(of).sum::<u64>();
        let mut row = vec![
            format!("{} to {}", at * step + 1, at * step + samples.len()),
            rounded(sum(|sample| sample.traffic.answers) as f64),
            sum(|sample| sample.traffic.errors).to_string(),
        ];
        row.extend(
            [0.5, 0.99, 0.999].map(|quantile| {
                format!("{:.0} µs", mean(samples, |sample| micros(sample, quantile)))
            }),
        );
        row.push(format!(
            "{:.0} MiB",
            mean(samples, |sample| sample.memory as f64 / MIB)
        ));
        row.push(format!(
            "{:.0} MiB",
            mean(samples, |sample| sample.disk as f64 / MIB)
        ));
        rows.push(row);
    }
    let faults = faults(soak);
    let verdict = if faults.is_empty() {
        let judged = if thirds(soak).is_some() {
            "flat memory, stable latency"
        } else {
            "too short to judge memory"
        };
        format!("No errors, {judged}, and the space was released.")
    } else {
        format!("Failed: {}.", faults.join("; "))
    };
    format!(
        "{} minutes at {} requests a second: 30 % GetItem, 20 % Query, 25 % PutItem, 12 % UpdateItem, 5 % DeleteItem, 4 % \
         TransactWriteItems, 4 % BatchWriteItem. Items live {} to {} s. {} stream records were read, and {} \
         backups made, each deleted after the next.\n\n```text\n{}```\n\nAfter `DeleteTable` the files shrank to {:.0} MiB within {:.0} s (the log, and the stream's records, which stay a day). \
         {verdict}\n",
        soak.samples.len(),
        rounded(soak.load.rate as f64),
        soak.load.lifetime_s,
        2 * soak.load.lifetime_s,
        rounded(soak.followed as f64),
        soak.backups,
        table(&rows),
        soak.disk_after_deletion as f64 / MIB,
        soak.shrinking_s,
    )
}

/// Draws memory, files and latencies over time.
pub(super) fn plot(soak: &Soak, file: &Path) -> Result<(), String> {
    let lines: [(&str, Line); 4] = [
        ("memory, MiB", |sample| sample.memory as f64 / MIB),
        ("files, MiB", |sample| sample.disk as f64 / MIB),
        ("median latency, µs", |sample| micros(sample, 0.5)),
        ("99th percentile, µs", |sample| micros(sample, 0.99)),
    ];
    let root = SVGBackend::new(file, (860, 880)).into_drawing_area();
    root.fill(&WHITE).map_err(|error| error.to_string())?;
    for (area, (name, of)) in root.split_evenly((lines.len(), 1)).iter().zip(lines) {
        let top = soak.samples.iter().map(of).fold(1.0, f64::max) * 1.1;
        let mut chart = ChartBuilder::on(area)
            .caption(name, ("sans-serif", 16))
            .margin(8)
            .x_label_area_size(24)
            .y_label_area_size(60)
            .build_cartesian_2d(0.0..soak.samples.len() as f64, 0.0..top)
            .map_err(|error| error.to_string())?;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .x_desc("minutes")
            .draw()
            .map_err(|error| error.to_string())?;
        let points: Vec<_> = soak
            .samples
            .iter()
            .enumerate()
            .map(|(at, sample)| (at as f64 + 1.0, of(sample)))
            .collect();
        chart
            .draw_series(std::iter::once(PathElement::new(
                points,
                BLUE.stroke_width(2),
            )))
            .map_err(|error| error.to_string())?;
    }
    root.present().map_err(|error| error.to_string())
}
