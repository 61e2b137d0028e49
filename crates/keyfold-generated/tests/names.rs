//! Names that objects and classes of other languages have of themselves, and words of Rust: what is left
//! out is not given, and what is given is stored.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use keyfold::Keyfold;
use keyfold::typed::Patch;
use keyfold_generated::shared_language_names::{
    Inherits, InheritsId, InheritsKey, InheritsPatch, Inner, LanguageNamesClient, NewInherits,
    ToStringArguments,
};

#[test]
fn attributes_and_parameters_of_odd_names_are_stored() {
    let names = LanguageNamesClient::new(&Keyfold::memory().unwrap()).unwrap();
    let id = || InheritsId::from("r");
    let stored = || -> Inherits { names.inherits(&id()).unwrap().unwrap() };
    names.inherits.create(&NewInherits::new(id())).unwrap();
    assert_eq!((stored().self_, stored().class_), (None, None));
    let new = NewInherits {
        constructor: Some(Inner {
            self_: Some("a".to_owned()),
            class_: Some("b".to_owned()),
            ..Inner::default()
        }),
        self_: Some("c".to_owned()),
        class: Some("d".to_owned()),
        class_: Some("e".to_owned()),
        init: Some("f".to_owned()),
        ..NewInherits::new(id())
    };
    names.inherits.put(&new).unwrap();
    let found = names.self_(&id()).unwrap().unwrap();
    assert_eq!(
        (found.constructor, found.self_, found.class_, found.init),
        (new.constructor, new.self_, new.class_, new.init)
    );
    let patch = InheritsPatch {
        class: Patch::Remove,
        dict: Patch::Set("g".to_owned()),
        ..InheritsPatch::default()
    };
    names
        .inherits
        .update(&InheritsKey { id: id() }, &patch)
        .unwrap();
    let arguments = ToStringArguments {
        class_: Some("h".to_owned()),
        ..ToStringArguments::new(id())
    };
    names.to_string(&arguments).unwrap();
    let found = stored();
    assert_eq!(
        (
            found.class.as_deref(),
            found.class_.as_deref(),
            found.dict.as_deref()
        ),
        (None, Some("h"), Some("g"))
    );
}
