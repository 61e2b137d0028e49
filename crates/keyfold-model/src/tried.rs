//! Repairs are tried before they are shown. The edits of a repair are made, the text is compiled
//! again, and a repair that does not help is left out.
//!
//! A repair helps when its finding is gone and it brings no error of its own. An error that was
//! hidden may come to light: a name that is right now may stand in a pattern that no key serves. So
//! new errors of a later stage count only if they point at a line that the repair has added.

use crate::diagnostic::{Diagnostic, Edit, Severity, Span};
use crate::layout;
use crate::sources::Sources;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The stage of a compilation that has found something. A stage hides the findings of later ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    /// The text is read.
    Read,
    /// Names get their meaning.
    Resolve,
    /// Keys and patterns are proved.
    Prove,
}

/// A finding and its stage.
pub(crate) struct Finding {
    pub(crate) stage: Stage,
    pub(crate) diagnostic: Diagnostic,
}

impl Finding {
    pub(crate) fn is_error(&self) -> bool {
        self.diagnostic.severity == Severity::Error
    }

    /// What distinguishes a finding in another version of the text, where its place is another.
    fn identity(&self) -> (&'static str, &str) {
        (self.diagnostic.code, &self.diagnostic.message)
    }
}

/// Most repairs that a compilation tries. Repairs beyond are not shown.
const TRIED_MAX: usize = 20;
/// No repair is tried after this many bytes of text were compiled for repairs: trying takes a
/// bounded time, however long the text is.
const TRIED_BYTES_MAX: usize = 1 << 20;
/// The longest text whose warnings get repairs: they would double the time of a long one without
/// errors.
const WARNED_BYTES_MAX: usize = 1 << 18;

/// Leaves the repairs of `shown` that help. `hidden` are the other findings of the text; `compile`
/// returns those of another text.
pub(crate) fn keep_helpful(
    sources: &Sources,
    shown: &mut [Finding],
    hidden: &[Finding],
    compile: impl Fn(&Sources) -> Vec<Finding>,
) {
    let source = sources.text();
    let trial = Trial::new(sources, shown.iter().chain(hidden));
    let mut tried = 0;
    for finding in shown {
        let is_warning = !finding.is_error();
        let (code, message) = finding.identity();
        let line = text_of_line(source, finding.diagnostic.place());
        let before = Repaired {
            stage: finding.stage,
            code,
            message: message.to_owned(),
            line,
        };
        finding.diagnostic.help.retain_mut(|help| {
            if help.edits.is_empty() {
                return true;
            }
            let is_long = is_warning && source.len() > WARNED_BYTES_MAX;
            if is_long || tried >= TRIED_MAX || tried * source.len() > TRIED_BYTES_MAX {
                return false;
            }
            tried += 1;
            help.edits
                .iter_mut()
                .for_each(|edit| layout::fit(source, edit));
            trial.helps(&before, &help.edits, &compile)
        });
        let diagnostic = &mut finding.diagnostic;
        lead(diagnostic);
        if let (true, Some(text)) = (diagnostic.help.is_empty(), diagnostic.otherwise.take()) {
            *diagnostic = diagnostic.clone().help(text);
        }
    }
}

/// A help that continued one that is left out stands first now: it does not begin with "or".
fn lead(diagnostic: &mut Diagnostic) {
    let first = diagnostic.help.first_mut();
    if let Some(line) = first.and_then(|help| help.lines.first_mut())
        && let Some(rest) = line.strip_prefix("or ")
    {
        *line = rest.to_owned();
    }
}

/// The finding that a repair is for.
struct Repaired<'s> {
    stage: Stage,
    code: &'static str,
    message: String,
    /// The text of its line.
    line: &'s str,
}

/// What a repair is compared with: the texts and their errors as they are.
struct Trial<'s> {
    sources: &'s Sources,
    /// The number of findings of each identity, and that of the errors of each stage.
    known: BTreeMap<(&'static str, String), usize>,
    by_stage: BTreeMap<Stage, usize>,
    /// The lines that cannot be read, and the messages about them.
    broken: Vec<(usize, String)>,
    /// The texts of the lines with errors.
    failing: BTreeSet<&'s str>,
}

impl<'s> Trial<'s> {
    fn new<'f>(sources: &'s Sources, findings: impl Iterator<Item = &'f Finding>) -> Trial<'s> {
        let mut trial = Trial {
            sources,
            known: BTreeMap::new(),
            by_stage: BTreeMap::new(),
            broken: Vec::new(),
            failing: BTreeSet::new(),
        };
        for finding in findings {
            let (code, message) = finding.identity();
            let known = trial.known.entry((code, message.to_owned()));
            *known.or_default() += 1;
            if !finding.is_error() {
                continue;
            }
            *trial.by_stage.entry(finding.stage).or_default() += 1;
            let text = text_of_line(sources.text(), finding.diagnostic.place());
            trial.failing.insert(text);
            if finding.stage == Stage::Read {
                let line = line_of(sources.text(), finding.diagnostic.place());
                trial.broken.push((line, message.to_owned()));
            }
        }
        trial
    }

    /// Whether edits repair a finding.
    fn helps(
        &self,
        repaired: &Repaired<'_>,
        edits: &[Edit],
        compile: impl Fn(&Sources) -> Vec<Finding>,
    ) -> bool {
        let Repaired {
            stage,
            code,
            message,
            line,
        } = repaired;
        if self.is_in_broken_line(message, edits) {
            return false;
        }
        let edited = self.sources.edited(edits);
        let found = compile(&edited);
        let same = |one: &&Finding| one.identity() == (*code, message.as_str());
        let identity = (*code, message.clone());
        let was = self.known.get(&identity).copied().unwrap_or(1);
        if found.iter().filter(same).count() >= was {
            return false;
        }
        let placed = placed(edits);
        let errors = || found.iter().filter(|one| one.is_error());
        let (mut counts, mut until_stage) = (BTreeMap::new(), 0);
        for error in errors() {
            let (code, message) = error.identity();
            let count: &mut usize = counts.entry((code, message)).or_default();
            *count += 1;
            until_stage += usize::from(error.stage <= *stage);
            let known = self.known.get(&(code, message.to_owned()));
            if *count <= known.copied().unwrap_or_default() {
                continue;
            }
            // Another pattern that fails, too, may now fail for another reason.
            let failing = text_of_line(edited.text(), error.diagnostic.place());
            if failing != *line && self.failing.contains(failing) {
                continue;
            }
            let is_hidden_till_now = error.stage > *stage;
            let is_own = error.diagnostic.labels.iter().any(|(span, _)| {
                placed.iter().any(|(range, adds_line)| {
                    (*adds_line || !is_hidden_till_now) && touches(*span, range)
                })
            });
            if is_own || (!is_hidden_till_now && *stage == Stage::Prove) {
                return false;
            }
        }
        let before = self.by_stage.range(..=*stage).map(|(_, count)| count).sum();
        until_stage <= before
    }

    /// Whether edits change a line that cannot be read for another reason than the given one: its
    /// meaning is unknown.
    fn is_in_broken_line(&self, message: &str, edits: &[Edit]) -> bool {
        !self.broken.is_empty()
            && edits.iter().any(|edit| {
                let line = line_of(self.sources.text(), edit.span.start);
                self.broken
                    .iter()
                    .any(|(broken, other)| *broken == line && other != message)
            })
    }
}

fn line_of(source: &str, at: usize) -> usize {
    source.get(..at).unwrap_or(source).matches('\n').count()
}

/// The text of the line with this place.
fn text_of_line(source: &str, at: usize) -> &str {
    let (before, behind) = source.split_at_checked(at).unwrap_or((source, ""));
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    let length = behind.find('\n').unwrap_or(behind.len());
    source.get(start..at + length).unwrap_or_default()
}

/// The places of the new texts after edits were applied, and whether the text adds a line.
fn placed(edits: &[Edit]) -> Vec<(Range<usize>, bool)> {
    let mut sorted: Vec<&Edit> = edits.iter().collect();
    sorted.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let (mut longer, mut shorter) = (0, 0);
    let mut places = Vec::new();
    for edit in sorted {
        let start = edit.span.start + longer - shorter;
        places.push((start..start + edit.text.len(), edit.text.contains('\n')));
        longer += edit.text.len();
        shorter += edit.span.end - edit.span.start;
    }
    places
}

fn touches(span: Span, range: &Range<usize>) -> bool {
    span.start < range.end && range.start < span.end.max(span.start + 1)
}
