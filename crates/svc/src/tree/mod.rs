//! The file table of a package: which files the manifest's patterns select, each read once, beneath the root,
//! no link followed.
//!
//! Phases: [`pattern`] compiles the globs, `.svcignore` and the default ignores; [`walk`] goes through the folders by descriptor and
//! lists what is selected; [`hash`] opens each file through the wall in `files::open` and reads it; [`collect`] drives
//! them and gives the table or every [`fault`] of the run. The result depends on the tree alone: not on the
//! order of directory entries, the number of threads, the locale or the user's own ignore files.

pub(crate) mod collect;
pub(crate) mod fault;
pub(crate) mod hash;
pub(crate) mod ignore_file;
pub(crate) mod limits;
pub(crate) mod pattern;
mod reach;
pub(crate) mod walk;
