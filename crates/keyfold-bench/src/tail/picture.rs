//! Latency over time, with the server's flushes and compactions marked.

use super::arrivals::{self, Arrivals};
use super::marks::Kind;
use super::measured::Tail;
use plotters::coord::Shift;
use plotters::prelude::*;
use std::path::Path;
use std::time::Duration;

/// The time of one point.
const BIN: f64 = 0.1;
const SIZE: (u32, u32) = (960, 360);

type Drawn = Result<(), DrawingAreaErrorKind<<SVGBackend<'static> as DrawingBackend>::ErrorType>>;
/// A quantile over time, in seconds and milliseconds.
type Points = Vec<(f64, f64)>;

/// Draws one measurement into the folder.
pub(super) fn draw(tail: &Tail, folder: &Path) -> Result<(), String> {
    let load = match tail.arrivals {
        Arrivals::Closed => tail.connections.to_string(),
        Arrivals::Open { rate } => format!("open-{rate:.0}"),
    };
    let words = format!("tail-{}-{}-{load}", tail.server, tail.operation.name());
    let name: String = words
        .to_lowercase()
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join("-");
    let file = folder.join(format!("{name}.svg"));
    let area = SVGBackend::new(&file, SIZE).into_drawing_area();
    onto(&area, tail).map_err(|error| format!("cannot draw {}: {error}", file.display()))
}

/// The latencies of each bin at the median, the 99th percentile, and the highest.
fn lines(tail: &Tail) -> [Points; 3] {
    let bins = (tail.answers.measured.as_secs_f64() / BIN).ceil() as usize + 1;
    let mut took: Vec<Vec<Duration>> = vec![Vec::new(); bins];
    for answer in &tail.answers.good {
        let bin = (answer.at.as_secs_f64() / BIN) as usize;
        if let Some(bin) = took.get_mut(bin) {
            bin.push(answer.took);
        }
    }
    let mut lines = [Points::new(), Points::new(), Points::new()];
    for (number, bin) in took.iter_mut().enumerate() {
        if bin.is_empty() {
            continue;
        }
        let latencies = arrivals::at(bin, [0.5, 0.99, 1.0]);
        for (line, latency) in lines.iter_mut().zip(latencies) {
            line.push((number as f64 * BIN, latency.as_secs_f64() * 1000.0));
        }
    }
    lines
}

fn onto(area: &DrawingArea<SVGBackend<'_>, Shift>, tail: &Tail) -> Drawn {
    area.fill(&WHITE)?;
    let lines = lines(tail);
    let highest = lines.iter().flatten().map(|point| point.1);
    let top = highest.fold(1.0, f64::max) * 1.5;
    let until = tail.answers.measured.as_secs_f64();
    let title = format!(
        "{}, {}, {}: latency",
        tail.server,
        tail.operation.name(),
        tail.arrivals.words(tail.connections)
    );
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 15))
        .margin(8)
        .x_label_area_size(34)
        .y_label_area_size(54)
        .build_cartesian_2d(0.0..until, (0.05..top).log_scale())?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .x_desc("seconds")
        .y_desc("milliseconds (logarithmic)")
        .draw()?;
    let bands = [
        (Kind::Compaction, RGBColor(235, 214, 178), "compactions"),
        (Kind::Flush, RGBColor(190, 214, 240), "flushes"),
    ];
    for (kind, colour, name) in bands {
        let of_kind = tail.marks.iter().filter(|mark| mark.kind == kind);
        let band = of_kind.map(|mark| {
            let (from, to) = (mark.from.max(0.0), mark.to.min(until));
            Rectangle::new(
                [(from, 0.05), (to.max(from), top)],
                colour.mix(0.6).filled(),
            )
        });
        chart
            .draw_series(band)?
            .label(name)
            .legend(move |(x, y)| Rectangle::new([(x, y - 5), (x + 14, y + 5)], colour.filled()));
    }
    let colours = [
        ("median", RGBColor(37, 99, 168)),
        ("99th percentile", RGBColor(150, 60, 130)),
        ("highest", RGBColor(120, 120, 120)),
    ];
    for (points, (name, colour)) in lines.into_iter().zip(colours) {
        chart
            .draw_series(std::iter::once(PathElement::new(
                points,
                colour.stroke_width(2),
            )))?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 14, y)], colour.stroke_width(2)));
    }
    chart
        .configure_series_labels()
        .background_style(WHITE.mix(0.85))
        .position(SeriesLabelPosition::UpperRight)
        .draw()?;
    area.present()
}
