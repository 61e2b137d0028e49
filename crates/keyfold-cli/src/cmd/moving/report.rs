//! A report as a file: Markdown, or one HTML page that loads nothing.
//!
//! Texts are escaped for both forms: keys of items and messages of servers may hold anything.

use crate::failure::Failure;
use crate::terminal;
use keyfold_codegen::document::{escape, page};
use std::path::{Path, PathBuf};

/// What a report says, in neither form.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::cmd) struct Report {
    pub(in crate::cmd) title: String,
    /// The sentence that matters most.
    pub(in crate::cmd) verdict: String,
    pub(in crate::cmd) sections: Vec<Section>,
}

/// A part of a report.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::cmd) struct Section {
    pub(in crate::cmd) heading: String,
    /// The table: its head and rows. Without rows it is left out.
    pub(in crate::cmd) head: Vec<String>,
    pub(in crate::cmd) rows: Vec<Vec<String>>,
    /// Sentences below it.
    pub(in crate::cmd) notes: Vec<String>,
}

impl Section {
    /// A section of names and values.
    pub(in crate::cmd) fn facts(heading: &str, facts: Vec<(&str, String)>) -> Section {
        Section {
            heading: heading.to_owned(),
            head: ["", ""].map(str::to_owned).to_vec(),
            rows: facts
                .into_iter()
                .map(|(name, value)| vec![name.to_owned(), value])
                .collect(),
            notes: Vec::new(),
        }
    }
}

/// The form of a report, which the end of its file's name chooses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Markdown,
    Html,
}

/// A file for a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cmd) struct File {
    path: PathBuf,
    form: Form,
}

impl File {
    /// The file of a report.
    ///
    /// # Errors
    /// When the end of its name is none of the forms, or when its folder is not there: before anything is
    /// read or written.
    pub(in crate::cmd) fn of(path: &Path) -> Result<File, Failure> {
        let form = match path.extension().and_then(|end| end.to_str()) {
            Some("md" | "markdown") => Form::Markdown,
            Some("html" | "htm") => Form::Html,
            Some(_) | None => {
                let why = format!(
                    "{} ends neither with .md nor with .html, which says how a report is written",
                    path.display()
                );
                return Err(Failure::usage(why).in_file(path));
            }
        };
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
            let why = format!(
                "there is no folder {} for the report {}",
                folder.display(),
                path.display()
            );
            return Err(Failure::usage(why).in_file(path));
        }
        Ok(File {
            path: path.to_owned(),
            form,
        })
    }

    /// Writes a report.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(in crate::cmd) fn write(&self, report: &Report) -> Result<(), Failure> {
        let text = match self.form {
            Form::Markdown => markdown(report),
            Form::Html => html(report),
        };
        std::fs::write(&self.path, text).map_err(|error| Failure::unwritten(&self.path, &error))
    }
}

fn html(report: &Report) -> String {
    let mut body = format!("<h1>{}</h1>\n", text(&report.title));
    body.push_str(&format!("<p><b>{}</b></p>\n", text(&report.verdict)));
    for section in &report.sections {
        body.push_str(&format!("<h2>{}</h2>\n", text(&section.heading)));
        if !section.rows.is_empty() {
            body.push_str("<table>\n");
            body.push_str(&row("th", &section.head));
            section
                .rows
                .iter()
                .for_each(|cells| body.push_str(&row("td", cells)));
            body.push_str("</table>\n");
        }
        for note in &section.notes {
            body.push_str(&format!("<p class=\"note\">{}</p>\n", text(note)));
        }
    }
    page(&text(&report.title), &body)
}

/// A row of a table; one of empty heads is none.
fn row(tag: &str, cells: &[String]) -> String {
    if cells.iter().all(String::is_empty) {
        return String::new();
    }
    let cells: Vec<String> = cells
        .iter()
        .map(|cell| format!("<{tag}>{}</{tag}>", text(cell)))
        .collect();
    format!("<tr>{}</tr>\n", cells.concat())
}

/// A text of which HTML makes nothing but that text.
fn text(text: &str) -> String {
    escape(&terminal::shown(text))
}

fn markdown(report: &Report) -> String {
    let mut out = format!(
        "# {}\n\n**{}**\n",
        plain(&report.title),
        plain(&report.verdict)
    );
    for section in &report.sections {
        out.push_str(&format!("\n## {}\n", plain(&section.heading)));
        if !section.rows.is_empty() {
            out.push('\n');
            out.push_str(&line(&section.head));
            out.push_str(&format!("|{}\n", "---|".repeat(section.head.len())));
            section.rows.iter().for_each(|row| out.push_str(&line(row)));
        }
        for note in &section.notes {
            out.push_str(&format!("\n{}\n", plain(note)));
        }
    }
    out
}

fn line(cells: &[String]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| plain(cell)).collect();
    format!("| {} |\n", cells.join(" | "))
}

/// A text of which Markdown makes nothing but that text.
fn plain(text: &str) -> String {
    let mut out = String::new();
    for letter in terminal::shown(text).chars() {
        if matches!(
            letter,
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '~' | '&' | '$'
        ) {
            out.push('\\');
        }
        out.push(letter);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Report {
        Report {
            title: "A move".to_owned(),
            verdict: "one item <differs>".to_owned(),
            sections: vec![Section {
                heading: "T|a".to_owned(),
                head: vec!["key".to_owned(), "what".to_owned()],
                rows: vec![vec![
                    "id=<script>|`x`\n".to_owned(),
                    "is \"missing\"".to_owned(),
                ]],
                notes: vec!["*all*".to_owned()],
            }],
        }
    }

    #[test]
    fn markdown_shows_texts_as_they_are() {
        let expected = "# A move\n\n**one item \\<differs\\>**\n\n## T\\|a\n\n| key | what |\n|---|---|\n\
                        | id=\\<script\\>\\|\\`x\\`\\\\n | is \"missing\" |\n\n\\*all\\*\n";
        assert_eq!(markdown(&report()), expected);
    }

    #[test]
    fn html_shows_texts_as_they_are_and_loads_nothing() {
        let html = html(&report());
        assert!(html.contains("id=&lt;script&gt;"), "{html}");
        assert!(!html.contains("<script"), "{html}");
        for loads in ["src=", "href=", "http:", "https:", "url(", "@import"] {
            assert!(!html.contains(loads), "{loads}: {html}");
        }
        assert!(html.contains("color-scheme: light dark"), "{html}");
        assert!(html.contains("name=\"viewport\""), "{html}");
    }

    #[test]
    fn the_name_of_the_file_chooses_the_form() {
        let form = |name: &str| File::of(Path::new(name)).map(|file| file.form).ok();
        assert_eq!(form("a.md"), Some(Form::Markdown));
        assert_eq!(form("a.html"), Some(Form::Html));
        assert_eq!(form("a.txt"), None);
        assert_eq!(form("a"), None);
        assert_eq!(form("no/such/folder/a.md"), None);
    }
}
