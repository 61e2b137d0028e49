//! The comparison: measures each server with each operation and each number of connections.

use crate::contender::{Contender, Durability, Running};
use crate::load::{self, Window};
use crate::program::Program;
use keyfold_workload::request::Protocol;
use keyfold_workload::workload::{self, COLLECTION, Operation, Workload};
use std::io;
use std::time::Duration;

/// The measurements of a comparison.
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

/// The measurement of one server with one operation and number of connections.
#[derive(Debug, Clone)]
pub(crate) struct Cell {
    pub(crate) operation: Operation,
    pub(crate) connections: u64,
    /// Answers a second in the round that counts.
    pub(crate) rate: f64,
    /// Answers a second in the slowest and in the fastest round.
    pub(crate) rates: (f64, f64),
    /// Latencies in microseconds at the 50th, 99th and 99.9th percentile.
    pub(crate) micros: [f64; 3],
    /// Microseconds of the server's processor time for each answer.
    pub(crate) cpu_micros: Option<f64>,
    pub(crate) errors: u64,
    pub(crate) error: Option<String>,
}

/// The measurements of one server.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) contender: Contender,
    pub(crate) cells: Vec<Cell>,
    /// The most bytes of memory that the server held.
    pub(crate) memory: Option<u64>,
    /// The bytes of its files at the end.
    pub(crate) disk: u64,
    /// The reason for which the server was not measured, or not to the end.
    pub(crate) absent: Option<String>,
}

/// Whether a server supports an operation.
pub(crate) fn supports(contender: &Contender, operation: Operation) -> bool {
    match contender.program {
        Program::Ceiling => operation == Operation::Get,
        Program::Redis => matches!(operation, Operation::Get | Operation::Put),
        Program::Dynalite => operation != Operation::Transact && operation != Operation::Shop,
        // It takes seconds for requests of several items, which would delay the run.
        Program::Moto => matches!(
            operation,
            Operation::Get | Operation::Put | Operation::Update
        ),
        Program::Keyfold | Program::Dynoxide | Program::Endpoint => true,
    }
}

/// A server with its measurements so far.
struct Subject {
    row: Row,
    /// None if the server did not start, or has failed.
    running: Option<Running>,
}

/// Measures all servers side by side. Each round measures every server once, one after the other,
/// so that other load on the machine affects all of them. The other servers are suspended
/// meanwhile, so that their background work takes no time from the one that is measured. The round
/// with the median rate counts.
pub(crate) fn rows(plan: &Plan, progress: &dyn Fn(&str)) -> io::Result<Vec<Row>> {
    let answer_bytes = answer_bytes(plan)?;
    let mut subjects: Vec<Subject> = plan
        .contenders
        .iter()
        .map(|contender| {
            progress(&format!("{}: starting and loading", contender.title()));
            begin(plan, contender, answer_bytes)
        })
        .collect();
    for &operation in &plan.operations {
        for &connections in &plan.connections {
            progress(&format!("{}, {connections} connections", operation.name()));
            let mut rounds: Vec<Vec<Cell>> = subjects.iter().map(|_| Vec::new()).collect();
            for _ in 0..plan.rounds {
                for (subject, rounds) in subjects.iter_mut().zip(&mut rounds) {
                    if supports(&subject.row.contender, operation) {
                        rounds.extend(subject.measure(plan, operation, connections));
                    }
                }
            }
            for (subject, rounds) in subjects.iter_mut().zip(rounds) {
                subject.row.cells.extend(median(rounds, plan.rounds));
            }
        }
    }
    let end = |subject: Subject| {
        let Subject { mut row, running } = subject;
        if let Some(running) = running {
            (row.memory, row.disk) = (running.memory(), running.disk());
        }
        if let Some(reason) = &row.absent {
            progress(&format!("{}: stopped: {reason}", row.contender.title()));
        }
        row
    };
    Ok(subjects.into_iter().map(end).collect())
}

/// Starts and fills a server, and suspends it.
fn begin(plan: &Plan, contender: &Contender, answer_bytes: usize) -> Subject {
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
    Subject { row, running }
}

impl Subject {
    /// Measures one round; none once the server has failed.
    fn measure(&mut self, plan: &Plan, operation: Operation, connections: u64) -> Option<Cell> {
        let running = self.running.as_ref()?;
        let workload = Workload {
            operation,
            items: plan.items,
            protocol: self.row.contender.protocol(),
        };
        let window = Window {
            warm_up: Duration::from_secs_f64(plan.seconds / 4.0),
            measured: Duration::from_secs_f64(plan.seconds),
        };
        let before = running.cpu();
        running.resume();
        let measured = load::run(running.address, workload, connections, window);
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

/// The round with the median rate, with the errors of all rounds; none if the server did not
/// complete them.
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

/// Creates the tables and writes the data.
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
        Program::Keyfold
        | Program::Dynoxide
        | Program::Dynalite
        | Program::Moto
        | Program::Endpoint => {
            for definition in workload::TABLES {
                let (is_ok, body) = load::ask(running.address, "CreateTable", definition)?;
                if !is_ok && !body.contains("ResourceInUse") {
                    return Err(io::Error::other(format!("CreateTable failed: {body}")));
                }
            }
            std::thread::sleep(Duration::from_millis(300));
            let wants_shop =
                plan.operations.contains(&Operation::Shop) && supports(contender, Operation::Shop);
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

/// The requests of BatchWriteItem with these bodies.
pub(crate) fn as_requests(
    bodies: impl Iterator<Item = Vec<u8>> + 'static,
) -> impl Iterator<Item = Vec<u8>> + 'static {
    bodies.map(|body| {
        let mut out = Vec::with_capacity(body.len() + 700);
        keyfold_workload::request::http(&mut out, "BatchWriteItem", &body);
        out
    })
}

/// The length of an answer to GetItem, which the ceiling's answers have, too.
fn answer_bytes(plan: &Plan) -> io::Result<usize> {
    if !plan
        .contenders
        .iter()
        .any(|contender| contender.program == Program::Ceiling)
    {
        return Ok(0);
    }
    let keyfold = Contender::all()
        .into_iter()
        .find(|one| one.program == Program::Keyfold && one.durability == Durability::Memory);
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
