//! `svc verify local`: holds the committed contracts, and this build's routes in-process, to what is declared.

use std::{fs, io, path::Path};

use clap::{ArgMatches, Command};
use svc_cli::{
    arguments,
    failure::Failure,
    files::{document::read_document, read::Input},
};
use svc_core::{verification::Mode, words::exit_code::ExitCode};
use svc_verify::local::{self, Contracts};

use super::criteria;
use crate::output::show::CommandOutput;

/// The most that is read of a committed contract.
const CONTRACT_BYTES: u64 = 16 * 1024 * 1024;

pub(super) fn command() -> Command {
    Command::new("local")
        .about("Before a deployment: the committed contracts, and the six routes of this build in-process")
        .arg(
            arguments::path("contracts", "DIR")
                .long("contracts")
                .help("The folder of the committed contracts [default: contracts]"),
        )
}

pub(super) fn run(arguments: &ArgMatches, tell: bool) -> Result<CommandOutput, Failure> {
    let folder = arguments::given_path(arguments, "contracts").unwrap_or_else(|| "contracts".into());
    let mut contracts = Contracts::new();
    read_contracts(&folder, "", &mut contracts)?;
    if tell {
        criteria::print(Mode::Local);
    }
    let verification = local::verify(&contracts, &folder.to_string_lossy()).map_err(|error| criteria::bug(&error))?;
    Ok(CommandOutput::Verification(Box::new(verification)))
}

/// Everything in the folder but its README, and in the folder of the schemas.
fn read_contracts(folder: &Path, below: &str, contracts: &mut Contracts) -> Result<(), Failure> {
    let failed = |error: &io::Error| Failure {
        exit: ExitCode::InputOutput,
        message: format!("{}: {error}", folder.to_string_lossy()),
        help: Some("run it at the root of a checkout, or give --contracts DIR".to_owned()),
    };
    for entry in fs::read_dir(folder).map_err(|error| failed(&error))? {
        let entry = entry.map_err(|error| failed(&error))?;
        let name = format!("{below}{}", entry.file_name().to_string_lossy());
        let path = entry.path();
        if path.is_dir() && name == "schemas" {
            read_contracts(&path, "schemas/", contracts)?;
        } else if path.is_dir() {
            contracts.insert(name + "/", Vec::new());
        } else if name != "README.md" {
            let bytes = read_document(&Input::Path(path.clone()), CONTRACT_BYTES);
            contracts.insert(name, bytes.map_err(|error| Failure::reading(&path.to_string_lossy(), &error))?);
        }
    }
    Ok(())
}
