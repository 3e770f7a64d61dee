//! What the attributes of elements do: one row each.

use svc_core::package::fact_table::{
    CONTACT_BEACON, CONTACT_FORM, CONTACT_FRAME, CONTACT_IMAGE, CONTACT_LINK, CONTACT_MEDIA, CONTACT_NAVIGATION,
    FactSpec, POWER_BLUETOOTH, POWER_CAMERA, POWER_CLIPBOARD_READ, POWER_CLIPBOARD_WRITE, POWER_CREDENTIALS,
    POWER_GEOLOCATION, POWER_HID, POWER_MICROPHONE, POWER_MIDI, POWER_MOTION, POWER_PAYMENT, POWER_SCREEN_CAPTURE,
    POWER_SERIAL, POWER_STORAGE, POWER_USB, POWER_XR, REFERENCE_MODULE, REFERENCE_PICTURE, REFERENCE_RESOURCE,
    REFERENCE_SCRIPT, REFERENCE_STYLE, REMOTE_CODE_IMPORT_MAP, REMOTE_CODE_MODULE, REMOTE_CODE_SCRIPT,
    REMOTE_CODE_STYLE,
};

use crate::notes::Sink;

pub(super) const BEACON: Sink = Sink { remote: &CONTACT_BEACON, local: None, runs: false };
pub(super) const FORM: Sink = Sink { remote: &CONTACT_FORM, local: None, runs: false };
pub(super) const FRAME: Sink = Sink { remote: &CONTACT_FRAME, local: Some(&REFERENCE_RESOURCE), runs: false };
pub(super) const IMPORT_MAP: Sink =
    Sink { remote: &REMOTE_CODE_IMPORT_MAP, local: Some(&REFERENCE_MODULE), runs: true };
pub(super) const LINK: Sink = Sink { remote: &CONTACT_LINK, local: Some(&REFERENCE_RESOURCE), runs: false };
pub(super) const MEDIA: Sink = Sink { remote: &CONTACT_MEDIA, local: Some(&REFERENCE_RESOURCE), runs: false };
pub(super) const MODULE: Sink = Sink { remote: &REMOTE_CODE_MODULE, local: Some(&REFERENCE_MODULE), runs: true };
pub(super) const MOVE: Sink = Sink { remote: &CONTACT_NAVIGATION, local: Some(&REFERENCE_RESOURCE), runs: false };
pub(super) const ORIGIN: Sink = Sink { remote: &CONTACT_LINK, local: None, runs: false };
pub(super) const PICTURE: Sink = Sink { remote: &CONTACT_IMAGE, local: Some(&REFERENCE_PICTURE), runs: false };
pub(super) const SCRIPT: Sink = Sink { remote: &REMOTE_CODE_SCRIPT, local: Some(&REFERENCE_SCRIPT), runs: true };
pub(super) const STYLE: Sink = Sink { remote: &REMOTE_CODE_STYLE, local: Some(&REFERENCE_STYLE), runs: true };
/// What stands where a drawing moves an address: it may be any file.
const MOVED: Sink = Sink { remote: &CONTACT_IMAGE, local: None, runs: false };
/// A program of a plug-in, which browsers of today do not run.
const PROGRAM: Sink = Sink { remote: &REMOTE_CODE_SCRIPT, local: Some(&REFERENCE_RESOURCE), runs: true };

/// What an attribute holds.
#[derive(Clone, Copy, Debug)]
pub(super) enum Holds {
    /// An address that somebody must click on.
    Click,
    /// An address that is loaded or sent to.
    Address(&'static Sink),
    /// The address of a document, which may hold scripts of its own.
    Document(&'static Sink),
    /// Addresses with spaces between them.
    Spaced(&'static Sink),
    /// Pictures to choose from, with their sizes.
    Candidates(&'static Sink),
    /// Values of another attribute, with semicolons between them.
    Animation(&'static Sink),
    /// A page.
    Markup,
    /// The powers that a frame gets.
    FramePowers,
    /// The powers that an element asks for.
    AskedPowers,
    /// Declarations of a style.
    Style,
    /// One value of a style.
    StyleValue,
    /// The base of all addresses that follow.
    Base,
}

/// An element, or `*` for every one, an attribute of it, and what that holds.
type Row = (&'static str, &'static str, Holds);

const ROWS: &[Row] = &[
    ("*", "attributionsrc", Holds::Spaced(&BEACON)),
    ("*", "background", Holds::Address(&PICTURE)),
    ("*", "clip-path", Holds::StyleValue),
    ("*", "cursor", Holds::StyleValue),
    ("*", "fill", Holds::StyleValue),
    ("*", "filter", Holds::StyleValue),
    ("*", "formaction", Holds::Address(&FORM)),
    ("*", "marker-end", Holds::StyleValue),
    ("*", "marker-mid", Holds::StyleValue),
    ("*", "marker-start", Holds::StyleValue),
    ("*", "mask", Holds::StyleValue),
    ("*", "stroke", Holds::StyleValue),
    ("*", "style", Holds::Style),
    ("a", "href", Holds::Click),
    ("a", "ping", Holds::Spaced(&BEACON)),
    ("animate", "by", Holds::Animation(&MOVED)),
    ("animate", "from", Holds::Animation(&MOVED)),
    ("animate", "to", Holds::Animation(&MOVED)),
    ("animate", "values", Holds::Animation(&MOVED)),
    ("applet", "archive", Holds::Address(&PROGRAM)),
    ("applet", "code", Holds::Address(&PROGRAM)),
    ("applet", "codebase", Holds::Address(&PROGRAM)),
    ("area", "href", Holds::Click),
    ("area", "ping", Holds::Spaced(&BEACON)),
    ("audio", "src", Holds::Address(&MEDIA)),
    ("base", "href", Holds::Base),
    ("bgsound", "src", Holds::Address(&MEDIA)),
    ("embed", "src", Holds::Document(&FRAME)),
    ("feimage", "href", Holds::Address(&PICTURE)),
    ("fencedframe", "src", Holds::Document(&FRAME)),
    ("font-face-uri", "href", Holds::Address(&LINK)),
    ("form", "action", Holds::Address(&FORM)),
    ("frame", "src", Holds::Document(&FRAME)),
    ("html", "manifest", Holds::Address(&LINK)),
    ("iframe", "allow", Holds::FramePowers),
    ("iframe", "src", Holds::Document(&FRAME)),
    ("iframe", "srcdoc", Holds::Markup),
    ("image", "href", Holds::Address(&PICTURE)),
    ("image", "src", Holds::Address(&PICTURE)),
    ("image", "srcset", Holds::Candidates(&PICTURE)),
    ("img", "dynsrc", Holds::Address(&MEDIA)),
    ("img", "lowsrc", Holds::Address(&PICTURE)),
    ("img", "src", Holds::Address(&PICTURE)),
    ("img", "srcset", Holds::Candidates(&PICTURE)),
    ("input", "src", Holds::Address(&PICTURE)),
    ("link", "imagesrcset", Holds::Candidates(&PICTURE)),
    ("object", "classid", Holds::Address(&PROGRAM)),
    ("object", "codebase", Holds::Address(&PROGRAM)),
    ("object", "data", Holds::Document(&FRAME)),
    ("permission", "type", Holds::AskedPowers),
    ("portal", "src", Holds::Document(&FRAME)),
    ("set", "from", Holds::Animation(&MOVED)),
    ("set", "to", Holds::Animation(&MOVED)),
    ("set", "values", Holds::Animation(&MOVED)),
    ("source", "src", Holds::Address(&MEDIA)),
    ("source", "srcset", Holds::Candidates(&PICTURE)),
    ("track", "src", Holds::Address(&MEDIA)),
    ("use", "href", Holds::Document(&PICTURE)),
    ("video", "poster", Holds::Address(&PICTURE)),
    ("video", "src", Holds::Address(&MEDIA)),
    ("webview", "src", Holds::Document(&FRAME)),
];

/// The relations of a `link` that make a browser load something.
const RELATIONS: &[(&str, &Sink)] = &[
    ("apple-touch-icon", &PICTURE),
    ("apple-touch-icon-precomposed", &PICTURE),
    ("apple-touch-startup-image", &PICTURE),
    ("compression-dictionary", &LINK),
    ("dns-prefetch", &ORIGIN),
    ("fluid-icon", &PICTURE),
    ("icon", &PICTURE),
    ("import", &LINK),
    ("manifest", &LINK),
    ("mask-icon", &PICTURE),
    ("modulepreload", &MODULE),
    ("preconnect", &ORIGIN),
    ("prefetch", &LINK),
    ("preload", &LINK),
    ("prerender", &LINK),
    ("stylesheet", &STYLE),
];

/// The powers that a page can hand to a frame, or ask for by an element.
const POWERS: &[(&str, &FactSpec)] = &[
    ("accelerometer", &POWER_MOTION),
    ("ambient-light-sensor", &POWER_MOTION),
    ("bluetooth", &POWER_BLUETOOTH),
    ("camera", &POWER_CAMERA),
    ("clipboard-read", &POWER_CLIPBOARD_READ),
    ("clipboard-write", &POWER_CLIPBOARD_WRITE),
    ("display-capture", &POWER_SCREEN_CAPTURE),
    ("geolocation", &POWER_GEOLOCATION),
    ("gyroscope", &POWER_MOTION),
    ("hid", &POWER_HID),
    ("identity-credentials-get", &POWER_CREDENTIALS),
    ("magnetometer", &POWER_MOTION),
    ("microphone", &POWER_MICROPHONE),
    ("midi", &POWER_MIDI),
    ("payment", &POWER_PAYMENT),
    ("publickey-credentials-create", &POWER_CREDENTIALS),
    ("publickey-credentials-get", &POWER_CREDENTIALS),
    ("serial", &POWER_SERIAL),
    ("storage-access", &POWER_STORAGE),
    ("usb", &POWER_USB),
    ("xr-spatial-tracking", &POWER_XR),
];

/// The elements that a text must have one of to count as a page.
pub(super) const PAGE_ELEMENTS: &[&str] = &[
    "a", "article", "aside", "base", "body", "button", "canvas", "center", "div", "footer", "form", "frameset", "h1",
    "h2", "h3", "head", "header", "html", "iframe", "img", "link", "main", "meta", "nav", "noscript", "object", "ol",
    "p", "pre", "script", "section", "span", "style", "table", "template", "title", "ul", "video",
];

/// The elements that stand in pages only, whatever else the bytes look like.
pub(super) const SURE_PAGE_ELEMENTS: &[&str] = &["body", "head", "html"];

pub(super) fn holds(element: &str, attribute: &str) -> Option<Holds> {
    let fits = |row: &&Row| row.1 == attribute && (row.0 == "*" || row.0 == element);
    ROWS.iter().find(fits).map(|row| row.2)
}

/// What a relation of a `link` loads.
pub(super) fn relation(name: &str) -> Option<&'static Sink> {
    RELATIONS.iter().find(|(known, _)| name.eq_ignore_ascii_case(known)).map(|(_, sink)| *sink)
}

pub(super) fn power(name: &str) -> Option<&'static FactSpec> {
    POWERS.iter().find(|(known, _)| name.eq_ignore_ascii_case(known)).map(|(_, power)| *power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_once_and_in_order() {
        assert!(ROWS.is_sorted_by(|left, right| (left.0, left.1) < (right.0, right.1)));
        assert!(RELATIONS.is_sorted_by(|left, right| left.0 < right.0));
        assert!(POWERS.is_sorted_by(|left, right| left.0 < right.0));
        assert!(PAGE_ELEMENTS.is_sorted());
    }
}
