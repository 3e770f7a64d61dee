//! Files that other files of the package name, and that are not there.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    package::{
        artifact::FileEntry,
        fact::row_of,
        fact_table::{
            REFERENCE_LOADED_ELEMENT, REFERENCE_LOADED_SCRIPT, REFERENCE_LOADED_STYLE, REFERENCE_MODULE,
            REFERENCE_SCRIPT, REFERENCE_STYLE, UNREAD_NAME,
        },
        sighting::{Reference, Seen, Sighting},
    },
    scalar::subject::Subject,
};

/// What the page that is shown, and whatever it loads in turn, names without its being there, by the file that names it;
/// and what any file loads as code by a name that no such code has, so that nobody read it as what it is.
pub(super) fn missing<'s>(
    renderer: &'s str,
    seen: &'s BTreeMap<String, Seen>,
    files: &[FileEntry],
    faulty: impl Fn(&str) -> bool,
) -> BTreeMap<&'s str, Vec<Sighting>> {
    let mut told: BTreeMap<&str, Vec<Sighting>> = BTreeMap::new();
    for path in unread(seen) {
        told.entry(path).or_default().push(Sighting::of_file(&UNREAD_NAME));
    }
    let mut visited = BTreeSet::new();
    let mut waiting = vec![renderer];
    while let Some(path) = waiting.pop() {
        if !visited.insert(path) {
            continue;
        }
        let references = seen.get(path).map(|seen| seen.references.as_slice()).unwrap_or_default();
        for reference in references.iter().filter(|reference| Load::by_page(reference).is_none()) {
            let Some(target) = resolve(path, &reference.address) else { continue };
            match seen.get_key_value(&target) {
                Some((there, _)) => waiting.push(there),
                None if row_of(files, &target).is_some() || faulty(&target) => {}
                None => told.entry(path).or_default().push(sighting(reference, &target)),
            }
        }
    }
    told
}

/// As what a file is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Load {
    /// By an element that may be a script.
    Element,
    Module,
    Script,
    Style,
}

/// Extensions of what is read as a script, and of what else a module may load.
const SCRIPTS: &[&str] = &["cjs", "cts", "js", "jsx", "mjs", "mts", "ts", "tsx"];
const MODULES: &[&str] = &["css", "json", "wasm"];

/// Names of declarations of types, which no reader takes.
const DECLARATIONS: &[&str] = &[".d.cts", ".d.mts", ".d.ts"];

/// Extensions of what is read as a page, and of what browsers refuse to run as a script, whatever is in it.
const SHOWN: &[&str] = &[
    "aac", "apng", "avif", "bmp", "flac", "gif", "glb", "htm", "html", "ico", "jpeg", "jpg", "m4a", "m4v", "mov",
    "mp3", "mp4", "oga", "ogg", "ogv", "opus", "pdf", "png", "svg", "tif", "tiff", "vtt", "wav", "weba", "webm",
    "webp", "xht", "xhtml",
];

impl Load {
    /// What a reference loads relative to its own file.
    fn by_file(reference: &Reference) -> Option<Self> {
        match () {
            () if reference.what == &REFERENCE_SCRIPT => Some(Self::Script),
            () if reference.what == &REFERENCE_MODULE => Some(Self::Module),
            () if reference.what == &REFERENCE_STYLE => Some(Self::Style),
            () => None,
        }
    }

    /// What a reference of a script loads relative to the page that the script runs in.
    fn by_page(reference: &Reference) -> Option<Self> {
        match () {
            () if reference.what == &REFERENCE_LOADED_SCRIPT => Some(Self::Script),
            () if reference.what == &REFERENCE_LOADED_STYLE => Some(Self::Style),
            () if reference.what == &REFERENCE_LOADED_ELEMENT => Some(Self::Element),
            () => None,
        }
    }

    /// Whether a file of this name was read as what it is loaded as.
    fn fits(self, path: &str) -> bool {
        let path = path.to_ascii_lowercase();
        let name = path.rsplit('/').next().unwrap_or_default();
        let extension = name.rsplit_once('.').map(|(_, extension)| extension).unwrap_or_default();
        let is_script = || SCRIPTS.contains(&extension) && !DECLARATIONS.iter().any(|end| name.ends_with(end));
        match self {
            Self::Element => is_script() || SHOWN.contains(&extension),
            Self::Module => is_script() || MODULES.contains(&extension),
            Self::Script => is_script(),
            Self::Style => extension == "css",
        }
    }
}

/// The files that some file loads as code, and that were not read as such.
fn unread(seen: &BTreeMap<String, Seen>) -> BTreeSet<&str> {
    let mut unread = BTreeSet::new();
    let mut loaded: BTreeSet<(Load, String)> = BTreeSet::new();
    for (path, reference) in seen.iter().flat_map(|(path, seen)| seen.references.iter().map(move |one| (path, one))) {
        if let Some((load, target)) = Load::by_file(reference).zip(resolve(path, &reference.address)) {
            match seen.get_key_value(&target) {
                Some((there, _)) if !load.fits(there) => drop(unread.insert(there.as_str())),
                Some(_) => {}
                // Some hosts take names in any case.
                None => drop(loaded.insert((load, target.to_ascii_lowercase()))),
            }
        }
        // Where the site begins is not known, nor the page that a script runs in: the end of the path tells the file.
        let is_rooted = reference.address.starts_with('/');
        let load = Load::by_page(reference).or_else(|| Load::by_file(reference).filter(|_| is_rooted));
        loaded.extend(load.and_then(|load| Some((load, ending(&reference.address)?))));
    }
    if !loaded.is_empty() {
        unread.extend(seen.keys().map(String::as_str).filter(|path| is_loaded_unread(path, &loaded)));
    }
    unread
}

fn is_loaded_unread(path: &str, loaded: &BTreeSet<(Load, String)>) -> bool {
    let ends = || std::iter::once(path).chain(path.match_indices('/').filter_map(|(at, _)| path.get(at + 1..)));
    let loads = [Load::Element, Load::Module, Load::Script, Load::Style];
    let unfit = loads.into_iter().filter(|load| !load.fits(path));
    unfit.into_iter().any(|load| ends().any(|end| loaded.contains(&(load, end.to_ascii_lowercase()))))
}

/// How the path of the file that an address leads to ends, wherever it begins.
fn ending(address: &str) -> Option<String> {
    let path = decoded(address.split(['?', '#']).next().filter(|path| !path.is_empty() && !path.ends_with('/'))?)?;
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    Some(parts.join("/").to_ascii_lowercase()).filter(|path| !path.is_empty())
}

fn sighting(reference: &Reference, target: &str) -> Sighting {
    let (what, position) = (reference.what, reference.position);
    Sighting { what, subject: Subject::parse(target), position, count: 1 }
}

/// The path in the package that a relative address in this file leads to: nothing when it names no file, or leads out.
fn resolve(from: &str, address: &str) -> Option<String> {
    let path = address.split(['?', '#']).next().filter(|path| !path.is_empty() && !path.ends_with('/'))?;
    let path = decoded(path)?;
    let mut parts: Vec<&str> = if path.starts_with('/') { Vec::new() } else { from.split('/').collect() };
    parts.pop();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The address with its percent signs resolved.
fn decoded(address: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(address.len());
    let mut rest = address.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..2).filter(|_| *first == b'%').and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { after.get(2..).unwrap_or_default() } else { after };
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_leads_to_a_path_as_browsers_resolve_it() {
        let cases = [
            ("index.html", "app.js", Some("app.js")),
            ("pages/index.html", "./app.js?v=1#top", Some("pages/app.js")),
            ("pages/index.html", "../app%20one.js", Some("app one.js")),
            ("pages/index.html", "/app.js", Some("app.js")),
            ("a/b/c.css", "../../d.png", Some("d.png")),
            ("index.html", "../app.js", None),
            ("index.html", "#top", None),
            ("index.html", "folder/", None),
            ("index.html", "100%.js", Some("100%.js")),
            ("index.html", "%ff.js", None),
        ];
        for (from, address, path) in cases {
            assert_eq!(resolve(from, address).as_deref(), path, "{from} {address}");
        }
    }

    #[test]
    fn only_what_the_shown_page_loads_can_lack_a_file() {
        let reference =
            |address: &str| Reference { what: &REFERENCE_SCRIPT, address: address.to_owned(), position: None };
        let seen = |addresses: &[&str]| Seen {
            references: addresses.iter().map(|address| reference(address)).collect(),
            ..Seen::default()
        };
        let files = BTreeMap::from([
            ("index.html".to_owned(), seen(&["a.js", "b.js"])),
            ("a.js".to_owned(), seen(&["./a.js", "./c.js"])),
            ("other.js".to_owned(), seen(&["d.js"])),
        ]);
        let missing = missing("index.html", &files, &[], |path| path == "b.js");
        let named: Vec<(&str, Option<&str>)> = missing
            .iter()
            .flat_map(|(path, gone)| gone.iter().map(|one| (*path, one.subject.as_ref().map(Subject::as_str))))
            .collect();
        assert_eq!(named, [("a.js", Some("c.js"))]);
    }

    #[test]
    fn what_any_file_loads_as_code_by_another_name_is_told_as_unread() {
        let reference = |what, address: &str| Reference { what, address: address.to_owned(), position: None };
        let cases = [
            (&REFERENCE_SCRIPT, "data/a.txt", true),
            (&REFERENCE_SCRIPT, "/a.txt", true),
            (&REFERENCE_SCRIPT, "DATA/A.txt", true),
            (&REFERENCE_SCRIPT, "data/b.js", false),
            (&REFERENCE_SCRIPT, "data/c.d.ts", true),
            (&REFERENCE_LOADED_SCRIPT, "a.txt", true),
            (&REFERENCE_LOADED_SCRIPT, "../other/../A.TXT?v=1", true),
            (&REFERENCE_LOADED_SCRIPT, "none/a.txt", false),
            (&REFERENCE_LOADED_SCRIPT, "d.png", true),
            (&REFERENCE_LOADED_SCRIPT, "e", true),
            (&REFERENCE_LOADED_ELEMENT, "a.txt", true),
            (&REFERENCE_LOADED_ELEMENT, "d.png", false),
            (&REFERENCE_LOADED_STYLE, "a.txt", true),
            (&REFERENCE_LOADED_STYLE, "f.css", false),
            (&REFERENCE_STYLE, "data/a.txt", true),
            (&REFERENCE_MODULE, "data/a.txt", true),
        ];
        for (what, address, is_unread) in cases {
            let files = ["data/a.txt", "data/b.js", "data/c.d.ts", "data/d.png", "data/e", "data/f.css", "index.html"];
            let mut seen: BTreeMap<String, Seen> =
                files.iter().map(|path| ((*path).to_owned(), Seen::default())).collect();
            let references = vec![reference(what, address)];
            seen.insert("other.html".to_owned(), Seen { references, ..Seen::default() });
            let told = missing("index.html", &seen, &[], |_| false);
            assert_eq!(!told.is_empty(), is_unread, "{} {address}", what.word);
            assert!(told.values().flatten().all(|one| one.what == &UNREAD_NAME));
        }
    }

    #[test]
    fn a_script_by_its_use_and_not_by_its_name_is_told_as_unread() {
        let reference =
            |address: &str| Reference { what: &REFERENCE_SCRIPT, address: address.to_owned(), position: None };
        let page = Seen { references: vec![reference("a.txt"), reference("b.js")], ..Seen::default() };
        let seen = |path: &str| (path.to_owned(), Seen::default());
        let files = BTreeMap::from([("index.html".to_owned(), page), seen("a.txt"), seen("b.js")]);
        let told = missing("index.html", &files, &[], |_| false);
        assert_eq!(told, BTreeMap::from([("a.txt", vec![Sighting::of_file(&UNREAD_NAME)])]));
    }
}
