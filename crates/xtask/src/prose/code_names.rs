//! Names of code in prose: each is defined, and a name after `::` is defined where the name before it is at home.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    imports::token::{Kind, Token, tokens},
    sources,
};

/// What the code defines.
pub(super) struct Code(Vec<File>);

/// One file: what it is called, what it defines, and what it is about.
struct File {
    /// The parts of its path below `src`, without the ending: names of modules.
    modules: Vec<String>,
    defined: BTreeSet<String>,
    macros: BTreeSet<String>,
    /// Types that it defines or has blocks `impl` for.
    types: BTreeSet<String>,
}

impl Code {
    pub(super) fn read() -> Self {
        Self::of(&sources::of_workspace().unwrap())
    }

    fn of(files: &BTreeMap<String, String>) -> Self {
        Self(files.iter().map(|(path, text)| File::of(path, text)).collect())
    }

    /// What is wrong with a text, if it has the form of a name of ours and is none.
    pub(super) fn fault(&self, text: &str) -> Option<String> {
        let name = text.trim_end_matches("()");
        let segments: Vec<&str> = name.split("::").collect();
        if let Some(name) = name.strip_suffix('!') {
            let known = self.0.iter().any(|file| file.macros.contains(name));
            return (!known).then(|| "is no macro of ours".to_owned());
        }
        if !segments.iter().all(|segment| is_name(segment)) {
            return None;
        }
        if let [name] = segments.as_slice() {
            let known = !is_clearly_ours(text, name) || self.0.iter().any(|file| file.knows(name));
            return (!known).then(|| "is defined nowhere".to_owned());
        }
        let unknown = segments.array_windows::<2>().find(|[home, name]| !self.is_defined_at(home, name));
        unknown.map(|[home, name]| format!("is wrong: nothing about `{home}` defines `{name}`"))
    }

    fn is_defined_at(&self, home: &str, name: &str) -> bool {
        let is_below = |file: &&File| file.modules.iter().any(|module| module == home) || file.types.contains(home);
        let is_module =
            |file: &File| file.modules.array_windows::<2>().any(|[parent, child]| parent == home && child == name);
        self.0.iter().any(is_module) || self.0.iter().filter(is_below).any(|file| file.defined.contains(name))
    }
}

impl File {
    fn of(path: &str, text: &str) -> Self {
        let below = path.split_once("/src/").map_or(path, |(_, below)| below).trim_end_matches(".rs");
        let modules = below.split('/').filter(|part| *part != "mod").map(str::to_owned).collect();
        let tokens = tokens(text);
        let mut file = Self { modules, defined: BTreeSet::new(), macros: BTreeSet::new(), types: BTreeSet::new() };
        let mut is_in_a_path = false;
        for (at, token) in tokens.iter().enumerate() {
            if !is_in_a_path {
                file.note(token, tokens.get(at + 1..).unwrap_or_default());
            }
            is_in_a_path = token.kind == Kind::PathSeparator;
        }
        file
    }

    fn note(&mut self, token: &Token, rest: &[Token]) {
        let next = rest.first().filter(|next| next.kind == Kind::Word).map(|next| next.text.clone());
        match token.text.as_str() {
            "struct" | "enum" | "trait" | "type" | "union" => {
                self.types.extend(next.clone());
                self.defined.extend(next);
            }
            "fn" | "const" | "static" | "mod" => self.defined.extend(next),
            "macro_rules" => self.macros.extend(rest.get(1).map(|name| name.text.clone())),
            "impl" => {
                let head = rest.iter().take_while(|token| !token.is_sign("{") && !token.is_sign(";"));
                self.types.extend(head.filter(|token| token.kind == Kind::Word).map(|token| token.text.clone()));
            }
            // A variant, or what a macro makes.
            word if token.kind == Kind::Word && word.starts_with(|first: char| first.is_ascii_uppercase()) => {
                let defines = rest
                    .first()
                    .is_some_and(|next| ["(", "{", "}", ",", "=", ":"].iter().any(|sign| next.is_sign(sign)));
                if defines {
                    self.defined.insert(word.to_owned());
                }
            }
            _ => {}
        }
    }

    fn knows(&self, name: &str) -> bool {
        self.defined.contains(name) || self.modules.iter().any(|module| module == name)
    }
}

fn is_name(text: &str) -> bool {
    let starts = text.starts_with(|first: char| first.is_ascii_alphabetic());
    starts && text.chars().all(|sign| sign.is_ascii_alphanumeric() || sign == '_')
}

/// A single word is taken for ours when it is `CamelCase`, `UPPER_CASE`, `snake_case`, or a call.
fn is_clearly_ours(text: &str, name: &str) -> bool {
    let upper = name.chars().all(|sign| sign.is_ascii_uppercase() || sign == '_');
    let starts_upper = name.starts_with(|first: char| first.is_ascii_uppercase());
    let has_lower = name.chars().any(|sign| sign.is_ascii_lowercase());
    text.ends_with("()") || name.contains('_') || (starts_upper && has_lower) || (upper && name.len() > 3)
}

#[test]
fn a_name_that_the_code_does_not_have_is_seen() {
    let files = BTreeMap::from([
        (
            "crates/core/src/json/read.rs".to_owned(),
            "pub fn open() {} pub struct Reader; macro_rules! made { () => {} }".to_owned(),
        ),
        (
            "crates/core/src/gate.rs".to_owned(),
            "pub enum Gate { Hash } impl super::Reader { fn close(&self) {} } const TABLE: u8 = 1;".to_owned(),
        ),
    ]);
    let code = Code::of(&files);
    for wrong in [
        "read::close",
        "Reader::shut",
        "json::write",
        "Writer",
        "TABLES",
        "made_up",
        "shut()",
        "missing!",
        "gate::open",
    ] {
        assert!(code.fault(wrong).is_some(), "{wrong}");
    }
    for right in
        ["read::open", "json::read", "json::read::open()", "Reader::close", "Gate::Hash", "Reader", "TABLE", "made!"]
    {
        assert_eq!(code.fault(right), None, "{right}");
    }
    for other in ["null", "valid", "SQL", "svc-app.json", "a b", "--check", "_meta"] {
        assert_eq!(code.fault(other), None, "{other}");
    }
}
