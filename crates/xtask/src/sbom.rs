//! What a program is made of, as CycloneDX 1.6: every crate that is linked, the C code that some of them bring, the
//! standard library, and in an image the shared libraries.
//!
//! The crates are those that cargo links for a program with these features, and macros are left out, which run at build
//! time. The gate `supply-chain` holds the list against the names that a built program still carries.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use anyhow::{Context as _, Result, bail, ensure};
use serde::{Deserialize, Serialize};

use crate::{
    image::{layout::utc, root::Library},
    process::{command, root, said},
    programs::Program,
    tarball::hex_digest,
};

/// A program, and what it is built with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject<'a> {
    pub(crate) program: Program,
    /// The features beyond the defaults.
    pub(crate) features: &'a [&'a str],
    /// The built program, when there is one.
    pub(crate) bytes: Option<&'a [u8]>,
    /// The shared libraries and the loader next to it, in an image.
    pub(crate) libraries: &'a [Library],
    /// Seconds since 1970.
    pub(crate) seconds: u64,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Sbom {
    bom_format: &'static str,
    spec_version: &'static str,
    version: u8,
    metadata: Metadata,
    components: Vec<Component>,
    dependencies: Vec<Dependency>,
}

#[derive(Debug, Serialize)]
struct Metadata {
    timestamp: String,
    component: Component,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Component {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(rename = "bom-ref")]
    reference: String,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hashes: Vec<Hash>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    licenses: Vec<Licence>,
    purl: String,
}

#[derive(Clone, Debug, Serialize)]
struct Hash {
    alg: &'static str,
    content: String,
}

#[derive(Clone, Debug, Serialize)]
struct Licence {
    expression: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Dependency {
    #[serde(rename = "ref")]
    reference: String,
    depends_on: BTreeSet<String>,
}

/// C code that a crate brings with it.
struct Bundled {
    krate: &'static str,
    /// Nothing for a crate that only looks as if it brought some.
    code: Option<CCode>,
}

struct CCode {
    name: &'static str,
    licence: &'static str,
    version: fn(&Crate) -> Result<Option<String>>,
}

/// Every crate that is linked and has a `links` key or compiles C has a row, or there is no SBOM.
const BUNDLED: &[Bundled] = &[
    Bundled {
        krate: "libsqlite3-sys",
        code: Some(CCode { name: "sqlite", licence: "blessing", version: sqlite_version }),
    },
    // Its `links` key keeps two versions apart; there is no C in it.
    Bundled { krate: "rayon-core", code: None },
    // Taken from BoringSSL over years, file by file: there is no version but that of ring.
    Bundled {
        krate: "ring",
        code: Some(CCode { name: "boringssl-parts-of-ring", licence: "Apache-2.0 AND ISC", version: |_| Ok(None) }),
    },
    // It compiles C for its feature `extended-siginfo-raw` alone, which is off.
    Bundled { krate: "signal-hook", code: None },
    Bundled {
        krate: "tikv-jemalloc-sys",
        code: Some(CCode {
            name: "jemalloc",
            licence: "BSD-2-Clause",
            // The crate's version ends with it.
            version: |krate| Ok(krate.version.split_once('+').map(|(_, version)| version.to_owned())),
        }),
    },
];

#[derive(Debug, Deserialize)]
struct Packages {
    packages: Vec<Crate>,
}

#[derive(Clone, Debug, Deserialize)]
struct Crate {
    name: String,
    version: String,
    license: Option<String>,
    links: Option<String>,
    manifest_path: String,
    dependencies: Vec<CrateDependency>,
}

#[derive(Clone, Debug, Deserialize)]
struct CrateDependency {
    name: String,
    kind: Option<String>,
}

#[derive(Deserialize)]
struct Lock {
    package: Vec<Locked>,
}

/// A crate of the lock file; those of this workspace have no checksum.
#[derive(Debug, Deserialize)]
pub(crate) struct Locked {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) checksum: Option<String>,
}

type Key = (String, String);

/// The SBOM as a document.
pub(crate) fn of(subject: Subject<'_>) -> Result<Sbom> {
    let linked = Linked::read(subject.program, subject.features)?;
    let checksums: BTreeMap<Key, Option<String>> =
        locked()?.into_iter().map(|row| ((row.name, row.version), row.checksum)).collect();
    let mut components = Vec::new();
    let mut edges = linked.edges.clone();
    let own = linked.crates.get(&linked.root).context("the program itself is not listed")?;
    for (key, krate) in linked.crates.iter().filter(|(key, _)| **key != linked.root) {
        let checksum = checksums.get(key).with_context(|| format!("{key:?} is not in the lock file"))?;
        components.push(krate.component("library", checksum.clone()));
        if let Some(code) = c_code(krate)? {
            edges.entry(krate.purl()).or_default().insert(code.reference.clone());
            components.push(code);
        }
    }
    let outside = [standard_library()?].into_iter().chain(subject.libraries.iter().map(shared_library));
    let outside: BTreeMap<String, Component> =
        outside.map(|component| (component.reference.clone(), component)).collect();
    edges.entry(own.purl()).or_default().extend(outside.keys().cloned());
    components.extend(outside.into_values());
    let component = own.component("application", subject.bytes.map(hex_digest));
    let dependencies = edges.into_iter().map(|(reference, depends_on)| Dependency { reference, depends_on }).collect();
    let metadata = Metadata { timestamp: utc(subject.seconds), component };
    Ok(Sbom { bom_format: "CycloneDX", spec_version: "1.6", version: 1, metadata, components, dependencies })
}

impl Sbom {
    /// The document as a file.
    pub(crate) fn bytes(&self) -> Result<Vec<u8>> {
        let mut bytes = serde_json::to_vec_pretty(self)?;
        bytes.push(b'\n');
        Ok(bytes)
    }

    /// Whether it names a component of this version.
    pub(crate) fn names(&self, name: &str, version: &str) -> bool {
        self.components.iter().any(|part| part.name == name && part.version.as_deref() == Some(version))
    }

    pub(crate) fn len(&self) -> usize {
        self.components.len()
    }
}

/// Everything that the lock file pins.
pub(crate) fn locked() -> Result<Vec<Locked>> {
    let text = fs::read_to_string(root().join("Cargo.lock"))?;
    Ok(toml::from_str::<Lock>(&text)?.package)
}

/// What cargo links into the program, and what needs what.
struct Linked {
    root: Key,
    crates: BTreeMap<Key, Crate>,
    edges: BTreeMap<String, BTreeSet<String>>,
}

impl Linked {
    fn read(program: Program, features: &[&str]) -> Result<Self> {
        let described = said(&mut command("cargo", &["metadata", "--format-version", "1", "--locked"]))?;
        let known: BTreeMap<Key, Crate> = serde_json::from_str::<Packages>(&described)?
            .packages
            .into_iter()
            .map(|krate| ((krate.name.clone(), krate.version.clone()), krate))
            .collect();
        let mut tree = command("cargo", &["tree", "--locked", "--package", program.name()]);
        tree.args(["--edges", "normal,no-proc-macro", "--prefix", "depth", "--format", " {p}"]);
        tree.arg("--features").arg(features.join(","));
        let (mut crates, mut edges) = (BTreeMap::new(), BTreeMap::<String, BTreeSet<String>>::new());
        let mut above: Vec<String> = Vec::new();
        let mut first = None;
        for line in said(&mut tree)?.lines() {
            let mut words = line.split(' ');
            let depth: usize = words.next().unwrap_or_default().parse().with_context(|| line.to_owned())?;
            let (name, version) = words.next().zip(words.next()).with_context(|| line.to_owned())?;
            let key = (name.to_owned(), version.trim_start_matches('v').to_owned());
            let krate = known.get(&key).with_context(|| format!("{key:?} is linked and not described"))?;
            above.truncate(depth);
            if let Some(parent) = above.last() {
                edges.entry(parent.clone()).or_default().insert(krate.purl());
            }
            edges.entry(krate.purl()).or_default();
            above.push(krate.purl());
            first.get_or_insert_with(|| key.clone());
            crates.insert(key, krate.clone());
        }
        Ok(Self { root: first.context("cargo tree lists nothing")?, crates, edges })
    }
}

impl Crate {
    fn purl(&self) -> String {
        format!("pkg:cargo/{}@{}", self.name, encoded(&self.version))
    }

    fn component(&self, kind: &'static str, checksum: Option<String>) -> Component {
        // Some crates still write the older form.
        let licence = self.license.as_ref().map(|licence| Licence { expression: licence.replace('/', " OR ") });
        Component {
            kind,
            reference: self.purl(),
            name: self.name.clone(),
            version: Some(self.version.clone()),
            hashes: checksum.into_iter().map(|content| Hash { alg: "SHA-256", content }).collect(),
            licenses: licence.into_iter().collect(),
            purl: self.purl(),
        }
    }

    fn may_bring_c(&self) -> bool {
        let compiles = |needs: &CrateDependency| {
            needs.kind.as_deref() == Some("build") && ["cc", "cmake"].contains(&needs.name.as_str())
        };
        self.links.is_some() || self.dependencies.iter().any(compiles)
    }
}

fn c_code(krate: &Crate) -> Result<Option<Component>> {
    let Some(row) = BUNDLED.iter().find(|row| row.krate == krate.name) else {
        ensure!(!krate.may_bring_c(), "{} may bring C code with it: it needs a row in BUNDLED", krate.name);
        return Ok(None);
    };
    let Some(code) = &row.code else { return Ok(None) };
    let version = (code.version)(krate)?;
    let at = version.as_ref().map(|version| format!("@{}", encoded(version))).unwrap_or_default();
    let purl = format!("pkg:generic/{}{at}", code.name);
    let licenses = vec![Licence { expression: code.licence.to_owned() }];
    let (name, reference) = (code.name.to_owned(), purl.clone());
    Ok(Some(Component { kind: "library", reference, name, version, hashes: Vec::new(), licenses, purl }))
}

/// As the header says it that is compiled.
fn sqlite_version(krate: &Crate) -> Result<Option<String>> {
    let header = Path::new(&krate.manifest_path).with_file_name("sqlite3").join("sqlite3.h");
    let text = fs::read_to_string(&header).with_context(|| header.display().to_string())?;
    let line = text.lines().find_map(|line| line.strip_prefix("#define SQLITE_VERSION "));
    let version = line.map(|line| line.trim().trim_matches('"').to_owned());
    Ok(Some(version.context("SQLite's header names no version")?))
}

fn standard_library() -> Result<Component> {
    let told = said(&mut command("rustc", &["--version"]))?;
    let Some(version) = told.split(' ').nth(1) else { bail!("rustc names no version: {told}") };
    let purl = format!("pkg:generic/rust-std@{version}");
    Ok(Component {
        kind: "library",
        reference: purl.clone(),
        name: "rust-std".to_owned(),
        version: Some(version.to_owned()),
        hashes: Vec::new(),
        licenses: vec![Licence { expression: "MIT OR Apache-2.0".to_owned() }],
        purl,
    })
}

fn shared_library(library: &Library) -> Component {
    let purl = format!("pkg:deb/debian/{}@{}", library.package.name, encoded(&library.package.version));
    Component {
        kind: "library",
        reference: purl.clone(),
        name: library.package.name.clone(),
        version: Some(library.package.version.clone()),
        hashes: Vec::new(),
        licenses: Vec::new(),
        purl,
    }
}

/// A version as a package URL writes it.
fn encoded(version: &str) -> String {
    version.replace('+', "%2B").replace(':', "%3A")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_that_may_bring_c_code_and_has_no_row_is_refused() {
        let mut krate = Crate {
            name: "new-sys".to_owned(),
            version: "1.0.0".to_owned(),
            license: None,
            links: None,
            manifest_path: String::new(),
            dependencies: Vec::new(),
        };
        assert!(c_code(&krate).unwrap().is_none());
        krate.dependencies.push(CrateDependency { name: "cc".to_owned(), kind: Some("build".to_owned()) });
        assert!(c_code(&krate).is_err());
        krate.dependencies.clear();
        krate.links = Some("new".to_owned());
        assert!(c_code(&krate).is_err());
    }

    #[test]
    fn every_library_in_c_is_named_with_its_version() {
        let features = Program::Registry.release_features();
        let subject = Subject { program: Program::Registry, features, bytes: None, libraries: &[], seconds: 0 };
        let sbom = of(subject).unwrap();
        let version = |name: &str| {
            let part = sbom.components.iter().find(|part| part.name == name);
            part.unwrap_or_else(|| panic!("{name} is missing")).version.clone()
        };
        assert!(version("sqlite").unwrap().starts_with("3."));
        assert!(version("jemalloc").unwrap().starts_with("5."));
        assert_eq!(version("boringssl-parts-of-ring"), None);
        assert!(!sbom.components.iter().any(|part| part.name == "serde_derive"), "macros are not linked");
    }
}
