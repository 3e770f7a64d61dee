//! L: how a package shows itself.

use svc_json::pointer::Pointer;

use crate::{
    package::scan::FileFacts,
    rules::{
        family::rules,
        package::{Package, Sink},
    },
};

rules! {
    L001 Blocker, FileBytes, "no icon, or one that is not a square PNG of its declared size" {
        why: "A listing shows the icon as it is; a broken or stretched one cannot be shown.",
        fix: "Give a square PNG and write its size in `sizes`.",
        fires: Manifest(r#"{ "icons": [{ "src": "assets/icon.png", "sizes": "1024x1024" }] }"#),
        passes: Manifest(r#"{ "icons": [{ "src": "assets/icon.png", "sizes": "512x512" }] }"#),
        check: icon_picture,
    }
    L003 Warning, FileBytes, "an icon of fewer than 512 pixels" {
        why: "On dense screens a small icon is blurred.",
        fix: "Give an icon of 512 x 512 pixels or more.",
        fires: Manifest(r#"{ "icons": [{ "src": "assets/icon-256.png", "sizes": "256x256" }] }"#),
        passes: Manifest(r#"{ "icons": [{ "src": "assets/icon.png", "sizes": "512x512" }] }"#),
        parameters: { "pixels": Number(ICON_PIXELS as u64) },
        check: small_icon,
    }
    L004 Blocker, Manifest, "an SVG icon" {
        why: "SVG can carry code and refer to other places; it is drawn where the package is not yet isolated.",
        fix: "Use a PNG.",
        fires: Manifest(r#"{ "icons": [{ "src": "assets/icon.svg", "sizes": "512x512" }] }"#),
        passes: Manifest(r#"{ "icons": [{ "src": "assets/icon.png", "sizes": "512x512" }] }"#),
        check: svg_icon,
    }
    L006 Warning, Manifest, "no screenshots, or one without a description" {
        why: "People look before they read, and some cannot look.",
        fix: "Add `screenshots`, each with `alt`.",
        fires: Manifest(r#"{ "screenshots": [{ "src": "assets/board.png" }] }"#),
        passes: Manifest(r#"{ "screenshots": [{ "src": "assets/board.png", "alt": "The board with six cards." }] }"#),
        check: screenshots,
    }
    L008 Blocker, FileTable, "the default locale's file is missing" {
        why: "Every other language falls back to it.",
        fix: "Add the file, or a pattern in `files` that matches it.",
        fires: Manifest(r#"{ "locales": { "default": "fr", "dir": "locales" } }"#),
        passes: Manifest(r#"{ "locales": { "default": "en", "dir": "locales" } }"#),
        check: default_locale,
    }
    L009 Error, Manifest, "a text that claims a standing" {
        why: "Nothing here is installable, approved, verified or official; a listing that says so misleads.",
        fix: "Remove the claim.",
        fires: Manifest(r#"{ "summary": "The official weather board." }"#),
        passes: Manifest(r#"{ "summary": "An unofficial weather board." }"#),
        parameters: { "words": Words(CLAIMS) },
        check: claims_standing,
    }
    L010 Warning, FileBytes, "the README is still the template" {
        why: "Text left over from a template tells people nothing.",
        fix: "Say what the package does.",
        fires: Files(r"README.md: # Board\n\nReplace this line with what your package does."),
        passes: Files(r"README.md: # Board\n\nShows the weather."),
        check: template_readme,
    }
}

/// The least width and height of an icon that stays sharp.
const ICON_PIXELS: u32 = 512;

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

/// The icons that are not SVG, which have a rule of their own, with what their bytes told.
fn pictures<'p>(package: &'p Package<'_>) -> impl Iterator<Item = (Pointer, &'p str, &'p FileFacts)> {
    package.list("/icons").filter_map(|(pointer, icon)| {
        let source = icon.get("src")?.as_str()?;
        let facts = package.folder?.facts.get(source)?;
        let sizes = icon.get("sizes").and_then(|sizes| sizes.as_str()).unwrap_or_default();
        (!source.to_ascii_lowercase().ends_with(".svg")).then_some((pointer, sizes, facts))
    })
}

fn icon_picture(package: &Package<'_>, sink: &mut Sink<'_>) {
    if package.at("/icons").is_some_and(|icons| icons.elements().is_empty()) {
        sink.report("/icons", "the manifest names no icon");
    }
    for (pointer, sizes, facts) in pictures(package) {
        match facts.picture {
            None => sink.report(pointer.join("src"), "the icon is not a PNG"),
            Some(picture) if picture.width != picture.height => {
                sink.report(pointer.join("src"), format!("the icon has {} x {} pixels", picture.width, picture.height));
            }
            Some(picture) if sizes != format!("{}x{}", picture.width, picture.height) => {
                sink.report(
                    pointer.join("sizes"),
                    format!("the icon has {} x {} pixels", picture.width, picture.height),
                );
            }
            Some(_) => {}
        }
    }
}

fn small_icon(package: &Package<'_>, sink: &mut Sink<'_>) {
    for (pointer, _, facts) in pictures(package) {
        if let Some(picture) = facts.picture.filter(|picture| picture.width < ICON_PIXELS) {
            sink.report(pointer.join("src"), format!("the icon has {} x {} pixels", picture.width, picture.height));
        }
    }
}

fn template_readme(package: &Package<'_>, sink: &mut Sink<'_>) {
    for (row, file, _) in package.scanned().filter(|(_, _, facts)| facts.is_template) {
        sink.report_file(row, file, "the text is still the one of the template");
    }
}
