//! Which member of a foreign manifest becomes which of ours, and how: one row each, tried in order.

use std::collections::{BTreeMap, BTreeSet};

use svc_core::{manifest::vocabulary::CATEGORIES, scalar::url::Origin};
use svc_json::tree::Node;

use super::{
    ground::Ground,
    source::{Kind, SOURCE_BYTES, Source},
    texts,
};
use crate::{failure::Failure, output::escape::is_safe};

/// What a row is about in our manifest, or what other members are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum To {
    Id,
    Name,
    ShortName,
    Version,
    Summary,
    PublisherId,
    PublisherName,
    License,
    Categories,
    Keywords,
    Repository,
    Subfolder,
    Support,
    Renderer,
    Permissions,
    Origins,
    DataCollection,
    Icons,
    Screenshots,
    /// The page that tells of the package: its domain goes into the id.
    Homepage,
    /// The last part of the id.
    Slug,
}

/// How a value becomes ours.
#[derive(Clone, Copy)]
enum How {
    /// One text.
    Text(fn(&str) -> Option<String>),
    /// Each text of a list.
    Each(fn(&str) -> Option<String>),
    /// A path, from the folder of the foreign manifest.
    Path,
    /// Pictures: members by size, or a list with `src`.
    Pictures,
}

struct Row {
    kind: Kind,
    from: &'static str,
    to: To,
    how: How,
}

macro_rules! rows {
    ($($kind:ident $from:literal => $to:ident, $how:expr;)+) => {
        &[$(Row { kind: Kind::$kind, from: $from, to: To::$to, how: $how }),+]
    };
}

const ROWS: &[Row] = rows! {
    Browser "/name" => Name, How::Text(texts::name);
    Browser "/name" => Slug, How::Text(texts::slug);
    Browser "/short_name" => ShortName, How::Text(texts::name);
    Browser "/version" => Version, How::Text(texts::version);
    Browser "/description" => Summary, How::Text(texts::summary);
    Browser "/author" => PublisherName, How::Text(texts::person);
    Browser "/developer/name" => PublisherName, How::Text(texts::person);
    Browser "/homepage_url" => Homepage, How::Text(texts::address);
    Browser "/developer/url" => Homepage, How::Text(texts::address);
    Browser "/action/default_popup" => Renderer, How::Path;
    Browser "/browser_action/default_popup" => Renderer, How::Path;
    Browser "/page_action/default_popup" => Renderer, How::Path;
    Browser "/side_panel/default_path" => Renderer, How::Path;
    Browser "/sidebar_action/default_panel" => Renderer, How::Path;
    Browser "/chrome_url_overrides/newtab" => Renderer, How::Path;
    Browser "/options_ui/page" => Renderer, How::Path;
    Browser "/options_page" => Renderer, How::Path;
    Browser "/icons" => Icons, How::Pictures;
    Browser "/action/default_icon" => Icons, How::Pictures;
    Browser "/permissions" => Permissions, How::Each(permission);
    Browser "/permissions" => Origins, How::Each(origin);
    Browser "/host_permissions" => Origins, How::Each(origin);
    Browser "/externally_connectable/matches" => Origins, How::Each(origin);
    Browser "/browser_specific_settings/gecko/data_collection_permissions/required" => DataCollection, How::Each(collected);
    Web "/name" => Name, How::Text(texts::name);
    Web "/short_name" => Name, How::Text(texts::name);
    Web "/name" => Slug, How::Text(texts::slug);
    Web "/short_name" => ShortName, How::Text(texts::name);
    Web "/description" => Summary, How::Text(texts::summary);
    Web "/categories" => Categories, How::Each(category);
    Web "/start_url" => Renderer, How::Path;
    Web "/icons" => Icons, How::Pictures;
    Web "/screenshots" => Screenshots, How::Pictures;
    Mcp "/name" => Id, How::Text(texts::server_id);
    Mcp "/title" => Name, How::Text(texts::name);
    Mcp "/name" => Name, How::Text(texts::package_title);
    Mcp "/name" => Slug, How::Text(texts::package_slug);
    Mcp "/description" => Summary, How::Text(texts::summary);
    Mcp "/version" => Version, How::Text(texts::version);
    Mcp "/version_detail/version" => Version, How::Text(texts::version);
    Mcp "/repository/url" => Repository, How::Text(texts::repository);
    Mcp "/repository/subfolder" => Subfolder, How::Text(texts::subfolder);
    Mcp "/websiteUrl" => Homepage, How::Text(texts::address);
    Npm "/displayName" => Name, How::Text(texts::name);
    Npm "/productName" => Name, How::Text(texts::name);
    Npm "/name" => Name, How::Text(texts::package_title);
    Npm "/name" => Slug, How::Text(texts::package_slug);
    Npm "/version" => Version, How::Text(texts::version);
    Npm "/description" => Summary, How::Text(texts::summary);
    Npm "/publisher" => PublisherId, How::Text(texts::publisher);
    Npm "/author" => PublisherName, How::Text(texts::person);
    Npm "/author/name" => PublisherName, How::Text(texts::person);
    Npm "/license" => License, How::Text(texts::license);
    Npm "/license/type" => License, How::Text(texts::license);
    Npm "/licenses/0/type" => License, How::Text(texts::license);
    Npm "/categories" => Categories, How::Each(category);
    Npm "/keywords" => Keywords, How::Each(texts::keyword);
    Npm "/repository" => Repository, How::Text(texts::repository);
    Npm "/repository/url" => Repository, How::Text(texts::repository);
    Npm "/repository/directory" => Subfolder, How::Text(texts::subfolder);
    Npm "/bugs" => Support, How::Text(texts::address);
    Npm "/bugs/url" => Support, How::Text(texts::address);
    Npm "/homepage" => Homepage, How::Text(texts::address);
    Npm "/author" => Homepage, How::Text(texts::person_address);
    Npm "/author/url" => Homepage, How::Text(texts::address);
    Npm "/browser" => Renderer, How::Path;
    Npm "/main" => Renderer, How::Path;
    Npm "/exports" => Renderer, How::Path;
    Npm "/icon" => Icons, How::Pictures;
};

/// Permissions of browser extensions, and ours that open the same.
const PERMISSIONS: &[(&str, &str)] = &[
    ("audioCapture", "microphone.capture"),
    ("clipboardRead", "clipboard.read"),
    ("clipboardWrite", "clipboard.write"),
    ("geolocation", "location.precise"),
    ("notifications", "notifications.show"),
    ("storage", "storage.local"),
    ("unlimitedStorage", "storage.local"),
    ("videoCapture", "camera.capture"),
];

/// What browser extensions say that they collect, and our words for it.
const COLLECTED: &[(&str, &str)] = &[
    ("browsingActivity", "usage"),
    ("financialAndPaymentInfo", "financial"),
    ("healthInfo", "health"),
    ("locationInfo", "location-precise"),
    ("none", "none"),
    ("personalCommunications", "content"),
    ("personallyIdentifyingInfo", "identity"),
    ("technicalAndInteraction", "diagnostics"),
    ("websiteActivity", "usage"),
    ("websiteContent", "content"),
];

/// One value that was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) value: String,
    /// What it shows, of a picture.
    pub(super) label: Option<String>,
    /// The foreign manifest.
    pub(super) file: String,
}

/// What was taken, and what was not.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    found: BTreeMap<To, Vec<Found>>,
    /// Values that have no place in our manifest: where they stand, and what they are. Not escaped.
    pub(super) left: Vec<(String, String)>,
}

impl Gathered {
    pub(super) fn all(&self, to: To) -> &[Found] {
        self.found.get(&to).map(Vec::as_slice).unwrap_or_default()
    }

    pub(super) fn first(&self, to: To) -> Option<&Found> {
        self.all(to).first()
    }

    pub(super) fn text(&self, to: To) -> Option<String> {
        self.first(to).map(|found| found.value.clone())
    }

    fn add(&mut self, to: To, found: Found) {
        let list = self.found.entry(to).or_default();
        if list.iter().all(|there| there.value != found.value) {
            list.push(found);
        }
    }
}

/// Takes what the rows take, the most specific manifest first.
pub(super) fn gather(ground: &Ground<'_>, sources: &[Source]) -> Result<Gathered, Failure> {
    let mut gathered = Gathered::default();
    for source in sources {
        let document = source.document()?;
        let mut took: BTreeSet<(&str, String)> = BTreeSet::new();
        let mut refused: Vec<(&Row, String)> = Vec::new();
        for row in ROWS.iter().filter(|row| row.kind == source.kind) {
            let Some(node) = document.root.at_text(row.from) else { continue };
            for (given, label) in given(row.how, node) {
                let text = message(ground, source, &document.root, &given);
                let value = Some(text).filter(|text| is_safe(text)).and_then(|text| taken(row.how, source, &text));
                match value {
                    Some(value) => {
                        took.insert((row.from, given));
                        gathered.add(row.to, Found { value, label, file: source.path.clone() });
                    }
                    None => refused.push((row, given)),
                }
            }
        }
        let is_left = |(row, text): &(&Row, String)| match row.how {
            How::Text(_) => row.to != To::Slug && gathered.first(row.to).is_none(),
            How::Each(_) | How::Pictures => !took.contains(&(row.from, text.clone())),
            // An npm package has no page as a rule; that there is none is told in the end.
            How::Path => false,
        };
        let left: BTreeSet<(String, String)> =
            refused.into_iter().filter(is_left).map(|(row, text)| (place(source, row), text)).collect();
        gathered.left.extend(left);
        gathered.left.extend(unknown(source, &document.root));
    }
    Ok(gathered)
}

fn place(source: &Source, row: &Row) -> String {
    format!("{} {}", source.path, row.from.trim_start_matches('/').replace('/', "."))
}

/// The texts that a row looks at, each with what it shows.
fn given(how: How, node: &Node<'_>) -> Vec<(String, Option<String>)> {
    let text = |node: &Node<'_>| node.as_str().map(|text| (text.to_owned(), None));
    let label = |node: &Node<'_>| node.get("label")?.as_str().filter(|text| is_safe(text)).and_then(texts::keyword);
    match how {
        How::Text(_) | How::Path => text(node).into_iter().collect(),
        How::Each(_) => node.elements().iter().filter_map(text).collect(),
        How::Pictures => {
            let listed =
                node.elements().iter().filter_map(|row| Some((row.get("src")?.as_str()?.to_owned(), label(row))));
            let by_size = node.members().iter().filter_map(|member| text(&member.value));
            text(node).into_iter().chain(listed).chain(by_size).collect()
        }
    }
}

fn taken(how: How, source: &Source, text: &str) -> Option<String> {
    match how {
        How::Text(take) | How::Each(take) => take(text),
        How::Path | How::Pictures => texts::path_from(source.folder(), text),
    }
}

/// A browser's `__MSG_name__` stands for a text of the default language.
fn message(ground: &Ground<'_>, source: &Source, root: &Node<'_>, text: &str) -> String {
    let read = || {
        let name = text.strip_prefix("__MSG_")?.strip_suffix("__")?.to_lowercase();
        let language = root.get("default_locale")?.as_str().filter(|text| is_safe(text))?;
        let path = texts::path_from(source.folder(), &format!("_locales/{language}/messages.json"))?;
        let bytes = ground.read(&path, SOURCE_BYTES).ok()?;
        let document = svc_json::tree::read(&bytes).ok()?;
        let member = document.root.members().iter().find(|member| member.key.to_lowercase() == name)?;
        Some(member.value.get("message")?.as_str()?.to_owned())
    };
    let read = if source.kind == Kind::Browser { read() } else { None };
    read.unwrap_or_else(|| text.to_owned())
}

/// Members that no row looks at. Those of a package.json are about its build.
fn unknown(source: &Source, root: &Node<'_>) -> Option<(String, String)> {
    const PASSED: &[&str] = &[
        "$schema",
        "manifest_version",
        "default_locale",
        "minimum_chrome_version",
        "key",
        "update_url",
        "lang",
        "dir",
        "_meta",
    ];
    let is_known = |key: &str| {
        let starts = |row: &Row| row.kind == source.kind && row.from.split('/').nth(1) == Some(key);
        PASSED.contains(&key) || ROWS.iter().any(starts)
    };
    let keys: Vec<&str> =
        root.members().iter().map(|member| member.key.as_ref()).filter(|key| !is_known(key)).collect();
    (source.kind != Kind::Npm && !keys.is_empty()).then(|| (source.path.clone(), keys.join(", ")))
}

fn word_for(words: &[(&str, &str)], text: &str) -> Option<String> {
    words.iter().find(|(theirs, _)| *theirs == text).map(|(_, ours)| (*ours).to_owned())
}

fn permission(text: &str) -> Option<String> {
    word_for(PERMISSIONS, text)
}

fn collected(text: &str) -> Option<String> {
    word_for(COLLECTED, text)
}

fn category(text: &str) -> Option<String> {
    let word = text.to_lowercase().replace(' ', "-");
    CATEGORIES.contains(&word.as_str()).then_some(word)
}

/// The https origin of a match pattern, such as `*://api.acme.dev/*`.
fn origin(pattern: &str) -> Option<String> {
    let rest = pattern.strip_prefix("https://").or_else(|| pattern.strip_prefix("*://"))?;
    let host = rest.split('/').next()?;
    Origin::parse(&format!("https://{host}")).map(|origin| origin.as_str().to_owned())
}
