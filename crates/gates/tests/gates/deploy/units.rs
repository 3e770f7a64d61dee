//! The units for systemd, read by systemd's own tools. No systemd has to run: they look into a root made for them.

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result, ensure};

use svc_gates::{
    debian,
    process::{command, root, run},
};

/// The highest exposure that `systemd-analyze security` may find, in tenths: it gave 1.2 of 10, and calls all below 2 OK.
const MOST_EXPOSED: &str = "15";

/// A fault for each tool, to see that it finds one: what stands in the unit, and what instead.
const FAULTS: [(&str, &str); 2] = [("ProtectHome=yes", "ProtectHomes=yes"), ("NoNewPrivileges=yes", "User=root")];

/// Checks every unit that is shipped.
pub(crate) fn check(registry: &Path, folder: &Path) -> Result<String> {
    let tool = debian::require("systemd", || debian::on_path("systemd-analyze"))?;
    let machine = Machine::make(tool, registry, &folder.join("systemd"))?;
    let shipped = shipped()?;
    for unit in &shipped {
        fs::copy(unit, machine.units().join(name(unit)?))?;
    }
    for unit in &shipped {
        machine.is_understood(&name(unit)?)?;
        if unit.extension().is_some_and(|end| end == "service") {
            ensure!(machine.is_narrow(&name(unit)?)?, "{} is exposed more than {MOST_EXPOSED}", unit.display());
        }
    }
    finds_faults(&machine)?;
    Ok(format!("{} understood by systemd-analyze without a word, exposure below {MOST_EXPOSED} of 100", shipped.len()))
}

fn shipped() -> Result<Vec<PathBuf>> {
    let all = fs::read_dir(root().join("deploy"))?.flatten().map(|entry| entry.path());
    let ends = |path: &PathBuf| path.extension().is_some_and(|end| end == "service" || end == "socket");
    let mut units: Vec<PathBuf> = all.filter(ends).collect();
    units.sort();
    ensure!(!units.is_empty(), "there are no units");
    Ok(units)
}

fn finds_faults(machine: &Machine) -> Result<()> {
    let text = fs::read_to_string(root().join("deploy/svc-registry.service"))?;
    let [misspelt, open] = FAULTS.map(|(good, bad)| {
        ensure!(text.contains(good), "the unit has no `{good}`");
        Ok(text.replacen(good, bad, 1))
    });
    fs::write(machine.units().join("faulty.service"), misspelt?)?;
    ensure!(machine.is_understood("faulty.service").is_err(), "systemd-analyze takes a setting that does not exist");
    let open = open?.replace("DynamicUser=yes\n", "").replace("CapabilityBoundingSet=\n", "");
    fs::write(machine.units().join("faulty.service"), open)?;
    ensure!(!machine.is_narrow("faulty.service")?, "systemd-analyze finds a service of root as narrow");
    Ok(())
}

/// A root with systemd's own units and the program.
struct Machine {
    tool: PathBuf,
    root: PathBuf,
}

impl Machine {
    fn make(tool: PathBuf, registry: &Path, folder: &Path) -> Result<Self> {
        fs::create_dir_all(folder.join("etc/systemd/system"))?;
        fs::create_dir_all(folder.join("usr/lib/systemd"))?;
        fs::create_dir_all(folder.join("usr/local/bin"))?;
        symlink("usr/lib", folder.join("lib"))?;
        fs::create_dir_all(folder.join("usr/bin"))?;
        fs::copy(registry, folder.join("usr/local/bin/svc-registry"))?;
        fs::copy("/usr/bin/kill", folder.join("usr/bin/kill")).context("/usr/bin/kill")?;
        let mut copy = command("cp", &["--recursive", "/usr/lib/systemd/system"]);
        copy.arg(folder.join("usr/lib/systemd"));
        run(copy)?;
        Ok(Self { tool, root: folder.canonicalize()? })
    }

    fn units(&self) -> PathBuf {
        self.root.join("etc/systemd/system")
    }

    fn analyze(&self, arguments: &[&str]) -> Result<(bool, String)> {
        let mut analyze = Command::new(&self.tool);
        analyze.args(arguments).arg("--root").arg(&self.root).env("LC_ALL", "C");
        let output = analyze.output().context("systemd-analyze")?;
        Ok((output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned()))
    }

    /// What it does not understand it tells, and ends well.
    fn is_understood(&self, unit: &str) -> Result<()> {
        let (is_good, told) = self.analyze(&["verify", "--man=no", unit])?;
        ensure!(is_good && told.is_empty(), "systemd-analyze verify {unit}: {told}");
        Ok(())
    }

    fn is_narrow(&self, unit: &str) -> Result<bool> {
        let threshold = format!("--threshold={MOST_EXPOSED}");
        Ok(self.analyze(&["security", "--offline=true", "--no-pager", &threshold, unit])?.0)
    }
}

fn name(unit: &Path) -> Result<String> {
    Ok(unit.file_name().context("no name")?.to_string_lossy().into_owned())
}
