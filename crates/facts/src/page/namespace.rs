//! The namespaces that give the elements of XML a meaning.

use super::{
    token::{self, Token},
    tree::Form,
};

/// What names pages, drawings, formulas, and transformations, which make pages of anything.
const LIVE: &[&str] = &[
    "http://www.w3.org/1998/Math/MathML",
    "http://www.w3.org/1999/XSL/Transform",
    "http://www.w3.org/1999/xhtml",
    "http://www.w3.org/2000/svg",
];

/// More entities than drawing programs declare; the text is searched for each.
const MOST_ENTITIES: usize = 32;

/// Whether elements of a text can do something: it names such a namespace, with or without escapes.
pub(super) fn is_live(text: &str) -> bool {
    let names = |text: &str| LIVE.iter().any(|name| text.contains(name));
    names(text) || namespaces(text).iter().any(|value| names(value))
}

/// Whether all that is declared are names of namespaces, and they stand nowhere but where a namespace is named: drawing
/// programs write so.
pub(super) fn are_only(subset: &str, entities: &[(&str, &str)], text: &str) -> bool {
    let is_name = |value: &str| {
        ["http://", "https://"].iter().any(|scheme| value.starts_with(scheme)) && !value.contains(['&', '%', '<'])
    };
    let namespaces = namespaces(text);
    let is_used_so = |name: &str| {
        let used = format!("&{name};");
        text.matches(&used).count() == namespaces.iter().map(|value| value.matches(&used).count()).sum::<usize>()
    };
    entities.len() <= MOST_ENTITIES
        && subset.matches("<!").count() == entities.len()
        && entities.iter().all(|(name, value)| is_name(value) && is_used_so(name))
}

/// The values of the attributes that name namespaces.
fn namespaces(text: &str) -> Vec<String> {
    let mut values = Vec::new();
    for token in token::tokens(text.as_bytes(), Form::Xml) {
        if let Token::Start(tag) = token {
            let named = tag.attributes.into_iter().filter(|(name, _)| name == "xmlns" || name.starts_with("xmlns:"));
            values.extend(named.map(|(_, value)| value.text));
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_namespace_is_seen_behind_escapes() {
        assert!(is_live("<a xmlns:h='http://www.w3.org/1999/xhtml'/>"));
        assert!(is_live("<a xmlns='http://www.w3.org/1999/xhtm&#108;'/>"));
        assert!(!is_live("<rss xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd'/>"));
    }

    #[test]
    fn declared_namespaces_do_nothing_elsewhere_than_in_their_place() {
        let check = |subset: &str, text: &str| are_only(subset, &super::super::subset::entities(subset), text);
        let subset = "<!ENTITY ns \"http://www.w3.org/2000/svg\">";
        assert!(check(subset, "<svg xmlns=\"&ns;\"/>"));
        assert!(!check(subset, "<svg xmlns=\"&ns;\"><image href=\"&ns;\"/></svg>"));
        assert!(!check("<!ENTITY ns \"javascript:a\">", "<svg xmlns=\"&ns;\"/>"));
        assert!(!check("<!ENTITY % ns \"http://a.example\">", "<svg/>"));
        assert!(!check("<!ENTITY ns SYSTEM \"http://a.example\">", "<svg/>"));
        assert!(!check("<!ATTLIST svg onload CDATA \"a()\">", "<svg/>"));
        assert!(!check("<!ENTITY copy \"http://a.example\">", "<svg xmlns=\"&copy;\"/>"));
    }
}
