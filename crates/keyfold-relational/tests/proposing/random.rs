//! Random databases: tables with odd names, keys, references, constraints and rows of any type.

use fastrand::Rng;

const TABLES: [&str; 14] = [
    "orders",
    "Customer",
    "order lines",
    "tags",
    "select",
    "größe",
    "表",
    "categories",
    "people",
    "a",
    "user_profiles",
    "key",
    "2nd",
    "Order_Tags",
];
const COLUMNS: [&str; 22] = [
    "id",
    "name",
    "order_id",
    "key",
    "where",
    "day",
    "state",
    "Größe",
    "名前",
    "in",
    "a b",
    "a}b",
    "a.b",
    "PK",
    "entity",
    "kind",
    "x'y",
    "createdAt",
    "created_at",
    "value",
    "9th",
    "exists",
];
const KINDS: [&str; 16] = [
    "INTEGER",
    "TEXT",
    "REAL",
    "BLOB",
    "NUMERIC",
    "DATE",
    "DATETIME",
    "BOOLEAN",
    "DECIMAL(8,2)",
    "VARCHAR(20)",
    "",
    "TIMESTAMP",
    "BIGINT",
    "TEXT COLLATE NOCASE",
    "INT",
    "JSON",
];

struct Table {
    name: String,
    columns: Vec<String>,
    kinds: Vec<String>,
    key: Vec<usize>,
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A value as SQL, mostly one of the type.
fn value(rng: &mut Rng, kind: &str, number: u32) -> String {
    let texts = [
        "a",
        "",
        "x#y",
        "ü",
        "A",
        "1",
        "it''s",
        "long long text",
        "%",
        "no\u{1}de",
        "{x}",
    ];
    match rng.u8(..12) {
        0 => return "NULL".to_owned(),
        1 => return format!("'{}{number}'", texts[rng.usize(..texts.len())]),
        2 if rng.u8(..6) == 0 => return "x'00ff'".to_owned(),
        3 if rng.u8(..6) == 0 => return "1e300".to_owned(),
        _ => {}
    }
    match kind {
        "INTEGER" | "INT" | "BIGINT" => match rng.u8(..8) {
            0 => format!("-{number}"),
            1 => "9223372036854775807".to_owned(),
            _ => number.to_string(),
        },
        "REAL" | "NUMERIC" | "DECIMAL(8,2)" => format!("{number}.{}", rng.u8(1..99)),
        "DATE" => format!("'2024-0{}-1{}'", rng.u8(1..9), rng.u8(..9)),
        "DATETIME" | "TIMESTAMP" => format!(
            "'2024-01-0{} 10:00:0{}{}'",
            rng.u8(1..9),
            rng.u8(..9),
            ["", ".5", ".123456", "Z"][rng.usize(..4)]
        ),
        "BOOLEAN" => rng.u8(..2).to_string(),
        "BLOB" => "x'01'".to_owned(),
        _ => format!("'{}{number}'", texts[rng.usize(..texts.len())]),
    }
}

/// A database in SQL, and queries of it.
pub(crate) fn database(rng: &mut Rng) -> (String, String) {
    let mut tables: Vec<Table> = Vec::new();
    let mut sql = String::new();
    for _ in 0..rng.usize(1..7) {
        let name = TABLES[rng.usize(..TABLES.len())];
        let is_known = |one: &Table| one.name.to_lowercase() == name.to_lowercase();
        if tables.iter().any(is_known) {
            continue;
        }
        let (table, text) = table(rng, name, &tables);
        sql.push_str(&text);
        tables.push(table);
    }
    for table in &tables {
        for number in 0..rng.u32(..12) {
            let values: Vec<String> = table
                .kinds
                .iter()
                .map(|kind| value(rng, kind, number))
                .collect();
            sql.push_str(&format!(
                "INSERT OR IGNORE INTO {} VALUES ({});\n",
                quoted(&table.name),
                values.join(", ")
            ));
        }
    }
    let mut queries = String::new();
    for _ in 0..rng.usize(..8) {
        queries.push_str(&query(rng, &tables));
    }
    (sql, queries)
}

fn table(rng: &mut Rng, name: &str, tables: &[Table]) -> (Table, String) {
    let mut columns: Vec<String> = Vec::new();
    for _ in 0..rng.usize(1..7) {
        let column = COLUMNS[rng.usize(..COLUMNS.len())].to_owned();
        if !columns
            .iter()
            .any(|one| one.to_lowercase() == column.to_lowercase())
        {
            columns.push(column);
        }
    }
    let mut kinds: Vec<String> = columns
        .iter()
        .map(|_| KINDS[rng.usize(..KINDS.len())].to_owned())
        .collect();
    let mut parts = Vec::new();
    let mut key: Vec<usize> = (0..columns.len().min(rng.usize(1..4))).collect();
    // References, and keys that begin with them.
    for target in tables {
        if target.key.is_empty() || rng.u8(..3) > 0 {
            continue;
        }
        let first = columns.len();
        for at in &target.key {
            columns.push(format!("{}_{}", target.name, target.columns[*at]));
            kinds.push(if rng.u8(..8) == 0 {
                "TEXT".to_owned()
            } else {
                target.kinds[*at].clone()
            });
        }
        let own: Vec<usize> = (first..columns.len()).collect();
        let names = |all: &[usize], of: &[String]| {
            all.iter()
                .map(|at| quoted(&of[*at]))
                .collect::<Vec<_>>()
                .join(", ")
        };
        let cascades = ["", " ON DELETE CASCADE", " ON DELETE SET NULL"][rng.usize(..3)];
        parts.push(format!(
            "FOREIGN KEY ({}) REFERENCES {} ({}){cascades}",
            names(&own, &columns),
            quoted(&target.name),
            names(&target.key, &target.columns)
        ));
        match rng.u8(..4) {
            0 => key = own.into_iter().chain(key).collect(),
            1 if columns.len() > 2 * own.len() => key = own,
            _ => {}
        }
    }
    let mut lines: Vec<String> = Vec::new();
    for (at, column) in columns.iter().enumerate() {
        let mut line = format!("{} {}", quoted(column), kinds[at]);
        match rng.u8(..10) {
            0 | 1 => line.push_str(" NOT NULL"),
            2 => line.push_str(" UNIQUE"),
            3 => line.push_str(&format!(
                " CHECK ({0} IN ('a', 'b') OR {0} IS NOT 7)",
                quoted(column)
            )),
            4 => line.push_str(" DEFAULT 'a'"),
            5 => line.push_str(&format!(
                " CHECK (typeof({}) <> 'text' OR 1)",
                quoted(column)
            )),
            _ => {}
        }
        lines.push(line);
    }
    if rng.u8(..8) > 0 {
        let names: Vec<String> = key.iter().map(|at| quoted(&columns[*at])).collect();
        parts.insert(0, format!("PRIMARY KEY ({})", names.join(", ")));
    } else {
        key.clear();
    }
    lines.extend(parts);
    let text = format!("CREATE TABLE {} ({});\n", quoted(name), lines.join(",\n  "));
    let table = Table {
        name: name.to_owned(),
        columns,
        kinds: kinds
            .iter()
            .map(|one| one.split(" COLLATE").next().unwrap().to_owned())
            .collect(),
        key,
    };
    (table, text)
}

fn query(rng: &mut Rng, tables: &[Table]) -> String {
    let table = &tables[rng.usize(..tables.len())];
    let mut column = || quoted(&table.columns[rng.usize(..table.columns.len())]);
    let all = [column(), column(), column(), column()];
    let [one, two, three, four] = all;
    let from = format!("SELECT * FROM {}", quoted(&table.name));
    match rng.u8(..9) {
        0 => format!("{from} WHERE {one} = ?;\n"),
        1 => format!("{from} WHERE {one} = ? AND {two} > ? ORDER BY {two} LIMIT 5;\n"),
        2 => format!("{from} WHERE {one} = ? ORDER BY {two} DESC, {three} DESC;\n"),
        3 => format!("{from} ORDER BY {one} LIMIT 10;\n"),
        4 => format!("{from} WHERE {one} IN (1, 2) AND {two} BETWEEN 1 AND 2;\n"),
        5 => format!(
            "{from} WHERE {one} = ? AND {two} IS NOT NULL AND {three} <> 3 AND {four} >= 1;\n"
        ),
        6 => format!("{from} WHERE {one} LIKE 'a%';\n"),
        7 => format!("{from} WHERE {one} = ? AND {two} = ?;\n"),
        _ => {
            let other = &tables[rng.usize(..tables.len())];
            let column = quoted(&other.columns[rng.usize(..other.columns.len())]);
            format!(
                "{from} AS a JOIN {} AS b ON b.{column} = a.{one} WHERE a.{one} = ?;\n",
                quoted(&other.name)
            )
        }
    }
}
