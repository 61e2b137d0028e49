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
            None,
        )
    }

    /// The finding with the lines that it points at, for a terminal: those of its own file first.
    pub fn render_in(&self, sources: &Sources, color: bool) -> String {
        self.render_within(sources, color, None)
    }

    /// As [`Diagnostic::render_in`], in lines of at most `width` characters: sentences are broken
    /// between words, and a longer line of the source is cut, with `...` where it continues.
    pub fn render_within(&self, sources: &Sources, color: bool, width: Option<usize>) -> String {
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
        self.rendered(excerpts.collect(), color, width)
    }

    fn rendered(&self, excerpts: Vec<Excerpt<'_>>, color: bool, width: Option<usize>) -> String {
        let (level, word) = match self.severity {
            Severity::Error => (Level::ERROR, "error"),
            Severity::Warning => (Level::WARNING, "warning"),
        };
        let numbers = excerpts.iter().map(Excerpt::last_line);
        let gutter = numbers.max().unwrap_or(0).to_string().len();
        let broken = |text: &str, taken: usize| match width {
            Some(width) => broken(text, width.saturating_sub(taken)),
            None => text.to_owned(),
        };
        let message = broken(&self.message, format!("{word}[{}]: ", self.code).len());
        let title = level.primary_title(message).id(self.code);
        let snippets = excerpts.into_iter().map(Excerpt::snippet);
        let mut group: Group<'_> = title.elements(snippets);
        let taken = gutter + " = note: ".len();
        for note in &self.notes {
            group = group.element(Level::NOTE.message(broken(note, taken)));
        }
        for help in self.help_lines() {
            group = group.element(Level::HELP.message(broken(help, taken)));
        }
        let mut renderer = if color {
            Renderer::styled()
        } else {
            Renderer::plain()
        };
        if let Some(width) = width {
            // The renderer counts the source alone.
            renderer = renderer.term_width(width.saturating_sub(gutter + " | ".len()).max(1));
        }
        renderer.decor_style(DecorStyle::Ascii).render(&[group])
    }
}

/// A text whose lines have at most `width` characters, unless a word is longer.
fn broken(text: &str, width: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        let mut current = String::new();
        for word in line.split(' ') {
            if !current.is_empty() && current.chars().count() + 1 + word.chars().count() > width {
                lines.push(std::mem::take(&mut current));
            }
            if !current.is_empty() {
                current.push(' ');
            }
            current.push_str(word);
        }
        lines.push(current);
    }
    lines.join("\n")
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
    /// The number of the last line that it points at.
    fn last_line(&self) -> usize {
        let ends = self.labels.iter().map(|(span, _)| span.end);
        let end = ends.max().unwrap_or(0).saturating_sub(self.start);
        let before = self.text.get(..end).unwrap_or(self.text);
        before.matches('\n').count() + 1
    }

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
