//! Files that other files of the package name, and that are not there.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    package::{
        artifact::FileEntry,
        fact::row_of,
        fact_table::{REFERENCE_MODULE, REFERENCE_SCRIPT, UNREAD_NAME},
        sighting::{Reference, Seen, Sighting},
    },
    scalar::subject::Subject,
};

/// What the page that is shown, and whatever it loads in turn, names without its being there, by the file that names it;
/// and what it loads as a script by a name that no script has, so that nobody read it as one.
pub(super) fn missing<'s>(
    renderer: &'s str,
    seen: &'s BTreeMap<String, Seen>,
    files: &[FileEntry],
    faulty: impl Fn(&str) -> bool,
) -> BTreeMap<&'s str, Vec<Sighting>> {
    let mut told: BTreeMap<&str, Vec<Sighting>> = BTreeMap::new();
    let mut visited = BTreeSet::new();
    let mut waiting = vec![renderer];
    while let Some(path) = waiting.pop() {
        if !visited.insert(path) {
            continue;
        }
        for reference in seen.get(path).map(|seen| seen.references.as_slice()).unwrap_or_default() {
            let Some(target) = resolve(path, &reference.address) else { continue };
            match seen.get_key_value(&target) {
                Some((there, _)) => {
                    if !fits(reference, there) {
                        told.entry(there).or_default().push(Sighting::of_file(&UNREAD_NAME));
                    }
                    waiting.push(there);
                }
                None if row_of(files, &target).is_some() || faulty(&target) => {}
                None => told.entry(path).or_default().push(sighting(reference, &target)),
            }
        }
    }
    told
}

/// Extensions of what is read as a script, and of what else a module may load.
const SCRIPTS: &[&str] = &["cjs", "cts", "js", "jsx", "mjs", "mts", "ts", "tsx"];
const MODULES: &[&str] = &["css", "json", "wasm"];

/// Whether a file that is loaded as a script has the name of one.
fn fits(reference: &Reference, path: &str) -> bool {
    let extension = path.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase()).unwrap_or_default();
    let is_script = SCRIPTS.contains(&extension.as_str());
    if reference.what == &REFERENCE_SCRIPT {
        is_script
    } else {
        reference.what != &REFERENCE_MODULE || is_script || MODULES.contains(&extension.as_str())
    }
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
