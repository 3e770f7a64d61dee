//! Pages, read by the tokenizer of the HTML standard.
//!
//! What an attribute does is a row of `table`; `tree` knows which elements turn what follows into text; what scripts and
//! styles inside a page tell is told by their own readers.

use svc_core::package::{
    fact_table::{
        CALLED, CONSTANT, DYNAMIC_CODE_DATA_CODE, INLINE_EVENT_HANDLER, INLINE_JAVASCRIPT_ADDRESS, INLINE_SCRIPT,
        INLINE_STYLE, MENTIONED, PAGE_DOCUMENT, POWER_CAMERA, POWER_FILE_OPEN, POWER_GEOLOCATION, REMOTE_CODE_SCRIPT,
        UNREAD_DEPTH, UNREAD_ENCODING, UNREAD_SYNTAX,
    },
    sighting::Seen,
};
use svc_json::tree as json;

use self::{
    table::Holds,
    token::{Tag, Text, Token},
    tree::{Doubt, Form},
};
use crate::{
    address::{Address, as_path},
    encoding::{self, Decoded},
    handler::is_handler,
    language::Dialect,
    nesting::Nesting,
    notes::{Base, Notes, Sink},
    script, script_types, style,
};

mod charset;
mod namespace;
mod subset;
mod table;
mod token;
mod tree;
mod value;

/// Longer than any folder of a package: it is put before every address, so it must not be long.
const LONGEST_FOLDER: usize = 1024;

/// What a page tells.
pub(crate) fn read(bytes: &[u8]) -> Seen {
    let Decoded { text, is_broken } = encoding::decode(bytes, charset::declared(bytes, Form::Html));
    let mut reader = Reader::new(&text, Form::Html, Nesting::outside(read_part));
    reader.read();
    let is_text = !is_broken && !text.contains('\0');
    let Reader { notes, looks_like_page, is_surely_page, .. } = reader;
    let mut notes = Read { notes, looks_like_page, is_surely_page }.finish(is_text);
    // A file that says it is XML is read as such when it is opened under a name of XML.
    if text.starts_with("<?xml") {
        notes.add_missing(read_xml(&text).notes);
    }
    finish(notes, &text, is_broken)
}

/// What a page that is written as XML tells.
pub(crate) fn read_xml_page(bytes: &[u8]) -> Seen {
    let Decoded { text, is_broken } = encoding::decode(bytes, charset::declared(bytes, Form::Xml));
    let is_text = !is_broken && !text.contains('\0');
    finish(read_xml(&text).finish(is_text), &text, is_broken)
}

/// What a drawing tells.
pub(crate) fn read_drawing(bytes: &[u8]) -> Seen {
    let Decoded { text, is_broken } = encoding::decode(bytes, charset::declared(bytes, Form::Xml));
    finish(read_xml(&text).notes, &text, is_broken)
}

/// What any other XML tells: its elements do something only where they are those of pages, drawings or transformations.
pub(crate) fn read_data(bytes: &[u8]) -> Seen {
    let Decoded { text, is_broken } = encoding::decode(bytes, charset::declared(bytes, Form::Xml));
    let notes = if namespace::is_live(&text) { read_xml(&text).notes } else { read_instructions(&text) };
    finish(notes, &text, is_broken)
}

/// What XML tells whose elements do nothing.
fn read_instructions(text: &str) -> Notes {
    let mut reader = Reader::new(text, Form::Xml, Nesting::outside(read_part));
    for token in token::tokens(text.as_bytes(), Form::Xml) {
        if let Token::Comment { at, text } = token {
            reader.read_instruction(at, &text);
        }
    }
    if subset::declares(text) {
        reader.notes.note(0, &UNREAD_SYNTAX, None);
    }
    reader.notes
}

/// What markup inside a script tells. It may be the beginning of more, so that its end says nothing.
pub(crate) fn read_part(text: &str, nesting: Nesting) -> Notes {
    let mut reader = Reader::new(text, Form::Html, nesting);
    reader.read();
    reader.notes
}

fn finish(mut notes: Notes, text: &str, is_broken: bool) -> Seen {
    if is_broken {
        notes.note_whole(&UNREAD_ENCODING);
    }
    if let Some(at) = text.find('\0') {
        notes.note(at, &UNREAD_SYNTAX, None);
    }
    notes.finish(text)
}

/// What the reading of a text saw.
struct Read {
    notes: Notes,
    looks_like_page: bool,
    is_surely_page: bool,
}

impl Read {
    fn finish(self, is_text: bool) -> Notes {
        let Self { mut notes, looks_like_page, is_surely_page } = self;
        if is_surely_page || looks_like_page && is_text {
            notes.note_whole(&PAGE_DOCUMENT);
        }
        notes
    }
}

/// Reads XML. Its declarations are blanked, as the tokenizer of HTML takes their first `>` for their end; what they make
/// of the rest is not worked out, so that the file counts as unread where they could make anything of it.
fn read_xml(text: &str) -> Read {
    let range = subset::find(text).unwrap_or_default();
    let (before, after) = (text.get(..range.start).unwrap_or_default(), text.get(range.end..).unwrap_or_default());
    let blanked = [before, &" ".repeat(range.len()), after].concat();
    let mut reader = Reader::new(&blanked, Form::Xml, Nesting::outside(read_part));
    reader.read();
    let entities = subset::entities(text.get(range.clone()).unwrap_or_default());
    if subset::declares(text) && !namespace::are_only(text.get(range.clone()).unwrap_or_default(), &entities, &blanked)
    {
        reader.notes.note(range.start, &UNREAD_SYNTAX, None);
    }
    for (_, value) in entities {
        reader.read_entity(range.start, value);
    }
    Read { looks_like_page: reader.looks_like_page, is_surely_page: reader.is_surely_page, notes: reader.notes }
}

/// Reads the tokens of one text.
struct Reader<'a> {
    source: &'a str,
    form: Form,
    nesting: Nesting,
    notes: Notes,
    gathered: Option<Gathered>,
    /// How many elements are open, where each must be closed.
    open: usize,
    looks_like_page: bool,
    is_surely_page: bool,
}

/// The content of an element that is read as a whole.
struct Gathered {
    what: Content,
    element: String,
    at: usize,
    text: String,
}

#[derive(Clone, Copy)]
enum Content {
    Script(Dialect),
    ImportMap,
    /// Addresses of pages to load before they are asked for.
    Speculation,
    Style,
    /// What browsers that run scripts take for text, and others for markup.
    Markup,
}

impl<'a> Reader<'a> {
    fn new(source: &'a str, form: Form, nesting: Nesting) -> Self {
        Self {
            source,
            form,
            nesting,
            notes: Notes::default(),
            gathered: None,
            open: 0,
            looks_like_page: false,
            is_surely_page: false,
        }
    }

    fn read(&mut self) {
        for token in token::tokens(self.source.as_bytes(), self.form) {
            self.read_token(token);
        }
        let is_cut = self.gathered.is_some() || self.open > 0;
        self.end_gathering(self.source.len());
        if is_cut {
            self.notes.note(self.source.len(), &UNREAD_SYNTAX, None);
        }
    }

    fn read_token(&mut self, token: Token) {
        match token {
            Token::Start(tag) => self.read_start(&tag),
            Token::End { at, name } => {
                self.open = self.open.saturating_sub(1);
                let name = self.local_name(&name);
                if self.gathered.as_ref().is_some_and(|gathered| gathered.element == name) {
                    self.end_gathering(at);
                }
            }
            Token::Text(text) => self.gather(text),
            Token::Comment { at, text } => self.read_instruction(at, &text),
            Token::Doctype { name } => self.is_surely_page |= name.eq_ignore_ascii_case("html"),
            Token::Cut { at } | Token::Doubt { at, why: Doubt::Nesting } => self.notes.note(at, &UNREAD_SYNTAX, None),
            Token::Doubt { at, why: Doubt::Depth } => self.notes.note(at, &UNREAD_DEPTH, None),
        }
    }

    /// XML gives names a prefix of the file's own choice.
    fn local_name<'n>(&self, name: &'n str) -> &'n str {
        match self.form {
            Form::Xml => name.rsplit_once(':').map_or(name, |(_, local)| local),
            Form::Html | Form::Prescan => name,
        }
    }

    fn read_start(&mut self, tag: &Tag) {
        let element = self.local_name(&tag.name);
        self.looks_like_page |= table::PAGE_ELEMENTS.contains(&element);
        self.is_surely_page |= table::SURE_PAGE_ELEMENTS.contains(&element);
        let has_end = !(tag.is_foreign && tag.is_self_closing);
        if self.form == Form::Xml && has_end {
            self.open += 1;
        }
        for (name, value) in &tag.attributes {
            self.read_attribute(tag, element, name, value);
        }
        self.read_element(tag, element);
        if let Some(what) = content(tag, element, self.form).filter(|_| has_end && self.gathered.is_none()) {
            let element = element.to_owned();
            self.gathered = Some(Gathered { what, element, at: self.source.len(), text: String::new() });
        }
    }

    fn read_attribute(&mut self, tag: &Tag, element: &str, name: &str, value: &Text) {
        let is_link = tag.is_foreign && (name == "xlink:href" || self.form == Form::Xml && name.ends_with(":href"));
        let name = if is_link { "href" } else { name };
        if is_handler(name) && !value.text.trim_ascii().is_empty() {
            self.read_handler(value);
        }
        let Some(holds) = table::holds(element, name) else { return };
        self.read_value(tag, holds, value);
    }

    fn read_value(&mut self, tag: &Tag, holds: Holds, value: &Text) {
        let Text { at, text } = value;
        match holds {
            Holds::Click => self.read_click(*at, text),
            Holds::Address(sink) => self.read_address(*at, sink, text),
            Holds::Document(sink) => self.read_document(*at, sink, text),
            Holds::Spaced(sink) => text.split_ascii_whitespace().for_each(|one| self.read_address(*at, sink, one)),
            Holds::Candidates(sink) => {
                value::candidates(text).into_iter().for_each(|one| self.read_address(*at, sink, one));
            }
            Holds::Animation(sink) => self.read_animation(tag, *at, sink, text),
            Holds::Markup => self.read_markup(value),
            Holds::FramePowers => self.read_frame_powers(*at, text),
            Holds::AskedPowers => text.split_ascii_whitespace().for_each(|name| self.read_power(*at, name, CALLED)),
            Holds::Style => {
                self.notes.note(*at, &INLINE_STYLE, None);
                self.add_part(value, style::read_part(text));
            }
            Holds::StyleValue if text.contains('(') => self.add_part(value, style::read_part(text)),
            Holds::StyleValue => {}
            Holds::Base => self.read_base(*at, text),
        }
    }

    /// Elements whose attributes tell only together what they do.
    fn read_element(&mut self, tag: &Tag, element: &str) {
        match element {
            "script" => self.read_script(tag),
            "link" => self.read_link(tag),
            "meta" => self.read_meta(tag),
            "input" if is_value(tag, "type", "file") => {
                self.notes.note(tag.at, &POWER_FILE_OPEN, Some(CALLED));
                if tag.attributes.contains_key("capture") {
                    self.notes.note(tag.at, &POWER_CAMERA, Some(MENTIONED));
                }
            }
            "geolocation" if !tag.is_foreign => self.notes.note(tag.at, &POWER_GEOLOCATION, Some(CALLED)),
            _ => {}
        }
    }

    fn read_script(&mut self, tag: &Tag) {
        let sink = match content_of_script(tag) {
            Some(Content::Script(Dialect::Module)) => &table::MODULE,
            Some(Content::Script(_)) => &table::SCRIPT,
            Some(Content::ImportMap | Content::Speculation | Content::Style | Content::Markup) | None => return,
        };
        for source in script_sources(tag, self.form) {
            self.read_address(source.at, sink, &source.text);
        }
    }

    fn read_link(&mut self, tag: &Tag) {
        let Some(href) = tag.attributes.get("href") else { return };
        let relations = tag.attributes.get("rel").map_or("", |rel| rel.text.as_str());
        let sinks: Vec<&Sink> = relations.split_ascii_whitespace().filter_map(table::relation).collect();
        for sink in &sinks {
            self.read_address(href.at, sink, &href.text);
        }
        if sinks.is_empty() {
            self.read_click(href.at, &href.text);
        }
    }

    fn read_meta(&mut self, tag: &Tag) {
        let content = tag.attributes.get("content").filter(|_| is_value(tag, "http-equiv", "refresh"));
        if let Some(Text { at, text }) = content
            && let Some(address) = value::refresh(text)
        {
            self.read_document(*at, &table::MOVE, address);
        }
    }

    /// What somebody must click on is no contact of the package; code is code.
    fn read_click(&mut self, at: usize, text: &str) {
        if Address::parse(text) == Address::Script {
            self.read_code_address(at, text);
        }
    }

    fn read_address(&mut self, at: usize, sink: &Sink, text: &str) {
        match Address::parse(text) {
            Address::Script => self.read_code_address(at, text),
            Address::Origin(_) | Address::Relative(_) | Address::Data | Address::Blob | Address::Other => {
                self.notes.address(at, sink, text);
            }
        }
    }

    fn read_code_address(&mut self, at: usize, text: &str) {
        self.notes.note(at, &INLINE_JAVASCRIPT_ADDRESS, None);
        let code = text.split_once(':').map_or("", |(_, code)| code);
        let part = script::read_part(Dialect::Classic, &value::percent_decoded(code), self.nesting);
        self.notes.add_part_at(at, part);
    }

    /// A page or drawing inside of an address can hold scripts; a picture or a text cannot.
    fn read_document(&mut self, at: usize, sink: &Sink, text: &str) {
        let kind = text.split_once(':').map_or("", |(_, rest)| rest).split([',', ';']).next().unwrap_or_default();
        let kind = kind.trim_ascii().to_ascii_lowercase();
        if Address::parse(text) == Address::Data && (kind.ends_with("html") || kind.ends_with("xml")) {
            self.notes.note(at, &DYNAMIC_CODE_DATA_CODE, Some(CONSTANT));
        }
        self.read_address(at, sink, text);
    }

    fn read_animation(&mut self, tag: &Tag, at: usize, sink: &Sink, text: &str) {
        let animated = tag.attributes.get("attributename").map_or("", |name| name.text.trim_ascii());
        for value in text.split(';') {
            match Address::parse(value) {
                Address::Script => self.read_code_address(at, value),
                Address::Origin(_) if animated.ends_with("href") => self.notes.address(at, sink, value),
                Address::Origin(_) | Address::Relative(_) | Address::Data | Address::Blob | Address::Other => {}
            }
        }
    }

    fn read_handler(&mut self, value: &Text) {
        self.notes.note(value.at, &INLINE_EVENT_HANDLER, None);
        // A handler is the body of a function: it may return.
        const OPEN: &str = "()=>{";
        let part = script::read_part(Dialect::Classic, &format!("{OPEN}{}\n}}", value.text), self.nesting);
        match value.at.checked_sub(OPEN.len()).filter(|_| self.is_exact(value)) {
            Some(start) => self.notes.add_part(start, part),
            None => self.notes.add_part_at(value.at, part),
        }
    }

    fn read_frame_powers(&mut self, at: usize, text: &str) {
        for policy in text.split(';') {
            let mut words = policy.split_ascii_whitespace();
            let name = words.next().unwrap_or_default();
            if !words.any(|word| word.eq_ignore_ascii_case("'none'")) {
                self.read_power(at, name, MENTIONED);
            }
        }
    }

    fn read_power(&mut self, at: usize, name: &str, how: &str) {
        if let Some(power) = table::power(name) {
            self.notes.note(at, power, Some(how));
        }
    }

    /// The first base counts. From another origin comes all that follows, scripts among it.
    fn read_base(&mut self, at: usize, text: &str) {
        if !matches!(self.notes.base, Base::Page) {
            return;
        }
        match Address::parse(text) {
            Address::Origin(origin) => {
                self.notes.note(at, &REMOTE_CODE_SCRIPT, Some(&origin));
                self.notes.base = Base::Elsewhere;
            }
            Address::Relative(path) => {
                let path = as_path(path);
                let path = path.split(['?', '#']).next().unwrap_or_default();
                let end = path.rfind('/').map_or(0, |slash| slash + 1);
                self.notes.base = match path.get(..end) {
                    Some(folder) if folder.len() <= LONGEST_FOLDER => Base::Folder(folder.to_owned()),
                    Some(_) | None => {
                        self.notes.note(at, &UNREAD_SYNTAX, None);
                        Base::Elsewhere
                    }
                };
            }
            Address::Script => self.read_code_address(at, text),
            Address::Data | Address::Blob | Address::Other => {}
        }
    }

    /// Reads a page inside of this one.
    fn read_markup(&mut self, value: &Text) {
        let Some(nesting) = self.nesting.deeper() else {
            self.notes.note(value.at, &UNREAD_DEPTH, None);
            return;
        };
        // It is HTML in a page that is written as XML too.
        let mut inner = Reader::new(&value.text, Form::Html, nesting);
        inner.read();
        let part = inner.notes;
        self.add_part(value, part);
    }

    /// An entity may hold an address or markup: which, is told where it is used.
    fn read_entity(&mut self, at: usize, value: &str) {
        let mut inner = Reader::new(value, Form::Xml, self.nesting);
        inner.read();
        self.notes.add_part_at(at, inner.notes);
        for token in token::tokens(value.as_bytes(), Form::Xml) {
            if let Token::Text(text) = token {
                self.read_click(at, &text.text);
            }
        }
    }

    /// `<?xml-stylesheet …?>`, which only XML knows; a comment of HTML may begin with the same letters.
    fn read_instruction(&mut self, at: usize, text: &str) {
        let is_instruction = self.source.get(at..).is_some_and(|rest| rest.starts_with("<?"));
        if self.form != Form::Xml || !is_instruction {
            return;
        }
        if !text.ends_with('?') {
            self.notes.note(at, &UNREAD_SYNTAX, None);
        }
        if let Some(rest) = text.strip_prefix("?xml-stylesheet")
            && let Some(address) = value::pseudo_attribute(rest, "href")
        {
            let is_code =
                value::pseudo_attribute(rest, "type").is_some_and(|kind| !kind.eq_ignore_ascii_case("text/css"));
            self.read_address(at, if is_code { &table::SCRIPT } else { &table::STYLE }, address);
        }
    }

    fn gather(&mut self, text: Text) {
        if let Some(gathered) = &mut self.gathered {
            gathered.at = gathered.at.min(text.at);
            gathered.text.push_str(&text.text);
        }
    }

    /// Reads what was gathered up to here.
    fn end_gathering(&mut self, end: usize) {
        let Some(Gathered { what, at, text, .. }) = self.gathered.take() else { return };
        if text.trim_ascii().is_empty() {
            return;
        }
        // The tokenizer joins the two characters of a line break: the places are those of the file.
        let raw = self.source.get(at..end).filter(|raw| raw.replace("\r\n", "\n").replace('\r', "\n") == text);
        let content = Text { at, text: raw.map_or(text, str::to_owned) };
        match what {
            Content::Script(dialect) => {
                self.notes.note(at, &INLINE_SCRIPT, None);
                self.add_part(&content, script::read_part(dialect, &content.text, self.nesting));
            }
            Content::ImportMap => {
                // Policies stop it as they stop a script.
                self.notes.note(at, &INLINE_SCRIPT, None);
                self.read_json(&content, &table::IMPORT_MAP);
            }
            Content::Speculation => self.read_json(&content, &table::ORIGIN),
            Content::Style => {
                self.notes.note(at, &INLINE_STYLE, None);
                self.add_part(&content, style::read_part(&content.text));
            }
            Content::Markup => self.read_markup(&content),
        }
    }

    fn read_json(&mut self, content: &Text, sink: &Sink) {
        match json::read(content.text.as_bytes()) {
            Ok(document) => self.read_node(content.at, &document.root, sink),
            Err(_) => self.notes.note(content.at, &UNREAD_SYNTAX, None),
        }
    }

    /// Every address in the values; the reader of JSON bounds how deeply they nest.
    fn read_node(&mut self, at: usize, node: &json::Node<'_>, sink: &Sink) {
        if let Some(text) = node.as_str() {
            let is_address = text.starts_with(['.', '/']) && !text.ends_with('/');
            if is_address || !matches!(Address::parse(text), Address::Relative(_)) {
                self.read_address(at, sink, text);
            }
        }
        node.elements().iter().for_each(|element| self.read_node(at, element, sink));
        node.members().iter().for_each(|member| self.read_node(at, &member.value, sink));
    }

    /// Adds what was seen in a text, with its places where the file has the very same text.
    fn add_part(&mut self, value: &Text, part: Notes) {
        if self.is_exact(value) {
            self.notes.add_part(value.at, part);
        } else {
            self.notes.add_part_at(value.at, part);
        }
    }

    fn is_exact(&self, value: &Text) -> bool {
        self.source.get(value.at..).is_some_and(|rest| rest.starts_with(value.text.as_str()))
    }
}

fn is_value(tag: &Tag, name: &str, value: &str) -> bool {
    tag.attributes.get(name).is_some_and(|text| text.text.trim_ascii().eq_ignore_ascii_case(value))
}

/// How the content of an element is read, where it is read as a whole.
fn content(tag: &Tag, element: &str, form: Form) -> Option<Content> {
    match element {
        "script" if script_sources(tag, form).next().is_some() => None,
        "script" => content_of_script(tag),
        "style" => {
            let kind = tag.attributes.get("type").map_or("", |kind| kind.text.trim_ascii());
            (kind.is_empty() || kind.eq_ignore_ascii_case("text/css")).then_some(Content::Style)
        }
        "noscript" if !tag.is_foreign => Some(Content::Markup),
        _ => None,
    }
}

/// What a script is by its type; nothing for data.
fn content_of_script(tag: &Tag) -> Option<Content> {
    let value = |name: &str| tag.attributes.get(name).map(|value| value.text.trim_ascii().to_ascii_lowercase());
    let kind = match (value("type"), value("language")) {
        (Some(kind), _) => kind,
        (None, Some(language)) if !language.is_empty() => format!("text/{language}"),
        (None, _) => String::new(),
    };
    match kind.split(';').next().unwrap_or_default().trim_ascii() {
        "module" => Some(Content::Script(Dialect::Module)),
        "importmap" => Some(Content::ImportMap),
        "speculationrules" => Some(Content::Speculation),
        "" => Some(Content::Script(Dialect::Classic)),
        kind => script_types::is_run(kind).then_some(Content::Script(Dialect::Classic)),
    }
}

/// Where a script is loaded from. A drawing says it as a link; in XML, pages and drawings mix.
fn script_sources(tag: &Tag, form: Form) -> impl Iterator<Item = &Text> {
    let takes = move |name: &str| match form {
        Form::Xml => name == "src" || name == "href" || name.ends_with(":href"),
        Form::Html | Form::Prescan if tag.is_foreign => name == "href" || name == "xlink:href",
        Form::Html | Form::Prescan => name == "src",
    };
    tag.attributes.iter().filter(move |(name, _)| takes(name)).map(|(_, value)| value)
}

#[cfg(test)]
mod tests;
