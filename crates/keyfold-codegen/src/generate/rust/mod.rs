//! A client in Rust: one file on the crate `keyfold`, with a struct that blocks and one whose calls are
//! awaited. It is printed as rustfmt prints it. The crate compiles the model, whose text the file
//! holds without comments.
//!
//! The file may be a module, or be included in one: it has neither inner attributes nor inner doc
//! comments. So the items that a program may not use say each that they need not be.

mod choice;
mod client;
mod names;
mod parameters;
mod print;
mod types;

use super::attributes::{AttributeNames, snake};
use super::compose;
use super::form::{Form, Settings, Spelling};
use keyfold_model::{Model, Sources, format_without_comments};
use print::{Printer, literal, raw_literal};

const SPELLING: Spelling = Spelling {
    types: &names::RESERVED_TYPES,
    type_name: Some(names::type_name),
    methods: &names::RESERVED_METHODS,
    method: snake,
};

/// The text of the file.
pub(super) fn text(model: &Model, sources: &Sources, settings: &Settings) -> String {
    let form = compose::form(model, &SPELLING, settings);
    let names = AttributeNames::of(&form, &names::reserved_attributes());
    let mut out = Printer::default();
    out.head(&form);
    out.line(0, "use keyfold::typed;");
    types::print(&form, &names, &mut out);
    client::print(&form, &names, &mut out);
    out.allow_unused();
    print_model(&form, sources, &mut out);
    out.into_text()
}

/// The texts of the model's files, by their names.
fn print_model(form: &Form, sources: &Sources, out: &mut Printer) {
    out.gap();
    out.line(0, "/// The hash of the plan document.");
    out.line(0, &format!("const HASH: &str = {};", literal(&form.hash)));
    out.gap();
    out.line(0, "/// The files of the model, by name.");
    let count = sources.files().len();
    let files: Vec<String> = (0..count).map(|at| format!("MODEL_FILE_{at}")).collect();
    let open = format!("const MODEL: [(&str, &str); {count}] = ");
    out.array(0, (&open, ";"), &files);
    for (at, file) in sources.files().iter().enumerate() {
        // The folder of the first file, and its name, say nothing about the model.
        let own = format!("{}.keyfold", form.model);
        let name = if at == 0 { own.as_str() } else { file.name() };
        let text = format_without_comments(sources.text_of(file));
        out.gap();
        out.line(0, &format!("/// The file {}.", literal(name)));
        out.line(0, &format!("const MODEL_FILE_{at}: (&str, &str) = ("));
        out.line(1, &format!("{},", literal(name)));
        out.line(1, &format!("{},", raw_literal(&text)));
        out.line(0, ");");
    }
}
