//! The classes of a generated file: one that blocks, one for `asyncio`, each with a method for each
//! pattern and named write and a member for each entity.

use super::method::{Method, Parameter};
use super::names::RESERVED_METHODS;
use super::print::{Member, Printer, braced, literal};
use super::types::{Side, Types};
use crate::generate::attributes::{AttributeNames, snake};
use crate::generate::form::{
    Answer, EntityForm, Field, Form, Item, MadeForm, Many, PatternForm, WriteForm,
};
use crate::generate::names::Names;
use crate::generate::sentence::{one, paragraphs};

/// The two classes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Blocking,
    Awaited,
}

impl Kind {
    /// The start of the names of its classes.
    fn prefix(self) -> &'static str {
        match self {
            Kind::Blocking => "",
            Kind::Awaited => "Async",
        }
    }

    /// `await`, where a call is awaited.
    fn awaits(self) -> &'static str {
        match self {
            Kind::Blocking => "",
            Kind::Awaited => "await ",
        }
    }
}

pub(super) fn print(form: &Form, names: &AttributeNames, out: &mut Printer) {
    if !form.writes.is_empty() {
        let class = Class {
            types: Types { form, names },
            kind: Kind::Blocking,
        };
        class.print_parts(out);
    }
    let class = Class {
        types: Types { form, names },
        kind: Kind::Blocking,
    };
    class.print_fakes(out);
    for kind in [Kind::Blocking, Kind::Awaited] {
        let class = Class {
            types: Types { form, names },
            kind,
        };
        class.print(out);
    }
}

struct Class<'f> {
    types: Types<'f>,
    kind: Kind,
}

impl Class<'_> {
    fn print(&self, out: &mut Printer) {
        let Form {
            model,
            version,
            client,
            awaited_client,
            ..
        } = self.types.form;
        let name = match self.kind {
            Kind::Blocking => client,
            Kind::Awaited => awaited_client,
        };
        let (prefix, end) = match self.kind {
            Kind::Blocking => ("", ""),
            Kind::Awaited => ("Async", ", for `asyncio`"),
        };
        out.gaps();
        out.line(0, &format!("class {name}(typed.{prefix}Typed):"));
        let about = format!(
            "The patterns, named writes and entities of the model `{model}`, version {version}{end}."
        );
        out.doc(1, &[about]);
        out.gap();
        self.print_init(out);
        for pattern in &self.types.form.patterns {
            self.print_pattern(pattern, out);
        }
        for write in &self.types.form.writes {
            self.print_write(write, out);
        }
        self.print_event(out);
    }

    /// The class of named writes as parts of a transaction.
    fn print_parts(&self, out: &mut Printer) {
        let form = self.types.form;
        out.gaps();
        out.line(0, &format!("class {}(typed.NamedParts):", form.parts));
        let about = "The named writes as parts of a transaction: nothing is sent before `transact` takes them.";
        out.doc(1, &[about.to_owned()]);
        for write in &form.writes {
            let parameters = &write.parameters;
            let given: Vec<Parameter> = parameters.iter().map(|one| self.parameter(one)).collect();
            out.gap();
            let own = Method::of(&write.method);
            let made = made_type(write.made.as_ref());
            own.print_open(&given, &format!("typed.NamedPart[{made}]"), out);
            out.doc(2, &[format!("The write `{}`.", write.name)]);
            let members = [
                Member::Plain(literal(&write.name)),
                self.arguments(parameters.iter()),
                Member::Plain(made),
            ];
            out.nested(2, "return self._run(", &members, ")");
        }
    }

    /// The class of factories: a method for each entity.
    fn print_fakes(&self, out: &mut Printer) {
        let form = self.types.form;
        out.gaps();
        out.line(0, &format!("class {}(typed.NamedFakes):", form.fakes));
        let about = "Entities for tests: random by a seed, and valid for the model. What is not given is made; of `_related`, entities by their names, attributes that refer to one have its values.";
        out.doc(1, &[about.to_owned()]);
        let mut methods = Names::without(&RESERVED_METHODS);
        for entity in form.written() {
            let EntityForm {
                name, new, types, ..
            } = entity;
            let values: Vec<Parameter> = new.iter().map(|one| self.value(one)).collect();
            out.gap();
            let method = methods.take(snake(name));
            Method::of(&method).print_factory(&values, &types.new, out);
            out.doc(2, &[format!("A new `{name}`.")]);
            let members = [
                Member::Plain(literal(name)),
                Member::Plain(types.new.clone()),
                self.arguments(new.iter()),
                Member::Plain("_related".to_owned()),
            ];
            out.nested(2, "return self._new(", &members, ")");
        }
    }

    /// A value that a factory may be given. An optional one that is `None` is absent.
    fn value(&self, field: &Field) -> Parameter {
        let text = self.types.text_of(&field.shape, Side::Given);
        let name = self.types.names.get(&field.name);
        let absent = if field.optional { " | None" } else { "" };
        Parameter::plain(&format!(
            "{name}: {text}{absent} | typed.Unset = typed.UNSET"
        ))
    }

    fn print_init(&self, out: &mut Printer) {
        let prefix = self.kind.prefix();
        let parameters = [
            Parameter::plain("connection: str | Any"),
            Parameter::plain("options: Options | None = None"),
        ];
        Method::of("__init__").print_open(&parameters, "None", out);
        let about = "Takes `http://localhost:8000`, `dynamodb://eu-west-1?profile=prod`, `keyfold:./data`, or a low-level client of ";
        let library = match self.kind {
            Kind::Blocking => "boto3.",
            Kind::Awaited => "aioboto3. It is used in `async with`.",
        };
        out.doc(2, &[format!("{about}{library}")]);
        out.line(
            2,
            &format!(
                "super().__init__({prefix}Client(_PLAN, connection, options or Options()), _SHAPES)"
            ),
        );
        for entity in self.types.form.written() {
            let EntityForm {
                name,
                member,
                types,
                ..
            } = entity;
            let of = [
                &types.new,
                &types.put,
                &types.key,
                &types.patch,
                &types.stored,
                &made_type(entity.made.as_ref()),
                &made_type(entity.touched.as_ref()),
            ];
            let of = of.map(String::clone);
            let batch = if entity.is_alone { "Batch" } else { "" };
            let open = format!("self.{member} = typed.{prefix}{batch}Writer[");
            let made = [&entity.made, &entity.touched].map(|one| made_type(one.as_ref()));
            let [made, touched] = made;
            let close = format!(
                "](self, {}, {}, {made}, {touched})",
                literal(name),
                types.stored
            );
            out.bracketed(2, &open, &of, &close);
            out.doc(
                2,
                &[format!(
                    "Writes {} with all that follows from it.",
                    one(name)
                )],
            );
        }
        let form = self.types.form;
        out.line(2, &format!("self.fake = {}(self)", form.fakes));
        let about = "Entities for tests, random by a seed.";
        out.doc(2, &[about.to_owned()]);
        if !form.writes.is_empty() {
            out.line(2, &format!("self.part = {}(_SHAPES)", form.parts));
            let about = "The named writes as parts of a transaction.";
            out.doc(2, &[about.to_owned()]);
        }
    }

    fn print_pattern(&self, pattern: &PatternForm, out: &mut Printer) {
        let PatternForm {
            name,
            method,
            arguments_type: _,
            choice_type: _,
            parameters,
            answer,
            about,
        } = pattern;
        let mut given: Vec<Parameter> = parameters
            .iter()
            .map(|one| Parameter {
                is_chained: one.is_chained,
                ..self.parameter(&one.field)
            })
            .collect();
        let fields = parameters.iter().map(|one| &one.field);
        let mut members = vec![Member::Plain(literal(name)), self.arguments(fields)];
        let Call {
            result,
            open,
            is_awaited,
        } = self.call(answer, &mut given, &mut members);
        if is_awaited {
            given.push(Parameter::plain("timeout: float | None = None"));
            members.push(Member::Plain("timeout".to_owned()));
        }
        out.gap();
        let is_async = is_awaited && self.kind == Kind::Awaited;
        let own = Method {
            name: method,
            is_async,
        };
        own.print_overloads(&given, &result, out);
        own.print_open(&given, &result, out);
        let mut about = paragraphs(about);
        about.extend(self.notes(pattern));
        out.doc(2, &about);
        let awaits = if is_async { self.kind.awaits() } else { "" };
        out.nested(2, &format!("return {awaits}{open}"), &members, ")");
    }

    /// The call that answers a pattern: adds the options that it offers to the parameters, and what it
    /// takes to the members.
    fn call(&self, answer: &Answer, given: &mut Vec<Parameter>, members: &mut Vec<Member>) -> Call {
        match answer {
            Answer::Many(many) => {
                members.insert(0, Member::Plain("self".to_owned()));
                members.push(classes(&many.items));
                if let Some(whole) = &many.whole {
                    members.push(Member::Plain(whole.type_name.clone()));
                }
                for option in options(many) {
                    given.push(Parameter::plain(&format!("{option}: bool = False")));
                    members.push(Member::Plain(format!("{option}={option}")));
                }
                let item = many
                    .union
                    .as_ref()
                    .or(many.items.first().map(|one| &one.type_name));
                let item = item.map_or("", String::as_str);
                let (class, of) = match &many.whole {
                    Some(whole) => ("Collection", format!("{item}, {}", whole.type_name)),
                    None => ("Query", item.to_owned()),
                };
                let query = format!("typed.{}{class}", self.kind.prefix());
                Call {
                    result: format!("{query}[{of}]"),
                    open: format!("{query}("),
                    is_awaited: false,
                }
            }
            Answer::One {
                item,
                optional,
                is_strong,
            } => {
                members.push(classes(std::slice::from_ref(item)));
                if *is_strong {
                    given.push(Parameter::plain("strong: bool = False"));
                }
                let strong = if *is_strong { "strong" } else { "False" };
                members.push(Member::Plain(strong.to_owned()));
                let of = &item.type_name;
                if *optional {
                    Call::awaited(&format!("{of} | None"), "self._one(")
                } else {
                    Call::awaited(of, "self._required(")
                }
            }
            Answer::Together {
                type_name,
                items,
                is_strong: _,
            } => {
                members.push(classes(items.iter().map(|(_, item, _)| item)));
                members.push(Member::Plain(type_name.clone()));
                Call::awaited(type_name, "self._together(")
            }
        }
    }

    fn print_write(&self, write: &WriteForm, out: &mut Printer) {
        let WriteForm {
            name: _,
            method,
            arguments_type: _,
            parameters,
            made,
            about,
        } = write;
        let mut given: Vec<Parameter> = parameters.iter().map(|one| self.parameter(one)).collect();
        given.push(Parameter::plain("timeout: float | None = None"));
        out.gap();
        let own = Method {
            name: method,
            is_async: self.kind == Kind::Awaited,
        };
        let made = made_type(made.as_ref());
        own.print_open(&given, &format!("typed.Written[{made}]"), out);
        out.doc(2, &paragraphs(about));
        let given = parameters.iter().map(|one| self.types.names.get(&one.name));
        let given: Vec<String> = given.map(|name| format!("{name}={name}")).collect();
        let part = Member::Called(format!("self.part.{method}"), given);
        let members = [part, Member::Plain("timeout".to_owned())];
        let call = format!("return {}self._write(", self.kind.awaits());
        out.nested(2, &call, &members, ")");
    }

    /// The reading of stream records: with another type where the changes of copies are asked for.
    fn print_event(&self, out: &mut Printer) {
        let Form {
            event,
            event_with_copies,
            ..
        } = self.types.form;
        let open = Method::of("event");
        let parameters = |copies: Option<&str>| {
            let options = ["*", "on_unknown: typed.OnUnknown | None = None"];
            let all = ["record: Mapping[str, Any]"].into_iter().chain(options);
            let all: Vec<Parameter> = all.chain(copies).map(Parameter::plain).collect();
            all
        };
        out.gap();
        let mut call = "return self._change(record, _EVENTS, on_unknown)";
        if let Some(all) = event_with_copies {
            let entities = parameters(Some("copies: Literal[False] = False"));
            open.print_overload(&entities, &format!("{event} | None"), out);
            open.print_overload(
                &parameters(Some("copies: bool")),
                &format!("{all} | None"),
                out,
            );
            let whole = parameters(Some("copies: bool = False"));
            open.print_positional(&whole, &format!("{all} | None"), out);
            call = "return self._change(record, _EVENTS, on_unknown, copies)";
        } else {
            open.print_positional(&parameters(None), &format!("{event} | None"), out);
        }
        let mut about = "The change that a stream's record reports, of a reader or of Lambda; None for an item that follows from an entity. `on_unknown` says what becomes of an item that the model does not know, instead of the client's.".to_owned();
        if event_with_copies.is_some() {
            about.push_str(" With `copies`, those of copies are changes, too.");
        }
        out.doc(2, &[about]);
        out.line(2, call);
    }

    fn parameter(&self, field: &Field) -> Parameter {
        let text = self.types.text_of(&field.shape, Side::Given);
        let name = self.types.names.get(&field.name);
        Parameter {
            text: format!("{name}: {text}"),
            is_optional: field.optional,
            is_chained: false,
        }
    }

    /// What a reader should know of the parameters.
    fn notes(&self, pattern: &PatternForm) -> Vec<String> {
        let fields = pattern.parameters.iter().map(|one| &one.field);
        let notes = fields.filter_map(|field| {
            let name = self.types.names.get(&field.name);
            field
                .note
                .as_ref()
                .map(|note| format!("- `{name}`: {note}"))
        });
        let notes: Vec<String> = notes.collect();
        let gap = (!notes.is_empty()).then(String::new);
        gap.into_iter().chain(notes).collect()
    }

    /// Arguments by their names in the model.
    fn arguments<'f>(&self, fields: impl Iterator<Item = &'f Field>) -> Member {
        let entries = fields.map(|field| {
            let name = &field.name;
            format!("{}: {}", literal(name), self.types.names.get(name))
        });
        braced(entries.collect())
    }
}

/// The type of what a write makes.
fn made_type(made: Option<&MadeForm>) -> String {
    made.map_or("typed.NothingMade".to_owned(), |made| {
        made.type_name.clone()
    })
}

/// The call inside of a method.
struct Call {
    /// The type of its result.
    result: String,
    /// Its text up to its members.
    open: String,
    /// Whether it asks at once, and not when the answer is used.
    is_awaited: bool,
}

impl Call {
    fn awaited(result: &str, open: &str) -> Call {
        Call {
            result: result.to_owned(),
            open: open.to_owned(),
            is_awaited: true,
        }
    }
}

/// The classes of items by their kinds.
fn classes<'i>(items: impl IntoIterator<Item = &'i Item>) -> Member {
    let entries = items
        .into_iter()
        .map(|item| format!("{}: {}", literal(&item.kind), item.type_name));
    braced(entries.collect())
}

/// The options that an answer of any number of items offers.
fn options(many: &Many) -> Vec<&'static str> {
    let offered = [(many.is_ordered, "backward"), (many.is_strong, "strong")];
    let offered = offered.into_iter().filter(|(is_offered, _)| *is_offered);
    offered.map(|(_, option)| option).collect()
}
