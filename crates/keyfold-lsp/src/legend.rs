//! The types and modifiers of semantic tokens, which the editor is told at the beginning.

/// The types of tokens, as the protocol names them.
pub(crate) const TYPES: [&str; 13] = [
    "keyword",
    "type",
    "namespace",
    "class",
    "struct",
    "property",
    "variable",
    "parameter",
    "function",
    "method",
    "string",
    "number",
    "comment",
];

/// The modifiers of tokens.
pub(crate) const MODIFIERS: [&str; 1] = ["declaration"];
