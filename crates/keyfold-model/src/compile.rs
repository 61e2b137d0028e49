//! Text to a compiled model: every stage, in order.

use crate::diagnostic::{Diagnostic, Severity};
use crate::schema::Model;
use crate::sources::Sources;
use crate::tried::{self, Finding, Stage};
use crate::{check, plan, repeated, resolve, syntax};

/// The result of a compilation: the model, or the reasons why there is none.
pub struct Compiled {
    /// The model; `None` when there are errors.
    pub model: Option<Model>,
    /// Errors and warnings, in the order of the text; the first [`DIAGNOSTICS_MAX`] of them.
    pub diagnostics: Vec<Diagnostic>,
    /// The number of further findings.
    pub more: usize,
}

/// Most errors and warnings that a compilation reports. A text that is no model has an error at each
/// word, more than anyone reads.
pub const DIAGNOSTICS_MAX: usize = 200;

impl Compiled {
    /// Whether there are errors.
    pub fn has_errors(&self) -> bool {
        has_errors(&self.diagnostics)
    }
}

fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics
        .iter()
        .any(|diagnostic| diagnostic.severity == Severity::Error)
}

/// Compiles the text of a model, which uses no other files.
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
    compile_sources(&Sources::of_text("model", source))
}

/// Compiles a model of one or several files. Places are those of [`Sources::text`].
pub fn compile_sources(sources: &Sources) -> Compiled {
    let (model, mut findings) = findings(sources);
    findings.sort_by_key(|finding| finding.diagnostic.place());
    // A fault is found at each use of what has it.
    findings.dedup_by(|one, other| one.diagnostic == other.diagnostic);
    let more = findings.len().saturating_sub(DIAGNOSTICS_MAX);
    let hidden = findings.split_off(findings.len() - more);
    let failed = findings.iter().chain(&hidden).any(Finding::is_error);
    // Repairs are tried on models of their own: one that is of no use goes before them.
    let model = (!failed).then_some(model);
    tried::keep_helpful(sources, &mut findings, &hidden, |sources| {
        self::findings(sources).1
    });
    let mut diagnostics: Vec<Diagnostic> = findings
        .into_iter()
        .map(|finding| finding.diagnostic)
        .collect();
    diagnostics
        .iter_mut()
        .for_each(|one| one.name_owners(sources));
    Compiled {
        model,
        diagnostics,
        more,
    }
}

/// The model and all findings, whose repairs are not tried.
fn findings(sources: &Sources) -> (Model, Vec<Finding>) {
    let mut findings = Vec::new();
    let mut diagnostics = Vec::new();
    let tree = syntax::parse(sources, &mut diagnostics);
    let is_whole = resolve::check_uses(sources, &tree, &mut diagnostics);
    findings.extend(staged(Stage::Read, &mut diagnostics));
    // Without a file, every name that it declares would be unknown.
    if !is_whole {
        return (Model::default(), findings);
    }
    let mut model = resolve::resolve(&tree, sources, &mut diagnostics);
    if has_errors(&diagnostics) {
        let faulty = resolve::faulty_types(&tree);
        syntax::remove_consequences(sources, &tree.broken, &faulty, &mut diagnostics);
    }
    repeated::join(sources, &mut diagnostics);
    findings.extend(staged(Stage::Resolve, &mut diagnostics));
    // Proofs on a model with unknown names would only repeat the errors about the names.
    if !findings.iter().any(Finding::is_error) {
        prove(&mut model, &mut diagnostics);
        findings.extend(staged(Stage::Prove, &mut diagnostics));
    }
    (model, findings)
}

/// Takes the findings of a stage.
fn staged(stage: Stage, diagnostics: &mut Vec<Diagnostic>) -> Vec<Finding> {
    let of_stage = |diagnostic| Finding { stage, diagnostic };
    std::mem::take(diagnostics)
        .into_iter()
        .map(of_stage)
        .collect()
}

/// Proves the keys, plans the patterns, and warns of a design without errors.
fn prove(model: &mut Model, diagnostics: &mut Vec<Diagnostic>) {
    let spaces = check::excluded::decide(model);
    check::keys(model, &spaces, diagnostics);
    plan::plan_all(model, &spaces, diagnostics);
    if !has_errors(diagnostics) {
        check::warnings(model, diagnostics);
    }
}
