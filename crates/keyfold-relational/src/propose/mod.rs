//! A model is proposed from a relational database: what its catalog says, what its rows hold, and what is asked of
//! it. The proposal compiles, and every row that its `from` lines name is an item of it; what could not be is
//! said in comments.
//!
//! - `names`: names of SQL as those of a model; `values`: what an attribute is, `mariadb`: of a column of MariaDB;
//!   `conditions`: CHECK constraints.
//! - `draft`: a model that is being made; `entities`: tables become entities; `place`: where they lie, and their
//!   indexes; `patterns`: what keys and indexes answer.
//! - `questions`: what a query asks; `answers`: which pattern answers it.
//! - `text`: the text of a draft; `settle`: the draft against the compiler and the rows.
//!
//! Nothing is guessed: counters that triggers keep, and what a query in a program means, are not known here.

#![allow(
    clippy::wildcard_enum_match_arm,
    clippy::match_wildcard_for_single_variants,
    reason = "what SQL can say has hundreds of forms, of which a proposal understands some"
)]

mod answers;
mod conditions;
mod draft;
mod entities;
mod mariadb;
mod names;
mod patterns;
mod place;
mod questions;
mod settle;
mod statements;
mod text;
mod values;

use crate::catalog::{Asked, Catalog, Describe, MEASURES, Measured, Table};
use crate::cell::Cell;
use crate::check::Checked;
use crate::dialect::Dialect as Database;
use crate::progress::Progress;
use crate::source::SourceError;
use draft::{Draft, Ruling};
use entities::Known;
use place::Forms;
use questions::Read;
use settle::Verdict;
use sqlparser::dialect::{Dialect, MySqlDialect, PostgreSqlDialect, SQLiteDialect};
pub use statements::statements;
use text::Written;

/// How often a draft is held against the compiler and the rows.
const TRIES_MAX: usize = 2_000;
/// The columns that are measured at once.
const COLUMNS_AT_ONCE: usize = 40;

/// Why there is no proposal.
#[derive(Debug, thiserror::Error)]
pub enum ProposeError {
    /// The database cannot be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// No table can be an entity.
    #[error("no table of the database can be an entity{}", listed(.0))]
    Nothing(Vec<(String, String)>),
    /// Somebody stopped it.
    #[error("stopped: nothing is proposed")]
    Stopped,
}

fn listed(all: &[(String, String)]) -> String {
    let all = all.iter().map(|(name, why)| format!("\n  {name} {why}"));
    all.collect()
}

/// An entity of a proposal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposedEntity {
    /// Its name.
    pub name: String,
    /// Its table.
    pub table: String,
    /// How many rows are its items; `None` where they wait for somebody who mends them.
    pub rows: Option<u64>,
    /// What was decided.
    pub remarks: Vec<String>,
}

/// A pattern of a proposal.
#[derive(Debug, Clone, PartialEq)]
pub struct ProposedPattern {
    /// Its name.
    pub name: String,
    /// Its line in the model.
    pub line: String,
    /// The queries that it answers.
    pub answers: Vec<Asked>,
}

/// A proposal.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Proposal {
    /// The model.
    pub model: String,
    /// Its entities.
    pub entities: Vec<ProposedEntity>,
    /// Its patterns.
    pub patterns: Vec<ProposedPattern>,
    /// The queries that no pattern answers, and why.
    pub unanswered: Vec<(Asked, String)>,
    /// The tables and patterns that were left out, and why.
    pub left_out: Vec<(String, String)>,
    /// What stands in the way of a migration of the database itself.
    pub notes: Vec<String>,
}

/// Proposes a model of a database, with a name or that of the database.
///
/// # Errors
/// When the database cannot be read, or has nothing that a model could be made of.
pub fn propose(
    source: &mut dyn Describe,
    name: Option<&str>,
    asked: Vec<Asked>,
    progress: &Progress,
) -> Result<Proposal, ProposeError> {
    let catalog = source.catalog()?;
    let mut measured = Vec::new();
    for table in &catalog.tables {
        measured.push(measure(source, table)?);
        if progress.is_stopping() {
            return Err(ProposeError::Stopped);
        }
    }
    let database = Database::of(source);
    let dialect: &dyn Dialect = match database {
        Database::Sqlite => &SQLiteDialect {},
        Database::Postgres => &PostgreSqlDialect {},
        Database::Mariadb => &MySqlDialect {},
    };
    let names: Vec<(String, Option<String>)> = catalog
        .tables
        .iter()
        .flat_map(|one| &one.columns)
        .map(|one| (one.name.clone(), source.unquoted(&one.name)))
        .collect();
    let unquoted = |name: &str| {
        let found = names.iter().find(|(one, _)| one == name);
        found.and_then(|(_, sql)| sql.clone())
    };
    let known = Known {
        catalog: &catalog,
        measured: &measured,
        dialect,
        database,
        is_typed: source.is_typed(),
        unquoted: &unquoted,
    };
    let name = names::identifier(name.unwrap_or(&catalog.name));
    settled(&known, source, &name, &asked, progress)
}

/// Holds drafts against the compiler and the rows, until both take one.
fn settled(
    known: &Known<'_>,
    source: &mut dyn Describe,
    name: &str,
    asked: &[Asked],
    progress: &Progress,
) -> Result<Proposal, ProposeError> {
    let reads = asked.iter();
    let reads = reads.map(|one| questions::read(&one.sql, known.catalog, known.dialect));
    let reads: Vec<Read> = reads.collect();
    let mut ruling = Ruling::default();
    for _ in 0..TRIES_MAX {
        let (draft, unanswered) = built(known, name, &ruling, &reads);
        if draft.entities.is_empty() {
            return Err(ProposeError::Nothing(draft.left_out));
        }
        let written = Written {
            catalog: known.catalog,
            database: known.database,
            unquoted: known.unquoted,
            asked: &|_| Vec::new(),
            unanswered: Vec::new(),
        };
        let bare = written.text(&draft, true);
        let before = ruling.clone();
        let verdict = match settle::compiled(&draft, &bare, &mut ruling) {
            Ok(model) => {
                let how = (progress, known.is_typed);
                settle::read(&draft, (&model, &bare), source, how, &mut ruling)?
            }
            Err(()) => Verdict::Again,
        };
        if progress.is_stopping() {
            return Err(ProposeError::Stopped);
        }
        if let Verdict::Taken(checked, note) = verdict {
            let told = Told {
                catalog: known.catalog,
                database: known.database,
                asked,
                unanswered: &unanswered,
                unquoted: known.unquoted,
            };
            let mut proposal = told.proposal(&draft, &checked);
            proposal.notes.extend(note);
            return Ok(proposal);
        }
        if ruling == before {
            break;
        }
    }
    // What is refused and no decision changes is a mistake of this code, and no model is better than a wrong one.
    Err(ProposeError::Nothing(Vec::new()))
}

/// Says of texts that are compared by a key, or refer to one, where capitals count in it and not in the database.
fn remark_capitals(known: &Known<'_>, draft: &mut Draft) {
    for (at, entity) in draft.entities.iter_mut().enumerate() {
        let patterns = draft.patterns.iter().filter(|one| one.entity == at);
        let asked = patterns.flat_map(|one| &one.equal);
        let refers = entity.links.iter().flat_map(|one| &one.attributes);
        let mut named: Vec<usize> = asked.chain(refers).copied().collect();
        named.sort_unstable();
        named.dedup();
        let table = known.catalog.tables.get(entity.table);
        let is_folded = |attribute: &draft::Attribute| {
            let column = table.and_then(|table| table.columns.get(attribute.column));
            attribute.judged.kind == values::Kind::Text && column.is_some_and(|one| one.is_folded)
        };
        for position in named {
            let mut uniques = entity.uniques.iter();
            let is_kept = uniques.any(|one| one.is_folded && one.attributes == [position]);
            let attribute = entity.attributes.get(position);
            if let Some(attribute) = attribute.filter(|one| !is_kept && is_folded(one)) {
                entity.remarks.push(format!(
                    "{}: capitals and small letters are equal in the database, and differ in a key: ask as it is stored.",
                    attribute.name
                ));
            }
        }
    }
}

/// The draft that follows from what is known, and the questions that it does not answer.
fn built(
    known: &Known<'_>,
    name: &str,
    ruling: &Ruling,
    reads: &[Read],
) -> (Draft, Vec<(usize, String)>) {
    let mut draft = Draft {
        ruling: ruling.clone(),
        name: name.to_owned(),
        ..Draft::default()
    };
    entities::of(known, &mut draft);
    let forms = Forms::of(&draft.entities, &ruling.escaped);
    place::place(&mut draft, &forms);
    patterns::add(&mut draft, &forms);
    let mut unanswered = Vec::new();
    for (at, read) in reads.iter().enumerate() {
        let answer = match read {
            Read::Question(question) => answers::answer(&mut draft, known, &forms, question),
            Read::None(why) => Err(why.clone()),
            Read::Other => continue,
        };
        match answer {
            Ok(pattern) => {
                if let Some(one) = draft.patterns.get_mut(pattern) {
                    one.answers.push(at);
                }
            }
            Err(why) => unanswered.push((at, why)),
        }
    }
    let refused = |one: &draft::Pattern| ruling.no_pattern.get(&one.name);
    for pattern in &draft.patterns {
        let Some(why) = refused(pattern) else {
            continue;
        };
        if pattern.answers.is_empty() {
            draft.left_out.push((pattern.name.clone(), why.clone()));
        }
        let answers = pattern.answers.iter();
        unanswered.extend(answers.map(|at| (*at, format!("no key answers it: {why}"))));
    }
    draft.patterns.retain(|one| refused(one).is_none());
    remark_capitals(known, &mut draft);
    unanswered.sort_by_key(|(at, _)| *at);
    (draft, unanswered)
}

/// What a proposal is told from, beside its draft.
struct Told<'t> {
    catalog: &'t Catalog,
    database: Database,
    asked: &'t [Asked],
    unanswered: &'t [(usize, String)],
    unquoted: &'t dyn Fn(&str) -> Option<String>,
}

impl Told<'_> {
    fn asked(&self, at: usize) -> Option<String> {
        let asked = self.asked.get(at)?;
        let sql = entities::one_line(&asked.sql);
        Some(format!("{}{sql}", asked.figures()))
    }

    /// The proposal of a draft that was taken.
    fn proposal(&self, draft: &Draft, checked: &Checked) -> Proposal {
        let comments = |at: usize| {
            let pattern = draft.patterns.get(at);
            let answers = pattern.map_or(&[][..], |one| &one.answers).iter();
            answers.filter_map(|one| self.asked(*one)).collect()
        };
        let unanswered = self.unanswered.iter();
        let unanswered = unanswered.filter_map(|(at, why)| Some((self.asked(*at)?, why)));
        let written = Written {
            catalog: self.catalog,
            database: self.database,
            unquoted: self.unquoted,
            asked: &comments,
            unanswered: unanswered
                .map(|(sql, why)| format!("no pattern: {sql}: {why}"))
                .collect(),
        };
        let text = written.text(draft, false);
        let order = place::in_order(&draft.entities).into_iter();
        let entities = order.filter_map(|at| draft.entities.get(at)).map(|one| {
            let mut rows = checked.rows.iter();
            let rows = rows.find(|rows| rows.entity == one.name.entity);
            let table = self.catalog.tables.get(one.table);
            ProposedEntity {
                name: one.name.entity.clone(),
                table: table.map_or_else(String::new, Table::shown),
                rows: rows.map(|rows| rows.read).filter(|_| one.blocked.is_none()),
                remarks: one.blocked.iter().chain(&one.remarks).cloned().collect(),
            }
        });
        let patterns = draft.patterns.iter().map(|one| ProposedPattern {
            name: one.name.clone(),
            line: text::pattern_line(draft, one).trim_end().to_owned(),
            answers: one
                .answers
                .iter()
                .filter_map(|at| self.asked.get(*at))
                .cloned()
                .collect(),
        });
        let unanswered = self.unanswered.iter();
        Proposal {
            model: keyfold_model::format(&text.all),
            entities: entities.collect(),
            patterns: patterns.collect(),
            unanswered: unanswered
                .filter_map(|(at, why)| Some((self.asked.get(*at)?.clone(), why.clone())))
                .collect(),
            left_out: draft.left_out.clone(),
            notes: Vec::new(),
        }
    }
}

impl Asked {
    /// How often it was run and how long it took, in front of its text.
    pub fn figures(&self) -> String {
        match (self.calls, self.mean_ms) {
            (Some(1), Some(mean)) => format!("1 call, {mean:.2} ms: "),
            (Some(calls), Some(mean)) => format!("{calls} calls, {mean:.2} ms: "),
            _ => String::new(),
        }
    }
}

/// Measures the values of each column of a table.
fn measure(source: &mut dyn Describe, table: &Table) -> Result<Vec<Measured>, SourceError> {
    let place = match &table.schema {
        Some(schema) => format!("{}.{}", source.quoted(schema), source.quoted(&table.name)),
        None => source.quoted(&table.name),
    };
    let mut all = Vec::new();
    for columns in table.columns.chunks(COLUMNS_AT_ONCE) {
        let sql: Vec<String> = columns
            .iter()
            .flat_map(|one| source.measures(one))
            .collect();
        let rows = source.query(&format!("SELECT {} FROM {place}", sql.join(", ")), &[])?;
        let cells = rows.into_iter().next().unwrap_or_default();
        for cells in cells.chunks(MEASURES) {
            let mut figures = [0; MEASURES];
            for (figure, cell) in figures.iter_mut().zip(cells) {
                if let Cell::Integer(number) = cell {
                    *figure = *number;
                }
            }
            all.push(Measured::of(figures));
        }
    }
    Ok(all)
}
