//! Draws a comparison: for each operation the rates of the servers, as bars on a logarithmic scale.

use crate::compare::{Plan, Row};
use crate::program::Program;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::path::Path;

const BAR: i32 = 15;
const GROUP_GAP: i32 = 34;
const LEFT: i32 = 210;
const WIDTH: i32 = 900;

fn colour(row: &Row) -> RGBColor {
    match row.contender.program {
        Program::Keyfold => RGBColor(37, 99, 168),
        Program::Ceiling => RGBColor(190, 190, 190),
        Program::Redis => RGBColor(196, 120, 96),
        Program::Dynoxide | Program::Dynalite | Program::Moto | Program::Endpoint => {
            RGBColor(140, 150, 160)
        }
    }
}

/// Draws the rates at the highest number of connections.
pub(crate) fn throughput(rows: &[Row], plan: &Plan, to: &Path) -> Result<(), String> {
    let connections = plan.connections.iter().copied().max().unwrap_or(1);
    let groups: Vec<(&str, Vec<(&Row, f64)>)> =
        plan.operations
            .iter()
            .map(|operation| {
                let of = |row: &Row| {
                    let found = row.cells.iter().find(|cell| {
                        cell.operation == *operation && cell.connections == connections
                    });
                    found.map(|cell| cell.rate)
                };
                (
                    operation.name(),
                    rows.iter()
                        .filter_map(|row| Some((row, of(row)?)))
                        .collect(),
                )
            })
            .collect();
    let bars: usize = groups.iter().map(|(_, bars)| bars.len()).sum();
    let height = bars as i32 * BAR + groups.len() as i32 * GROUP_GAP + 50;
    let area = SVGBackend::new(to, (WIDTH as u32, height as u32)).into_drawing_area();
    draw(&area, &groups, connections)
        .map_err(|error| format!("cannot draw {}: {error}", to.display()))
}

type Drawn = Result<(), DrawingAreaErrorKind<<SVGBackend<'static> as DrawingBackend>::ErrorType>>;

fn draw(
    area: &DrawingArea<SVGBackend<'_>, Shift>,
    groups: &[(&str, Vec<(&Row, f64)>)],
    connections: u64,
) -> Drawn {
    area.fill(&WHITE)?;
    let most = groups
        .iter()
        .flat_map(|(_, bars)| bars.iter().map(|(_, rate)| *rate))
        .fold(1000.0, f64::max);
    let scale = |rate: f64| {
        (f64::from(WIDTH - LEFT - 90) * (rate.max(10.0) / 10.0).log10() / (most / 10.0).log10())
            as i32
    };
    let text = |size: i32| {
        ("sans-serif", size)
            .into_font()
            .color(&RGBColor(40, 40, 40))
    };
    let right = |size: i32| text(size).pos(Pos::new(HPos::Right, VPos::Center));
    let left = |size: i32| text(size).pos(Pos::new(HPos::Left, VPos::Center));
    area.draw(&Text::new(
        format!("Requests a second at {connections} connections (logarithmic)"),
        (10, 18),
        left(15),
    ))?;
    let mut y = 40;
    for (name, bars) in groups.iter().filter(|(_, bars)| !bars.is_empty()) {
        area.draw(&Text::new((*name).to_owned(), (10, y + 8), left(14)))?;
        y += 20;
        for (row, rate) in bars {
            let end = LEFT + scale(*rate);
            area.draw(&Rectangle::new(
                [(LEFT, y + 2), (end, y + BAR - 2)],
                colour(row).filled(),
            ))?;
            area.draw(&Text::new(
                row.contender.title(),
                (LEFT - 6, y + BAR / 2),
                right(11),
            ))?;
            area.draw(&Text::new(
                format!("{rate:.0}"),
                (end + 5, y + BAR / 2),
                left(11),
            ))?;
            y += BAR;
        }
        y += GROUP_GAP - 20;
    }
    area.present()
}
