//! A client in TypeScript: one file on the runtime `@keyfold/client`. Its types are explicit, so
//! that an editor stays fast and `isolatedDeclarations` holds; it is printed as prettier prints it.

mod client;
mod plan;
mod print;
mod types;

use super::compose;
use super::form::{Form, Settings, Spelling};
use super::names::camel;
use keyfold_model::Model;
use print::Printer;

const SPELLING: Spelling = Spelling {
    types: &types::RESERVED_TYPES,
    type_name: None,
    methods: &client::RESERVED_METHODS,
    method: camel,
};

/// The text of the file.
pub(super) fn text(model: &Model, settings: &Settings) -> String {
    let form = compose::form(model, &SPELLING, settings);
    let mut out = Printer::default();
    out.head(&form);
    out.line(0, "import * as keyfold from \"@keyfold/client\";");
    out.gap();
    types::print(&form, &mut out);
    client::print(&form, &mut out);
    out.gap();
    client::print_made(&form, &mut out);
    print_plan(&form, &mut out);
    out.into_text()
}

fn print_plan(form: &Form, out: &mut Printer) {
    out.line(0, "const plan: keyfold.Plan = JSON.parse(String.raw`");
    for line in plan::lines(&form.plan) {
        out.line(0, &ascii(&line));
    }
    out.line(0, "`) as keyfold.Plan;");
}

/// JSON with escapes for all that is not ASCII. Bun writes escapes of its own into raw templates:
/// `\u{10ffff}`, which JSON lacks.
fn ascii(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for one in json.chars() {
        if one.is_ascii() {
            text.push(one);
        } else {
            let units = one.encode_utf16(&mut [0; 2]).to_vec();
            text.extend(units.iter().map(|unit| format!("\\u{unit:04x}")));
        }
    }
    text
}
