//! The model compiler: reads a single-table design as text, checks it, and plans its patterns.
//!
//! [`compile()`] runs the stages. `syntax` reads tokens and declarations, and recovers line by line, so
//! that one run reports all errors. `resolve` gives names and types their meaning. [`check`] proves
//! the design rule by rule. [`plan`] finds the requests that serve each pattern. The compiler
//! executes nothing: it returns values, and the client carries them out.
//!
//! ```text
//! entity Order                                      pattern orders_of_user(userId) -> Order[] newest
//!   key "USER#{userId}" "ORDER#{createdAt}#{id}"     => Query, PK = "USER#{userId}"
//!                                                        AND begins_with(SK, "ORDER#"), descending
//! ```
//!
//! Proofs about keys are decisions about languages ([`language`]). A template is the set of texts that
//! it can make; a key range holds no other items when an intersection of such sets is empty.

pub mod check;
mod compile;
pub mod diagnostic;
pub mod evolution;
pub mod files;
pub mod language;
mod layout;
mod load;
pub mod names;
pub mod near;
pub mod period;
pub mod plan;
pub mod regular;
mod render;
mod repeated;
mod resolve;
pub mod schema;
mod sources;
mod syntax;
pub mod template;
mod tried;
mod types;
pub mod value;
pub mod view_form;
mod words;
mod written;

pub use check::rule::Rule;
pub use check::rules::RULES;
pub use compile::{Compiled, DIAGNOSTICS_MAX, compile, compile_sources};
pub use diagnostic::{Choice, Diagnostic, Edit, Help, Severity, Span};
pub use period::Unit;
pub use schema::{
    Action, Attribute, Copy, DefaultValue, Entity, File, Index, IndexKey, IndexKind, Model,
    Operand, Pattern, Precision, Returned, Sparse, Table, Type, Verb, Write,
};
pub use schema::{Fan, PatternPlan, RequestKind, SortCondition};
pub use sources::{FILES_MAX, Loaded, Place, SourceFile, Sources};
pub use syntax::{GRAMMAR, MEMBER_WORDS, format, format_without_comments, grammar_markdown};
pub use template::{Format, KeyTemplate, Part};
pub use written::{fits_in_text, in_braces, is_word, unwritable, written, written_list};
