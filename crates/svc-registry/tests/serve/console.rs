//! The pages of the console that need no script, from a running service: read by a parser, link by link.

use std::collections::{BTreeMap, BTreeSet};

use html5gum::{StartTag, Token, Tokenizer};

use crate::{
    run::{Run, program},
    running::{Running, exchange},
};
use svc_core::samples::rules;

/// Elements without an end.
const VOID: [&str; 2] = ["link", "meta"];

/// What a page without a script may be made of.
const ELEMENTS: [&str; 28] = [
    "a", "article", "body", "code", "dd", "div", "dl", "dt", "footer", "h1", "h2", "h3", "h4", "head", "header",
    "html", "li", "link", "main", "meta", "nav", "p", "pre", "section", "span", "strong", "title", "ul",
];

/// What a reader of a page finds in it.
#[derive(Debug, Default)]
struct Read {
    links: Vec<String>,
    styles: Vec<String>,
    ids: BTreeSet<String>,
    headings: Vec<u8>,
    elements: BTreeMap<String, usize>,
    text: String,
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

impl Read {
    /// Fails on what a browser would have to mend, and on what runs, loads or hides anything.
    fn parse(page: &str, what: &str) -> Self {
        let (mut read, mut open) = (Self::default(), Vec::new());
        for token in Tokenizer::new(page) {
            let Ok(token) = token;
            match token {
                Token::StartTag(tag) => {
                    let name = text(&tag.name);
                    assert!(ELEMENTS.contains(&name.as_str()) && !tag.self_closing, "{what}: <{name}>");
                    read.take(&name, &tag, what);
                    if !VOID.contains(&name.as_str()) {
                        open.push(name);
                    }
                }
                Token::EndTag(tag) => assert_eq!(open.pop(), Some(text(&tag.name)), "{what}"),
                Token::String(string) => {
                    let string = text(&string.value);
                    assert!(!open.is_empty() || string.trim().is_empty(), "{what}: text outside");
                    read.text += &string;
                }
                Token::Doctype(doctype) => assert!(!doctype.force_quirks && open.is_empty(), "{what}"),
                Token::Comment(_) | Token::Error(_) => panic!("{what}: {token:?}"),
            }
        }
        assert!(open.is_empty(), "{what}: {open:?}");
        read.has_shape(what);
        read
    }

    fn take(&mut self, name: &str, tag: &StartTag<()>, what: &str) {
        *self.elements.entry(name.to_owned()).or_default() += 1;
        if let Some(level) = name.strip_prefix('h').and_then(|level| level.parse().ok()) {
            self.headings.push(level);
        }
        for (attribute, value) in &tag.attributes {
            let (attribute, value) = (text(attribute), text(&value.value));
            match attribute.as_str() {
                "id" => assert!(self.ids.insert(value.clone()), "{what}: {value} twice"),
                "href" if name == "a" => self.links.push(value),
                "href" if value != "data:," => self.styles.push(value),
                "aria-current" | "aria-label" | "charset" | "class" | "content" | "href" | "lang" | "name" | "rel" => {}
                _ => panic!("{what}: {attribute}"),
            }
        }
    }

    fn has_shape(&self, what: &str) {
        for name in ["html", "head", "title", "body", "main", "h1"] {
            assert_eq!(self.elements.get(name), Some(&1), "{what}: <{name}>");
        }
        assert_eq!(self.headings.first(), Some(&1), "{what}");
        assert!(self.headings.windows(2).all(|two| two[1] <= two[0] + 1), "{what}: a level of headings is left out");
        assert!(self.text.contains("CLOSED") && self.text.contains("Nothing here can be installed."), "{what}");
        assert!(self.text.contains("publisher-verification, review-storage, artifact-signing"), "{what}");
    }
}

fn get(running: &Running, path: &str, accept: &str) -> (u16, String, String) {
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept: {accept}\r\n\r\n");
    let answer = running.ask(request.as_bytes()).unwrap_or_else(|| panic!("no answer to {path}"));
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (answer.split(' ').nth(1).unwrap().parse().unwrap(), head.to_ascii_lowercase(), body.to_owned())
}

/// Where a link of a page leads: the path, and the fragment.
fn resolved(page: &str, link: &str) -> (String, Option<String>) {
    let (path, fragment) = match link.split_once('#') {
        Some((path, fragment)) => (path, Some(fragment.to_owned())),
        None => (link, None),
    };
    if path.is_empty() {
        return (page.to_owned(), fragment);
    }
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            ".." => drop(parts.pop()),
            "." => {}
            part => parts.push(part),
        }
    }
    (parts.join("/"), fragment)
}

#[test]
fn every_link_of_every_page_leads_to_what_there_is() {
    let folder = tempfile::tempdir().unwrap();
    let running = Running::start(folder.path(), &["--journal", "off"]);
    let (mut next, mut pages, mut wanted) = (vec!["/console/rules".to_owned()], BTreeMap::new(), Vec::new());
    while let Some(path) = next.pop() {
        if pages.contains_key(&path) {
            continue;
        }
        let (status, head, body) = get(&running, &path, "*/*");
        assert_eq!(status, 200, "{path}");
        let is_ours = head.contains("\r\ncontent-type: text/html") && !body.contains("<script");
        let read = is_ours.then(|| Read::parse(&body, &path));
        for link in read.iter().flat_map(|read| read.links.iter().chain(&read.styles)) {
            let (to, fragment) = resolved(&path, link);
            assert!(to.starts_with("/console/") || to.starts_with("/api/sdk/registry/"), "{path}: {link}");
            next.push(to.clone());
            wanted.extend(fragment.map(|fragment| (path.clone(), to, fragment)));
        }
        pages.insert(path, read);
    }
    for (page, to, fragment) in wanted {
        let ids = pages[&to].as_ref().map(|read| &read.ids);
        assert!(ids.is_some_and(|ids| ids.contains(&fragment)), "{page}: {to}#{fragment}");
    }
    let of_rules = pages.keys().filter(|path| path.starts_with("/console/rules/")).count();
    assert_eq!(of_rules, rules().all().count());
    for path in
        ["/console/", "/console/decisions", "/console/log", "/console/gates", "/console/problems", "/console/api"]
    {
        assert!(pages.contains_key(path), "nothing leads to {path}");
    }
    assert!(pages.keys().any(|path| path.starts_with("/api/sdk/registry/problems/")));
    assert!(pages.keys().any(|path| path.starts_with("/api/sdk/registry/schemas/")));
}

#[test]
fn a_refusal_in_a_browser_is_a_page_with_ways_out_wherever_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let running = Running::start(folder.path(), &["--journal", "off"]);
    for path in ["/console/x", "/console/x/y/z", "/console//", "/console/rules/SVC-X000", "/console/&lt;b&gt;"] {
        let (status, head, body) = get(&running, path, "text/html,*/*;q=0.8");
        assert_eq!(status, 404, "{path}");
        assert!(head.contains("require-trusted-types-for 'script'"), "{head}");
        let read = Read::parse(&body, path);
        assert!(read.links.iter().any(|link| resolved(path, link).0 == "/console/"), "{body}");
        assert!(read.ids.contains("main") && !body.contains("SVC-X000") && !body.contains("lt;b"), "{body}");
        for link in read.links.iter().chain(&read.styles).filter(|link| *link != "#main") {
            assert_eq!(get(&running, &resolved(path, link).0, "*/*").0, 200, "{path}: {link}");
        }
    }
}

#[test]
fn a_service_tells_where_its_console_is_and_has_none_when_it_is_off() {
    let folder = tempfile::tempdir().unwrap();
    for wrong in ["", "yes", "ON", "true"] {
        let refused = Run::of(&mut program(folder.path(), &["serve", "--journal", "off", "--console", wrong])).exits(2);
        assert!(refused.stderr.contains("`console` (flag) must be `on` or `off`"), "{}", refused.stderr);
    }
    for (value, is_on) in [("on", true), ("off", false)] {
        let arguments = ["--journal", "off", "--admin-bind", "127.0.0.1:0", "--console", value];
        let mut running = Running::start(folder.path(), &arguments);
        let admin = running.admin_address();
        let public = running.address.clone();
        let mut statuses = Vec::new();
        for (address, path) in [
            (&public, "/console"),
            (&public, "/console/"),
            (&public, "/console/rules"),
            (&public, "/console/service"),
            (&admin, "/console/service"),
        ] {
            let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
            let answer = exchange(&mut crate::running::connect(address).unwrap(), request.as_bytes()).unwrap();
            statuses.push(answer.split(' ').nth(1).unwrap().parse::<u16>().unwrap());
        }
        assert_eq!(statuses, if is_on { [308, 200, 200, 404, 200] } else { [404; 5] });
        let log = running.log();
        assert_eq!(log.contains("\"operation\":\"console-rules\""), is_on, "{log}");
        running.terminate();
        let (ended, told) = running.ended();
        assert!(ended.success());
        let here = format!("console on http://{public}/console/\nconsole on http://{admin}/console/service\n");
        assert!(if is_on { told.starts_with(&here) } else { !told.contains("console") }, "{told}");
    }
}
