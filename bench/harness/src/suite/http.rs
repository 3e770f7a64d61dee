//! (b) HTTP: svc without a journal, with SQLite and with PostgreSQL, beside Node and beside a bare axum.

use std::path::{Path, PathBuf};

use anyhow::Result;
use svc_testkit::cluster::Cluster;

use crate::{
    documents::{self, SIZES},
    load::Load,
    mode::Mode,
    plot::Plot,
    programs::{Programs, Server},
    report::{Bound, Line, Report, Table},
    statistics::Sample,
};

const CLIENTS: u32 = 64;

/// The machine's speed changes from second to second, and goals here are a few in a hundred apart: more rounds than
/// elsewhere, and shorter ones.
const ROUNDS: usize = 3;

/// Everyone who is asked, in the order of the report.
struct Field {
    servers: Vec<(&'static str, Server)>,
    _database: Cluster,
}

const OFF: &str = "svc, journal off";
const SQLITE: &str = "svc, SQLite";
const POSTGRES: &str = "svc, PostgreSQL";
const BARE: &str = "bare axum";
const ONE_NODE: &str = "Node, one process";
const TWO_NODES: &str = "Node, two processes";
const LAX_NODES: &str = "Node, two processes, JSON.parse alone";

impl Field {
    fn start(programs: &Programs, folder: &Path) -> Result<Self> {
        let database = Cluster::start();
        let url = database.database("bench");
        let data = |name: &str| folder.join(name).display().to_string();
        let begin = ["journal", "init", "--first-node", "--journal", &url, "--data-dir", &data("postgres")];
        if !programs.registry(&begin).stdout(std::process::Stdio::null()).status()?.success() {
            anyhow::bail!("the journal in PostgreSQL does not begin");
        }
        let commands = [
            (OFF, programs.serve(&["--journal", "off"])),
            (SQLITE, programs.serve(&["--journal", "sqlite", "--data-dir", &data("sqlite")])),
            (POSTGRES, programs.serve(&["--journal", &url, "--data-dir", &data("postgres")])),
            (BARE, programs.server("fixed")),
            (ONE_NODE, programs.node("server.mjs", &["1"])),
            (TWO_NODES, programs.node("server.mjs", &["2"])),
            (LAX_NODES, programs.node("server.mjs", &["2", "lax"])),
        ];
        let mut servers = Vec::new();
        for (number, (name, command)) in commands.into_iter().enumerate() {
            servers.push((name, Server::start(command, &folder.join(format!("log-{number}")))?));
        }
        Ok(Self { servers, _database: database })
    }
}

pub fn measure(mode: &Mode, programs: &Programs, report: &mut Report) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let field = Field::start(programs, folder.path())?;
    let bodies: Vec<PathBuf> =
        SIZES.iter().map(|(_, files)| documents::write(folder.path(), *files)).collect::<Result<_>>()?;
    let mut samples = vec![vec![Sample::default(); field.servers.len()]; SIZES.len()];
    for _ in 0..ROUNDS * mode.rounds {
        for (body, row) in bodies.iter().zip(&mut samples) {
            for ((_, server), sample) in field.servers.iter().zip(row) {
                let load = Load { url: &server.url, body, clients: CLIENTS, seconds: mode.seconds / 1.5, rate: None };
                sample.push(load.run(&folder.path().join("requests"))?.per_second);
                server.settle();
            }
        }
    }
    for (number, (size, _)) in SIZES.iter().enumerate() {
        let of = |name: &str| {
            let at = field.servers.iter().position(|(there, _)| *there == name).unwrap_or_default();
            &samples[number][at]
        };
        goals(report, size, number, &of);
    }
    describe(report, &field, &samples);
    memory(report, &field);
    Ok(())
}

fn goals<'s>(report: &mut Report, size: &str, number: usize, of: &dyn Fn(&str) -> &'s Sample) {
    let (off, sqlite, node) = (of(OFF), of(SQLITE), of(TWO_NODES));
    let what = format!("journal off over Node with two processes, {size}");
    report.goal("P2", what, Bound::AtLeast([5.0, 6.0, 8.0][number]), off.over(node));
    let what = format!("SQLite journal over Node with two processes and no journal, {size}");
    report.goal("P3", what, Bound::AtLeast([4.0, 5.0, 7.0][number]), sqlite.over(node));
    let share = |part: &Sample| Sample(part.over(off).0.iter().map(|ratio| 1.0 - ratio).collect());
    if number == 0 {
        report.goal("P3", format!("share that PostgreSQL costs, {size}"), Bound::AtMost(0.50), share(of(POSTGRES)));
    }
    let most = [(0, 0.35), (2, 0.10)].into_iter().find(|(place, _)| *place == number);
    if let Some((_, most)) = most {
        report.goal("P3", format!("share that the SQLite journal costs, {size}"), Bound::AtMost(most), share(sqlite));
    }
}

fn describe(report: &mut Report, field: &Field, samples: &[Vec<Sample>]) {
    let mut table = Table {
        title: "(b) HTTP".to_owned(),
        unit: "requests a second",
        about: "Sixty-four connections on the same two cores as the server; every answer is a completed evaluation. Node \
                refuses what svc's reader refuses (a member that appears twice, a number that is not exact, ...); its last \
                row reads as JSON.parse does.",
        lines: Vec::new(),
    };
    let mut lines = Vec::new();
    for (place, (name, _)) in field.servers.iter().enumerate() {
        let bytes = [9_000.0, 65_536.0, 1_048_576.0];
        let points = bytes.into_iter().zip(samples).map(|(bytes, row)| (bytes, row[place].median()));
        lines.push(((*name).to_owned(), points.collect()));
        for ((size, _), row) in SIZES.iter().zip(samples) {
            table.lines.push(Line { name: format!("{size}, {name}"), sample: row[place].clone() });
        }
    }
    report.tables.push(table);
    let title = "Requests a second by size of the body";
    report.plots.push(Plot { name: "throughput", title, across: "bytes of the body", up: "requests a second", lines });
}

fn memory(report: &mut Report, field: &Field) {
    let lines = field
        .servers
        .iter()
        .map(|(name, server)| Line { name: (*name).to_owned(), sample: Sample(vec![server.memory("VmHWM") / 1024.0]) });
    report.tables.push(Table {
        title: "(g) Memory after all of this load".to_owned(),
        unit: "MiB at most",
        about: "The highest mark of resident memory, all processes of a server together.",
        lines: lines.collect(),
    });
}
