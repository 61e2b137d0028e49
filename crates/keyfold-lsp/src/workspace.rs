//! The documents that an editor has open, and the models that they are files of.
//!
//! A file that says `model` is the first of its model. Another one belongs to the model that uses it:
//! that of the nearest `keyfold.toml`, or of a file in its folder or in one above. A file that no
//! model uses is compiled by itself, as `keyfold check` does.

use crate::files::{Files, folder_of};
use crate::model::Edited;
use crate::text::Text;
use crate::uri::uri_of;
use keyfold_model::{Loaded, Sources};
use std::collections::{BTreeMap, BTreeSet};

/// Most folders above a file in which its model is looked for.
const FOLDERS_MAX: usize = 8;

/// A document that the editor has open.
pub(crate) struct Document {
    /// Its name as the editor writes it.
    pub(crate) uri: String,
    pub(crate) version: i32,
    pub(crate) text: Text,
}

/// Documents and models.
pub(crate) struct Workspace {
    files: Box<dyn Files>,
    /// By path.
    documents: BTreeMap<String, Document>,
    /// By the path of the first file.
    models: BTreeMap<String, Edited>,
    /// The models whose texts may have changed.
    stale: BTreeSet<String>,
    /// The first file of each document's model.
    first: BTreeMap<String, String>,
    /// How often models were compiled that are no longer kept.
    compiled_before: u64,
}

impl Workspace {
    pub(crate) fn new(files: Box<dyn Files>) -> Workspace {
        Workspace {
            files,
            documents: BTreeMap::new(),
            models: BTreeMap::new(),
            stale: BTreeSet::new(),
            first: BTreeMap::new(),
            compiled_before: 0,
        }
    }

    pub(crate) fn open(&mut self, path: &str, document: Document) {
        self.documents.insert(path.to_owned(), document);
        self.forget_places();
    }

    pub(crate) fn close(&mut self, path: &str) {
        self.documents.remove(path);
        self.forget_places();
    }

    /// Another file has changed: models are read again.
    pub(crate) fn files_changed(&mut self) {
        self.forget_places();
    }

    /// Which file belongs to which model is looked for again.
    fn forget_places(&mut self) {
        self.first.clear();
        self.stale.extend(self.models.keys().cloned());
    }

    /// Changes a document. Its model is compiled when it is next asked for.
    pub(crate) fn change(&mut self, path: &str, change: impl FnOnce(&mut Document)) {
        let Some(document) = self.documents.get_mut(path) else {
            return;
        };
        let heads = heads(document.text.as_str());
        change(document);
        if heads != self::heads(document.text.as_str()) {
            self.forget_places();
        }
        for (first, model) in &self.models {
            let mut files = model.sources.files().iter();
            if files.any(|file| model.sources.path_of(file) == path) {
                self.stale.insert(first.clone());
            }
        }
    }

    pub(crate) fn document(&self, path: &str) -> Option<&Document> {
        self.documents.get(path)
    }

    /// The name of a file, as the editor writes it where it has it open.
    pub(crate) fn uri(&self, path: &str) -> String {
        self.documents
            .get(path)
            .map_or_else(|| uri_of(path), |document| document.uri.clone())
    }

    /// The first files of the models of all documents.
    pub(crate) fn firsts(&mut self) -> BTreeSet<String> {
        let documents: Vec<String> = self.documents.keys().cloned().collect();
        documents.iter().map(|path| self.first_of(path)).collect()
    }

    /// The model of a document.
    pub(crate) fn model_of(&mut self, path: &str) -> &mut Edited {
        let first = self.first_of(path);
        self.model(&first)
    }

    /// The model of a first file, with the texts as they are.
    pub(crate) fn model(&mut self, first: &str) -> &mut Edited {
        let is_stale = self.stale.remove(first) || !self.models.contains_key(first);
        let sources = is_stale.then(|| self.sources(first));
        let known = self.models.entry(first.to_owned());
        match (known, sources) {
            (entry, Some(sources)) => {
                let model = entry.or_insert_with(|| Edited::new(sources.clone()));
                model.update(sources);
                model
            }
            (entry, None) => entry.or_insert_with(|| Edited::new(Sources::of_text(first, ""))),
        }
    }

    /// Leaves models that no document is a file of.
    pub(crate) fn retain(&mut self, firsts: &BTreeSet<String>) {
        let before = &mut self.compiled_before;
        self.models.retain(|first, model| {
            let is_kept = firsts.contains(first);
            *before += if is_kept { 0 } else { model.compiled };
            is_kept
        });
    }

    /// How often models were compiled.
    pub(crate) fn compiled(&self) -> u64 {
        let kept = self.models.values().map(|model| model.compiled);
        self.compiled_before + kept.sum::<u64>()
    }

    /// The texts of a model: those of documents as they are edited, others from their files.
    fn sources(&self, first: &str) -> Sources {
        let stored = self.files.first(first);
        let identity = stored.as_ref().map(|loaded| loaded.identity.clone());
        let root = Loaded {
            text: match self.documents.get(first) {
                Some(document) => document.text.as_str().to_owned(),
                None => stored.map_or(String::new(), |loaded| loaded.text),
            },
            identity: identity.unwrap_or_else(|| first.to_owned()),
        };
        let folder = folder_of(first);
        Sources::load(first, root, |name| {
            let path = format!("{folder}{name}");
            let found = self.files.used(first, name);
            match (self.documents.get(&path), found) {
                (Some(document), Ok(loaded)) => Ok(Loaded {
                    text: document.text.as_str().to_owned(),
                    ..loaded
                }),
                // It may never have been saved.
                (Some(document), Err(_)) => Ok(Loaded {
                    text: document.text.as_str().to_owned(),
                    identity: path,
                }),
                (None, found) => found,
            }
        })
    }

    /// The texts of a document's model as they are stored, without what editors have changed.
    pub(crate) fn stored(&mut self, path: &str) -> Option<Sources> {
        let first = self.first_of(path);
        let root = self.files.first(&first)?;
        Some(Sources::load(&first, root, |name| {
            self.files.used(&first, name)
        }))
    }

    /// The first file of the model of a document.
    fn first_of(&mut self, path: &str) -> String {
        if let Some(first) = self.first.get(path) {
            return first.clone();
        }
        let first = self.found(path).unwrap_or_else(|| path.to_owned());
        self.first.insert(path.to_owned(), first.clone());
        first
    }

    /// The first file of the model that uses a file which is not the first of one.
    fn found(&self, path: &str) -> Option<String> {
        let text = self.documents.get(path)?.text.as_str();
        if text.lines().any(|line| line.starts_with("model")) {
            return None;
        }
        let mut folder = folder_of(path);
        for _ in 0..FOLDERS_MAX {
            if folder.is_empty() {
                break;
            }
            let mut candidates: Vec<String> = self.files.project(folder).into_iter().collect();
            let mut models = self.files.models(folder);
            models.sort();
            candidates.extend(models);
            let open = self.documents.keys();
            candidates.extend(open.filter(|open| folder_of(open) == folder).cloned());
            let found = candidates
                .into_iter()
                .find(|first| first != path && self.uses(first, path));
            if found.is_some() {
                return found;
            }
            folder = folder_of(folder.trim_end_matches('/'));
        }
        None
    }

    /// Whether the model of a first file uses another file.
    fn uses(&self, first: &str, path: &str) -> bool {
        let sources = self.sources(first);
        let mut files = sources.files().iter().skip(1);
        files.any(|file| sources.path_of(file) == path)
    }
}

/// The lines of a text that decide which files its model has.
fn heads(text: &str) -> Vec<String> {
    let heads = ["use", "model"];
    text.lines()
        .filter(|line| heads.iter().any(|head| line.starts_with(head)))
        .map(str::to_owned)
        .collect()
}
