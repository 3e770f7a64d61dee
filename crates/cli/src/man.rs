//! The command `man`: pages for `man`, made from the command line itself.

use std::{fs, io};

use clap::{ArgMatches, Command};
use svc_core::words::exit_code::ExitCode;

use crate::{arguments, failure::Failure, output::escape::Safe};

pub fn command() -> Command {
    Command::new("man").about("Print the man page, or write all of them into a folder").arg(
        arguments::path("folder", "DIR")
            .help("A folder for a page of each command; without it, the page of the program is printed"),
    )
}

pub fn run(arguments: &ArgMatches, whole: Command) -> Result<String, Failure> {
    let failed = |error: io::Error| Failure {
        exit: ExitCode::InputOutput,
        message: format!("the man pages cannot be written: {error}"),
        help: Some("give a folder that you may write to".to_owned()),
    };
    match arguments::given_path(arguments, "folder") {
        Some(folder) => {
            fs::create_dir_all(&folder).map_err(failed)?;
            clap_mangen::generate_to(whole, &folder).map_err(failed)?;
            Ok(format!("man pages written to {}\n", Safe(&folder.to_string_lossy())))
        }
        None => {
            let mut page = Vec::new();
            clap_mangen::Man::new(whole).render(&mut page).map_err(failed)?;
            Ok(String::from_utf8_lossy(&page).into_owned())
        }
    }
}
