//! What the service manager is told: that the service is ready, reads its settings again, stops, and lives. The protocol is
//! that of `sd_notify`: a datagram of lines to the socket in `NOTIFY_SOCKET`.
//!
//! Nobody waits for the manager: what it does not take at once is lost.

use std::time::Duration;

/// The manager that started this process, if it wants to be told.
#[derive(Debug, Default)]
pub(super) struct ServiceManager {
    #[cfg(unix)]
    socket: Option<(std::os::unix::net::UnixDatagram, std::os::unix::net::SocketAddr)>,
}

#[cfg(unix)]
impl ServiceManager {
    /// Finds the socket; one that cannot be used is told in the log, and nothing else depends on it.
    pub(super) fn from_environment() -> Self {
        let Some(name) = std::env::var_os("NOTIFY_SOCKET") else { return Self::default() };
        match connect(name.as_encoded_bytes()) {
            Ok(socket) => Self { socket: Some(socket) },
            Err(error) => {
                let detail = format!("NOTIFY_SOCKET={}: {error}", name.to_string_lossy());
                svc_server::log::note("the service manager cannot be told anything", &detail);
                Self::default()
            }
        }
    }

    fn send(&self, lines: &str) {
        if let Some((socket, address)) = &self.socket {
            let _ = socket.send_to_addr(lines.as_bytes(), address);
        }
    }

    /// Since when the system runs, which tells the manager which of several reloads this is.
    fn monotonic_micros() -> u64 {
        let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
        let seconds = u64::try_from(now.tv_sec).unwrap_or_default();
        let nanos = u64::try_from(now.tv_nsec).unwrap_or_default();
        seconds.saturating_mul(1_000_000).saturating_add(nanos / 1000)
    }
}

#[cfg(not(unix))]
impl ServiceManager {
    pub(super) fn from_environment() -> Self {
        Self::default()
    }

    fn send(&self, _: &str) {}

    fn monotonic_micros() -> u64 {
        0
    }
}

impl ServiceManager {
    /// It takes requests.
    pub(super) fn ready(&self, status: &str) {
        self.send(&format!("READY=1\nSTATUS={}", one_line(status)));
    }

    /// It reads its settings again; [`ServiceManager::ready`] ends this.
    pub(super) fn reloading(&self) {
        self.send(&format!(
            "RELOADING=1\nMONOTONIC_USEC={}\nSTATUS=reading the settings again",
            Self::monotonic_micros()
        ));
    }

    /// It was told to stop.
    pub(super) fn stopping(&self) {
        self.send("STOPPING=1\nSTATUS=answering those who were let in");
    }

    /// Its threads get to run.
    pub(super) fn alive(&self) {
        self.send("WATCHDOG=1");
    }
}

/// How often the manager wants to hear that the service lives, so that one message may get lost: a third of the time after
/// which it gives up. Nothing when it does not want to, or wants to hear it of another process.
pub(super) fn watchdog_interval(variable: impl Fn(&str) -> Option<String>) -> Option<Duration> {
    let process = std::process::id().to_string();
    if variable("WATCHDOG_PID").is_some_and(|meant| meant != process) {
        return None;
    }
    let micros = variable("WATCHDOG_USEC")?.parse::<u64>().ok().filter(|micros| *micros > 0)?;
    Some(Duration::from_micros(micros / 3).max(Duration::from_millis(10)))
}

fn one_line(text: &str) -> String {
    text.lines().collect::<Vec<_>>().join("; ")
}

/// A path, or a name of Linux's abstract space after `@`.
#[cfg(unix)]
fn connect(name: &[u8]) -> std::io::Result<(std::os::unix::net::UnixDatagram, std::os::unix::net::SocketAddr)> {
    use std::{
        ffi::OsStr,
        io,
        os::unix::{
            ffi::OsStrExt as _,
            net::{SocketAddr, UnixDatagram},
        },
    };

    let address = match name {
        [b'/', ..] => SocketAddr::from_pathname(OsStr::from_bytes(name))?,
        #[cfg(target_os = "linux")]
        [b'@', rest @ ..] => <SocketAddr as std::os::linux::net::SocketAddrExt>::from_abstract_name(rest)?,
        _ => return Err(io::Error::other("it must be an absolute path, or begin with `@`")),
    };
    let socket = UnixDatagram::unbound()?;
    socket.set_nonblocking(true)?;
    Ok((socket, address))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_watchdog_is_for_one_process_and_has_a_time() {
        let of = |pairs: &[(&str, &str)]| {
            let pairs: Vec<(String, String)> =
                pairs.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
            watchdog_interval(|name| pairs.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone()))
        };
        let own = std::process::id().to_string();
        assert_eq!(of(&[("WATCHDOG_USEC", "30000000")]), Some(Duration::from_secs(10)));
        assert_eq!(of(&[("WATCHDOG_USEC", "3000000"), ("WATCHDOG_PID", &own)]), Some(Duration::from_secs(1)));
        assert_eq!(of(&[("WATCHDOG_USEC", "1")]), Some(Duration::from_millis(10)));
        for other in [
            &[][..],
            &[("WATCHDOG_USEC", "0")],
            &[("WATCHDOG_USEC", "x")],
            &[("WATCHDOG_USEC", "9"), ("WATCHDOG_PID", "1")],
        ] {
            assert_eq!(of(other), None, "{other:?}");
        }
    }
}
