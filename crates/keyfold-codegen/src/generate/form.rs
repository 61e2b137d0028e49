//! The middle form between a model and a generated client: what a typed client offers, with the
//! names that it has in its language.

use serde_json::Value as Json;

/// What a caller chooses of a generated client.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// The program that makes the file, with its version: its header names it.
    pub generator: String,
    /// Whether numbers keep all 38 digits where the language's own number does not.
    pub exact_numbers: bool,
    /// Whether classes check the types of their attributes, with pydantic.
    pub pydantic: bool,
}

/// A typed client.
pub(super) struct Form {
    /// The model's name.
    pub(super) model: String,
    /// Its version.
    pub(super) version: u32,
    /// The hash of the plan document.
    pub(super) hash: String,
    /// The plan document.
    pub(super) plan: Json,
    /// What a caller chooses.
    pub(super) settings: Settings,
    /// The member of items that holds their kind: another one where an attribute has its name.
    pub(super) kind_member: String,
    /// The name of the client's type.
    pub(super) client: String,
    /// The name of the type of the client that awaits, where the language has two.
    pub(super) awaited_client: String,
    /// The name of the type of named writes as parts of a transaction.
    pub(super) parts: String,
    /// The name of the type of factories of entities for tests, where the language has them.
    pub(super) fakes: String,
    /// The name of the type of events.
    pub(super) event: String,
    /// The name of the type of events where those of copies are asked for; `None` without copies.
    pub(super) event_with_copies: Option<String>,
    /// Types of their own for identifiers.
    pub(super) ids: Vec<Id>,
    /// Enumerations.
    pub(super) choices: Vec<Choice>,
    /// Records.
    pub(super) records: Vec<RecordForm>,
    /// Entities.
    pub(super) entities: Vec<EntityForm>,
    /// Patterns.
    pub(super) patterns: Vec<PatternForm>,
    /// Named writes.
    pub(super) writes: Vec<WriteForm>,
}

/// A type for the values of one attribute and of all that refer to it.
pub(super) struct Id {
    /// The name of the type.
    pub(super) type_name: String,
    /// The entity and the attribute, as the model names them.
    pub(super) of: (String, String),
    /// The type of the values.
    pub(super) kind: keyfold_model::Type,
}

/// An enumeration.
pub(super) struct Choice {
    /// The name of the type.
    pub(super) type_name: String,
    /// The entity or record and the attribute that declares it.
    pub(super) of: (String, String),
    /// The words.
    pub(super) words: Vec<String>,
}

/// A nested type.
pub(super) struct RecordForm {
    /// The name of the type.
    pub(super) type_name: String,
    /// The name in the model.
    pub(super) name: String,
    /// The fields.
    pub(super) fields: Vec<Field>,
}

/// The type of a value. Positions are those of the [`Form`]'s lists.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Shape {
    /// A scalar that is no identifier and no word.
    Plain(keyfold_model::Type),
    /// An identifier.
    Id(usize),
    /// One of the words of an enumeration.
    Choice(usize),
    /// One word of an enumeration.
    Word(usize, String),
    /// A record.
    Record(usize),
    /// A list.
    List(Box<Shape>),
    /// A map.
    Map(Box<Shape>),
    /// A set.
    Set(Box<Shape>),
}

/// An attribute, a field of a record or a parameter.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Field {
    /// Its name in the model.
    pub(super) name: String,
    /// Its type.
    pub(super) shape: Shape,
    /// Whether it may be absent.
    pub(super) optional: bool,
    /// What a reader should know, in a sentence.
    pub(super) note: Option<String>,
}

/// An entity.
pub(super) struct EntityForm {
    /// The name in the model, which is its kind in answers.
    pub(super) name: String,
    /// The name of the client's member that writes it.
    pub(super) member: String,
    /// The types of it as it is stored, as it is created, as it is found, as it is changed, and
    /// of its changes in events.
    pub(super) types: EntityTypes,
    /// The attributes of a stored one.
    pub(super) stored: Vec<Field>,
    /// The attributes of a new one.
    pub(super) new: Vec<Field>,
    /// The attributes that identify it: those of its key, or of its `id`.
    pub(super) key: Vec<Field>,
    /// The attributes that an update changes; an optional one can be removed.
    pub(super) patch: Vec<Field>,
    /// The attribute that counts its versions.
    pub(super) version: Option<Field>,
    /// Its copies.
    pub(super) copies: Vec<CopyForm>,
    /// Its key in words.
    pub(super) keys: Vec<String>,
    /// Whether batches write it: nothing follows from it.
    pub(super) is_alone: bool,
    /// Whether it is a view, which nobody writes.
    pub(super) is_view: bool,
    /// The list that is stored in several items.
    pub(super) split: Option<String>,
    /// What is made for a new one.
    pub(super) made: Option<MadeForm>,
    /// What each update sets.
    pub(super) touched: Option<MadeForm>,
}

impl Form {
    /// The entities that programs write: all but views.
    pub(super) fn written(&self) -> impl Iterator<Item = &EntityForm> {
        self.entities.iter().filter(|entity| !entity.is_view)
    }

    /// The copies of all entities.
    pub(super) fn copies(&self) -> impl Iterator<Item = &CopyForm> {
        self.entities.iter().flat_map(|entity| &entity.copies)
    }
}

impl EntityForm {
    /// The attributes of the entity as a stream record shows it, and a sentence about them; `None`
    /// where that is all of them. No record has all of a list that is stored in several items.
    pub(super) fn image(&self) -> Option<(Vec<Field>, String)> {
        let list = self.split.as_ref()?;
        let fields = self.stored.iter().map(|field| Field {
            optional: field.optional || field.name == *list,
            ..field.clone()
        });
        let about = format!(
            "The entity `{}` as a stream record shows it: `{list}` only where one item holds all of it.",
            self.name
        );
        Some((fields.collect(), about))
    }
}

/// The identifiers and moments that a write makes.
pub(super) struct MadeForm {
    /// The name of the type.
    pub(super) type_name: String,
    /// The values.
    pub(super) members: Vec<MadeMember>,
}

/// An identifier or moment that a write makes, where the caller does not give it.
pub(super) struct MadeMember {
    /// Its name and type; optional where it may neither be made nor given.
    pub(super) field: Field,
    /// The entity, and the attribute behind the action's alias, by which a write reports it.
    pub(super) entity: String,
    pub(super) attribute: String,
    /// The parameter with a list, for each element of which it is made.
    pub(super) each: Option<String>,
    /// Where the caller may give it.
    pub(super) given: Given,
    /// The argument by which the caller may give it, where that has another name.
    pub(super) argument: Option<String>,
}

impl MadeMember {
    /// It as a member of the type: a list where it is made for each element.
    pub(super) fn shown(&self) -> Field {
        let shape = self.field.shape.clone();
        Field {
            shape: match self.each {
                Some(_) => Shape::List(Box::new(shape)),
                None => shape,
            },
            ..self.field.clone()
        }
    }
}

impl Given {
    /// Its word in generated files.
    pub(super) fn word(self) -> &'static str {
        match self {
            Given::Argument => "argument",
            Given::Element => "element",
            Given::Never => "never",
        }
    }
}

/// Where a caller may give a value that a write makes otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Given {
    /// As the argument of its name.
    Argument,
    /// As the field of its name of an element.
    Element,
    /// Nowhere.
    Never,
}

/// The names of an entity's types.
pub(super) struct EntityTypes {
    pub(super) stored: String,
    pub(super) new: String,
    pub(super) key: String,
    pub(super) patch: String,
    pub(super) change: String,
    /// As a stream record shows it: `stored`, where that is all of it.
    pub(super) image: String,
    /// As it is put: of a versioned entity, with the version that must be stored.
    pub(super) put: String,
}

/// A copy of an entity.
pub(super) struct CopyForm {
    /// Its kind in answers: `Order.summary`.
    pub(super) kind: String,
    /// The name of its type.
    pub(super) type_name: String,
    /// The name of the type of its changes in events, where the language has one for each kind.
    pub(super) change: String,
    /// Its attributes.
    pub(super) fields: Vec<Field>,
}

/// A pattern.
pub(super) struct PatternForm {
    /// The name in the model.
    pub(super) name: String,
    /// The name of the method.
    pub(super) method: String,
    /// The name of the type of its arguments.
    pub(super) arguments_type: String,
    /// The name of the type of the choices of optional parameters that go together, where there are
    /// several such parameters.
    pub(super) choice_type: Option<String>,
    /// Its parameters. Of the optional ones that limit an attribute, each needs those before it.
    pub(super) parameters: Vec<Parameter>,
    /// Its answer.
    pub(super) answer: Answer,
    /// The promise in the model's language, and how it is read, a line each.
    pub(super) about: Vec<String>,
}

impl PatternForm {
    /// The optional parameters of which each needs those before it, in their order.
    pub(super) fn chained(&self) -> impl Iterator<Item = &Field> {
        let chained = self.parameters.iter().filter(|one| one.is_chained);
        chained.map(|one| &one.field)
    }
}

/// A parameter of a pattern.
pub(super) struct Parameter {
    /// Its name and type.
    pub(super) field: Field,
    /// Whether an argument needs those of the optional parameters before it.
    pub(super) is_chained: bool,
}

/// The answer of a pattern.
pub(super) enum Answer {
    /// At most one item.
    One {
        /// Its kind.
        item: Item,
        /// Whether it may be absent.
        optional: bool,
        /// Whether it can be read with strong consistency.
        is_strong: bool,
    },
    /// Any number of items.
    Many(Many),
    /// Items by name.
    Together {
        /// The name of the type of the answer.
        type_name: String,
        /// The items with their names, and whether each may be absent.
        items: Vec<(String, Item, bool)>,
        /// Whether they can be read with strong consistency.
        is_strong: bool,
    },
}

impl Answer {
    /// Whether it can be read with strong consistency.
    pub(super) fn is_strong(&self) -> bool {
        match self {
            Answer::One { is_strong, .. } | Answer::Together { is_strong, .. } => *is_strong,
            Answer::Many(many) => many.is_strong,
        }
    }
}

/// Any number of items.
pub(super) struct Many {
    /// The kinds of items.
    pub(super) items: Vec<Item>,
    /// The name of the type of all kinds together, where there are several.
    pub(super) union: Option<String>,
    /// Whether they come in an order of their keys, which can be turned round.
    pub(super) is_ordered: bool,
    /// Whether they can be read with strong consistency.
    pub(super) is_strong: bool,
    /// All of them by kind, where some kind has one item at most.
    pub(super) whole: Option<Whole>,
}

/// The answer of a pattern of several kinds, of which one has single items: `Order + OrderItem[]`.
pub(super) struct Whole {
    /// The name of its type.
    pub(super) type_name: String,
    /// Its members, in the order of [`Many::items`].
    pub(super) members: Vec<WholeMember>,
}

/// The items of a kind.
pub(super) struct WholeMember {
    /// Its name, as of an attribute of the model.
    pub(super) name: String,
    /// How many there are.
    pub(super) count: Count,
}

/// The number of a kind's items in an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Count {
    /// One.
    One,
    /// One, or none.
    Optional,
    /// Any number.
    Many,
}

impl Count {
    /// Its word in generated files.
    pub(super) fn word(self) -> &'static str {
        match self {
            Count::One => "one",
            Count::Optional => "optional",
            Count::Many => "many",
        }
    }
}

impl Many {
    /// The members of the whole answer with their kinds.
    pub(super) fn whole_members(&self) -> impl Iterator<Item = (&WholeMember, &Item)> {
        let members = self.whole.iter().flat_map(|whole| &whole.members);
        members.zip(&self.items)
    }
}

/// A kind of item in an answer.
pub(super) struct Item {
    /// The kind's name in answers.
    pub(super) kind: String,
    /// The name of its type.
    pub(super) type_name: String,
    /// The name of the type of the entity or copy.
    pub(super) whole: String,
    /// The attributes, where they are other than those of the entity or copy; then the type is the
    /// pattern's own.
    pub(super) own: Option<Vec<Field>>,
}

impl Form {
    /// What writes make, with the keys by which a generated file finds it.
    pub(super) fn made(&self) -> impl Iterator<Item = (String, &MadeForm)> {
        let entities = self.entities.iter().flat_map(|entity| {
            let made = entity.made.as_ref().map(|made| ("create", made));
            let touched = entity.touched.as_ref().map(|made| ("update", made));
            let both = made.into_iter().chain(touched);
            both.map(|(verb, made)| (format!("{verb} {}", entity.name), made))
        });
        let writes = self.writes.iter();
        let writes = writes.filter_map(|one| Some((one.name.clone(), one.made.as_ref()?)));
        entities.chain(writes)
    }
}

/// A named write.
pub(super) struct WriteForm {
    /// The name in the model.
    pub(super) name: String,
    /// The name of the method.
    pub(super) method: String,
    /// The name of the type of its arguments.
    pub(super) arguments_type: String,
    /// Its parameters.
    pub(super) parameters: Vec<Field>,
    /// What it makes.
    pub(super) made: Option<MadeForm>,
    /// Its actions and requests, a line each.
    pub(super) about: Vec<String>,
}

/// How a language spells and reserves names.
pub(super) struct Spelling {
    /// Words that no type can have.
    pub(super) types: &'static [&'static str],
    /// The spelling of a type that is wanted by a name, where the language has one.
    pub(super) type_name: Option<fn(String) -> String>,
    /// Words that no method can have.
    pub(super) methods: &'static [&'static str],
    /// The spelling of a method.
    pub(super) method: fn(&str) -> String,
}
