//! Where the code differs from the order that ARCHITECTURE.md states: each fault with its place and a way out.

use std::collections::BTreeSet;

use super::{
    graph::Graph,
    manifest::Manifest,
    modules::{Files, Modules},
    plan::{Floors, Plan, Reach, names},
};

/// The page that states the order.
pub(crate) const PAGE: &str = "ARCHITECTURE.md";

/// What is compared.
pub(crate) struct House<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) manifests: &'a [Manifest],
    pub(crate) files: &'a Files,
    pub(crate) modules: &'a Modules,
    pub(crate) graph: &'a Graph,
}

impl House<'_> {
    /// All faults. Circles in an exempt crate are none.
    pub(crate) fn faults(&self, exempt: &[&str]) -> Vec<String> {
        let mut faults = self.crate_faults();
        for manifest in self.manifests {
            let folder = format!("{}/src", manifest.member.folder);
            match self.plan.floors.get(&folder) {
                None => faults.push(format!(
                    "{PAGE}: no floors for {folder}; add a block `text floors {folder}` (with `unordered` alone for now)"
                )),
                Some(floors) => faults.extend(self.floor_faults(&folder, floors)),
            }
        }
        let circles = self.graph.circles().into_iter();
        let counted = circles.filter(|circle| !exempt.iter().any(|folder| circle.is_in(folder)));
        faults.extend(counted.map(|circle| circle.to_string()));
        faults.extend(self.plan.reach.iter().filter_map(|bound| self.reach_fault(bound)));
        faults
    }

    /// Crates that use what does not stand before them, and names of no crate.
    fn crate_faults(&self) -> Vec<String> {
        let drawn: BTreeSet<&str> = self.plan.crates.iter().flatten().map(String::as_str).collect();
        let mut faults = Vec::new();
        for name in drawn.iter().filter(|name| !self.manifests.iter().any(|manifest| manifest.is(name))) {
            faults.push(format!("{PAGE}: the block `text crates` names `{name}`, and there is no such crate"));
        }
        for manifest in self.manifests {
            let file = &manifest.file;
            let Some(name) = drawn.iter().find(|name| manifest.is(name)) else {
                faults.push(format!("{file}: the block `text crates` of {PAGE} does not name this crate; add it"));
                continue;
            };
            let below = self.plan.below(name);
            for used in &manifest.uses {
                let target = self.manifests.iter().find(|other| other.package == used.package);
                if target.is_some_and(|target| !below.iter().any(|other| target.is(other))) {
                    faults.push(format!(
                        "{file}:{}: `{name}` uses `{}`, which does not stand before it in the block `text crates` of \
                         {PAGE}; depend downwards only",
                        used.line, used.package
                    ));
                }
            }
        }
        faults
    }

    fn floor_faults(&self, folder: &str, floors: &Floors) -> Vec<String> {
        if floors.0.is_empty() {
            return Vec::new();
        }
        let below =
            |file: &'_ str| file.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/')).map(str::to_owned);
        let code = self.files.keys().filter(|file| !self.modules.tests.contains(*file));
        let code: BTreeSet<String> = code.filter_map(|file| below(file)).collect();
        let mut faults = Vec::new();
        for floor in &floors.0 {
            for entry in floor.entries.iter().filter(|entry| !code.iter().any(|file| names(entry, file))) {
                let line = floor.line;
                faults.push(format!(
                    "{PAGE}:{line}: the floor names `{entry}`, and {folder} has no such source; remove it"
                ));
            }
        }
        for file in &code {
            match floors.of_file(file) {
                None => faults.push(format!("{folder}/{file}: no floor of {PAGE} names this file; add it to one")),
                Some(floor) => faults.extend(self.rising(folder, file, floor, floors)),
            }
        }
        faults
    }

    /// The imports of a file that go up.
    fn rising(&self, folder: &str, file: &str, floor: usize, floors: &Floors) -> Vec<String> {
        let path = format!("{folder}/{file}");
        let uses = self.graph.uses(&path).filter_map(|(to, found)| {
            let to = to.strip_prefix(folder)?.strip_prefix('/')?;
            Some((to, found, floors.of_file(to)?))
        });
        uses.filter(|(_, _, other)| *other > floor)
            .map(|(to, found, other)| {
                format!(
                    "{path}:{}: `{}` leads up, from floor {floor} to floor {other} ({to}); import downwards only: move what is \
                     needed down, or have it passed in",
                    found.line, found.path
                )
            })
            .collect()
    }

    fn reach_fault(&self, bound: &Reach) -> Option<String> {
        let Reach { line, file, most, folder } = bound;
        if !self.files.contains_key(file) {
            return Some(format!("{PAGE}:{line}: `{file}` is to reach at most {most} files, and is not there"));
        }
        let reached: Vec<&str> =
            self.graph.reach(file).into_iter().filter(|other| other.starts_with(folder.as_str())).collect();
        (reached.len() > *most).then(|| {
            format!(
                "{file}: needs {} files, and {PAGE}:{line} allows {most}; `cargo xtask layers reach {file}` lists them",
                reached.len()
            )
        })
    }
}
