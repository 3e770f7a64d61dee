//! What stands around every page that needs no script: the head, the one line that says closed, and the way to the others.

use svc_core::words::gate::Gate;
use svc_pages::html::{Attribute, Element, Tag};

/// The pages that the frame links to: path below the console, and its name.
const LINKS: &[(&str, &str)] = &[
    ("", "Inspector"),
    ("decisions", "Decisions"),
    ("log", "Log"),
    ("gates", "Gates"),
    ("rules", "Rules"),
    ("problems", "Problems"),
    ("api", "API"),
];

/// A page in its frame.
pub(super) struct Frame<'a> {
    pub(super) title: &'a str,
    /// The way from the page to the folder of the console: nothing, or `../` as often as it lies deeper.
    pub(super) up: &'a str,
    /// Which link is the page's own, when one is.
    pub(super) current: Option<&'a str>,
}

impl Frame<'_> {
    /// The document around what the page shows.
    pub(super) fn around(&self, content: impl IntoIterator<Item = Element>) -> String {
        self.document(Some(self.navigation()), content)
    }

    /// The same without the ways to the others, which are not the same at every address.
    pub(super) fn around_refusal(&self, content: impl IntoIterator<Item = Element>) -> String {
        self.document(None, content)
    }

    fn document(&self, navigation: Option<Element>, content: impl IntoIterator<Item = Element>) -> String {
        let heading = Element::new(Tag::H1).prose(self.title);
        let main = Element::new(Tag::Main).with(Attribute::Id, "main").child(heading).children(content);
        let body = Element::new(Tag::Body)
            .with(Attribute::Class, "plain")
            .child(Element::new(Tag::A).with(Attribute::Class, "skip").to("#main").text("Skip to the content"))
            .child(Element::new(Tag::Header).child(closed_line()).children(navigation))
            .child(main);
        Element::new(Tag::Html).with(Attribute::Lang, "en").child(self.head()).child(body).to_document()
    }

    fn head(&self) -> Element {
        let meta =
            |name, content| Element::new(Tag::Meta).with(Attribute::Name, name).with(Attribute::Content, content);
        let link = |rel| Element::new(Tag::Link).with(Attribute::Rel, rel);
        let title = format!("{} - console of svc", self.title.replace('`', ""));
        Element::new(Tag::Head)
            .child(Element::new(Tag::Meta).with(Attribute::Charset, "utf-8"))
            .child(meta("viewport", "width=device-width, initial-scale=1"))
            .child(meta("color-scheme", "light dark"))
            .child(meta("referrer", "no-referrer"))
            .child(link("icon").to_nothing())
            .child(link("stylesheet").to(&format!("{}console.css", self.up)))
            .child(Element::new(Tag::Title).text(&title))
    }

    fn navigation(&self) -> Element {
        let items = LINKS.iter().map(|(path, name)| {
            let address = format!("{}{path}", self.up);
            let link = Element::new(Tag::A).to(if address.is_empty() { "./" } else { &address }).text(name);
            let is_current = Some(*path) == self.current;
            let link = if is_current { link.with(Attribute::AriaCurrent, "page") } else { link };
            Element::new(Tag::Li).child(link)
        });
        Element::new(Tag::Nav).with(Attribute::AriaLabel, "Console").child(Element::new(Tag::Ul).children(items))
    }
}

/// What holds for everything here: five gates have no word for done.
fn closed_line() -> Element {
    let missing: Vec<&str> =
        Gate::ALL.iter().filter(|gate| !gate.can_be_evidenced()).map(|gate| gate.as_str()).collect();
    Element::new(Tag::P)
        .with(Attribute::Class, "closed")
        .child(Element::new(Tag::Strong).text("CLOSED"))
        .text(&format!(" Missing gates: {}. Nothing here can be installed.", missing.join(", ")))
}

/// A heading with text behind a name, as a definition.
pub(super) fn definition(term: &str, told: Element) -> [Element; 2] {
    [Element::new(Tag::Dt).text(term), told]
}

/// A link within the console or to the API.
pub(super) fn link(address: &str, text: &str) -> Element {
    Element::new(Tag::A).to(address).text(text)
}

/// Elements with commas between them, in one.
pub(super) fn listed(tag: Tag, elements: impl IntoIterator<Item = Element>) -> Element {
    elements.into_iter().enumerate().fold(Element::new(tag), |list, (place, element)| {
        if place == 0 { list.child(element) } else { list.text(", ").child(element) }
    })
}
