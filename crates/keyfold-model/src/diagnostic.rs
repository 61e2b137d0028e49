//! Findings of the compiler: code, place, reason and repair.

use std::ops::Range;

/// A range of the source, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    /// The start, in bytes.
    pub start: usize,
    /// The end, in bytes.
    pub end: usize,
}

impl Span {
    /// From the start of this span to the end of another.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        Span {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }

    pub(crate) fn range(self, source: &str) -> Range<usize> {
        let end = self.end.min(source.len());
        self.start.min(end)..end
    }
}

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// The model cannot be used.
    Error,
    /// The model can be used; the design may perform badly.
    Warning,
}

/// A replacement of a piece of the source. An empty piece is an insertion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The place of the text that is replaced.
    pub span: Span,
    /// The replacement.
    pub text: String,
}

impl Edit {
    /// An edit that replaces a piece.
    pub fn replace(span: Span, text: impl Into<String>) -> Edit {
        Edit {
            span,
            text: text.into(),
        }
    }

    /// An edit that inserts at a place, in bytes.
    pub fn insert(at: usize, text: impl Into<String>) -> Edit {
        Edit {
            span: Span { start: at, end: at },
            text: text.into(),
        }
    }
}

/// The value of a result; an error is added to the findings.
pub(crate) fn report<T>(
    result: Result<T, Box<Diagnostic>>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(diagnostic) => {
            diagnostics.push(*diagnostic);
            None
        }
    }
}

/// Applies edits to the source. Edits that overlap an earlier one are left out.
pub fn apply(source: &str, edits: &[Edit]) -> String {
    let mut sorted: Vec<&Edit> = edits.iter().collect();
    sorted.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let mut out = String::with_capacity(source.len());
    let mut at = 0;
    for edit in sorted {
        if edit.span.start < at {
            continue;
        }
        out.push_str(source.get(at..edit.span.start).unwrap_or_default());
        out.push_str(&edit.text);
        at = edit.span.end;
    }
    out.push_str(source.get(at..).unwrap_or_default());
    out
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The rule's code: `KF010`.
    pub code: &'static str,
    /// Error or warning.
    pub severity: Severity,
    /// The error or warning, in one line.
    pub message: String,
    /// Places in the source with a remark each. The first is the place of the finding.
    pub labels: Vec<(Span, String)>,
    /// Reasons.
    pub notes: Vec<String>,
    /// Ways to repair it. The compiler has tried those that have edits.
    pub help: Vec<Help>,
    /// The help where no other is left, because the repairs that were tried do not compile.
    pub(crate) otherwise: Option<String>,
}

/// One way to repair a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Help {
    /// Sentences.
    pub lines: Vec<String>,
    /// The edits that carry it out; empty if only a person can.
    pub edits: Vec<Edit>,
    /// Who decides whether it is carried out.
    pub choice: Choice,
}

/// Who decides whether a repair is carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// A tool may do it: what the model promises stays.
    Tool,
    /// A person: it changes what the model promises.
    Person,
}

impl Diagnostic {
    /// An error at a place.
    pub fn error(
        code: &'static str,
        span: Span,
        message: impl Into<String>,
        label: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic {
            code,
            severity: Severity::Error,
            message: message.into(),
            labels: vec![(span, label.into())],
            notes: Vec::new(),
            help: Vec::new(),
            otherwise: None,
        }
    }

    /// A warning at a place.
    pub fn warning(
        code: &'static str,
        span: Span,
        message: impl Into<String>,
        label: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic {
            severity: Severity::Warning,
            ..Diagnostic::error(code, span, message, label)
        }
    }

    /// Sets the edits that carry out the help since the repair before; without edits it stays advice
    /// for a person.
    #[must_use]
    pub fn repair(self, edits: Vec<Edit>) -> Diagnostic {
        self.with_edits(edits, Choice::Tool)
    }

    /// Like [`Diagnostic::repair`], for a repair that changes what the model promises.
    #[must_use]
    pub fn offer(self, edits: Vec<Edit>) -> Diagnostic {
        self.with_edits(edits, Choice::Person)
    }

    fn with_edits(mut self, edits: Vec<Edit>, choice: Choice) -> Diagnostic {
        if edits.is_empty() {
            return self;
        }
        let is_repair = |help: &Help| !help.edits.is_empty();
        let from = self.help.iter().rposition(is_repair).map_or(0, |at| at + 1);
        let lines = self.help.drain(from..).flat_map(|help| help.lines);
        let lines = lines.collect();
        self.help.push(Help {
            lines,
            edits,
            choice,
        });
        self
    }

    /// The edits that a tool may make: those of the first repair, unless a person must choose it.
    pub fn edits(&self) -> &[Edit] {
        let first = self.help.iter().find(|help| !help.edits.is_empty());
        first
            .filter(|help| help.choice == Choice::Tool)
            .map_or(&[], |help| help.edits.as_slice())
    }

    /// The sentences of all ways to repair it.
    pub fn help_lines(&self) -> impl Iterator<Item = &str> {
        let lines = self.help.iter().flat_map(|help| &help.lines);
        lines.map(String::as_str)
    }

    /// Adds a place with a remark.
    #[must_use]
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.labels.push((span, text.into()));
        self
    }

    /// Adds a reason.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Diagnostic {
        self.notes.push(text.into());
        self
    }

    /// Adds a way to repair it, as text.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.help.push(Help {
            lines: vec![text.into()],
            edits: Vec::new(),
            choice: Choice::Person,
        });
        self
    }

    /// This error and another one of the same line as one, which the first repairs of both mend
    /// together.
    pub(crate) fn and(mut self, other: Diagnostic) -> Diagnostic {
        let places = other.labels.into_iter().map(|(span, _)| span);
        self.labels
            .extend(places.map(|span| (span, other.message.clone())));
        match (self.help.first_mut(), other.help.into_iter().next()) {
            (Some(help), Some(next)) => {
                help.lines.extend(next.lines);
                help.edits.extend(next.edits);
                if next.choice == Choice::Person {
                    help.choice = Choice::Person;
                }
            }
            (None, next) => self.help.extend(next),
            (Some(_), None) => {}
        }
        self
    }

    /// The same with its help as text alone.
    pub(crate) fn without_edits(mut self) -> Diagnostic {
        self.help.iter_mut().for_each(|help| help.edits.clear());
        self
    }

    /// Sets the help that is shown where no repair is left.
    #[must_use]
    pub(crate) fn otherwise(mut self, text: impl Into<String>) -> Diagnostic {
        self.otherwise = Some(text.into());
        self
    }

    /// Its place in the source, in bytes.
    pub fn place(&self) -> usize {
        self.labels.first().map_or(0, |(span, _)| span.start)
    }

    /// The line and column of its place in a model of one text, counted from 1.
    pub fn line_and_column(&self, source: &str) -> (usize, usize) {
        line_and_column(source, self.place())
    }
}

/// The line and column of a place in a text, counted from 1.
pub(crate) fn line_and_column(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let last = before.rsplit('\n').next().unwrap_or_default();
    (line, last.chars().count() + 1)
}
