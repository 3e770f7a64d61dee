//! How long small requests take beside large ones, and at half of what the service can take.

use std::process::Stdio;

use anyhow::Result;

use crate::{
    documents,
    load::{Load, Served},
    mode::Mode,
    programs::{Programs, Server},
    report::{Bound, Line, Report, Table},
    statistics::Sample,
};

const SMALL: usize = 0;
const LARGE: usize = 4_150;

pub fn measure(mode: &Mode, programs: &Programs, report: &mut Report) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let start = |name: &str, command| Server::start(command, &folder.path().join(name));
    let svc = start("svc", programs.serve(&["--journal", "off"]))?;
    let inline = start("inline", programs.server("inline"))?;
    let bare = start("bare", programs.server("fixed"))?;
    let (small, large) = (documents::write(folder.path(), SMALL)?, documents::write(folder.path(), LARGE)?);
    let log = folder.path().join("small");
    let beside = |server: &Server| -> Result<Served> {
        let seconds = 2.0 * mode.seconds;
        let heavy = Load { url: &server.url, body: &large, clients: 2, seconds: seconds + 1.0, rate: None };
        let mut heavy = heavy.command(&folder.path().join("large")).stdout(Stdio::null()).spawn()?;
        let light = Load { url: &server.url, body: &small, clients: 8, seconds, rate: None };
        let served = light.run(&log);
        heavy.kill()?;
        heavy.wait()?;
        server.settle();
        served
    };
    let most = |server: &Server| -> Result<Served> {
        Load { url: &server.url, body: &small, clients: 16, seconds: mode.seconds, rate: None }.run(&log)
    };
    let at = |server: &Server, rate: f64| -> Result<Served> {
        Load { url: &server.url, body: &small, clients: 16, seconds: 2.0 * mode.seconds, rate: Some(rate) }.run(&log)
    };
    let mut samples = [const { Vec::new() }; 6].map(Sample);
    let [ours_beside, inline_beside, ours_served, inline_served, ours_half, bare_half] = &mut samples;
    for _ in 0..mode.rounds {
        let (ours, theirs) = (beside(&svc)?, beside(&inline)?);
        ours_beside.push(ours.p99);
        inline_beside.push(theirs.p99);
        ours_served.push(ours.per_second);
        inline_served.push(theirs.per_second);
        let half = most(&svc)?.per_second / 2.0;
        ours_half.push(at(&svc, half)?.p99);
        bare_half.push(at(&bare, half)?.p99);
    }
    let what = "p99 of small requests beside large ones, over handling them inline";
    report.goal("P8", what, Bound::AtMost(0.5), ours_beside.over(inline_beside));
    let what = "p99 at half of the highest load, over bare axum's at the same rate";
    report.goal("P8", what, Bound::AtMost(3.0), ours_half.over(bare_half));
    let names = [
        "svc, small beside two clients with 1 MiB: p99 in ms",
        "inline, the same: p99 in ms",
        "svc, the same: small requests a second",
        "inline, the same: small requests a second",
        "svc at half of its highest load: p99 in ms",
        "bare axum at that rate: p99 in ms",
    ];
    report.tables.push(Table {
        title: "Small requests beside large ones".to_owned(),
        unit: "value",
        about: "The inline server evaluates with the same code where the request arrives.",
        lines: names.iter().zip(samples).map(|(name, sample)| Line { name: (*name).to_owned(), sample }).collect(),
    });
    Ok(())
}
