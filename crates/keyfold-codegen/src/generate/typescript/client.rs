//! The class of a generated file: a method for each pattern and named write, a member for each
//! entity.

use super::print::{Printer, fits, literal, property};
use crate::generate::form::{
    Answer, EntityForm, Form, MadeForm, MadeMember, Many, PatternForm, WriteForm,
};
use crate::generate::sentence::{one, paragraphs};

/// Names that no method of ours may have: the class's own members, and those by which the language
/// recognizes an object.
pub(super) const RESERVED_METHODS: [&str; 16] = [
    "client",
    "constructor",
    "ensureTables",
    "event",
    "hasOwnProperty",
    "isPrototypeOf",
    "part",
    "propertyIsEnumerable",
    "prototype",
    "then",
    "toJSON",
    "toLocaleString",
    "toString",
    "transact",
    "valueOf",
    "__proto__",
];

/// The class.
pub(super) fn print(form: &Form, out: &mut Printer) {
    out.doc(
        0,
        &[format!(
            "The patterns, named writes and entities of the model `{}`, version {}.",
            form.model, form.version
        )],
    );
    out.line(0, &format!("export class {} {{", form.client));
    out.doc(
        1,
        &["The client that carries out the plans, for calls by name.".to_owned()],
    );
    out.line(1, "readonly client: keyfold.Client;");
    for entity in form.written() {
        let EntityForm {
            name,
            member,
            types,
            ..
        } = entity;
        out.doc(
            1,
            &[format!(
                "Writes {} with all that follows from it.",
                one(name)
            )],
        );
        let mut of = vec![
            &types.new,
            &types.key,
            &types.patch,
            &types.put,
            &types.stored,
        ];
        of.extend(entity.made.as_ref().map(|made| &made.type_name));
        of.extend(entity.touched.as_ref().map(|made| &made.type_name));
        let of: Vec<String> = of.into_iter().cloned().collect();
        let open = format!("readonly {member}: keyfold.{}", writer(entity));
        out.generic(1, &open, &of, ";");
    }
    if !form.writes.is_empty() {
        out.doc(
            1,
            &["The named writes as parts of a transaction.".to_owned()],
        );
        out.line(1, &format!("readonly part: {};", form.parts));
    }
    out.gap();
    print_constructor(form, out);
    for pattern in &form.patterns {
        print_pattern(pattern, out);
    }
    for write in &form.writes {
        print_write(write, out);
    }
    print_own(form, out);
    out.line(0, "}");
    if !form.writes.is_empty() {
        print_parts(form, out);
    }
}

/// The class of named writes as parts of a transaction.
fn print_parts(form: &Form, out: &mut Printer) {
    out.gap();
    let about =
        "The named writes as parts of a transaction: nothing is sent before `transact` takes them.";
    out.doc(0, &[about.to_owned()]);
    out.line(0, &format!("export class {} {{", form.parts));
    for (number, write) in form.writes.iter().enumerate() {
        let WriteForm {
            name,
            method,
            arguments_type,
            parameters,
            made,
            about: _,
        } = write;
        if number > 0 {
            out.gap();
        }
        out.doc(1, &[format!("The write `{name}`.")]);
        let all_optional = parameters.iter().all(|one| one.optional);
        let signature = [arguments(arguments_type, all_optional)];
        let mut members = vec![literal(name), "args".to_owned()];
        members.extend(made.as_ref().map(|_| "made".to_owned()));
        let close = format!("): keyfold.NamedPart<{}> {{", made_type(made.as_ref()));
        out.bracketed(1, &format!("{method}("), &signature, &close);
        out.bracketed(2, "return keyfold.part(", &members, ");");
        out.line(1, "}");
    }
    out.line(0, "}");
}

/// The class that writes an entity.
fn writer(entity: &EntityForm) -> &'static str {
    if entity.is_alone {
        "BatchWriter"
    } else {
        "Writer"
    }
}

fn print_constructor(form: &Form, out: &mut Printer) {
    out.doc(
        1,
        &["Takes `http://localhost:8000`, `dynamodb://eu-west-1`, an endpoint, a transport, or what `connect` of `@keyfold/client/node` makes of `keyfold:./data`.".to_owned()],
    );
    out.line(
        1,
        "constructor(connection: keyfold.Connection, options?: keyfold.TypedOptions) {",
    );
    let numbers = if form.settings.exact_numbers {
        "exact"
    } else {
        "number"
    };
    out.line(2, "this.client = new keyfold.Client(plan, connection, {");
    out.line(3, "...options,");
    out.line(3, &format!("numbers: \"{numbers}\","));
    out.line(2, "});");
    for entity in form.written() {
        let (member, writer, name) = (&entity.member, writer(entity), literal(&entity.name));
        let open = format!("this.{member} = new keyfold.{writer}(");
        let mut members = vec!["this.client".to_owned(), name];
        let makes = entity.made.is_some() || entity.touched.is_some();
        members.extend(makes.then(|| "made".to_owned()));
        out.bracketed(2, &open, &members, ");");
    }
    if !form.writes.is_empty() {
        out.line(2, &format!("this.part = new {}();", form.parts));
    }
    out.line(1, "}");
}

fn print_pattern(pattern: &PatternForm, out: &mut Printer) {
    let PatternForm {
        name,
        method,
        arguments_type,
        choice_type: _,
        parameters,
        answer,
        about,
    } = pattern;
    out.gap();
    out.doc(1, &paragraphs(about));
    let all_optional = parameters.iter().all(|one| one.field.optional);
    let mut signature = vec![arguments(arguments_type, all_optional)];
    let mut members = vec![literal(name), "args".to_owned()];
    let client = "this.client".to_owned();
    let options = |extra: &str| format!("options?: keyfold.CallOptions{extra}");
    let (result, call) = match answer {
        Answer::Many(many) => {
            members.insert(0, client);
            let result = query(many);
            let class = match &many.whole {
                Some(whole) => {
                    members.push(whole.type_name.clone());
                    "Collection"
                }
                None => "Query",
            };
            (result, format!("new keyfold.{class}("))
        }
        Answer::One {
            item,
            optional,
            is_strong,
        } => {
            let extra = if *is_strong { " & keyfold.Strong" } else { "" };
            signature.push(options(extra));
            members.push("options".to_owned());
            let item = &item.type_name;
            if *optional {
                let result = Returned::promise(&format!("{item} | undefined"));
                (result, format!("this.client.one<{item}>("))
            } else {
                members.insert(0, client);
                let result = Returned::promise(item);
                (result, format!("keyfold.required<{item}>("))
            }
        }
        Answer::Together { type_name, .. } => {
            signature.push(options(""));
            members.push("options".to_owned());
            let call = format!("this.client.together<{type_name}>(");
            (Returned::promise(type_name), call)
        }
    };
    let open = format!("{method}(");
    result.print_head(&open, &signature, out);
    out.bracketed(2, &format!("return {call}"), &members, ");");
    out.line(1, "}");
}

/// The type that a method returns.
struct Returned {
    name: String,
    arguments: Vec<String>,
}

impl Returned {
    fn promise(of: &str) -> Returned {
        Returned {
            name: "Promise".to_owned(),
            arguments: vec![of.to_owned()],
        }
    }

    /// Prints the head of a method. Where not even the end of it fits on a line, several arguments of
    /// the type have a line each.
    fn print_head(&self, open: &str, signature: &[String], out: &mut Printer) {
        let Returned { name, arguments } = self;
        let close = format!("): {name}<{}> {{", arguments.join(", "));
        if fits(1, &close) || arguments.len() < 2 {
            out.bracketed(1, open, signature, &close);
            return;
        }
        out.line(1, open);
        for parameter in signature {
            out.line(2, &format!("{parameter},"));
        }
        out.generic(1, &format!("): {name}"), arguments, " {");
    }
}

/// The type of an answer of any number of items, with the options that it offers.
fn query(many: &Many) -> Returned {
    let Many {
        items,
        union,
        is_ordered,
        is_strong,
        whole,
    } = many;
    let item = union.as_ref().or(items.first().map(|item| &item.type_name));
    let item = item.map_or("", String::as_str);
    let offered = [
        (is_ordered, "keyfold.Ordered"),
        (is_strong, "keyfold.Strong"),
    ];
    let offered: Vec<&str> = offered
        .into_iter()
        .filter(|(is, _)| **is)
        .map(|(_, name)| name)
        .collect();
    let (class, of) = match whole {
        Some(whole) => ("Collection", whole.type_name.as_str()),
        None => ("Query", item),
    };
    let mut arguments = vec![of.to_owned()];
    if !offered.is_empty() {
        arguments.push(offered.join(" & "));
    }
    Returned {
        name: format!("keyfold.{class}"),
        arguments,
    }
}

fn print_write(write: &WriteForm, out: &mut Printer) {
    let WriteForm {
        name: _,
        method,
        arguments_type,
        parameters,
        made,
        about,
    } = write;
    out.gap();
    out.doc(1, about);
    let all_optional = parameters.iter().all(|one| one.optional);
    let mut signature = vec![arguments(arguments_type, all_optional)];
    let part = format!("this.part.{method}(args)");
    signature.push("options?: keyfold.CallOptions".to_owned());
    let close = format!(
        "): Promise<keyfold.Written<{}>> {{",
        made_type(made.as_ref())
    );
    out.bracketed(1, &format!("{method}("), &signature, &close);
    let members = ["this.client".to_owned(), part, "options".to_owned()];
    out.bracketed(2, "return keyfold.run(", &members, ");");
    out.line(1, "}");
}

/// The parameter of the arguments. It is there without any, too: options stay the second when the
/// model gets an optional parameter.
fn arguments(arguments_type: &str, all_optional: bool) -> String {
    match (arguments_type, all_optional) {
        ("", _) => "args: keyfold.NoArguments = {}".to_owned(),
        (of, true) => format!("args: {of} = {{}}"),
        (of, false) => format!("args: {of}"),
    }
}

/// The type of what a write makes.
fn made_type(made: Option<&MadeForm>) -> &str {
    made.map_or("keyfold.NothingMade", |made| &made.type_name)
}

/// The table of what writes make, where some make anything.
pub(super) fn print_made(form: &Form, out: &mut Printer) {
    if form.made().next().is_none() {
        return;
    }
    out.line(0, "const made: keyfold.MadeTable = {");
    for (of, MadeForm { members, .. }) in form.made() {
        out.line(1, &format!("{}: {{", property(&of)));
        for MadeMember {
            field,
            entity,
            attribute,
            each,
            given,
            argument,
        } in members
        {
            let held = [entity, attribute, given.word()].map(literal);
            let list = each.as_deref().map(literal);
            let list = list.or(argument.as_ref().map(|_| "undefined".to_owned()));
            let argument = argument.as_deref().map(literal);
            let held: Vec<String> = held.into_iter().chain(list).chain(argument).collect();
            out.bracketed(2, &format!("{}: [", property(&field.name)), &held, "],");
        }
        out.line(1, "},");
    }
    out.line(0, "};");
    out.gap();
}

/// The members that every client has.
fn print_own(form: &Form, out: &mut Printer) {
    out.gap();
    let about = "Carries several writes out in one transaction, as if one happened after the other: all of them or none.";
    out.doc(1, &[about.to_owned()]);
    let members = [
        "writes: keyfold.Parted<Made>".to_owned(),
        "options?: keyfold.CallOptions".to_owned(),
    ];
    let close = "): Promise<keyfold.Done<Made>> {";
    out.bracketed(
        1,
        "transact<Made extends readonly unknown[]>(",
        &members,
        close,
    );
    out.line(2, "return keyfold.transact(this.client, writes, options);");
    out.line(1, "}");
    print_event(form, out);
    out.gap();
    out.doc(
        1,
        &[
            "Creates the tables that do not exist, and compares the others with the model."
                .to_owned(),
        ],
    );
    out.line(
        1,
        "ensureTables(options?: keyfold.CallOptions): Promise<keyfold.TableOutcome[]> {",
    );
    out.line(2, "return this.client.ensureTables(options);");
    out.line(1, "}");
}

/// The reading of stream records: with another type where the changes of copies are asked for.
fn print_event(form: &Form, out: &mut Printer) {
    let event = &form.event;
    let record = "record: keyfold.StreamRecord".to_owned();
    let entities = "options?: keyfold.EntityEventOptions".to_owned();
    let close = |event: &str, end: &str| format!("): Promise<{event} | undefined>{end}");
    let about = "The change that a stream's record reports, of a reader or of Lambda; `undefined` for an item that follows from an entity. `onUnknown` says what becomes of an item that the model does not know.";
    out.gap();
    out.doc(1, &[about.to_owned()]);
    let Some(all) = &form.event_with_copies else {
        out.bracketed(1, "event(", &[record, entities], &close(event, " {"));
        out.line(2, "return keyfold.change(this.client, record, options);");
        out.line(1, "}");
        return;
    };
    let members = [record.clone(), entities];
    out.bracketed(1, "event(", &members, &close(event, ";"));
    out.doc(1, &["With `copies`, changes of copies, too.".to_owned()]);
    let members = [record, "options?: keyfold.EventOptions".to_owned()];
    out.bracketed(1, "event(", &members, &close(all, ";"));
    out.bracketed(1, "event(", &members, &close(all, " {"));
    out.line(2, "return keyfold.change(this.client, record, options);");
    out.line(1, "}");
}
