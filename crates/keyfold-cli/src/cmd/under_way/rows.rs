//! Evolutions and migrations, by the rows that they keep beside the tables.
//!
//! The row of an evolution names its models by a digest. Where both are open in the page, its phases are known.

use super::named::{Named, path_word, word};
use crate::terminal::{counted, counted_u64};
use keyfold_api::{ErrorKind, Response, ScanInput};
use keyfold_client::Backend;
use keyfold_evolve::world::Place;
use keyfold_evolve::{Course, Evolving, Options, Progress, ROWS, is_gate, models_digest};
use keyfold_model::{Model, Sources, compile_sources, files};
use keyfold_relational::STATES;
use keyfold_types::{Item, Value};
use keyfold_workbench::{Known, Opened, Work};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The attribute by which the rows of both tables are kept.
const PART: &str = "part";

/// The evolutions of the place.
pub(super) fn evolutions(backend: &Arc<Backend>, named: &Named, files: &[PathBuf]) -> Known<Work> {
    let rows = rows(backend, ROWS)?;
    let begun = rows.iter().filter_map(Begun::of);
    let begun: Vec<Begun> = begun.collect();
    let models = match begun.is_empty() {
        true => Vec::new(),
        false => files.iter().filter_map(|path| read(path)).collect(),
    };
    let shown = begun.into_iter().map(|one| {
        let pair = pair(backend, &models, &one);
        evolution(named, &rows, &one, pair)
    });
    Ok(shown.collect())
}

/// The row of an evolution, as far as people are told of it.
struct Begun {
    model: String,
    /// Both models with their versions.
    between: Option<(String, String)>,
    began_ms: Option<i64>,
    /// The number of the phase, from 0.
    phase: usize,
    /// Whether the phase is one of people, and a run has said so.
    is_announced: bool,
    paused_ms: Option<i64>,
}

impl Begun {
    fn of(item: &Item) -> Option<Begun> {
        let part = text(item, PART)?;
        let between = text(item, "between").and_then(|both| both.split_once(" and "));
        Some(Begun {
            model: part.strip_suffix(" run")?.to_owned(),
            between: between.map(|(old, new)| (old.to_owned(), new.to_owned())),
            began_ms: ms(item, "began"),
            phase: number(item, "phase").and_then(|phase| usize::try_from(phase).ok())?,
            is_announced: item.get("announced") == Some(&Value::Bool(true)),
            paused_ms: ms(item, "paused"),
        })
    }
}

/// A model of the page, with the path of its file.
struct Own {
    path: PathBuf,
    sources: Sources,
    model: Model,
}

fn read(path: &Path) -> Option<Own> {
    let sources = files::read(path).ok()?;
    Some(Own {
        path: path.to_owned(),
        model: compile_sources(&sources).model?,
        sources,
    })
}

/// An evolution of two models that are open in the page.
struct Pair<'p> {
    old: &'p Path,
    new: &'p Path,
    /// The words of its phases, and whether each is one of people.
    phases: Vec<(&'static str, bool)>,
}

/// The models between which an evolution is, where the page has both.
fn pair<'p>(backend: &Arc<Backend>, models: &'p [Own], begun: &Begun) -> Option<Pair<'p>> {
    let world = Place::new(Arc::clone(backend), "this place");
    let (options, progress) = (Options::default(), Progress::default());
    let olds = models.iter().filter(|one| one.model.name == begun.model);
    let mut pairs = olds.flat_map(|old| models.iter().map(move |new| (old, new)));
    pairs.find_map(|(old, new)| {
        let course = Course::of(&old.model, &new.model);
        let digest = models_digest(old.sources.text(), new.sources.text());
        let evolving = Evolving::new(&course, digest, (&world, &options, &progress));
        // An evolution of other models is refused.
        evolving.status().ok()?.run?;
        let phases = course.phases().iter();
        Some(Pair {
            old: &old.path,
            new: &new.path,
            phases: phases
                .map(|phase| (phase.step.word(), is_gate(phase.step)))
                .collect(),
        })
    })
}

fn evolution(named: &Named, rows: &[Item], begun: &Begun, pair: Option<Pair<'_>>) -> Work {
    let at = begun.phase;
    let phases = pair.as_ref().map(|pair| pair.phases.as_slice());
    let phase = match phases.map(|all| (all.get(at), all.len())) {
        Some((None, _)) => "all phases are carried out".to_owned(),
        Some((Some((word, true)), count)) => {
            format!(
                "phase {} of {count}: {word}, which waits for people",
                at + 1
            )
        }
        Some((Some((word, false)), count)) => format!("phase {} of {count}: {word}", at + 1),
        None if begun.is_announced => format!("phase {}, which waits for people", at + 1),
        None => format!("phase {}", at + 1),
    };
    let command = named.command(|named| {
        let both = match &pair {
            Some(pair) => format!("{} {}", path_word(pair.old), path_word(pair.new)),
            None => "OLD NEW".to_owned(),
        };
        let at_place = format!("{both} --at {}", named.at);
        match phases.map(|all| all.get(at)) {
            Some(None) => format!("keyfold evolve complete {at_place}"),
            Some(Some((word, true))) => format!("keyfold evolve run {at_place} --done {word}"),
            Some(Some((_, false))) | None => format!("keyfold evolve run {at_place}"),
        }
    });
    let (from, to) = begun.between.clone().unwrap_or_else(|| {
        let unknown = format!("a version of {}", begun.model);
        (unknown.clone(), unknown)
    });
    Work {
        name: begun.model.clone(),
        from,
        to,
        phase,
        progress: carried(rows, begun),
        since_ms: begun.began_ms,
        behind: None,
        paused_ms: begun.paused_ms,
        command,
    }
}

/// What the segments of the present phase have done.
fn carried(rows: &[Item], begun: &Begun) -> String {
    let prefix = format!("{} {:02} ", begun.model, begun.phase);
    let is_own = |item: &&Item| text(item, PART).is_some_and(|part| part.starts_with(&prefix));
    let own: Vec<&Item> = rows.iter().filter(is_own).collect();
    if own.is_empty() {
        return String::new();
    }
    let done = own
        .iter()
        .filter(|item| item.get("done") == Some(&Value::Bool(true)));
    let sum = |name: &str| {
        let each = own.iter().filter_map(|item| number(item, name));
        each.sum::<u64>()
    };
    format!(
        "{} of {} done; {} read, {} written",
        done.count(),
        counted(own.len(), "segment"),
        counted_u64(sum("read"), "item"),
        sum("changed")
    )
}

/// The migrations to the place that are not complete.
pub(super) fn migrations(
    backend: &Arc<Backend>,
    named: &Named,
    opened: &Opened<'_>,
) -> Known<Work> {
    let rows = rows(backend, STATES)?;
    let each = rows.iter().filter_map(|row| migration(named, row, opened));
    Ok(each.collect())
}

fn migration(named: &Named, row: &Item, opened: &Opened<'_>) -> Option<Work> {
    let (name, source) = (text(row, PART)?, text(row, "source")?);
    let phase = match text(row, "phase")? {
        "begin" => "beginning".to_owned(),
        "copy" => format!("copying {}", text(row, "entity").unwrap_or_default()),
        "follow" => "following changes".to_owned(),
        "closing" => "nobody writes, a switch to the tables is under way".to_owned(),
        "lead" => "the tables lead".to_owned(),
        "returning" => "nobody writes, a switch back to the database is under way".to_owned(),
        "complete" => return None,
        other => other.to_owned(),
    };
    let command = named.command(|named| {
        let own = opened
            .model
            .as_ref()
            .filter(|(_, model)| model.name == name);
        let path = own.map_or_else(|| "MODEL".to_owned(), |(path, _)| path_word(path));
        format!(
            "keyfold migrate run {path} --from {} --at {}",
            word(source),
            named.at
        )
    });
    Some(Work {
        name: name.to_owned(),
        from: source.to_owned(),
        to: "the tables of this place".to_owned(),
        phase,
        progress: format!(
            "{} copied",
            counted_u64(number(row, "rows").unwrap_or(0), "row")
        ),
        since_ms: None,
        behind: None,
        paused_ms: None,
        command,
    })
}

/// All rows of a table that Keyfold keeps; none where there is no such table.
fn rows(backend: &Backend, table: &str) -> Result<Vec<Item>, String> {
    let (mut all, mut after) = (Vec::new(), None);
    loop {
        let input = ScanInput {
            table_name: Some(table.to_owned()),
            consistent_read: Some(true),
            exclusive_start_key: after.take().map(Ok),
            ..ScanInput::default()
        };
        let page = match backend.call(input.into()) {
            Ok(Response::Scan(page)) => page,
            Ok(_) => return Err("the answer is that of another request".to_owned()),
            Err(error) if error.kind() == Some(ErrorKind::ResourceNotFound) => return Ok(all),
            Err(error) => return Err(error.to_string()),
        };
        let items = page.items.unwrap_or_default();
        all.extend(items.iter().map(|item| item.to_item()));
        after = page.last_evaluated_key;
        if after.is_none() {
            return Ok(all);
        }
    }
}

fn text<'i>(item: &'i Item, name: &str) -> Option<&'i str> {
    match item.get(name) {
        Some(Value::S(text)) => Some(text),
        Some(_) | None => None,
    }
}

fn number(item: &Item, name: &str) -> Option<u64> {
    match item.get(name) {
        Some(Value::N(number)) => number.to_string().parse().ok(),
        Some(_) | None => None,
    }
}

fn ms(item: &Item, name: &str) -> Option<i64> {
    number(item, name).and_then(|ms| i64::try_from(ms).ok())
}
