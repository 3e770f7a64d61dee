//! The summary of a draft: where it was taken from, what has no place in it, and what only the author knows.

use std::{collections::BTreeMap, fmt::Write as _};

use svc_cli::output::escape::Safe;
use svc_core::finding::Finding;

use super::{
    draft::DraftManifest,
    evidence::Evidence,
    gather::{Found, Gathered},
    page_search::Page,
    source::Source,
    table::To,
};

/// The most values without a place that are told one by one, and the most of the text of one.
const MOST_LEFT: usize = 12;
const MOST_CHARACTERS: usize = 80;

/// Members of the manifest, what stands there, and an example of it. A part `*` is any number.
const EXAMPLES: &[(&str, &str)] = &[
    ("/id", "\"dev.acme.weather-board\""),
    ("/publisher", "{ \"id\": \"acme\", \"url\": \"https://acme.dev\" }"),
    ("/publisher/id", "\"acme\""),
    ("/publisher/url", "\"https://acme.dev\""),
    ("/name", "\"Weather Board\""),
    ("/shortName", "\"Weather\""),
    ("/version", "\"1.2.0\""),
    ("/summary", "\"Shows the weather for the places your team works in.\""),
    ("/license", "\"MIT\""),
    ("/keywords", "[\"forecast\", \"weather\"]"),
    ("/repository", "{ \"url\": \"https://github.com/acme/weather-board\" }"),
    ("/support", "{ \"url\": \"https://acme.dev/support\" }"),
    ("/privacyPolicy", "\"https://acme.dev/privacy\""),
    ("/engines/host", "\">=3.2.0 <4.0.0\""),
    ("/entry/renderer", "\"dist/index.html\""),
    ("/permissions/*/permission", "remove the row, when nothing needs it"),
    ("/permissions/*/purpose", "\"Shows you when a place that you pinned gets rain.\""),
    ("/network/allow", "[\"https://api.acme.dev\"]"),
    ("/network/purpose", "\"The forecast service receives the name of each pinned place.\""),
    ("/dataCollection", "[\"none\"], or [\"location-approximate\"]"),
    ("/icons", "[{ \"src\": \"assets/icon.png\", \"sizes\": \"512x512\" }]"),
    ("/screenshots", "[{ \"src\": \"assets/board.png\", \"alt\": \"The board with one card for each place.\" }]"),
    ("/files", "[\"dist/**\", \"README.md\", \"LICENSE\"]"),
];

/// Permissions, and a purpose that says what people get from one.
const PURPOSES: &[(&str, &str)] = &[
    ("camera.capture", "\"Takes the picture that you add to a report.\""),
    ("clipboard.read", "\"Fills the form from a table that you copied.\""),
    ("clipboard.write", "\"Copies the link of a forecast when you ask for it.\""),
    ("files.open", "\"Opens the list of places that you choose.\""),
    ("files.save", "\"Saves the table where you choose.\""),
    ("location.approximate", "\"Starts the map where you are.\""),
    ("location.precise", "\"Shows the rain in your street.\""),
    ("microphone.capture", "\"Records the note that you speak.\""),
    ("network.fetch", "\"Reads forecasts for the places you pin.\""),
    ("notifications.show", "\"Tells you when a place that you pinned gets rain.\""),
    ("storage.local", "\"Keeps your pinned places between visits.\""),
];

const LABELS: &[(To, &str)] = &[
    (To::Id, "id"),
    (To::Name, "name"),
    (To::ShortName, "shortName"),
    (To::Version, "version"),
    (To::Summary, "summary"),
    (To::PublisherName, "publisher"),
    (To::License, "license"),
    (To::Categories, "categories"),
    (To::Keywords, "keywords"),
    (To::Repository, "repository"),
    (To::Support, "support"),
    (To::Renderer, "entry.renderer"),
    (To::Permissions, "permissions"),
    (To::Origins, "network.allow"),
    (To::DataCollection, "dataCollection"),
    (To::Icons, "icons"),
    (To::Screenshots, "screenshots"),
];

/// All of it, but for the files that were written.
pub(super) fn describe(
    sources: &[Source],
    gathered: &Gathered,
    page: Option<&Page>,
    draft: &DraftManifest,
    evidence: &Evidence,
) -> String {
    let mut text = String::new();
    for source in sources {
        let is_of = |to: To| taken(gathered, draft, to).is_some_and(|found| found.file == source.path);
        let labels: Vec<&str> = LABELS.iter().filter(|(to, _)| is_of(*to)).map(|(_, label)| *label).collect();
        let labels = if labels.is_empty() { "nothing".to_owned() } else { labels.join(", ") };
        let _ = writeln!(text, "taken     {labels}  from {}", Safe(&source.path));
    }
    if sources.is_empty() {
        text.push_str("taken     nothing: no package.json, manifest.json, web app manifest or server.json is there\n");
    }
    let guessed = page.filter(|page| page.is_guess).map(|page| page.path.as_str());
    if let Some(path) = guessed {
        let _ = writeln!(text, "taken     {}  from the pages that are there", Safe(path));
    }
    let loaded: Vec<&str> = evidence.loaded.iter().map(String::as_str).collect();
    if !loaded.is_empty() {
        let _ = writeln!(text, "taken     {}  from what the page loads", Safe(&loaded.join(", ")));
    }
    let proposal = &evidence.proposal;
    let origins = proposal.origins.iter().map(|origin| origin.as_str());
    let used: Vec<&str> = proposal.permissions.iter().copied().chain(origins).collect();
    if !used.is_empty() {
        let _ = writeln!(text, "taken     {}  from what the code uses", Safe(&used.join(", ")));
    }
    left_out(&mut text, gathered);
    only_you_know(&mut text, draft, guessed, &evidence.findings);
    in_files(&mut text, &evidence.findings);
    text.push('\n');
    text
}

/// The value that the draft holds. Of pages and pictures, more are named than are there.
fn taken<'g>(gathered: &'g Gathered, draft: &DraftManifest, to: To) -> Option<&'g Found> {
    let is_drafted = |found: &&Found| match to {
        To::Renderer => found.value == draft.entry.renderer,
        To::Icons => draft.icons.iter().any(|icon| icon.src == found.value),
        To::Screenshots => draft.screenshots.iter().any(|shot| shot.src == found.value),
        To::Id
        | To::Name
        | To::ShortName
        | To::Version
        | To::Summary
        | To::PublisherId
        | To::PublisherName
        | To::License
        | To::Categories
        | To::Keywords
        | To::Repository
        | To::Subfolder
        | To::Support
        | To::Permissions
        | To::Origins
        | To::DataCollection
        | To::Homepage
        | To::Slug => true,
    };
    gathered.all(to).iter().find(is_drafted)
}

fn left_out(text: &mut String, gathered: &Gathered) {
    for (place, value) in gathered.left.iter().take(MOST_LEFT) {
        let short: String = value.chars().take(MOST_CHARACTERS).collect();
        let mark = if short.len() < value.len() { "…" } else { "" };
        let _ = writeln!(text, "not taken {}: {}{mark}", Safe(place), Safe(&short));
    }
    if gathered.left.len() > MOST_LEFT {
        let _ = writeln!(text, "not taken and {} more", gathered.left.len() - MOST_LEFT);
    }
}

/// One row for each place of the manifest where something is to be written or looked at.
fn only_you_know(text: &mut String, draft: &DraftManifest, guessed: Option<&str>, findings: &[Finding]) {
    let mut rows: BTreeMap<usize, BTreeMap<String, String>> = BTreeMap::new();
    let mut add = |pointer: &str, what: &str| {
        let (order, _) = example_of(pointer);
        rows.entry(order).or_default().entry(pointer.to_owned()).or_insert_with(|| what.to_owned());
    };
    for finding in findings.iter().filter(|finding| finding.file.is_none()) {
        let permission = permission_at(draft, finding.pointer.as_str());
        let of = permission.map(|permission| format!("{permission}: ")).unwrap_or_default();
        add(finding.pointer.as_str(), &format!("{of}{}", finding.help));
    }
    if let Some(path) = guessed {
        add("/entry/renderer", &format!("`{path}` is drafted: is it the page that is shown first?"));
    }
    add("/version", &format!("`{}` is drafted: is it the one you hand in?", draft.version));
    add("/engines/host", "Write the range of host versions that you have tried it with.");
    text.push_str("\nOnly you know\n");
    for (pointer, what) in rows.into_values().flatten() {
        let purpose = permission_at(draft, &pointer).filter(|_| pointer.ends_with("/purpose"));
        let purpose = PURPOSES.iter().find(|(permission, _)| Some(*permission) == purpose).map(|(_, purpose)| *purpose);
        let example = purpose.or(example_of(&pointer).1);
        let pointer = if pointer.is_empty() { "/".to_owned() } else { pointer };
        let _ = writeln!(text, "  {}  {}", Safe(&pointer), Safe(&what));
        let _ = example.map(|example| writeln!(text, "      such as {example}"));
    }
}

/// The permission that a pointer leads into.
fn permission_at<'d>(draft: &'d DraftManifest, pointer: &str) -> Option<&'d str> {
    let row: usize = pointer.strip_prefix("/permissions/")?.split('/').next()?.parse().ok()?;
    draft.permissions.get(row).map(|row| row.permission.as_str())
}

/// The row of the example that fits a pointer best, and the example.
fn example_of(pointer: &str) -> (usize, Option<&'static str>) {
    let parts: Vec<&str> = pointer.split('/').collect();
    let fits = |row: &str| {
        let row: Vec<&str> = row.split('/').collect();
        let is_start = row.len() <= parts.len() && row.iter().zip(&parts).all(|(row, part)| row == part || *row == "*");
        is_start.then_some(row.len())
    };
    let best = EXAMPLES.iter().enumerate().filter_map(|(order, (row, example))| Some((fits(row)?, order, *example)));
    best.max_by_key(|(length, order, _)| (*length, *order))
        .map_or((EXAMPLES.len(), None), |(_, order, example)| (order, Some(example)))
}

/// What the rules say of files, a row for each rule.
fn in_files(text: &mut String, findings: &[Finding]) {
    let mut rows: BTreeMap<&str, (&Finding, usize)> = BTreeMap::new();
    for finding in findings.iter().filter(|finding| finding.file.is_some()) {
        rows.entry(&finding.rule.code).or_insert((finding, 0)).1 += finding.files.max(1);
    }
    if rows.is_empty() {
        return;
    }
    text.push_str("\nIn your files (`svc check` shows each place)\n");
    for (code, (finding, count)) in rows {
        let file = finding.file.as_deref().unwrap_or_default();
        let more = if count > 1 { format!(" and {} more", count - 1) } else { String::new() };
        let _ = writeln!(text, "  {code}  {}: {}{more}", finding.rule.title, Safe(file));
    }
}
