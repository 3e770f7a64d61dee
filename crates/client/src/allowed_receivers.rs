//! Which receivers may be spoken to: those on the internet at large by https, and those inside that an operator listed.

use std::{collections::BTreeSet, net::IpAddr};

use crate::{
    authority::AddressError,
    host::Host,
    network::Network,
    receiver_url::ReceiverUrl,
    special_addresses::{is_global_unicast, is_inside},
};

/// More than this is not a list of receivers but a mistake.
const MAX_ENTRIES: usize = 64;

/// What the list must be, for messages.
pub const ALLOWED_FORM: &str =
    "must be host names, addresses and networks with commas between them, such as `hooks.internal, 10.1.0.0/16`";

/// The receivers inside that may be spoken to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllowedReceivers {
    /// These may be inside, and be spoken to by http.
    names: BTreeSet<String>,
    /// Whoever is here may be spoken to, by http too.
    networks: Vec<Network>,
}

/// Why an address of a receiver is not connected to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForbiddenAddress {
    /// It is special, and not listed.
    Special(IpAddr),
    /// It may be spoken to by https alone.
    OpenHttp,
    /// The name has none.
    None,
}

impl AllowedReceivers {
    /// Reads a list; nothing when an entry of it is no host, address or network, or stands for everybody.
    #[must_use]
    pub fn parse(list: &str) -> Option<Self> {
        let mut allowed = Self::default();
        for entry in list.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
            match (Network::parse(entry), Host::parse(entry)) {
                (Some(network), _) => allowed.networks.push(network),
                (None, Some(Host::Name(name))) => {
                    allowed.names.insert(name);
                }
                (None, Some(Host::Address(_)) | None) => return None,
            }
        }
        (allowed.names.len() + allowed.networks.len() <= MAX_ENTRIES).then_some(allowed)
    }

    /// Whether every address that a receiver has may be connected to. One that may not is enough to refuse them all: otherwise
    /// whoever answers for the name would choose.
    ///
    /// # Errors
    /// The first that may not, or that there is none.
    pub fn check(&self, url: &ReceiverUrl, addresses: &[IpAddr]) -> Result<(), ForbiddenAddress> {
        if addresses.is_empty() {
            return Err(ForbiddenAddress::None);
        }
        let is_listed_name = matches!(&url.host, Host::Name(name) if self.names.contains(name));
        for address in addresses {
            let address = address.to_canonical();
            let is_listed = self.networks.iter().any(|network| network.contains(address));
            let is_inside = is_listed_name && is_inside(address);
            if !(is_listed || is_inside || is_global_unicast(address)) {
                return Err(ForbiddenAddress::Special(address));
            }
            if !url.is_https() && !is_listed && !is_listed_name {
                return Err(ForbiddenAddress::OpenHttp);
            }
        }
        Ok(())
    }

    /// What can be told of an address before it is looked up: for whoever adds an endpoint.
    ///
    /// # Errors
    /// When no look-up could make it one that may be spoken to.
    pub fn check_written(&self, url: &ReceiverUrl) -> Result<(), AddressError> {
        match &url.host {
            Host::Address(address) => self.check(url, &[*address]).map_err(|forbidden| match forbidden {
                ForbiddenAddress::OpenHttp => OPEN_HTTP,
                ForbiddenAddress::Special(_) | ForbiddenAddress::None => SPECIAL,
            }),
            // Every address of a listed network may be spoken to by http, and the name may lead there.
            Host::Name(name) if url.is_https() || self.names.contains(name) || !self.networks.is_empty() => Ok(()),
            Host::Name(_) => Err(OPEN_HTTP),
        }
    }
}

const OPEN_HTTP: AddressError = AddressError {
    message: "the address must begin with https://, because http is for receivers that `events-allow` lists",
    help: "use https; or list the host in `events-allow`, for the service and for this command",
};

const SPECIAL: AddressError = AddressError {
    message: "the address must be one on the internet at large, and is one of this machine, a private network or another special one",
    help: "list the address or its network in `events-allow`, for the service and for this command",
};

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(texts: &[&str]) -> Vec<IpAddr> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    #[test]
    fn one_special_address_among_global_ones_refuses_them_all() {
        let url = ReceiverUrl::parse("https://hooks.example/").unwrap();
        let nobody = AllowedReceivers::default();
        let check = |texts: &[&str]| nobody.check(&url, &addresses(texts));
        assert_eq!(check(&["8.8.8.8", "2606:4700::1111"]), Ok(()));
        assert_eq!(check(&["8.8.8.8", "127.0.0.1"]), Err(ForbiddenAddress::Special("127.0.0.1".parse().unwrap())));
        assert_eq!(check(&["::ffff:10.0.0.1"]), Err(ForbiddenAddress::Special("10.0.0.1".parse().unwrap())));
        assert_eq!(check(&[]), Err(ForbiddenAddress::None));
        let open = ReceiverUrl::parse("http://hooks.example/").unwrap();
        assert_eq!(nobody.check(&open, &addresses(&["8.8.8.8"])), Err(ForbiddenAddress::OpenHttp));
    }

    #[test]
    fn a_listed_name_may_be_inside_and_nothing_else_becomes_so() {
        let allowed = AllowedReceivers::parse("hooks.internal, 10.1.0.0/16, fd12::/16,").unwrap();
        let url = |text: &str| ReceiverUrl::parse(text).unwrap();
        let (listed, other) = (url("http://hooks.internal:8080/"), url("http://other.internal/"));
        assert_eq!(allowed.check(&listed, &addresses(&["127.0.0.1", "192.168.0.9", "::1"])), Ok(()));
        assert!(allowed.check(&listed, &addresses(&["169.254.169.254"])).is_err());
        assert!(allowed.check(&listed, &addresses(&["192.168.0.9", "0.0.0.0"])).is_err());
        assert!(allowed.check(&url("https://a.hooks.internal/"), &addresses(&["192.168.0.9"])).is_err());
        assert_eq!(allowed.check(&other, &addresses(&["10.1.2.3", "fd12::1", "::ffff:10.1.0.1"])), Ok(()));
        assert!(
            allowed.check(&other, &addresses(&["10.1.2.3", "8.8.8.8"])).is_err(),
            "http to whoever is listed alone"
        );
        assert!(allowed.check(&other, &addresses(&["10.2.0.1"])).is_err());
    }

    #[test]
    fn a_list_with_anything_else_in_it_is_refused() {
        for list in [
            "https://hooks.internal",
            "10.0.0.1/8",
            "0.0.0.0/0",
            "hooks.internal:8080",
            "*.internal",
            "10.0.0.0/33",
            "a b",
        ] {
            assert_eq!(AllowedReceivers::parse(list), None, "{list}");
        }
        assert_eq!(AllowedReceivers::parse(""), Some(AllowedReceivers::default()));
    }

    #[test]
    fn what_is_written_is_refused_before_anything_is_looked_up() {
        let url = |text: &str| ReceiverUrl::parse(text).unwrap();
        let nobody = AllowedReceivers::default();
        for text in ["http://hooks.example/", "https://127.0.0.1/", "https://[::ffff:10.0.0.1]/", "http://8.8.8.8/"] {
            assert!(nobody.check_written(&url(text)).is_err(), "{text}");
        }
        assert!(nobody.check_written(&url("https://hooks.example/")).is_ok());
        let listed = AllowedReceivers::parse("127.0.0.1").unwrap();
        assert!(listed.check_written(&url("http://127.0.0.1:9/")).is_ok());
        assert!(listed.check_written(&url("http://localhost:9/")).is_ok(), "it may lead there");
    }
}
