//! The files that go with the page that a host would show.

use svc_cli::files::kind::FileKind;

use super::{
    draft::{DraftIcon, DraftScreenshot},
    gather::Gathered,
    page_search::{Page, extension_of, folder_of},
    place::IGNORE_LINES,
    project_folder::{ProjectFolder, is_plain},
    source::{Kind, Source},
    table::To,
};

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

/// What is left out beside a page that lies beside everything else.
const WORKSHOP_FILES: &str = "*.config.*\n*.conf.js\n.*.js\nGruntfile.*\ngulpfile.*\n";

/// The page and the patterns that were chosen.
pub(super) struct Chosen {
    pub(super) renderer: String,
    pub(super) files: Vec<String>,
    pub(super) ignore_lines: String,
}

/// Chooses patterns of what belongs to the page.
pub(super) fn choose(
    project: &ProjectFolder<'_>,
    gathered: &Gathered,
    sources: &[Source],
    page: Option<&Page>,
    pictures: (&[DraftIcon], &[DraftScreenshot]),
) -> Chosen {
    // The parts of an extension may lie anywhere beside its manifest.
    let extension = sources.iter().find(|source| source.kind == Kind::Browser).map(Source::folder);
    let folder = match (page, extension) {
        (_, Some(folder)) => Some(folder.to_owned()),
        (Some(page), None) => Some(page.folder().to_owned()),
        (None, None) => None,
    };
    let mut files = match folder.as_deref() {
        Some("") => beside(project),
        Some(folder) => vec![format!("{folder}**")],
        None => code_of(project, gathered),
    };
    let is_covered = |files: &[String], path: &str| {
        files.iter().any(|glob| glob.strip_suffix("**").is_some_and(|start| path.starts_with(start)) || glob == path)
    };
    let (icons, shots) = pictures;
    let pictures = icons.iter().map(|icon| &icon.src).chain(shots.iter().map(|shot| &shot.src));
    for path in pictures.chain(&texts_of(project)) {
        let by_extension = !path.contains('/') && files.contains(&format!("*.{}", extension_of(path)));
        if !is_covered(&files, path) && !by_extension {
            files.push(path.clone());
        }
    }
    if is_locales(project) && !is_covered(&files, "locales/en.json") {
        files.push("locales/**".to_owned());
    }
    let workshop = if folder.as_deref() == Some("") { WORKSHOP_FILES } else { "" };
    Chosen {
        renderer: page.map_or_else(|| NO_PAGE.to_owned(), |page| page.path.clone()),
        files,
        ignore_lines: format!("{IGNORE_LINES}*.map\n*.d.ts\n.editorconfig\n{workshop}"),
    }
}

/// Whether there are translations of our form.
pub(super) fn is_locales(project: &ProjectFolder<'_>) -> bool {
    project.is_file("locales/en.json")
}

/// Patterns of what lies beside a page that has no folder of its own, as far as it is there.
fn beside(project: &ProjectFolder<'_>) -> Vec<String> {
    let is_file = |(name, kind): &&(String, FileKind)| *kind == FileKind::Regular && !name.starts_with('.');
    let has_part = |part: &&&str| project.names.iter().filter(is_file).any(|(name, _)| extension_of(name) == **part);
    let mut files: Vec<String> = PARTS.iter().filter(has_part).map(|part| format!("*.{part}")).collect();
    // What is built lies beside what it was built of. Files of it that the page loads are taken in one by one.
    let is_built = project.work_folders().any(|name| ["build", "dist"].contains(&name));
    let is_part = |name: &&str| !(is_built && *name == "src");
    files.extend(project.work_folders().filter(is_part).map(|name| format!("{name}/**")));
    files
}

/// Without a page: the folder of the code that the manifest names, so that what it does is told all the same.
fn code_of(project: &ProjectFolder<'_>, gathered: &Gathered) -> Vec<String> {
    let code = gathered.all(To::Renderer).iter().find(|found| project.is_file(&found.value));
    match code.map(|found| (folder_of(&found.value), &found.value)) {
        Some(("", file)) => vec![file.clone()],
        Some((folder, _)) => vec![format!("{folder}**")],
        None => Vec::new(),
    }
}

/// The README and the terms.
fn texts_of(project: &ProjectFolder<'_>) -> Vec<String> {
    let is_text = |name: &str| {
        let name = name.to_lowercase();
        ["readme", "license", "licence", "copying"].iter().any(|stem| name.split('.').next() == Some(stem))
    };
    let names = project.names.iter().filter(|(_, kind)| *kind == FileKind::Regular).map(|(name, _)| name);
    names.filter(|name| is_text(name) && is_plain(name)).take(8).cloned().collect()
}
