//! The two programs that the project ships, and how they are built.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::Result;

use crate::process::{command, run, target};

/// A program that is shipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// `svc`, for authors, reviewers and auditors.
    Svc,
    /// `svc-registry`, for operators.
    Registry,
}

impl Program {
    pub const ALL: [Self; 2] = [Self::Svc, Self::Registry];

    /// What it and its package are called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Svc => "svc",
            Self::Registry => "svc-registry",
        }
    }

    /// Its file name on this system.
    pub fn file(self) -> String {
        format!("{}{}", self.name(), std::env::consts::EXE_SUFFIX)
    }

    /// The features beyond the defaults that it is released with.
    pub fn release_features(self) -> &'static [&'static str] {
        match self {
            Self::Svc => &[],
            Self::Registry => &["jemalloc"],
        }
    }

    /// What builds it as it is released.
    pub fn build_release(self) -> Command {
        let mut cargo = command("cargo", &["build", "--release", "--locked", "--quiet", "--package", self.name()]);
        cargo.args(["--features", &self.release_features().join(",")]);
        cargo
    }
}

/// Where both programs are.
#[derive(Clone, Debug)]
pub struct Programs {
    pub svc: PathBuf,
    pub registry: PathBuf,
}

impl Programs {
    /// Both in one folder.
    pub fn in_folder(folder: &Path) -> Self {
        Self { svc: folder.join(Program::Svc.file()), registry: folder.join(Program::Registry.file()) }
    }

    /// Builds both as the tests of the workspace use them: selected by their packages, they would have features of their own,
    /// and be built again.
    pub fn build() -> Result<Self> {
        run(command(
            "cargo",
            &["build", "--quiet", "--locked", "--profile", "test", "--bin", "svc", "--bin", "svc-registry"],
        ))?;
        Ok(Self::in_folder(&target().join("debug").canonicalize()?))
    }

    /// Builds each with the features of its package alone, as it is handed on: without what only tests use.
    pub fn build_packaged() -> Result<Self> {
        for program in Program::ALL {
            run(command("cargo", &["build", "--quiet", "--locked", "--profile", "test", "--package", program.name()]))?;
        }
        Ok(Self::in_folder(&target().join("debug").canonicalize()?))
    }

    pub fn all(&self) -> [(Program, &Path); 2] {
        [(Program::Svc, &self.svc), (Program::Registry, &self.registry)]
    }
}
