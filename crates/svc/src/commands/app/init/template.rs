//! The files of a new package, from a template.

use std::path::Path;

use svc_cli::failure::Failure;
use svc_core::{
    contract::contracts,
    manifest::{self, scalars::DisplayName},
    scalar::ident::PackageId,
};

use super::place::{IGNORE_LINES, NewFile, SCHEMA_FILE};

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

/// Every file of a new package, its names from the folder's.
pub(super) fn scaffold(folder: &Path, template: &str) -> Result<Vec<NewFile>, Failure> {
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
        include_str!("../../../../templates/app-network.js")
    } else {
        include_str!("../../../../templates/app.js")
    };
    let schema = contracts::schema("app-manifest").unwrap_or_default();
    Ok(vec![
        (manifest::FILE_NAME, fill(include_str!("../../../../templates/svc-app.json"))),
        (SCHEMA_FILE, schema),
        (manifest::IGNORE_FILE_NAME, IGNORE_LINES.as_bytes().to_vec()),
        ("dist/index.html", fill(include_str!("../../../../templates/index.html"))),
        ("dist/app.js", fill(script)),
        ("dist/style.css", fill(include_str!("../../../../templates/style.css"))),
        ("assets/icon.png", include_bytes!("../../../../templates/icon.png").to_vec()),
        ("README.md", fill(include_str!("../../../../templates/README.md"))),
        ("LICENSE", fill(include_str!("../../../../templates/LICENSE"))),
    ])
}

/// The last part of the id and the name for people, both from the folder's name.
fn names(folder: &Path) -> Result<(String, String), Failure> {
    let name = folder_name(folder).to_lowercase();
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

/// A word with a capital first letter.
pub(super) fn capitalised(word: &str) -> String {
    let mut characters = word.chars();
    let first = characters.next().map(|initial| initial.to_ascii_uppercase());
    first.into_iter().chain(characters).collect()
}

/// The name of a folder, also of one that is given as `.`.
pub(super) fn folder_name(folder: &Path) -> String {
    let whole = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
    whole.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
