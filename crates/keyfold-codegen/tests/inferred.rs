//! What is inferred of tables as other programs write them: constants in any case, items from
//! before an attribute was there, and one item in hundreds that is not as the others.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use keyfold_codegen::infer::{IndexDefinition, Projection, TableDefinition, propose};
use keyfold_model::compile;
use keyfold_types::{Item, KeyKind, Value};

fn column(name: &str) -> (String, KeyKind) {
    (name.to_owned(), KeyKind::S)
}

/// A table with the key PK and SK, and an index for each pair of key attributes.
fn table(indexes: &[(&str, &str)]) -> TableDefinition {
    let index = |(partition, sort): &(&str, &str)| IndexDefinition {
        name: format!("by_{}", partition.replace('-', "_")),
        is_local: false,
        partition: vec![column(partition)],
        sort: vec![column(sort)],
        projection: Projection::All,
    };
    TableDefinition {
        name: "Tab".to_owned(),
        key: vec![column("PK"), column("SK")],
        indexes: indexes.iter().map(index).collect(),
        ttl: None,
    }
}

fn item(pairs: &[(&str, &str)]) -> Item {
    let pairs = pairs.iter();
    pairs
        .map(|(name, value)| ((*name).to_owned(), Value::from(*value)))
        .collect()
}

/// The model of a table's items, which compiles.
fn inferred(table: TableDefinition, items: Vec<Item>) -> String {
    let text = propose("tab", &[(table, items)]).unwrap();
    assert!(!compile(&text).has_errors(), "{text}");
    text
}

fn check(text: &str, expected: &[&str]) {
    let one_blank = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for expected in expected {
        assert!(
            one_blank.contains(expected),
            "{expected} is missing:\n{text}"
        );
    }
}

#[test]
fn a_text_that_all_items_of_a_kind_have_is_a_constant_in_any_case() {
    type Form = fn(usize) -> String;
    let kinds: [(Form, &str, Form, &[&str]); 4] = [
        (
            |n| format!("user#{n}"),
            "profile",
            |n| format!("order#{}", 100 + n),
            &["\"user#{userId}\" \"profile\"", "\"order#{orderId}\""],
        ),
        (
            |n| format!("customer-{n}"),
            "profile",
            |n| format!("booking/2021-03-{:02}/{}", n % 28 + 1, 900 + n),
            &[
                "\"customer-{customerId}\" \"profile\"",
                "\"booking/{bookingDate}/{bookingId}\"",
            ],
        ),
        (
            |n| format!("USER#u{n}"),
            "Profile",
            |n| format!("Order#{}", 100 + n),
            &["\"USER#{userId}\" \"Profile\"", "\"Order#{orderId}\""],
        ),
        (
            |n| format!("USER#u{n}"),
            "v0",
            |n| format!("ORDER#{}", 100 + n),
            &["\"USER#{userId}\" \"v0\"", "\"ORDER#{orderId}\""],
        ),
    ];
    for (partition, constant, sort, expected) in kinds {
        let of_user = |n: usize| {
            let partition = partition(n);
            [
                item(&[("PK", &partition), ("SK", constant), ("name", "a")]),
                item(&[("PK", &partition), ("SK", &sort(n)), ("total", "1")]),
            ]
        };
        let text = inferred(table(&[]), (0..30).flat_map(of_user).collect());
        check(&text, expected);
        // Alone, too.
        let alone = (0..25).map(|n| of_user(n)[0].clone()).collect();
        check(&inferred(table(&[]), alone), &expected[..1]);
    }
}

#[test]
fn words_that_stand_for_kinds_are_constants_and_values_are_not() {
    let kinds = |n: usize| {
        let partition = format!("user#{n}");
        [
            item(&[("PK", &partition), ("SK", "profile"), ("name", "a")]),
            item(&[("PK", &partition), ("SK", "settings"), ("theme", "dark")]),
        ]
    };
    let text = inferred(table(&[]), (0..30).flat_map(kinds).collect());
    check(&text, &["\"profile\"", "\"settings\""]);
    // One partition's name is no constant; the same items, of which the words are values.
    let colors = ["red", "green", "blue"];
    let values = |n: usize| {
        let partition = format!("user#{}", n / 3);
        item(&[
            ("PK", &partition),
            ("SK", colors[n % 3]),
            ("likes", &n.to_string()),
        ])
    };
    let text = inferred(table(&[]), (0..30).map(values).collect());
    check(&text, &["\"user#{userId}\" {SK}"]);
    let of_one = |n: usize| item(&[("PK", "alice"), ("SK", &format!("order#{n}"))]);
    let text = inferred(table(&[]), (0..30).map(of_one).collect());
    check(&text, &["key {PK} \"order#{orderId}\""]);
}

#[test]
fn items_from_before_the_type_attribute_are_told_by_their_keys() {
    let new = |n: usize| {
        let partition = format!("USER#{n}");
        [
            item(&[("PK", &partition), ("SK", "PROFILE"), ("type", "User")]),
            item(&[
                ("PK", &partition),
                ("SK", &format!("ORDER#{n}")),
                ("type", "Order"),
            ]),
        ]
    };
    let old = |n: usize| item(&[("PK", &format!("LEGACY#{n}")), ("SK", "DATA")]);
    let items = (0..20).flat_map(new).chain((0..9).map(old)).collect();
    let text = inferred(table(&[]), items);
    check(
        &text,
        &[
            "entity User",
            "type: \"User\" = \"User\"",
            "entity Order",
            "entity Legacy",
            "\"LEGACY#{legacyId}\" \"DATA\"",
        ],
    );
    // A single item without it is of the kind whose keys it has.
    let mut items: Vec<Item> = (0..40).flat_map(new).collect();
    items.push(item(&[("PK", "USER#77"), ("SK", "PROFILE")]));
    let text = inferred(table(&[]), items);
    check(
        &text,
        &[
            "table Tab (PK, SK) type type",
            "# 1 of 41 items has no `type`, the first PK = \"USER#77\", SK = \"PROFILE\"",
        ],
    );
    assert_eq!(text.matches("\nentity ").count(), 2, "{text}");
}

#[test]
fn one_item_in_hundreds_does_not_change_what_the_others_are() {
    let order = |n: usize| {
        let status = ["open", "paid"][n % 2];
        let mut order = item(&[
            ("PK", &format!("USER#{}", n / 7)),
            ("SK", &format!("ORDER#{n}")),
            ("GSI1-PK", &format!("STATUS#{status}")),
            ("GSI1-SK", &format!("ORDER#{n}")),
            ("status", status),
            ("orderId", &n.to_string()),
        ]);
        order.insert("total", i64::try_from(n + 1000).unwrap());
        order
    };
    let whole = |text: &str| {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        lines.collect::<Vec<_>>().join("\n")
    };
    let definition = || table(&[("GSI1-PK", "GSI1-SK")]);
    let expected = inferred(definition(), (0..430).map(order).collect());
    check(
        &expected,
        &["\"STATUS#{status}\" \"ORDER#{orderId}\"", "total: int"],
    );
    type Change = fn(&mut Item);
    let cases: [(Change, &str); 6] = [
        (
            |item| {
                item.insert("total", "12");
            },
            "# `total` is N in 429 items and S in 1 item, the first PK = \"USER#1\", SK = \"ORDER#8\"",
        ),
        (
            |item| {
                item.remove("total");
            },
            "# 1 of 430 items has no `total`, the first PK = \"USER#1\", SK = \"ORDER#8\"",
        ),
        (
            |item| {
                item.remove("GSI1-PK");
            },
            "# 1 of 430 items has no key in by_GSI1_PK, the first PK = \"USER#1\", SK = \"ORDER#8\"",
        ),
        (
            |item| {
                item.insert("GSI1-PK", "nonsense");
            },
            "# 1 of 430 items has another key in by_GSI1_PK, the first PK = \"USER#1\", SK = \"ORDER#8\"",
        ),
        (
            |item| {
                item.remove("status");
            },
            "# 1 of 430 items has no `status`",
        ),
        (
            |item| {
                item.insert("orderId", 8);
            },
            "# `orderId` is S in 429 items and N in 1 item",
        ),
    ];
    for (change, comment) in cases {
        let mut items: Vec<Item> = (0..430).map(order).collect();
        change(&mut items[8]);
        let text = inferred(definition(), items);
        check(&text, &[comment]);
        assert_eq!(whole(&text), whole(&expected), "{comment}");
    }
}

/// An index that not all items of a kind are in is sparse: the model says of no item that it lacks a
/// key, and says by which attribute items are in it where one decides.
#[test]
fn an_index_without_some_items_is_sparse() {
    let order = |n: usize, is_in: bool| {
        let mut order = item(&[
            ("PK", &format!("USER#{}", n / 7)),
            ("SK", &format!("ORDER#{n}")),
            ("status", ["open", "paid", "sent"][n % 3]),
            ("orderId", &n.to_string()),
        ]);
        if is_in {
            order.insert("GSI1-PK", "QUEUE");
            order.insert("GSI1-SK", format!("ORDER#{n}"));
        }
        order
    };
    type Change = fn(usize, bool, &mut Item);
    let nothing: Change = |_, _, _| {};
    let line = "by_GSI1_PK \"QUEUE\" \"ORDER#{orderId}\"";
    let columns = "GSI1-PK\": string?";
    let cases: [(usize, usize, Change, &str, &str); 11] = [
        // Without an attribute that decides; from one in a hundred on they are exceptions.
        (40, 38, nothing, columns, line),
        (40, 39, nothing, columns, line),
        (99, 98, nothing, columns, line),
        (100, 99, nothing, line, columns),
        // By a value, and by an attribute that the others lack.
        (
            40,
            38,
            |_, is_in, item| {
                item.insert("state", if is_in { "queued" } else { "done" });
            },
            "\"ORDER#{orderId}\" sparse when state = \"queued\"",
            columns,
        ),
        (
            40,
            5,
            |_, is_in, item| {
                item.insert("isQueued", is_in);
            },
            "\"ORDER#{orderId}\" sparse when isQueued = true",
            columns,
        ),
        (
            40,
            38,
            |n, is_in, item| {
                if is_in {
                    item.insert("queuedBy", format!("w{n}"));
                }
            },
            "\"ORDER#{orderId}\" sparse when queuedBy",
            columns,
        ),
        // The attribute is in the key: `sparse` would say it twice.
        (
            40,
            38,
            |n, is_in, item| {
                if is_in {
                    item.insert("queue", format!("q{}", n % 4));
                    item.insert("GSI1-PK", format!("QUEUE#q{}", n % 4));
                }
            },
            "by_GSI1_PK \"QUEUE#{queue}\" \"ORDER#{orderId}\"",
            "sparse when",
        ),
        // A text of several words that no attribute has.
        (
            40,
            25,
            |_, is_in, item| {
                item.insert("state", if is_in { "queued" } else { "done" });
                if is_in {
                    item.insert("GSI1-PK", "orders|all");
                }
            },
            "by_GSI1_PK \"orders|all\" \"ORDER#{orderId}\" sparse when state = \"queued\"",
            columns,
        ),
        // An id that the items have in their keys only, and a day that is also that of a time.
        (
            40,
            25,
            |n, is_in, item| {
                item.remove("orderId");
                let day = format!("2024-01-{:02}", n % 28 + 1);
                item.insert("createdAt", format!("{day}T10:00:00Z"));
                if is_in {
                    item.insert("endsOn", day.as_str());
                    item.insert("GSI1-PK", day);
                    item.insert("GSI1-SK", n.to_string());
                }
            },
            "by_GSI1_PK \"{endsOn}\" \"{orderId}\"",
            columns,
        ),
        // A part of a key outside of the index is no key that a template leaves out.
        (
            40,
            38,
            |_, is_in, item| {
                item.insert("state", if is_in { "queued" } else { "done" });
                if !is_in {
                    item.insert("GSI1-PK", "QUEUE");
                }
            },
            columns,
            line,
        ),
    ];
    for (count, within, change, expected, absent) in cases {
        let items = (0..count).map(|n| {
            // Those outside lie between the others.
            let is_in = n % 2 == 1 || n / 2 >= count - within;
            let mut order = order(n, is_in);
            change(n, is_in, &mut order);
            order
        });
        let text = inferred(table(&[("GSI1-PK", "GSI1-SK")]), items.collect());
        check(&text, &[expected]);
        let one_blank = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(!one_blank.contains(absent), "{absent}:\n{text}");
    }
}

#[test]
fn an_attribute_that_is_a_key_stays_whole() {
    let show = |n: usize| {
        item(&[
            ("PK", &format!("SHOW#{n}")),
            ("SK", "META"),
            ("venueId", &format!("v-00{}", n % 3)),
            ("startsAt", &format!("2024-01-{:02}", n + 1)),
            ("GSI1PK", &format!("v-00{}", n % 3)),
            ("GSI1SK", &format!("SHOW#{n}")),
        ])
    };
    let definition = table(&[("venueId", "startsAt"), ("GSI1PK", "GSI1SK")]);
    let text = inferred(definition, (0..9).map(show).collect());
    check(
        &text,
        &[
            "venueId: string",
            "show_by_venueId(venueId)",
            "by_GSI1PK \"{venueId}\"",
        ],
    );
    // A table whose own key is an attribute.
    let mut by_venue = table(&[]);
    by_venue.key = vec![column("venueId"), column("seat")];
    let seat = |n: usize| {
        item(&[
            ("venueId", &format!("v-00{}", n % 3)),
            ("seat", &n.to_string()),
        ])
    };
    let text = inferred(by_venue, (0..9).map(seat).collect());
    check(&text, &["key {venueId} {seat}"]);
    // Keys of several kinds in one attribute are told by their words.
    let mut by_id = table(&[]);
    by_id.key = vec![column("id"), column("part")];
    let both = |n: usize| {
        [
            item(&[("id", &format!("user-{n}")), ("part", "PROFILE")]),
            item(&[("id", &format!("team-{n}")), ("part", "PROFILE")]),
        ]
    };
    let text = inferred(by_id, (0..9).flat_map(both).collect());
    check(&text, &["\"user-{userId}\"", "\"team-{teamId}\""]);
}

/// A partition that holds one item of a kind is asked for that item only.
#[test]
fn no_list_is_proposed_of_one_item() {
    let invoice = |n: usize| {
        let key = format!("INVOICE#{n}");
        item(&[("PK", &key), ("SK", &key), ("total", "1")])
    };
    let text = inferred(table(&[]), (0..30).map(invoice).collect());
    check(&text, &["pattern invoice(invoiceId) -> Invoice?"]);
    assert!(!text.contains("Invoice[]"), "{text}");
}

#[test]
fn words_of_one_type_are_values() {
    let tier = |code: &str| {
        item(&[
            ("PK", "SHOW#1"),
            ("SK", &format!("TIER#{code}")),
            ("type", "Tier"),
            ("code", code),
        ])
    };
    let show = item(&[("PK", "SHOW#1"), ("SK", "META"), ("type", "Show")]);
    let items = vec![tier("GOLD"), tier("SILVER"), tier("STAND"), show];
    let text = inferred(table(&[]), items);
    check(&text, &["\"TIER#{code}\"", "table Tab (PK, SK) type type"]);
    assert_eq!(text.matches("\nentity ").count(), 2, "{text}");
    // Two places of one type are two kinds.
    let product = |n: usize| {
        let partition = format!("PRODUCT#{n}");
        [
            item(&[
                ("PK", &partition),
                ("SK", "META"),
                ("type", "Product"),
                ("name", "x"),
            ]),
            item(&[
                ("PK", &partition),
                ("SK", "STOCK"),
                ("type", "Product"),
                ("left", "x"),
            ]),
        ]
    };
    let text = inferred(table(&[]), (0..9).flat_map(product).collect());
    check(&text, &["\"META\"", "\"STOCK\""]);
}
