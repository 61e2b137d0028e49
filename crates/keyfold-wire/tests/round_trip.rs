//! Encoded requests and items decode to equal values, and the decoder does not panic on any bytes.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use keyfold_api::{
    ExpressionAttributes, Operation, PutItemInput, QueryInput, Request, ReturnValue, TransactPut,
    TransactWriteItem, TransactWriteItemsInput,
};
use keyfold_codec::RawItem;
use keyfold_types::{Item, Number, Set, Value};
use keyfold_wire::client::{decode_item, encode_request};
use keyfold_wire::encode::{encode_item, encode_raw_item};
use proptest::prelude::*;

fn any_value() -> impl Strategy<Value = Value> {
    let number = (any::<bool>(), 0u128..10u128.pow(38), -130i32..=80)
        .prop_filter_map("in range", |(sign, digits, exponent)| {
            Number::new(sign, digits, exponent).ok()
        });
    let leaf = prop_oneof![
        ".{0,8}".prop_map(Value::S),
        number.prop_map(Value::N),
        proptest::collection::vec(any::<u8>(), 0..8).prop_map(Value::B),
        any::<bool>().prop_map(Value::Bool),
        Just(Value::Null),
        proptest::collection::btree_set(".{0,4}", 1..4)
            .prop_map(|set| Value::Ss(Set::new(set.into_iter().collect()).unwrap())),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::L),
            proptest::collection::btree_map(".{0,4}", inner, 0..4).prop_map(Value::M),
        ]
    })
}

fn any_item() -> impl Strategy<Value = Item> {
    proptest::collection::btree_map(".{1,5}", any_value(), 0..6).prop_map(Item::from)
}

fn round_trip(request: &Request) -> Request {
    let mut body = Vec::new();
    encode_request(&mut body, request);
    keyfold_wire::decode(request.operation(), &body).unwrap()
}

proptest! {
    #[test]
    fn items_survive_both_encoders(item in any_item()) {
        let (mut tree, mut raw) = (Vec::new(), Vec::new());
        encode_item(&mut tree, &item);
        encode_raw_item(&mut raw, &RawItem::encode(&item));
        prop_assert_eq!(&tree, &raw);
        prop_assert_eq!(decode_item(&tree).unwrap(), item);
    }

    #[test]
    fn requests_survive_a_round_trip(item in any_item(), text in ".{0,20}", limit in proptest::option::of(1i64..1000)) {
        let placeholders = ExpressionAttributes::default().name("#n", &text).value(":v", text.as_str());
        let put: Request = PutItemInput {
            table_name: Some(text.clone()),
            item: Some(Ok(item.clone())),
            condition_expression: Some(text.clone()),
            expression_attributes: placeholders.clone(),
            return_values: Some(ReturnValue::AllOld.into()),
            ..PutItemInput::default()
        }.into();
        prop_assert_eq!(round_trip(&put), put);
        let query: Request = QueryInput {
            table_name: Some(text.clone()),
            limit,
            scan_index_forward: Some(false),
            exclusive_start_key: Some(Ok(item.clone())),
            expression_attributes: placeholders,
            ..QueryInput::default()
        }.into();
        prop_assert_eq!(round_trip(&query), query);
        let put = TransactPut { table_name: Some(text), item: Some(Ok(item)), ..TransactPut::default() };
        let action = TransactWriteItem { put: Some(put), ..TransactWriteItem::default() };
        let transact: Request =
            TransactWriteItemsInput { transact_items: Some(vec![action]), ..TransactWriteItemsInput::default() }.into();
        prop_assert_eq!(round_trip(&transact), transact);
    }

    #[test]
    fn the_decoder_does_not_panic(
        noise in r#"(\{"TableName":|"Item":|\{"S":|"N":|\[|\]|\}|null|1e999|"x"|,|true|-|\\u0000){0,30}"#,
        bytes in proptest::collection::vec(any::<u8>(), 0..60),
    ) {
        for operation in Operation::ALL {
            for body in [noise.as_bytes(), &bytes] {
                drop(keyfold_wire::decode(*operation, body));
                drop(keyfold_wire::client::decode_response(*operation, body));
            }
        }
        drop(keyfold_wire::client::decode_error(&bytes));
    }
}
