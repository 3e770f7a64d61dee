//! Sockets that a service manager opened before it started this process: `LISTEN_FDS` of systemd.
//!
//! They are told apart by the names `public` and `admin`, or, where they have other names, by their order.

use std::net::{SocketAddr, TcpListener};

use svc_cli::failure::Failure;
use svc_server::config::{Given, SettingOrigin};

const HELP: &str = "give one socket unit with one or two ListenStream= of an IP address and a port, or two units with \
    FileDescriptorName=public and FileDescriptorName=admin; Accept= must be `no`";

/// The sockets, each with the address that it has.
#[derive(Debug, Default)]
pub(super) struct Sockets {
    pub(super) public: Option<(TcpListener, SocketAddr)>,
    pub(super) admin: Option<(TcpListener, SocketAddr)>,
}

/// Where the sockets listen that there are.
#[derive(Clone, Copy, Debug)]
pub(super) struct SocketAddresses {
    public: Option<SocketAddr>,
    admin: Option<SocketAddr>,
}

/// What a socket is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    Public,
    Admin,
}

impl Sockets {
    /// Takes the sockets that are meant for this process; none when there are none.
    #[cfg(unix)]
    pub(super) fn from_environment() -> Result<Self, Failure> {
        let variable = |name: &str| std::env::var(name).unwrap_or_default();
        // Variables of a parent that went on to its children are not meant for them.
        if variable("LISTEN_PID").parse() != Ok(std::process::id()) {
            return Ok(Self::default());
        }
        let purposes = purposes(&variable("LISTEN_FDS"), &variable("LISTEN_FDNAMES"))?;
        let mut given = listenfd::ListenFd::from_env();
        let mut sockets = Self::default();
        for (at, purpose) in purposes.into_iter().enumerate() {
            let socket = listening(given.take_tcp_listener(at)).map_err(|why| {
                Failure::usage(format!("socket {} of the service manager cannot be used: {why}", at + 1), HELP)
            })?;
            match purpose {
                Purpose::Public => sockets.public = Some(socket),
                Purpose::Admin => sockets.admin = Some(socket),
            }
        }
        Ok(sockets)
    }

    #[cfg(not(unix))]
    pub(super) fn from_environment() -> Result<Self, Failure> {
        Ok(Self::default())
    }

    pub(super) fn addresses(&self) -> SocketAddresses {
        let of = |socket: &Option<(TcpListener, SocketAddr)>| socket.as_ref().map(|(_, address)| *address);
        SocketAddresses { public: of(&self.public), admin: of(&self.admin) }
    }
}

impl SocketAddresses {
    /// What the settings say of the addresses: those that the sockets have. So all rules hold for these.
    pub(super) fn add_to(self, given: &mut Given) {
        for (name, address) in [("bind", self.public), ("admin-bind", self.admin)] {
            if let Some(address) = address {
                given.set(name, address.to_string(), SettingOrigin::Socket);
            }
        }
    }
}

/// What each socket is for, by its name or its place.
fn purposes(count: &str, names: &str) -> Result<Vec<Purpose>, Failure> {
    let refused = |why: String| Err(Failure::usage(why, HELP));
    let count = match count.parse::<usize>() {
        Ok(count @ 1..=2) => count,
        Ok(0) => return Ok(Vec::new()),
        _ => {
            return refused(
                "the service manager must give one or two sockets (LISTEN_FDS), and gives others".to_owned(),
            );
        }
    };
    let names: Vec<&str> = names.split(':').collect();
    let named: Vec<Option<Purpose>> = (0..count)
        .map(|at| match names.get(at) {
            Some(&"public") => Some(Purpose::Public),
            Some(&"admin") => Some(Purpose::Admin),
            Some(_) | None => None,
        })
        .collect();
    match named.as_slice() {
        [Some(one)] => Ok(vec![*one]),
        [Some(one), Some(other)] if one != other => Ok(vec![*one, *other]),
        [None] => Ok(vec![Purpose::Public]),
        [None, None] => Ok(vec![Purpose::Public, Purpose::Admin]),
        _ => refused(
            "two sockets of the service manager must be named `public` and `admin` (LISTEN_FDNAMES), or neither"
                .to_owned(),
        ),
    }
}

/// A socket of TCP that waits for connections, and where it does.
#[cfg(unix)]
fn listening(taken: std::io::Result<Option<TcpListener>>) -> Result<(TcpListener, SocketAddr), String> {
    use rustix::net::sockopt::socket_acceptconn;

    let listener = taken.ok().flatten().ok_or("it is not a socket of TCP")?;
    if !socket_acceptconn(&listener).unwrap_or(false) {
        return Err("it does not listen".to_owned());
    }
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    Ok((listener, address))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sockets_are_known_by_their_names_or_by_their_order_and_never_by_both() {
        use Purpose::{Admin, Public};

        for (count, names, meant) in [
            ("1", "", Some(vec![Public])),
            ("1", "svc-registry.socket", Some(vec![Public])),
            ("1", "admin", Some(vec![Admin])),
            ("2", "", Some(vec![Public, Admin])),
            ("2", "unit.socket:unit.socket", Some(vec![Public, Admin])),
            ("2", "admin:public", Some(vec![Admin, Public])),
            ("2", "public:public", None),
            ("2", "public:other", None),
            ("2", "other:admin", None),
            ("2", "public", None),
            ("3", "public:admin:public", None),
            ("99999999", "", None),
            ("-1", "", None),
            ("two", "", None),
            ("0", "", Some(vec![])),
        ] {
            assert_eq!(purposes(count, names).ok(), meant, "{count} {names}");
        }
    }
}
