//! The report as one file that opens anywhere: its policy lets one script and one style run, by their hashes, and nothing
//! be loaded.
//!
//! The model is one text node in which no character has a meaning in HTML. The script and the style are built from `web/`
//! and committed, so that no Node is needed here.

use std::fmt::Write as _;

use data_encoding::BASE64;
use svc_json::digest::Digest;
use svc_pages::{
    bundle::{REPORT_SCRIPT as SCRIPT, REPORT_STYLE as STYLE},
    html::escaped,
};

use super::model::ReportModel;

/// What stands on every page, also on one whose script does not run.
const OUTCOME: &str = "Outcome: accepted no, signed no, installable no.";

pub(crate) fn render(model: &ReportModel) -> Vec<u8> {
    let policy = format!(
        "default-src 'none'; script-src '{}'; style-src '{}'; img-src data:; base-uri 'none'; form-action 'none'; \
         require-trusted-types-for 'script'; trusted-types 'none'",
        hash(SCRIPT),
        hash(STYLE)
    );
    let title = escaped(&format!("{} {}: report of svc", model.listing.id, model.listing.version));
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n\
         <link rel=\"icon\" href=\"data:,\">\n<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <noscript><main><h1>{title}</h1><p>{OUTCOME}</p><p>This page needs its own script to show more, and scripts are \
         switched off here. <code>svc app inspect</code> says the same in a terminal.</p></main></noscript>\n\
         <pre hidden id=\"report-data\">{}</pre>\n<script>{SCRIPT}</script>\n</body>\n</html>\n",
        data(model)
    )
    .into_bytes()
}

fn hash(text: &str) -> String {
    format!("sha256-{}", BASE64.encode(Digest::of(text.as_bytes()).as_bytes()))
}

/// The model as JSON without a character that HTML could read as more than text.
fn data(model: &ReportModel) -> String {
    let json = serde_json::to_string(model).unwrap_or_default();
    let mut text = String::with_capacity(json.len());
    for character in json.chars() {
        match character {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                let _ = write!(text, "\\u{:04x}", u32::from(character));
            }
            _ => text.push(character),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_script_nor_style_can_end_its_element_early() {
        for (text, name) in [(SCRIPT, "script"), (STYLE, "style")] {
            let text = text.to_lowercase();
            assert!(!text.contains(&format!("</{name}")) && !text.contains("<!--"), "{name}");
            assert!(!text.contains("http://") || name == "script", "{name}");
        }
    }

    #[test]
    fn the_script_has_no_way_to_make_elements_of_text_or_to_ask_for_anything() {
        for word in
            ["innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(", "Function(", "fetch(", "XMLHttp"]
        {
            assert!(!SCRIPT.contains(word), "{word}");
        }
    }
}
