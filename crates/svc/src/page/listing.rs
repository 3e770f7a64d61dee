//! The listing as it would look.

use svc_core::artifact::{about_package::AboutPackage as _, checked::Checked, submission::Submission};

use super::{
    model::{Address, Listing},
    package_files::PackageFiles,
    picture::Pictures,
    text::shown,
};

/// The most screenshots; the rules warn of more.
const MOST_SCREENSHOTS: usize = 6;

/// The most categories; the rules block more than three.
const MOST_CATEGORIES: usize = 10;

pub(super) fn build(submission: &Checked<Submission>, package: Option<&PackageFiles>) -> Listing {
    let basis = submission.basis();
    let manifest = &basis.package_artifact.manifest;
    let mut pictures = Pictures::new(&basis.package_artifact.files, package);
    let icon = manifest.icons.first().map(|icon| icon.src.as_str()).unwrap_or_default();
    let named = |what, url: Option<&str>| url.map(|url| Address { url: shown(url), what });
    let addresses = [
        named("publisher's page", manifest.publisher.url.as_ref().map(|url| url.as_str())),
        named("source", manifest.repository.as_ref().map(|repository| repository.url.as_str())),
        named("support", manifest.support.as_ref().map(|support| support.url.as_str())),
        named("privacy policy", manifest.privacy_policy.as_ref().map(|url| url.as_str())),
    ];
    let screenshots = manifest.screenshots.iter().flatten().take(MOST_SCREENSHOTS);
    Listing {
        addresses: addresses.into_iter().flatten().collect(),
        categories: manifest
            .categories
            .iter()
            .flatten()
            .take(MOST_CATEGORIES)
            .map(|label| shown(label.as_str()))
            .collect(),
        icon: pictures.slot(icon, ""),
        id: shown(manifest.id.as_str()),
        license: shown(manifest.license.as_str()),
        more_screenshots: manifest.screenshots.as_ref().map_or(0, Vec::len).saturating_sub(MOST_SCREENSHOTS),
        name: shown(manifest.name.as_str()),
        owner: named_id(basis.owner.id.as_str(), basis.owner.name.as_str()),
        publisher: named_id(
            manifest.publisher.id.as_str(),
            manifest.publisher.name.as_ref().map(|name| name.as_str()).unwrap_or_default(),
        ),
        screenshots: screenshots
            .map(|one| pictures.slot(one.src.as_str(), one.alt.as_ref().map(|alt| alt.as_str()).unwrap_or_default()))
            .collect(),
        summary: shown(manifest.summary.as_str()),
        version: shown(manifest.version.as_str()),
        visibility: basis.visibility.as_str(),
    }
}

fn named_id(id: &str, name: &str) -> String {
    if name.is_empty() { shown(id) } else { format!("{} ({})", shown(name), shown(id)) }
}
