//! What one file says about names: which it brings in, which it passes on, which it defines, and which paths it writes.

use std::collections::BTreeSet;

use super::{
    test_code::{Kept, without_tests},
    token::{Kind, Token, group_end, tokens},
};

/// A file, read.
#[derive(Debug)]
pub(crate) struct Source {
    /// The file's own module, which has an empty path, and the modules that it holds in braces.
    pub(crate) scopes: Vec<Scope>,
    /// Modules that only tests have.
    pub(crate) test_modules: Vec<String>,
    /// Macros by name, with whether the root of the crate has them.
    pub(crate) macros: Vec<(String, bool)>,
}

/// A module: the file's own, or one in braces inside it.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    /// Below the file's own module.
    pub(crate) path: Vec<String>,
    /// Modules in files of their own.
    pub(crate) children: Vec<String>,
    pub(crate) imports: Vec<Import>,
    /// Paths of two words or more, and macros that are called by one word.
    pub(crate) paths: Vec<Written>,
    /// Names after `struct`, `fn` and the like.
    pub(crate) defined: BTreeSet<String>,
    /// Every other name: what a macro may define, or what a glob import may bring in.
    pub(crate) mentioned: BTreeSet<String>,
}

/// A path in the text.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    pub(crate) segments: Vec<String>,
    pub(crate) line: usize,
    pub(crate) is_macro: bool,
}

/// One name of a `use`.
#[derive(Clone, Debug)]
pub(crate) struct Import {
    /// Nothing for `*`.
    pub(crate) name: Option<String>,
    pub(crate) segments: Vec<String>,
    pub(crate) line: usize,
    /// Whether it is passed on, by `pub` of any reach.
    pub(crate) is_public: bool,
}

impl Source {
    pub(crate) fn read(text: &str) -> Self {
        let Kept { tokens, test_modules } = without_tests(&tokens(text));
        let mut walk = Walk { tokens: &tokens, ..Walk::default() };
        while let Some(token) = tokens.get(walk.at) {
            walk.step(token);
        }
        let mut scopes = walk.closed;
        scopes.push(walk.scope);
        scopes.extend(walk.outer.into_iter().map(|(scope, _)| scope));
        Self { scopes, test_modules, macros: walk.macros }
    }
}

#[derive(Default)]
struct Walk<'t> {
    tokens: &'t [Token],
    at: usize,
    depth: usize,
    scope: Scope,
    /// The scopes around it, each with the depth at which it goes on.
    outer: Vec<(Scope, usize)>,
    closed: Vec<Scope>,
    macros: Vec<(String, bool)>,
}

impl Walk<'_> {
    fn step(&mut self, token: &Token) {
        match (token.kind, token.text.as_str()) {
            (Kind::Sign, "{") => self.depth += 1,
            (Kind::Sign, "}") => {
                self.depth = self.depth.saturating_sub(1);
                if let Some((outer, _)) = self.outer.pop_if(|(_, depth)| *depth == self.depth) {
                    self.closed.push(std::mem::replace(&mut self.scope, outer));
                }
            }
            (Kind::Word, "pub") => return self.visibility(),
            (Kind::Word, "mod") if self.word(1).is_some() => return self.module(),
            // `use<'a>` in a type brings in nothing.
            (Kind::Word, "use") if !self.is_sign(1, "<") => return self.import(false),
            (Kind::Word, "macro_rules") if self.is_sign(1, "!") => self.macro_rules(),
            (Kind::Word, "struct" | "enum" | "union" | "trait" | "fn" | "type" | "const" | "static") => {
                if let Some(name) = self.word(1) {
                    let name = name.to_owned();
                    self.scope.defined.insert(name);
                }
            }
            (Kind::Word, _) => return self.path(),
            (Kind::PathSeparator | Kind::Sign | Kind::Literal | Kind::Lifetime, _) => {}
        }
        self.at += 1;
    }

    /// `pub`, `pub(crate)`, `pub(in path)`: the path in it is no import.
    fn visibility(&mut self) {
        self.at += 1;
        let alone = matches!(self.word(1), Some("crate" | "super" | "self")) && self.is_sign(2, ")");
        if self.is_sign(0, "(") && (alone || self.word(1) == Some("in")) {
            self.at = group_end(self.tokens, self.at);
        }
        if self.word(0) == Some("use") {
            self.import(true);
        }
    }

    fn module(&mut self) {
        let Some(name) = self.word(1).map(str::to_owned) else { return };
        if self.is_sign(2, ";") {
            self.scope.children.push(name);
        } else if self.is_sign(2, "{") {
            let mut path = self.scope.path.clone();
            path.push(name);
            let inner = Scope { path, ..Scope::default() };
            self.outer.push((std::mem::replace(&mut self.scope, inner), self.depth));
            self.depth += 1;
        }
        self.at += 3;
    }

    fn macro_rules(&mut self) {
        let before = self.tokens.get(self.at.saturating_sub(40)..self.at).unwrap_or_default();
        // Attributes and comments of an item end where the item before it did.
        let own = before.iter().rev().take_while(|token| !token.is_sign("}") && !token.is_sign(";"));
        let exported = own.into_iter().any(|token| token.is_word("macro_export"));
        if let Some(name) = self.word(2).map(str::to_owned) {
            self.scope.defined.insert(name.clone());
            self.macros.push((name, exported));
        }
        self.at += 2;
    }

    fn import(&mut self, is_public: bool) {
        self.at += 1;
        self.tree(&[], is_public);
    }

    /// One branch of a `use`, up to its comma, brace or semicolon.
    fn tree(&mut self, before: &[String], is_public: bool) {
        let mut segments = before.to_vec();
        while let Some(token) = self.tokens.get(self.at) {
            let line = token.line;
            match (token.kind, token.text.as_str()) {
                (Kind::Sign, "{") => return self.branches(&segments, is_public),
                (Kind::Sign, "*") => {
                    self.at += 1;
                    self.scope.imports.push(Import { name: None, segments, line, is_public });
                    return;
                }
                (Kind::PathSeparator, _) => self.at += 1,
                (Kind::Sign, "$") => self.at += 1,
                (Kind::Word, word) => {
                    segments.push(word.to_owned());
                    self.at += 1;
                    if !self.tokens.get(self.at).is_some_and(|next| next.kind == Kind::PathSeparator) {
                        return self.leaf(segments, line, is_public);
                    }
                }
                (Kind::Sign | Kind::Literal | Kind::Lifetime, _) => return,
            }
        }
    }

    fn branches(&mut self, before: &[String], is_public: bool) {
        let end = group_end(self.tokens, self.at);
        self.at += 1;
        while self.at + 1 < end {
            let start = self.at;
            self.tree(before, is_public);
            if self.is_sign(0, ",") || self.at == start {
                self.at += 1;
            }
        }
        self.at = end;
    }

    fn leaf(&mut self, mut segments: Vec<String>, line: usize, is_public: bool) {
        if segments.len() > 1 && segments.last().is_some_and(|last| last == "self") {
            segments.pop();
        }
        let mut name = segments.last().cloned();
        if self.word(0) == Some("as") {
            name = self.word(1).map(str::to_owned);
            self.at += 2;
        }
        self.scope.imports.push(Import { name, segments, line, is_public });
    }

    /// A path in code: words joined by `::`, with the `$` of `$crate` before it at most.
    fn path(&mut self) {
        let Some(first) = self.tokens.get(self.at) else { return };
        let mut segments = vec![first.text.clone()];
        self.at += 1;
        while self.tokens.get(self.at).is_some_and(|token| token.kind == Kind::PathSeparator) {
            let Some(next) = self.word(1).map(str::to_owned) else { break };
            segments.push(next);
            self.at += 2;
        }
        let is_macro = self.is_sign(0, "!") && ["(", "[", "{"].iter().any(|open| self.is_sign(1, open));
        let line = first.line;
        if segments.len() > 1 || is_macro {
            self.scope.paths.push(Written { segments: segments.clone(), line, is_macro });
        }
        self.scope.mentioned.extend(segments.into_iter().next());
    }

    fn word(&self, ahead: usize) -> Option<&str> {
        let token = self.tokens.get(self.at + ahead)?;
        (token.kind == Kind::Word).then_some(token.text.as_str())
    }

    fn is_sign(&self, ahead: usize, sign: &str) -> bool {
        self.tokens.get(self.at + ahead).is_some_and(|token| token.is_sign(sign))
    }
}
