//! `svc completions` and `svc man`: files for shells and for man.

use std::{fs, path::Path};

use clap::{Command, ValueEnum as _};
use clap_complete::Shell;
use svc_core::exit_code::ExitCode;

use crate::failure::Failure;

/// The completion script of a shell.
pub(crate) fn completions(shell: &str, mut command: Command) -> Result<String, Failure> {
    let shell = Shell::from_str(shell, true).map_err(|_| {
        Failure::usage(format!("there are no completions for `{shell}`"), "one of: bash, elvish, fish, powershell, zsh")
    })?;
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "svc", &mut script);
    Ok(String::from_utf8_lossy(&script).into_owned())
}

/// Writes a man page for every command, or gives the main one.
pub(crate) fn man(folder: Option<&Path>, command: Command) -> Result<String, Failure> {
    let failed = |error: std::io::Error| Failure {
        exit: ExitCode::InputOutput,
        message: format!("man pages: {error}"),
        help: None,
    };
    match folder {
        Some(folder) => {
            fs::create_dir_all(folder).map_err(failed)?;
            clap_mangen::generate_to(command, folder).map_err(failed)?;
            Ok(format!("man pages written to {}\n", crate::output::escape::Safe(&folder.to_string_lossy())))
        }
        None => {
            let mut page = Vec::new();
            clap_mangen::Man::new(command).render(&mut page).map_err(failed)?;
            Ok(String::from_utf8_lossy(&page).into_owned())
        }
    }
}
