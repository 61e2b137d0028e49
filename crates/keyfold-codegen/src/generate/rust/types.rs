//! The types of a generated file: identifiers, enumerations, records, entities, answers.

use super::choice;
use super::names::type_name;
use super::print::{Printer, literal};
use crate::generate::attributes::AttributeNames;
use crate::generate::form::{
    Answer, CopyForm, Count, EntityForm, Field, Form, Id, Item, MadeForm, MadeMember, Many,
    PatternForm, RecordForm, Shape, Whole, WholeMember,
};
use crate::generate::names::{Names, pascal};
use crate::generate::sentence::{changes, one};
use keyfold_model::{Type, written};

/// What the types of a file are made of.
pub(super) struct Types<'f> {
    pub(super) form: &'f Form,
    pub(super) names: &'f AttributeNames,
}

/// The most required members that a constructor takes.
const CONSTRUCTOR_MAX: usize = 7;
/// The traits of all structs.
const DERIVED: &str = "Debug, Clone, PartialEq, Eq";

/// A struct: its name, its doc comment, and what its members are called there.
pub(super) struct Class<'c> {
    pub(super) name: &'c str,
    pub(super) about: &'c str,
    pub(super) member: &'c str,
}

impl<'c> Class<'c> {
    fn of_attributes(name: &'c str, about: &'c str) -> Class<'c> {
        Class {
            name,
            about,
            member: "attribute",
        }
    }
}

/// The types of a form's values.
pub(super) fn print(form: &Form, names: &AttributeNames, out: &mut Printer) {
    let types = Types { form, names };
    for id in &form.ids {
        types.print_id(id, out);
    }
    for choice in &form.choices {
        choice::print(choice, out);
    }
    for record in &form.records {
        let RecordForm {
            type_name,
            name,
            fields,
        } = record;
        let class = Class {
            name: type_name,
            about: &format!("The record `{name}`."),
            member: "field",
        };
        types.print_struct(&class, fields, out);
        types.print_table("record", type_name, fields, out);
    }
    for entity in &form.entities {
        types.print_entity(entity, out);
    }
    for pattern in &form.patterns {
        types.print_answer(pattern, out);
    }
    types.print_events(out);
}

/// A kind of change.
struct Changed<'f> {
    /// The entity, or `Entity.copy`.
    kind: &'f str,
    /// The wanted name of its variant.
    variant: String,
    /// The type of its images.
    image: &'f str,
    /// A sentence about it.
    about: String,
}

/// An enum of changes.
fn print_event(name: &str, about: &str, all: &[Changed<'_>], out: &mut Printer) {
    let mut names = Names::without(&["Self"]).spelled(Some(type_name));
    let variants: Vec<String> = all
        .iter()
        .map(|one| names.take(one.variant.clone()))
        .collect();
    out.gap();
    out.doc(0, &[about.to_owned()]);
    out.line(0, &format!("#[derive({DERIVED})]"));
    out.line(
        0,
        "#[allow(clippy::enum_variant_names, clippy::large_enum_variant)]",
    );
    out.line(0, &format!("pub enum {name} {{"));
    for (one, variant) in all.iter().zip(&variants) {
        out.doc(1, std::slice::from_ref(&one.about));
        out.line(1, &format!("{variant}(typed::Change<{}>),", one.image));
    }
    out.line(0, "}");
    let rows = all
        .iter()
        .zip(&variants)
        .map(|(one, variant)| format!("{variant}({}) = {},", one.image, literal(one.kind)));
    out.gap();
    let open = format!("typed::events! {{ {name} {{");
    out.table(&open, &rows.collect::<Vec<_>>(), "} }");
}

impl Types<'_> {
    fn print_id(&self, id: &Id, out: &mut Printer) {
        let Id {
            type_name,
            of: (entity, attribute),
            kind,
        } = id;
        let (held, table) = match self.scalar(kind) {
            "String" => ("String", "text"),
            whole => (whole, whole),
        };
        let copy = if held == "String" { "" } else { "Copy, " };
        out.gap();
        out.doc(
            0,
            &[format!("A value of `{entity}.{}`.", written(attribute))],
        );
        out.line(
            0,
            &format!("#[derive(Debug, Clone, {copy}PartialEq, Eq, PartialOrd, Ord, Hash)]"),
        );
        out.line(0, &format!("pub struct {type_name}({held});"));
        out.gap();
        out.line(0, &format!("typed::id! {{ {type_name}: {table} }}"));
    }

    fn print_entity(&self, entity: &EntityForm, out: &mut Printer) {
        let about = format!(
            "The entity `{}` as it is stored, under `{}`.",
            entity.name,
            entity.keys.join(", ")
        );
        self.print_stored(&entity.types.stored, &about, &entity.stored, out);
        if !entity.is_view {
            self.print_writes(entity, out);
        }
        for copy in &entity.copies {
            let CopyForm {
                kind,
                type_name,
                change: _,
                fields,
            } = copy;
            self.print_stored(type_name, &format!("The copy `{kind}`."), fields, out);
        }
    }

    /// What a program gives to the writes of an entity, and what they make.
    fn print_writes(&self, entity: &EntityForm, out: &mut Printer) {
        let EntityForm {
            name,
            member: _,
            types,
            stored: _,
            new,
            key,
            patch,
            version,
            copies: _,
            keys: _,
            is_alone,
            is_view: _,
            made,
            touched,
            split: _,
        } = entity;
        let put = if version.is_some() { "" } else { " or put" };
        let an = one(name);
        let about = format!("The attributes of {an} that is created{put}.");
        self.print_fresh(&Class::of_attributes(&types.new, &about), new, out);
        let whole: Vec<Field> = new.iter().chain(version).cloned().collect();
        if version.is_some() {
            let about =
                format!("The attributes of {an} that is put, and the version that is stored.");
            self.print_given(&Class::of_attributes(&types.put, &about), &whole, out);
        }
        let versioned: Vec<Field> = key.iter().chain(version).cloned().collect();
        let about = format!("The key of {an}.");
        self.print_given(&Class::of_attributes(&types.key, &about), &versioned, out);
        self.print_patch(entity, patch, out);
        let about = format!("What {an} gets that is created or put: as given, or made.");
        self.print_made(made.as_ref(), &about, out);
        let about = format!("What an update of {an} sets.");
        self.print_made(touched.as_ref(), &about, out);
        let alone = if *is_alone { " alone" } else { "" };
        let rows = [
            format!(
                "{} = {} of {}{alone};",
                types.stored,
                literal(name),
                self.form.parts
            ),
            format!("new {}; patch {};", types.new, types.patch),
            format!(
                "made {}; touched {};",
                made_type(made.as_ref()),
                made_type(touched.as_ref())
            ),
            format!("put {} {{ {} }}", types.put, self.listed(&whole)),
            format!("key {} {{ {} }}", types.key, self.listed(&versioned)),
        ];
        out.gap();
        out.table("typed::entity! {", &rows, "}");
    }

    /// The struct of the identifiers and moments that a write makes.
    pub(super) fn print_made(&self, made: Option<&MadeForm>, about: &str, out: &mut Printer) {
        let Some(MadeForm { type_name, members }) = made else {
            return;
        };
        let class = Class {
            name: type_name,
            about,
            member: "value",
        };
        let fields: Vec<Field> = members.iter().map(MadeMember::shown).collect();
        self.print_struct(&class, &fields, out);
        let rows: Vec<String> = members.iter().map(|one| self.made_row(one)).collect();
        out.gap();
        out.table(&format!("typed::made! {{ {type_name} {{"), &rows, "} }");
    }

    /// The name of a member, and how a report has it.
    fn made_row(&self, member: &MadeMember) -> String {
        let MadeMember {
            field,
            entity,
            attribute,
            each,
            given,
            argument,
        } = member;
        let texts = [
            Some(entity),
            Some(attribute),
            each.as_ref(),
            argument.as_ref(),
        ];
        let texts = texts.into_iter().flatten().map(|text| literal(text));
        let texts: Vec<String> = texts.collect();
        let start = if each.is_some() { "each_" } else { "" };
        let word = if argument.is_some() {
            "moment"
        } else {
            given.word()
        };
        let name = self.names.get(&field.name);
        format!("{name}: {start}{word}({}),", texts.join(", "))
    }

    /// The enum of all changes, and the one that has those of copies, too.
    fn print_events(&self, out: &mut Printer) {
        let Form {
            event,
            event_with_copies,
            entities,
            ..
        } = self.form;
        for entity in entities {
            self.print_image(entity, out);
        }
        let of_entities = entities.iter().map(|entity| Changed {
            kind: &entity.name,
            variant: pascal(&entity.name),
            image: &entity.types.image,
            about: format!("A change of {}.", one(&entity.name)),
        });
        let mut all: Vec<Changed<'_>> = of_entities.collect();
        let about = "A change of an entity, from a stream record.";
        print_event(event, about, &all, out);
        let Some(name) = event_with_copies else {
            return;
        };
        all.extend(self.form.copies().map(|copy| Changed {
            kind: &copy.kind,
            variant: copy.type_name.clone(),
            image: &copy.type_name,
            about: format!("A change of a copy `{}`.", copy.kind),
        }));
        let about = "A change of an entity or of a copy, from a stream record.";
        print_event(name, about, &all, out);
    }

    /// An entity as a stream record shows it, where that is not all of it.
    fn print_image(&self, entity: &EntityForm, out: &mut Printer) {
        if let Some((fields, about)) = entity.image() {
            self.print_stored(&entity.types.image, &about, &fields, out);
        }
    }

    /// A struct that is read.
    fn print_stored(&self, name: &str, about: &str, fields: &[Field], out: &mut Printer) {
        self.print_struct(&Class::of_attributes(name, about), fields, out);
        self.print_table("stored", name, fields, out);
    }

    /// The names of members, each with a comma.
    fn listed(&self, fields: &[Field]) -> String {
        let names = fields
            .iter()
            .map(|field| format!("{},", self.names.get(&field.name)));
        names.collect::<Vec<_>>().join(" ")
    }

    /// A struct that callers give, with a constructor where that spares them something.
    pub(super) fn print_given(&self, class: &Class<'_>, fields: &[Field], out: &mut Printer) {
        self.print_written(class, fields, "given", out);
    }

    /// The same of a struct that factories make, too.
    fn print_fresh(&self, class: &Class<'_>, fields: &[Field], out: &mut Printer) {
        self.print_written(class, fields, "fresh", out);
    }

    fn print_written(&self, class: &Class<'_>, fields: &[Field], table: &str, out: &mut Printer) {
        self.print_struct(class, fields, out);
        let required: Vec<&Field> = fields.iter().filter(|field| !field.optional).collect();
        if required.len() < fields.len() && (1..=CONSTRUCTOR_MAX).contains(&required.len()) {
            self.print_constructor(class.name, fields, out);
        }
        self.print_table(table, class.name, fields, out);
    }

    fn print_constructor(&self, name: &str, fields: &[Field], out: &mut Printer) {
        let required = fields.iter().filter(|field| !field.optional);
        let parameters = required.map(|field| {
            format!(
                "{}: {}",
                self.names.get(&field.name),
                self.stored_type(&field.shape)
            )
        });
        let members = fields.iter().map(|field| {
            let name = self.names.get(&field.name);
            if field.optional {
                format!("{name}: None")
            } else {
                name.to_owned()
            }
        });
        out.gap();
        out.line(0, &format!("impl {name} {{"));
        out.doc(
            1,
            &["One with what must be given, and nothing else.".to_owned()],
        );
        out.open_fn(
            1,
            ("pub fn new", &format!(" -> {name} {{")),
            &parameters.collect::<Vec<_>>(),
        );
        out.literal(2, (name, ""), &members.collect::<Vec<_>>());
        out.line(1, "}");
        out.line(0, "}");
    }

    fn print_patch(&self, entity: &EntityForm, fields: &[Field], out: &mut Printer) {
        let name = &entity.types.patch;
        out.gap();
        let about = changes(&entity.name, fields, "Patch::Remove");
        out.doc(0, &[about]);
        out.line(0, &format!("#[derive({DERIVED}, Default)]"));
        let members = fields.iter().map(|field| {
            let of = self.stored_type(&field.shape);
            let held = if field.optional {
                format!("typed::Patch<{of}>")
            } else {
                format!("Option<{of}>")
            };
            (field, held)
        });
        self.print_members(name, "attribute", &members.collect::<Vec<_>>(), out);
        self.print_table("patch", name, fields, out);
    }

    fn print_answer(&self, pattern: &PatternForm, out: &mut Printer) {
        match &pattern.answer {
            Answer::One { item, .. } => self.print_item(&pattern.name, item, out),
            Answer::Many(many) => self.print_many(&pattern.name, many, out),
            Answer::Together {
                type_name,
                items,
                is_strong: _,
            } => {
                for (_, item, _) in items {
                    self.print_item(&pattern.name, item, out);
                }
                out.gap();
                out.doc(0, &[format!("The answer of `{}`.", pattern.name)]);
                out.line(0, &format!("#[derive({DERIVED})]"));
                out.line(0, &format!("pub struct {type_name} {{"));
                for (name, item, optional) in items {
                    let of = self.item_type(item);
                    let of = if *optional {
                        format!("Option<{of}>")
                    } else {
                        of.to_owned()
                    };
                    out.doc(1, &[format!("The item `{name}`.")]);
                    out.line(1, &format!("pub {}: {of},", self.names.get(name)));
                }
                out.line(0, "}");
                let rows = items.iter().map(|(name, _, optional)| {
                    let how = if *optional { "optional" } else { "required" };
                    format!("{}: {how} {},", self.names.get(name), literal(name))
                });
                out.gap();
                out.table(
                    &format!("typed::together! {{ {type_name} {{"),
                    &rows.collect::<Vec<_>>(),
                    "} }",
                );
            }
        }
    }

    fn print_many(&self, pattern: &str, many: &Many, out: &mut Printer) {
        for item in &many.items {
            self.print_item(pattern, item, out);
        }
        let Some(union) = &many.union else {
            return;
        };
        let mut names = Names::without(&["Self"]).spelled(Some(type_name));
        let variants: Vec<String> = many
            .items
            .iter()
            .map(|item| names.take(pascal(&item.kind)))
            .collect();
        out.gap();
        out.doc(0, &[format!("An item of `{pattern}`.")]);
        out.line(0, &format!("#[derive({DERIVED})]"));
        out.line(
            0,
            "#[allow(clippy::enum_variant_names, clippy::large_enum_variant)]",
        );
        out.line(0, &format!("pub enum {union} {{"));
        for (item, variant) in many.items.iter().zip(&variants) {
            out.doc(1, &[format!("{}.", capital(&one(&item.kind)))]);
            out.line(1, &format!("{variant}({}),", self.item_type(item)));
        }
        out.line(0, "}");
        let rows = many.items.iter().zip(&variants).map(|(item, variant)| {
            format!(
                "{variant}({}) = {},",
                self.item_type(item),
                literal(&item.kind)
            )
        });
        out.gap();
        out.table(
            &format!("typed::union! {{ {union} {{"),
            &rows.collect::<Vec<_>>(),
            "} }",
        );
        if let Some(whole) = &many.whole {
            self.print_whole(pattern, whole, (many, union, &variants), out);
        }
    }

    /// The whole answer of several kinds.
    fn print_whole(
        &self,
        pattern: &str,
        whole: &Whole,
        (many, union, variants): (&Many, &str, &[String]),
        out: &mut Printer,
    ) {
        let Whole {
            type_name,
            members: _,
        } = whole;
        out.gap();
        out.doc(0, &[format!("The whole answer of `{pattern}`.")]);
        out.line(0, &format!("#[derive({DERIVED})]"));
        out.line(0, &format!("pub struct {type_name} {{"));
        for (WholeMember { name, count }, item) in many.whole_members() {
            let of = self.item_type(item);
            let of = match count {
                Count::One => of.to_owned(),
                Count::Optional => format!("Option<{of}>"),
                Count::Many => format!("Vec<{of}>"),
            };
            let items = if *count == Count::Many {
                "items"
            } else {
                "item"
            };
            out.doc(1, &[format!("The {items} `{}`.", item.kind)]);
            out.line(1, &format!("pub {}: {of},", self.names.get(name)));
        }
        out.line(0, "}");
        let rows = many.whole_members().zip(variants);
        let rows = rows.map(|((WholeMember { name, count }, item), variant)| {
            let (name, count) = (self.names.get(name), count.word());
            format!("{name}: {count} {variant} = {},", literal(&item.kind))
        });
        out.gap();
        out.table(
            &format!("typed::collected! {{ {union} => {type_name} {{"),
            &rows.collect::<Vec<_>>(),
            "} }",
        );
    }

    /// A type of the pattern's own.
    fn print_item(&self, pattern: &str, item: &Item, out: &mut Printer) {
        if let Some(fields) = self.own_fields(item) {
            let about = format!("`{}` as `{pattern}` returns it.", item.kind);
            self.print_stored(&item.type_name, &about, fields, out);
        }
    }

    /// The attributes of an item whose type is the pattern's own. An attribute that has one word only
    /// is of the type of all words.
    fn own_fields<'i>(&self, item: &'i Item) -> Option<&'i [Field]> {
        let own = item.own.as_ref()?;
        let entities = self.form.entities.iter();
        let stored = entities
            .clone()
            .map(|entity| (&entity.types.stored, &entity.stored));
        let copies = entities.flat_map(|entity| &entity.copies);
        let copies = copies.map(|copy| (&copy.type_name, &copy.fields));
        let whole = stored.chain(copies).find(|(name, _)| **name == item.whole);
        let (_, whole) = whole?;
        let is_same = |one: &Field, other: &Field| {
            one.name == other.name
                && one.optional == other.optional
                && self.stored_type(&one.shape) == self.stored_type(&other.shape)
        };
        let all_same = own.len() == whole.len()
            && own
                .iter()
                .zip(whole)
                .all(|(one, other)| is_same(one, other));
        (!all_same).then_some(own.as_slice())
    }

    /// The name of the type of an item.
    pub(super) fn item_type<'i>(&self, item: &'i Item) -> &'i str {
        if self.own_fields(item).is_some() {
            &item.type_name
        } else {
            &item.whole
        }
    }

    fn print_struct(&self, class: &Class<'_>, fields: &[Field], out: &mut Printer) {
        out.gap();
        out.doc(0, &[class.about.to_owned()]);
        let is_default = !fields.is_empty() && fields.iter().all(|field| field.optional);
        let default = if is_default { ", Default" } else { "" };
        out.line(0, &format!("#[derive({DERIVED}{default})]"));
        let members = fields.iter().map(|field| {
            let of = self.stored_type(&field.shape);
            let held = if field.optional {
                format!("Option<{of}>")
            } else {
                of
            };
            (field, held)
        });
        self.print_members(class.name, class.member, &members.collect::<Vec<_>>(), out);
    }

    fn print_members(
        &self,
        name: &str,
        word: &str,
        members: &[(&Field, String)],
        out: &mut Printer,
    ) {
        if members.is_empty() {
            out.line(0, &format!("pub struct {name} {{}}"));
            return;
        }
        out.line(0, &format!("pub struct {name} {{"));
        for (field, of) in members {
            let note = field
                .note
                .as_ref()
                .map_or(String::new(), |note| format!(" {note}"));
            out.doc(1, &[format!("The {word} `{}`.{note}", field.name)]);
            out.line(1, &format!("pub {}: {of},", self.names.get(&field.name)));
        }
        out.line(0, "}");
    }

    /// The names of the model for the members of a struct.
    fn print_table(&self, table: &str, name: &str, fields: &[Field], out: &mut Printer) {
        let rows = fields
            .iter()
            .map(|field| format!("{}: {},", self.names.get(&field.name), literal(&field.name)));
        out.gap();
        out.table(
            &format!("typed::{table}! {{ {name} {{"),
            &rows.collect::<Vec<_>>(),
            "} }",
        );
    }

    /// The type of a value that a struct holds.
    pub(super) fn stored_type(&self, shape: &Shape) -> String {
        match shape {
            Shape::Plain(kind) => self.scalar(kind).to_owned(),
            Shape::Id(at) => name_of(self.form.ids.get(*at).map(|id| &id.type_name)),
            Shape::Choice(at) | Shape::Word(at, _) => {
                name_of(self.form.choices.get(*at).map(|choice| &choice.type_name))
            }
            Shape::Record(at) => {
                name_of(self.form.records.get(*at).map(|record| &record.type_name))
            }
            Shape::List(of) => format!("Vec<{}>", self.stored_type(of)),
            Shape::Map(of) => format!("typed::Map<{}>", self.stored_type(of)),
            Shape::Set(of) => format!("typed::Set<{}>", self.stored_type(of)),
        }
    }

    /// The type of a parameter.
    pub(super) fn given_type(&self, shape: &Shape) -> String {
        let held = self.stored_type(shape);
        match shape {
            Shape::Plain(kind) => match self.scalar(kind) {
                "String" => "&str".to_owned(),
                "Vec<u8>" => "&[u8]".to_owned(),
                copied => copied.to_owned(),
            },
            Shape::Id(at) => {
                let kind = self.form.ids.get(*at).map(|id| self.scalar(&id.kind));
                if kind == Some("String") {
                    format!("&{held}")
                } else {
                    held
                }
            }
            Shape::Choice(_) | Shape::Word(..) => held,
            Shape::Record(_) | Shape::Map(_) | Shape::Set(_) => format!("&{held}"),
            Shape::List(of) => format!("&[{}]", self.stored_type(of)),
        }
    }

    /// The type of a scalar.
    fn scalar(&self, kind: &Type) -> &'static str {
        match kind {
            Type::Int if self.form.settings.exact_numbers => "i128",
            Type::Int => "i64",
            Type::Number => "typed::Number",
            Type::Bool => "bool",
            Type::Binary => "Vec<u8>",
            Type::Time(_) => "typed::Timestamp",
            Type::Date => "typed::Date",
            Type::String
            | Type::Period(_)
            | Type::Ulid
            | Type::Uuid
            // The others have shapes of their own.
            | Type::Words(_)
            | Type::List(_)
            | Type::Map(_)
            | Type::Set(_)
            | Type::Record(_) => "String",
        }
    }
}

/// The type of what a write makes.
pub(super) fn made_type(made: Option<&MadeForm>) -> &str {
    made.map_or("()", |made| &made.type_name)
}

/// A sentence with a capital first letter.
pub(super) fn capital(sentence: &str) -> String {
    let mut chars = sentence.chars();
    let first = chars.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(chars).collect()
}

fn name_of(name: Option<&String>) -> String {
    name.cloned().unwrap_or_default()
}
