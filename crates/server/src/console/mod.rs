//! The console: pages for people beside the API, under `/console`. They hold nothing that the program does not, so they need
//! no token; what they show of the log they ask the API for, as any other client.
//!
//! Absent on purpose: cookies, CORS, queries, and anything that could be taken for an answer of the API.

mod api;
mod dress;
mod file;
mod frame;
mod problems;
mod refused;
mod route;
mod rule_text;
mod rules;
mod site;

pub(crate) use self::{
    dress::dressed,
    route::is_below,
    site::{Console, ConsoleSite},
};
