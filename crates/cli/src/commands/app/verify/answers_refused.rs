//! Kept answers in a build without the feature `server`: it cannot check them, so it refuses a bundle that has any.

use std::path::PathBuf;

use clap::{Arg, ArgMatches};
use svc_core::{bundle::Files, diagnostics::ScopePart};

use crate::{failure::Failure, files::folder_swap::answers_beside, report::RunReport, scope::Why};

pub(super) fn arguments() -> [Arg; 0] {
    []
}

pub(super) struct AnswerCheck;

impl AnswerCheck {
    pub(super) fn given(_: &ArgMatches) -> Result<Self, Failure> {
        Ok(Self)
    }

    pub(super) fn check(&self, report: &mut RunReport, bundles: &[(PathBuf, Files)]) -> Result<(), Failure> {
        report.scope.skip(ScopePart::KeptAnswers, Why::NoneKept);
        let folders = bundles.iter().filter_map(|(folder, _)| answers_beside(folder));
        let kept = folders.into_iter().find(|kept| kept.symlink_metadata().is_ok());
        kept.map_or(Ok(()), |kept| {
            Err(Failure::usage(
                format!("{}: registry answers are kept here, and this build cannot check them", kept.to_string_lossy()),
                "run `svc app verify` of a build with the feature `server` (`cargo build -p svc`), or move the answers \
                 elsewhere to check the bundle alone",
            ))
        })
    }
}
