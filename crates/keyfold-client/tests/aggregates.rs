//! Counts, sums and maxima follow every kind of write: of a single item, of an item that moves to
//! another parent, and of an item together with its parent.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{Place, given};
use keyfold_client::{ClientError, arguments, write};
use keyfold_types::Value;

const MODEL: &str = r##"
model aggregates 1
table Tab (PK, SK)
  lsi ByScore (score: number)
record Line
  n: int, score: int, state: open | done
record Ref
  n: int
entity Team
  team: string, name: string
  key "T#{team}" "TEAM"
  count members of Member
  count open    of Member where state = open
  sum   total   of Member.score
  max   best    of Member.score
entity Member
  team: Team.team, n: int, score: int, state: open | done = open
  key "T#{team}" "M#{n:04}"
entity Event
  event: string, team: Team.team, weight: int?
  key "E#{event}" "EVENT"
entity Board
  board: string
  key "B#{board}" "BOARD"
  sum weights of Mark.weight
  count marks of Mark
entity Mark
  mark: string, board: Board.board, weight: int?
  key "MARK#{mark}" "MARK"
pattern team(team)   -> Team?
pattern board(board) -> Board?
write found_team(lines: list of Line)
  create Team
  create Member for each lines
write join_many(lines: list of Line, team: string)
  create Member for each lines
write rename_and_join(lines: list of Line, name: string)
  update Team set name = name
  create Member for each lines
write close_team(lines: list of Line)
  delete Member for each lines
  delete Team
write drop_many(lines: list of Line, team: string)
  delete Member for each lines
write swap(olds: list of Line, news: list of Line, team: string)
  delete Member for each olds
  create Member for each news
write lower(refs: list of Ref, team: string, by: int)
  update Member for each refs set score = score - by
write check_and_join(lines: list of Line)
  check Team when name = "x"
  create Member for each lines
"##;

impl Place {
    fn run(&self, name: &str, text: common::Text<'_>) -> Result<write::Written, ClientError> {
        let named = self.model.write(name).unwrap();
        let values = arguments::of_write(named, &given(text)).unwrap();
        write::run(&self.backend, &self.model, named, &values)
    }

    /// The number of members and of open ones, their sum, and the maximum.
    fn team(&self, team: &str) -> [String; 4] {
        ["members", "open", "total", "best"]
            .map(|name| self.found("team", &[("team", team)], name).concat())
    }
}

fn numbers(all: [&str; 4]) -> [String; 4] {
    all.map(str::to_owned)
}

#[test]
fn a_parent_and_its_children_are_made_together() {
    let place = Place::new(MODEL);
    let lines = r#"[{"n":1,"score":5,"state":"open"},{"n":2,"score":9,"state":"done"},{"n":3,"score":7,"state":"open"}]"#;
    place
        .run(
            "found_team",
            &[("team", "a"), ("name", "x"), ("lines", lines)],
        )
        .unwrap();
    assert_eq!(place.team("a"), numbers(["3", "2", "21", "9"]));
    // Several items are added to an existing parent: one step counts them all.
    let more = r#"[{"n":4,"score":2,"state":"open"},{"n":5,"score":30,"state":"open"},{"n":6,"score":1,"state":"done"}]"#;
    place
        .run("join_many", &[("team", "a"), ("lines", more)])
        .unwrap();
    assert_eq!(place.team("a"), numbers(["6", "4", "54", "30"]));
    // The parent is changed, or checked, in the same write.
    let one = |n: &str, score: &str| format!(r#"[{{"n":{n},"score":{score},"state":"done"}}]"#);
    place
        .run(
            "rename_and_join",
            &[("team", "a"), ("name", "y"), ("lines", &one("7", "40"))],
        )
        .unwrap();
    assert_eq!(place.team("a"), numbers(["7", "4", "94", "40"]));
    assert_eq!(place.found("team", &[("team", "a")], "name"), ["y"]);
    let refused = place.run(
        "check_and_join",
        &[("team", "a"), ("lines", &one("8", "1"))],
    );
    assert!(
        matches!(refused, Err(ClientError::Refused(_))),
        "{refused:?}"
    );
    place
        .update("Team", &[("team", "a"), ("name", "x")])
        .unwrap();
    place
        .run(
            "check_and_join",
            &[("team", "a"), ("lines", &one("8", "50"))],
        )
        .unwrap();
    assert_eq!(place.team("a"), numbers(["8", "4", "144", "50"]));
}

#[test]
fn the_next_maximum_is_found_when_the_maximum_goes() {
    let place = Place::new(MODEL);
    place.put("Team", &[("team", "a"), ("name", "x")]);
    for (n, score) in [("1", "5"), ("2", "9"), ("3", "9"), ("4", "7")] {
        place.put("Member", &[("team", "a"), ("n", n), ("score", score)]);
    }
    let best = || place.found("team", &[("team", "a")], "best").concat();
    // One of two equal maxima stays.
    place
        .delete("Member", &[("team", "a"), ("n", "2")])
        .unwrap();
    assert_eq!(best(), "9");
    place
        .update("Member", &[("team", "a"), ("n", "3"), ("score", "6")])
        .unwrap();
    assert_eq!(best(), "7");
    // The item is lowered and remains the maximum.
    place
        .update("Member", &[("team", "a"), ("n", "4"), ("score", "6")])
        .unwrap();
    place
        .update("Member", &[("team", "a"), ("n", "1"), ("score", "1")])
        .unwrap();
    assert_eq!(best(), "6");
    place
        .update("Member", &[("team", "a"), ("n", "1"), ("score", "8")])
        .unwrap();
    assert_eq!(place.team("a"), numbers(["3", "3", "20", "8"]));
    for n in ["1", "3", "4"] {
        place.delete("Member", &[("team", "a"), ("n", n)]).unwrap();
    }
    assert_eq!(place.team("a"), numbers(["0", "0", "0", ""]));
}

#[test]
fn a_parent_with_children_is_not_deleted_and_a_child_needs_its_parent() {
    let place = Place::new(MODEL);
    place.put("Team", &[("team", "a"), ("name", "x")]);
    place.put(
        "Member",
        &[("team", "a"), ("n", "1"), ("score", "0"), ("state", "done")],
    );
    let refusal = place
        .delete("Team", &[("team", "a")])
        .unwrap_err()
        .to_string();
    assert!(refusal.contains("still has Member items"), "{refusal}");
    place.put("Member", &[("team", "a"), ("n", "2"), ("score", "4")]);
    // One write may delete the parent with all of its children, but must not leave one.
    let close = |lines: &str| place.run("close_team", &[("team", "a"), ("lines", lines)]);
    for some in [
        r#"[{"n":1,"score":0,"state":"done"}]"#,
        r#"[{"n":2,"score":4,"state":"open"}]"#,
        "[]",
    ] {
        assert!(
            matches!(close(some), Err(ClientError::Refused(_))),
            "{some}"
        );
    }
    close(r#"[{"n":2,"score":4,"state":"open"},{"n":1,"score":0,"state":"done"}]"#).unwrap();
    assert!(place.stored().is_empty());
    let entity = place.entity("Member");
    let values = place.values("Member", &[("team", "a"), ("n", "2"), ("score", "1")]);
    let refused = write::create(&place.backend, &place.model, entity, &values);
    assert!(
        matches!(&refused, Err(ClientError::NotFound(why)) if why.message.contains("there is no Team")),
        "{refused:?}"
    );
    assert!(place.stored().is_empty());
}

#[test]
fn children_move_between_parents_and_count_while_they_have_the_attribute() {
    let place = Place::new(MODEL);
    place.put("Board", &[("board", "a")]);
    place.put("Board", &[("board", "b")]);
    let board = |board: &str| {
        let of = |name: &str| place.found("board", &[("board", board)], name).concat();
        (of("marks"), of("weights"))
    };
    let is = |marks: &str, weights: &str| (marks.to_owned(), weights.to_owned());
    place.put("Mark", &[("mark", "1"), ("board", "a"), ("weight", "5")]);
    place.put("Mark", &[("mark", "2"), ("board", "a")]);
    assert_eq!((board("a"), board("b")), (is("2", "5"), is("0", "0")));
    place
        .update("Mark", &[("mark", "1"), ("board", "b")])
        .unwrap();
    assert_eq!((board("a"), board("b")), (is("1", "0"), is("1", "5")));
    place
        .update("Mark", &[("mark", "2"), ("board", "b"), ("weight", "-7")])
        .unwrap();
    assert_eq!((board("a"), board("b")), (is("0", "0"), is("2", "-2")));
    // A sum beyond the range of numbers is refused, and no item changes.
    let huge = "9".repeat(38);
    place
        .update(
            "Mark",
            &[("mark", "1"), ("weight", &format!("{huge}000000"))],
        )
        .unwrap_err();
    let entity = place.entity("Mark");
    let key = arguments::some_of_entity(entity, &given(&[("mark", "1")])).unwrap();
    write::update(
        &place.backend,
        &place.model,
        entity,
        &key,
        &["weight".to_owned()],
    )
    .unwrap();
    assert_eq!(board("b"), is("2", "-7"));
    place.delete("Mark", &[("mark", "1")]).unwrap();
    place.delete("Board", &[("board", "a")]).unwrap();
    let stored = place.stored();
    let left = stored
        .iter()
        .find(|item| item.get("board") == Some(&Value::from("b")) && item.get("weights").is_some());
    assert_eq!(
        left.and_then(|item| item.get("weights:items")),
        Some(&Value::from(1))
    );
}

#[test]
fn the_maximum_is_found_when_one_write_changes_many_items() {
    let place = Place::new(MODEL);
    place.put("Team", &[("team", "a"), ("name", "x")]);
    let lines = |all: &[(i64, i64)]| {
        let each: Vec<String> = all
            .iter()
            .map(|(n, score)| format!(r#"{{"n":{n},"score":{score},"state":"open"}}"#))
            .collect();
        format!("[{}]", each.join(","))
    };
    let join = |all: &[(i64, i64)]| {
        place
            .run("join_many", &[("team", "a"), ("lines", &lines(all))])
            .unwrap()
    };
    let best = || place.found("team", &[("team", "a")], "best").concat();
    join(&[(1, 10), (2, 9), (3, 8), (4, 7)]);
    place
        .run(
            "drop_many",
            &[("team", "a"), ("lines", &lines(&[(1, 10), (2, 9)]))],
        )
        .unwrap();
    assert_eq!(best(), "8");
    // The new item is less than the deleted one and than the remaining one.
    place
        .run(
            "swap",
            &[
                ("team", "a"),
                ("olds", &lines(&[(3, 8)])),
                ("news", &lines(&[(5, 3)])),
            ],
        )
        .unwrap();
    assert_eq!(best(), "7");
    place
        .run(
            "swap",
            &[
                ("team", "a"),
                ("olds", &lines(&[(4, 7), (5, 3)])),
                ("news", &lines(&[(6, 2), (7, 5)])),
            ],
        )
        .unwrap();
    assert_eq!(place.team("a"), numbers(["2", "2", "7", "5"]));
    join(&[(8, 20), (9, 19), (10, 18)]);
    place
        .run(
            "lower",
            &[
                ("team", "a"),
                ("by", "15"),
                ("refs", r#"[{"n":8},{"n":9}]"#),
            ],
        )
        .unwrap();
    assert_eq!(best(), "18");
    place
        .run(
            "lower",
            &[
                ("team", "a"),
                ("by", "15"),
                ("refs", r#"[{"n":10},{"n":7}]"#),
            ],
        )
        .unwrap();
    assert_eq!(best(), "5");
}

/// The maximum among items with split lists.
const PARTS: &str = r##"
model parts 1
table Tab (PK, SK)
entity Top
  id: string
  key "P#{id}" "P"
  max top of Part.n
entity Part
  id: Top.id, n: int, xs: list of string
  key "P#{id}" "C#{n:06}"
  split xs by 1
pattern top(id) -> Top?
"##;

#[test]
fn parts_of_a_list_are_not_items_of_a_maximum() {
    let place = Place::new(PARTS);
    place.put("Top", &[("id", "a")]);
    for n in ["1", "2", "3"] {
        place.put(
            "Part",
            &[("id", "a"), ("n", n), ("xs", r#"["a","b","c","d"]"#)],
        );
    }
    for (gone, left) in [("3", "2"), ("2", "1"), ("1", "")] {
        place.delete("Part", &[("id", "a"), ("n", gone)]).unwrap();
        assert_eq!(place.found("top", &[("id", "a")], "top"), [left]);
    }
}

const TREE: &str = r##"
model tree 1
table Tab (PK, SK)
entity Node
  id: string, root: Node.id
  key "N#{id}" "N"
  count below of Node by root
pattern node(id) -> Node?
"##;

#[test]
fn an_item_that_counts_itself_is_created_and_deleted() {
    let place = Place::new(TREE);
    place.put("Node", &[("id", "a"), ("root", "a")]);
    place.put("Node", &[("id", "b"), ("root", "a")]);
    assert_eq!(place.found("node", &[("id", "a")], "below"), ["2"]);
    place.delete("Node", &[("id", "a")]).unwrap_err();
    place.delete("Node", &[("id", "b")]).unwrap();
    assert_eq!(place.found("node", &[("id", "a")], "below"), ["1"]);
    place.delete("Node", &[("id", "a")]).unwrap();
    assert!(place.stored().is_empty());
}

/// A parent and its child are created and deleted together, whichever the write names first.
#[test]
fn the_order_of_actions_does_not_matter() {
    let place = Place::new(
        "model m 1\ntable Tab (PK, SK)\nentity Shop\n  shop: string\n  key \"S#{shop}\" \"S\"\n  count orders of Order\nentity Order\n  order: string, shop: Shop.shop\n  key \"O#{order}\" \"O\"\n  count items of Item\nentity Item\n  item: string, order: Order.order\n  key \"I#{item}\" \"I\"\npattern shop(shop) -> Shop?\npattern order(order) -> Order?\nwrite make()\n  create Item\n  create Order\n  create Shop\nwrite drop()\n  delete Shop\n  delete Item\n  delete Order\nwrite leave()\n  delete Order\n  delete Shop\n",
    );
    let given = [("shop", "s"), ("order", "o"), ("item", "i")];
    place.run("make", &given).unwrap();
    assert_eq!(place.found("shop", &[("shop", "s")], "orders"), ["1"]);
    assert_eq!(place.found("order", &[("order", "o")], "items"), ["1"]);
    let refusal = place
        .run("leave", &[("shop", "s"), ("order", "o")])
        .unwrap_err()
        .to_string();
    assert!(
        refusal.contains("the Order with order = o still has Item items"),
        "{refusal}"
    );
    place.run("drop", &given).unwrap();
    assert!(place.stored().is_empty());
}

#[test]
fn a_tree_grows_and_changes_in_any_order() {
    let place = Place::new(
        "model m 1\ntable Tab (PK, SK)\nentity Emp\n  e: string, boss: Emp.e, pay: int\n  key \"E#{e}\" \"E\"\n  count reports of Emp by boss\n  sum total of Emp.pay by boss\n  max best of Emp.pay by boss\n  copy by \"B#{boss}\" \"P#{pay:06}#{e}\"\nrecord Hire\n  e: string, boss: Emp.e, pay: int\nrecord Raise\n  e: string, more: int\npattern one(e) -> Emp?\nwrite hire(lines: list of Hire)\n  create Emp for each lines\nwrite raise(lines: list of Raise)\n  update Emp for each lines set pay = pay + more\nwrite fire(lines: list of Raise)\n  delete Emp for each lines\n",
    );
    place.put("Emp", &[("e", "ceo"), ("boss", "ceo"), ("pay", "100")]);
    let of = |e: &str| {
        ["reports", "total", "best"].map(|name| place.found("one", &[("e", e)], name).concat())
    };
    // The write names the report before its boss.
    place
        .run(
            "hire",
            &[(
                "lines",
                r#"[{"e":"b","boss":"a","pay":7},{"e":"a","boss":"ceo","pay":5}]"#,
            )],
        )
        .unwrap();
    assert_eq!(of("ceo"), ["2", "105", "100"]);
    assert_eq!(of("a"), ["1", "7", "7"]);
    for (lines, total, best) in [
        (r#"[{"e":"b","more":1},{"e":"a","more":2}]"#, "8", "8"),
        (r#"[{"e":"a","more":2},{"e":"b","more":1}]"#, "9", "9"),
    ] {
        place.run("raise", &[("lines", lines)]).unwrap();
        assert_eq!(of("a"), ["1", total, best]);
    }
    assert_eq!(of("ceo"), ["2", "109", "100"]);
    place
        .run(
            "fire",
            &[("lines", r#"[{"e":"a","more":0},{"e":"b","more":0}]"#)],
        )
        .unwrap();
    assert_eq!(of("ceo"), ["1", "100", "100"]);
}

/// A failed condition is reported as such, even where the item's maximum changes in the same write.
#[test]
fn a_failed_condition_beside_a_maximum_is_reported() {
    let place = Place::new(
        "model m 1\ntable Tab (PK, SK)\nentity P\n  p: string, stock: int\n  key \"P#{p}\" \"P\"\n  max best of C.q\nentity C\n  p: P.p, c: string, q: int\n  key \"P#{p}\" \"C#{q:06}#{c}\"\npattern one(p) -> P?\nwrite take(n: int)\n  update P set stock = stock - n when stock >= n\n  create C\nwrite look()\n  check P when stock > 100\n  create C\n",
    );
    place.put("P", &[("p", "1"), ("stock", "3")]);
    for (name, more) in [("take", ("n", "5")), ("look", ("p", "1"))] {
        let refusal = place
            .run(name, &[("p", "1"), ("c", "a"), ("q", "7"), more])
            .unwrap_err()
            .to_string();
        assert!(
            refusal.contains("does not meet the condition stock"),
            "{refusal}"
        );
    }
    place
        .run("take", &[("p", "1"), ("c", "a"), ("q", "7"), ("n", "2")])
        .unwrap();
    assert_eq!(place.found("one", &[("p", "1")], "best"), ["7"]);
    assert_eq!(place.found("one", &[("p", "1")], "stock"), ["1"]);
}
