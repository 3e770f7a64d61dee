//! The thirteen commands as rows: what each reads and makes.

use std::path::PathBuf;

use svc_core::words::kind::{self, ArtifactSpec, Source};

use crate::bundle::{Bundle, example};

/// One of the thirteen.
#[derive(Clone, Copy)]
pub(crate) struct Command {
    pub(crate) name: &'static str,
    /// What it reads; nothing stands for a manifest.
    pub(crate) reads: Option<&'static ArtifactSpec>,
    /// What it makes, if it does not only judge.
    pub(crate) makes: Option<&'static ArtifactSpec>,
}

impl Command {
    /// A good input in a bundle's folder or, for a manifest, in the example.
    pub(crate) fn good_input(&self, bundle: &Bundle) -> PathBuf {
        match self.reads {
            Some(spec) => bundle.path(spec),
            None => example("weather-board").join("svc-app.json"),
        }
    }
}

/// All, in the order of the specification.
pub(crate) fn thirteen() -> Vec<Command> {
    let mut rows: Vec<(u8, Command)> = kind::ALL.iter().map(|spec| (spec.make.order, making(spec))).collect();
    rows.extend(kind::ALL.iter().filter_map(|spec| {
        let check = spec.check?;
        Some((check.order, Command { name: check.name, reads: Some(spec), makes: None }))
    }));
    rows.sort_by_key(|(order, _)| *order);
    assert_eq!(rows.len(), 13);
    rows.into_iter().map(|(_, command)| command).collect()
}

/// The seven that make something.
pub(crate) fn makers() -> Vec<Command> {
    thirteen().into_iter().filter(|command| command.makes.is_some()).collect()
}

fn making(spec: &'static ArtifactSpec) -> Command {
    let reads = match spec.source {
        Source::Package => None,
        Source::Submissions => Some(&svc_core::words::kind::SUBMISSION),
        Source::Artifact { parent, .. } => Some(parent),
    };
    Command { name: spec.make.name, reads, makes: Some(spec) }
}

/// The command that judges a kind: its own, or the one for all kinds.
pub(crate) fn judge(spec: &ArtifactSpec) -> &'static str {
    spec.check.map_or("validate", |check| check.name)
}
