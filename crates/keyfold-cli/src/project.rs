//! The project of the current folder: `keyfold.toml`, which names the model, the files that are
//! generated of it, and connections.

use crate::client_file;
use crate::failure::Failure;
use clap::Args;
use keyfold_client::Connection;
use keyfold_codegen::generate::Target;
use keyfold_model::near;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toml_edit::{Document, Item, TableLike, TomlError};

/// The name of the file.
pub(crate) const FILE: &str = "keyfold.toml";

/// The names of the first level.
const NAMES: [&str; 6] = [
    "model",
    "connection",
    "numbers",
    "classes",
    "outputs",
    "connections",
];

/// What a wrong connection is answered with.
const CONNECTIONS: &str = "write keyfold:./data, http://127.0.0.1:8000, https://HOST or \
                           dynamodb://eu-west-1?profile=NAME";

/// A project.
pub(crate) struct Project {
    /// The file.
    pub(crate) path: PathBuf,
    /// The model, and the line that says it.
    model: Option<(PathBuf, usize)>,
    /// The files or folders of generated clients.
    pub(crate) outputs: Vec<(Target, PathBuf)>,
    /// Whether generated clients have types for numbers of 38 digits.
    pub(crate) exact_numbers: bool,
    /// Whether generated classes check the types of their attributes, with pydantic.
    pub(crate) pydantic: bool,
    /// The name of the connection that is used where none is named, and the line that says it.
    connection: Option<(String, usize)>,
    /// The connections by name.
    connections: BTreeMap<String, Named>,
}

/// A connection of the file.
struct Named {
    /// Its text.
    text: String,
    /// The line of the text.
    line: usize,
}

impl Project {
    /// The project of the current folder or of the nearest one above it.
    pub(crate) fn find() -> Result<Option<Project>, Failure> {
        let Ok(current) = std::env::current_dir() else {
            return Ok(None);
        };
        let mut folders = current.ancestors();
        let Some(at) = folders.position(|folder| folder.join(FILE).is_file()) else {
            return Ok(None);
        };
        let folder: PathBuf = std::iter::repeat_n("..", at).collect();
        let path = folder.join(FILE);
        let text = std::fs::read_to_string(&path).map_err(|error| {
            Failure::usage(format!("cannot read {}: {error}", path.display())).in_file(&path)
        })?;
        Project::parse(&text, &path).map(Some)
    }

    /// The project whose file lies in a folder; `None` where it has none that can be read.
    pub(crate) fn of_folder(folder: &Path) -> Option<Project> {
        let path = folder.join(FILE);
        let text = std::fs::read_to_string(&path).ok()?;
        Project::parse(&text, &path).ok()
    }

    /// A project of the text of its file.
    fn parse(text: &str, path: &Path) -> Result<Project, Failure> {
        let read = Text { text, path };
        let document = Document::parse(text).map_err(|error| read.syntax(&error))?;
        let table = document.as_table();
        read.refuse_others(table, &NAMES)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let model = read.member(table, "model")?;
        let connections = read.members(table, "connections")?;
        let connections = connections
            .into_iter()
            .map(|(name, (text, line))| (name, Named { text, line }));
        let project = Project {
            path: path.to_owned(),
            model: model.map(|(model, line)| (folder.join(model), line)),
            outputs: read.outputs(table, folder)?,
            exact_numbers: read.is_second(table, "numbers", ["number", "exact"])?,
            pydantic: read.is_second(table, "classes", ["dataclasses", "pydantic"])?,
            connection: read.member(table, "connection")?,
            connections: connections.collect(),
        };
        for name in project.connections.keys() {
            project.connection(name)?;
        }
        project.default_connection()?;
        Ok(project)
    }

    /// The model.
    ///
    /// # Errors
    /// `usage` where it cannot be read, with the line that names it.
    pub(crate) fn model(&self) -> Result<Option<PathBuf>, Failure> {
        let Some((model, line)) = &self.model else {
            return Ok(None);
        };
        match std::fs::read_to_string(model) {
            Ok(_) => Ok(Some(model.clone())),
            Err(error) => {
                let message = format!("cannot read the model {}: {error}", model.display());
                Err(failure(&self.path, Some(*line), &message))
            }
        }
    }

    /// The connection that is used where none is named.
    pub(crate) fn default_connection(&self) -> Result<Option<Connection>, Failure> {
        let Some((name, line)) = &self.connection else {
            return Ok(None);
        };
        if !self.connections.contains_key(name) {
            return Err(failure(&self.path, Some(*line), &self.unknown(name)));
        }
        self.connection(name).map(Some)
    }

    /// The connection of a name.
    pub(crate) fn connection(&self, name: &str) -> Result<Connection, Failure> {
        let Some(Named { text, line }) = self.connections.get(name) else {
            return Err(failure(&self.path, None, &self.unknown(name)));
        };
        let folder = self.path.parent().unwrap_or(Path::new(""));
        connection(text, folder).map_err(|reason| failure(&self.path, Some(*line), &reason))
    }

    fn unknown(&self, name: &str) -> String {
        let known: Vec<&str> = self.connections.keys().map(String::as_str).collect();
        let meant = near::meant(name, known.iter().copied());
        match known.as_slice() {
            [] => format!("no connection `{name}`: [connections] has none"),
            known => format!(
                "no connection `{name}`{meant}; there is {}",
                known.join(", ")
            ),
        }
    }
}

/// The failure of a line of the file.
fn failure(path: &Path, line: Option<usize>, message: &str) -> Failure {
    let shown = path.display();
    match line {
        Some(line) => Failure::usage(format!("{shown}:{line}: {message}")).at_line(path, line),
        None => Failure::usage(format!("{shown}: {message}")).in_file(path),
    }
}

/// The text of the file, whose members are read with their lines.
#[derive(Clone, Copy)]
struct Text<'t> {
    text: &'t str,
    path: &'t Path,
}

impl Text<'_> {
    fn line_of(self, offset: usize) -> usize {
        let before = self.text.get(..offset).unwrap_or(self.text);
        before.matches('\n').count() + 1
    }

    fn line(self, item: &Item) -> usize {
        self.line_of(item.span().map_or(0, |span| span.start))
    }

    fn syntax(self, error: &TomlError) -> Failure {
        let line = error.span().map(|span| self.line_of(span.start));
        let bare = line.and_then(|line| bare(self.text.lines().nth(line - 1)?));
        let message = match bare {
            Some((name, value)) => format!("a text stands in quotes: {name} = \"{value}\""),
            None => error.message().to_owned(),
        };
        failure(self.path, line, &message)
    }

    /// Refuses outputs of other names: settings of the whole file are no outputs, and stand above the
    /// tables.
    fn refuse_other_outputs(self, table: &dyn TableLike) -> Result<(), Failure> {
        let known = Target::ALL.map(Target::word);
        let Some((name, item)) = table.iter().find(|(name, _)| !known.contains(name)) else {
            return Ok(());
        };
        let meant = match name {
            "pydantic" | "dataclasses" => {
                format!("; did you mean classes = \"{name}\", above [outputs]?")
            }
            "exact" => "; did you mean numbers = \"exact\", above [outputs]?".to_owned(),
            name if NAMES.contains(&name) => format!("; `{name}` stands above [outputs]"),
            name => near::meant(name, known.into_iter()),
        };
        let message = format!(
            "no client is generated in `{name}`{meant}; there is {}",
            known.join(", ")
        );
        Err(failure(
            self.path,
            Some(self.line_of_name(table, (name, item))),
            &message,
        ))
    }

    /// The line of a member's name.
    fn line_of_name(self, table: &dyn TableLike, (name, item): (&str, &Item)) -> usize {
        let key = table.get_key_value(name).and_then(|(key, _)| key.span());
        key.map_or_else(|| self.line(item), |span| self.line_of(span.start))
    }

    /// Refuses members of other names.
    fn refuse_others(self, table: &dyn TableLike, names: &[&str]) -> Result<(), Failure> {
        let Some((name, item)) = table.iter().find(|(name, _)| !names.contains(name)) else {
            return Ok(());
        };
        let line = self.line_of_name(table, (name, item));
        let meant = near::meant(name, names.iter().copied());
        let message = format!("no `{name}` is known{meant}; there is {}", names.join(", "));
        Err(failure(self.path, Some(line), &message))
    }

    /// The places of generated clients.
    fn outputs(
        self,
        table: &dyn TableLike,
        folder: &Path,
    ) -> Result<Vec<(Target, PathBuf)>, Failure> {
        if let Some(outputs) = table.get("outputs").and_then(Item::as_table_like) {
            self.refuse_other_outputs(outputs)?;
        }
        let mut outputs = Vec::new();
        for (name, (place, line)) in self.members(table, "outputs")? {
            let target = Target::ALL.into_iter().find(|one| one.word() == name);
            let place = folder.join(place);
            if let Some(target) = target {
                client_file::check(target, &place)
                    .map_err(|reason| failure(self.path, Some(line), &reason))?;
                outputs.push((target, place));
            }
        }
        Ok(outputs)
    }

    /// Whether a member has the second of two words; where it is absent, it has the first.
    fn is_second(
        self,
        table: &dyn TableLike,
        name: &str,
        [first, second]: [&str; 2],
    ) -> Result<bool, Failure> {
        match self.member(table, name)? {
            None => Ok(false),
            Some((word, _)) if word == first => Ok(false),
            Some((word, _)) if word == second => Ok(true),
            Some((word, line)) => {
                let message = format!("`{name}` is \"{first}\" or \"{second}\", not \"{word}\"");
                Err(failure(self.path, Some(line), &message))
            }
        }
    }

    /// The text of a member, and its line.
    fn member(self, table: &dyn TableLike, name: &str) -> Result<Option<(String, usize)>, Failure> {
        let Some(item) = table.get(name) else {
            return Ok(None);
        };
        let line = self.line(item);
        match item.as_str() {
            Some(text) => Ok(Some((text.to_owned(), line))),
            None => {
                let message = format!("`{name}` is a text: {name} = \"...\"");
                Err(failure(self.path, Some(line), &message))
            }
        }
    }

    /// The texts of a table by name, and their lines.
    fn members(
        self,
        table: &dyn TableLike,
        name: &str,
    ) -> Result<BTreeMap<String, (String, usize)>, Failure> {
        let Some(item) = table.get(name) else {
            return Ok(BTreeMap::new());
        };
        let Some(table) = item.as_table_like() else {
            let message = format!("`{name}` is a table: [{name}]");
            return Err(failure(self.path, Some(self.line(item)), &message));
        };
        let mut members = BTreeMap::new();
        for (name, _) in table.iter() {
            if let Some(member) = self.member(table, name)? {
                members.insert(name.to_owned(), member);
            }
        }
        Ok(members)
    }
}

/// The name and the value of a line `name = value`, where the value is a text without quotes.
fn bare(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once('=')?;
    let value = value.split(" #").next().unwrap_or_default().trim();
    let is_text = !value.is_empty() && !value.starts_with(['"', '\'', '[', '{', '#', '=']);
    let is_quotable = !value.contains(['"', '\\']);
    (is_text && is_quotable).then(|| (name.trim(), value))
}

/// What a connection's text names. Paths start from `folder`.
fn connection(text: &str, folder: &Path) -> Result<Connection, String> {
    let connection = Connection::among(text, CONNECTIONS);
    let connection = connection.map_err(|error| error.to_string())?;
    match connection {
        Connection::Folder(path) => Ok(Connection::Folder(folder.join(path))),
        Connection::Memory => {
            Err("`memory:` would be empty for each command; write keyfold:./data".to_owned())
        }
        Connection::Endpoint { .. } | Connection::Amazon(_) => Ok(connection),
    }
}

/// The model of a command.
#[derive(Args)]
pub(crate) struct ModelArgument {
    /// The model [default: that of keyfold.toml].
    file: Option<PathBuf>,
}

impl ModelArgument {
    /// The file of the model.
    pub(crate) fn path(&self) -> Result<PathBuf, Failure> {
        match &self.file {
            Some(file) => Ok(file.clone()),
            None => model(),
        }
    }

    /// The file of the model, and the word behind it. A word that stands alone and is no file is that
    /// word, where the project names the model.
    pub(crate) fn path_and(
        &self,
        word: Option<&str>,
    ) -> Result<(PathBuf, Option<String>), Failure> {
        if let (Some(first), None) = (&self.file, word)
            && let Some(file) = of_project(first)?
        {
            return Ok((file, Some(first.to_string_lossy().into_owned())));
        }
        Ok((self.path()?, word.map(str::to_owned)))
    }
}

/// Whether the first word of a line is no model, since the project names it.
///
/// # Errors
/// As of a line.
pub(crate) fn is_left_out(first: &Path) -> Result<bool, Failure> {
    Ok(of_project(first)?.is_some())
}

/// The model of the project, where the first word of a line is no model: neither a file nor named as one.
///
/// # Errors
/// `usage` where the project names none.
fn of_project(first: &Path) -> Result<Option<PathBuf>, Failure> {
    let is_named_so = first
        .extension()
        .is_some_and(|extension| extension == "keyfold");
    if is_named_so || first.is_file() {
        return Ok(None);
    }
    let model = Project::find()?.map_or(Ok(None), |project| project.model())?;
    if model.is_none() && !first.exists() {
        return Err(which_model(&format!(
            "There is no file {}: name",
            first.display()
        )));
    }
    Ok(model)
}

/// The connection of a text, or of a name in keyfold.toml.
pub(crate) fn connection_of(text: &str) -> Result<Connection, Failure> {
    let project = match text.contains(':') {
        true => None,
        false => Project::find()?,
    };
    match project {
        Some(project) => project.connection(text),
        None => Ok(text.parse()?),
    }
}

/// The model of the project.
pub(crate) fn model() -> Result<PathBuf, Failure> {
    let model = Project::find()?.map_or(Ok(None), |project| project.model())?;
    model.ok_or_else(|| which_model("Name"))
}

/// The failure of a command without a model. `name` ends with the verb.
fn which_model(name: &str) -> Failure {
    Failure::usage(format!(
        "which model? {name} its FILE, or name it in {FILE}: model = \"shop.keyfold\" (`keyfold init` starts a project)"
    ))
}

/// A line `[FILE] NAME ...` of a command.
pub(crate) struct Line {
    /// The model.
    pub(crate) file: PathBuf,
    /// The pattern, write or entity.
    pub(crate) name: String,
    /// The words behind it.
    pub(crate) rest: Vec<String>,
}

impl Line {
    /// The line of the first word, the second and the rest. The first is the model if it is a file or
    /// named as one; it may be left out where the project names the model. `thing` is what the name
    /// names.
    pub(crate) fn of(
        first: &Path,
        second: Option<&String>,
        rest: &[String],
        thing: &str,
    ) -> Result<Line, Failure> {
        match (of_project(first)?, second) {
            (Some(file), _) => Ok(Line {
                file,
                name: first.to_string_lossy().into_owned(),
                rest: second.into_iter().chain(rest).cloned().collect(),
            }),
            (None, Some(name)) => Ok(Line {
                file: first.to_owned(),
                name: name.clone(),
                rest: rest.to_vec(),
            }),
            (None, None) => Err(Failure::usage(format!(
                "which {thing}? Name it behind the model, {}; the model may be left out where {FILE} names it",
                first.display()
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Project, String> {
        Project::parse(text, Path::new("a/keyfold.toml"))
            .map_err(|failure| failure.unseen_message().unwrap_or_default().to_owned())
    }

    #[test]
    fn a_project_is_read() {
        let project = parsed(
            "model = \"shop.keyfold\"\nconnection = \"local\"\n[outputs]\ntypescript = \"src\"\n[connections]\nlocal = \"keyfold:./data\"\nprod = \"dynamodb://eu-west-1\"\ntest = \"http://localhost:8000\"\n",
        )
        .unwrap_or_else(|message| panic!("{message}"));
        assert_eq!(project.model, Some((PathBuf::from("a/shop.keyfold"), 1)));
        assert_eq!(
            project.outputs,
            [(Target::Typescript, PathBuf::from("a/src"))]
        );
        let local = project.default_connection().unwrap();
        assert_eq!(local, Some(Connection::Folder(PathBuf::from("a/./data"))));
        let prod = project.connection("prod").unwrap();
        assert_eq!(prod, "dynamodb://eu-west-1".parse().unwrap());
        assert!(project.connection("prd").is_err());
    }

    #[test]
    fn a_file_without_members_is_a_project() {
        let project = parsed("# nothing yet\n").unwrap_or_else(|message| panic!("{message}"));
        assert_eq!(project.model, None);
        assert_eq!(project.default_connection().unwrap(), None);
    }

    #[test]
    fn what_a_project_cannot_say_is_refused_with_its_line() {
        for (text, line, reason) in [
            ("\nmodle = \"a\"", 2, "did you mean `model`"),
            ("# a\n\nmodel = 1", 3, "`model` is a text"),
            ("model = [\n1]", 1, "`model` is a text"),
            ("\nnumbers = \"some\"", 2, "\"number\" or \"exact\""),
            ("classes = \"slow\"", 1, "\"dataclasses\" or \"pydantic\""),
            ("outputs = 1", 1, "[outputs]"),
            (
                "[outputs]\ntypescrpt = \"a\"",
                2,
                "did you mean `typescript`",
            ),
            ("connections = 1", 1, "[connections]"),
            ("\n[connection]\na = \"b\"", 2, "`connection` is a text"),
            ("[connections]\na = \"http://a\"\nb = 1", 3, "`b` is a text"),
            ("[connections]\na = \"memory:\"", 2, "write keyfold:./data"),
            (
                "connection = \"a\"",
                1,
                "no connection `a`: [connections] has none",
            ),
            (
                "model = \"a\"\nconnection = \"locl\"\n[connections]\nlocal = \"keyfold:a\"",
                2,
                "did you mean `local`",
            ),
            ("[connections]\na = \"b\"", 2, "`b` is no connection"),
            ("[connections]\na = \"keyfold:\"", 2, "is no connection"),
            (
                "[connections]\n\na = \"dynamodb://x?profil=y\"",
                3,
                "not `profil`",
            ),
            (
                "[connections]\na = \"dynamodb://x/y\"",
                2,
                "a region looks like",
            ),
            ("model = \"a\"\nmodel", 2, "expected"),
            ("model = \"a\"\nmodel = \"b\"", 2, "duplicate"),
        ] {
            let message = parsed(text).err().unwrap_or_default();
            let place = format!("a/keyfold.toml:{line}: ");
            let found = message.starts_with(&place) && message.contains(reason);
            assert!(found, "{text}: {message}");
        }
    }
}
