//! The head of a method.

use super::print::Printer;

/// A parameter of a method.
#[derive(Clone)]
pub(super) struct Parameter {
    /// Its name and type; of an option, its default.
    pub(super) text: String,
    /// Whether it may be left out.
    pub(super) is_optional: bool,
    /// Whether an argument needs those of the optional parameters before it.
    pub(super) is_chained: bool,
}

impl Parameter {
    pub(super) fn plain(text: &str) -> Parameter {
        Parameter {
            text: text.to_owned(),
            is_optional: false,
            is_chained: false,
        }
    }

    fn shown(&self) -> String {
        if self.is_optional {
            format!("{} | None = None", self.text)
        } else {
            self.text.clone()
        }
    }
}

/// A method.
pub(super) struct Method<'m> {
    pub(super) name: &'m str,
    pub(super) is_async: bool,
}

impl Method<'_> {
    pub(super) fn of(name: &str) -> Method<'_> {
        Method {
            name,
            is_async: false,
        }
    }

    /// A head for each number of optional arguments that go together, where there are several. The
    /// last one of each may be `None`, so that a caller's value that may be absent is taken.
    pub(super) fn print_overloads(&self, all: &[Parameter], result: &str, out: &mut Printer) {
        let chained = all.iter().filter(|one| one.is_chained).count();
        if chained < 2 {
            return;
        }
        for given in 1..=chained {
            let mut left = given;
            let mut parameters: Vec<Parameter> = Vec::new();
            for one in all {
                if !one.is_chained {
                    parameters.push(one.clone());
                } else if left > 0 {
                    left -= 1;
                    parameters.push(Parameter {
                        is_optional: left == 0,
                        ..one.clone()
                    });
                }
            }
            out.line(1, "@overload");
            self.print(&keyword_only(&parameters), result, " ...", out);
            out.gap();
        }
    }

    /// The head, with parameters that are named.
    pub(super) fn print_open(&self, parameters: &[Parameter], result: &str, out: &mut Printer) {
        let shown = if self.name == "__init__" {
            positional(parameters)
        } else {
            keyword_only(parameters)
        };
        self.print(&shown, result, "", out);
    }

    /// The head, with parameters by position.
    pub(super) fn print_positional(
        &self,
        parameters: &[Parameter],
        result: &str,
        out: &mut Printer,
    ) {
        self.print(&positional(parameters), result, "", out);
    }

    /// A head of several, with parameters by position.
    pub(super) fn print_overload(&self, all: &[Parameter], result: &str, out: &mut Printer) {
        out.line(1, "@overload");
        self.print(&positional(all), result, " ...", out);
        out.gap();
    }

    /// The head of a factory, whose parameters by name are values, behind those that it refers to.
    pub(super) fn print_factory(&self, values: &[Parameter], result: &str, out: &mut Printer) {
        let related = "_related: Mapping[str, object] | None = None".to_owned();
        let mut shown = vec!["self".to_owned(), related, "/".to_owned()];
        shown.extend(keyword_only(values).into_iter().skip(1));
        self.print(&shown, result, "", out);
    }

    fn print(&self, parameters: &[String], result: &str, end: &str, out: &mut Printer) {
        let word = if self.is_async { "async def" } else { "def" };
        let open = format!("{word} {}(", self.name);
        out.bracketed(1, &open, parameters, &format!(") -> {result}:{end}"));
    }
}

fn positional(parameters: &[Parameter]) -> Vec<String> {
    let own = std::iter::once("self".to_owned());
    own.chain(parameters.iter().map(Parameter::shown)).collect()
}

fn keyword_only(parameters: &[Parameter]) -> Vec<String> {
    let mut shown = vec!["self".to_owned()];
    if !parameters.is_empty() {
        shown.push("*".to_owned());
    }
    shown.extend(parameters.iter().map(Parameter::shown));
    shown
}
