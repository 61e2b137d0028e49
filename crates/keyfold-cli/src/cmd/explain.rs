//! `keyfold explain KF012`: explains a rule, with an example that breaks it and one that does not.

use crate::complete;
use crate::failure::Failure;
use crate::output::Output;
use crate::terminal::{self, ACCENT, ERROR, FAINT, GOOD, STRONG};
use clap::Args;
use clap_complete::ArgValueCompleter;
use keyfold_model::{GRAMMAR, RULES, Rule};
use serde_json::json;

/// Where definitions of the grammar begin.
const DEFINITION_INDENT: usize = 13;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The code of a rule, such as KF012, or `grammar`; without it, all rules are listed.
    #[arg(add = ArgValueCompleter::new(complete::rules))]
    code: Option<String>,
}

pub(crate) fn run(arguments: &Arguments, output: Output) -> Result<(), Failure> {
    let Some(code) = &arguments.code else {
        let rules = || json!({ "rules": RULES.iter().map(view).collect::<Vec<_>>() });
        output.result(rules, list);
        return Ok(());
    };
    if code == "grammar" {
        output.result(
            || json!({ "grammar": GRAMMAR }),
            || {
                let lines = GRAMMAR.lines();
                lines.for_each(|line| terminal::hanging(line, DEFINITION_INDENT));
            },
        );
        return Ok(());
    }
    let rule = Rule::of_code(code).ok_or_else(|| {
        let known: Vec<&str> = RULES.iter().map(|rule| rule.code).collect();
        Failure::usage(format!(
            "there is no rule {code}; there are {}",
            known.join(", ")
        ))
    })?;
    output.result(|| json!({ "rules": [view(rule)] }), || show(rule));
    Ok(())
}

fn show(rule: &Rule) {
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
}

fn example(text: &str) {
    text.lines()
        .for_each(|line| terminal::line(&format!("  {line}")));
}

fn list() {
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
