//! Names that meet on some file system.
//!
//! [`are_apart`] tells of a sorted table that nothing meets, without a map of all its names; only where it cannot is the
//! plain way taken, which is also its oracle in the tests.

use std::{
    borrow::Cow,
    collections::{BTreeMap, btree_map::Entry},
};

use crate::{
    manifest,
    package::artifact::FileEntry,
    rules::package::{Name, Package, Sink},
    scalar::path,
};

pub(super) fn colliding_paths(package: &Package<'_>, sink: &mut Sink<'_>) {
    let plain: Vec<Plain<'_>> = package.named().map(|(_, file, name)| Plain::new(file, name)).collect();
    if are_apart(&plain) {
        return;
    }
    let paths: Vec<(&str, Cow<'_, str>)> = package
        .rows()
        .map(|(_, file)| (file.path.as_str(), file.path.collision_key()))
        .chain([(manifest::FILE_NAME, path::collision_key(manifest::FILE_NAME))])
        .collect();
    let mut seen: BTreeMap<&str, (&str, NameOf)> = BTreeMap::new();
    let mut collisions = BTreeMap::new();
    let mut previous = "";
    for (row, (path, key)) in paths.iter().enumerate() {
        if let Some(names) = collision(path, key, shared_folder(previous, path), &mut seen) {
            collisions.insert(row, names);
        }
        previous = path;
    }
    for (row, file) in package.rows() {
        if let Some((name, first)) = collisions.get(&row) {
            sink.report_file(row, file, format!("`{name}` and `{first}` are one name on some systems"));
        }
    }
    if let Some((_, first)) = collisions.get(&package.rows().count()) {
        sink.report("/files", format!("`{first}` and the manifest are one name on some systems"));
    }
}

/// A path with what is known of it.
struct Plain<'p> {
    path: &'p str,
    folder_bytes: usize,
    /// Whether it is the key under which it would meet another.
    is_own_key: bool,
}

impl<'p> Plain<'p> {
    fn new(file: &'p FileEntry, name: &Name<'_>) -> Self {
        Self { path: file.path.as_str(), folder_bytes: name.folder_bytes(), is_own_key: name.is_as_written() }
    }
}

/// Whether a table is sorted and no two of its names meet, told without a map of them all.
///
/// A name that is its own key meets another that is its own key only where both are spelled alike: one is a file and the
/// other a folder. So the few names that are not their own keys are held against the table, and against each other.
fn are_apart(table: &[Plain<'_>]) -> bool {
    let (mut previous, mut unusual) = ("", Vec::new());
    let plainly_apart = table.iter().all(|Plain { path, folder_bytes, is_own_key }| {
        let same = common_bytes(previous.as_bytes(), path.as_bytes());
        let is_next = previous.as_bytes().get(same) < path.as_bytes().get(same);
        previous = path;
        if !is_own_key {
            unusual.push((*path, path::collision_key(path)));
        }
        let no_new_folder = *is_own_key && same >= *folder_bytes;
        is_next && *path != manifest::FILE_NAME && (no_new_folder || are_folders(table, path, same))
    });
    let mut seen = BTreeMap::new();
    plainly_apart
        && unusual.iter().all(|(path, key)| {
            let meets_usual = parts(path).zip(parts(key)).any(|(part, key)| part != key && has_name(table, key));
            !meets_usual && collision(path, key, 0, &mut seen).is_none()
        })
}

/// Whether no folder of a path is also a file. Those within the first bytes were looked at before.
fn are_folders(table: &[Plain<'_>], path: &str, looked_at: usize) -> bool {
    let known = folders_within(path, looked_at);
    let mut folders = parts(path).filter(|part| (known..path.len()).contains(&part.len()));
    folders.all(|folder| !has_file(table, folder))
}

fn has_file(table: &[Plain<'_>], name: &str) -> bool {
    name == manifest::FILE_NAME || table.binary_search_by(|plain| plain.path.cmp(name)).is_ok()
}

fn has_name(table: &[Plain<'_>], name: &str) -> bool {
    let folder = format!("{name}/");
    let first = table.partition_point(|plain| plain.path < folder.as_str());
    table.get(first).is_some_and(|plain| plain.path.starts_with(&folder)) || has_file(table, name)
}

/// How many bytes two texts have in common at their start, eight at a time.
fn common_bytes(left: &[u8], right: &[u8]) -> usize {
    let words = left.as_chunks::<8>().0.iter().zip(right.as_chunks::<8>().0);
    let whole = 8 * words.take_while(|(left, right)| left == right).count();
    let (left, right) = (left.get(whole..).unwrap_or_default(), right.get(whole..).unwrap_or_default());
    whole + left.iter().zip(right).take_while(|(left, right)| left == right).count()
}

/// Every folder above a path, and the path itself.
fn parts(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| at).chain([path.len()]).filter_map(|end| path.get(..end))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum NameOf {
    File,
    Folder,
}

/// How many bytes of the path are folders that the path before it, in sorted order, has already brought.
fn shared_folder(previous: &str, path: &str) -> usize {
    folders_within(path, common_bytes(previous.as_bytes(), path.as_bytes()))
}

/// How many of the first bytes of a path are whole folders.
fn folders_within(path: &str, same: usize) -> usize {
    path.as_bytes().get(..same).and_then(|shared| shared.iter().rposition(|byte| *byte == b'/')).map_or(0, |at| at + 1)
}

/// The part of a path that meets another name, and that name. Folders meet too: `Assets/a` and `assets/b` become one
/// folder, and `a` cannot be a file beside `a/b`. Folding keeps slashes, so both spellings have the same parts.
fn collision<'p>(
    path: &'p str,
    key: &'p str,
    shared: usize,
    seen: &mut BTreeMap<&'p str, (&'p str, NameOf)>,
) -> Option<(&'p str, &'p str)> {
    for (part, part_key) in parts(path).zip(parts(key)).filter(|(part, _)| part.len() >= shared) {
        let role = if part.len() == path.len() { NameOf::File } else { NameOf::Folder };
        match seen.entry(part_key) {
            Entry::Vacant(free) => {
                free.insert((part, role));
            }
            Entry::Occupied(taken) if *taken.get() == (part, NameOf::Folder) && role == NameOf::Folder => {}
            Entry::Occupied(taken) => return Some((part, taken.get().0)),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The careful way, for comparison.
    fn meets(paths: &[(&str, Cow<'_, str>)]) -> bool {
        let mut seen = BTreeMap::new();
        let mut previous = "";
        paths.iter().any(|(path, key)| {
            let shared = shared_folder(previous, path);
            previous = path;
            collision(path, key, shared, &mut seen).is_some()
        })
    }

    fn plain<'p>(paths: &[&'p str]) -> Vec<Plain<'p>> {
        let folder_bytes = |path: &str| path.rfind('/').map_or(0, |slash| slash + 1);
        let plain = |path: &&'p str| Plain {
            path,
            folder_bytes: folder_bytes(path),
            is_own_key: crate::scalar::path_parts::is_lower_ascii(path),
        };
        paths.iter().map(plain).collect()
    }

    #[test]
    fn the_manifest_takes_part_and_disorder_is_never_apart() {
        let apart = |paths: &[&str]| are_apart(&plain(paths));
        assert!(apart(&[]) && apart(&["a", "svc-app", "svc-app.json5"]));
        assert!(!apart(&["SVC-App.json"]) && !apart(&["Svc-App.json/a"]));
        assert!(!apart(&["svc-app.json"]) && !apart(&["svc-app.json/a"]));
        assert!(!apart(&["b", "a"]) && !apart(&["a", "a"]));
    }

    #[test]
    fn the_table_tells_whether_any_two_names_meet() {
        let names =
            ["a", "A", "b", "a.b", "a-", "a/b", "A/b", "a/B", "a/b/c", "a/b/C", "b/a", "B/c", "ß", "ss", "a/ß/x"];
        let count = names.len();
        for chosen in 0..(1_usize << count) {
            if chosen.count_ones() > 4 {
                continue;
            }
            let mut paths: Vec<&str> = (0..count).filter(|at| chosen & (1 << at) != 0).map(|at| names[at]).collect();
            paths.sort_unstable();
            let keyed: Vec<(&str, Cow<'_, str>)> =
                paths.iter().map(|path| (*path, path::collision_key(path))).collect();
            assert_eq!(are_apart(&plain(&paths)), !meets(&keyed), "{paths:?}");
        }
    }
}
