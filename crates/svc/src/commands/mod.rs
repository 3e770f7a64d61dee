//! The commands of `svc`, each in the file of its name. A command that has commands below it has a folder of the same name.

pub(crate) mod app;
pub(crate) mod contract;
pub(crate) mod explain;
pub(crate) mod lifecycle;
pub(crate) mod log;
pub(crate) mod moved;
pub(crate) mod schema;
pub(crate) mod verify;
