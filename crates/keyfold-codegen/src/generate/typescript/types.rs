//! The types of a generated file: identifiers, enumerations, records, entities, arguments.

use super::print::{Printer, fits, literal, property};
use crate::generate::form::{
    Answer, Choice, CopyForm, Count, EntityForm, Field, Form, Id, Item, MadeForm, MadeMember, Many,
    Parameter, PatternForm, RecordForm, Shape, Whole, WholeMember, WriteForm,
};
use crate::generate::sentence::{changes, one};
use keyfold_model::{Type, written};
use std::cmp::Ordering;

/// Words that no type of ours may be named with: those of the language, and the names that a
/// generated file uses.
pub(super) const RESERVED_TYPES: [&str; 69] = [
    "any",
    "as",
    "async",
    "await",
    "bigint",
    "boolean",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "function",
    "if",
    "implements",
    "import",
    "in",
    "instanceof",
    "interface",
    "let",
    "never",
    "new",
    "null",
    "number",
    "object",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "static",
    "string",
    "super",
    "switch",
    "symbol",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "undefined",
    "unknown",
    "var",
    "void",
    "while",
    "with",
    "yield",
    "JSON",
    "Promise",
    "Readonly",
    "ReadonlySet",
    "Record",
    "String",
    "Uint8Array",
    "keyfold",
    "of",
    "made",
    "plan",
];

/// The types of a form's values, in the order in which a reader needs them.
pub(super) fn print(form: &Form, out: &mut Printer) {
    if !form.ids.is_empty() {
        out.line(0, "declare const of: unique symbol;");
        out.gap();
    }
    for id in &form.ids {
        print_id(form, id, out);
    }
    for choice in &form.choices {
        print_choice(choice, out);
    }
    for record in &form.records {
        print_record(form, record, out);
    }
    for entity in &form.entities {
        print_entity(form, entity, out);
    }
    for pattern in &form.patterns {
        print_pattern(form, pattern, out);
    }
    for write in &form.writes {
        print_write(form, write, out);
    }
    print_event(form, out);
}

fn print_id(form: &Form, id: &Id, out: &mut Printer) {
    let Id {
        type_name,
        of: (entity, attribute),
        kind,
    } = id;
    let of = format!("{entity}.{}", written(attribute));
    let base = scalar(form, kind);
    out.doc(
        0,
        &[format!(
            "A value of `{of}`. Other values are none until `{type_name}` makes them one."
        )],
    );
    let brand = format!(
        "readonly [of]: {}",
        literal(&format!("{entity}.{attribute}"))
    );
    let open = format!("export type {type_name} = {base} & {{");
    let line = format!("{open} {brand} }};");
    if fits(0, &line) {
        out.line(0, &line);
    } else {
        out.line(0, &open);
        out.line(1, &format!("{brand};"));
        out.line(0, "};");
    }
    out.gap();
    out.doc(0, &[format!("Makes a value one of `{of}`.")]);
    out.line(
        0,
        &format!("export function {type_name}(value: {base}): {type_name} {{"),
    );
    out.line(1, &format!("return value as {type_name};"));
    out.line(0, "}");
    out.gap();
}

fn print_choice(choice: &Choice, out: &mut Printer) {
    let Choice {
        type_name,
        of: (owner, attribute),
        words,
    } = choice;
    out.doc(
        0,
        &[format!("The words of `{owner}.{}`.", written(attribute))],
    );
    let words: Vec<String> = words.iter().map(|word| literal(word)).collect();
    out.union(type_name, &words);
    out.gap();
}

/// A record is read and given by the same type, so that its fields are those of what is given.
fn print_record(form: &Form, record: &RecordForm, out: &mut Printer) {
    let RecordForm {
        type_name,
        name,
        fields,
    } = record;
    out.doc(0, &[format!("The record `{name}`.")]);
    given(form, type_name, fields, out);
}

fn print_entity(form: &Form, entity: &EntityForm, out: &mut Printer) {
    let EntityForm {
        name,
        member: _,
        types,
        stored,
        // `print_given` prints them.
        new: _,
        key: _,
        patch: _,
        version: _,
        copies,
        keys,
        is_alone: _,
        is_view,
        made: _,
        touched: _,
        split: _,
    } = entity;
    let keys = keys.join(", ");
    out.doc(
        0,
        &[format!(
            "The entity `{name}` as it is stored, under `{keys}`."
        )],
    );
    interface(form, &types.stored, Some(name), stored, out);
    if !is_view {
        print_given(form, entity, out);
    }
    for CopyForm {
        kind,
        type_name,
        change: _,
        fields,
    } in copies
    {
        out.doc(0, &[format!("The copy `{kind}`.")]);
        interface(form, type_name, Some(kind), fields, out);
    }
}

/// What a program gives to the writes of an entity, and what they make.
fn print_given(form: &Form, entity: &EntityForm, out: &mut Printer) {
    let EntityForm {
        name,
        types,
        new,
        key,
        patch,
        version,
        made,
        touched,
        ..
    } = entity;
    out.doc(
        0,
        &[format!(
            "The attributes of {} that is created or put.",
            one(name)
        )],
    );
    given(form, &types.new, new, out);
    if let Some(version) = version {
        out.doc(
            0,
            &[format!(
                "The attributes of {} that is put, and the version that is stored.",
                one(name)
            )],
        );
        let fields: Vec<Field> = new.iter().chain([version]).cloned().collect();
        given(form, &types.put, &fields, out);
    }
    out.doc(0, &[format!("The key of {}.", one(name))]);
    let versioned: Vec<Field> = key.iter().chain(version).cloned().collect();
    given(form, &types.key, &versioned, out);
    out.doc(0, &[changes(name, patch, "null")]);
    print_patch(form, &types.patch, patch, out);
    let about = format!(
        "What {} gets that is created or put: as given, or made.",
        one(name)
    );
    print_made(form, made.as_ref(), &about, out);
    let about = format!("What an update of {} sets.", one(name));
    print_made(form, touched.as_ref(), &about, out);
}

/// The identifiers and moments that a write makes.
fn print_made(form: &Form, made: Option<&MadeForm>, about: &str, out: &mut Printer) {
    let Some(MadeForm { type_name, members }) = made else {
        return;
    };
    out.doc(0, &[about.to_owned()]);
    let fields: Vec<Field> = members.iter().map(MadeMember::shown).collect();
    interface(form, type_name, None, &fields, out);
}

/// Changes: each may be absent or `undefined`, and an optional attribute is removed by `null`.
fn print_patch(form: &Form, name: &str, fields: &[Field], out: &mut Printer) {
    open(name, fields.is_empty(), out);
    for field in fields {
        let others: &[&str] = if field.optional {
            &["null", "undefined"]
        } else {
            &["undefined"]
        };
        optional(1, &field.name, &text_of(form, &field.shape), others, out);
    }
    close(fields.is_empty(), out);
}

fn print_pattern(form: &Form, pattern: &PatternForm, out: &mut Printer) {
    let PatternForm {
        name,
        method: _,
        arguments_type,
        choice_type: _,
        parameters,
        answer,
        about: _,
    } = pattern;
    if !parameters.is_empty() {
        out.doc(0, &[format!("The arguments of `{name}`.")]);
        print_arguments(form, arguments_type, parameters, out);
    }
    match answer {
        Answer::One { item, .. } => print_item(form, name, item, out),
        Answer::Many(many) => print_many(form, name, many, out),
        Answer::Together {
            type_name,
            items,
            is_strong: _,
        } => {
            for (_, item, _) in items {
                print_item(form, name, item, out);
            }
            out.doc(0, &[format!("The answer of `{name}`.")]);
            open(type_name, items.is_empty(), out);
            for (name, item, optional) in items {
                member(name, *optional, &item.type_name, out);
            }
            close(items.is_empty(), out);
        }
    }
}

fn print_many(form: &Form, pattern: &str, many: &Many, out: &mut Printer) {
    let Many {
        items,
        union,
        is_ordered: _,
        is_strong: _,
        whole,
    } = many;
    for item in items {
        print_item(form, pattern, item, out);
    }
    if let Some(union) = union {
        out.doc(
            0,
            &[format!(
                "An item of `{pattern}`; `{}` says which.",
                form.kind_member
            )],
        );
        let kinds: Vec<String> = items.iter().map(|item| item.type_name.clone()).collect();
        out.union(union, &kinds);
        out.gap();
    }
    if let Some(whole) = whole {
        print_whole(pattern, whole, many, out);
    }
}

/// The whole answer of several kinds: its type, and the kinds of its members for the runtime.
fn print_whole(pattern: &str, whole: &Whole, many: &Many, out: &mut Printer) {
    let Whole {
        type_name,
        members: _,
    } = whole;
    out.doc(0, &[format!("The whole answer of `{pattern}`.")]);
    open(type_name, false, out);
    for (WholeMember { name, count }, item) in many.whole_members() {
        let of = &item.type_name;
        match count {
            Count::One | Count::Optional => member(name, *count == Count::Optional, of, out),
            Count::Many => member(name, false, &format!("readonly {of}[]"), out),
        }
    }
    close(false, out);
    out.doc(0, &[format!("The kinds of `{pattern}`.")]);
    out.line(0, &format!("export const {type_name} = {{"));
    for (WholeMember { name, count }, item) in many.whole_members() {
        let kind = match count {
            Count::One => literal(&item.kind),
            Count::Optional => literal(&format!("{}?", item.kind)),
            Count::Many => format!("[{}]", literal(&item.kind)),
        };
        out.line(1, &format!("{}: {kind},", property(name)));
    }
    out.line(0, "} as const;");
    out.gap();
}

fn print_item(form: &Form, pattern: &str, item: &Item, out: &mut Printer) {
    let Item {
        kind,
        type_name,
        whole: _,
        own,
    } = item;
    if let Some(fields) = own {
        out.doc(0, &[format!("What `{pattern}` returns of {}.", one(kind))]);
        interface(form, type_name, Some(kind), fields, out);
    }
}

/// The arguments of a pattern. Where several optional parameters need those before them, each choice
/// that has a plan is a member of a union. The last one of a choice may be absent, so that a caller's
/// value that may be absent is taken, also when the model gets another parameter.
fn print_arguments(form: &Form, name: &str, parameters: &[Parameter], out: &mut Printer) {
    let chained = parameters.iter().filter(|one| one.is_chained).count();
    if chained < 2 {
        let fields: Vec<Field> = parameters.iter().map(|one| one.field.clone()).collect();
        alias(form, name, &fields, out);
        return;
    }
    out.line(0, &format!("export type {name} ="));
    for given in 1..=chained {
        out.line(1, "| {");
        let mut met = 0;
        for Parameter { field, is_chained } in parameters {
            met += usize::from(*is_chained);
            let text = text_of(form, &field.shape);
            match (is_chained, met.cmp(&given)) {
                (true, Ordering::Less) => argument(3, &field.name, false, &text, out),
                (true, Ordering::Equal) => argument(3, &field.name, true, &text, out),
                (true, Ordering::Greater) => optional(3, &field.name, "undefined", &[], out),
                (false, _) => argument(3, &field.name, field.optional, &text, out),
            }
        }
        let end = if given == chained { ";" } else { "" };
        out.line(2, &format!("}}{end}"));
    }
    out.gap();
}

fn print_write(form: &Form, write: &WriteForm, out: &mut Printer) {
    let WriteForm {
        name,
        method: _,
        arguments_type,
        parameters,
        made,
        about: _,
    } = write;
    if !parameters.is_empty() {
        out.doc(0, &[format!("The arguments of `{name}`.")]);
        alias(form, arguments_type, parameters, out);
    }
    let about = format!("What `{name}` writes of itself: as given, or made.");
    print_made(form, made.as_ref(), &about, out);
}

/// A stream record's change, of each entity.
fn print_event(form: &Form, out: &mut Printer) {
    let entities = form.entities.iter();
    let arguments = entities.map(|entity| [literal(&entity.name), print_image(form, entity, out)]);
    let arguments: Vec<[String; 2]> = arguments.collect();
    let members = arguments
        .iter()
        .map(|of| format!("keyfold.Change<{}>", of.join(", ")));
    let members: Vec<String> = members.collect();
    out.doc(
        0,
        &["A change that a stream reports; `kind` says of what.".to_owned()],
    );
    if let [only] = arguments.as_slice() {
        let open = format!("export type {} = keyfold.Change", form.event);
        out.generic(0, &open, only, ";");
    } else {
        out.union(&form.event, &members);
    }
    out.gap();
    print_event_with_copies(form, out);
}

/// The same where the changes of copies are asked for, too.
fn print_event_with_copies(form: &Form, out: &mut Printer) {
    let Some(name) = &form.event_with_copies else {
        return;
    };
    let copies = form
        .copies()
        .map(|copy| [literal(&copy.kind), copy.type_name.clone()]);
    let changes = copies.map(|of| format!("keyfold.Change<{}>", of.join(", ")));
    let members: Vec<String> = [form.event.clone()].into_iter().chain(changes).collect();
    let about = "A change of an entity or of a copy; `kind` says of what.";
    out.doc(0, &[about.to_owned()]);
    out.union(name, &members);
    out.gap();
}

/// The type of an entity as a stream record shows it, which is printed where that is not all of it.
fn print_image(form: &Form, entity: &EntityForm, out: &mut Printer) -> String {
    let image = &entity.types.image;
    if let Some((fields, about)) = entity.image() {
        out.doc(0, &[about]);
        interface(form, image, Some(&entity.name), &fields, out);
    }
    image.clone()
}

/// An interface. `kind` is the name by which answers tell it apart.
fn interface(form: &Form, name: &str, kind: Option<&str>, fields: &[Field], out: &mut Printer) {
    let is_empty = kind.is_none() && fields.is_empty();
    open(name, is_empty, out);
    if let Some(kind) = kind {
        member(&form.kind_member, false, &literal(kind), out);
    }
    members(form, fields, out);
    close(is_empty, out);
}

/// Arguments: an alias, because an interface is no object of any names, as which clients take them.
fn alias(form: &Form, name: &str, fields: &[Field], out: &mut Printer) {
    out.line(0, &format!("export type {name} = {{"));
    arguments(form, fields, out);
    out.line(0, "};");
    out.gap();
}

/// An interface of what a program gives: an optional attribute may be given as `undefined`.
fn given(form: &Form, name: &str, fields: &[Field], out: &mut Printer) {
    open(name, fields.is_empty(), out);
    arguments(form, fields, out);
    close(fields.is_empty(), out);
}

fn arguments(form: &Form, fields: &[Field], out: &mut Printer) {
    for field in fields {
        if let Some(note) = &field.note {
            out.doc(1, std::slice::from_ref(note));
        }
        let text = text_of(form, &field.shape);
        argument(1, &field.name, field.optional, &text, out);
    }
}

/// An argument: an optional one may be given as `undefined`.
fn argument(depth: usize, name: &str, is_optional: bool, text: &str, out: &mut Printer) {
    if is_optional {
        optional(depth, name, text, &["undefined"], out);
    } else {
        out.line(depth, &format!("readonly {}: {text};", property(name)));
    }
}

/// The members that every object inherits. Source: the interface `Object` of TypeScript's library.
const INHERITED: [&str; 7] = [
    "constructor",
    "hasOwnProperty",
    "isPrototypeOf",
    "propertyIsEnumerable",
    "toLocaleString",
    "toString",
    "valueOf",
];

/// A member that may be absent: of a type, or one of others. An object without it has what it inherits
/// under the name, if anything.
fn optional(depth: usize, name: &str, text: &str, others: &[&str], out: &mut Printer) {
    let mut all = vec![text.to_owned()];
    all.extend(others.iter().map(|other| (*other).to_owned()));
    if INHERITED.contains(&name) {
        all.push(format!("keyfold.Inherited[{}]", literal(name)));
    }
    let start = format!("readonly {}?:", property(name));
    match all.as_slice() {
        [only] => out.line(depth, &format!("{start} {only};")),
        _ => out.either(depth, &start, &all),
    }
}

fn members(form: &Form, fields: &[Field], out: &mut Printer) {
    for field in fields {
        if let Some(note) = &field.note {
            out.doc(1, std::slice::from_ref(note));
        }
        let text = text_of(form, &field.shape);
        member(&field.name, field.optional, &text, out);
    }
}

fn open(name: &str, is_empty: bool, out: &mut Printer) {
    let end = if is_empty { "}" } else { "" };
    out.line(0, &format!("export interface {name} {{{end}"));
}

fn close(is_empty: bool, out: &mut Printer) {
    if !is_empty {
        out.line(0, "}");
    }
    out.gap();
}

fn member(name: &str, is_optional: bool, text: &str, out: &mut Printer) {
    if is_optional {
        optional(1, name, text, &[], out);
    } else {
        out.line(1, &format!("readonly {}: {text};", property(name)));
    }
}

/// The type of a shape.
fn text_of(form: &Form, shape: &Shape) -> String {
    let named = |name: Option<&String>| name.cloned().unwrap_or_default();
    match shape {
        Shape::Plain(kind) => scalar(form, kind).to_owned(),
        Shape::Id(at) => named(form.ids.get(*at).map(|id| &id.type_name)),
        Shape::Choice(at) => named(form.choices.get(*at).map(|choice| &choice.type_name)),
        Shape::Word(_, word) => literal(word),
        Shape::Record(at) => named(form.records.get(*at).map(|record| &record.type_name)),
        Shape::List(of) => match text_of(form, of) {
            // `readonly` belongs to the array that follows it.
            array if array.starts_with("readonly ") => format!("readonly ({array})[]"),
            one => format!("readonly {one}[]"),
        },
        Shape::Map(of) => format!("Readonly<Record<string, {}>>", text_of(form, of)),
        // Two arrays of the same bytes are two members of a set.
        Shape::Set(of) if **of == Shape::Plain(Type::Binary) => "readonly Uint8Array[]".to_owned(),
        Shape::Set(of) => format!("ReadonlySet<{}>", text_of(form, of)),
    }
}

/// The type of a scalar.
fn scalar(form: &Form, kind: &Type) -> &'static str {
    match kind {
        Type::Int if form.settings.exact_numbers => "bigint",
        Type::Number if form.settings.exact_numbers => "keyfold.Decimal",
        Type::Int | Type::Number => "number",
        Type::Bool => "boolean",
        Type::Binary => "Uint8Array",
        Type::String
        | Type::Time(_)
        | Type::Date
        | Type::Period(_)
        | Type::Ulid
        | Type::Uuid
        // The others have shapes of their own.
        | Type::Words(_)
        | Type::List(_)
        | Type::Map(_)
        | Type::Set(_)
        | Type::Record(_) => "string",
    }
}
