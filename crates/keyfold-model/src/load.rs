//! Puts the files of a model together: each one that another uses, asked of a loader.

use crate::diagnostic::{Edit, Span, apply};
use crate::sources::{FILES_MAX, Loaded, NotUsed, Sources, Use, path_in};
use crate::syntax;
use crate::syntax::ast::Tree;

impl Sources {
    /// A model of one text, which uses no files. Findings name it by this path.
    pub fn of_text(path: &str, text: impl Into<String>) -> Sources {
        let root = Loaded {
            text: text.into(),
            identity: path.to_owned(),
        };
        let alone = |_: &str| Err("the model is given as a text, without other files".to_owned());
        Sources::load(path, root, alone)
    }

    /// A model of several texts with their paths. The first one uses the others, whose paths start
    /// in the same folder as its own.
    ///
    /// # Example
    /// ```
    /// use keyfold_model::{Sources, compile_sources};
    ///
    /// let sources = Sources::of_texts(&[
    ///     ("shop.keyfold", "model shop 1\nowner platform\nuse \"orders.keyfold\"\nshared table Shop (PK, SK)\n"),
    ///     ("orders.keyfold", "owner orders\nentity Order\n  id: string\n  key \"ORDER#{id}\" \"META\"\n"),
    /// ]);
    /// assert!(compile_sources(&sources).model.is_some());
    /// ```
    pub fn of_texts(texts: &[(&str, &str)]) -> Sources {
        let loaded = |name: &str, text: &str| Loaded {
            text: text.to_owned(),
            identity: name.to_owned(),
        };
        let (first, root) = texts.first().copied().unwrap_or_default();
        let folder = first.get(..folder_end(first)).unwrap_or_default();
        Sources::load(first, loaded(first, root), |name| {
            let mut texts = texts.iter();
            let found = texts.find(|(path, _)| path.strip_prefix(folder) == Some(name));
            let (name, text) = found.ok_or_else(|| "there is no text of this name".to_owned())?;
            Ok(loaded(name, text))
        })
    }

    /// Loads the files that a model uses. `path` names the first file, whose text is given; `read`
    /// returns the file of a name, or says why it cannot. Names are paths from the folder of the
    /// first file, with `/` between the parts, never leaving it.
    pub fn load(
        path: &str,
        root: Loaded,
        mut read: impl FnMut(&str) -> Result<Loaded, String>,
    ) -> Sources {
        let (folder, name) = path.split_at(folder_end(path));
        let mut sources = Sources::empty(folder);
        let mut loading = Loading::default();
        loading.add(&mut sources, None, name.to_owned(), root);
        while let Some((by, at)) = loading.waiting.pop() {
            let Some(file) = sources.files().get(by) else {
                continue;
            };
            let Some((written, _)) = file.uses().get(at) else {
                continue;
            };
            let found = match path_in(file.name(), written) {
                Err(why) => Err(NotUsed::Path(why)),
                Ok(_) if sources.files().len() >= FILES_MAX => Err(NotUsed::TooMany),
                Ok(name) => match read(&name) {
                    Err(why) => Err(NotUsed::Unreadable(why)),
                    Ok(loaded) => match loading.known(&loaded.identity, by) {
                        Some(refusal) => Err(refusal),
                        None => Ok((name, loaded)),
                    },
                },
            };
            match found {
                Ok((name, loaded)) => loading.add(&mut sources, Some(by), name, loaded),
                Err(why) => sources.refuse(by, at, why),
            }
        }
        sources
    }

    /// The texts after edits, which may be in several files.
    pub fn edited(&self, edits: &[Edit]) -> Sources {
        let mut sources = Sources::empty(self.folder());
        for (index, file) in self.files().iter().enumerate() {
            let from = file.span().start;
            let own: Vec<Edit> = edits
                .iter()
                .filter(|edit| self.index_at(edit.span.start) == index)
                .map(|edit| {
                    let (start, end) = (edit.span.start - from, edit.span.end - from);
                    Edit::replace(Span { start, end }, edit.text.as_str())
                })
                .collect();
            let text = apply(self.text_of(file), &own);
            let owner = owner(&syntax::head(&text));
            sources.push(file.name().to_owned(), &text, owner, file.uses().to_vec());
        }
        sources
    }
}

/// Where the folder of a path ends, behind its last separator.
fn folder_end(path: &str) -> usize {
    path.rfind(std::path::is_separator).map_or(0, |at| at + 1)
}

/// The owner that a file names.
fn owner(head: &Tree) -> Option<String> {
    head.owners.first().map(|owner| owner.text.clone())
}

/// What is known while files are loaded.
#[derive(Default)]
struct Loading {
    /// The identity of each file, and the file that uses it.
    known: Vec<(String, Option<usize>)>,
    /// The uses that remain: the file, and the number of its `use`. The next one is the last.
    waiting: Vec<(usize, usize)>,
}

impl Loading {
    fn add(&mut self, sources: &mut Sources, by: Option<usize>, name: String, loaded: Loaded) {
        let Loaded { text, identity } = loaded;
        let index = sources.files().len();
        let head = syntax::head(&text);
        let owner = owner(&head);
        let uses: Vec<Use> = head
            .uses
            .into_iter()
            .map(|path| (path.text, None))
            .collect();
        let all = (0..uses.len()).rev();
        self.waiting.extend(all.map(|at| (index, at)));
        sources.push(name, &text, owner, uses);
        self.known.push((identity, by));
    }

    /// The refusal of a file that is part of the model already.
    fn known(&self, identity: &str, by: usize) -> Option<NotUsed> {
        let found = self.known.iter().position(|(known, _)| known == identity)?;
        let mut chain = vec![by];
        let user = |index: usize| self.known.get(index).and_then(|(_, by)| *by);
        while let Some(last) = chain.last().copied()
            && last != found
            && let Some(next) = user(last)
        {
            chain.push(next);
        }
        chain.reverse();
        Some(if chain.first() == Some(&found) {
            NotUsed::Circle(chain)
        } else {
            NotUsed::Twice(found)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::{Place, SourceFile};

    const TEXTS: [(&str, &str); 3] = [
        (
            "models/shop.keyfold",
            "model shop 1\nuse \"a/b.keyfold\"\nuse \"d.keyfold\"\n",
        ),
        (
            "a/b.keyfold",
            "\u{feff}owner \"team b\"\nuse \"./c.keyfold\"\nentity é Order",
        ),
        ("d.keyfold", ""),
    ];

    #[test]
    fn names_are_asked_for_from_the_first_folder_and_in_order() {
        let mut asked = Vec::new();
        let root = Loaded {
            text: TEXTS[0].1.to_owned(),
            identity: "root".to_owned(),
        };
        let sources = Sources::load(TEXTS[0].0, root, |name| {
            asked.push(name.to_owned());
            let found = TEXTS.iter().find(|(known, _)| *known == name);
            let (name, text) = found.ok_or("absent")?;
            Ok(Loaded {
                text: (*text).to_owned(),
                identity: (*name).to_owned(),
            })
        });
        assert_eq!(asked, ["a/b.keyfold", "a/c.keyfold", "d.keyfold"]);
        let names: Vec<&str> = sources.files().iter().map(SourceFile::name).collect();
        assert_eq!(names, ["shop.keyfold", "a/b.keyfold", "d.keyfold"]);
        let at = sources.text().find("Order").unwrap();
        assert_eq!(
            sources.place(at),
            Place {
                path: "models/a/b.keyfold".to_owned(),
                owner: Some("team b"),
                line: 3,
                column: 10
            }
        );
        let empty = sources.files()[2].span();
        assert_eq!(sources.place(empty.start).path, "models/d.keyfold");
    }

    #[test]
    fn edits_change_their_own_file() {
        let texts = TEXTS.map(|(path, text)| match path.strip_prefix("models/") {
            Some(_) => (path.to_owned(), text),
            None => (format!("models/{path}"), text),
        });
        let texts = texts.each_ref().map(|(path, text)| (path.as_str(), *text));
        let sources = Sources::of_texts(&texts);
        let [_, second, third] = sources.files() else {
            panic!("{:?}", sources.files())
        };
        let edits = [
            Edit::insert(second.span().end, " in Shop"),
            Edit::insert(third.span().start, "owner d"),
            Edit::insert(second.span().start, "# "),
        ];
        let edited = sources.edited(&edits);
        let texts_of = |sources: &Sources| -> Vec<String> {
            let files = sources.files().iter();
            files.map(|file| sources.text_of(file).to_owned()).collect()
        };
        let mut expected = texts_of(&sources);
        expected[1] = format!("# {} in Shop", expected[1]);
        expected[2] = "owner d".to_owned();
        assert_eq!(texts_of(&edited), expected);
        assert_eq!(edited.files()[2].owner(), Some("d"));
        assert_eq!(edited.edited(&[]), edited);
    }

    #[test]
    fn a_model_has_a_largest_number_of_files() {
        let mut count = 0;
        let root = Loaded {
            text: "use \"0\"\n".to_owned(),
            identity: String::new(),
        };
        let sources = Sources::load("root", root, |_| {
            count += 1;
            Ok(Loaded {
                text: format!("use \"{count}\"\n"),
                identity: count.to_string(),
            })
        });
        assert_eq!(sources.files().len(), FILES_MAX);
        assert_eq!(count, FILES_MAX - 1);
        let last = &sources.files()[FILES_MAX - 1];
        assert_eq!(last.uses()[0].1, Some(NotUsed::TooMany));
    }
}
