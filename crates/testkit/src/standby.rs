//! Clusters that follow another one, and take its place: what an operator does with `pg_basebackup` and `pg_ctl promote`.

use std::{
    fs, thread,
    time::{Duration, Instant},
};

use super::cluster::Cluster;

/// How a standby names itself to its primary.
const NAME: &str = "standby";

/// Whether a primary answers before its standby has what it commits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replication {
    Synchronous,
    Asynchronous,
}

impl Cluster {
    /// Puts a standby of a primary into this place, instead of whatever was there, and starts it. A synchronous one holds
    /// everything that the primary has answered once this returns.
    pub fn follow(&self, primary: &Self, replication: Replication) {
        let _ = fs::remove_dir_all(self.data());
        primary.forget_standbys();
        let source = format!("host={} user=svc application_name={NAME}", primary.path().display());
        self.tool("pg_basebackup", &["-d", &source, "-R", "-X", "stream", "-c", "fast"]);
        let file = self.data().join("postgresql.conf");
        let settings = format!("unix_socket_directories = '{}'\n", self.path().display());
        fs::write(&file, fs::read_to_string(&file).unwrap() + &settings).unwrap();
        self.up();
        if replication == Replication::Synchronous {
            let names = format!("ALTER SYSTEM SET synchronous_standby_names = '{NAME}'");
            primary.as_superuser(&format!("{names}; SELECT pg_reload_conf()"));
        }
        let wanted = match replication {
            Replication::Synchronous => "sync",
            Replication::Asynchronous => "async",
        };
        let state = "SELECT sync_state FROM pg_stat_replication WHERE state = 'streaming'";
        primary.wait_until("its standby streams", || primary.as_superuser(state).trim() == wanted);
    }

    /// Lets a standby get nothing more from its primary.
    pub fn cut_off(&self) {
        self.as_superuser("ALTER SYSTEM SET primary_conninfo = ''; SELECT pg_reload_conf()");
        let receivers = "SELECT count(*) FROM pg_stat_wal_receiver";
        self.wait_until("its receiver ends", || self.as_superuser(receivers).trim() == "0");
    }

    /// Makes a standby the primary.
    pub fn promote(&self) {
        self.tool("pg_ctl", &["promote", "-w", "-t", "60"]);
    }

    /// What stands in a guide for the commands of an operator: this is the old primary, and `new` its standby.
    pub fn operator_commands(&self, new: &Self) -> [(&'static str, String); 6] {
        let user = self.user.map(|(uid, gid)| format!("setpriv --reuid={uid} --regid={gid} --clear-groups"));
        let user = user.unwrap_or_else(|| "env".to_owned());
        let (place, data) = (self.path().display().to_string(), self.data().display().to_string());
        let pg_ctl = format!("{user} {}/pg_ctl -w -D {data}", self.bin.display());
        [
            ("AS_POSTGRES", user),
            ("POSTGRESQL", self.bin.display().to_string()),
            ("OLD_DATA", data),
            ("NEW_DATA", new.data().display().to_string()),
            // A base backup brings the other's settings along, and with them its socket.
            ("START_OLD", format!("{pg_ctl} start -l {place}/log -o -k{place}")),
            ("STOP_OLD", format!("{pg_ctl} stop -m immediate")),
        ]
    }

    /// Lets a primary go on without the standby that its commits wait for.
    pub fn forget_standbys(&self) {
        self.as_superuser("ALTER SYSTEM RESET synchronous_standby_names; SELECT pg_reload_conf()");
    }

    fn as_superuser(&self, statements: &str) -> String {
        let url = Self::address(&[self], "postgres");
        // Each statement by itself: `ALTER SYSTEM` takes no other beside it.
        statements.split("; ").map(|statement| self.sql(&url, statement)).collect()
    }

    fn wait_until(&self, what: &str, holds: impl Fn() -> bool) {
        let start = Instant::now();
        while !holds() {
            assert!(
                start.elapsed() < Duration::from_secs(60),
                "{}: {what}: not within a minute",
                self.path().display()
            );
            thread::sleep(Duration::from_millis(10));
        }
    }
}
