//! Examples as people are shown them.

use crate::{attacks, words::example::Example};

/// An example for people: what the text is put into, the text, and a remark; lead and remark may be empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    /// What the text is put into.
    pub lead: &'static str,
    /// The text.
    pub text: &'static str,
    /// What to know about it.
    pub remark: &'static str,
}

/// The example for people.
#[must_use]
pub fn shown(example: Example) -> Shown {
    let shown = |lead, text, remark| Shown { lead, text, remark };
    match example {
        Example::Text(text) | Example::Case(text) => shown("", text, ""),
        Example::Manifest(text) if text.contains(": null") => shown("svc-app.json with", text, "null: left out"),
        Example::Manifest(text) => shown("svc-app.json with", text, ""),
        Example::Files(text) => match text.strip_prefix("- ") {
            Some(path) => shown("a package without", path, ""),
            None => shown("a package with", text, ""),
        },
        Example::Conformance(case) => {
            let name = case.rsplit('#').next().unwrap_or_default();
            let attack = attacks::ALL.iter().find(|attack| attack.name == name);
            shown("conformance case", case, attack.map_or("a good document", |attack| attack.about))
        }
    }
}
