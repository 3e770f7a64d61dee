//! The root file system of the image: the programs, what they are linked with, and the few files that a C library reads.
//!
//! Absent on purpose: a shell, a package manager, and a base image. Every file is here because something needs it.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result, ensure};

use crate::{
    process::{root, said},
    programs::Program,
};

/// Whom the programs run as; containers know no names.
pub(crate) const USER: u32 = 65532;

/// Where a program is, without the slash in front.
pub(crate) fn path_of(program: Program) -> String {
    format!("usr/local/bin/{}", program.name())
}

/// A program as it goes into the image, with the description of what it is made of.
pub(crate) struct Packed {
    pub(crate) program: Program,
    pub(crate) bytes: Vec<u8>,
    pub(crate) sbom: Vec<u8>,
}

/// Certificates of the system, as Debian's package `ca-certificates` has them.
const CERTIFICATES: &str = "/etc/ssl/certs/ca-certificates.crt";

/// Names are looked up in `/etc/hosts`, which engines write, and then by DNS. Both are in the C library itself since 2.34.
const NAME_SERVICES: &str = "passwd: files\ngroup: files\nhosts: files dns\n";

/// What stands at a path.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    Folder { mode: u32, owner: u32 },
    File { mode: u32, bytes: Vec<u8> },
}

/// Entries by path, without the slash in front.
pub(crate) type Entries = BTreeMap<String, Entry>;

/// A shared library or the loader, with the Debian package that it is of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Library {
    pub(crate) path: PathBuf,
    pub(crate) package: Package,
}

/// A package of Debian on this machine.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
}

/// The whole root, for the programs.
pub(crate) fn entries(programs: Vec<Packed>, libraries: &[Library]) -> Result<Entries> {
    let mut files = Entries::new();
    for Packed { program, bytes, sbom } in programs {
        files.insert(path_of(program), Entry::File { mode: 0o755, bytes });
        plain(&mut files, &format!("usr/share/doc/svc/{}.cdx.json", program.name()), sbom);
    }
    for library in libraries {
        let bytes = fs::read(&library.path).with_context(|| library.path.display().to_string())?;
        files.insert(below_root(&library.path)?, Entry::File { mode: 0o755, bytes });
        copyright(&mut files, &library.package.name)?;
    }
    let certificates = fs::read(CERTIFICATES).context("Debian's package `ca-certificates` is needed")?;
    plain(&mut files, CERTIFICATES.trim_start_matches('/'), certificates);
    copyright(&mut files, "ca-certificates")?;
    plain(&mut files, "etc/nsswitch.conf", NAME_SERVICES.into());
    let user = format!("root:x:0:0:root:/:/nologin\nsvc:x:{USER}:{USER}:svc registry:/var/lib/svc-registry:/nologin\n");
    plain(&mut files, "etc/passwd", user.into_bytes());
    plain(&mut files, "etc/group", format!("root:x:0:\nsvc:x:{USER}:\n").into_bytes());
    for document in ["LICENSE-APACHE", "LICENSE-MIT", "THIRD-PARTY.md"] {
        plain(&mut files, &format!("usr/share/doc/svc/{document}"), fs::read(root().join(document))?);
    }
    for (path, mode, owner) in [
        ("dev", 0o755, 0),
        ("etc/svc-registry", 0o755, 0),
        ("proc", 0o755, 0),
        ("sys", 0o755, 0),
        ("tmp", 0o1777, 0),
        ("var/lib/svc-registry", 0o700, USER),
    ] {
        files.insert(path.into(), Entry::Folder { mode, owner });
    }
    parents(&mut files);
    Ok(files)
}

fn plain(files: &mut Entries, path: &str, bytes: Vec<u8>) {
    files.insert(path.into(), Entry::File { mode: 0o644, bytes });
}

/// What the licence of a package asks to be handed on.
fn copyright(files: &mut Entries, package: &str) -> Result<()> {
    let path = format!("usr/share/doc/{package}/copyright");
    let bytes = fs::read(Path::new("/").join(&path)).with_context(|| path.clone())?;
    plain(files, &path, bytes);
    Ok(())
}

/// The folders above, which no entry names.
fn parents(files: &mut Entries) {
    let paths: Vec<String> = files.keys().cloned().collect();
    for path in paths {
        for (at, _) in path.match_indices('/') {
            let folder = path.get(..at).unwrap_or_default().to_owned();
            files.entry(folder).or_insert(Entry::Folder { mode: 0o755, owner: 0 });
        }
    }
}

/// The loader and every library that a program would load, also those that libraries need.
pub(crate) fn libraries(program: &Path) -> Result<Vec<Library>> {
    let told = said(Command::new("ldd").arg(program))?;
    let mut libraries = Vec::new();
    for line in told.lines().map(str::trim).filter(|line| !line.starts_with("linux-vdso")) {
        let path = line.split_once("=> ").map_or(line, |(_, found)| found);
        let path = path.split(" (").next().unwrap_or_default();
        ensure!(path.starts_with('/'), "a library cannot be found: {line}");
        libraries.push(Library { path: path.into(), package: Package::of(path)? });
    }
    libraries.sort();
    ensure!(libraries.len() > 1, "ldd names nothing: {told}");
    Ok(libraries)
}

impl Package {
    /// The package that a file is of; Debian's tables name some files below `/usr` and some not.
    fn of(path: &str) -> Result<Self> {
        let owner = said(Command::new("dpkg-query").args(["--search", path]))
            .or_else(|_| said(Command::new("dpkg-query").args(["--search", &format!("/usr{path}")])))?;
        let name = owner.split(':').next().unwrap_or_default();
        Self::named(name)
    }

    /// A package by its name.
    pub(crate) fn named(name: &str) -> Result<Self> {
        let version = said(Command::new("dpkg-query").args(["--show", "--showformat=${Version}", name]))?;
        Ok(Self { name: name.to_owned(), version })
    }
}

fn below_root(path: &Path) -> Result<String> {
    let path = path.to_str().and_then(|path| path.strip_prefix('/')).context("not below the root")?;
    Ok(path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[test]
    fn every_folder_above_is_there_and_only_one_belongs_to_the_user() {
        let program = std::env::current_exe().unwrap();
        let libraries = libraries(&program).unwrap();
        assert!(libraries.iter().any(|library| library.path.ends_with("libc.so.6")), "{libraries:?}");
        let entries = entries(Vec::new(), &libraries).unwrap();
        for path in entries.keys() {
            let parent = Path::new(path).parent().unwrap().to_str().unwrap();
            assert!(parent.is_empty() || matches!(entries[parent], Entry::Folder { .. }), "{path}");
        }
        let owned: Vec<&str> = entries
            .iter()
            .filter(|(_, entry)| matches!(entry, Entry::Folder { owner: USER, .. }))
            .map(|(path, _)| path.as_str())
            .collect();
        assert_eq!(owned, ["var/lib/svc-registry"]);
    }
}
