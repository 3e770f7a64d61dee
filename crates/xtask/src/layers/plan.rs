//! The order that ARCHITECTURE.md states, read from its fenced blocks:
//!
//! - `text crates`: crates from left to right, each of which may use those before it (`core <- journal <- server`);
//! - `text floors FOLDER`: a line for each floor, lowest first, with files, and folders that end in `/`; `unordered` alone
//!   when the crate has no floors and is only held to have no circle. What follows a `#` is for readers;
//! - `text reach NUMBER [FOLDER]`: a file a line, none of which may need more files than that (in the folder, if one is
//!   named).

use std::collections::{BTreeMap, BTreeSet};

/// All of it.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) crates: Vec<Vec<String>>,
    /// By the folder of the sources.
    pub(crate) floors: BTreeMap<String, Floors>,
    pub(crate) reach: Vec<Reach>,
}

/// The floors of a crate, lowest first. None when the order of its files is not stated.
#[derive(Debug, Default)]
pub(crate) struct Floors(pub(crate) Vec<Floor>);

/// One floor, and the line that states it.
#[derive(Debug)]
pub(crate) struct Floor {
    pub(crate) line: usize,
    pub(crate) entries: Vec<String>,
}

/// A bound on what a file may need.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Reach {
    pub(crate) line: usize,
    pub(crate) file: String,
    pub(crate) most: usize,
    /// Only files below this folder count.
    pub(crate) folder: String,
}

impl Plan {
    /// Reads the page; a block that cannot be read is told by its line.
    pub(crate) fn read(page: &str) -> Result<Self, String> {
        let mut plan = Self::default();
        let mut lines = page.lines().zip(1..);
        while let Some((head, at)) = lines.next() {
            let Some(head) = head.strip_prefix("```text ") else { continue };
            let words: Vec<&str> = head.split_whitespace().collect();
            let block = lines.by_ref().take_while(|(line, _)| !line.starts_with("```"));
            let block = block.map(|(line, at)| (line.split('#').next().unwrap_or_default().trim(), at));
            let block: Vec<(&str, usize)> = block.filter(|(line, _)| !line.is_empty()).collect();
            match words.as_slice() {
                ["crates"] => plan.crates.extend(block.iter().map(|(line, _)| chain(line))),
                ["floors", folder] => {
                    plan.floors.insert((*folder).to_owned(), Floors::of(&block));
                }
                ["reach", most, folder @ ..] => {
                    let most = most.parse().map_err(|_| format!("line {at}: `{most}` is no number of files"))?;
                    let folder = folder.concat();
                    plan.reach.extend(block.iter().map(|(file, line)| {
                        let (file, folder) = ((*file).to_owned(), folder.clone());
                        Reach { line: *line, file, most, folder }
                    }));
                }
                _ => return Err(format!("line {at}: a block `{head}` is none of crates, floors FOLDER, reach NUMBER")),
            }
        }
        Ok(plan)
    }

    /// The crates that one may use.
    pub(crate) fn below<'p>(&'p self, name: &'p str) -> BTreeSet<&'p str> {
        let mut found = BTreeSet::new();
        let mut next = vec![name];
        while let Some(name) = next.pop() {
            for chain in &self.crates {
                let before = chain.iter().take_while(|other| *other != name);
                if chain.iter().any(|other| other == name) {
                    next.extend(before.map(String::as_str).filter(|other| found.insert(*other)));
                }
            }
        }
        found
    }
}

impl Floors {
    fn of(block: &[(&str, usize)]) -> Self {
        if let [("unordered", _)] = block {
            return Self::default();
        }
        let floor = |(line, at): &(&str, usize)| Floor {
            line: *at,
            entries: line.split_whitespace().map(str::to_owned).collect(),
        };
        Self(block.iter().map(floor).collect())
    }

    /// The floor of a file, counted from one: the entry that says most of its path decides.
    pub(crate) fn of_file(&self, file: &str) -> Option<usize> {
        let named =
            self.0.iter().zip(1..).flat_map(|(floor, number)| floor.entries.iter().map(move |entry| (entry, number)));
        named.filter(|(entry, _)| names(entry, file)).max_by_key(|(entry, _)| entry.len()).map(|(_, number)| number)
    }
}

/// Whether an entry is this file, or a folder around it.
pub(crate) fn names(entry: &str, file: &str) -> bool {
    entry == file || (entry.ends_with('/') && file.starts_with(entry))
}

fn chain(line: &str) -> Vec<String> {
    line.split("<-").map(|name| name.trim().to_owned()).collect()
}
