//! The disk of a node that keeps its log in a file fills up, and gets room again. There is no other node.

use std::{
    fs::{self, File},
    io::{ErrorKind, Write as _},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail, ensure};

use super::event::{Event, Stage, address};
use crate::deploy::{load, nodes::Node};
use svc_gates::{
    nginx::Site,
    process::{command, run},
};

/// The whole disk. A node answers while 32 MiB are free.
const DISK: &str = "size=128m";

/// How much is written at once to fill it.
const PIECE: usize = 1024 * 1024;

const PATIENCE: Duration = Duration::from_secs(10);

/// How long it stays full.
const FULL: Duration = Duration::from_secs(2);

pub(crate) fn full(stage: &Stage<'_>) -> Result<Vec<Event>> {
    let disk = Disk::mount(&stage.folder.join("disk"))?;
    let mut node = Node::alone(stage.registry, &disk.0.join("data"), &stage.folder.join("logs"))?;
    node.up()?;
    let proxy = stage.nginx.start(&Site::shipped()?.plain()?, &[&node.address])?;
    let (seen, (longest, restarts)) = load::under_load(address(&proxy)?, &load::requests()?, || {
        let (mut longest, mut restarts) = (Duration::ZERO, 0);
        for _ in 0..stage.times {
            thread::sleep(Duration::from_secs(1));
            disk.fill()?;
            let start = Instant::now();
            while node.is_ready() {
                ensure!(start.elapsed() < PATIENCE, "the node is ready without room");
                thread::sleep(Duration::from_millis(20));
            }
            thread::sleep(FULL);
            disk.make_room()?;
            if let Ok(took) = node.gets_ready(PATIENCE) {
                longest = longest.max(took);
            } else {
                restarts += 1;
                node.stop()?;
                node.up()?;
            }
        }
        Ok((longest, restarts))
    })?;
    let event = Event::unnoticed("times that the disk was full to the last byte", stage.times, seen)
        .told_as("journal-unavailable")
        .note("ms at most from room to ready", usize::try_from(longest.as_millis())?)
        .note("restarts needed", restarts)
        .holds(node.stop())
        .holds(node.log_holds());
    drop(proxy);
    Ok(vec![event])
}

/// A small disk of its own, until it goes out of scope.
struct Disk(PathBuf);

impl Disk {
    fn mount(folder: &Path) -> Result<Self> {
        fs::create_dir_all(folder)?;
        let mut mount = command("mount", &["-t", "tmpfs", "-o", DISK, "tmpfs"]);
        mount.arg(folder);
        run(mount).context("a small disk needs the rights of root")?;
        Ok(Self(folder.to_owned()))
    }

    fn fill(&self) -> Result<()> {
        let mut file = File::create(self.0.join("filler"))?;
        let mut piece = vec![1; PIECE];
        loop {
            match file.write(&piece) {
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::StorageFull && piece.len() == 1 => return Ok(()),
                Err(error) if error.kind() == ErrorKind::StorageFull => piece.truncate(1),
                Err(error) => bail!("the disk cannot be filled: {error}"),
            }
        }
    }

    fn make_room(&self) -> Result<()> {
        Ok(fs::remove_file(self.0.join("filler"))?)
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let mut unmount = command("umount", &["--lazy"]);
        unmount.arg(&self.0);
        let _ = run(unmount);
    }
}
