//! From folder to folder by descriptor, listing what the patterns select.
//!
//! Folders are listed in whatever order the file system gives and only what is selected is kept, so that memory
//! does not grow with what is not; the list is put in order at the end.

use std::{
    ffi::{OsStr, OsString},
    ops::ControlFlow,
};

use svc_cli::files::{
    kind::{FileKind, SpecialKind},
    open::{
        ListedFolder, Root,
        entry::{FolderEntry, OpenFault},
    },
};

use super::{
    fault::TreeFault,
    limits::TreeLimits,
    pattern::{Ignored, Patterns},
};

/// The most paths that are told one by one.
const MAX_LISTED: usize = 100_000;

#[derive(Debug)]
pub(super) struct Selection {
    /// Paths of regular files, by bytes.
    pub(super) files: Vec<String>,
    /// What is selected but cannot be packed.
    pub(super) faults: Vec<TreeFault>,
    /// For each pattern, whether it selected anything.
    pub(super) matched: Vec<bool>,
}

/// More is selected than allowed. What was seen until then depends on the order of directory entries, and is
/// therefore not listed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooMany;

pub(super) fn select(root: &Root, patterns: &Patterns, limits: &TreeLimits) -> Result<Selection, TooMany> {
    let matched = vec![false; patterns.count()];
    let found = Selection { files: Vec::new(), faults: Vec::new(), matched };
    let mut walk = Walk { patterns, limits, found, listed: None };
    match walk.start(root) {
        ControlFlow::Continue(()) => Ok(walk.found.in_order()),
        ControlFlow::Break(TooMany) => Err(TooMany),
    }
}

/// Every path that the walk comes by, in order, with what becomes of it. Folders that nothing is wanted of are told as one.
pub(crate) fn list_paths(root: &Root, patterns: &Patterns, limits: &TreeLimits) -> Result<Vec<ListedPath>, TooMany> {
    let found = Selection { files: Vec::new(), faults: Vec::new(), matched: vec![false; patterns.count()] };
    let mut walk = Walk { patterns, limits, found, listed: Some(Vec::new()) };
    match walk.start(root) {
        ControlFlow::Continue(()) => {
            let mut listed = walk.listed.unwrap_or_default();
            listed.sort_by(|left, right| left.path.cmp(&right.path));
            Ok(listed)
        }
        ControlFlow::Break(TooMany) => Err(TooMany),
    }
}

/// A path of the folder and what becomes of it.
#[derive(Debug)]
pub(crate) struct ListedPath {
    /// With `/` behind a folder. Not escaped.
    pub(crate) path: String,
    pub(crate) fate: Fate,
}

/// What becomes of a path.
#[derive(Debug)]
pub(crate) enum Fate {
    /// It goes in, by the pattern of this index.
    Taken(usize),
    /// No pattern selects it, or anything below it.
    NoPattern,
    Ignored(Ignored),
    /// The tool's own file, which is no file of the package.
    Own,
    /// What this run, or one before it, writes.
    LeftOut,
    /// It cannot be packed.
    Refused(TreeFault),
}

impl Selection {
    fn in_order(mut self) -> Self {
        self.files.sort_unstable();
        // A name that was listed twice was moved about during the listing.
        let twice = self.files.windows(2).filter_map(|pair| match pair {
            [a, b] if a == b => Some(TreeFault::ChangedWhileReading { path: a.clone() }),
            _ => None,
        });
        self.faults.extend(twice.collect::<Vec<_>>());
        self.files.dedup();
        self
    }
}

struct Walk<'a> {
    patterns: &'a Patterns,
    limits: &'a TreeLimits,
    found: Selection,
    /// What becomes of each path, where somebody asked.
    listed: Option<Vec<ListedPath>>,
}

type WalkStep = ControlFlow<TooMany>;

impl Walk<'_> {
    fn start(&mut self, root: &Root) -> WalkStep {
        match root.folder() {
            Ok(folder) => self.list(folder, OsStr::new(""), 0),
            Err(fault) => self.refuse(TreeFault::of_opening(".".to_owned(), fault)),
        }
    }

    /// Goes on, and notes what becomes of a path.
    fn pass(&mut self, path: impl Into<String>, fate: Fate) -> WalkStep {
        match &mut self.listed {
            Some(listed) if listed.len() >= MAX_LISTED => return WalkStep::Break(TooMany),
            Some(listed) => listed.push(ListedPath { path: path.into(), fate }),
            None => {}
        }
        WalkStep::Continue(())
    }

    fn list(&mut self, mut folder: ListedFolder, path: &OsStr, depth: usize) -> WalkStep {
        while let Some(entry) = folder.next_entry() {
            match entry {
                Ok(entry) => self.visit(&folder, path, entry, depth)?,
                Err(error) => {
                    let path = if path.is_empty() { ".".to_owned() } else { lossy(path) };
                    return self.refuse(TreeFault::Unreadable { path, error });
                }
            }
        }
        WalkStep::Continue(())
    }

    fn visit(&mut self, folder: &ListedFolder, parent: &OsStr, entry: FolderEntry, depth: usize) -> WalkStep {
        let path = join(parent, &entry.name);
        if self.patterns.leaves_out(&path) {
            return self.pass(lossy(&path), Fate::LeftOut);
        }
        if Patterns::is_own_file(&path) {
            self.mark_selecting(&path);
            return self.pass(lossy(&path), Fate::Own);
        }
        let kind = match entry.kind {
            Some(kind) => Ok(kind),
            None => folder.kind_of(&entry.name),
        };
        match kind {
            Ok(FileKind::Regular) => self.visit_file(&path),
            Ok(FileKind::Folder) => self.visit_folder(folder, &entry.name, &path, depth),
            Ok(FileKind::Special(SpecialKind::Symlink)) => self.visit_link(folder, &entry.name, &path),
            Ok(FileKind::Special(what)) => self.visit_special(&path, what),
            Err(fault) => self.visit_unknown(&path, fault),
        }
    }

    fn visit_file(&mut self, path: &OsStr) -> WalkStep {
        if let Some(fate) = self.not_wanted(path) {
            return self.pass(lossy(path), fate);
        }
        let Some(text) = path.to_str() else {
            return self.refuse(TreeFault::NotUtf8 { path: lossy(path) });
        };
        if self.found.files.len() >= self.limits.files {
            return WalkStep::Break(TooMany);
        }
        self.found.files.push(text.to_owned());
        let pattern = self.patterns.selecting(path).min().unwrap_or_default();
        self.pass(text, Fate::Taken(pattern))
    }

    /// Why a file is not packed, although it could be. Marks the patterns that select it where it is wanted.
    fn not_wanted(&mut self, path: &OsStr) -> Option<Fate> {
        match self.patterns.ignores_file(path) {
            // What no pattern selects is not left out by a line.
            Some(_) if self.patterns.selecting(path).next().is_none() => Some(Fate::NoPattern),
            Some(ignored) => Some(Fate::Ignored(ignored)),
            None if self.mark_selecting(path) => None,
            None => Some(Fate::NoPattern),
        }
    }

    fn visit_folder(&mut self, folder: &ListedFolder, name: &OsStr, path: &OsStr, depth: usize) -> WalkStep {
        if self.patterns.reaching(path).next().is_none() {
            return self.pass(lossy(path) + "/", Fate::NoPattern);
        }
        if let Some(ignored) = self.patterns.ignores_folder(path) {
            return self.pass(lossy(path) + "/", Fate::Ignored(ignored));
        }
        if path.to_str().is_none() {
            return self.refuse(TreeFault::NotUtf8 { path: lossy(path) });
        }
        let limit = self.limits.folder_depth;
        if depth >= limit {
            return self.refuse(TreeFault::TooDeep { path: lossy(path), limit });
        }
        match folder.child(name) {
            Ok(child) => self.list(child, path, depth + 1),
            Err(fault) => self.refuse(TreeFault::of_opening(lossy(path), fault)),
        }
    }

    /// A link counts if a pattern selects it, or if it stands for a folder that a pattern would enter.
    fn visit_link(&mut self, folder: &ListedFolder, name: &OsStr, path: &OsStr) -> WalkStep {
        let leads_to_folder = folder.leads_to_folder(name);
        let by_folder = || self.patterns.ignores_folder(path).filter(|_| leads_to_folder);
        if let Some(ignored) = self.patterns.ignores_file(path).or_else(by_folder) {
            return self.pass(lossy(path), Fate::Ignored(ignored));
        }
        let selected = self.mark_selecting(path);
        let entered = leads_to_folder && self.mark_reaching(path);
        if !selected && !entered {
            return self.pass(lossy(path), Fate::NoPattern);
        }
        self.refuse(TreeFault::SpecialFile { path: lossy(path), what: SpecialKind::Symlink })
    }

    fn visit_special(&mut self, path: &OsStr, what: SpecialKind) -> WalkStep {
        match self.not_wanted(path) {
            Some(fate) => self.pass(lossy(path), fate),
            None => self.refuse(TreeFault::SpecialFile { path: lossy(path), what }),
        }
    }

    /// It could not even be asked what it is: a fault if anything was wanted of it.
    fn visit_unknown(&mut self, path: &OsStr, fault: OpenFault) -> WalkStep {
        if self.mark_selecting(path) || self.mark_reaching(path) {
            return self.refuse(TreeFault::of_opening(lossy(path), fault));
        }
        self.pass(lossy(path), Fate::NoPattern)
    }

    fn mark_selecting(&mut self, path: &OsStr) -> bool {
        mark(&mut self.found.matched, self.patterns.selecting(path))
    }

    fn mark_reaching(&mut self, path: &OsStr) -> bool {
        mark(&mut self.found.matched, self.patterns.reaching(path))
    }

    fn refuse(&mut self, fault: TreeFault) -> WalkStep {
        if self.found.faults.len() >= self.limits.files.max(1) {
            return WalkStep::Break(TooMany);
        }
        if self.listed.is_some() {
            return self.pass(fault.path().unwrap_or(".").to_owned(), Fate::Refused(fault));
        }
        self.found.faults.push(fault);
        WalkStep::Continue(())
    }
}

fn mark(matched: &mut [bool], patterns: impl Iterator<Item = usize>) -> bool {
    let mut any = false;
    for index in patterns {
        any = true;
        if let Some(mark) = matched.get_mut(index) {
            *mark = true;
        }
    }
    any
}

fn join(parent: &OsStr, name: &OsStr) -> OsString {
    let mut path = OsString::with_capacity(parent.len() + 1 + name.len());
    if !parent.is_empty() {
        path.push(parent);
        path.push("/");
    }
    path.push(name);
    path
}

fn lossy(path: &OsStr) -> String {
    path.to_string_lossy().into_owned()
}
