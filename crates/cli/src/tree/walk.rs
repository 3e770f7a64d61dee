//! From folder to folder by descriptor, listing what the patterns select.
//!
//! Folders are listed in whatever order the file system gives and only what is selected is kept, so that memory
//! does not grow with what is not; the list is put in order at the end.

use std::{
    ffi::{OsStr, OsString},
    ops::ControlFlow,
};

use super::{fault::TreeFault, limits::TreeLimits, pattern::Patterns};
use crate::files::{
    kind::{FileKind, SpecialKind},
    open::{
        ListedFolder, Root,
        entry::{FolderEntry, OpenFault},
    },
};

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
/// therefore not told.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooMany;

pub(super) fn select(root: &Root, patterns: &Patterns, limits: &TreeLimits) -> Result<Selection, TooMany> {
    let matched = vec![false; patterns.count()];
    let mut walk = Walk { patterns, limits, found: Selection { files: Vec::new(), faults: Vec::new(), matched } };
    let ended = match root.folder() {
        Ok(folder) => walk.list(folder, OsStr::new(""), 0),
        Err(fault) => walk.refuse(TreeFault::of_opening(".".to_owned(), fault)),
    };
    match ended {
        ControlFlow::Continue(()) => Ok(walk.found.in_order()),
        ControlFlow::Break(TooMany) => Err(TooMany),
    }
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
}

type WalkStep = ControlFlow<TooMany>;

impl Walk<'_> {
    fn list(&mut self, mut folder: ListedFolder, path: &OsStr, depth: usize) -> WalkStep {
        while let Some(entry) = folder.next() {
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
            return WalkStep::Continue(());
        }
        if Patterns::is_own_file(&path) {
            self.mark_selecting(&path);
            return WalkStep::Continue(());
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
        if self.patterns.ignores_file(path) || !self.mark_selecting(path) {
            return WalkStep::Continue(());
        }
        let Some(path) = path.to_str() else {
            return self.refuse(TreeFault::NotUtf8 { path: lossy(path) });
        };
        if self.found.files.len() >= self.limits.files {
            return WalkStep::Break(TooMany);
        }
        self.found.files.push(path.to_owned());
        WalkStep::Continue(())
    }

    fn visit_folder(&mut self, folder: &ListedFolder, name: &OsStr, path: &OsStr, depth: usize) -> WalkStep {
        let reached = self.patterns.reaching(path).next().is_some();
        if !reached || self.patterns.ignores_folder(path) {
            return WalkStep::Continue(());
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
        if self.patterns.ignores_file(path) || (leads_to_folder && self.patterns.ignores_folder(path)) {
            return WalkStep::Continue(());
        }
        let selected = self.mark_selecting(path);
        let entered = leads_to_folder && self.mark_reaching(path);
        if !selected && !entered {
            return WalkStep::Continue(());
        }
        self.refuse(TreeFault::SpecialFile { path: lossy(path), what: SpecialKind::Symlink })
    }

    fn visit_special(&mut self, path: &OsStr, what: SpecialKind) -> WalkStep {
        if self.patterns.ignores_file(path) || !self.mark_selecting(path) {
            return WalkStep::Continue(());
        }
        self.refuse(TreeFault::SpecialFile { path: lossy(path), what })
    }

    /// It could not even be asked what it is: a fault if anything was wanted of it.
    fn visit_unknown(&mut self, path: &OsStr, fault: OpenFault) -> WalkStep {
        if self.mark_selecting(path) || self.mark_reaching(path) {
            return self.refuse(TreeFault::of_opening(lossy(path), fault));
        }
        WalkStep::Continue(())
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
