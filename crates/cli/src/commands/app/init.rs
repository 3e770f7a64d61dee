//! `svc app init`: a package that passes the preflight at once.

use std::{
    fmt::Write as _,
    fs,
    io::{self, Write as _},
    path::Path,
};

use clap::{ArgMatches, Command};
use svc_core::{
    contract::contracts,
    manifest::{self, scalars::DisplayName},
    scalar::ident::PackageId,
    words::exit_code::ExitCode,
};

use crate::{
    arguments,
    failure::Failure,
    files::{
        kind::SpecialKind,
        open::{Root, entry::OpenFault},
        write::WriteError,
    },
    output::escape::Safe,
};

const TEMPLATES: &[&str] = &["basic", "network"];

const NETWORK_PERMISSIONS: &str = r#"[
    {
      "permission": "network.fetch",
      "purpose": "Reads the greeting from the greeting service."
    }
  ]"#;

const NETWORK: &str = r#"{
    "allow": [
      "https://api.example.dev"
    ],
    "purpose": "The greeting service sends the text that is shown."
  }"#;

const NO_NETWORK: &str = r#"{
    "allow": []
  }"#;

const NETWORK_CSP: &str = r#",
      "connect-src": [
        "https://api.example.dev"
      ]"#;

pub(crate) fn command() -> Command {
    Command::new("init")
        .about("Create a package that passes the preflight")
        .arg(arguments::path("folder", "DIR").required(true).help("The folder to create"))
        .arg(arguments::choice("template", TEMPLATES).default_value("basic").help("What to start from"))
}

pub(crate) fn run(matches: &ArgMatches) -> Result<String, Failure> {
    let folder = arguments::given_path(matches, "folder").unwrap_or_default();
    let template = arguments::text(matches, "template").unwrap_or("basic");
    let files = scaffold(&folder, template)?;
    let root = empty_folder(&folder)?;
    let mut told = String::new();
    for (path, bytes) in files {
        let target = folder.join(path);
        write_new(&root, path, &bytes).map_err(|error| Failure::writing(&target.to_string_lossy(), &error))?;
        let _ = writeln!(told, "created   {}", Safe(&target.to_string_lossy()));
    }
    let _ = writeln!(told, "Next      cd {} && svc app preflight", Safe(&folder.to_string_lossy()));
    Ok(told)
}

/// The folder, made if there is none, and held open: whatever its path leads to later, nothing is written elsewhere. One
/// with anything in it may be somebody's work.
fn empty_folder(folder: &Path) -> Result<Root, Failure> {
    if fs::symlink_metadata(folder).is_ok_and(|found| found.is_symlink()) {
        let message = format!("{}: must be a folder, and is a symbolic link", folder.to_string_lossy());
        return Err(Failure::usage(message, "links are not followed here: give the folder itself"));
    }
    fs::create_dir_all(folder).map_err(|error| cannot_make(folder, &error))?;
    let root = Root::open_itself(folder).map_err(|error| cannot_make(folder, &error))?;
    if root.folder().is_ok_and(|mut entries| entries.next().is_none()) {
        return Ok(root);
    }
    let message = format!("{}: must be a new or empty folder, and is not empty", folder.to_string_lossy());
    Err(Failure::usage(message, "give a folder that does not exist yet"))
}

/// Nothing that is there already is replaced, and no link is written through.
fn write_new(root: &Root, path: &str, bytes: &[u8]) -> Result<(), WriteError> {
    let mut file = root.create(path).map_err(|fault| match fault {
        OpenFault::Missing => io::Error::from(io::ErrorKind::NotFound).into(),
        OpenFault::Blocked => WriteError::NotRegular(SpecialKind::Symlink),
        OpenFault::Io(error) => error.into(),
    })?;
    Ok(file.write_all(bytes).and_then(|()| file.sync_all())?)
}

fn cannot_make(folder: &Path, error: &io::Error) -> Failure {
    let message = format!("{}: the folder cannot be made: {error}", folder.to_string_lossy());
    let help = Some("check the permissions of the folder above it, or give another folder".to_owned());
    Failure { exit: ExitCode::InputOutput, message, help }
}

fn scaffold(folder: &Path, template: &str) -> Result<Vec<(&'static str, Vec<u8>)>, Failure> {
    let (slug, name) = names(folder)?;
    let network = template == "network";
    let fill = |text: &str| {
        text.replace("{slug}", &slug)
            .replace("{name}", &name)
            .replace("{permissions}", if network { NETWORK_PERMISSIONS } else { "[]" })
            .replace("{network}", if network { NETWORK } else { NO_NETWORK })
            .replace("{csp}", if network { NETWORK_CSP } else { "" })
            .into_bytes()
    };
    let script = if network {
        include_str!("../../../templates/app-network.js")
    } else {
        include_str!("../../../templates/app.js")
    };
    let schema = contracts::schema("app-manifest").unwrap_or_default();
    Ok(vec![
        (manifest::FILE_NAME, fill(include_str!("../../../templates/svc-app.json"))),
        (".svc/app-manifest.schema.json", schema),
        (
            manifest::IGNORE_FILE_NAME,
            b"# Patterns of files that stay out of the package, as in .gitignore.\n.svc/\nsvc-registry/\n".to_vec(),
        ),
        ("dist/index.html", fill(include_str!("../../../templates/index.html"))),
        ("dist/app.js", fill(script)),
        ("dist/style.css", fill(include_str!("../../../templates/style.css"))),
        ("assets/icon.png", include_bytes!("../../../templates/icon.png").to_vec()),
        ("README.md", fill(include_str!("../../../templates/README.md"))),
        ("LICENSE", fill(include_str!("../../../templates/LICENSE"))),
    ])
}

/// The last part of the id and the name for people, both from the folder's name.
fn names(folder: &Path) -> Result<(String, String), Failure> {
    let whole = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
    let name = whole.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let words: Vec<&str> =
        name.split(|character: char| !character.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let slug = words.join("-");
    let title: Vec<String> = words.iter().map(|word| capitalised(word)).collect();
    let title = title.join(" ");
    let spelled = name.chars().all(|character| character.is_ascii() || !character.is_alphanumeric());
    let usable =
        spelled && PackageId::parse(&format!("dev.example.{slug}")).is_some() && DisplayName::parse(&title).is_some();
    if usable {
        return Ok((slug, title));
    }
    Err(Failure::usage(
        "the name of the folder must give a package id, and holds no letter or digit",
        "give a name of lowercase letters, digits and hyphens, such as weather-board",
    ))
}

fn capitalised(word: &str) -> String {
    let mut characters = word.chars();
    let first = characters.next().map(|initial| initial.to_ascii_uppercase());
    first.into_iter().chain(characters).collect()
}
