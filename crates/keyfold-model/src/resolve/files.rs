//! The files of a model: those that others use, and their owners.

use crate::diagnostic::{Diagnostic, Severity, Span};
use crate::schema::File;
use crate::sources::{FILES_MAX, NotUsed, SourceFile, Sources};
use crate::syntax::ast::{Name, Tree};
use std::collections::BTreeMap;

/// Refuses files that cannot be part of the model. Returns whether all its files are known.
pub(crate) fn check_uses(
    sources: &Sources,
    tree: &Tree,
    diagnostics: &mut Vec<Diagnostic>,
) -> bool {
    let mut earlier: BTreeMap<(usize, &str), usize> = BTreeMap::new();
    let alone = alone(tree);
    let mut is_whole = alone.is_none();
    diagnostics.extend(alone);
    for used in &tree.uses {
        let at = sources.index_at(used.span.start);
        let Some(file) = sources.files().get(at) else {
            continue;
        };
        let count = earlier.entry((at, &used.text)).or_default();
        let why = match file.not_used(&used.text, *count) {
            Some(None) => None,
            Some(Some(why)) => Some(refused(used, why, sources, tree)),
            // The line was read as it was probably meant, and nobody knew that it was meant.
            None => {
                is_whole = false;
                let has_error = diagnostics
                    .iter()
                    .any(|one| one.severity == Severity::Error);
                (!has_error).then(|| {
                    let message = format!("`{}` was not read", used.text);
                    Diagnostic::error("KF005", used.span, message, "repair this line")
                })
            }
        };
        *count += 1;
        is_whole &= why.is_none();
        diagnostics.extend(why);
    }
    is_whole
}

/// The error about a file that another one uses, and that is given as the first: what it refers to
/// lies in files that are not known.
fn alone(tree: &Tree) -> Option<Diagnostic> {
    if tree.name.is_some() || !tree.tables.is_empty() {
        return None;
    }
    let owner = tree.owners.first()?;
    let message = "this file is a part of a model, and not its first file";
    let label = "a file with an owner, and without a line `model` and a table";
    Some(
        Diagnostic::error("KF001", owner.span, message, label)
            .help("name the file that uses this one: it has the line `model`")
            .help("or start with `model shop 1`, a name and a version, and declare a table"),
    )
}

/// The error about a file that cannot be part of the model.
fn refused(used: &Name, why: &NotUsed, sources: &Sources, tree: &Tree) -> Diagnostic {
    let error = |message: String, label: &str| {
        Diagnostic::error("KF005", used.span, message, label.to_owned())
    };
    let path = &used.text;
    match why {
        NotUsed::Path(why) => error(
            format!("`{path}` is no path of a file that a model uses"),
            why,
        ),
        NotUsed::Unreadable(why) => {
            error(format!("`{path}` cannot be read"), "this file").note(why.clone())
        }
        NotUsed::TooMany => error(
            format!("the model has more than {FILES_MAX} files"),
            "one too many",
        ),
        NotUsed::Circle(files) => {
            let names = files.iter().chain(files.first());
            let names = names.filter_map(|file| sources.files().get(*file));
            let names: Vec<&str> = names.map(SourceFile::name).collect();
            error(
                format!("files use each other in a circle: {}", names.join(" uses ")),
                "closes the circle",
            )
            .help("remove one of the lines: all files of a model see what others share")
        }
        NotUsed::Twice(file) => {
            let name = sources.files().get(*file).map_or("", SourceFile::name);
            let again = error(format!("{name} is used twice"), "again here");
            let first = first_use(*file, sources, tree);
            let again = match first.filter(|first| first.span != used.span) {
                Some(first) => again.label(first.span, "first here"),
                None => again,
            };
            again.help("remove one of the lines: all files of a model see what others share")
        }
    }
}

/// The first line that uses a file.
fn first_use<'t>(file: usize, sources: &Sources, tree: &'t Tree) -> Option<&'t Name> {
    let mut uses = tree.uses.iter();
    uses.find(|used| {
        let user = sources.file_at(used.span.start);
        user.is_some_and(|user| sources.used_by(user, &used.text) == Some(file))
    })
}

/// The files for the model. Reports files without an owner or with several, and a model that is
/// named in a file that others use.
pub(super) fn resolve(
    tree: &Tree,
    sources: &Sources,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<File> {
    let mut owners: BTreeMap<usize, &Name> = BTreeMap::new();
    for owner in &tree.owners {
        if let Some(first) = owners.get(&sources.index_at(owner.span.start)) {
            let (one, other) = (&first.text, &owner.text);
            let message = format!("a file has one owner, and this one has `{one}` and `{other}`");
            diagnostics.push(
                Diagnostic::error("KF005", owner.span, message, "a second one")
                    .label(first.span, "the first one")
                    .help("move what the second owns to a file of its own"),
            );
        } else {
            owners.insert(sources.index_at(owner.span.start), owner);
        }
    }
    let files = sources.files();
    for (at, file) in files.iter().enumerate() {
        if files.len() > 1 && !owners.contains_key(&at) {
            let start = file.span().start;
            let place = Span { start, end: start };
            let message = format!("{} does not name its owner", file.name());
            diagnostics.push(
                Diagnostic::error("KF005", place, message, "nobody owns this file")
                    .note("each file of a model of several files names its owner")
                    .help("add `owner orders` or `owner \"team orders\"`"),
            );
        }
    }
    if let Some(name) = &tree.name
        && sources.index_at(name.span.start) > 0
    {
        let first = files.first().map_or("", SourceFile::name);
        let message = "a file that others use does not name the model";
        diagnostics.push(
            Diagnostic::error("KF005", name.span, message, "named here")
                .help(format!("move the line to {first}, the first file")),
        );
    }
    let records_of = |at: usize| {
        let records = tree.records.iter();
        let own = records.filter(|one| sources.index_at(one.name.span.start) == at);
        own.map(|one| (one.name.text.clone(), one.head.is_shared))
            .collect()
    };
    let file = |(at, file): (usize, &SourceFile)| File {
        name: file.name().to_owned(),
        owner: file.owner().map(str::to_owned),
        records: records_of(at),
        span: file.span(),
    };
    files.iter().enumerate().map(file).collect()
}
