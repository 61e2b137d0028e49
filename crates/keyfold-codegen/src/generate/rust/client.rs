//! The clients of a generated file: one that blocks, one whose calls are awaited, each with a method
//! for each pattern and named write and a member for each entity.

use super::parameters::Parameters;
use super::print::{Printer, literal};
use super::types::{Types, made_type};
use crate::generate::attributes::{AttributeNames, snake};
use crate::generate::form::{Answer, Field, Form, Many, PatternForm, WriteForm};
use crate::generate::names::Names;
use crate::generate::sentence::{one, paragraphs};

/// The two clients.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Blocking,
    Awaited,
}

impl Kind {
    /// The module of the runtime.
    fn module(self) -> &'static str {
        match self {
            Kind::Blocking => "typed",
            Kind::Awaited => "typed::nonblocking",
        }
    }

    /// The word before a function.
    fn asynchronous(self) -> &'static str {
        match self {
            Kind::Blocking => "",
            Kind::Awaited => "async ",
        }
    }

    /// What follows a call.
    fn awaits(self) -> &'static str {
        match self {
            Kind::Blocking => "",
            Kind::Awaited => ".await",
        }
    }
}

pub(super) fn print(form: &Form, names: &AttributeNames, out: &mut Printer) {
    let types = Types { form, names };
    let mut reserved = super::names::reserved_attributes();
    reserved.push("client");
    let mut fields = Names::without(&reserved);
    let members = form
        .written()
        .map(|entity| fields.take(snake(&entity.name)));
    let members: Vec<String> = members.collect();
    for pattern in &form.patterns {
        Parameters::of_pattern(pattern).print_types(&types, &pattern.name, out);
    }
    for write in &form.writes {
        Parameters::of_write(write).print_types(&types, &write.name, out);
        let about = format!("What `{}` writes of itself: as given, or made.", write.name);
        types.print_made(write.made.as_ref(), &about, out);
    }
    print_parts(&types, out);
    print_fakes(&types, &members, out);
    for kind in [Kind::Blocking, Kind::Awaited] {
        let client = Client {
            types: &types,
            members: &members,
            kind,
        };
        client.print(out);
    }
}

/// The named writes as parts of a transaction. The type also says of which model a part is.
fn print_parts(types: &Types<'_>, out: &mut Printer) {
    let Form {
        model,
        parts,
        writes,
        ..
    } = types.form;
    out.gap();
    out.doc(0, &[format!("The named writes of the model `{model}` as parts of a transaction: nothing is sent before `transact` takes them.")]);
    out.line(0, "#[derive(Debug, Clone, Copy)]");
    out.line(0, &format!("pub struct {parts};"));
    if writes.is_empty() {
        return;
    }
    out.gap();
    print_convention(writes.iter().map(|one| &one.method), out);
    out.line(0, &format!("impl {parts} {{"));
    for write in writes {
        let parameters = Parameters::of_write(write);
        out.gap();
        out.doc(1, &paragraphs(&write.about));
        let result = match &write.made {
            Some(made) => format!(" -> typed::Part<{parts}, {}> {{", made.type_name),
            None => format!(" -> typed::Part<{parts}> {{"),
        };
        let given = parameters.of_method(types);
        out.open_fn(1, (&format!("pub fn {}", write.method), &result), &given);
        let mutable = parameters.mutable();
        out.line(2, &format!("let {mutable}call = typed::Arguments::new();"));
        parameters.print_given(types, out);
        out.call(2, ("call.part", ""), &[literal(&write.name)]);
        out.line(1, "}");
    }
    out.line(0, "}");
}

/// The factories of entities for tests.
fn print_fakes(types: &Types<'_>, members: &[String], out: &mut Printer) {
    let Form { model, fakes, .. } = types.form;
    out.gap();
    out.doc(0, &[format!("Makes new entities of the model `{model}` for tests: random by a seed, and valid. The same seed makes the same ones.")]);
    out.line(0, "#[derive(Debug, Clone)]");
    out.line(0, &format!("pub struct {fakes} {{"));
    out.line(1, "fakes: typed::Fakes,");
    out.line(0, "}");
    if members.is_empty() {
        return;
    }
    out.gap();
    print_convention(members, out);
    if members.iter().any(|member| member == "next") {
        out.line(0, "#[allow(clippy::should_implement_trait)]");
    }
    out.line(0, &format!("impl {fakes} {{"));
    for (entity, member) in types.form.written().zip(members) {
        let (name, new) = (&entity.name, &entity.types.new);
        out.gap();
        let about = format!(
            "{} that does not exist yet.",
            super::types::capital(&one(name))
        );
        out.doc(1, &[about]);
        let open = format!("pub fn {member}");
        out.open_fn(
            1,
            (&open, &format!(" -> {new} {{")),
            &["&mut self".to_owned()],
        );
        out.call(2, ("self.fakes.make", ""), &[literal(name)]);
        out.line(1, "}");
    }
    out.line(0, "}");
}

/// Allows names of methods that a lint takes for conversions.
fn print_convention<'m>(methods: impl IntoIterator<Item = &'m String>, out: &mut Printer) {
    let starts = ["from_", "into_", "as_", "to_", "is_"];
    let is_convention = |method: &String| starts.iter().any(|start| method.starts_with(start));
    if methods.into_iter().any(is_convention) {
        out.line(0, "#[allow(clippy::wrong_self_convention)]");
    }
}

/// The last call of a method, and its result.
struct Call {
    result: String,
    end: String,
    is_awaited: bool,
}

struct Client<'f> {
    types: &'f Types<'f>,
    members: &'f [String],
    kind: Kind,
}

impl Client<'_> {
    fn name(&self) -> &str {
        match self.kind {
            Kind::Blocking => &self.types.form.client,
            Kind::Awaited => &self.types.form.awaited_client,
        }
    }

    fn print(&self, out: &mut Printer) {
        let Form {
            model,
            version,
            patterns,
            writes,
            ..
        } = self.types.form;
        let end = match self.kind {
            Kind::Blocking => "",
            Kind::Awaited => ", awaited",
        };
        let (name, module) = (self.name(), self.kind.module());
        out.gap();
        out.doc(0, &[format!("The patterns, named writes and entities of the model `{model}`, version {version}{end}.")]);
        out.line(0, "#[derive(Debug, Clone)]");
        out.line(0, &format!("pub struct {name}<S = typed::Eventual> {{"));
        out.line(1, &format!("client: {module}::Client<S>,"));
        for (entity, member) in self.types.form.written().zip(self.members) {
            out.doc(
                1,
                &[format!(
                    "Writes {} with all that follows from it.",
                    one(&entity.name)
                )],
            );
            out.line(
                1,
                &format!("pub {member}: {module}::Writer<{}>,", entity.types.stored),
            );
        }
        out.line(0, "}");
        self.print_open(out);
        let (strong, others): (Vec<_>, Vec<_>) =
            patterns.iter().partition(|one| one.answer.is_strong());
        out.gap();
        let methods = strong.iter().map(|one| &one.method);
        print_convention(methods.chain(writes.iter().map(|one| &one.method)), out);
        out.line(0, &format!("impl<S: typed::Consistency> {name}<S> {{"));
        self.print_own(out);
        for pattern in strong {
            self.print_pattern(pattern, out);
        }
        for write in writes {
            self.print_write(write, out);
        }
        out.line(0, "}");
        if others.is_empty() {
            return;
        }
        out.gap();
        out.doc(
            0,
            &["The patterns of global indexes, which have no strong consistency.".to_owned()],
        );
        print_convention(others.iter().map(|one| &one.method), out);
        out.line(0, &format!("impl {name} {{"));
        for pattern in others {
            self.print_pattern(pattern, out);
        }
        out.line(0, "}");
    }

    /// How a client is made, and made strong.
    fn print_open(&self, out: &mut Printer) {
        let (name, module) = (self.name(), self.kind.module());
        let keyfold = match self.kind {
            Kind::Blocking => "typed::Keyfold",
            Kind::Awaited => "typed::AsyncKeyfold",
        };
        out.gap();
        out.line(0, &format!("impl {name} {{"));
        out.doc(1, &["Compiles the model on a database, and makes its tables or finds that they are as it says.".to_owned()]);
        let open = format!("pub {}fn new", self.kind.asynchronous());
        let result = format!(" -> Result<{name}, typed::Error> {{");
        out.open_fn(1, (&open, &result), &[format!("keyfold: &{keyfold}")]);
        let end = format!("{}?;", self.kind.awaits());
        let given = ["keyfold", "&MODEL", "HASH"].map(str::to_owned);
        out.call(
            2,
            (&format!("let client = {module}::Client::new"), &end),
            &given,
        );
        out.line(2, &format!("Ok({name}::of(client))"));
        out.line(1, "}");
        out.gap();
        out.doc(1, &["The same client, whose reads are strongly consistent, at twice the units. It has no pattern of a global index.".to_owned()]);
        out.line(
            1,
            &format!("pub fn strong(&self) -> {name}<typed::Strong> {{"),
        );
        out.line(2, "let client = self.client.strong();");
        out.line(2, &format!("{name}::of(client)"));
        out.line(1, "}");
        out.line(0, "}");
    }

    /// The methods that every client has.
    fn print_own(&self, out: &mut Printer) {
        let (name, module) = (self.name(), self.kind.module());
        let database = match self.kind {
            Kind::Blocking => "keyfold::Database",
            Kind::Awaited => "keyfold::nonblocking::Database",
        };
        out.line(
            1,
            &format!("fn of(client: {module}::Client<S>) -> {name}<S> {{"),
        );
        let writers = self.members.iter();
        let writers = writers.map(|member| format!("{member}: client.writer()"));
        let members: Vec<String> = writers.chain(["client".to_owned()]).collect();
        out.literal(2, (name, ""), &members);
        out.line(1, "}");
        self.print_same(
            "The same client, each of whose calls takes at most a time.",
            ("within", Some("time: std::time::Duration")),
            out,
        );
        self.print_same("The same client, whose cursors end with a seal of the secret: one that was changed is refused.", ("with_cursor_secret", Some("secret: &[u8]")), out);
        self.print_same("The same client, whose reads and events treat an item that the model does not know so: it is an error, or it is left out.", ("on_unknown", Some("on_unknown: typed::OnUnknown")), out);
        self.print_together(out);
        out.gap();
        out.doc(
            1,
            &["The model on its tables, for calls by name.".to_owned()],
        );
        out.line(1, &format!("pub fn database(&self) -> &{database} {{"));
        out.line(2, "self.client.database()");
        out.line(1, "}");
    }

    /// A method that returns the client with another setting.
    fn print_same(
        &self,
        about: &str,
        (method, parameter): (&str, Option<&str>),
        out: &mut Printer,
    ) {
        let name = self.name();
        let arguments = parameter
            .into_iter()
            .filter_map(|one| one.split(':').next());
        let arguments: Vec<String> = arguments.map(str::to_owned).collect();
        out.gap();
        out.doc(1, &[about.to_owned()]);
        let given = ["&self"].into_iter().chain(parameter);
        let given: Vec<String> = given.map(str::to_owned).collect();
        out.open_fn(
            1,
            (&format!("pub fn {method}"), &format!(" -> {name}<S> {{")),
            &given,
        );
        out.call(
            2,
            (&format!("let client = self.client.{method}"), ";"),
            &arguments,
        );
        out.line(2, &format!("{name}::of(client)"));
        out.line(1, "}");
    }

    /// The methods of transactions and events.
    fn print_together(&self, out: &mut Printer) {
        let Form {
            parts,
            event,
            fakes,
            ..
        } = self.types.form;
        out.gap();
        out.doc(
            1,
            &["Makes new entities for tests: the same seed makes the same ones.".to_owned()],
        );
        let result = format!(" -> {fakes} {{");
        let given = ["&self", "seed: u64"].map(str::to_owned);
        out.open_fn(1, ("pub fn fakes", &result), &given);
        out.line(2, "let fakes = self.client.fakes(seed);");
        out.line(2, &format!("{fakes} {{ fakes }}"));
        out.line(1, "}");
        out.gap();
        out.doc(1, &["The named writes as parts of a transaction. Those of an entity are parts by its `part`.".to_owned()]);
        out.line(1, &format!("pub fn part(&self) -> {parts} {{"));
        out.line(2, parts);
        out.line(1, "}");
        out.gap();
        out.doc(1, &["Carries several writes out in one transaction, as if one happened after the other: all of them or none. A tuple of parts has a tuple of their effects, a list of parts of one type a list.".to_owned()]);
        let given = ["&self", "parts: P"].map(str::to_owned);
        let open = format!(
            "pub {}fn transact<P: typed::Parted<{parts}>>",
            self.kind.asynchronous()
        );
        let result = " -> Result<typed::Transacted<P::Done>, typed::Error> {";
        out.open_fn(1, (&open, result), &given);
        let awaits = self.kind.awaits();
        out.line(2, &format!("self.client.transact(parts){awaits}"));
        out.line(1, "}");
        self.print_effects(out);
        out.gap();
        out.doc(
            1,
            &["Reads stream records as changes of entities.".to_owned()],
        );
        let result = format!(" -> typed::Events<'_, {event}> {{");
        out.open_fn(1, ("pub fn events", &result), &["&self".to_owned()]);
        out.line(2, "self.client.events()");
        out.line(1, "}");
        self.print_events_with_copies(out);
    }

    /// The method that makes writes the effects of stream records.
    fn print_effects(&self, out: &mut Printer) {
        let parts = &self.types.form.parts;
        out.gap();
        let about = "Makes several writes the effects of stream records: they happen in one transaction with the position of the consumer. The parts are those of `transact`.";
        out.doc(1, &[about.to_owned()]);
        let given = ["&self", "parts: P"].map(str::to_owned);
        let open = format!("pub fn effects<P: typed::Parted<{parts}>>");
        out.open_fn(1, (&open, " -> keyfold::stream::Effects {"), &given);
        out.line(2, "self.client.effects(parts)");
        out.line(1, "}");
    }

    /// The reading of the changes of copies, where the model has any.
    fn print_events_with_copies(&self, out: &mut Printer) {
        let Some(event) = &self.types.form.event_with_copies else {
            return;
        };
        out.gap();
        let about = "Reads stream records as changes of entities and of copies.";
        out.doc(1, &[about.to_owned()]);
        let result = format!(" -> typed::Events<'_, {event}> {{");
        let given = ["&self".to_owned()];
        out.open_fn(1, ("pub fn events_with_copies", &result), &given);
        out.line(2, "self.client.events_with_copies()");
        out.line(1, "}");
    }

    fn print_pattern(&self, pattern: &PatternForm, out: &mut Printer) {
        let mut about = paragraphs(&pattern.about);
        let parameters = Parameters::of_pattern(pattern);
        if !parameters.is_struct() {
            about.extend(self.notes(parameters.fields()));
        }
        let call = self.call(&pattern.answer);
        let names = (pattern.name.as_str(), pattern.method.as_str());
        self.print_method(names, &about, &parameters, (call, out));
    }

    fn print_write(&self, write: &WriteForm, out: &mut Printer) {
        let about = paragraphs(&write.about);
        let names = (write.name.as_str(), write.method.as_str());
        let call = Call {
            result: format!(
                "Result<typed::Written<{}>, typed::Error>",
                made_type(write.made.as_ref())
            ),
            end: "send()".to_owned(),
            is_awaited: true,
        };
        self.print_method(names, &about, &Parameters::of_write(write), (call, out));
    }

    /// The call that answers a pattern.
    fn call(&self, answer: &Answer) -> Call {
        let module = self.kind.module();
        match answer {
            Answer::Many(Many {
                items,
                union,
                is_ordered,
                is_strong,
                whole: _,
            }) => {
                let item = items.first().map(|item| self.types.item_type(item));
                let item = union.as_deref().or(item).unwrap_or_default();
                let lifetime = match self.kind {
                    Kind::Blocking => "'_, ",
                    Kind::Awaited => "",
                };
                let order = match (*is_ordered, *is_strong) {
                    (true, true) => ", typed::Ordered",
                    (true, false) => ", typed::Ordered, typed::OfIndex",
                    (false, true) => "",
                    (false, false) => ", typed::Unordered, typed::OfIndex",
                };
                Call {
                    result: format!("{module}::Query<{lifetime}{item}{order}>"),
                    end: "query()".to_owned(),
                    is_awaited: false,
                }
            }
            Answer::One {
                item,
                optional,
                is_strong: _,
            } => {
                let of = self.types.item_type(item);
                let (of, end) = if *optional {
                    (format!("Option<{of}>"), "one()")
                } else {
                    (of.to_owned(), "required()")
                };
                Call {
                    result: format!("Result<{of}, typed::Error>"),
                    end: end.to_owned(),
                    is_awaited: true,
                }
            }
            Answer::Together { type_name, .. } => Call {
                result: format!("Result<{type_name}, typed::Error>"),
                end: "together()".to_owned(),
                is_awaited: true,
            },
        }
    }

    fn print_method(
        &self,
        (name, method): (&str, &str),
        about: &[String],
        parameters: &Parameters<'_>,
        (call, out): (Call, &mut Printer),
    ) {
        let Call {
            result,
            end,
            is_awaited,
        } = call;
        let given = parameters.of_method(self.types);
        out.gap();
        out.doc(1, about);
        let (asynchronous, awaits) = if is_awaited {
            (self.kind.asynchronous(), self.kind.awaits())
        } else {
            ("", "")
        };
        out.open_fn(
            1,
            (
                &format!("pub {asynchronous}fn {method}"),
                &format!(" -> {result} {{"),
            ),
            &given,
        );
        let mutable = parameters.mutable();
        let open = format!("let {mutable}call = {}::Call::new", self.kind.module());
        out.call(2, (&open, ";"), &["&self.client".to_owned(), literal(name)]);
        parameters.print_given(self.types, out);
        out.line(2, &format!("call.{end}{awaits}"));
        out.line(1, "}");
    }

    /// What a reader should know of the parameters.
    fn notes(&self, parameters: &[Field]) -> Vec<String> {
        let notes = parameters.iter().filter_map(|field| {
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
}
