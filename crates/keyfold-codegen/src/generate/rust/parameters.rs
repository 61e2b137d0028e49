//! The parameters of methods: of patterns and named writes. Many are a struct. Optional parameters of a
//! pattern that need those before them are an enum of the choices that have a plan.

use super::names::type_name;
use super::print::{Printer, literal};
use super::types::{Class, Types};
use crate::generate::form::{Field, PatternForm, WriteForm};
use crate::generate::names::{Names, pascal};

/// The most parameters of a method; more are a struct.
const PARAMETERS_MAX: usize = 5;

/// The parameters of a pattern or a write.
pub(super) struct Parameters<'f> {
    /// Those that are given each for itself, or as a struct.
    fields: Vec<Field>,
    /// The name of the struct.
    arguments: &'f str,
    /// The name of the enum, and the parameters of its choices.
    choice: Option<(&'f str, Vec<&'f Field>)>,
}

impl<'f> Parameters<'f> {
    pub(super) fn of_pattern(pattern: &'f PatternForm) -> Parameters<'f> {
        let choice = pattern.choice_type.as_deref();
        let own = pattern.parameters.iter();
        let own = own.filter(|one| choice.is_none() || !one.is_chained);
        Parameters {
            fields: own.map(|one| one.field.clone()).collect(),
            arguments: &pattern.arguments_type,
            choice: choice.map(|name| (name, pattern.chained().collect())),
        }
    }

    pub(super) fn of_write(write: &'f WriteForm) -> Parameters<'f> {
        Parameters {
            fields: write.parameters.clone(),
            arguments: &write.arguments_type,
            choice: None,
        }
    }

    /// The parameters that are in no choice.
    pub(super) fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// Whether arguments are a struct: there are many, or some may be absent.
    pub(super) fn is_struct(&self) -> bool {
        self.fields.len() > PARAMETERS_MAX || self.fields.iter().any(|field| field.optional)
    }

    /// The word before a variable that the arguments are added to.
    pub(super) fn mutable(&self) -> &'static str {
        match self.fields.is_empty() && self.choice.is_none() {
            true => "",
            false => "mut ",
        }
    }

    /// The types of the arguments of a pattern or a write.
    pub(super) fn print_types(&self, types: &Types<'_>, of: &str, out: &mut Printer) {
        if self.is_struct() {
            let class = Class {
                name: self.arguments,
                about: &format!("The arguments of `{of}`."),
                member: "parameter",
            };
            types.print_given(&class, &self.fields, out);
        }
        if let Some((name, chained)) = &self.choice {
            print_choice((name, chained), types, of, out);
        }
    }

    /// The parameters of a method, behind itself.
    pub(super) fn of_method(&self, types: &Types<'_>) -> Vec<String> {
        let mut given = vec!["&self".to_owned()];
        if self.is_struct() {
            given.push(format!("arguments: &{}", self.arguments));
        } else {
            given.extend(self.fields.iter().map(|field| {
                let name = types.names.get(&field.name);
                format!("{name}: {}", types.given_type(&field.shape))
            }));
        }
        let choice = self.choice.iter();
        given.extend(choice.map(|(name, _)| format!("choice: &{name}")));
        given
    }

    /// Gives `call` the arguments of a method.
    pub(super) fn print_given(&self, types: &Types<'_>, out: &mut Printer) {
        if self.is_struct() {
            out.line(2, "call.give_all(arguments);");
        }
        for field in self.fields.iter().filter(|_| !self.is_struct()) {
            let argument = types.names.get(&field.name);
            let is_borrowed = types.given_type(&field.shape).starts_with('&');
            let sign = if is_borrowed { "" } else { "&" };
            let given = [literal(&field.name), format!("{sign}{argument}")];
            out.call(2, ("call.give", ";"), &given);
        }
        if self.choice.is_some() {
            out.line(2, "call.give_all(choice);");
        }
    }
}

/// The enum of the choices of optional parameters: none of them, the first, the first two.
fn print_choice(
    (name, chained): (&str, &[&Field]),
    types: &Types<'_>,
    of: &str,
    out: &mut Printer,
) {
    let mut names = Names::without(&["Self"]).spelled(Some(type_name));
    let nothing = names.take("All".to_owned());
    let choices = (1..=chained.len()).filter_map(|count| chained.get(..count));
    let choices: Vec<(String, &[&Field])> = choices
        .map(|fields| {
            let words: String = fields.iter().map(|field| pascal(&field.name)).collect();
            (names.take(words), fields)
        })
        .collect();
    out.gap();
    let about = format!("The choices of optional parameters of `{of}`: each has a plan.");
    out.doc(0, &[about]);
    out.line(0, "#[derive(Debug, Clone, PartialEq, Eq, Default)]");
    out.line(0, &format!("pub enum {name} {{"));
    out.doc(1, &["None of them.".to_owned()]);
    out.line(1, "#[default]");
    out.line(1, &format!("{nothing},"));
    let mut rows = vec![format!("{nothing} {{}}")];
    for (variant, fields) in &choices {
        let given: Vec<String> = fields.iter().map(|one| format!("`{}`", one.name)).collect();
        out.doc(1, &[format!("With {}.", given.join(", "))]);
        out.line(1, &format!("{variant} {{"));
        let mut row = format!("{variant} {{ ");
        for field in *fields {
            let note = field.note.iter().map(|note| format!(" {note}"));
            let note: String = note.collect();
            out.doc(2, &[format!("The parameter `{}`.{note}", field.name)]);
            let own = types.names.get(&field.name);
            out.line(2, &format!("{own}: {},", types.stored_type(&field.shape)));
            row.push_str(&format!("{own}: {}, ", literal(&field.name)));
        }
        out.line(1, "},");
        rows.push(format!("{row}}}"));
    }
    out.line(0, "}");
    out.gap();
    out.table(&format!("typed::choice! {{ {name} {{"), &rows, "} }");
}
