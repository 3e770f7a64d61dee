//! Which member of a foreign manifest becomes which of ours, and how: one row each, tried in order.

use svc_core::{manifest::vocabulary::CATEGORIES, scalar::url::Origin};

use super::{source::Kind, texts};

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
pub(super) enum How {
    /// One text.
    Text(fn(&str) -> Option<String>),
    /// Each text of a list.
    Each(fn(&str) -> Option<String>),
    /// A path, from the folder of the foreign manifest.
    Path,
    /// Pictures: members by size, or a list with `src`.
    Pictures,
}

/// A member of a foreign manifest, by its pointer, and what becomes of it.
pub(super) struct Row {
    pub(super) kind: Kind,
    pub(super) from: &'static str,
    pub(super) to: To,
    pub(super) how: How,
}

macro_rules! rows {
    ($($kind:ident $from:literal => $to:ident, $how:expr;)+) => {
        &[$(Row { kind: Kind::$kind, from: $from, to: To::$to, how: $how }),+]
    };
}

pub(super) const ROWS: &[Row] = rows! {
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
    Browser "/chrome_url_overrides/bookmarks" => Renderer, How::Path;
    Browser "/chrome_url_overrides/history" => Renderer, How::Path;
    Browser "/options_ui/page" => Renderer, How::Path;
    Browser "/options_page" => Renderer, How::Path;
    Browser "/devtools_page" => Renderer, How::Path;
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
