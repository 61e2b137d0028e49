//! The result of a comparison: tables with ratios for people, JSON for programs.

use crate::compare::{Cell, Plan, Row};
use crate::contender::Durability;
use crate::program::Program;
use keyfold_workload::workload::Operation;
use serde_json::{Value, json};

/// The results of a comparison.
pub(crate) struct Report<'r> {
    pub(crate) plan: &'r Plan,
    pub(crate) rows: &'r [Row],
}

/// The longest part of an error's text that is shown.
const ERROR_CHARS_MAX: usize = 160;

/// A goal: the least ratio of Keyfold's rate to another server's in the same run, at the highest
/// number of connections. Keyfold syncs its writes.
struct Goal {
    operation: Operation,
    /// The programs to compare with; the fastest of them counts.
    beside: &'static [Program],
    durability: Compared,
    ratio: f64,
}

/// The durability of the servers that a goal compares with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Compared {
    Same,
    Any,
}

const OTHERS: &[Program] = &[
    Program::Dynoxide,
    Program::Dynalite,
    Program::Moto,
    Program::Endpoint,
];

const fn goal(operation: Operation, beside: &'static [Program], ratio: f64) -> Goal {
    Goal {
        operation,
        beside,
        durability: Compared::Same,
        ratio,
    }
}

const GOALS: [Goal; 8] = [
    Goal {
        durability: Compared::Any,
        ..goal(Operation::Get, &[Program::Ceiling], 0.7)
    },
    goal(Operation::Get, &[Program::Redis], 0.4),
    goal(Operation::Put, &[Program::Redis], 0.35),
    goal(Operation::Get, OTHERS, 2.5),
    goal(Operation::Put, OTHERS, 8.0),
    goal(Operation::Update, OTHERS, 6.0),
    goal(Operation::Query, OTHERS, 6.0),
    goal(Operation::Transact, OTHERS, 8.0),
];

/// A number rounded to an integer, with commas between thousands.
pub(crate) fn rounded(rate: f64) -> String {
    let digits = format!("{rate:.0}");
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

fn micros(value: f64) -> String {
    if value >= 10_000.0 {
        format!("{:.0} ms", value / 1000.0)
    } else {
        format!("{value:.0} µs")
    }
}

fn mebibytes(bytes: u64) -> String {
    format!("{:.0} MiB", bytes as f64 / 1_048_576.0)
}

/// Rows as aligned columns; the first column is aligned to the left, others to the right.
pub(crate) fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter()
            .filter_map(|row| row.get(column))
            .map(|cell| cell.chars().count())
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut out = String::new();
    for row in rows {
        for (at, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let pad = width - cell.chars().count();
            let (left, right) = if at == 0 { (0, pad) } else { (pad, 0) };
            let gap = if at == 0 { "" } else { "  " };
            out.push_str(gap);
            out.extend(std::iter::repeat_n(' ', left));
            out.push_str(cell);
            out.extend(std::iter::repeat_n(' ', right));
        }
        out.truncate(out.trim_end().len());
        out.push('\n');
    }
    out
}

/// Whether two rates can be compared: both servers answered, and without errors.
fn is_sound(one: &Cell, other: &Cell) -> bool {
    [one, other]
        .iter()
        .all(|cell| cell.rate > 0.0 && cell.errors == 0)
}

fn cell(row: &Row, operation: Operation, connections: u64) -> Option<&Cell> {
    row.cells
        .iter()
        .find(|cell| cell.operation == operation && cell.connections == connections)
}

impl Report<'_> {
    fn keyfold(&self, durability: Durability) -> Option<&Row> {
        self.rows.iter().find(|row| {
            row.contender.program == Program::Keyfold && row.contender.durability == durability
        })
    }

    /// Tables for people.
    pub(crate) fn text(&self) -> String {
        let mut out = String::new();
        for &operation in &self.plan.operations {
            out.push_str(&table(&self.rates(operation)));
            out.push('\n');
        }
        out.push_str(&table(&self.costs()));
        out.push_str(&self.goals_text());
        out.push_str(&self.errors_text());
        out
    }

    /// The rates and latencies of an operation.
    fn rates(&self, operation: Operation) -> Vec<Vec<String>> {
        let heading = [
            operation.name(),
            "connections",
            "a second",
            "keyfold is",
            "p50",
            "p99",
            "p99.9",
            "CPU each",
            "errors",
        ];
        let mut rows = vec![heading.map(str::to_owned).to_vec()];
        for row in self.rows {
            for &connections in &self.plan.connections {
                let Some(cell) = cell(row, operation, connections) else {
                    continue;
                };
                let mut line = vec![
                    row.contender.title(),
                    connections.to_string(),
                    rounded(cell.rate),
                    self.ratio(row, cell)
                        .map_or_else(String::new, |ratio| format!("{ratio:.2}x")),
                ];
                line.extend(cell.micros.map(micros));
                line.push(
                    cell.cpu_micros
                        .map_or_else(String::new, |cpu| format!("{cpu:.1} µs")),
                );
                line.push(cell.errors.to_string());
                rows.push(line);
            }
        }
        rows
    }

    /// The ratio of Keyfold's rate to another server's, at the same durability where the other
    /// stores anything; none for Keyfold itself, and where the rates cannot be compared.
    fn ratio(&self, row: &Row, other: &Cell) -> Option<f64> {
        let durability = match row.contender.program {
            Program::Keyfold => return None,
            Program::Ceiling => Durability::Synced,
            Program::Redis
            | Program::Dynoxide
            | Program::Dynalite
            | Program::Moto
            | Program::Endpoint => row.contender.durability,
        };
        let ours = cell(
            self.keyfold(durability)?,
            other.operation,
            other.connections,
        )?;
        is_sound(ours, other).then(|| ours.rate / other.rate)
    }

    /// Memory and files of each server.
    fn costs(&self) -> Vec<Vec<String>> {
        let heading = ["server", "memory at most", "files"];
        let mut rows = vec![heading.map(str::to_owned).to_vec()];
        rows.extend(self.rows.iter().map(|row| {
            vec![
                row.contender.title(),
                row.memory.map_or_else(String::new, mebibytes),
                mebibytes(row.disk),
            ]
        }));
        rows
    }

    /// The first error of each measurement that had one.
    fn errors_text(&self) -> String {
        let mut out = String::new();
        for row in self.rows {
            for cell in &row.cells {
                if let Some(error) = &cell.error {
                    let error: String = error.chars().take(ERROR_CHARS_MAX).collect();
                    let (title, operation) = (row.contender.title(), cell.operation.name());
                    out.push_str(&format!("\n{title}, {operation}: first error: {error}"));
                }
            }
        }
        out
    }

    /// The goals with the name of the server that counts, and the ratio that was reached.
    fn reached(&self) -> Vec<(&'static Goal, String, f64)> {
        let connections = self.plan.connections.iter().copied().max().unwrap_or(1);
        let mut out = Vec::new();
        for goal in &GOALS {
            let Some(ours) = self
                .keyfold(Durability::Synced)
                .and_then(|row| cell(row, goal.operation, connections))
            else {
                continue;
            };
            let others = self.rows.iter().filter(|row| {
                goal.beside.contains(&row.contender.program)
                    && (goal.durability == Compared::Any
                        || row.contender.durability == Durability::Synced)
            });
            let cells = others.filter_map(|row| {
                let cell =
                    cell(row, goal.operation, connections).filter(|cell| is_sound(ours, cell))?;
                Some((row.contender.title(), cell.rate))
            });
            if let Some((name, rate)) = cells.max_by(|one, two| one.1.total_cmp(&two.1)) {
                out.push((goal, name, ours.rate / rate));
            }
        }
        out
    }

    fn goals_text(&self) -> String {
        let reached = self.reached();
        if reached.is_empty() {
            return String::new();
        }
        let mut rows = vec![
            ["goal", "beside", "wanted", "reached", ""]
                .map(str::to_owned)
                .to_vec(),
        ];
        for (goal, name, ratio) in reached {
            rows.push(vec![
                goal.operation.name().to_owned(),
                name,
                format!("{:.2}x", goal.ratio),
                format!("{ratio:.2}x"),
                if ratio >= goal.ratio {
                    "holds".to_owned()
                } else {
                    "missed".to_owned()
                },
            ]);
        }
        format!("\n{}", table(&rows))
    }

    /// All results, for programs.
    pub(crate) fn json(&self) -> Value {
        let cell = |cell: &Cell| {
            json!({
                "operation": cell.operation.name(), "connections": cell.connections, "rate": cell.rate, "rate_least": cell.rates.0, "rate_most": cell.rates.1,
                "p50_micros": cell.micros[0], "p99_micros": cell.micros[1], "p999_micros": cell.micros[2], "cpu_micros": cell.cpu_micros,
                "errors": cell.errors, "error": cell.error,
            })
        };
        let rows = self.rows.iter().map(|row| {
            json!({
                "server": row.contender.name, "keeps": row.contender.durability.name(), "memory_bytes": row.memory,
                "disk_bytes": row.disk, "stopped": row.absent, "cells": row.cells.iter().map(cell).collect::<Vec<_>>(),
            })
        });
        let goals = self.reached().into_iter().map(|(goal, name, ratio)| {
            json!({"operation": goal.operation.name(), "beside": name, "wanted": goal.ratio, "reached": ratio})
        });
        json!({
            "items": self.plan.items, "seconds": self.plan.seconds, "rounds": self.plan.rounds,
            "servers": rows.collect::<Vec<_>>(), "goals": goals.collect::<Vec<_>>(),
        })
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn numbers_have_commas_and_tables_are_aligned() {
        assert_eq!(super::rounded(1_234_567.8), "1,234,568");
        assert_eq!(super::rounded(999.4), "999");
        assert_eq!(
            super::table(&[
                vec!["a".into(), "b".into()],
                vec!["long".into(), "1".into()]
            ]),
            "a     b\nlong  1\n"
        );
    }
}
