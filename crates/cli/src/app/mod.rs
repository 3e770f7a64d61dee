//! The commands below `svc app`.

pub(crate) mod check;
pub(crate) mod make;
pub(crate) mod pack;
pub(crate) mod validate;
pub(crate) mod verify;
