//! The modules of the workspace, and where a name that is written in one of them is defined.

use std::collections::{BTreeMap, BTreeSet};

use super::source::{Import, Scope, Source};

/// Source files by their path below the root of the repository.
pub(crate) type Files = BTreeMap<String, String>;

/// A crate: the name that others import it by, and the files its targets start with.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) roots: Vec<String>,
}

/// All modules of all crates.
#[derive(Debug, Default)]
pub(crate) struct Modules {
    pub(crate) all: Vec<Module>,
    /// The root module of each library.
    libraries: BTreeMap<String, usize>,
    /// Files that only tests have.
    pub(crate) tests: BTreeSet<String>,
}

/// One module.
#[derive(Debug)]
pub(crate) struct Module {
    pub(crate) file: String,
    pub(crate) scope: Scope,
    root: usize,
    parent: Option<usize>,
    children: BTreeMap<String, usize>,
    /// Macros of the whole crate, kept in its root: all of them, and those that a path finds there.
    macros: BTreeMap<String, usize>,
    exported_macros: BTreeMap<String, usize>,
}

/// Where a path leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Module(usize),
    /// Something that this module defines.
    Item(usize),
    /// Out of the workspace.
    Elsewhere,
}

/// Names that lead through more re-exports than this lead nowhere.
const DEEPEST: usize = 24;

impl Modules {
    pub(crate) fn read(members: &[Member], files: &Files) -> Self {
        let mut modules = Self::default();
        for member in members {
            for root in member.roots.iter().filter(|root| files.contains_key(*root)) {
                let at = modules.all.len();
                modules.follow(files, root, None, "");
                if root.ends_with("src/lib.rs") {
                    modules.libraries.insert(member.name.clone(), at);
                }
            }
        }
        modules
    }

    /// Reads a file and those of the modules that it declares.
    fn follow(&mut self, files: &Files, file: &str, parent: Option<usize>, name: &str) {
        let Some(text) = files.get(file) else { return };
        let Source { mut scopes, test_modules, macros } = Source::read(text);
        scopes.sort_by_key(|scope| scope.path.len());
        let folder = folder_of_children(file, parent.is_none());
        for test in test_modules {
            self.follow_tests(files, &folder, &test);
        }
        let own = self.all.len();
        let mut placed: BTreeMap<Vec<String>, usize> = BTreeMap::new();
        for scope in scopes {
            let (parent, name) = match scope.path.split_last() {
                None => (parent, name.to_owned()),
                Some((last, before)) => (placed.get(before).copied(), last.clone()),
            };
            let (path, children) = (scope.path.clone(), scope.children.clone());
            let at = self.add(file, scope, parent, &name);
            for child in children {
                let inline: String = path.iter().map(|name| format!("/{name}")).collect();
                let below = format!("{folder}{inline}/{child}");
                let candidates = [format!("{below}.rs"), format!("{below}/mod.rs")];
                if let Some(found) = candidates.iter().find(|candidate| files.contains_key(*candidate)) {
                    self.follow(files, found, Some(at), &child);
                }
            }
            placed.insert(path, at);
        }
        self.note_macros(own, macros);
    }

    fn add(&mut self, file: &str, scope: Scope, parent: Option<usize>, name: &str) -> usize {
        let at = self.all.len();
        let root = parent.and_then(|parent| self.all.get(parent)).map_or(at, |parent| parent.root);
        if let Some(parent) = parent.and_then(|parent| self.all.get_mut(parent)) {
            parent.children.insert(name.to_owned(), at);
        }
        let (children, macros, exported_macros) = Default::default();
        self.all.push(Module { file: file.to_owned(), scope, root, parent, children, macros, exported_macros });
        at
    }

    fn note_macros(&mut self, own: usize, macros: Vec<(String, bool)>) {
        let root = self.all.get(own).map(|module| module.root);
        let Some(root) = root.and_then(|root| self.all.get_mut(root)) else { return };
        for (name, exported) in macros {
            if exported {
                root.exported_macros.insert(name.clone(), own);
            }
            root.macros.insert(name, own);
        }
    }

    /// Notes the file of a test module, and of those below it.
    fn follow_tests(&mut self, files: &Files, folder: &str, name: &str) {
        let (file, below) = (format!("{folder}/{name}.rs"), format!("{folder}/{name}/"));
        let of_module = files.keys().filter(|path| **path == file || path.starts_with(&below));
        self.tests.extend(of_module.cloned());
    }

    /// Where a path leads that is written in a module. Nothing for a name that the module does not bring in.
    pub(crate) fn resolve(&self, from: usize, path: &[String]) -> Option<Place> {
        self.resolve_within(from, path, DEEPEST)
    }

    fn resolve_within(&self, from: usize, path: &[String], left: usize) -> Option<Place> {
        let left = left.checked_sub(1)?;
        let module = self.all.get(from)?;
        let (first, mut rest) = path.split_first()?;
        let mut place = match first.as_str() {
            "crate" => Place::Module(module.root),
            "self" => Place::Module(from),
            "super" => Place::Module(module.parent?),
            name => self.named(from, name, left).or_else(|| Some(Place::Module(*self.libraries.get(name)?)))?,
        };
        while let (Place::Module(at), Some((next, after))) = (place, rest.split_first()) {
            rest = after;
            place = match next.as_str() {
                "super" => Place::Module(self.all.get(at)?.parent?),
                "self" => place,
                name => self.named(at, name, left).unwrap_or(Place::Item(at)),
            };
        }
        Some(place)
    }

    /// What a name means inside a module, through whatever it brings in or passes on.
    fn named(&self, at: usize, name: &str, left: usize) -> Option<Place> {
        let left = left.checked_sub(1)?;
        let module = self.all.get(at)?;
        if let Some(child) = module.children.get(name) {
            return Some(Place::Module(*child));
        }
        if let Some(import) = module.scope.imports.iter().find(|import| import.name.as_deref() == Some(name)) {
            let is_itself = import.segments.len() == 1 && import.segments.first().is_some_and(|first| first == name);
            // `pub(crate) use name;` passes a macro on, which stands above it in the same file or another.
            let passed_on = || self.macro_of(at, name).map(Place::Item);
            let found = if is_itself { None } else { self.resolve_within(at, &import.segments, left) };
            return Some(found.or_else(passed_on).unwrap_or(Place::Elsewhere));
        }
        // Behind the imports: a function or a method may bear the name of a module that the file brings in.
        if module.scope.defined.contains(name) {
            return Some(Place::Item(at));
        }
        if module.root == at
            && let Some(defines) = module.exported_macros.get(name)
        {
            return Some(Place::Item(*defines));
        }
        self.named_by_glob(at, name, left)
    }

    fn named_by_glob(&self, at: usize, name: &str, left: usize) -> Option<Place> {
        let module = self.all.get(at)?;
        let globs = module.scope.imports.iter().filter(|import| import.name.is_none());
        let sources: Vec<usize> = globs.filter_map(|glob| self.module_of(at, glob, left)).collect();
        let defined = sources.iter().find_map(|source| self.named(*source, name, left));
        // A macro may have made it: then the name stands somewhere in that file.
        let made = || {
            let mentions =
                |source: &&usize| self.all.get(**source).is_some_and(|source| source.scope.mentioned.contains(name));
            sources.iter().find(mentions).map(|source| Place::Item(*source))
        };
        defined.or_else(made)
    }

    fn module_of(&self, at: usize, import: &Import, left: usize) -> Option<usize> {
        match self.resolve_within(at, &import.segments, left)? {
            Place::Module(found) => Some(found),
            Place::Item(_) | Place::Elsewhere => None,
        }
    }

    /// The module that defines a macro of the same crate.
    pub(crate) fn macro_of(&self, at: usize, name: &str) -> Option<usize> {
        let root = self.all.get(at)?.root;
        self.all.get(root)?.macros.get(name).copied()
    }
}

/// `a/mod.rs` and a target's first file hold the modules beside them, `a.rs` those in `a/`.
fn folder_of_children(file: &str, is_root: bool) -> String {
    let (folder, name) = file.rsplit_once('/').unwrap_or(("", file));
    match name.strip_suffix(".rs") {
        Some(stem) if !is_root && stem != "mod" => format!("{folder}/{stem}"),
        Some(_) | None => folder.to_owned(),
    }
}
