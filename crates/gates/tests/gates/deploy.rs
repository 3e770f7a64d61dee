//! The gate `deploy`: what `deploy/` ships, tried as an operator uses it.
//!
//! Absent on purpose: a container engine and a running systemd. Neither is to be had everywhere; what is tried instead says
//! so in the guide.

mod changed_root;
mod http;
mod image_reader;
mod load;
mod nodes;
pub(crate) mod operations;
mod pods;
mod refusals;
mod restarts;
mod unit_restarts;
mod units;
mod unpacked;

use std::fs;

use anyhow::Result;

use self::nodes::Nodes;
use crate::shipped::shipped;
use svc_gates::{
    journal_database,
    nginx::{Nginx, Site},
    process::target,
    programs::Programs,
};

/// Tries everything.
pub(crate) fn check() -> Result<()> {
    let folder = target().join("xtask/deploy");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder)?;
    journal_database::provide()?;
    let programs = Programs::build()?;
    say("units for systemd", &units::check(&programs.registry, &folder)?);
    say("the service by its unit", &unit_restarts::check(&programs.registry, &folder)?);
    let image = shipped()?.image;
    say("the image", &image_reader::inspected(&image, &folder)?);
    say("the image in a changed root", &changed_root::runs(&programs.svc, &image, &folder)?);
    say("the manifests for Kubernetes", &pods::check(&programs.registry, &image, &folder)?);
    let nginx = Nginx::provide(&folder.join("nginx"))?;
    let mut nodes = Nodes::start(&programs.registry, &folder)?;
    say("two nodes behind nginx, refusals of nginx", &refusals::all_closed(&nginx, &nodes.addresses())?);
    let site = Site::shipped()?.plain()?;
    let proxy = nginx.start(&site, &nodes.addresses())?;
    say("two nodes behind nginx, stopped and killed", &restarts::unnoticed(&mut nodes, &proxy)?);
    drop(proxy);
    let alone = site.with("error timeout http_503 non_idempotent;", "off;")?;
    let proxy = nginx.start(&alone, &nodes.addresses())?;
    say("the same, where nginx asks one node only", &restarts::noticed(&mut nodes, &proxy)?);
    drop((proxy, nodes));
    say("what operators do under load", &operations::cheap(&programs.registry, &nginx, &folder)?);
    Ok(())
}

fn say(what: &str, found: &str) {
    println!("  {what}: {found}");
}
