//! F: the files of a package. What only the walk over the folder can see is found there, under these rules.

use std::collections::{BTreeMap, btree_map::Entry};

use super::{
    review::{Package, Sink},
    rule::rules,
};
use crate::{artifact::table, limits, manifest, path};

rules! {
    F001 "SVC-F001", Error, FileTable, "a declared file is missing" {
        why: "The manifest promises a file that nobody would receive.",
        fix: "Add the file, or a pattern in `files` that matches it.",
        check: declared_files,
    }
    F002 "SVC-F002", Error, FileTable, "a path that not every system can hold" {
        why: "Paths that leave the package, or mean something else on another system, are how archives attack.",
        fix: "Use relative paths with `/`, without `..`, backslashes, control characters or device names.",
    }
    F003 "SVC-F003", Error, FileTable, "two paths that are one on some systems" {
        why: "On file systems that ignore case or composition one file would replace the other.",
        fix: "Rename one of the two.",
        check: colliding_paths,
    }
    F004 "SVC-F004", Error, FileTable, "a file or the package is too large" {
        why: "Hosts load packages on the way to showing them.",
        fix: "Make it smaller, or leave it out with `.svcignore`.",
        parameters: { "file-bytes": Number(limits::FILE_BYTES), "package-bytes": Number(limits::PACKAGE_BYTES) },
        check: too_large,
    }
    F005 "SVC-F005", Error, FileTable, "too many files" {
        why: "Every file costs each reader of the package.",
        fix: "Bundle the sources, or leave files out with `.svcignore`.",
        parameters: { "files": Number(limits::PACKAGE_FILES as u64) },
        check: too_many,
    }
    F010 "SVC-F010", Error, FileTable, "the package holds the tool's own output" {
        why: "A bundle inside the package changes with every run, so no two runs agree.",
        fix: "Write the bundle elsewhere, or leave it out with `.svcignore`.",
        check: own_output,
    }
    F011 "SVC-F011", Warning, FileTable, "no README" {
        why: "Reviewers start there.",
        fix: "Add a README.md and a pattern in `files` that matches it.",
        check: no_readme,
    }
    F012 "SVC-F012", Warning, FileBytes, "a pattern matches nothing" {
        why: "It is a misspelt name, or a build that did not run.",
        fix: "Mend the pattern, or build first.",
        check: idle_pattern,
    }
    F014 "SVC-F014", Error, FileBytes, "a link or special file" {
        why: "A link can lead out of the package, and a pipe or device has no content to hash.",
        fix: "Put the file itself there, or leave it out with `.svcignore`.",
    }
    F015 "SVC-F015", Error, FileBytes, "a file changed while it was read" {
        why: "The digest would be of bytes that never stood together.",
        fix: "Wait for the build to end, then run again.",
    }
    F016 "SVC-F016", Error, FileTable, "an artifact would exceed the registry's limit" {
        why: "The registry would refuse the body before reading it.",
        fix: "Make the package smaller: fewer files or shorter paths.",
        parameters: {
            "artifact-bytes": Number(limits::ARTIFACT_BYTES as u64),
            "index-bytes": Number(limits::INDEX_BYTES as u64),
        },
    }
}

fn declared_files(package: &Package<'_>, sink: &mut Sink<'_>) {
    let mut declared = vec!["/entry/renderer".to_owned()];
    for list in ["/icons", "/screenshots"] {
        declared.extend(package.list(list).map(|(pointer, _)| pointer.join("src").to_string()));
    }
    for pointer in declared {
        let Some(path) = package.text(&pointer) else { continue };
        if !package.has_file(path) {
            sink.report(pointer, "no such file in the package");
        }
    }
}

fn colliding_paths(package: &Package<'_>, sink: &mut Sink<'_>) {
    let mut seen: BTreeMap<String, (&str, NameOf)> = BTreeMap::new();
    seen.insert(path::collision_key(manifest::FILE_NAME), (manifest::FILE_NAME, NameOf::File));
    for (index, file) in package.files.unwrap_or_default().iter().enumerate() {
        if let Some((name, first)) = collision(file.path.as_str(), &mut seen) {
            sink.report(format!("/files/{index}"), format!("`{name}` and `{first}` are one name on some systems"));
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum NameOf {
    File,
    Folder,
}

/// The part of a path that meets another name, and that name. Folders meet too: `Assets/a` and `assets/b` become one
/// folder, and `a` cannot be a file beside `a/b`.
fn collision<'p>(path: &'p str, seen: &mut BTreeMap<String, (&'p str, NameOf)>) -> Option<(&'p str, &'p str)> {
    let folders = path.match_indices('/').filter_map(|(at, _)| path.get(..at));
    let parts = folders.map(|folder| (folder, NameOf::Folder)).chain([(path, NameOf::File)]);
    for (part, role) in parts {
        match seen.entry(path::collision_key(part)) {
            Entry::Vacant(free) => {
                free.insert((part, role));
            }
            Entry::Occupied(taken) => {
                let same_folder = *taken.get() == (part, NameOf::Folder) && role == NameOf::Folder;
                if !same_folder {
                    return Some((part, taken.get().0));
                }
            }
        }
    }
    None
}

fn too_large(package: &Package<'_>, sink: &mut Sink<'_>) {
    let mut total: u64 = 0;
    for (index, file) in package.files.unwrap_or_default().iter().enumerate() {
        total = total.saturating_add(file.size.get());
        if file.size.get() > limits::FILE_BYTES {
            sink.report(format!("/files/{index}"), format!("a file of more than {} bytes", limits::FILE_BYTES));
        }
    }
    if total > limits::PACKAGE_BYTES {
        sink.report("/files", format!("files of more than {} bytes together", limits::PACKAGE_BYTES));
    }
}

fn too_many(package: &Package<'_>, sink: &mut Sink<'_>) {
    if package.files.unwrap_or_default().len() > limits::PACKAGE_FILES {
        sink.report("/files", format!("more than {} files", limits::PACKAGE_FILES));
    }
}

fn own_output(package: &Package<'_>, sink: &mut Sink<'_>) {
    for (index, file) in package.files.unwrap_or_default().iter().enumerate() {
        let name = file.path.as_str().rsplit('/').next().unwrap_or_default();
        if table::ALL.iter().any(|spec| spec.file == name) {
            sink.report(format!("/files/{index}"), format!("`{}` is written by svc", file.path));
        }
    }
}

fn no_readme(package: &Package<'_>, sink: &mut Sink<'_>) {
    let is_readme = |path: &str| path.split('.').next().is_some_and(|stem| stem.eq_ignore_ascii_case("readme"));
    if !package.files.unwrap_or_default().iter().any(|file| is_readme(file.path.as_str())) {
        sink.report("/files", "the package has no README");
    }
}

fn idle_pattern(package: &Package<'_>, sink: &mut Sink<'_>) {
    let Some(folder) = package.folder else { return };
    for (index, _) in folder.matched.iter().enumerate().filter(|(_, matched)| !**matched) {
        sink.report(format!("/files/{index}"), "the pattern matches no file");
    }
}
