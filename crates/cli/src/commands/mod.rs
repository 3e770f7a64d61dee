//! The commands of `svc`, each in the file of its name. A command that has commands below it has a folder of the same name.

pub(crate) mod app;
pub(crate) mod completions;
pub(crate) mod contract;
#[cfg(feature = "server")]
pub(crate) mod events;
pub(crate) mod explain;
#[cfg(feature = "server")]
pub(crate) mod journal;
#[cfg(not(feature = "server"))]
pub(crate) mod left_out;
pub(crate) mod lifecycle;
pub(crate) mod man;
pub(crate) mod schema;
#[cfg(feature = "server")]
pub(crate) mod serve;
#[cfg(feature = "server")]
pub(crate) mod server;
#[cfg(feature = "server")]
mod shutdown;
#[cfg(feature = "server")]
pub(crate) mod token;
#[cfg(feature = "server")]
pub(crate) mod verify;
#[cfg(feature = "server")]
pub(crate) mod witness;
