//! How the service is set up: flags over environment over one file over defaults, and where each value came from.

mod file;
pub mod journal;
pub mod memory;
mod service;
mod settings;
pub mod witness;

pub use self::{
    service::{Config, EventsMode, allowed_receivers},
    settings::{ConfigError, Given, SETTINGS, Setting, SettingOrigin, misspelt_variable},
};
