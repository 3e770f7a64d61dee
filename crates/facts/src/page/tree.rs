//! Which elements are open, as far as that changes how what follows is split into tokens.
//!
//! Browsers read `<style>` in a page as text up to its end tag, but in a drawing inside the page as markup. So the
//! elements inside drawings and formulas are followed as the standard does. Where that cannot be told without building
//! the page, the tree says so, and the page counts as unread.

use html5gum::State;

/// The language that an element belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Space {
    Html,
    Svg,
    Math,
}

/// What is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Html,
    /// XML: no element changes how the text is split.
    Xml,
    /// The first bytes of a page, looked at for their encoding only.
    Prescan,
}

/// Why the rest may be read in another way than browsers read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doubt {
    Depth,
    Nesting,
}

/// The elements that are open, from the outermost drawing or formula on.
#[derive(Debug)]
pub(super) struct Tree {
    form: Form,
    open: Vec<Open>,
    has_frameset: bool,
    selects: usize,
    doubt: Option<Doubt>,
}

#[derive(Debug)]
struct Open {
    name: String,
    space: Space,
    /// What start tags directly inside belong to.
    inside: Space,
}

/// What of a start tag decides.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start<'a> {
    pub(super) name: &'a str,
    pub(super) is_self_closing: bool,
    /// Whether a `font` has an attribute that makes it one of HTML.
    pub(super) is_styled: bool,
    /// Whether an `annotation-xml` says that it holds HTML.
    pub(super) holds_html: bool,
}

/// More open elements than any page has, so that looking through them takes no time.
const MOST_OPEN: usize = 500;

/// The elements that end a drawing or formula by beginning.
const BREAKS_OUT: &[&str] = &[
    "b",
    "big",
    "blockquote",
    "body",
    "br",
    "center",
    "code",
    "dd",
    "div",
    "dl",
    "dt",
    "em",
    "embed",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "hr",
    "i",
    "img",
    "li",
    "listing",
    "menu",
    "meta",
    "nobr",
    "ol",
    "p",
    "pre",
    "ruby",
    "s",
    "small",
    "span",
    "strike",
    "strong",
    "sub",
    "sup",
    "table",
    "tt",
    "u",
    "ul",
    "var",
];

/// The elements of HTML that have no end tag.
const VOID: &[&str] = &[
    "area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "image", "img", "input", "keygen",
    "link", "meta", "param", "source", "track", "wbr",
];

impl Tree {
    pub(super) fn new(form: Form) -> Self {
        Self { form, open: Vec::new(), has_frameset: false, selects: 0, doubt: None }
    }

    /// Whether what stands here belongs to a drawing or formula, where `<![CDATA[` is text.
    pub(super) fn is_foreign(&self) -> bool {
        match self.form {
            Form::Html => self.open.last().is_some_and(|open| open.space != Space::Html),
            Form::Xml => true,
            Form::Prescan => false,
        }
    }

    /// Takes note of a start tag: the language it belongs to, and how its content is split into tokens.
    pub(super) fn start(&mut self, tag: Start<'_>) -> (Space, Option<State>) {
        match self.form {
            Form::Html => {}
            Form::Xml => return (Space::Svg, None),
            Form::Prescan => return (Space::Html, None),
        }
        if self.breaks_out(tag) {
            while self.inside(tag.name) != Space::Html {
                self.open.pop();
            }
        }
        match self.inside(tag.name) {
            Space::Html => self.start_in_html(tag),
            space @ (Space::Svg | Space::Math) => {
                if !tag.is_self_closing {
                    self.push(tag.name, space, content_space(space, tag));
                }
                (space, None)
            }
        }
    }

    fn start_in_html(&mut self, tag: Start<'_>) -> (Space, Option<State>) {
        let foreign = match tag.name {
            "svg" => Some(Space::Svg),
            "math" => Some(Space::Math),
            _ => None,
        };
        if let Some(space) = foreign {
            if !tag.is_self_closing {
                self.push(tag.name, space, space);
            }
            return (space, None);
        }
        match tag.name {
            "frameset" => self.has_frameset = true,
            "select" => self.selects += 1,
            _ => {}
        }
        if !self.open.is_empty() && !VOID.contains(&tag.name) {
            self.push(tag.name, Space::Html, Space::Html);
        }
        let state = content_state(tag.name);
        // Frames and menus drop elements that elsewhere turn what follows into text, and browsers differ in which.
        let is_dropped = self.has_frameset && tag.name != "noframes" || self.selects > 0 && tag.name != "script";
        if state.is_some() && is_dropped {
            self.doubt = Some(Doubt::Nesting);
        }
        (Space::Html, state)
    }

    pub(super) fn end(&mut self, name: &str) {
        if name == "select" {
            self.selects = self.selects.saturating_sub(1);
        }
        let Some(top) = self.open.last() else { return };
        let is_foreign = top.space != Space::Html;
        if is_foreign && matches!(name, "br" | "p") {
            while self.inside(name) != Space::Html {
                self.open.pop();
            }
            return;
        }
        let same = self.open.iter().rev().take_while(|open| (open.space != Space::Html) == is_foreign);
        match same.map(|open| open.name.as_str()).position(|open| open == name) {
            Some(above) => self.open.truncate(self.open.len() - above - 1),
            // It may close an element of HTML around the drawing, and the drawing with it.
            None if is_foreign => self.doubt = Some(Doubt::Nesting),
            None => {}
        }
    }

    /// What came into doubt since this was asked last.
    pub(super) fn take_doubt(&mut self) -> Option<Doubt> {
        self.doubt.take()
    }

    fn inside(&self, name: &str) -> Space {
        match self.open.last() {
            None => Space::Html,
            Some(open) if open.space == Space::Math && matches!(name, "mglyph" | "malignmark") => Space::Math,
            Some(open) => open.inside,
        }
    }

    fn breaks_out(&self, tag: Start<'_>) -> bool {
        self.inside(tag.name) != Space::Html
            && !matches!(tag.name, "mglyph" | "malignmark")
            && (BREAKS_OUT.contains(&tag.name) || tag.name == "font" && tag.is_styled)
    }

    fn push(&mut self, name: &str, space: Space, inside: Space) {
        if self.open.len() < MOST_OPEN {
            self.open.push(Open { name: name.to_owned(), space, inside });
        } else {
            self.doubt = Some(Doubt::Depth);
        }
    }
}

/// What start tags inside an element of a drawing or formula belong to.
fn content_space(space: Space, tag: Start<'_>) -> Space {
    let holds_html = match space {
        Space::Svg => matches!(tag.name, "desc" | "foreignobject" | "title"),
        Space::Math => {
            matches!(tag.name, "mi" | "mn" | "mo" | "ms" | "mtext") || tag.name == "annotation-xml" && tag.holds_html
        }
        Space::Html => true,
    };
    match (holds_html, tag.name) {
        (true, _) => Space::Html,
        // A drawing may stand in the annotation of a formula.
        (false, "svg") => Space::Svg,
        (false, _) => space,
    }
}

/// How the content of an element of HTML is split into tokens, where scripts run.
fn content_state(name: &str) -> Option<State> {
    match name {
        "script" => Some(State::ScriptData),
        "iframe" | "noembed" | "noframes" | "noscript" | "style" | "xmp" => Some(State::RawText),
        "textarea" | "title" => Some(State::RcData),
        "plaintext" => Some(State::PlainText),
        _ => None,
    }
}
