//! The step `circles`: no files of a crate import each other in a circle. Cargo holds the walls between crates.
//!
//! Names are followed through re-exports and macros to the file that defines them, so that a re-export hides no circle.
//! `mod`, `pub use` and test code count for nothing.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use anyhow::{Result, anyhow, ensure};
use proc_macro2::{Delimiter, TokenStream, TokenTree};

use crate::sources;

/// Names that lead through more re-exports than this lead nowhere.
const DEEPEST: usize = 24;

/// Fails with one path around each circle.
pub(crate) fn check() -> Result<()> {
    let circles = circles(&sources::of_workspace()?)?;
    ensure!(circles.is_empty(), "{} circles of imports:\n{}", circles.len(), circles.join("\n"));
    Ok(())
}

type Path = Vec<String>;

/// What one file writes, outside of tests.
#[derive(Debug, Default)]
struct Names {
    imports: Vec<Import>,
    /// Paths of two words or more.
    paths: Vec<Path>,
    /// Macros that it defines, and those that it calls by one word.
    defined: BTreeSet<String>,
    called: BTreeSet<String>,
    /// Modules in files of their own that only tests have.
    tests: Vec<String>,
}

/// One name of a `use`; `*` for all of a module.
#[derive(Debug)]
struct Import {
    name: String,
    path: Path,
    is_passed_on: bool,
}

/// The shortest way around each circle, one for each group of files that all reach each other.
fn circles(files: &BTreeMap<String, String>) -> Result<Vec<String>> {
    let mut modules = BTreeMap::new();
    for (file, text) in files {
        let mut names = Names::default();
        let tokens: TokenStream = text.parse().map_err(|fault| anyhow!("{file}: {fault}"))?;
        names.read(&tokens.into_iter().collect::<Vec<_>>());
        modules.insert(module_of(file), names);
    }
    let tests: Vec<Path> =
        modules.iter().flat_map(|(at, names)| names.tests.iter().map(move |test| below(at, test))).collect();
    modules.retain(|at, _| !tests.iter().any(|test| at.starts_with(test)));
    let modules = Modules(modules);
    let edges: BTreeMap<&Path, BTreeSet<&Path>> = modules.0.keys().map(|at| (at, modules.imported(at))).collect();
    let (mut done, mut circles) = (BTreeSet::new(), Vec::new());
    for start in edges.keys() {
        let Some(way) = (!done.contains(start)).then(|| way_back(&edges, start)).flatten() else { continue };
        circles.push(way.iter().map(|at| at.join("::")).collect::<Vec<_>>().join("\n    imports "));
        done.extend(way);
    }
    Ok(circles)
}

fn way_back<'a>(edges: &BTreeMap<&'a Path, BTreeSet<&'a Path>>, start: &'a Path) -> Option<Vec<&'a Path>> {
    let mut ways = VecDeque::from([vec![start]]);
    let mut seen = BTreeSet::new();
    while let Some(way) = ways.pop_front() {
        for to in edges.get(way.last()?).into_iter().flatten() {
            let longer = [&way[..], &[*to]].concat();
            if *to == start {
                return Some(longer);
            }
            if seen.insert(*to) {
                ways.push_back(longer);
            }
        }
    }
    None
}

/// `crates/one/src/a/b.rs` is `svc_one::a::b`.
fn module_of(file: &str) -> Path {
    let (folder, inside) = file.split_once("/src/").unwrap_or((file, ""));
    let name = folder.rsplit('/').next().unwrap_or(folder);
    let inside = inside.trim_end_matches(".rs").split('/').filter(|part| !["lib", "main", "mod"].contains(part));
    [format!("svc_{name}")].into_iter().chain(inside.map(str::to_owned)).collect()
}

fn below(at: &[String], name: &str) -> Path {
    [at, &[name.to_owned()]].concat()
}

struct Modules(BTreeMap<Path, Names>);

impl Modules {
    /// The other files that define what a file brings in.
    fn imported(&self, at: &Path) -> BTreeSet<&Path> {
        let Some(names) = self.0.get(at) else { return BTreeSet::new() };
        let imports = names.imports.iter().filter(|import| !import.is_passed_on);
        let globs = imports.clone().filter(|import| import.name == "*").flat_map(|import| self.all_of(at, import));
        let written = imports.map(|import| &import.path).chain(&names.paths).filter_map(|path| self.file_of(at, path));
        let called = names.called.iter().filter_map(|name| self.macro_of(at, name));
        globs.chain(written).chain(called).filter(|to| *to != at).collect()
    }

    /// The file that defines what a path names. Nothing for a module that is only walked through, or what is not ours.
    fn file_of(&self, at: &[String], path: &[String]) -> Option<&Path> {
        let (module, is_item) = self.resolve(at, path, DEEPEST)?;
        self.0.get_key_value(&module).filter(|_| is_item).map(|(file, _)| file)
    }

    /// A module that `*` empties, and the files of all that it passes on.
    fn all_of(&self, at: &[String], glob: &Import) -> Vec<&Path> {
        let Some((module, _)) = self.resolve(at, &glob.path, DEEPEST) else { return Vec::new() };
        let Some((file, names)) = self.0.get_key_value(&module) else { return Vec::new() };
        let passed_on = names.imports.iter().filter(|import| import.is_passed_on);
        let passed_on =
            passed_on.filter_map(|import| self.0.get_key_value(&self.resolve(file, &import.path, DEEPEST)?.0));
        [file].into_iter().chain(passed_on.map(|(file, _)| file)).collect()
    }

    /// A macro of the same crate that is called by its bare name.
    fn macro_of(&self, at: &[String], name: &str) -> Option<&Path> {
        let mut own = self.0.iter().filter(|(file, _)| file.first() == at.first());
        own.find(|(_, names)| names.defined.contains(name)).map(|(file, _)| file)
    }

    /// Where a path leads: a module, and whether to something inside it.
    fn resolve(&self, at: &[String], path: &[String], left: usize) -> Option<(Path, bool)> {
        let left = left.checked_sub(1)?;
        let (first, rest) = path.split_first()?;
        let mut place = match first.as_str() {
            "crate" => (at.get(..1)?.to_vec(), false),
            "self" => (at.to_vec(), false),
            "super" => (at.split_last()?.1.to_vec(), false),
            name if self.0.contains_key(std::slice::from_ref(first)) => (vec![name.to_owned()], false),
            name => self.named(at, name, left)?,
        };
        for name in rest {
            place = match (place, name.as_str()) {
                ((module, false), "super") => (module.split_last()?.1.to_vec(), false),
                ((module, false), "self") => (module, false),
                ((module, false), name) => match self.named(&module, name, left) {
                    Some(place) => place,
                    None => (self.macro_of(&module, name).cloned().unwrap_or(module), true),
                },
                (item, _) => item,
            };
        }
        Some(place)
    }

    /// A module below this one, or what a name means that this one brings in.
    fn named(&self, at: &[String], name: &str, left: usize) -> Option<(Path, bool)> {
        let child = below(at, name);
        if self.0.contains_key(&child) {
            return Some((child, false));
        }
        let imports = &self.0.get(at)?.imports;
        let import = imports.iter().find(|import| import.name == name && import.path != [name])?;
        self.resolve(at, &import.path, left)
    }
}

impl Names {
    fn read(&mut self, tokens: &[TokenTree]) {
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            let rest = tokens.get(at..).unwrap_or_default();
            at += match token {
                TokenTree::Group(group) => {
                    self.read(&group.stream().into_iter().collect::<Vec<_>>());
                    1
                }
                TokenTree::Punct(sign) if sign.as_char() == '#' && is_for_tests(rest) => self.skip_item(rest),
                TokenTree::Ident(word) if word == "use" && !is_sign(rest.get(1), '<') => {
                    let end = rest.iter().position(|token| is_sign(Some(token), ';')).unwrap_or(rest.len());
                    let before = tokens.get(at.saturating_sub(2)..at).unwrap_or_default();
                    let is_passed_on = before.iter().any(|token| is_word(Some(token), "pub"));
                    self.import(rest.get(1..end).unwrap_or_default(), &[], is_passed_on);
                    end
                }
                TokenTree::Ident(word) if word == "mod" && matches!(rest.get(2), Some(TokenTree::Group(_))) => {
                    self.inline(rest.get(2));
                    3
                }
                TokenTree::Ident(_) => self.path(rest),
                TokenTree::Punct(_) | TokenTree::Literal(_) => 1,
            };
        }
    }

    /// A module in braces: what it names, as the file around it would.
    fn inline(&mut self, body: Option<&TokenTree>) {
        let Some(TokenTree::Group(body)) = body else { return };
        let mut inner = Self::default();
        inner.read(&body.stream().into_iter().collect::<Vec<_>>());
        for path in inner.imports.into_iter().map(|import| import.path).chain(inner.paths) {
            self.paths.push(match path.split_first() {
                Some((first, rest)) if first == "super" && rest.first().is_some_and(|next| next == "super") => {
                    rest.to_vec()
                }
                Some((first, rest)) if first == "super" => [&["self".to_owned()], rest].concat(),
                _ => path,
            });
        }
        self.defined.extend(inner.defined);
        self.called.extend(inner.called);
    }

    /// The branches of a `use`.
    fn import(&mut self, tokens: &[TokenTree], before: &[String], is_passed_on: bool) {
        for branch in tokens.split(|token| is_sign(Some(token), ',')) {
            let (mut path, mut renamed) = (before.to_vec(), None);
            for (at, token) in branch.iter().enumerate() {
                match token {
                    TokenTree::Group(group) => {
                        let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                        self.import(&inner, &path, is_passed_on);
                        path.clear();
                    }
                    TokenTree::Ident(word) if word == "as" => renamed = branch.get(at + 1).map(ToString::to_string),
                    TokenTree::Ident(word) if renamed.is_none() => path.push(plain(word)),
                    TokenTree::Punct(sign) if sign.as_char() == '*' => renamed = Some("*".to_owned()),
                    TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => {}
                }
            }
            if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
                path.pop();
            }
            if let Some(last) = path.last() {
                self.imports.push(Import { name: renamed.unwrap_or_else(|| last.clone()), path, is_passed_on });
            }
        }
    }

    /// Words joined by `::`, in code or in the body of a macro. How many tokens that are.
    fn path(&mut self, rest: &[TokenTree]) -> usize {
        let (mut path, mut at) = (Vec::new(), 0);
        while let Some(TokenTree::Ident(word)) = rest.get(at) {
            path.push(plain(word));
            at += 1;
            if !(is_sign(rest.get(at), ':') && is_sign(rest.get(at + 1), ':')) {
                break;
            }
            at += 2;
        }
        let is_call = is_sign(rest.get(at), '!') && matches!(rest.get(at + 1), Some(TokenTree::Group(_)));
        match path.as_slice() {
            [only] if only == "macro_rules" => self.defined.extend(rest.get(2).map(ToString::to_string)),
            [only] if is_call => self.called.extend([only.clone()]),
            [_] => {}
            _ => self.paths.push(path),
        }
        at.max(1)
    }

    /// Notes the file of a module that only tests have. How many tokens the item has, with its attributes.
    fn skip_item(&mut self, rest: &[TokenTree]) -> usize {
        let is_end = |token: &TokenTree| {
            let is_body = matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
            is_body || is_sign(Some(token), ';')
        };
        let item = rest.iter().position(is_end).map_or(rest.len(), |end| end + 1);
        // The value of a constant may stand in braces, with the semicolon behind them.
        let item = item + usize::from(is_sign(rest.get(item), ';'));
        if let Some([_, name, end]) = rest.get(..item).and_then(<[_]>::last_chunk::<3>)
            && is_word(rest.get(item.saturating_sub(3)), "mod")
            && is_sign(Some(end), ';')
        {
            self.tests.push(name.to_string());
        }
        item
    }
}

/// Whether an attribute stands here that holds in tests only.
fn is_for_tests(rest: &[TokenTree]) -> bool {
    let Some(TokenTree::Group(attribute)) = rest.get(1) else { return false };
    let condition = attribute.stream().to_string();
    let has = |word: &str| condition.split(|sign: char| !sign.is_ascii_alphanumeric()).any(|part| part == word);
    condition == "test" || (has("cfg") && has("test") && !has("not") && !has("any"))
}

fn is_sign(token: Option<&TokenTree>, sign: char) -> bool {
    matches!(token, Some(TokenTree::Punct(found)) if found.as_char() == sign)
}

fn is_word(token: Option<&TokenTree>, word: &str) -> bool {
    matches!(token, Some(TokenTree::Ident(found)) if found == word)
}

fn plain(word: &proc_macro2::Ident) -> String {
    word.to_string().trim_start_matches("r#").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(sources: &[(&str, &str)]) -> Vec<String> {
        let files = sources.iter().map(|(path, text)| (format!("crates/one/src/{path}"), (*text).to_owned()));
        circles(&files.collect()).unwrap()
    }

    #[test]
    fn a_circle_is_seen_through_re_exports_globs_macros_and_parents() {
        for (a, b, more) in [
            ("use crate::b::B;", "use crate::A;", ("lib.rs", "mod a; mod b; pub use a::A;")),
            ("fn a() { crate::b::b() }", "use crate::all::*;", ("all.rs", "pub use crate::a::*;")),
            ("use crate::b::C;", "mod c; use crate::a::A; pub use c::C;", ("b/c.rs", "use super::A;")),
            ("macro_rules! made { () => { $crate::b::b() } }", "crate::made!();", ("lib.rs", "")),
            ("macro_rules! made { () => { $crate::b::b() } }", "made! {}", ("lib.rs", "")),
            ("use crate::b::b;", "use crate::{a::{self as other, C}, D}; fn b() { other::a() }", ("lib.rs", "")),
            ("use crate::b::b;", "fn b() -> super::a::A { loop {} }", ("lib.rs", "")),
            ("use crate::b::b;", "fn b() { crate::a::r#a() }", ("lib.rs", "")),
            ("use crate::b; fn a() { b::b() }", "use crate::a::A; impl B { fn a(&self) {} }", ("lib.rs", "")),
            ("use crate::b::b;", "#[cfg(not(test))] use crate::a::A;", ("lib.rs", "")),
            ("use crate::b::b;", "mod inner { fn b() { super::super::a::a() } }", ("lib.rs", "")),
            ("use crate::b::b;", "#[cfg(any(test, unix))] use crate::a::A;", ("lib.rs", "")),
            ("use crate::b::b;", "#[cfg(test)] const T: u8 = { 1 }; use crate::a::A;", ("lib.rs", "")),
        ] {
            let circles = found(&[("a.rs", a), ("b.rs", b), more]);
            assert_eq!(circles.len(), 1, "{a} {b}: {circles:?}");
        }
        let circles = found(&[("a.rs", "use crate::b::b;"), ("b.rs", "use crate::a::a;")]);
        assert_eq!(circles, ["svc_one::a\n    imports svc_one::b\n    imports svc_one::a"]);
    }

    #[test]
    fn what_only_looks_like_an_import_is_none() {
        for text in [
            "// use crate::a::A;\n/* crate::a::a() */\n/// See [`crate::a::A`].\nfn b() {}",
            "const B: &str = \"use crate::a::A;\";",
            "#[cfg(test)] mod tests { use crate::a::A; }",
            "#[cfg(all(unix, test))] use crate::a::A;",
            "#[cfg(test)] #[allow(unused)] pub(crate) fn b<A, B>() where A: B { crate::a::a() } fn c() {}",
            "#[test] fn b() { crate::a::a() }",
            "#[cfg(test)] const B: [u8; 1] = { crate::a::A };",
            "#[cfg(test)] mod tests;",
            "pub use crate::a::A;",
            "use crate::a;",
            "mod inner { use super::c::d; }",
        ] {
            let circles = found(&[("a.rs", "use crate::b::b;"), ("b.rs", text), ("b/tests.rs", "use crate::a::A;")]);
            assert_eq!(circles, [""; 0], "{text}");
        }
    }
}
