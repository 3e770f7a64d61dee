//! The id of the package and its publisher, from what a foreign manifest says of domains and people.

use std::path::Path;

use svc_core::{
    manifest::namespace::{host_of, proof_host},
    scalar::ident::PackageId,
};

use super::{draft::DraftPublisher, gather::Gathered, table::To, template::folder_name, texts};

/// The name and the id of the package, and who publishes it.
pub(super) struct Names {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) publisher: DraftPublisher,
}

/// Hosts of many people's projects, and how an owner's own domain there is spelled.
const SHARED: &[(&str, Option<&str>)] = &[
    ("github.com", Some("io.github")),
    ("gitlab.com", Some("io.gitlab")),
    ("codeberg.org", Some("page.codeberg")),
    ("bitbucket.org", None),
];

/// Parts of addresses below which registries and stores keep a page for each of their packages.
const STORE_PARTS: &[&str] = &["addon", "detail", "package", "packages"];

impl Names {
    /// What can be told. Names that belong to nobody stand where nothing can, and the rules report them.
    pub(super) fn from_gathered(gathered: &Gathered, folder: &Path) -> Self {
        let folder = folder_name(folder);
        let slug = gathered.text(To::Slug).or_else(|| texts::slug(&folder)).unwrap_or_else(|| "package".to_owned());
        let name =
            gathered.text(To::Name).or_else(|| texts::package_title(&slug)).unwrap_or_else(|| "Package".to_owned());
        let repository = gathered.text(To::Repository);
        let owner = repository.as_deref().and_then(owner_of);
        let homepages: Vec<&str> = gathered.all(To::Homepage).iter().map(|found| found.value.as_str()).collect();
        let own = homepages.iter().copied().find(|url| is_own(url));
        let shared = homepages.iter().copied().filter_map(owner_of).chain(owner.clone()).next();
        let id = gathered
            .text(To::Id)
            .or_else(|| below(&reversed(host_of(own?)?), &slug))
            .or_else(|| below(shared.as_ref()?.space.as_deref()?, &slug))
            .unwrap_or_else(|| format!("dev.example.{slug}"));
        let publisher_name = gathered.text(To::PublisherName);
        let publisher_id = gathered
            .text(To::PublisherId)
            .or_else(|| owner.map(|owner| owner.name))
            .or_else(|| texts::slug(publisher_name.as_deref()?))
            .unwrap_or_else(|| "example".to_owned());
        let url =
            own.and_then(|url| Some(format!("https://{}", host_of(url)?))).filter(|url| proof_host(&id, url).is_some());
        Self { id, name, publisher: DraftPublisher { id: publisher_id, name: publisher_name, url } }
    }
}

/// Who has a project at a shared host.
#[derive(Clone)]
struct Owner {
    name: String,
    /// The start of ids that are this owner's.
    space: Option<String>,
}

fn owner_of(url: &str) -> Option<Owner> {
    let host = host_of(url)?;
    let (_, space) = SHARED.iter().find(|(shared, _)| *shared == host)?;
    let name = texts::slug(url.split('/').nth(3)?)?;
    let space = space.map(|space| format!("{space}.{name}"));
    Some(Owner { name, space })
}

/// Whether the domain of a page is the author's, as far as its address tells.
fn is_own(url: &str) -> bool {
    let is_shared = host_of(url).is_none_or(|host| SHARED.iter().any(|(shared, _)| *shared == host));
    !is_shared && !url.split('/').skip(3).any(|part| STORE_PARTS.contains(&part))
}

fn reversed(host: &str) -> String {
    host.split('.').rev().collect::<Vec<_>>().join(".")
}

/// An id below a domain. A domain that ends with the name already needs it no second time.
fn below(space: &str, slug: &str) -> Option<String> {
    let id = match space.rsplit_once('.') {
        Some((above, last)) if last == slug && above.contains('.') => space.to_owned(),
        _ => format!("{space}.{slug}"),
    };
    PackageId::parse(&id).map(|_| id)
}
