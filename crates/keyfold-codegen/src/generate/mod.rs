//! Typed clients of a model in other languages: one checked-in file on a runtime that carries the
//! plan document out.
//!
//! - `compose` makes the middle form (`form`): what a typed client offers, with the names that its
//!   language gives it. `entity`, `pattern` and `write` make its parts, `shapes` the types of values,
//!   `names` spells.
//! - `typescript` and `python` print the form, with the plan document (`embedded`) behind it; `rust`
//!   prints it with the model, which the crate `keyfold` compiles. `attributes` names attributes in
//!   the last two; `text` is what their printers share.

mod attributes;
mod compose;
mod embedded;
mod entity;
mod file_name;
mod form;
mod head;
mod made;
mod names;
mod pattern;
mod python;
mod rust;
mod sentence;
mod shapes;
mod text;
mod typescript;
mod write;

pub use form::Settings;
pub use head::{OVERWRITTEN, is_generated};
use keyfold_model::{Model, Sources};

/// A language that clients are generated in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// TypeScript, on the package `@keyfold/client`.
    Typescript,
    /// Python, on the package `keyfold`.
    Python,
    /// Rust, on the crate `keyfold`.
    Rust,
}

impl Target {
    /// All languages.
    pub const ALL: [Target; 3] = [Target::Typescript, Target::Python, Target::Rust];

    /// Its word on the command line and in `keyfold.toml`.
    pub fn word(self) -> &'static str {
        match self {
            Target::Typescript => "typescript",
            Target::Python => "python",
            Target::Rust => "rust",
        }
    }

    /// The ending of its files.
    pub fn ending(self) -> &'static str {
        match self {
            Target::Typescript => "ts",
            Target::Python => "py",
            Target::Rust => "rs",
        }
    }

    /// The name of the file of a model: the model's, with `_client` behind one that means something
    /// else, such as `json` in Python and `mod` in Rust.
    pub fn file_name(self, model: &Model) -> String {
        match self {
            Target::Typescript => file_name::typescript(&model.name),
            Target::Python => file_name::python(&model.name),
            Target::Rust => file_name::rust(&model.name),
        }
    }

    /// The text of the file of a model: the same for the same model and settings. `sources` are the
    /// texts that it was compiled from.
    pub fn text(self, model: &Model, sources: &Sources, settings: &Settings) -> String {
        match self {
            Target::Typescript => typescript::text(model, settings),
            Target::Python => python::text(model, settings),
            Target::Rust => rust::text(model, sources, settings),
        }
    }
}
