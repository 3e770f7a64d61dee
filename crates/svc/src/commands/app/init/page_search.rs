//! The page of a folder whose manifest names none: at a usual place, else the one that is nearest to the top.

use svc_cli::files::{kind::FileKind, open::ListedFolder};
use svc_core::scalar::path::PackagePath;

use super::project_folder::ProjectFolder;

/// Where a page often lies.
const USUAL: &[&str] = &["dist/index.html", "index.html", "build/index.html", "public/index.html"];

/// Names of the page to start from, where a folder has several, the best first.
const STARTS: &[&str] = &["index", "app", "main", "home", "popup", "demo", "example"];

/// Parts of the names of pages that are shown in place of another, or about one.
const ASIDE: &[&str] = &["404", "error", "offline", "report", "runner", "spec", "template", "test", "tmpl"];

/// How deep folders are looked into, and the most names that are looked at.
const DEPTH: usize = 4;
const MOST_NAMES: usize = 20_000;

/// The most folders that are held open at once.
const MOST_FOLDERS: usize = 200;

/// A page that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Page {
    pub(super) path: String,
    /// Whether nothing but its place says that it is the one.
    pub(super) is_guess: bool,
}

impl Page {
    /// Its folder, with `/` behind it.
    pub(super) fn folder(&self) -> &str {
        folder_of(&self.path)
    }
}

/// The first of the pages that are named and there, or one at a usual place, or the nearest.
pub(super) fn find<'n>(project: &ProjectFolder<'_>, named: impl Iterator<Item = &'n str>) -> Option<Page> {
    let mut known = named.chain(USUAL.iter().copied()).filter(|path| is_page(path));
    let page = |path: String, is_guess: bool| Page { path, is_guess };
    let known = known.find(|path| project.is_file(path)).map(|path| page(path.to_owned(), false));
    known.or_else(|| nearest(project).map(|path| page(path, true)))
}

/// The folder of a path, with `/` behind it.
pub(super) fn folder_of(path: &str) -> &str {
    path.rfind('/').and_then(|at| path.get(..=at)).unwrap_or_default()
}

pub(super) fn extension_of(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(_, extension)| extension)
}

fn is_page(path: &str) -> bool {
    ["html", "htm", "xhtml"].contains(&extension_of(path))
}

/// The best page of the first floor that has one: the folder itself, then all folders in it, and so on.
fn nearest(project: &ProjectFolder<'_>) -> Option<String> {
    let mut floor: Vec<(String, ListedFolder)> = vec![(String::new(), project.root().folder().ok()?)];
    let mut names_left = MOST_NAMES;
    for _ in 0..DEPTH {
        let mut pages: Vec<String> = Vec::new();
        let mut below = Vec::new();
        for (path, mut folder) in floor {
            let (mut files, mut folders) = (Vec::new(), Vec::new());
            while let Some(Ok(entry)) = folder.next_entry() {
                names_left = names_left.checked_sub(1)?;
                let kind = entry.kind.or_else(|| folder.kind_of(&entry.name).ok());
                let Ok(name) = entry.name.into_string() else { continue };
                match kind {
                    Some(FileKind::Regular) if is_page(&name) => files.push(name),
                    Some(FileKind::Folder) if is_searched(&name) => folders.push(name),
                    _ => {}
                }
            }
            pages.extend(start_of(files).map(|name| format!("{path}{name}")));
            folders.sort();
            let room = MOST_FOLDERS.saturating_sub(below.len());
            below.extend(folders.into_iter().take(room).filter_map(|name| {
                let child = folder.child(name.as_ref()).ok()?;
                Some((format!("{path}{name}/"), child))
            }));
        }
        pages.retain(|path| PackagePath::parse(path).is_some() && project.is_file(path));
        pages.sort_by_key(|path| (rank(path), path.clone()));
        if let Some(page) = pages.into_iter().next() {
            return Some(page);
        }
        below.sort_by(|left, right| left.0.cmp(&right.0));
        floor = below;
    }
    None
}

/// The page of a folder to start from: by its name, or because it is the only one.
fn start_of(mut files: Vec<String>) -> Option<String> {
    files.retain(|name| ASIDE.iter().all(|part| !name.to_lowercase().contains(part)));
    files.sort_by_key(|name| (rank(name), name.clone()));
    let is_only = files.len() == 1;
    files.into_iter().next().filter(|name| is_only || rank(name) < STARTS.len())
}

fn rank(path: &str) -> usize {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let stem = name.rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem);
    STARTS.iter().position(|start| *start == stem).unwrap_or(STARTS.len())
}

/// Whether a folder may hold the page of a project. Those of tests hold pages too, and never that one.
fn is_searched(name: &str) -> bool {
    const NEVER: &[&str] =
        &["__tests__", "bench", "coverage", "e2e", "fixtures", "node_modules", "spec", "target", "test", "tests"];
    !name.starts_with('.') && !NEVER.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_several_pages_the_name_tells_the_first_or_none() {
        let cases: [(&[&str], Option<&str>); 6] = [
            (&["zebra.html", "index.html"], Some("index.html")),
            (&["other.html", "Demo.html"], Some("Demo.html")),
            (&["only.html"], Some("only.html")),
            (&["one.html", "two.html"], None),
            (&["404.html", "mcp-app.html", "test.html"], Some("mcp-app.html")),
            (&["SpecRunner.html"], None),
        ];
        for (files, expected) in cases {
            let files = files.iter().map(|&name| name.to_owned()).collect();
            assert_eq!(start_of(files).as_deref(), expected);
        }
    }
}
