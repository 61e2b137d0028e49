//! The macros of generated files. They connect a struct with the names of the model; the struct itself
//! stands in the file, where editors find it.

/// An identifier: `id!(UserId: text)` or `id!(ItemId: whole i64)`.
#[doc(hidden)]
#[macro_export]
macro_rules! __typed_id {
    ($name:ident: text) => {
        impl $name {
            /// The text of the identifier.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> $name {
                $name(text.to_owned())
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        $crate::typed::id!($name: String);
    };
    ($name:ident: $of:ty) => {
        impl From<$of> for $name {
            fn from(held: $of) -> $name {
                $name(held)
            }
        }

        impl From<$name> for $of {
            fn from(held: $name) -> $of {
                held.0
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Display::fmt(&self.0, f)
            }
        }

        impl $crate::typed::Given for $name {
            fn to_value(&self) -> Result<$crate::typed::Value, $crate::typed::Fault> {
                $crate::typed::Given::to_value(&self.0)
            }
        }

        impl $crate::typed::Attribute for $name {
            fn of_value(value: $crate::typed::Value) -> Result<$name, $crate::typed::Fault> {
                <$of as $crate::typed::Attribute>::of_value(value).map($name)
            }
        }
    };
}

/// An enum of words, with the texts that are stored.
#[doc(hidden)]
#[macro_export]
macro_rules! __typed_words {
    ($name:ident { $($variant:ident = $word:literal,)* }) => {
        impl $name {
            /// All words, in the order of the model.
            pub const ALL: &[$name] = &[$($name::$variant),*];

            /// The text that is stored.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $($name::$variant => $word,)*
                }
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl ::std::str::FromStr for $name {
            type Err = $crate::typed::Fault;

            fn from_str(text: &str) -> Result<$name, $crate::typed::Fault> {
                match text {
                    $($word => Ok($name::$variant),)*
                    _ => Err($crate::typed::Fault::no_word(text, &[$($word),*])),
                }
            }
        }

        impl $crate::typed::Given for $name {
            fn to_value(&self) -> Result<$crate::typed::Value, $crate::typed::Fault> {
                $crate::typed::Given::to_value(self.as_str())
            }
        }

        impl $crate::typed::Attribute for $name {
            fn of_value(value: $crate::typed::Value) -> Result<$name, $crate::typed::Fault> {
                <String as $crate::typed::Attribute>::of_value(value)?.parse()
            }
        }
    };
}

/// An enum of the choices of optional arguments.
#[doc(hidden)]
#[macro_export]
macro_rules! __typed_choice {
    ($name:ident { $($variant:ident { $($field:ident: $parameter:literal,)* })* }) => {
        impl $crate::typed::ToMembers for $name {
            fn give_to(&self, members: &mut $crate::typed::Members) {
                match self {
                    $($name::$variant { $($field,)* } => {
                        $(members.give($parameter, $field);)*
                    })*
                }
            }
        }
    };
}

/// A struct that callers give.
#[doc(hidden)]
#[macro_export]
macro_rules! __typed_given {
    ($name:ident { $($field:ident: $attribute:literal,)* }) => {
        impl $crate::typed::ToMembers for $name {
            #[allow(unused_variables)]
            fn give_to(&self, members: &mut $crate::typed::Members) {
                $(members.give($attribute, &self.$field);)*
            }
        }
    };
}

/// A struct that callers give, and that factories make.
#[doc(hidden)]
#[macro_export]
macro_rules! __typed_fresh {
    ($name:ident { $($field:ident: $attribute:literal,)* }) => {
        $crate::typed::given!($name { $($field: $attribute,)* });

        impl $crate::typed::OfMembers for $name {
            #[allow(unused_variables)]
            fn of_members(
                held: &mut $crate::typed::Held,
            ) -> Result<$name, $crate::typed::Fault> {
                Ok($name {
                    $($field: held.take($attribute)?,)*
                })
            }
        }
    };
}

/// A struct that is read.
#[doc(hidden)]
#[macro_export]
macro_rules! __typed_stored {
    ($name:ident { $($field:ident: $attribute:literal,)* }) => {
        $crate::typed::fresh!($name { $($field: $attribute,)* });

        impl $crate::typed::Answer for $name {
            fn of_item(
                _: &str,
                mut held: $crate::typed::Held,
            ) -> Result<$name, $crate::typed::Fault> {
                $crate::typed::OfMembers::of_members(&mut held)
            }
        }
    };
}

/// A nested struct.
#[doc(hidden)]
#[macro_export]
macro_rules! __typed_record {
    ($name:ident { $($field:ident: $attribute:literal,)* }) => {
        $crate::typed::stored!($name { $($field: $attribute,)* });

        impl $crate::typed::Given for $name {
            fn to_value(&self) -> Result<$crate::typed::Value, $crate::typed::Fault> {
                $crate::typed::ToMembers::to_members(self).into_value()
            }
        }

        impl $crate::typed::Attribute for $name {
            fn of_value(
                value: $crate::typed::Value,
            ) -> Result<$name, $crate::typed::Fault> {
                let mut held = $crate::typed::Held::of_value(value)?;
                $crate::typed::OfMembers::of_members(&mut held)
            }
        }
    };
}

/// Changes of an entity.
#[doc(hidden)]
#[macro_export]
macro_rules! __typed_patch {
    ($name:ident { $($field:ident: $attribute:literal,)* }) => {
        impl $crate::typed::ToMembers for $name {
            #[allow(unused_variables)]
            fn give_to(&self, members: &mut $crate::typed::Members) {
                $($crate::typed::Changed::change(&self.$field, $attribute, members);)*
            }
        }
    };
}

/// What a write makes: for each member the method of [`Report`](crate::typed::Report) that finds it.
#[doc(hidden)]
#[macro_export]
macro_rules! __typed_made {
    ($name:ident { $($field:ident: $how:ident($($text:literal),+),)+ }) => {
        impl $crate::typed::Made for $name {
            const NAMES: &'static [&'static str] = &[$($($text,)+)+];

            fn of_report(
                report: &mut $crate::typed::Report,
            ) -> Result<$name, $crate::typed::Fault> {
                Ok($name {
                    $($field: report.$how($($text),+)?,)+
                })
            }
        }
    };
}

/// An entity with the types of its writes, and how a stored one becomes one that is put, and a key.
#[doc(hidden)]
#[macro_export]
macro_rules! __typed_entity {
    (alone $entity:ident) => {
        impl $crate::typed::Alone for $entity {}
    };
    (
        $entity:ident = $name:literal of $model:ident $($alone:ident)?;
        new $new:ident; patch $patch:ident;
        made $made:ty; touched $touched:ty;
        put $put:ident { $($field:ident,)* }
        key $key:ident { $($part:ident,)* }
    ) => {
        impl $crate::typed::Entity for $entity {
            const NAME: &'static str = $name;
            type Model = $model;
            type New = $new;
            type Put = $put;
            type Key = $key;
            type Patch = $patch;
            type Made = $made;
            type Touched = $touched;
        }

        $(
            // The word is the trait's name in small letters.
            $crate::typed::entity! { $alone $entity }
        )?

        impl From<$entity> for $put {
            #[allow(unused_variables)]
            fn from(stored: $entity) -> $put {
                $put {
                    $($field: stored.$field.into(),)*
                }
            }
        }

        impl From<&$entity> for $key {
            fn from(stored: &$entity) -> $key {
                $key {
                    $($part: stored.$part.clone().into(),)*
                }
            }
        }
    };
}

/// An enum of the kinds of an answer.
#[doc(hidden)]
#[macro_export]
macro_rules! __typed_union {
    ($name:ident { $($variant:ident($item:ident) = $kind:literal,)* }) => {
        impl $crate::typed::Answer for $name {
            fn of_item(
                kind: &str,
                held: $crate::typed::Held,
            ) -> Result<$name, $crate::typed::Fault> {
                match kind {
                    $($kind => <$item as $crate::typed::Answer>::of_item(kind, held).map($name::$variant),)*
                    _ => Err($crate::typed::unknown_kind(kind)),
                }
            }
        }
    };
}

/// An enum of the changes of a model's entities.
#[doc(hidden)]
#[macro_export]
macro_rules! __typed_events {
    ($name:ident { $($variant:ident($item:ident) = $kind:literal,)* }) => {
        impl $crate::typed::OfEvent for $name {
            fn of_event(
                kind: &str,
                old: Option<$crate::typed::Held>,
                new: Option<$crate::typed::Held>,
            ) -> Result<$name, $crate::typed::Fault> {
                match kind {
                    $($kind => $crate::typed::Change::<$item>::of_images(kind, old, new).map($name::$variant),)*
                    _ => Err($crate::typed::unknown_kind(kind)),
                }
            }
        }
    };
}

/// A struct of items by name.
#[doc(hidden)]
#[macro_export]
macro_rules! __typed_together {
    ($name:ident { $($field:ident: $how:ident $item:literal,)* }) => {
        impl $crate::typed::Together for $name {
            fn of_named(
                mut named: $crate::typed::Named,
            ) -> Result<$name, $crate::typed::Error> {
                Ok($name {
                    $($field: named.$how($item)?,)*
                })
            }
        }
    };
}

/// The struct of a pattern of several kinds, of which one has single items.
#[doc(hidden)]
#[macro_export]
macro_rules! __typed_collected {
    ($union:ident => $name:ident { $($field:ident: $how:ident $variant:ident = $kind:literal,)* }) => {
        impl $crate::typed::Collected for $union {
            type Whole = $name;
            fn collected(
                items: Vec<$union>,
            ) -> Result<$name, $crate::typed::Absent> {
                $(let mut $field = Vec::new();)*
                for item in items {
                    match item {
                        $($union::$variant(item) => $field.push(item),)*
                    }
                }
                Ok($name {
                    $($field: $crate::typed::Absent::$how($field, $kind)?,)*
                })
            }
        }
    };
}
