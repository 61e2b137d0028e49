//! The model compiler: a single-table design as text, checked, and lowered to plans.
//!
//! The way of a model, each step once: `syntax` reads tokens and declarations (recovering line by
//! line, so that one run reports everything), `resolve` gives names and types their meaning,
//! [`check`] proves the design rule by rule, [`plan`] finds the requests that serve each pattern.
//! Nothing here executes: the result is values, which the client carries out.
//!
//! ```text
//! entity Order                                      pattern orders_of_user(userId) -> Order[] newest
//!   key "USER#{userId}" "ORDER#{createdAt}#{id}"     => Query, PK = "USER#{userId}"
//!                                                        AND begins_with(SK, "ORDER#"), descending
//! ```
//!
//! Proofs about keys are decided on languages: each template is the set of texts it can make
//! ([`language`]), and "no neighbour bleeds in" is the emptiness of an intersection.

pub mod check;
pub mod diagnostic;
pub mod language;
pub mod near;
pub mod period;
pub mod plan;
mod resolve;
pub mod schema;
mod syntax;
pub mod template;
pub mod value;

pub use check::rule::Rule;
pub use check::rules::RULES;
pub use diagnostic::{Diagnostic, Edit, Severity, Span};
pub use period::Unit;
pub use resolve::columns::MEMBER_WORDS;
pub use schema::{
    Action, Attribute, Copy, DefaultValue, Entity, Index, IndexKey, IndexKind, Model, Operand,
    Pattern, Precision, Returned, Sparse, Table, Type, Verb, Write,
};
pub use schema::{Fan, PatternPlan, RequestKind, SortCondition};
pub use syntax::{GRAMMAR, format, grammar_markdown};
pub use template::{Format, KeyTemplate, Part};

/// A compiled model, or everything that is wrong with it.
pub struct Compiled {
    /// The model; none when there are errors.
    pub model: Option<Model>,
    /// Errors and warnings, in the order of the text; the first [`DIAGNOSTICS_MAX`] of them.
    pub diagnostics: Vec<Diagnostic>,
    /// The number of further findings.
    pub more: usize,
}

/// Most errors and warnings that are reported: a text that is no model has one at each word, and
/// nobody reads them.
pub const DIAGNOSTICS_MAX: usize = 200;

impl Compiled {
    /// Whether there are errors.
    pub fn has_errors(&self) -> bool {
        self.diagnostics
            .iter()
            .any(|diagnostic| diagnostic.severity == Severity::Error)
    }
}

/// Compiles the text of a model.
///
/// # Example
/// ```
/// let compiled = keyfold_model::compile(r#"
/// model notes 1
/// table Notes (PK, SK)
/// entity Note
///   author: string, id: string, text: string
///   key "AUTHOR#{author}" "NOTE#{id}"
/// pattern notes_of(author) -> Note[]
/// "#);
/// let model = compiled.model.expect("the model has no errors");
/// assert_eq!(model.patterns[0].plan.key_condition(), r#"PK = "AUTHOR#{author}" AND begins_with(SK, "NOTE#")"#);
/// ```
pub fn compile(source: &str) -> Compiled {
    let mut diagnostics = Vec::new();
    let tree = syntax::parse(source, &mut diagnostics);
    let mut model = resolve::resolve(&tree, &mut diagnostics);
    // Proofs on a model with unknown names would only repeat what is already said.
    if !diagnostics
        .iter()
        .any(|diagnostic| diagnostic.severity == Severity::Error)
    {
        let spaces = check::shape::Spaces::new(&model);
        check::keys(&model, &spaces, &mut diagnostics);
        plan::plan_all(&mut model, &spaces, &mut diagnostics);
        if !diagnostics
            .iter()
            .any(|diagnostic| diagnostic.severity == Severity::Error)
        {
            check::warnings(&model, &mut diagnostics);
        }
    }
    diagnostics.sort_by_key(|diagnostic| diagnostic.place());
    let failed = diagnostics
        .iter()
        .any(|diagnostic| diagnostic.severity == Severity::Error);
    let more = diagnostics.len().saturating_sub(DIAGNOSTICS_MAX);
    diagnostics.truncate(DIAGNOSTICS_MAX);
    Compiled {
        model: (!failed).then_some(model),
        diagnostics,
        more,
    }
}
