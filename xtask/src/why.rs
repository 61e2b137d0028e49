//! Why steps failed, in few lines. They are said again at the end of a run: nobody scrolls through an hour of output,
//! and a log may have cut it.

/// Lines with which test runners begin what they tell of a failure: those of Rust, Node, pytest and
/// unittest, a panic, and the steps of this program.
const BEGINNINGS: [&str; 10] = [
    "---- ", "not ok ", "FAILED ", "ERROR ", "FAIL: ", "ERROR: ", "E   ", "thread '", "error: ",
    "error[",
];

/// Lines behind such a line that are told, too.
const BEHIND: usize = 10;

/// Lines at the most, beside those that name the steps that failed.
const MOST: usize = 120;

/// What a program that failed printed of its failures; its last lines, where nothing looks like one.
pub(crate) fn of(printed: &str) -> String {
    let lines: Vec<&str> = printed.lines().collect();
    let mut told = Vec::new();
    let (mut left, mut others) = (0, 0);
    for &line in &lines {
        if names_a_step(line) {
            told.push(line);
            left = BEHIND;
            continue;
        }
        if begins(line) {
            left = BEHIND + 1;
        }
        if left > 0 && others < MOST {
            (left, others) = (left - 1, others + 1);
            told.push(line);
        }
    }
    if told.is_empty() {
        told.extend(&lines[lines.len().saturating_sub(BEHIND)..]);
    }
    told.join("\n")
}

fn begins(line: &str) -> bool {
    let line = line.trim_start();
    let mut beginnings = BEGINNINGS.iter();
    beginnings.any(|beginning| line.starts_with(beginning))
}

/// Whether a line of this program names a step, or a test program, that failed.
fn names_a_step(line: &str) -> bool {
    line.starts_with("--- ") && (line.contains("FAILED") || line.contains("what failed"))
}

#[cfg(test)]
mod tests {
    use super::{BEHIND, MOST, of};

    #[test]
    fn failures_of_each_runner_are_found() {
        for told in [
            "---- moves::a_row stdout ----",
            "not ok 7 - a basket is kept",
            "    not ok 2 - a test of a group",
            "FAILED tests/test_rare.py::test_times - AssertionError",
            "FAIL: test_put (sdk.Items.test_put)",
            "E       assert 3 == 4",
            "--- example shop FAILED: it ended",
        ] {
            let printed = format!("ok 1 - before\n{told}\n  its cause\n");
            assert_eq!(of(&printed), format!("{told}\n  its cause"));
        }
    }

    #[test]
    fn a_long_output_is_cut_and_one_without_a_failure_ends_as_it_did() {
        let many = "not ok 1 - one\n".repeat(MOST * 2);
        assert_eq!(of(&many).lines().count(), MOST);
        let told = of(&(many + "--- example shop FAILED: it ended\n"));
        assert!(
            told.ends_with("--- example shop FAILED: it ended"),
            "{told}"
        );
        let quiet = "fine\n".repeat(40) + "killed\n";
        let told = of(&quiet);
        assert_eq!(
            (told.lines().count(), told.ends_with("killed")),
            (BEHIND, true)
        );
        assert_eq!(of(""), "");
    }
}
