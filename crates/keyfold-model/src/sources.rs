//! The texts of a model: one, or several files. The first file uses others, which may use further
//! ones; together they are one model.
//!
//! The texts lie behind each other in one text, so that a [`Span`] is a place in all of them. The
//! compiler reads no file: a loader returns the text of each name.
//!
//! ```text
//! shop.keyfold      use "orders.keyfold"      0 .. 120
//! orders.keyfold    owner orders            121 .. 300
//! ```

use crate::diagnostic::{Span, line_and_column};

/// Most files of a model.
pub const FILES_MAX: usize = 1000;

/// The texts of a model with their names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sources {
    /// The texts of all files, a line break between them.
    text: String,
    /// The folder of the first file as people name it, up to its last separator; empty if it was
    /// named without one.
    folder: String,
    /// The first one is that which uses the others.
    files: Vec<SourceFile>,
}

/// A file of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// Its path from the folder of the first file, with `/` between the parts.
    name: String,
    /// Where its text starts and ends.
    start: usize,
    end: usize,
    /// The owner that it names.
    owner: Option<String>,
    /// The texts behind `use`, each with the reason why its file is not part of the model.
    uses: Vec<Use>,
}

/// The text behind `use`, and the reason why its file is not part of the model.
pub(crate) type Use = (String, Option<NotUsed>);

/// The reason why a file that another uses is not part of the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NotUsed {
    /// Its path is none of those that a model may use.
    Path(&'static str),
    /// It uses, directly or not, the file that uses it: these files, in their order.
    Circle(Vec<usize>),
    /// It is part of the model already, by this name.
    Twice(usize),
    /// It cannot be read, for this reason.
    Unreadable(String),
    /// The model has [`FILES_MAX`] files already.
    TooMany,
}

/// What a loader returns of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loaded {
    /// Its text.
    pub text: String,
    /// What distinguishes it from other files, whatever the name it is asked for by: its path
    /// without links.
    pub identity: String,
}

/// A place in a model as people name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place<'s> {
    /// The path of the file.
    pub path: String,
    /// The owner that the file names.
    pub owner: Option<&'s str>,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

impl SourceFile {
    /// Its path from the folder of the first file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The owner that it names.
    pub fn owner(&self) -> Option<&str> {
        self.owner.as_deref()
    }

    /// Where its text lies in the text of the model.
    pub fn span(&self) -> Span {
        Span {
            start: self.start,
            end: self.end,
        }
    }

    /// The texts behind `use`.
    pub(crate) fn uses(&self) -> &[Use] {
        &self.uses
    }

    /// The reason why the file behind the `use` of a text is not part of the model, where the file
    /// says this `earlier` times before. The outer `None` means that it was not asked for when the
    /// texts were loaded.
    pub(crate) fn not_used(&self, written: &str, earlier: usize) -> Option<Option<&NotUsed>> {
        let same = self.uses.iter().filter(|(text, _)| text == written);
        let mut from = same.skip(earlier);
        from.next().map(|(_, why)| why.as_ref())
    }
}

impl Sources {
    /// The file, by place, that another uses by the text behind `use`.
    pub(crate) fn used_by(&self, user: &SourceFile, written: &str) -> Option<usize> {
        let name = path_in(&user.name, written).ok()?;
        user.uses
            .iter()
            .find(|(text, why)| text == written && why.is_none())?;
        self.files.iter().position(|file| file.name == name)
    }

    /// The texts of all files behind each other. Every [`Span`] is a place in it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The files; the first one uses the others.
    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }

    /// The text of a file.
    pub fn text_of(&self, file: &SourceFile) -> &str {
        self.text.get(file.start..file.end).unwrap_or_default()
    }

    /// The path of a file as people name it: that of the first file as it was given, and of the
    /// others from there.
    pub fn path_of(&self, file: &SourceFile) -> String {
        format!("{}{}", self.folder, file.name)
    }

    /// The place of the file of a place, in bytes.
    pub(crate) fn index_at(&self, at: usize) -> usize {
        let behind = self.files.partition_point(|file| file.start <= at);
        behind.saturating_sub(1)
    }

    /// The file of a place, in bytes.
    pub fn file_at(&self, at: usize) -> Option<&SourceFile> {
        self.files.get(self.index_at(at))
    }

    /// A place, in bytes, as people name it.
    pub fn place(&self, at: usize) -> Place<'_> {
        let Some(file) = self.file_at(at) else {
            return Place {
                path: self.folder.clone(),
                owner: None,
                line: 1,
                column: 1,
            };
        };
        let (line, column) = line_and_column(self.text_of(file), at - file.start);
        Place {
            path: self.path_of(file),
            owner: file.owner(),
            line,
            column,
        }
    }

    /// Texts without a file.
    pub(crate) fn empty(folder: &str) -> Sources {
        Sources {
            text: String::new(),
            folder: folder.to_owned(),
            files: Vec::new(),
        }
    }

    /// The folder of the first file as people name it.
    pub(crate) fn folder(&self) -> &str {
        &self.folder
    }

    /// Adds a file behind the others.
    pub(crate) fn push(&mut self, name: String, text: &str, owner: Option<String>, uses: Vec<Use>) {
        if !self.files.is_empty() {
            self.text.push('\n');
        }
        let start = self.text.len();
        self.text.push_str(text);
        self.files.push(SourceFile {
            name,
            start,
            end: self.text.len(),
            owner,
            uses,
        });
    }

    /// Notes why a file that another uses is not part of the model.
    pub(crate) fn refuse(&mut self, by: usize, at: usize, why: NotUsed) {
        let file = self.files.get_mut(by);
        let one = file.and_then(|file| file.uses.get_mut(at));
        one.into_iter()
            .for_each(|(_, reason)| *reason = Some(why.clone()));
    }
}

/// The path, from the folder of the first file, of a path that a file names from its own folder; or
/// the reason why no model may use it.
pub(crate) fn path_in(file: &str, written: &str) -> Result<String, &'static str> {
    if written.contains('\\') || written.chars().any(char::is_control) {
        return Err("a path has `/` between its parts");
    }
    let drive = |text: &str| text.as_bytes().get(1) == Some(&b':');
    if written.starts_with('/') || drive(written) {
        return Err("a path starts in the folder of the file that uses it, not at the root");
    }
    let mut parts: Vec<&str> = file.split('/').collect();
    parts.pop();
    let own = parts.len();
    for part in written.split('/') {
        match part {
            "" | "." => {}
            ".." => return Err("a model uses files of its own folder and of folders below"),
            part => parts.push(part),
        }
    }
    if parts.len() == own || written.ends_with('/') {
        return Err("a path names a file");
    }
    Ok(parts.join("/"))
}
