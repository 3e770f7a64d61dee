//! Which addresses belong to the internet at large.
//!
//! By the registries of special-purpose addresses of the IANA (RFC 6890 and what was added since). A few that are marked
//! as reachable there are refused too: no receiver of webhooks lives at the anycast addresses of AS112, AMT or PCP. What
//! carries an IPv4 address inside is judged by that one where hosts use it so (IPv4-mapped; NAT64 with the prefix that
//! everybody knows), and refused where it leads through somebody else's relay (6to4, Teredo) or a network's own translator.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// IPv4: network and bits that count.
const SPECIAL_V4: &[([u8; 4], u32)] = &[
    ([0, 0, 0, 0], 8),       // this network
    ([10, 0, 0, 0], 8),      // private use
    ([100, 64, 0, 0], 10),   // shared by carriers
    ([127, 0, 0, 0], 8),     // loopback
    ([169, 254, 0, 0], 16),  // link-local, and the metadata of clouds
    ([172, 16, 0, 0], 12),   // private use
    ([192, 0, 0, 0], 24),    // protocol assignments
    ([192, 0, 2, 0], 24),    // documentation
    ([192, 31, 196, 0], 24), // AS112
    ([192, 52, 193, 0], 24), // AMT
    ([192, 88, 99, 0], 24),  // relays of 6to4
    ([192, 168, 0, 0], 16),  // private use
    ([192, 175, 48, 0], 24), // AS112
    ([198, 18, 0, 0], 15),   // benchmarking
    ([198, 51, 100, 0], 24), // documentation
    ([203, 0, 113, 0], 24),  // documentation
    ([224, 0, 0, 0], 4),     // multicast
    ([240, 0, 0, 0], 4),     // reserved, and broadcast
];

/// IPv6, of what is within 2000::/3. All else is special.
const SPECIAL_V6: &[([u16; 8], u32)] = &[
    ([0x2001, 0, 0, 0, 0, 0, 0, 0], 23), // protocol assignments: Teredo, benchmarking, ORCHID
    ([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32), // documentation
    ([0x2002, 0, 0, 0, 0, 0, 0, 0], 16), // 6to4
    ([0x2620, 0x4f, 0x8000, 0, 0, 0, 0, 0], 48), // AS112
    ([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20), // documentation
];

const GLOBAL_V6: ([u16; 8], u32) = ([0x2000, 0, 0, 0, 0, 0, 0, 0], 3);

/// NAT64's well-known prefix.
const NAT64: ([u16; 8], u32) = ([0x64, 0xff9b, 0, 0, 0, 0, 0, 0], 96);

/// Those of a network of one's own, or of this machine: what a receiver inside may have.
const INSIDE_V4: &[([u8; 4], u32)] =
    &[([10, 0, 0, 0], 8), ([100, 64, 0, 0], 10), ([127, 0, 0, 0], 8), ([172, 16, 0, 0], 12), ([192, 168, 0, 0], 16)];
const INSIDE_V6: &[([u16; 8], u32)] = &[([0, 0, 0, 0, 0, 0, 0, 1], 128), ([0xfc00, 0, 0, 0, 0, 0, 0, 0], 7)];

/// Whether an address is one host's on the internet at large.
#[must_use]
pub fn is_global_unicast(address: IpAddr) -> bool {
    match unwrapped(address) {
        IpAddr::V4(address) => !SPECIAL_V4.iter().any(|network| is_in_v4(address, network)),
        IpAddr::V6(address) => {
            is_in_v6(address, &GLOBAL_V6) && !SPECIAL_V6.iter().any(|network| is_in_v6(address, network))
        }
    }
}

/// Whether an address is one of a network of one's own, or of this machine. Never link-local: the metadata of clouds is there.
#[must_use]
pub fn is_inside(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => INSIDE_V4.iter().any(|network| is_in_v4(address, network)),
        IpAddr::V6(address) => INSIDE_V6.iter().any(|network| is_in_v6(address, network)),
    }
}

/// The IPv4 address that is meant, where one is carried inside.
fn unwrapped(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(outer) if is_in_v6(outer, &NAT64) => {
            let [.., a, b, c, d] = outer.octets();
            IpAddr::V4(Ipv4Addr::new(a, b, c, d))
        }
        address @ (IpAddr::V4(_) | IpAddr::V6(_)) => address,
    }
}

fn is_in_v4(address: Ipv4Addr, (network, bits): &([u8; 4], u32)) -> bool {
    let mask = u32::MAX.checked_shl(32 - bits).unwrap_or_default();
    address.to_bits() & mask == Ipv4Addr::from(*network).to_bits()
}

fn is_in_v6(address: Ipv6Addr, (network, bits): &([u16; 8], u32)) -> bool {
    let mask = u128::MAX.checked_shl(128 - bits).unwrap_or_default();
    address.to_bits() & mask == Ipv6Addr::from(*network).to_bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first and the last address of every row of the IANA's registries, and every way to carry one inside another.
    const REFUSED: &str = "\
        0.0.0.0 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255 127.0.0.1 127.255.255.255 169.254.0.0 \
        169.254.169.254 169.254.255.255 172.16.0.0 172.31.255.255 192.0.0.0 192.0.0.8 192.0.0.9 192.0.0.170 \
        192.0.0.171 192.0.0.255 192.0.2.0 192.0.2.255 192.31.196.1 192.52.193.1 192.88.99.1 192.168.0.0 \
        192.168.255.255 192.175.48.1 198.18.0.0 198.19.255.255 198.51.100.1 203.0.113.255 224.0.0.1 239.255.255.255 \
        240.0.0.1 255.255.255.254 255.255.255.255 :: ::1 ::2 ::7f00:1 ::127.0.0.1 ::8.8.8.8 ::ffff:0:127.0.0.1 \
        ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 ::ffff:192.168.1.1 ::ffff:0.0.0.0 ::ffff:224.0.0.1 \
        64:ff9b::127.0.0.1 64:ff9b::10.0.0.1 64:ff9b::169.254.169.254 64:ff9b::c0a8:101 64:ff9b:1::8.8.8.8 \
        64:ff9b:1:ffff:ffff:ffff:808:808 64:ff9b:0:0:0:1:808:808 100::1 100:0:0:1::1 2001::1 2001:0:7f00:1:: 2001:1::1 \
        2001:2::1 2001:3::1 2001:4:112::1 2001:10::1 2001:20::1 2001:1ff:ffff::1 2001:db8::1 2001:db8:ffff::1 2002::1 \
        2002:7f00:1:: 2002:a00:1::1 2002:808:808::1 2620:4f:8000::1 3fff::1 3fff:fff:ffff::1 4000::1 5f00::1 fc00::1 \
        fd00:ec2::254 fdff::1 fe80::1 fe80::a9fe:a9fe febf::1 fec0::1 feff::1 ff02::1 ff0e::1 \
        ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff";

    const ALLOWED: &str = "\
        1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 169.253.255.255 \
        169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.0 192.0.3.0 192.167.255.255 192.169.0.0 198.17.255.255 \
        198.20.0.0 203.0.112.255 203.0.114.0 223.255.255.255 ::ffff:8.8.8.8 64:ff9b::8.8.8.8 2000::1 2001:200::1 \
        2001:4860:4860::8888 2001:db7:ffff::1 2001:db9::1 2003::1 2606:4700::1111 2620:4f:7fff::1 2a00::1 3ffe::1";

    #[test]
    fn no_special_address_is_global_and_their_neighbours_are() {
        for (texts, expected) in [(REFUSED, false), (ALLOWED, true)] {
            for text in texts.split_whitespace() {
                let address: IpAddr = text.parse().unwrap();
                assert_eq!(is_global_unicast(address), expected, "{text}");
            }
        }
    }

    /// A host that an operator listed may be inside, and still not at the metadata of a cloud.
    #[test]
    fn what_is_inside_is_nothing_of_a_link_and_nothing_global() {
        for text in
            ["127.0.0.1", "10.1.2.3", "172.20.0.1", "192.168.1.1", "100.64.0.1", "::1", "fd12::1", "::ffff:10.0.0.1"]
        {
            assert!(is_inside(text.parse().unwrap()), "{text}");
        }
        for text in [
            "169.254.169.254",
            "fe80::1",
            "0.0.0.0",
            "::",
            "224.0.0.1",
            "255.255.255.255",
            "8.8.8.8",
            "2002:7f00:1::",
            "64:ff9b::7f00:1",
        ] {
            assert!(!is_inside(text.parse().unwrap()), "{text}");
        }
    }
}
