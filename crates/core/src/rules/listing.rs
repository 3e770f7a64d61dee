//! L: how a package shows itself.

use std::collections::BTreeMap;

use svc_json::pointer::Pointer;

use crate::{
    package::{
        fact::{Fact, row_of},
        fact_table::{CLAIM, IMAGE, IMAGE_PNG, Known, TEMPLATE},
    },
    rules::{
        claims::{self, ClaimWords, OwnNames, TextUse, claim_in},
        family::rules,
        package::{Package, Sink},
    },
};

rules! {
    L001 Blocker, Facts, "no icon, or one that is not a square PNG of its declared size" {
        why: "A listing shows the icon as it is; a broken or stretched one cannot be shown.",
        fix: "Give a square PNG and write its size in `sizes`.",
        fires: Manifest(r#"{ "icons": [{ "src": "assets/icon.png", "sizes": "1024x1024" }] }"#),
        passes: Manifest(r#"{ "icons": [{ "src": "assets/icon.png", "sizes": "512x512" }] }"#),
        parameters: { "facts": Words(&[IMAGE]) },
        check: icon_picture,
    }
    L003 Warning, Facts, "no icon of 512 pixels or more" {
        why: "On dense screens a small icon is blurred.",
        fix: "Give an icon of 512 x 512 pixels or more.",
        fires: Manifest(r#"{ "icons": [{ "src": "assets/icon-256.png", "sizes": "256x256" }] }"#),
        passes: Manifest(r#"{ "icons": [{ "src": "assets/icon.png", "sizes": "512x512" }] }"#),
        parameters: { "facts": Words(&[IMAGE]), "pixels": Number(ICON_PIXELS as u64) },
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
        fix: "Remove the word, or say what it is about: `official weather data` is no claim, `the official app` is one.",
        fires: Manifest(r#"{ "summary": "The official weather board." }"#),
        passes: Manifest(r#"{ "summary": "An unofficial weather board." }"#),
        parameters: {
            "adverbs": Words(claims::ADVERBS),
            "agents": Words(claims::AGENTS),
            "contractions": Words(claims::CONTRACTIONS),
            "copulas": Words(claims::COPULAS),
            "kinds": Words(claims::KINDS),
            "leading": Words(claims::LEADING),
            "near": Number(claims::NEAR as u64),
            "negations": Words(claims::NEGATIONS),
            "negations-beside": Words(claims::NEGATIONS_BESIDE),
            "opinions": Words(claims::OPINIONS),
            "pronouns": Words(claims::PRONOUNS),
            "words": Words(claims::CLAIMS),
        },
        check: claims_standing,
    }
    L010 Warning, Facts, "the README is still the template" {
        why: "Text left over from a template tells people nothing.",
        fix: "Say what the package does.",
        fires: Files(r"README.md: # Board\n\nReplace this line with what your package does."),
        passes: Files(r"README.md: # Board\n\nShows the weather."),
        parameters: { "facts": Words(&[TEMPLATE]) },
        check: template_readme,
    }
    L011 Warning, Facts, "a README that claims a standing" {
        why: "Nothing here is installable, approved, verified or official; a README that says so misleads.",
        fix: "Remove the claim.",
        fires: Files(r"README.md: # Board\n\nThis package is officially approved."),
        passes: Files(r"README.md: # Board\n\nThis package is not approved by anybody."),
        parameters: { "facts": Words(&[CLAIM]) },
        check: claiming_readme,
    }
}

/// The least width and height of an icon that stays sharp.
const ICON_PIXELS: u32 = 512;

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
    let (own, known) = (OwnNames::of(package), ClaimWords::of(sink.rule));
    for (place, used) in texts(package) {
        let text = package.text(place.as_str()).unwrap_or_default();
        if let Some(claim) = claim_in(&known, text, used, &own) {
            sink.report(place, format!("`{claim}` reads as a claim about this package"));
        }
    }
}

/// The strings of a manifest that people will see.
fn texts(package: &Package<'_>) -> Vec<(Pointer, TextUse)> {
    let single = [
        ("/name", TextUse::Name),
        ("/shortName", TextUse::Name),
        ("/publisher/name", TextUse::Name),
        ("/summary", TextUse::Prose),
        ("/description", TextUse::Prose),
        ("/network/purpose", TextUse::Prose),
    ];
    let mut found: Vec<(Pointer, TextUse)> =
        single.into_iter().map(|(place, used)| (Pointer::from_text(place), used)).collect();
    found.extend(package.list("/keywords").map(|(place, _)| (place, TextUse::Prose)));
    for (list, member, used) in [
        ("/permissions", "purpose", TextUse::Prose),
        ("/configuration", "title", TextUse::Title),
        ("/configuration", "default", TextUse::Title),
        ("/contributes/commands", "title", TextUse::Title),
        ("/contributes/views", "title", TextUse::Title),
        ("/screenshots", "alt", TextUse::Title),
    ] {
        found.extend(package.list(list).map(|(place, _)| (place.join(member), used)));
    }
    for (setting, _) in package.list("/configuration") {
        let choices = setting.join("choices");
        found.extend(package.list(choices.as_str()).map(|(place, _)| (place, TextUse::Title)));
    }
    found
}

/// An icon of the package, with the size that its bytes told, should it be a PNG.
struct Icon<'p> {
    place: Pointer,
    declared: &'p str,
    pixels: Option<(u32, u32)>,
}

/// The icons that are in the package and no SVG, which have a rule of their own.
fn icons<'p, 'a>(package: &'p Package<'a>) -> impl Iterator<Item = Icon<'p>> {
    let sized = |(fact, _): (&'a Fact, Known)| Some((fact.file.as_ref()?.as_str(), fact.pixels()?));
    let mut pixels: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    let is_png = |(fact, _): &(&Fact, Known)| fact.word.as_str() == IMAGE_PNG.word;
    for (file, size) in package.facts_of(&[IMAGE]).filter(is_png).filter_map(sized) {
        pixels.entry(file).or_insert(size);
    }
    package.list("/icons").filter_map(move |(place, icon)| {
        let source = icon.get("src")?.as_str()?;
        let is_picture = !source.to_ascii_lowercase().ends_with(".svg") && row_of(package.files?, source).is_some();
        let declared = icon.get("sizes").and_then(|sizes| sizes.as_str()).unwrap_or_default();
        is_picture.then(|| Icon { place, declared, pixels: pixels.get(source).copied() })
    })
}

fn icon_picture(package: &Package<'_>, sink: &mut Sink<'_>) {
    if package.at("/icons").is_some_and(|icons| icons.elements().is_empty()) {
        sink.report("/icons", "the manifest names no icon");
    }
    for Icon { place, declared, pixels } in icons(package) {
        match pixels {
            None => sink.report(place.join("src"), "the icon is not a PNG"),
            Some((width, height)) if width != height => {
                sink.report(place.join("src"), format!("the icon has {width} x {height} pixels"));
            }
            Some((width, height)) if declared != format!("{width}x{height}") => {
                sink.report(place.join("sizes"), format!("the icon has {width} x {height} pixels"));
            }
            Some(_) => {}
        }
    }
}

fn small_icon(package: &Package<'_>, sink: &mut Sink<'_>) {
    let mut largest: Option<(u32, Pointer)> = None;
    for Icon { place, pixels, .. } in icons(package) {
        let Some((width, _)) = pixels else { continue };
        if largest.as_ref().is_none_or(|(before, _)| width > *before) {
            largest = Some((width, place));
        }
    }
    let least = sink.rule.number("pixels");
    if let Some((width, place)) = largest.filter(|(width, _)| u64::from(*width) < least) {
        let message = format!("the largest icon is {width} pixels wide; {least} are the least");
        sink.report(place.join("src"), message);
    }
}

fn template_readme(package: &Package<'_>, sink: &mut Sink<'_>) {
    sink.report_facts(package, &[TEMPLATE]);
}

fn claiming_readme(package: &Package<'_>, sink: &mut Sink<'_>) {
    sink.report_facts(package, &[CLAIM]);
}
