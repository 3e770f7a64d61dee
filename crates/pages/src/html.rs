//! HTML that no data can become: a page is a tree of elements of a closed list, and data is a text node or the value of an
//! attribute.
//!
//! Absent on purpose: a way to hand over markup, elements and attributes that hold code or style, and addresses with a scheme
//! or a host.

use std::fmt::Write as _;

use svc_json::characters::refused_after;

macro_rules! tags {
    ($($variant:ident = $name:literal, $layout:ident;)+) => {
        /// An element that there may be.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Tag {
            $($variant,)+
        }

        impl Tag {
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            const fn layout(self) -> Layout {
                match self {
                    $(Self::$variant => Layout::$layout,)+
                }
            }
        }
    };
}

/// How an element stands in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// Within a line.
    Inline,
    /// With a line of its own.
    Block,
    /// The same, without content or an end.
    Void,
}

tags! {
    A = "a", Inline;
    Article = "article", Block;
    Body = "body", Block;
    Code = "code", Inline;
    Dd = "dd", Block;
    Div = "div", Block;
    Dl = "dl", Block;
    Dt = "dt", Block;
    Footer = "footer", Block;
    H1 = "h1", Block;
    H2 = "h2", Block;
    H3 = "h3", Block;
    H4 = "h4", Block;
    Head = "head", Block;
    Header = "header", Block;
    Html = "html", Block;
    Li = "li", Block;
    Link = "link", Void;
    Main = "main", Block;
    Meta = "meta", Void;
    Nav = "nav", Block;
    P = "p", Block;
    Pre = "pre", Block;
    Section = "section", Block;
    Span = "span", Inline;
    Strong = "strong", Inline;
    Title = "title", Block;
    Ul = "ul", Block;
}

/// An attribute whose value is a text and nothing else. Addresses have [`Element::to`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attribute {
    AriaCurrent,
    AriaLabel,
    Charset,
    Class,
    Content,
    Id,
    Lang,
    Name,
    Rel,
}

impl Attribute {
    pub const ALL: &'static [Self] = &[
        Self::AriaCurrent,
        Self::AriaLabel,
        Self::Charset,
        Self::Class,
        Self::Content,
        Self::Id,
        Self::Lang,
        Self::Name,
        Self::Rel,
    ];

    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::AriaCurrent => "aria-current",
            Self::AriaLabel => "aria-label",
            Self::Charset => "charset",
            Self::Class => "class",
            Self::Content => "content",
            Self::Id => "id",
            Self::Lang => "lang",
            Self::Name => "name",
            Self::Rel => "rel",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    tag: Tag,
    attributes: Vec<(&'static str, String)>,
    children: Vec<Node>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Node {
    Element(Element),
    Text(String),
}

impl Element {
    #[must_use]
    pub const fn new(tag: Tag) -> Self {
        Self { tag, attributes: Vec::new(), children: Vec::new() }
    }

    /// The same with an attribute.
    #[must_use]
    pub fn with(mut self, attribute: Attribute, value: &str) -> Self {
        self.attributes.push((attribute.name(), value.to_owned()));
        self
    }

    /// The same with an address of this site as `href`. Any other text is left out, so that it leads nowhere.
    #[must_use]
    pub fn to(mut self, address: &str) -> Self {
        if is_of_this_site(address) {
            self.attributes.push(("href", address.to_owned()));
        }
        self
    }

    /// The same with an `href` that is nothing, for what a browser would otherwise ask for by itself.
    #[must_use]
    pub fn to_nothing(mut self) -> Self {
        self.attributes.push(("href", "data:,".to_owned()));
        self
    }

    /// The same with a text behind what it holds.
    #[must_use]
    pub fn text(mut self, text: &str) -> Self {
        self.children.push(Node::Text(text.to_owned()));
        self
    }

    /// The same with a text in which what stands between backticks is code. One backtick too many, and none means anything.
    #[must_use]
    pub fn prose(self, text: &str) -> Self {
        let parts: Vec<&str> = text.split('`').collect();
        if parts.len().is_multiple_of(2) {
            return self.text(text);
        }
        parts.into_iter().enumerate().fold(self, |element, (place, part)| match place % 2 {
            _ if part.is_empty() => element,
            0 => element.text(part),
            _ => element.child(Self::new(Tag::Code).text(part)),
        })
    }

    #[must_use]
    pub fn child(mut self, child: Self) -> Self {
        self.children.push(Node::Element(child));
        self
    }

    #[must_use]
    pub fn children(mut self, children: impl IntoIterator<Item = Self>) -> Self {
        self.children.extend(children.into_iter().map(Node::Element));
        self
    }

    /// The whole document that this element is the root of.
    #[must_use]
    pub fn to_document(&self) -> String {
        let mut page = String::from("<!doctype html>\n");
        self.write(&mut page);
        page
    }

    fn write(&self, page: &mut String) {
        let (name, layout) = (self.tag.name(), self.tag.layout());
        if layout != Layout::Inline && !page.ends_with('\n') {
            page.push('\n');
        }
        let _ = write!(page, "<{name}");
        for (attribute, value) in &self.attributes {
            let _ = write!(page, " {attribute}=\"{}\"", escaped(value));
        }
        page.push('>');
        if layout != Layout::Void {
            for child in &self.children {
                match child {
                    Node::Element(element) => element.write(page),
                    Node::Text(text) => page.push_str(&escaped(text)),
                }
            }
            let _ = write!(page, "</{name}>");
        }
        if layout != Layout::Inline {
            page.push('\n');
        }
    }
}

/// A text in which no character has a meaning in HTML, in a text node or between quotes, and none hides or moves others.
#[must_use]
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut before = None;
    for character in text.chars() {
        let is_layout = matches!(character, '\n' | '\t');
        let is_hidden = character.is_control() || refused_after(before.replace(character), character).is_some();
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            _ if is_hidden && !is_layout => {
                let _ = write!(escaped, "\\u{{{:x}}}", u32::from(character));
            }
            _ => escaped.push(character),
        }
    }
    escaped
}

/// A path of plain characters, absolute or relative, perhaps with a fragment: no scheme, host, query or escape.
fn is_of_this_site(address: &str) -> bool {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "-._~/#".contains(character);
    !address.is_empty() && !address.contains("//") && address.chars().all(is_plain) && address.matches('#').count() <= 1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts that have become markup elsewhere.
    const NAUGHTY: &[&str] = &[
        "<script>alert(1)</script>",
        "</title><script>alert(1)</script>",
        "</pre></main></body></html>",
        "\"><img src=x onerror=alert(1)>",
        "' onmouseover='alert(1)",
        "\" autofocus onfocus=\"alert(1)",
        "<!--",
        "-->",
        "]]>",
        "<![CDATA[x]]>",
        "<?php echo 1 ?>",
        "&lt;script&gt;",
        "&#60;script&#62;",
        "&colon;&NewLine;",
        "\u{0}<\u{0}script>",
        "<scr\u{0}ipt>",
        "\u{2028}<svg/onload=alert(1)>",
        "\u{feff}<script>",
        "\u{ff1c}script\u{ff1e}",
        "\u{202e}gnp.exe",
        "`<b>`",
        "{{constructor.constructor('alert(1)')()}}",
        "${alert(1)}",
        "\r\nset-cookie: a=b",
    ];

    #[test]
    fn no_text_leaves_its_node_or_its_quotes() {
        for naughty in NAUGHTY {
            let written = escaped(naughty);
            assert!(!written.contains(['<', '>', '"', '\'']), "{written}");
            for part in written.split('&').skip(1) {
                assert!(
                    ["amp;", "lt;", "gt;", "quot;", "#39;"].iter().any(|entity| part.starts_with(entity)),
                    "{written}"
                );
            }
            assert!(!written.chars().any(|character| character.is_control() && character != '\n'), "{written:?}");
            assert!(!written.contains(['\u{202e}', '\u{2028}', '\u{feff}']), "{written:?}");
        }
        assert_eq!(escaped("a\u{202e}b\rc\td\n"), "a\\u{202e}b\\u{d}c\td\n");
    }

    #[test]
    fn naughty_strings_in_every_place_of_a_page_add_no_element() {
        let page = |text: &str| {
            let filled = |tag| {
                let element = Attribute::ALL.iter().fold(Element::new(tag), |element, name| element.with(*name, text));
                element.to(text).text(text).prose(text)
            };
            Element::new(Tag::Html).children(Tag::ALL.iter().map(|tag| filled(*tag))).to_document()
        };
        let count = |text: &str, what: char| page(text).matches(what).count();
        for naughty in NAUGHTY.iter().filter(|naughty| !naughty.contains('`')) {
            for what in ['<', '>', '"', '\''] {
                assert_eq!(count(naughty, what), count("x y", what), "{naughty}");
            }
        }
    }

    #[test]
    fn an_address_leads_nowhere_but_into_this_site() {
        for address in [
            "",
            "javascript:alert(1)",
            "JaVaScRiPt:alert(1)",
            "data:text/html,x",
            "//evil.example",
            "/\\evil.example",
            "https://evil.example",
            "a//b",
            "a b",
            "a?b",
            "a#b#c",
            "%6a",
            "a\nb",
            "\u{e4}",
            "&#106;",
        ] {
            assert!(!Element::new(Tag::A).to(address).to_document().contains("href"), "{address}");
        }
        for address in ["rules", "../console.css", "/console/", "rules/SVC-B001#fix", "#main", "./"] {
            let written = Element::new(Tag::A).to(address).to_document();
            assert!(written.contains(&format!("href=\"{address}\"")), "{written}");
        }
    }

    #[test]
    fn what_holds_code_or_style_has_no_name_here() {
        let names: Vec<&str> = Tag::ALL.iter().map(|tag| tag.name()).collect();
        for name in ["script", "style", "iframe", "object", "embed", "form", "input", "base", "svg", "math", "img"] {
            assert!(!names.contains(&name), "{name}");
        }
        let is_fit = |name: &str| !name.starts_with("on") && !["style", "src", "srcdoc", "action"].contains(&name);
        assert!(Attribute::ALL.iter().all(|attribute| is_fit(attribute.name())));
    }

    #[test]
    fn backticks_make_code_and_an_odd_one_makes_nothing() {
        let page = |text| Element::new(Tag::P).prose(text).to_document();
        assert_eq!(page("put `a<b` in"), "<!doctype html>\n<p>put <code>a&lt;b</code> in</p>\n");
        assert_eq!(page("put `a in"), "<!doctype html>\n<p>put `a in</p>\n");
        assert_eq!(page("``"), "<!doctype html>\n<p></p>\n");
    }
}
