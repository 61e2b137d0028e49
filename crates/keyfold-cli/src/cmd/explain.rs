//! `keyfold explain KF012`: what a rule demands, why, and an example that breaks it beside one that
//! does not.

use crate::failure::Failure;
use crate::json;
use crate::terminal::{self, ACCENT, ERROR, FAINT, GOOD, STRONG};
use clap::Args;
use keyfold_model::{GRAMMAR, RULES, Rule};
use serde_json::json;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The rule's code, like KF012, or `grammar`; without one, all rules in a line each.
    code: Option<String>,
}

pub(crate) fn run(arguments: &Arguments, as_json: bool) -> Result<(), Failure> {
    let Some(code) = &arguments.code else {
        list(as_json);
        return Ok(());
    };
    if code == "grammar" {
        if as_json {
            json::print(&json!({ "grammar": GRAMMAR }));
        } else {
            terminal::line(GRAMMAR.trim_end());
        }
        return Ok(());
    }
    let rule = Rule::of_code(code).ok_or_else(|| {
        let known: Vec<&str> = RULES.iter().map(|rule| rule.code).collect();
        Failure::usage(format!(
            "there is no rule {code}; there are {}",
            known.join(", ")
        ))
    })?;
    if as_json {
        json::print(&json!({ "rules": [view(rule)] }));
        return Ok(());
    }
    let kind = if rule.is_warning() {
        "warning"
    } else {
        "error"
    };
    terminal::line(&format!(
        "{STRONG}{} {}{STRONG:#}  {FAINT}{kind}{FAINT:#}\n",
        rule.code, rule.name
    ));
    terminal::paragraph(rule.summary);
    terminal::line("");
    terminal::paragraph(rule.why);
    terminal::line(&format!("\n{ERROR}breaks it{ERROR:#}"));
    example(rule.failing);
    terminal::line(&format!("\n{GOOD}does not{GOOD:#}"));
    example(rule.repaired);
    Ok(())
}

fn example(text: &str) {
    text.lines()
        .for_each(|line| terminal::line(&format!("  {line}")));
}

fn list(as_json: bool) {
    if as_json {
        json::print(&json!({ "rules": RULES.iter().map(view).collect::<Vec<_>>() }));
        return;
    }
    for rule in &RULES {
        terminal::entry(
            ACCENT,
            &format!("{}  {}", rule.code, rule.name),
            rule.summary,
            "",
        );
    }
}

fn view(rule: &Rule) -> serde_json::Value {
    json!({
        "code": rule.code,
        "name": rule.name,
        "warning": rule.is_warning(),
        "summary": rule.summary,
        "why": rule.why,
        "failing": rule.failing,
        "repaired": rule.repaired,
    })
}
