//! From a verification to the streams and files its scorecard goes to.

use svc_cli::{
    failure::Failure,
    files::write::write_atomic,
    output::{
        format::{Format, Target, of_terminal},
        stream::{self, TerminalStyle},
    },
};
use svc_core::words::exit_code::ExitCode;
use svc_verify::check::Verification;

use super::{github, verification};

/// SARIF points at places in files; a verification speaks of answers.
const NO_SARIF: &str = "`--format` must not be `sarif` here: a verification has no SARIF form";

/// Shows a scorecard everywhere it is wanted.
pub(crate) fn output(verified: &Verification, targets: &[Target], style: TerminalStyle) -> Result<ExitCode, Failure> {
    let exit = verified.exit_code();
    for target in targets {
        if let Some(file) = &target.file {
            let written = write_atomic(file, &verified_words(verified, target.format)?);
            written.map_err(|error| Failure::writing(&file.to_string_lossy(), &error).beside(exit))?;
        }
    }
    if targets.iter().any(|target| target.format == Format::Github) {
        github::append_step_summary(&verification::summary(verified));
    }
    let format = of_terminal(targets);
    let shown = if format == Format::Human {
        stream::status(&verification::faults(verified));
        if style.quiet { Vec::new() } else { verification::scorecard(verified).into_bytes() }
    } else {
        verified_words(verified, format)?
    };
    stream::result(&shown).map_err(|failure| failure.beside(exit))?;
    Ok(exit)
}

fn verified_words(verified: &Verification, format: Format) -> Result<Vec<u8>, Failure> {
    Ok(match format {
        Format::Human => (verification::faults(verified) + &verification::scorecard(verified)).into_bytes(),
        Format::Concise => verification::concise(verified).into_bytes(),
        Format::Json => verification::json(verified),
        Format::Junit => verification::junit(verified).into_bytes(),
        Format::Github => verification::annotations(verified).into_bytes(),
        Format::Sarif => return Err(Failure::usage(NO_SARIF, "use human, concise, json, junit or github")),
    })
}
