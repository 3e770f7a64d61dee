//! L: how a package shows itself.

use super::{
    review::{Package, Sink},
    rule::rules,
};

rules! {
    L004 "SVC-L004", Blocker, Manifest, "an SVG icon" {
        why: "SVG can carry code and refer to other places; it is drawn where the package is not yet isolated.",
        fix: "Use a PNG.",
        check: svg_icon,
    }
    L006 "SVC-L006", Warning, Manifest, "no screenshots, or one without a description" {
        why: "People look before they read, and some cannot look.",
        fix: "Add `screenshots`, each with `alt`.",
        check: screenshots,
    }
    L008 "SVC-L008", Blocker, FileTable, "the default locale's file is missing" {
        why: "Every other language falls back to it.",
        fix: "Add the file, or a pattern in `files` that matches it.",
        check: default_locale,
    }
    L009 "SVC-L009", Error, Manifest, "a text that claims a standing" {
        why: "Nothing here is installable, approved, verified or official; a listing that says so misleads.",
        fix: "Remove the claim.",
        parameters: { "words": Words(CLAIMS) },
        check: claims_standing,
    }
}

/// Words that claim a standing, in lowercase.
const CLAIMS: &[&str] = &["installable", "approved", "verified", "official", "certified", "trusted"];

fn svg_icon(package: &Package<'_>, sink: &mut Sink<'_>) {
    for (pointer, node) in package.list("/icons") {
        let source = node.get("src").and_then(|node| node.as_str()).unwrap_or_default();
        if source.to_ascii_lowercase().ends_with(".svg") {
            sink.report(pointer.join("src"), "the icon is an SVG");
        }
    }
}

fn screenshots(package: &Package<'_>, sink: &mut Sink<'_>) {
    if package.list("/screenshots").next().is_none() {
        sink.report("/screenshots", "the manifest names no screenshots");
    }
    for (pointer, node) in package.list("/screenshots") {
        if node.get("alt").is_none() {
            sink.report(pointer.join("alt"), "the screenshot has no description");
        }
    }
}

fn default_locale(package: &Package<'_>, sink: &mut Sink<'_>) {
    let (Some(dir), Some(default)) = (package.text("/locales/dir"), package.text("/locales/default")) else { return };
    let path = format!("{dir}/{default}.json");
    if !package.has_file(&path) {
        sink.report("/locales/default", format!("`{path}` is not in the package"));
    }
}

fn claims_standing(package: &Package<'_>, sink: &mut Sink<'_>) {
    for pointer in ["/name", "/shortName", "/summary", "/description", "/publisher/name"] {
        let text = package.text(pointer).unwrap_or_default().to_lowercase();
        let mut words = text.split(|character: char| !character.is_alphanumeric());
        if let Some(claim) = words.find(|word| CLAIMS.contains(word)) {
            sink.report(pointer, format!("the text says `{claim}`"));
        }
    }
}
