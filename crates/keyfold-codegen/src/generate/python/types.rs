//! The types of a generated file: identifiers, enumerations, records, entities, answers, events.

use super::print::{Printer, literal};
use crate::generate::attributes::AttributeNames;
use crate::generate::form::{
    Answer, Choice, CopyForm, Count, EntityForm, Field, Form, Id, Item, MadeForm, MadeMember, Many,
    PatternForm, RecordForm, Shape, Whole, WholeMember,
};
use crate::generate::sentence::{changes, one};
use keyfold_model::schema::Precision;
use keyfold_model::{Type, written};

/// What the types of a file are made of.
pub(super) struct Types<'f> {
    pub(super) form: &'f Form,
    pub(super) names: &'f AttributeNames,
}

/// How a value is seen.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// As answers have it.
    Stored,
    /// As callers give it: any sequence for a list, an `int` for a number.
    Given,
}

/// The types of a form's values, in the order in which they need each other.
pub(super) fn print(form: &Form, names: &AttributeNames, out: &mut Printer) {
    let types = Types { form, names };
    if !form.ids.is_empty() {
        out.gap();
    }
    for id in &form.ids {
        types.print_id(id, out);
    }
    if !form.choices.is_empty() {
        out.gap();
    }
    for choice in &form.choices {
        print_choice(choice, out);
    }
    for record in &form.records {
        let RecordForm {
            type_name,
            name,
            fields,
        } = record;
        types.open_given(type_name, name, &format!("The record `{name}`."), out);
        types.members((fields, Side::Stored), out);
    }
    for entity in &form.entities {
        types.print_entity(entity, out);
    }
    for pattern in &form.patterns {
        types.print_answer(pattern, out);
    }
    for write in &form.writes {
        let about = format!("What `{}` writes of itself: as given, or made.", write.name);
        types.print_made(write.made.as_ref(), &about, out);
    }
    types.print_event(out);
}

fn print_choice(choice: &Choice, out: &mut Printer) {
    let Choice {
        type_name,
        of: (owner, attribute),
        words,
    } = choice;
    let words: Vec<String> = words.iter().map(|word| literal(word)).collect();
    let open = format!("{type_name}: TypeAlias = Literal[");
    if let [word] = words.as_slice() {
        out.line(0, &format!("{open}{word}]"));
    } else {
        out.bracketed(0, &open, &words, "]");
    }
    out.doc(
        0,
        &[format!("The words of `{owner}.{}`.", written(attribute))],
    );
}

impl Types<'_> {
    fn print_id(&self, id: &Id, out: &mut Printer) {
        let Id {
            type_name,
            of: (entity, attribute),
            kind,
        } = id;
        let base = scalar(kind, Side::Stored);
        out.line(
            0,
            &format!("{type_name} = NewType(\"{type_name}\", {base})"),
        );
        out.doc(
            0,
            &[format!("A value of `{entity}.{}`.", written(attribute))],
        );
    }

    fn print_entity(&self, entity: &EntityForm, out: &mut Printer) {
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
        let about = format!(
            "The entity `{name}` as it is stored, under `{}`.",
            keys.join(", ")
        );
        self.class(&types.stored, &about, (stored, Side::Stored), out);
        if !is_view {
            self.print_given(entity, out);
        }
        for copy in copies {
            let CopyForm {
                kind,
                type_name,
                change,
                fields,
            } = copy;
            let about = format!("The copy `{kind}`.");
            self.class(type_name, &about, (fields, Side::Stored), out);
            let about = format!("A change of a copy `{kind}` that a stream reports.");
            self.print_change(change, &about, type_name, out);
        }
        if let Some((fields, about)) = entity.image() {
            self.class(&types.image, &about, (&fields, Side::Stored), out);
        }
        let about = format!("A change of {} that a stream reports.", one(name));
        self.print_change(&types.change, &about, &types.image, out);
    }

    /// The class of a change, with the images of a class.
    fn print_change(&self, name: &str, about: &str, image: &str, out: &mut Printer) {
        self.open(name, about, out);
        out.gap();
        out.line(1, &format!("old: {image} | None = None"));
        out.line(1, &format!("new: {image} | None = None"));
    }

    /// What a program gives to the writes of an entity, and what they make.
    fn print_given(&self, entity: &EntityForm, out: &mut Printer) {
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
        let about = format!("The attributes of {} that is created or put.", one(name));
        self.open_given(&types.new, name, &about, out);
        self.members((new, Side::Given), out);
        if let Some(version) = version {
            let about = format!(
                "The attributes of {} that is put, and the version that is stored.",
                one(name)
            );
            let fields: Vec<Field> = new.iter().chain([version]).cloned().collect();
            self.open_given(&types.put, name, &about, out);
            self.members((&fields, Side::Given), out);
        }
        let versioned: Vec<Field> = key.iter().chain(version).cloned().collect();
        let about = format!("The key of {}.", one(name));
        self.open_given(&types.key, name, &about, out);
        self.members((&versioned, Side::Given), out);
        self.print_patch(name, &types.patch, patch, out);
        let about = format!(
            "What {} gets that is created or put: as given, or made.",
            one(name)
        );
        self.print_made(made.as_ref(), &about, out);
        let about = format!("What an update of {} sets.", one(name));
        self.print_made(touched.as_ref(), &about, out);
    }

    /// The identifiers and moments that a write makes.
    fn print_made(&self, made: Option<&MadeForm>, about: &str, out: &mut Printer) {
        if let Some(MadeForm { type_name, members }) = made {
            let fields: Vec<Field> = members.iter().map(MadeMember::shown).collect();
            self.class(type_name, about, (&fields, Side::Stored), out);
        }
    }

    /// Changes: what is unset stays as it is, and an optional attribute is removed by `None`.
    fn print_patch(&self, entity: &str, name: &str, fields: &[Field], out: &mut Printer) {
        let about = changes(entity, fields, "None");
        self.open_given_on(name, "(Changes)", entity, &about, out);
        if !fields.is_empty() {
            out.gap();
        }
        for field in fields {
            let removed = if field.optional { " | None" } else { "" };
            let text = self.text_of(&field.shape, Side::Given);
            let name = self.names.get(&field.name);
            out.line(
                1,
                &format!("{name}: {text}{removed} | typed.Unset = typed.UNSET"),
            );
        }
    }

    fn print_answer(&self, pattern: &PatternForm, out: &mut Printer) {
        let name = &pattern.name;
        match &pattern.answer {
            Answer::One { item, .. } => self.print_item(name, item, out),
            Answer::Many(many) => {
                for item in &many.items {
                    self.print_item(name, item, out);
                }
                if let Some(union) = &many.union {
                    let kinds: Vec<String> = many
                        .items
                        .iter()
                        .map(|item| item.type_name.clone())
                        .collect();
                    out.gaps();
                    out.union(union, &kinds);
                    out.doc(0, &[format!("An item of `{name}`; its class says which.")]);
                }
                if let Some(whole) = &many.whole {
                    self.print_whole(name, whole, many, out);
                }
            }
            Answer::Together {
                type_name,
                items,
                is_strong: _,
            } => {
                for (_, item, _) in items {
                    self.print_item(name, item, out);
                }
                self.open(type_name, &format!("The answer of `{name}`."), out);
                out.gap();
                for (name, item, optional) in items {
                    let (name, of) = (self.names.get(name), &item.type_name);
                    let end = if *optional { " | None" } else { "" };
                    out.line(1, &format!("{name}: {of}{end}"));
                }
            }
        }
    }

    /// The whole answer of several kinds. The runtime reads the members from its types.
    fn print_whole(&self, pattern: &str, whole: &Whole, many: &Many, out: &mut Printer) {
        let about = format!("The whole answer of `{pattern}`.");
        self.open(&whole.type_name, &about, out);
        out.gap();
        for (WholeMember { name, count }, item) in many.whole_members() {
            let (name, of) = (self.names.get(name), &item.type_name);
            let of = match count {
                Count::One => of.clone(),
                Count::Optional => format!("{of} | None"),
                Count::Many => format!("list[{of}]"),
            };
            out.line(1, &format!("{name}: {of}"));
        }
    }

    /// A type of the pattern's own.
    fn print_item(&self, pattern: &str, item: &Item, out: &mut Printer) {
        let Item {
            kind,
            type_name,
            whole: _,
            own,
        } = item;
        if let Some(fields) = own {
            let about = format!("`{kind}` as `{pattern}` returns it.");
            self.class(type_name, &about, (fields, Side::Stored), out);
        }
    }

    fn print_event(&self, out: &mut Printer) {
        let changes = self.form.entities.iter();
        let changes: Vec<String> = changes.map(|one| one.types.change.clone()).collect();
        out.gaps();
        out.union(&self.form.event, &changes);
        out.doc(
            0,
            &["A change that a stream reports; its class says of what.".to_owned()],
        );
        if let Some(name) = &self.form.event_with_copies {
            let copies = self.form.copies().map(|one| one.change.clone());
            let all: Vec<String> = [self.form.event.clone()]
                .into_iter()
                .chain(copies)
                .collect();
            out.gaps();
            out.union(name, &all);
            let about = "A change of an entity or of a copy; its class says of what.";
            out.doc(0, &[about.to_owned()]);
        }
    }

    fn open(&self, name: &str, about: &str, out: &mut Printer) {
        out.gaps();
        out.line(0, "@dataclass(frozen=True, slots=True, kw_only=True)");
        out.line(0, &format!("class {name}:"));
        out.doc(1, &[about.to_owned()]);
    }

    /// A class whose values come from the program: pydantic takes them as they are, or refuses them.
    fn open_given(&self, name: &str, of: &str, about: &str, out: &mut Printer) {
        self.open_given_on(name, "", of, about, out);
    }

    /// Begins a class that programs make. `base`: what it extends where it is checked, in parentheses.
    fn open_given_on(&self, name: &str, base: &str, of: &str, about: &str, out: &mut Printer) {
        if !self.form.settings.pydantic {
            return self.open(name, about, out);
        }
        out.gaps();
        out.line(0, &format!("@typed.checked({})", literal(of)));
        let members = ["frozen=True", "slots=True", "kw_only=True", "config=_GIVEN"];
        out.bracketed(0, "@dataclass(", &members.map(str::to_owned), ")");
        out.line(0, &format!("class {name}{base}:"));
        out.doc(1, &[about.to_owned()]);
    }

    fn class(&self, name: &str, about: &str, fields: (&[Field], Side), out: &mut Printer) {
        self.open(name, about, out);
        self.members(fields, out);
    }

    fn members(&self, (fields, side): (&[Field], Side), out: &mut Printer) {
        if !fields.is_empty() {
            out.gap();
        }
        for field in fields {
            let text = self.text_of(&field.shape, side);
            let end = if field.optional { " | None = None" } else { "" };
            let name = self.names.get(&field.name);
            out.line(1, &format!("{name}: {text}{end}"));
            if let Some(note) = &field.note {
                out.doc(1, std::slice::from_ref(note));
            }
        }
    }

    /// The type of a shape.
    pub(super) fn text_of(&self, shape: &Shape, side: Side) -> String {
        let named = |name: Option<&String>| name.cloned().unwrap_or_default();
        let form = self.form;
        let is_given = side == Side::Given;
        match shape {
            Shape::Plain(kind) => scalar(kind, side).to_owned(),
            Shape::Id(at) => named(form.ids.get(*at).map(|id| &id.type_name)),
            Shape::Choice(at) => named(form.choices.get(*at).map(|choice| &choice.type_name)),
            Shape::Word(_, word) => format!("Literal[{}]", literal(word)),
            Shape::Record(at) => named(form.records.get(*at).map(|record| &record.type_name)),
            Shape::List(of) => {
                let list = if is_given { "Sequence" } else { "list" };
                format!("{list}[{}]", self.text_of(of, side))
            }
            Shape::Map(of) => {
                let map = if is_given { "Mapping" } else { "dict" };
                format!("{map}[str, {}]", self.text_of(of, side))
            }
            Shape::Set(of) => {
                let of = self.text_of(of, side);
                if !is_given {
                    format!("frozenset[{of}]")
                } else if form.settings.pydantic {
                    // Of an abstract set it takes frozen ones only.
                    format!("set[{of}] | frozenset[{of}]")
                } else {
                    format!("AbstractSet[{of}]")
                }
            }
        }
    }
}

/// The type of a scalar.
fn scalar(kind: &Type, side: Side) -> &'static str {
    match kind {
        Type::Int => "int",
        Type::Number if side == Side::Given => "Decimal | int",
        Type::Number => "Decimal",
        Type::Bool => "bool",
        Type::Binary => "bytes",
        Type::Time(Precision::Nanos) => "str",
        Type::Time(_) => "_datetime.datetime",
        Type::Date => "_datetime.date",
        Type::String
        | Type::Period(_)
        | Type::Ulid
        | Type::Uuid
        // The others have shapes of their own.
        | Type::Words(_)
        | Type::List(_)
        | Type::Map(_)
        | Type::Set(_)
        | Type::Record(_) => "str",
    }
}
