//! Words of SQL that people write into a `from` line, which is none of SQL. They are no words of the language.

/// Words of SQL that the line does not have, and what is written instead.
pub(super) const OF_SQL: [(&str, &str); 9] = [
    ("as", "the name stands behind the table: `from orders o`"),
    (
        "inner",
        "`join` alone is the inner one: `join customers c on c.id = o.customer_id`",
    ),
    ("outer", "`left join` says it without `outer`"),
    (
        "right",
        "begin with the table whose rows are the items, and use `left join`",
    ),
    (
        "full",
        "begin with the table whose rows are the items, and use `left join`",
    ),
    (
        "cross",
        "a row of the first table is one item: `join customers c on c.id = o.customer_id`",
    ),
    (
        "natural",
        "say the columns: `join customers c on c.id = o.customer_id`",
    ),
    (
        "order",
        "items are in the order of their keys; leave it out",
    ),
    (
        "group",
        "what follows from several rows is a `count`, `sum` or `max` of the model; leave it out",
    ),
];
