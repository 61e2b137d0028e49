//! Findings for people: with the lines that they point at, and the owners of their files.

use crate::diagnostic::{Diagnostic, Severity, Span};
use crate::sources::Sources;
use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};

impl Diagnostic {
    /// Adds the owners of the files that it points at, where the model has several files.
    pub(crate) fn name_owners(&mut self, sources: &Sources) {
        if sources.files().len() < 2 {
            return;
        }
        let mut files: Vec<usize> = Vec::new();
        for (span, _) in &self.labels {
            let file = sources.index_at(span.start);
            if !files.contains(&file) {
                files.push(file);
            }
        }
        let files = files.iter().filter_map(|file| sources.files().get(*file));
        let owned = files.filter_map(|file| {
            let owner = file.owner()?;
            Some(format!("{} is owned by {owner}", file.name()))
        });
        let owned: Vec<String> = owned.collect();
        if !owned.is_empty() {
            self.notes.push(owned.join(", "));
        }
    }

    /// The finding in a model of one text with the lines that it points at, for a terminal.
    pub fn render(&self, source: &str, path: &str, color: bool) -> String {
        let labels = self.labels.iter().collect();
        self.rendered(
            vec![Excerpt {
                text: source,
                start: 0,
                path: path.to_owned(),
                labels,
            }],
            color,
        )
    }

    /// The finding with the lines that it points at, for a terminal: those of its own file first.
    pub fn render_in(&self, sources: &Sources, color: bool) -> String {
        let mut excerpts: Vec<(usize, Excerpt<'_>)> = Vec::new();
        for label in &self.labels {
            let index = sources.index_at(label.0.start);
            if let Some((_, known)) = excerpts.iter_mut().find(|(file, _)| *file == index) {
                known.labels.push(label);
            } else if let Some(file) = sources.files().get(index) {
                let excerpt = Excerpt {
                    text: sources.text_of(file),
                    start: file.span().start,
                    path: sources.path_of(file),
                    labels: vec![label],
                };
                excerpts.push((index, excerpt));
            }
        }
        let excerpts = excerpts.into_iter().map(|(_, excerpt)| excerpt);
        self.rendered(excerpts.collect(), color)
    }

    fn rendered(&self, excerpts: Vec<Excerpt<'_>>, color: bool) -> String {
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let title = level.primary_title(self.message.as_str()).id(self.code);
        let snippets = excerpts.into_iter().map(Excerpt::snippet);
        let mut group: Group<'_> = title.elements(snippets);
        for note in &self.notes {
            group = group.element(Level::NOTE.message(note.as_str()));
        }
        for help in self.help_lines() {
            group = group.element(Level::HELP.message(help));
        }
        let renderer = if color {
            Renderer::styled()
        } else {
            Renderer::plain()
        };
        renderer.decor_style(DecorStyle::Ascii).render(&[group])
    }
}

/// The places of a finding in one file.
struct Excerpt<'d> {
    text: &'d str,
    /// Where the text lies among those of the model.
    start: usize,
    path: String,
    labels: Vec<&'d (Span, String)>,
}

impl<'d> Excerpt<'d> {
    /// The lines from the first place to the last, with the remarks.
    fn snippet(self) -> Snippet<'d, Annotation<'d>> {
        let source = self.text;
        let range = |span: &Span| {
            let at = |place: usize| place.saturating_sub(self.start);
            Span {
                start: at(span.start),
                end: at(span.end),
            }
            .range(source)
        };
        let spans = || self.labels.iter().map(|(span, _)| range(span));
        let low = spans().map(|span| span.start).min().unwrap_or(0);
        let high = spans().map(|span| span.end).max().unwrap_or(0);
        let start = source
            .get(..low)
            .and_then(|before| before.rfind('\n'))
            .map_or(0, |at| at + 1);
        let end = source
            .get(high..)
            .and_then(|rest| rest.find('\n'))
            .map_or(source.len(), |at| high + at);
        let before = source.get(..start).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let shown = source.get(start..end).unwrap_or(source);
        let mut snippet = Snippet::source(shown)
            .line_start(line)
            .path(self.path.clone());
        for (at, (span, label)) in self.labels.iter().enumerate() {
            let kind = if at == 0 {
                AnnotationKind::Primary
            } else {
                AnnotationKind::Context
            };
            let range = range(span);
            let range = range.start - start..range.end - start;
            snippet = snippet.annotation(kind.span(range).label(label.as_str()));
        }
        snippet
    }
}
