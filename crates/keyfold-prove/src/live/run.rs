//! The passes of a comparison: rows give arguments, patterns are asked, and what differs is asked again.

use super::items;
use super::oracle::{self, Answer, Oracle};
use super::report::{Difference, LiveError, LivePattern, Options};
use super::scope::{self, Scope};
use super::wrong::Wrong;
use crate::ask;
use crate::generate::Generator;
use crate::rows::Rows;
use keyfold_client::arguments::Values;
use keyfold_client::{Backend, origin};
use keyfold_model::{Model, Pattern};
use keyfold_relational::{Mapped, Mapping, Source, Walk};
use std::collections::{BTreeSet, VecDeque};
use std::time::{Duration, Instant};

/// The time before what differs is asked again.
const LOOK_TIME: Duration = Duration::from_millis(400);
/// The most questions that wait to be asked again while others are asked.
const DOUBTS_MAX: usize = 200;
/// The most differences of a pattern that are described.
const SHOWN_MAX: usize = 10;

/// Asks the patterns of a model of the tables and of the database until the comparison is at its end or
/// `goes_on` refuses, which is called with what was found so far.
///
/// # Errors
/// When either side cannot be read.
pub fn compare(
    mapping: &Mapping<'_>,
    source: &mut dyn Source,
    backend: &Backend,
    options: &Options,
    goes_on: &mut dyn FnMut(&[LivePattern]) -> bool,
) -> Result<Vec<LivePattern>, LiveError> {
    let (model, now) = (mapping.model, origin().now_epoch_ms);
    let scope = Scope::of(mapping);
    let found = scope.patterns.iter().zip(&model.patterns);
    let found = found.map(|(why_not, pattern)| LivePattern {
        name: pattern.name.clone(),
        why_not: why_not.clone(),
        ..LivePattern::default()
    });
    let mut live = Live {
        mapping,
        source,
        backend,
        options,
        goes_on,
        found: found.collect(),
        oracle: Oracle::new((mapping, backend), now, options.most)?,
        scope,
        pool: Rows::new(model, now)?,
        generator: Generator::new(model, options.seed, now, 100),
        doubts: VecDeque::new(),
        asked: BTreeSet::new(),
        until: options.lasts.map(|lasts| Instant::now() + lasts),
        is_over: false,
    };
    let mut pass = 0;
    while !live.is_over {
        live.pass(pass)?;
        live.settle(0)?;
        pass += 1;
        live.is_over |= live.until.is_none() || live.asked.is_empty();
    }
    Ok(live.found)
}

/// A question that is asked again.
struct Doubt<'m> {
    pattern: usize,
    of: &'m Pattern,
    arguments: Values,
    wrong: Wrong,
    /// When it is asked again.
    due: Instant,
    /// When a difference counts.
    counts: Instant,
}

/// The rows of an entity that give arguments in a pass.
struct Course<'a, 'm> {
    mapped: &'a Mapped<'m>,
    /// Every how many rows one gives arguments.
    stride: u64,
    walk: Walk,
    count: u64,
    /// Those that were read already.
    rows: VecDeque<Values>,
}

impl Course<'_, '_> {
    fn next(&mut self, source: &mut dyn Source) -> Result<Option<Values>, LiveError> {
        while self.rows.is_empty() {
            let Some(rows) = self.walk.next(self.mapped, source)? else {
                return Ok(None);
            };
            for row in rows {
                if self.count.is_multiple_of(self.stride) {
                    self.rows.push_back(row);
                }
                self.count += 1;
            }
        }
        Ok(self.rows.pop_front())
    }
}

struct Live<'a, 'm> {
    mapping: &'a Mapping<'m>,
    source: &'a mut dyn Source,
    backend: &'a Backend,
    options: &'a Options,
    goes_on: &'a mut dyn FnMut(&[LivePattern]) -> bool,
    found: Vec<LivePattern>,
    oracle: Oracle<'a, 'm>,
    scope: Scope,
    /// The rows that arguments are taken from: the last one of each entity.
    pool: Rows<'m>,
    generator: Generator<'m>,
    doubts: VecDeque<Doubt<'m>>,
    /// The questions of this pass.
    asked: BTreeSet<String>,
    until: Option<Instant>,
    is_over: bool,
}

impl<'m> Live<'_, 'm> {
    /// Asks about the rows of all entities, of each in turn, so that a pass that ends early has asked about all.
    fn pass(&mut self, pass: u64) -> Result<(), LiveError> {
        self.asked.clear();
        let mapping = self.mapping;
        let mut courses = Vec::new();
        for mapped in &mapping.entities {
            courses.push(Course {
                mapped,
                stride: self.stride(mapped)?,
                walk: Walk::default(),
                count: pass,
                rows: VecDeque::new(),
            });
        }
        let mut has_rows = true;
        while has_rows {
            has_rows = false;
            for course in &mut courses {
                if let Some(row) = course.next(self.source)? {
                    has_rows = true;
                    self.about(course.mapped, row)?;
                }
                if self.is_over {
                    return Ok(());
                }
            }
        }
        match self.options.sample {
            Some(_) => Ok(()),
            None => items::each(mapping, self.backend, &mut |mapped, values| {
                self.about(mapped, values)?;
                Ok(!self.is_over)
            }),
        }
    }

    /// Every how many rows of an entity one gives arguments.
    fn stride(&mut self, mapped: &Mapped<'_>) -> Result<u64, LiveError> {
        let Some(sample) = self.options.sample else {
            return Ok(1);
        };
        let count = mapped.count_rows(self.source)?;
        Ok((count / sample.max(1)).max(1))
    }

    /// Asks the patterns of an entity with the values of a row of it.
    fn about(&mut self, mapped: &Mapped<'m>, row: Values) -> Result<(), LiveError> {
        let model: &'m Model = self.mapping.model;
        let at = self.pool.place(mapped.entity);
        self.pool.refill(at, vec![row])?;
        for (number, pattern) in model.patterns.iter().enumerate() {
            let is_of = scope::arguments_are_of(pattern, at);
            if self.is_over || !is_of || !self.scope.is_asked(number) {
                continue;
            }
            let optional = pattern.parameters.iter().filter(|one| one.optional).count();
            let given = self.generator.rng.usize(..=optional);
            let arguments = ask::arguments(pattern, given, &self.pool, &mut self.generator);
            if self.asked.insert(format!("{number} {arguments:?}")) {
                self.ask(number, pattern, arguments)?;
            }
        }
        Ok(())
    }

    /// Asks a question for the first time.
    fn ask(
        &mut self,
        number: usize,
        pattern: &'m Pattern,
        arguments: Values,
    ) -> Result<(), LiveError> {
        let wrong = self.look(pattern, &arguments)?;
        let now = Instant::now();
        if let Some(found) = self.found.get_mut(number) {
            match &wrong {
                None => found.too_large += 1,
                Some(wrong) => {
                    found.asked += 1;
                    found.equal += u64::from(wrong.is_empty());
                }
            }
        }
        if let Some(wrong) = wrong.filter(|wrong| !wrong.is_empty()) {
            self.doubts.push_back(Doubt {
                pattern: number,
                of: pattern,
                arguments,
                wrong,
                due: now + LOOK_TIME,
                counts: now + self.options.lag,
            });
        }
        self.heed();
        self.settle(DOUBTS_MAX)
    }

    /// What differs of the two answers of a question; `None` where too many rows can be in it.
    fn look(&mut self, pattern: &Pattern, arguments: &Values) -> Result<Option<Wrong>, LiveError> {
        let answer = self
            .oracle
            .answer(self.source, &self.scope, pattern, arguments)?;
        let Some(Answer { expected, ignored }) = answer else {
            return Ok(None);
        };
        let wrong = self.oracle.beside(pattern, arguments, expected, &ignored)?;
        Ok(Some(wrong))
    }

    /// Notices that the comparison is to end.
    fn heed(&mut self) {
        let is_late = self.until.is_some_and(|until| Instant::now() >= until);
        self.is_over |= is_late || !(self.goes_on)(&self.found);
    }

    /// Asks again what is due, and waits until at most so many questions are left.
    fn settle(&mut self, left: usize) -> Result<(), LiveError> {
        while let Some(doubt) = self.doubts.front() {
            let now = Instant::now();
            if doubt.due > now {
                if self.doubts.len() <= left {
                    return Ok(());
                }
                std::thread::sleep((doubt.due - now).min(Duration::from_millis(100)));
                // A comparison whose time is over says what differs; one that is stopped, what it knows.
                if !(self.goes_on)(&self.found) {
                    self.is_over = true;
                    return Ok(());
                }
                continue;
            }
            if let Some(doubt) = self.doubts.pop_front() {
                self.again(doubt)?;
            }
        }
        Ok(())
    }

    fn again(&mut self, mut doubt: Doubt<'m>) -> Result<(), LiveError> {
        let wrong = self.look(doubt.of, &doubt.arguments)?.unwrap_or_default();
        let stays = doubt.wrong.stays_in(&wrong);
        let now = Instant::now();
        let Some(found) = self.found.get_mut(doubt.pattern) else {
            return Ok(());
        };
        if stays.is_empty() {
            found.late += 1;
        } else if now < doubt.counts {
            doubt.wrong = stays;
            doubt.due = now + LOOK_TIME;
            self.doubts.push_back(doubt);
        } else {
            found.different += 1;
            if found.differences.len() < SHOWN_MAX {
                found.differences.push(Difference {
                    question: oracle::shown(doubt.of, &doubt.arguments),
                    what: stays.shown(),
                });
            }
        }
        Ok(())
    }
}
