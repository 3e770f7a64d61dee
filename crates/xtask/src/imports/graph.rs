//! Which file imports which, and where that runs in a circle.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    fmt,
};

use super::{
    modules::{Modules, Place},
    source::{Import, Written},
};

/// Where one file brings in something of another, first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Use {
    pub(crate) line: usize,
    pub(crate) path: String,
}

/// Imports between files, test code aside.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    edges: BTreeMap<String, BTreeMap<String, Use>>,
}

/// One way around a circle, and how many files it ties together.
#[derive(Debug)]
pub(crate) struct Circle {
    /// From each file to the next, and from the last to the first.
    pub(crate) steps: Vec<(String, Use)>,
    pub(crate) files: usize,
}

impl fmt::Display for Circle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a circle of imports between {} files; move what they share into a file below them:", self.files)?;
        self.steps.iter().try_for_each(|(file, found)| write!(f, "\n    {file}:{} `{}`", found.line, found.path))
    }
}

impl Graph {
    pub(crate) fn of(modules: &Modules) -> Self {
        let mut graph = Self::default();
        for (at, module) in modules.all.iter().enumerate() {
            graph.edges.entry(module.file.clone()).or_default();
            let globs = module.scope.imports.iter().filter(|import| import.name.is_none());
            if globs.count() > 0 {
                graph.add_globbed(modules, at);
            }
            for import in module.scope.imports.iter().filter(|import| !import.is_public) {
                graph.add_import(modules, at, import);
            }
            for path in &module.scope.paths {
                graph.add_path(modules, at, path);
            }
        }
        graph
    }

    /// What an import brings in. A module that is only walked through is counted where something in it is named.
    fn add_import(&mut self, modules: &Modules, at: usize, import: &Import) {
        let Some(module) = modules.all.get(at) else { return };
        let starts_with = |path: &Written| path.segments.len() > 1 && path.segments.first() == import.name.as_ref();
        let defines = match modules.resolve(at, &import.segments) {
            Some(Place::Item(defines)) => defines,
            Some(Place::Module(_)) if import.name.is_some() && module.scope.paths.iter().any(starts_with) => return,
            Some(Place::Module(named)) => named,
            Some(Place::Elsewhere) | None => return,
        };
        let mut path = import.segments.join("::");
        if import.name.is_none() {
            path += "::*";
        }
        self.add(modules, at, defines, import.line, path);
    }

    fn add_path(&mut self, modules: &Modules, at: usize, written: &Written) {
        let place = match written.segments.as_slice() {
            [name] if written.is_macro => match modules.resolve(at, &written.segments) {
                Some(place) => Some(place),
                None => modules.macro_of(at, name).map(Place::Item),
            },
            segments => modules.resolve(at, segments),
        };
        if let Some(Place::Item(defines) | Place::Module(defines)) = place {
            self.add(modules, at, defines, written.line, written.segments.join("::"));
        }
    }

    /// Names that a glob brings in lead to the file that defines them, also when the glob's module only passes them on.
    fn add_globbed(&mut self, modules: &Modules, at: usize) {
        let Some(module) = modules.all.get(at) else { return };
        let line = module.scope.imports.iter().find(|import| import.name.is_none()).map_or(1, |glob| glob.line);
        let is_passed_on =
            module.scope.imports.iter().filter(|import| import.name.is_none()).all(|glob| glob.is_public);
        for name in module.scope.mentioned.iter().filter(|_| !is_passed_on) {
            if let Some(Place::Item(defines)) = modules.resolve(at, std::slice::from_ref(name)) {
                self.add(modules, at, defines, line, format!("{name}, brought in by `*`"));
            }
        }
    }

    fn add(&mut self, modules: &Modules, from: usize, to: usize, line: usize, path: String) {
        let (Some(from), Some(to)) = (modules.all.get(from), modules.all.get(to)) else { return };
        if from.file != to.file {
            let uses = self.edges.entry(from.file.clone()).or_default();
            let found = Use { line, path };
            let first = uses.entry(to.file.clone()).or_insert_with(|| found.clone());
            if found.line < first.line {
                *first = found;
            }
        }
    }

    pub(crate) fn files(&self) -> impl Iterator<Item = &str> {
        self.edges.keys().map(String::as_str)
    }

    /// What a file brings in, by file.
    pub(crate) fn uses(&self, file: &str) -> impl Iterator<Item = (&str, &Use)> {
        self.edges.get(file).into_iter().flatten().map(|(to, found)| (to.as_str(), found))
    }

    /// Every file that a file needs, through whatever lies between, without itself.
    pub(crate) fn reach(&self, file: &str) -> BTreeSet<&str> {
        let mut seen = BTreeSet::new();
        let mut next: Vec<&str> = self.uses(file).map(|(to, _)| to).collect();
        while let Some(file) = next.pop() {
            if seen.insert(file) {
                next.extend(self.uses(file).map(|(to, _)| to));
            }
        }
        seen.remove(file);
        seen
    }

    /// One circle for each group of files that all reach each other.
    pub(crate) fn circles(&self) -> Vec<Circle> {
        let reach: BTreeMap<&str, BTreeSet<&str>> = self.files().map(|file| (file, self.reach(file))).collect();
        let reaches = |from: &str, to: &str| reach.get(from).is_some_and(|seen| seen.contains(to));
        let mut done = BTreeSet::new();
        let mut circles = Vec::new();
        for file in self.files() {
            let tied: BTreeSet<&str> = self.files().filter(|to| reaches(file, to) && reaches(to, file)).collect();
            if !tied.is_empty() && done.insert(file) {
                done.extend(&tied);
                circles.push(Circle { steps: self.way_around(file), files: tied.len() + 1 });
            }
        }
        circles
    }

    /// The shortest way from a file back to itself.
    fn way_around(&self, start: &str) -> Vec<(String, Use)> {
        let mut ways = VecDeque::from([(start, Vec::new())]);
        let mut seen = BTreeSet::new();
        while let Some((file, way)) = ways.pop_front() {
            for (to, found) in self.uses(file) {
                let step = (file.to_owned(), found.clone());
                let way: Vec<(String, Use)> = way.iter().cloned().chain([step]).collect();
                if to == start {
                    return way;
                }
                if seen.insert(to) {
                    ways.push_back((to, way));
                }
            }
        }
        Vec::new()
    }
}
