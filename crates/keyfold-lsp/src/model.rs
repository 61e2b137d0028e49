//! A model that is edited: its texts, its names, its findings, and its last version without errors.
//!
//! What a text says is computed once a version, when it is first asked for. While a line is half
//! typed there is no model of it; plans are those of the last version without errors then.

use crate::text::{Encoding, Text};
use gen_lsp_types::{Position, Range};
use keyfold_codegen::chart::Chart;
use keyfold_model::names::Names;
use keyfold_model::{Compiled, Diagnostic, Model, Severity, Sources, Span, compile_sources};

/// A model of one or several files.
pub(crate) struct Edited {
    /// Its texts.
    pub(crate) sources: Sources,
    /// The texts with their lines, in the order of the files.
    texts: Vec<Text>,
    names: Option<Names>,
    findings: Option<Findings>,
    good: Option<Good>,
    /// How often its texts were compiled.
    pub(crate) compiled: u64,
}

/// The findings of a version.
pub(crate) struct Findings {
    /// Errors and warnings, in the order of the text.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// The number of further findings.
    pub(crate) more: usize,
}

/// A version without errors.
struct Good {
    model: Model,
    chart: Option<Chart>,
}

impl Edited {
    pub(crate) fn new(sources: Sources) -> Edited {
        Edited {
            texts: texts(&sources),
            sources,
            names: None,
            findings: None,
            good: None,
            compiled: 0,
        }
    }

    /// Takes the texts of a new version.
    pub(crate) fn update(&mut self, sources: Sources) {
        if sources == self.sources {
            return;
        }
        self.texts = texts(&sources);
        self.sources = sources;
        self.names = None;
        self.findings = None;
    }

    /// The names of the texts as they are.
    pub(crate) fn names(&mut self) -> &Names {
        let sources = &self.sources;
        self.names.get_or_insert_with(|| Names::of(sources))
    }

    /// The findings of the texts as they are.
    pub(crate) fn findings(&mut self) -> &Findings {
        if self.findings.is_none() {
            self.compile();
        }
        self.findings.get_or_insert_with(|| Findings {
            diagnostics: Vec::new(),
            more: 0,
        })
    }

    /// Whether the texts as they are have errors.
    pub(crate) fn has_errors(&mut self) -> bool {
        let is_error = |one: &Diagnostic| one.severity == Severity::Error;
        self.findings().diagnostics.iter().any(is_error)
    }

    /// The last version without errors, at a glance.
    pub(crate) fn chart(&mut self) -> Option<&Chart> {
        if self.findings.is_none() {
            self.compile();
        }
        let Good { model, chart } = self.good.as_mut()?;
        Some(chart.get_or_insert_with(|| Chart::of(model)))
    }

    /// The last version without errors.
    pub(crate) fn good(&mut self) -> Option<&Model> {
        if self.findings.is_none() {
            self.compile();
        }
        self.good.as_ref().map(|good| &good.model)
    }

    fn compile(&mut self) {
        self.compiled += 1;
        let Compiled {
            model,
            diagnostics,
            more,
        } = compile_sources(&self.sources);
        if let Some(model) = model {
            self.good = Some(Good { model, chart: None });
        }
        self.findings = Some(Findings { diagnostics, more });
    }

    /// The place of a file among the files.
    fn index_of(&self, path: &str) -> Option<usize> {
        let mut files = self.sources.files().iter();
        files.position(|file| self.sources.path_of(file) == path)
    }

    /// The text of a file.
    pub(crate) fn text_of(&self, path: &str) -> Option<&Text> {
        self.texts.get(self.index_of(path)?)
    }

    /// The place, among all texts, of a position in a file.
    pub(crate) fn place(&self, path: &str, at: Position, encoding: Encoding) -> Option<usize> {
        let index = self.index_of(path)?;
        let start = self.sources.files().get(index)?.span().start;
        Some(start + self.texts.get(index)?.offset(at, encoding))
    }

    /// The places, among all texts, of a range in a file.
    pub(crate) fn span(&self, path: &str, range: Range, encoding: Encoding) -> Option<Span> {
        Some(Span {
            start: self.place(path, range.start, encoding)?,
            end: self.place(path, range.end, encoding)?,
        })
    }

    /// The file of a piece, and its range there.
    pub(crate) fn range(&self, span: Span, encoding: Encoding) -> Option<(String, Range)> {
        let file = self.sources.file_at(span.start)?;
        let path = self.sources.path_of(file);
        let text = self.texts.get(self.index_of(&path)?)?;
        let from = file.span().start;
        let own = Span {
            start: span.start.saturating_sub(from),
            end: span.end.saturating_sub(from),
        };
        Some((path, text.range(own, encoding)))
    }

    /// Where the text of a file lies among all texts.
    pub(crate) fn file_span(&self, path: &str) -> Option<Span> {
        let index = self.index_of(path)?;
        Some(self.sources.files().get(index)?.span())
    }

    /// The paths of its files.
    pub(crate) fn paths(&self) -> Vec<String> {
        let files = self.sources.files().iter();
        files.map(|file| self.sources.path_of(file)).collect()
    }
}

fn texts(sources: &Sources) -> Vec<Text> {
    let files = sources.files().iter();
    files.map(|file| Text::new(sources.text_of(file))).collect()
}
