//! The commands of `svc`, each in the file of its name. A command that has commands below it has a folder of the same name.

pub(crate) mod app;
pub(crate) mod completions;
pub(crate) mod contract;
pub(crate) mod explain;
pub(crate) mod journal;
pub(crate) mod lifecycle;
pub(crate) mod man;
pub(crate) mod schema;
pub(crate) mod serve;
pub(crate) mod token;
pub(crate) mod verify;
