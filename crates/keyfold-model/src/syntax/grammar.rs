//! The grammar of the language, for people. `docs/grammar.md` and `keyfold explain grammar` show it; a
//! test compares its words with those of the parser.

/// The rules of the grammar.
pub const GRAMMAR: &str = r#"model     := "model" NAME [NUMBER]
file      := (model | owner | use | ["shared"] (record | table | entity | view) | pattern | write)*
owner     := "owner" TITLE
use       := "use" TEXT

record    := "record" NAME  member: attributes*
table     := "table" TITLE "(" column, ... ")" ["type" NAME] ["ttl" NAME] ["per" unit]  member: (index | capacity | setting)*
column    := NAME [":" ("string" | "number" | "binary")]
index     := "gsi" TITLE "(" group ["," group] ")" [project] ["capacity" units] | "lsi" TITLE "(" column ")" [project]
group     := column | "(" column, ... ")"
project   := "project" ("all" | "keys" | "(" NAME, ... ")")
capacity  := "capacity" units ["then" units]
units     := "on" "demand" | bounds "read" bounds "write" ["at" NUMBER "percent"]
bounds    := NUMBER [".." NUMBER]
setting   := "stream" ("new" "and" "old" "images" | ("new" | "old") "images" | "keys")
           | "point" "in" "time" "recovery" | "deletion" "protection" | "class" ("standard" | "infrequent" "access")
           | "tags" (TITLE "=" TEXT), ...
unit      := "hour" | "day" | "month" | "year"

entity    := "entity" NAME ["was" (NAME "where" NAME "=" operand | NAME ("or" NAME)*)] ["in" TITLE]  member: (attributes | key | id | indexkey | copy | unique | follow)*
attributes:= (NAME ":" type ["?"] ["=" operand ["always"]] ["was" former]), ...
former    := NAME ("or" NAME)* | TEXT with {field} inside | NAME "(" (operand "=" operand), ... ["," "else" operand] ")"
           | "(" (NAME "=" operand), ... ")"
           | operand (("+" | "-" | "*") operand)*
type      := NAME | "time" "(" ("s" | "ms" | "us" | "ns") ")" | NAME "." NAME | NAME ("|" NAME)*
           | TEXT ("|" (NAME | TEXT))* | ("list" | "map" | "set") "of" type
key       := "key" template* [placing]
id        := "id" NAME, ...
indexkey  := TITLE template* [placing] ["sparse" "when" NAME ["=" operand]]
copy      := "copy" NAME template* [placing] ["only" NAME, ...] [when]
placing   := ["shard" NUMBER] ["bucket" unit ["of" NAME]]
template  := TEXT with {field} inside | {field}
field     := NAME (":" format)*
format    := 0DIGITS["." DIGITS] | "signed" | "reverse" | unit | "lower" | "hash" | "escape"
unique    := "unique" (compared | "(" compared, ... ")"), ...
compared  := NAME | "lower" "(" NAME ")"
follow    := "ttl" NAME | "version" NAME | "split" NAME "by" NUMBER | "compress" NAME, ... | "unstored" NAME, ...
           | "count" NAME "of" NAME [through] [only] | ("sum" | "max") NAME "of" NAME "." NAME [through] [only]
           | "expect" expected, ... | "from" origin
origin    := relation (["left"] "join" relation "on" equal ("and" equal)*)* ["where" TEXT] ["set" (NAME "=" (sqlcolumn | TEXT)), ...]
             ["back" (TITLE "=" TEXT), ...]
relation  := [TITLE "."] TITLE [NAME]
equal     := sqlcolumn "=" sqlcolumn
sqlcolumn := TITLE "." TITLE
through   := "by" NAME, ...
only      := "where" NAME "=" operand
expected  := NUMBER ("items" | "bytes" | ["writes"] "a" "second" | "per" NAME)

view      := "view" NAME ["in" TITLE] "of" NAME ["where" condition]  member: (columns | "only" NAME, ... | key | indexkey | "expect" expected, ...)*
columns   := (NAME ":" made), ...
made      := "count" | ("sum" | "min" | "max" | "average" | "distinct") NAME | NAME
           | "top" NUMBER ["highest" | "lowest" | "newest" | "oldest" | "ascending" | "descending"] NAME ["only" NAME, ...] | NAME "." NAME ["by" NAME, ...]

pattern   := "pattern" NAME "(" [parameter, ...] ")" "->" (result ("+" result)* | "(" item, ... ")") modifier*
parameter := (NAME [range] | unit "of" NAME [range] | NAME "starts" NAME | NAME "[]" | NAME ":" type) ["?"]
range     := (">=" | ">" | "<=" | "<") NAME | "in" NAME ".." (NAME | "now")
result    := NAME ["." NAME] ["[]" | "?"]
item      := NAME ["." NAME] ["?"] ["as" NAME] ["where" NAME "=" NAME ("and" NAME "=" NAME)*]
modifier  := "only" NAME, ... | "where" (NAME ["=" operand]), ... | "filter" condition, ...
           | ("newest" | "oldest" | "highest" | "lowest" | "ascending" | "descending") [NAME]
           | "page" NUMBER | "strong" | "scan" | "batch" | "fetch" "all" | "expect" expected, ...

write     := "write" NAME ["(" [(NAME [":" type] ["?"]), ...] ")"]  member: action*
action    := "create" named [each] [set] | "put" named [each] [set] [when]
           | "update" named [each] [found] [set] ["remove" path, ...] [when]
           | "create" "or" "update" named [each] [set] ["else" changes] [when]
           | ("delete" | "check") named [each] [found] [when]
named     := NAME ["as" NAME]
found     := "where" (NAME "=" (operand | NAME "." NAME)), ...
each      := "for" "each" NAME
set       := "set" changes
changes   := (path "=" source [("+" | "-") source]), ...
when      := "when" condition
condition := joined ("or" joined)*
joined    := member ("and" member)*
member    := "not" member | "(" condition ")" | comparison
comparison:= subject ("=" | "<>" | "<" | "<=" | ">" | ">=" | "contains" | "starts") source
           | subject "in" ("(" source, ... ")" | source ".." source)
           | ("exists" | "missing") (path | "(" path ")") | ("contains" | "starts") "(" path "," source ")"
subject   := path | "size" "(" path ")" | "kind"
path      := NAME ("." (NAME | TEXT))*
source    := operand | (NAME | {name}) ("." (NAME | TEXT))*
TITLE     := NAME | TEXT
operand   := NAME | {name} | ["-"] NUMBER | TEXT
"#;

/// The text of `docs/grammar.md`.
pub fn grammar_markdown() -> String {
    format!(
        "# Grammar

The grammar of the model language, as its parser reads it. `[x]` is optional, `x*` is any number of
`x`, and `x, ...` is one or more, separated by commas. Words in quotes stand for themselves. A NAME
is a letter or `_`, followed by letters, digits and `_`. A NUMBER may be grouped: `1_000_000`. A
TEXT stands in double quotes. The NAME of an attribute or a parameter and a word of an enumeration
may be a TEXT, too. A declaration starts in the first column; its members are indented.

```text
{GRAMMAR}```
"
    )
}
