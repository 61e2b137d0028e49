//! Tests conditions, projections and updates on one item, by tables of cases, and that no text
//! makes a parser panic.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use keyfold_codec::RawItem;
use keyfold_expr::{Condition, ExpressionKind, KeyCondition, Placeholders, Projection, Update};
use keyfold_types::{Item, Number, Set, Value};
use proptest::prelude::*;
use std::collections::BTreeMap;

fn n(text: &str) -> Value {
    Value::n(text).unwrap()
}

fn texts(members: &[&str]) -> Value {
    Value::Ss(Set::new(members.iter().map(|text| (*text).to_owned()).collect()).unwrap())
}

/// An item with a value of every type but binary sets.
fn item() -> Item {
    let inner = BTreeMap::from([
        ("x".to_owned(), n("1")),
        ("y".to_owned(), Value::from("why")),
    ]);
    let mut item = Item::new();
    item.insert("s", "user#1");
    item.insert("num", n("10"));
    item.insert("bin", Value::B(vec![1, 2, 0xff]));
    item.insert("yes", true);
    item.insert("nil", Value::Null);
    item.insert(
        "l",
        Value::L(vec![Value::from("a"), n("2"), Value::M(inner.clone())]),
    );
    item.insert("m", Value::M(inner));
    item.insert("ss", texts(&["a", "b"]));
    item.insert(
        "ns",
        Value::Ns(Set::new(vec![Number::from(1u64), Number::from(2u64)]).unwrap()),
    );
    item
}

fn values() -> BTreeMap<String, Value> {
    let mut values: BTreeMap<String, Value> = item()
        .into_iter()
        .map(|(name, value)| (format!(":{name}"), value))
        .collect();
    for (name, value) in [
        (":two", n("2.0")),
        (":nine", n("9")),
        (":ten", n("1E1")),
        (":a", Value::from("a")),
        (":user", Value::from("user#")),
        (":USER", Value::from("USER#")),
        (":ser", Value::from("ser")),
        (":map", Value::from("M")),
        (":null", Value::from("NULL")),
        (":three", n("3")),
        (":empty", Value::from("")),
        (":b2", Value::B(vec![2])),
    ] {
        values.insert(name.to_owned(), value);
    }
    values
}

fn check(text: &str, expected: bool) {
    let (values, raw) = (values(), RawItem::encode(&item()));
    let placeholders = Placeholders::new(None, Some(&values)).unwrap();
    let condition = Condition::parse(ExpressionKind::Condition, text, &placeholders);
    let condition = condition.unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(condition.holds(Some(&raw)), expected, "{text}");
}

#[test]
fn conditions_on_an_item() {
    for (text, expected) in [
        // Comparison is by value within a type. Values of other types are unequal and have no
        // order.
        ("num = :ten", true),
        ("num = :s", false),
        ("num <> :s", true),
        ("num < :nine", false),
        ("num > :nine", true),
        ("num >= :ten AND num <= :ten", true),
        ("s > :user", true),
        ("s < :num", false),
        ("bin > :b2", false),
        ("nope = :s", false),
        ("nope <> :s", true),
        ("nope < :nine", false),
        ("m = :m", true),
        ("l = :l", true),
        ("ss = :ss", true),
        ("yes = :yes", true),
        ("nil = :nil", true),
        ("m <> :l", true),
        ("num = m.x", false),
        // BETWEEN and IN.
        ("num BETWEEN :nine AND :ten", true),
        ("num BETWEEN :two AND :nine", false),
        ("nope BETWEEN :two AND :nine", false),
        ("num IN (:s, :ten)", true),
        ("num IN (:s, :a)", false),
        ("nope IN (:s)", false),
        // Functions.
        ("attribute_exists(m.x)", true),
        ("attribute_exists(m.z)", false),
        ("attribute_exists(nil)", true),
        ("attribute_exists(s.x)", false),
        ("attribute_not_exists(l[3])", true),
        ("attribute_exists(l[2].y)", true),
        ("attribute_type(m, :map)", true),
        ("attribute_type(s, :map)", false),
        ("attribute_type(nil, :null)", true),
        ("begins_with(s, :user)", true),
        ("begins_with(s, :USER)", false),
        ("begins_with(num, :a)", false),
        ("begins_with(s, :empty)", true),
        ("contains(s, :ser)", true),
        ("contains(ss, :a)", true),
        ("contains(ns, :two)", true),
        ("contains(l, :two)", true),
        ("contains(l, :three)", false),
        ("contains(bin, :b2)", true),
        ("contains(ss, :two)", false),
        ("contains(m, :a)", false),
        ("contains(l, :m)", true),
        ("size(s) > :three", true),
        ("size(l) = :three", true),
        ("size(bin) = :three", true),
        ("size(m) = :two", true),
        ("size(num) = :two", false),
        ("size(nope) = :two", false),
        ("size(ss) = :two", true),
        // Logic: NOT before AND before OR.
        ("NOT num = :ten", false),
        ("NOT NOT num = :ten", true),
        ("NOT (num = :ten AND s = :s)", false),
        ("num = :ten OR num = :nine AND s = :a", true),
        ("(num = :ten OR num = :nine) AND s = :a", false),
        ("NOT num = :nine AND s = :s", true),
        (
            "not num = :nine and s = :s or num between :two and :nine",
            true,
        ),
    ] {
        check(text, expected);
    }
}

#[test]
fn a_missing_item_has_no_attribute() {
    let values = values();
    for (text, expected) in [
        ("attribute_not_exists(s)", true),
        ("attribute_exists(s)", false),
        ("s = :s", false),
        ("NOT s = :s", true),
        ("s <> :s", true),
    ] {
        let placeholders = Placeholders::new(None, Some(&values)).unwrap();
        let condition = Condition::parse(ExpressionKind::Condition, text, &placeholders).unwrap();
        assert_eq!(condition.holds(None), expected, "{text}");
    }
}

#[test]
fn projections_keep_the_nesting_of_chosen_parts() {
    let show = |text: &str| {
        let placeholders = Placeholders::default();
        let chosen = Projection::parse(text, &placeholders)
            .unwrap()
            .apply(&RawItem::encode(&item()))
            .to_item();
        format!("{:?}", chosen.as_map())
    };
    assert_eq!(show("num, nope"), r#"{"num": N(10)}"#);
    assert_eq!(show("m.x, s"), r#"{"m": M({"x": N(1)}), "s": S("user#1")}"#);
    assert_eq!(
        show("l[2].y, l[0]"),
        r#"{"l": L([S("a"), M({"y": S("why")})])}"#
    );
    assert_eq!(show("l[9], m.z, s.x"), "{}");
    for overlap in ["m, m.x", "l[0], l[0]", "m.x, m[0]"] {
        assert!(
            Projection::parse(overlap, &Placeholders::default())
                .unwrap_err()
                .to_string()
                .contains("Two document paths")
        );
    }
}

#[test]
fn updates_change_only_their_targets() {
    let values = values();
    let apply = |text: &str| {
        let placeholders = Placeholders::new(None, Some(&values)).unwrap();
        let mut changed = item();
        Update::parse(text, &placeholders)
            .map_err(|e| e.to_string())?
            .apply(&mut changed)
            .map_err(|e| e.to_string())?;
        let before = item();
        let names: std::collections::BTreeSet<String> = changed
            .iter()
            .chain(&before)
            .map(|(name, _)| name.clone())
            .collect();
        let differ = names
            .into_iter()
            .filter(|name| changed.get(name) != before.get(name));
        Ok::<_, String>(
            differ
                .map(|name| format!("{name}={:?}", changed.get(&name)))
                .collect::<Vec<_>>()
                .join(" "),
        )
    };
    let done =
        |text: &str, expected: &str| assert_eq!(apply(text).as_deref(), Ok(expected), "{text}");
    done("SET num = num - :nine", "num=Some(N(1))");
    done(
        "SET m.z = :a, new1 = m.x",
        r#"m=Some(M({"x": N(1), "y": S("why"), "z": S("a")})) new1=Some(N(1))"#,
    );
    done(
        "REMOVE l[0], l[1], s",
        r#"l=Some(L([M({"x": N(1), "y": S("why")})])) s=None"#,
    );
    done(
        "ADD num :two, ss :ss DELETE ns :ns",
        "ns=None num=Some(N(12))",
    );
    done(
        "SET l[7] = :a REMOVE m.nope",
        r#"l=Some(L([S("a"), N(2), M({"x": N(1), "y": S("why")}), S("a")]))"#,
    );
    done(
        "SET num = if_not_exists(nope, :two) + if_not_exists(num, :two)",
        "num=Some(N(12))",
    );
    let fails = |text: &str, part: &str| {
        let message = apply(text).unwrap_err();
        assert!(message.contains(part), "{text}: {message}");
    };
    fails("SET nope.x = :a", "invalid for update");
    fails("SET x1 = nope", "does not exist in the item");
    fails("SET x1 = s + :two", "incorrect data type");
    fails(
        "SET x1 = :a + :two",
        "operator or function: +, operand type: S",
    );
    fails("ADD s :two", "incorrect data type");
    fails("SET m = :m, m.x = :two", "overlap");
    fails("SET x1 = :a SET x2 = :a", "can only be used once");
    fails("SET x1 = list_append(:a, l)", "operand type: S");
    fails("REMOVE", "<EOF>");
}

proptest! {
    #[test]
    fn no_text_makes_a_parser_panic(text in r"[a-c#:()\[\].,=<>+ \-0-9]{0,40}|(\(|NOT |size\(|a |= |:v |AND |OR |IN |BETWEEN |SET |\)|,|begins_with\(){0,60}|.{0,60}") {
        let values = BTreeMap::from([(":v".to_owned(), Value::from("x"))]);
        let placeholders = || Placeholders::new(None, Some(&values)).unwrap();
        let raw = RawItem::encode(&item());
        if let Ok(condition) = Condition::parse(ExpressionKind::Filter, &text, &placeholders()) {
            condition.holds(Some(&raw));
        }
        if let Ok(update) = Update::parse(&text, &placeholders()) {
            assert!(update.apply(&mut item()).is_ok() || text.len() > 1);
        }
        if let Ok(projection) = Projection::parse(&text, &placeholders()) {
            projection.apply(&raw);
        }
        drop(KeyCondition::parse(&text, &placeholders()));
    }
}
