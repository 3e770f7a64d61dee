//! Pictures that a listing can show: square PNG files for icons, any picture for a screenshot.

use super::{
    draft::{DraftIcon, DraftScreenshot},
    gather::{Found, Gathered},
    page_search::Page,
    project_folder::ProjectFolder,
    table::To,
};

/// Where an icon often lies when no manifest names it, from the folder itself or that of the page.
const USUAL_FOLDERS: &[&str] = &["", "assets/", "icons/", "images/", "img/", "public/", "static/"];

/// How it is called then, the best first.
const USUAL_NAMES: &[&str] = &[
    "icon.png",
    "icon-512.png",
    "icon512.png",
    "icon-512x512.png",
    "android-chrome-512x512.png",
    "icon-192.png",
    "icon192.png",
    "icon128.png",
    "icon-128.png",
    "logo.png",
    "apple-touch-icon.png",
    "favicon.png",
    "favicon-32x32.png",
];

const MOST: usize = 8;

/// The icons that can be shown, the largest first, with the sizes that they really have. What cannot is told.
pub(super) fn icons(project: &ProjectFolder<'_>, gathered: &mut Gathered, page: Option<&Page>) -> Vec<DraftIcon> {
    let mut sized: Vec<(u32, String)> = Vec::new();
    let mut left = Vec::new();
    for found in gathered.all(To::Icons) {
        match square(project, &found.value) {
            Some(side) => sized.push((side, found.value.clone())),
            None => {
                left.push((format!("{} icons", found.file), format!("{} is no square PNG of the folder", found.value)))
            }
        }
    }
    gathered.left.extend(left);
    if sized.is_empty() {
        sized.extend(usual(project, page.map(Page::folder).unwrap_or_default()));
    }
    sized.sort_by(|left, right| right.0.cmp(&left.0).then_with(|| left.1.cmp(&right.1)));
    let icon = |(side, src): (u32, String)| DraftIcon { src, sizes: format!("{side}x{side}") };
    sized.into_iter().take(MOST).map(icon).collect()
}

/// The first picture of a usual name that is there.
fn usual(project: &ProjectFolder<'_>, page_folder: &str) -> Option<(u32, String)> {
    let folders = || USUAL_FOLDERS.iter().map(|folder| (*folder).to_owned());
    let beside_page = folders().map(|folder| format!("{page_folder}{folder}"));
    let folders: Vec<String> = beside_page.chain(folders()).collect();
    let paths = USUAL_NAMES.iter().flat_map(|name| folders.iter().map(move |folder| format!("{folder}{name}")));
    paths.into_iter().find_map(|path| Some((square(project, &path)?, path)))
}

/// The pictures of the package that are there.
pub(super) fn screenshots(project: &ProjectFolder<'_>, gathered: &Gathered) -> Vec<DraftScreenshot> {
    let is_there = |found: &&Found| project.is_file(&found.value);
    let shot = |found: &Found| DraftScreenshot { src: found.value.clone(), alt: found.label.clone() };
    gathered.all(To::Screenshots).iter().filter(is_there).take(MOST).map(shot).collect()
}

/// The pixels of a side.
fn square(project: &ProjectFolder<'_>, path: &str) -> Option<u32> {
    let (width, height) = svc_facts::png_pixels(&project.head(path)?)?;
    (width == height && (1..100_000).contains(&width)).then_some(width)
}
