//! A draft for a folder that is there: what its own manifest says, then what its code shows, then what only the author knows.

use std::path::Path;

use svc_cli::{
    failure::Failure,
    files::{document::DocumentSource, open::Root},
};
use svc_core::{contract::contracts, manifest};

use super::{
    draft::{
        DraftEngines, DraftEntry, DraftLocales, DraftManifest, DraftNetwork, DraftRepository, DraftSupport,
        SUMMARY_TO_DO, TO_DO,
    },
    evidence,
    gather::{self, Gathered},
    icons,
    names::Names,
    page::{self, Chosen},
    page_search,
    place::{NewFile, SCHEMA_FILE, is_there, require_plain_ignore_file},
    project_folder::ProjectFolder,
    source, summary,
    table::To,
};

/// The version of a package that has none yet.
const FIRST_VERSION: &str = "0.1.0";

const MOST_KEYWORDS: usize = 20;

/// What is to be written, and the summary of it.
pub(super) struct Adopted {
    pub(super) source: DocumentSource,
    pub(super) files: Vec<NewFile>,
    pub(super) manifest: String,
    pub(super) summary: String,
}

/// Drafts a manifest for the folder. Nothing is written.
pub(super) fn adopt(root: Root, folder: &Path, from: Option<&Path>) -> Result<Adopted, Failure> {
    require_plain_ignore_file(&root)?;
    let source = DocumentSource::planned(root, folder.to_path_buf(), manifest::FILE_NAME);
    let project = ProjectFolder::new(&source);
    let sources = source::find(&project, folder, from)?;
    let mut gathered = gather::gather(&project, &sources)?;
    let names = Names::from_gathered(&gathered, folder);
    let named = gathered.all(To::Renderer).iter().map(|found| found.value.as_str());
    let page = page_search::find(&project, named);
    let icons = icons::icons(&project, &mut gathered, page.as_ref());
    let screenshots = icons::screenshots(&project, &gathered);
    let chosen = page::choose(&project, &gathered, &sources, page.as_ref(), (&icons, &screenshots));
    let ignore_lines = chosen.ignore_lines.clone();
    let mut draft = DraftManifest { icons, screenshots, ..of_texts(&project, &gathered, names, chosen) };
    let evidence = evidence::gather(&project, &source, &mut draft, &ignore_lines);
    let summary = summary::describe(&sources, &gathered, page.as_ref(), &draft, &evidence);
    let text = draft.text();
    // The manifest comes last: whoever sees one sees the rest.
    let files: Vec<NewFile> = [
        (SCHEMA_FILE, contracts::schema("app-manifest").unwrap_or_default()),
        (manifest::IGNORE_FILE_NAME, ignore_lines.into_bytes()),
        (manifest::FILE_NAME, text.clone().into_bytes()),
    ]
    .into_iter()
    .filter(|(path, _)| !is_kept(&project, path))
    .collect();
    Ok(Adopted { files, manifest: text, summary, source })
}

/// Whether a file of ours is there already, and stays as it is.
fn is_kept(project: &ProjectFolder<'_>, path: &str) -> bool {
    if path == SCHEMA_FILE { project.is_file(path) } else { is_there(project.root(), path) }
}

fn of_texts(project: &ProjectFolder<'_>, gathered: &Gathered, names: Names, chosen: Chosen) -> DraftManifest {
    let values =
        |to: To, most: usize| gathered.all(to).iter().take(most).map(|found| found.value.clone()).collect::<Vec<_>>();
    let collected = values(To::DataCollection, 20);
    let mut draft = DraftManifest {
        schema: SCHEMA_FILE,
        manifest_version: 1,
        id: names.id,
        short_name: gathered.text(To::ShortName).filter(|short| *short != names.name),
        name: names.name,
        version: gathered.text(To::Version).unwrap_or_else(|| FIRST_VERSION.to_owned()),
        summary: gathered.text(To::Summary).unwrap_or_else(|| SUMMARY_TO_DO.to_owned()),
        description: project.is_file("README.md").then_some("README.md"),
        publisher: names.publisher,
        license: gathered.text(To::License).unwrap_or_else(|| TO_DO.to_owned()),
        categories: values(To::Categories, 3),
        keywords: values(To::Keywords, MOST_KEYWORDS),
        repository: gathered
            .text(To::Repository)
            .map(|url| DraftRepository { url, subfolder: gathered.text(To::Subfolder) }),
        support: gathered.text(To::Support).map(|url| DraftSupport { url }),
        engines: DraftEngines { host: ">=3.0.0 <4.0.0" },
        entry: DraftEntry { renderer: chosen.renderer, isolation: "sandboxed-frame" },
        permissions: Vec::new(),
        network: DraftNetwork { allow: Vec::new(), purpose: None },
        // `none` beside another word says two things.
        data_collection: collected.iter().filter(|word| collected.len() == 1 || *word != "none").cloned().collect(),
        icons: Vec::new(),
        screenshots: Vec::new(),
        locales: page::is_locales(project).then_some(DraftLocales { default: "en", dir: "locales" }),
        files: chosen.files,
    };
    let (permissions, origins) = (gathered.all(To::Permissions), gathered.all(To::Origins));
    draft.ask(permissions.iter().map(|found| found.value.as_str()), origins.iter().map(|found| found.value.as_str()));
    draft
}
