//! Looks up hosts.

use std::{
    fmt, io,
    net::{IpAddr, SocketAddr, ToSocketAddrs as _},
    sync::Arc,
};

use crate::{
    deadline::{Deadline, Interruption},
    host::Host,
};

pub trait Resolver: fmt::Debug + Send + Sync {
    /// Every address of a host. Blocks.
    ///
    /// # Errors
    /// When there is no answer.
    fn resolve(&self, host: &str, port: u16) -> io::Result<Vec<IpAddr>>;
}

/// The system's own.
#[derive(Clone, Copy, Debug)]
pub struct SystemResolver;

impl Resolver for SystemResolver {
    fn resolve(&self, host: &str, port: u16) -> io::Result<Vec<IpAddr>> {
        Ok((host, port).to_socket_addrs()?.map(|address| address.ip()).collect())
    }
}

/// Every address of a host, looked up once.
pub(crate) fn look_up(
    resolver: &Arc<dyn Resolver>,
    host: &Host,
    port: u16,
    deadline: Deadline<'_>,
) -> Result<Vec<SocketAddr>, Interruption> {
    let name = match host {
        Host::Address(address) => return Ok(vec![SocketAddr::new(*address, port)]),
        Host::Name(name) => name.clone(),
    };
    let resolver = Arc::clone(resolver);
    let found = deadline.wait_for(move || {
        resolver.resolve(&name, port).map_err(|error| io::Error::other(format!("{name}: {error}")))
    })?;
    Ok(found.into_iter().map(|address| SocketAddr::new(address, port)).collect())
}
