//! The files that the server asks for. It reads none itself: a driver hands them in, from a disk or
//! from a map.

use keyfold_model::Loaded;
use std::collections::BTreeMap;

/// The files around the documents that an editor has open. Paths have `/` between their parts.
pub trait Files {
    /// A file of a model: the path of the model's first file, and the name from its folder.
    ///
    /// # Errors
    /// The reason why it cannot be read, as the compiler shows it.
    fn used(&self, first: &str, name: &str) -> Result<Loaded, String>;

    /// The first file of a model; `None` where there is none.
    fn first(&self, path: &str) -> Option<Loaded>;

    /// The paths of the `.keyfold` files of a folder, without those of folders below, in any order.
    fn models(&self, folder: &str) -> Vec<String>;

    /// The path of the model that the `keyfold.toml` of a folder names; `None` without one.
    fn project(&self, folder: &str) -> Option<String>;
}

/// Files in memory, by path: for tests, and for editors without a disk.
#[derive(Debug, Clone, Default)]
pub struct InMemory {
    /// The text of each file.
    pub files: BTreeMap<String, String>,
    /// The model of the `keyfold.toml` of each folder.
    pub projects: BTreeMap<String, String>,
}

impl Files for InMemory {
    fn used(&self, first: &str, name: &str) -> Result<Loaded, String> {
        let path = format!("{}{name}", folder_of(first));
        match self.files.get(&path) {
            Some(text) => Ok(Loaded {
                text: text.clone(),
                identity: path,
            }),
            None => Err(format!("there is no file {path}")),
        }
    }

    fn first(&self, path: &str) -> Option<Loaded> {
        let text = self.files.get(path)?.clone();
        let identity = path.to_owned();
        Some(Loaded { text, identity })
    }

    fn models(&self, folder: &str) -> Vec<String> {
        let own = self.files.keys().filter(|path| folder_of(path) == folder);
        own.filter(|path| path.ends_with(".keyfold"))
            .cloned()
            .collect()
    }

    fn project(&self, folder: &str) -> Option<String> {
        self.projects.get(folder).cloned()
    }
}

/// The folder of a path, up to its last separator.
pub(crate) fn folder_of(path: &str) -> &str {
    let end = path.rfind('/').map_or(0, |at| at + 1);
    path.get(..end).unwrap_or_default()
}
