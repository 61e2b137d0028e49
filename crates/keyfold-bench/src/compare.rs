//! The comparison: each server, each operation, each number of connections.

use crate::contender::{Contender, Running};
use crate::load;
use crate::program::Program;
use crate::request::Protocol;
use crate::workload::{self, COLLECTION, Operation, Workload};
use std::io;
use std::time::Duration;

/// What to measure.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(crate) contenders: Vec<Contender>,
    pub(crate) operations: Vec<Operation>,
    pub(crate) connections: Vec<u64>,
    pub(crate) items: u64,
    pub(crate) seconds: f64,
    pub(crate) rounds: usize,
    pub(crate) tools: std::path::PathBuf,
}

/// One measured cell.
#[derive(Debug, Clone)]
pub(crate) struct Cell {
    pub(crate) operation: Operation,
    pub(crate) connections: u64,
    /// Answers a second, in the round with the median.
    pub(crate) rate: f64,
    /// The same in the slowest and the fastest round.
    pub(crate) rates: (f64, f64),
    /// Microseconds: half, 99 % and 99.9 % of answers came within.
    pub(crate) micros: [f64; 3],
    /// Microseconds of the server's processor time an answer.
    pub(crate) cpu_micros: Option<f64>,
    pub(crate) errors: u64,
    pub(crate) error: Option<String>,
}

/// What one server did.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) contender: Contender,
    pub(crate) cells: Vec<Cell>,
    /// Bytes of memory at most, and of files in the end.
    pub(crate) memory: Option<u64>,
    pub(crate) disk: u64,
    /// Why it was not measured.
    pub(crate) absent: Option<String>,
}

/// Whether a server can be asked for an operation.
fn can(contender: &Contender, operation: Operation) -> bool {
    match contender.program {
        Program::Ceiling => operation == Operation::Get,
        Program::Redis => matches!(operation, Operation::Get | Operation::Put),
        Program::Dynalite => operation != Operation::Transact && operation != Operation::Shop,
        // It answers requests of several items in seconds, which would hold up the run.
        Program::Moto => matches!(
            operation,
            Operation::Get | Operation::Put | Operation::Update
        ),
        Program::Keyfold | Program::Dynoxide | Program::Endpoint => true,
    }
}

/// A server under way.
struct Lane {
    row: Row,
    /// None when it could not be started, or failed.
    running: Option<Running>,
}

/// Measures all servers side by side: in each round all get their turn one after the other, so that
/// a machine that is busy with something else for a while is so for all of them; the others stand
/// still meanwhile, so that nobody does what he has put off in another's time. Of the rounds the
/// one with the median rate counts.
pub(crate) fn rows(plan: &Plan, tell: &dyn Fn(&str)) -> io::Result<Vec<Row>> {
    let answer_bytes = answer_bytes(plan)?;
    let mut lanes: Vec<Lane> = plan
        .contenders
        .iter()
        .map(|contender| {
            tell(&format!("{}: starting and loading", contender.title()));
            begin(plan, contender, answer_bytes)
        })
        .collect();
    for &operation in &plan.operations {
        for &connections in &plan.connections {
            tell(&format!("{}, {connections} connections", operation.name()));
            let mut rounds: Vec<Vec<Cell>> = lanes.iter().map(|_| Vec::new()).collect();
            for _ in 0..plan.rounds {
                for (lane, rounds) in lanes.iter_mut().zip(&mut rounds) {
                    if can(&lane.row.contender, operation) {
                        rounds.extend(lane.measure(plan, operation, connections));
                    }
                }
            }
            for (lane, rounds) in lanes.iter_mut().zip(rounds) {
                lane.row.cells.extend(median(rounds, plan.rounds));
            }
        }
    }
    let end = |lane: Lane| {
        let Lane { mut row, running } = lane;
        if let Some(running) = running {
            (row.memory, row.disk) = (running.memory(), running.disk());
        }
        if let Some(reason) = &row.absent {
            tell(&format!("{}: stopped: {reason}", row.contender.title()));
        }
        row
    };
    Ok(lanes.into_iter().map(end).collect())
}

fn begin(plan: &Plan, contender: &Contender, answer_bytes: usize) -> Lane {
    let mut row = Row {
        contender: contender.clone(),
        cells: Vec::new(),
        memory: None,
        disk: 0,
        absent: None,
    };
    let started = contender.start(&plan.tools, answer_bytes);
    let running = started.and_then(|running| fill(contender, &running, plan).map(|()| running));
    let running = running
        .map_err(|error| row.absent = Some(error.to_string()))
        .ok();
    if let Some(running) = &running {
        running.pause();
    }
    Lane { row, running }
}

impl Lane {
    /// One round; nothing once the server has failed.
    fn measure(&mut self, plan: &Plan, operation: Operation, connections: u64) -> Option<Cell> {
        let running = self.running.as_ref()?;
        let workload = Workload {
            operation,
            items: plan.items,
            protocol: self.row.contender.protocol(),
        };
        let times = [plan.seconds / 4.0, plan.seconds].map(Duration::from_secs_f64);
        let before = running.cpu();
        running.go_on();
        let measured = load::run(running.address, workload, connections, times.into());
        running.pause();
        match measured {
            Ok(measured) => {
                let used = before
                    .zip(running.cpu())
                    .map(|(before, after)| after - before);
                Some(Cell {
                    cpu_micros: used
                        .map(|micros| micros as f64 / measured.all_answers.max(1) as f64),
                    operation,
                    connections,
                    rate: measured.rate(),
                    rates: (measured.rate(), measured.rate()),
                    micros: [0.5, 0.99, 0.999].map(|quantile| measured.micros(quantile)),
                    errors: measured.errors,
                    error: measured.error,
                })
            }
            Err(error) => {
                self.row.absent = Some(error.to_string());
                self.running = None;
                None
            }
        }
    }
}

/// The round with the median rate, with the errors of all; none when the server did not come
/// through all of them.
fn median(mut rounds: Vec<Cell>, wanted: usize) -> Option<Cell> {
    if rounds.len() < wanted {
        return None;
    }
    rounds.sort_by(|one, other| one.rate.total_cmp(&other.rate));
    let rates = (rounds.first()?.rate, rounds.last()?.rate);
    let errors = rounds.iter().map(|round| round.errors).sum();
    let error = rounds.iter().find_map(|round| round.error.clone());
    let middle = (rounds.len() - 1) / 2;
    Some(Cell {
        rates,
        errors,
        error,
        ..rounds.swap_remove(middle)
    })
}

/// Makes the tables and writes the data.
pub(crate) fn fill(contender: &Contender, running: &Running, plan: &Plan) -> io::Result<()> {
    let items = plan.items;
    match contender.program {
        Program::Ceiling => Ok(()),
        Program::Redis => {
            let sets = (0..items).map(|n| {
                let mut out = Vec::new();
                workload::load_redis(&mut out, n);
                out
            });
            load::send_all(running.address, Protocol::Redis, sets, |_| ())
        }
        _ => {
            for definition in workload::TABLES {
                let (is_ok, body) = load::ask(running.address, "CreateTable", definition)?;
                if !is_ok && !body.contains("ResourceInUse") {
                    return Err(io::Error::other(format!("CreateTable failed: {body}")));
                }
            }
            std::thread::sleep(Duration::from_millis(300));
            let wants_shop =
                plan.operations.contains(&Operation::Shop) && can(contender, Operation::Shop);
            let bench = (0..items)
                .step_by(25)
                .map(move |from| workload::load_batch(from, items));
            let shop = wants_shop
                .then(|| workload::load_shop(items))
                .into_iter()
                .flatten();
            load::send_all(
                running.address,
                Protocol::Http,
                as_requests(bench.chain(shop)),
                |_| (),
            )
        }
    }
}

/// Batches as requests to write them.
pub(crate) fn as_requests(
    bodies: impl Iterator<Item = Vec<u8>> + 'static,
) -> impl Iterator<Item = Vec<u8>> + 'static {
    bodies.map(|body| {
        let mut out = Vec::with_capacity(body.len() + 700);
        crate::request::http(&mut out, "BatchWriteItem", &body);
        out
    })
}

/// How long the answer to GetItem is: what the ceiling answers.
fn answer_bytes(plan: &Plan) -> io::Result<usize> {
    if !plan
        .contenders
        .iter()
        .any(|contender| contender.program == Program::Ceiling)
    {
        return Ok(0);
    }
    let keyfold = Contender::all().into_iter().find(|one| {
        one.program == Program::Keyfold && one.keeps == crate::contender::Keeps::Memory
    });
    let Some(keyfold) = keyfold else { return Ok(0) };
    let running = keyfold.start(&plan.tools, 0)?;
    let small = Plan {
        items: COLLECTION,
        operations: vec![],
        ..plan.clone()
    };
    fill(&keyfold, &running, &small)?;
    let body = r#"{"TableName":"Bench","Key":{"pk":{"S":"c0000000"},"sk":{"S":"000"}}}"#;
    Ok(load::ask(running.address, "GetItem", body)?.1.len())
}
