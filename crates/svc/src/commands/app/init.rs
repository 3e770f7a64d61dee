//! `svc app init`: a package that passes the preflight at once, or a draft for what is in a folder already.

mod adopt;
mod draft;
mod evidence;
mod gather;
mod icons;
mod names;
mod page;
mod page_search;
mod place;
mod project_folder;
mod source;
mod summary;
mod table;
mod template;
mod texts;

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

use clap::{ArgMatches, Command, parser::ValueSource};
use svc_cli::{
    arguments,
    failure::Failure,
    files::open::Root,
    output::escape::{Safe, shell_word},
};

use place::{NewFile, Place};

const TEMPLATES: &[&str] = &["basic", "network"];

pub(crate) fn command() -> Command {
    Command::new("init")
        .about("Create a package, or draft the manifest of a folder")
        .arg(arguments::path("folder", "DIR").help("The folder [default: the current folder]"))
        .arg(arguments::choice("template", TEMPLATES).default_value("basic").help("What a new package starts from"))
        .arg(
            arguments::path("from", "FILE")
                .long("from")
                .help("The package.json, manifest.json, web app manifest or server.json to start from [default: the one that is there]"),
        )
        .arg(arguments::flag("dry-run", "Print the draft of the manifest, and write nothing"))
        .after_help(
            "A new or empty folder gets a package to start from. A folder with files gets a draft: what its own manifest says, \
             what its code was seen to use, and a list of what only you know. Nothing that is there is changed.",
        )
}

pub(crate) fn run(matches: &ArgMatches) -> Result<String, Failure> {
    let folder = arguments::given_path(matches, "folder").unwrap_or_else(|| PathBuf::from("."));
    let from = arguments::given_path(matches, "from");
    let is_dry = arguments::is_set(matches, "dry-run");
    match place::look(&folder)? {
        Place::InUse(root) => {
            if matches.value_source("template") == Some(ValueSource::CommandLine) {
                let message = format!("{}: `--template` must have a new or empty folder", folder.to_string_lossy());
                return Err(Failure::usage(message, "leave --template out, and the manifest of the folder is drafted"));
            }
            let adopted = adopt::adopt(root, &folder, from.as_deref())?;
            if is_dry {
                return Ok(adopted.manifest);
            }
            let created = write(adopted.source.root(), &folder, &adopted.files)?;
            Ok(format!("{created}{}{}", adopted.summary, next(&folder, "check")))
        }
        Place::Empty => {
            if from.is_some() {
                let message = format!("{}: `--from` must have a folder with files in it", folder.to_string_lossy());
                return Err(Failure::usage(message, "give the folder that the file lies in, and then --from"));
            }
            let files = template::scaffold(&folder, arguments::text(matches, "template").unwrap_or("basic"))?;
            if is_dry {
                let manifest = files.first().map(|(_, bytes)| String::from_utf8_lossy(bytes).into_owned());
                return Ok(manifest.unwrap_or_default());
            }
            let root = place::make(&folder)?;
            Ok(format!("{}{}", write(&root, &folder, &files)?, next(&folder, "app preflight")))
        }
    }
}

/// Writes every file, or none.
fn write(root: &Root, folder: &Path, files: &[NewFile]) -> Result<String, Failure> {
    place::write_all(root, files)
        .map_err(|(path, error)| Failure::writing(&folder.join(path).to_string_lossy(), &error))?;
    let mut told = String::new();
    for (path, _) in files {
        let _ = writeln!(told, "created   {}", Safe(&place::shown(folder, path)));
    }
    Ok(told)
}

fn next(folder: &Path, command: &str) -> String {
    if folder == Path::new(".") {
        return format!("Next      svc {command}\n");
    }
    format!("Next      cd {} && svc {command}\n", shell_word(folder))
}
