//! The commands of `svc-registry`, each in the file of its name. A command that has commands below it has a folder of the same
//! name.

pub(crate) mod events;
pub(crate) mod journal;
pub(crate) mod serve;
mod shutdown;
pub(crate) mod token;
pub(crate) mod witness;
