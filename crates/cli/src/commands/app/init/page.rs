//! The page that a host would show, and the files that go with it.

use super::{
    draft::{DraftIcon, DraftScreenshot},
    gather::Gathered,
    ground::Ground,
    place::IGNORE_LINES,
    source::{Kind, Source},
    table::To,
};
use crate::files::kind::FileKind;

/// Where a page often lies.
const USUAL: &[&str] = &["dist/index.html", "index.html", "build/index.html", "public/index.html"];

/// What stands in the draft when there is no page.
pub(super) const NO_PAGE: &str = "dist/index.html";

/// Extensions of what a page is made of, for a page that lies beside everything else.
const PARTS: &[&str] = &[
    "html",
    "htm",
    "js",
    "mjs",
    "css",
    "png",
    "jpg",
    "jpeg",
    "gif",
    "svg",
    "webp",
    "ico",
    "woff",
    "woff2",
    "ttf",
    "wasm",
    "webmanifest",
];

/// Folders beside a page that are about making it.
const WORKSHOP: &[&str] = &[
    "__tests__",
    "bench",
    "coverage",
    "doc",
    "docs",
    "e2e",
    "example",
    "examples",
    "node_modules",
    "script",
    "scripts",
    "spec",
    "svc-registry",
    "target",
    "test",
    "tests",
    "tools",
    "types",
    "typings",
];

/// What is left out beside a page that lies beside everything else.
const WORKSHOP_FILES: &str = "*.config.*\n*.conf.js\n.*.js\nGruntfile.*\ngulpfile.*\n";

/// The page and the patterns that were chosen.
pub(super) struct Chosen {
    pub(super) renderer: String,
    pub(super) files: Vec<String>,
    pub(super) ignore_lines: String,
}

/// Chooses the page that the manifest names, or one at a usual place, and patterns of what belongs to it.
pub(super) fn choose(
    ground: &Ground<'_>,
    gathered: &Gathered,
    sources: &[Source],
    pictures: (&[DraftIcon], &[DraftScreenshot]),
) -> Chosen {
    let named = gathered.all(To::Renderer).iter().map(|found| found.value.as_str());
    let mut pages = named.chain(USUAL.iter().copied()).filter(|path| is_page(path));
    let page = pages.find(|path| ground.is_file(path)).map(str::to_owned);
    // The parts of an extension may lie anywhere beside its manifest.
    let extension = sources.iter().find(|source| source.kind == Kind::Browser).map(Source::folder);
    let folder = match (&page, extension) {
        (_, Some(folder)) => Some(folder.to_owned()),
        (Some(page), None) => Some(folder_of(page).to_owned()),
        (None, None) => None,
    };
    let mut files = match folder.as_deref() {
        Some("") => beside(ground),
        Some(folder) => vec![format!("{folder}**")],
        None => code_of(ground, gathered),
    };
    let is_covered = |files: &[String], path: &str| {
        files.iter().any(|glob| glob.strip_suffix("**").is_some_and(|start| path.starts_with(start)) || glob == path)
    };
    let (icons, shots) = pictures;
    let pictures = icons.iter().map(|icon| &icon.src).chain(shots.iter().map(|shot| &shot.src));
    for path in pictures.chain(&texts_of(ground)) {
        let by_extension = !path.contains('/') && files.contains(&format!("*.{}", extension_of(path)));
        if !is_covered(&files, path) && !by_extension {
            files.push(path.clone());
        }
    }
    if is_locales(ground) && !is_covered(&files, "locales/en.json") {
        files.push("locales/**".to_owned());
    }
    let workshop = if folder.as_deref() == Some("") { WORKSHOP_FILES } else { "" };
    Chosen {
        renderer: page.unwrap_or_else(|| NO_PAGE.to_owned()),
        files,
        ignore_lines: format!("{IGNORE_LINES}*.map\n*.d.ts\n.editorconfig\n{workshop}"),
    }
}

/// Whether there are translations of our form.
pub(super) fn is_locales(ground: &Ground<'_>) -> bool {
    ground.is_file("locales/en.json")
}

fn is_page(path: &str) -> bool {
    ["html", "htm", "xhtml"].contains(&extension_of(path))
}

fn extension_of(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(_, extension)| extension)
}

/// The folder of a path, with `/` behind it.
fn folder_of(path: &str) -> &str {
    path.rfind('/').and_then(|at| path.get(..=at)).unwrap_or_default()
}

/// Patterns of what lies beside a page that has no folder of its own, as far as it is there.
fn beside(ground: &Ground<'_>) -> Vec<String> {
    let of_kind = |kind: FileKind| {
        ground.names.iter().filter(move |(name, found)| *found == kind && !name.starts_with('.')).map(|(name, _)| name)
    };
    let has_part = |part: &&&str| of_kind(FileKind::Regular).any(|name| extension_of(name) == **part);
    let mut files: Vec<String> = PARTS.iter().filter(has_part).map(|part| format!("*.{part}")).collect();
    let is_part = |name: &&String| !WORKSHOP.contains(&name.as_str()) && is_plain(name);
    files.extend(of_kind(FileKind::Folder).filter(is_part).take(100).map(|name| format!("{name}/**")));
    files
}

/// Without a page: the folder of the code that the manifest names, so that what it does is told all the same.
fn code_of(ground: &Ground<'_>, gathered: &Gathered) -> Vec<String> {
    let code = gathered.all(To::Renderer).iter().find(|found| ground.is_file(&found.value));
    match code.map(|found| (folder_of(&found.value), &found.value)) {
        Some(("", file)) => vec![file.clone()],
        Some((folder, _)) => vec![format!("{folder}**")],
        None => Vec::new(),
    }
}

/// The README and the terms.
fn texts_of(ground: &Ground<'_>) -> Vec<String> {
    let is_text = |name: &str| {
        let name = name.to_lowercase();
        ["readme", "license", "licence", "copying"].iter().any(|stem| name.split('.').next() == Some(stem))
    };
    let names = ground.names.iter().filter(|(_, kind)| *kind == FileKind::Regular).map(|(name, _)| name);
    names.filter(|name| is_text(name) && is_plain(name)).take(8).cloned().collect()
}

/// Whether a name means itself in a pattern.
fn is_plain(name: &str) -> bool {
    name.chars().all(|character| character.is_alphanumeric() || "._- ".contains(character))
}
