//! Names of a model as identifiers of Python.

/// Words that nothing of ours may be named with: those of the language, and the names of its types
/// that a generated file uses.
const KEYWORDS: [&str; 47] = [
    "False",
    "None",
    "True",
    "and",
    "as",
    "assert",
    "async",
    "await",
    "break",
    "class",
    "continue",
    "def",
    "del",
    "elif",
    "else",
    "except",
    "finally",
    "for",
    "from",
    "global",
    "if",
    "import",
    "in",
    "is",
    "lambda",
    "nonlocal",
    "not",
    "or",
    "pass",
    "raise",
    "return",
    "try",
    "while",
    "with",
    "yield",
    "bool",
    "bytes",
    "dict",
    "float",
    "frozenset",
    "int",
    "list",
    "str",
    "tuple",
    "type",
    "dataclass",
    "overload",
];

/// The names that a generated file imports.
pub(super) const RESERVED_TYPES: [&str; 16] = [
    "AbstractSet",
    "Any",
    "AsyncClient",
    "Client",
    "Decimal",
    "False",
    "Literal",
    "Mapping",
    "NewType",
    "None",
    "Options",
    "Sequence",
    "True",
    "TypeAlias",
    "Written",
    "_",
];

/// The members that every client has, and the words of the language.
pub(super) const RESERVED_METHODS: [&str; 43] = [
    "and",
    "as",
    "assert",
    "async",
    "await",
    "break",
    "class",
    "client",
    "continue",
    "def",
    "del",
    "elif",
    "else",
    "ensure_tables",
    "event",
    "except",
    "finally",
    "for",
    "from",
    "global",
    "if",
    "import",
    "in",
    "is",
    "lambda",
    "nonlocal",
    "not",
    "or",
    "overload",
    "pass",
    "raise",
    "return",
    "shapes",
    "try",
    "typed",
    "while",
    "with",
    "yield",
    "dataclass",
    "int",
    "str",
    "bool",
    "float",
];

/// Names that attributes and parameters cannot have beside the keywords.
const RESERVED_ATTRIBUTES: [&str; 6] = [
    "self",
    "backward",
    "strong",
    "timeout",
    "typed",
    "_datetime",
];

/// All names that attributes and parameters cannot have.
pub(super) fn reserved_attributes() -> Vec<&'static str> {
    KEYWORDS
        .iter()
        .chain(&RESERVED_ATTRIBUTES)
        .copied()
        .collect()
}
