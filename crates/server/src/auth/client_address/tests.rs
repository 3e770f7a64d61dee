//! Everything that a client, or a proxy that does not keep to the rules, may put into the header.

use hyper::header::{HeaderName, HeaderValue};

use super::*;

const PROXIES: &str = "10.0.0.0/8, 127.0.0.1, 2001:db8:1::/48";
const PEER: &str = "10.0.0.1";

fn client_from(peer: &str, header: AddressHeader, lines: &[&str]) -> String {
    let mut headers = HeaderMap::new();
    for line in lines {
        let value = HeaderValue::from_bytes(line.as_bytes()).unwrap();
        headers.append(HeaderName::from_static(header.as_str()), value);
    }
    let rule = ProxyRule::parse(PROXIES, header).unwrap();
    rule.client(peer.parse().unwrap(), &headers).to_string()
}

fn client(header: AddressHeader, lines: &[&str]) -> String {
    client_from(PEER, header, lines)
}

#[test]
fn a_stranger_is_not_believed_whatever_the_header_says() {
    for header in AddressHeader::ALL {
        for line in ["192.0.2.9", "for=192.0.2.9", "127.0.0.1"] {
            assert_eq!(client_from("198.51.100.7", *header, &[line]), "198.51.100.7");
            assert_eq!(client_from("::ffff:198.51.100.7", *header, &[line]), "198.51.100.7");
        }
        assert_eq!(client(*header, &[]), PEER, "a proxy that says nothing speaks for itself");
    }
}

#[test]
fn what_a_client_wrote_before_the_proxy_is_not_looked_at() {
    let many = vec!["203.0.113.5"; 10_000].join(",") + ", 192.0.2.1";
    for line in [
        "192.0.2.1",
        "203.0.113.5, 192.0.2.1",
        "10.0.0.9, 192.0.2.1",
        "127.0.0.1, 192.0.2.1",
        "_hidden, unknown, ,,;\"\\, 192.0.2.1",
        "caf\u{e9}, 192.0.2.1",
        "192.0.2.1, 10.0.0.2",
        "203.0.113.5, 192.0.2.1:4711, 10.255.0.2,\t127.0.0.1 ,[2001:db8:1::7]:443",
        "192.0.2.1, ::ffff:10.0.0.2",
        &many,
    ] {
        assert_eq!(client(AddressHeader::XForwardedFor, &[line]), "192.0.2.1", "{line:.60}");
    }
    // Lines are one list, in their order.
    assert_eq!(client(AddressHeader::XForwardedFor, &["203.0.113.5", "192.0.2.1, 10.0.0.2"]), "192.0.2.1");
    assert_eq!(client(AddressHeader::XForwardedFor, &["203.0.113.5, 192.0.2.1", "10.0.0.2"]), "192.0.2.1");
}

#[test]
fn what_cannot_be_read_counts_for_the_proxy_that_wrote_it() {
    let long = format!("192.0.2.1{}", " ".repeat(600));
    let inner = format!(",{}x", "9".repeat(600));
    let wrong = [
        "",
        " ",
        ",",
        "unknown",
        "_hidden",
        "192.0.2",
        "192.0.2.1.1",
        "192.0.2.256",
        "192.0.2.1:",
        "192.0.2.1:99999",
        "192.0.2.1:+1",
        "192.0.2.1 198.51.100.1",
        "[192.0.2.1]",
        "[2001:db8::1",
        "[2001:db8::1]x",
        "[2001:db8::1]:",
        "fe80::1%eth0",
        "0300.0.2.1",
        "0xc0000201",
        "3221225985",
        "2001:db8::g",
        "for=192.0.2.1",
        "\"192.0.2.1\"",
        "caf\u{e9}",
        &inner,
    ];
    for line in wrong {
        assert_eq!(client(AddressHeader::XForwardedFor, &[line]), PEER, "{line:.60}");
        assert_eq!(client(AddressHeader::XForwardedFor, &[&format!("192.0.2.1, {line}")]), PEER, "{line:.60}");
        assert_eq!(client(AddressHeader::XRealIp, &[line]), PEER, "{line:.60}");
    }
    assert_eq!(client(AddressHeader::XForwardedFor, &[&format!("1.2.3.4,{long}x")]), PEER);
    assert_eq!(client(AddressHeader::XForwardedFor, &["_hidden, 10.0.0.2"]), "10.0.0.2", "the one that wrote it");
    let loop_of_proxies = vec!["10.0.0.2"; 10_000].join(", ");
    assert_eq!(client(AddressHeader::XForwardedFor, &[&format!("192.0.2.1, {loop_of_proxies}")]), "10.0.0.2");
}

#[test]
fn one_address_is_one_address() {
    assert_eq!(client(AddressHeader::XRealIp, &["2001:db8::9"]), "2001:db8::9");
    assert_eq!(client(AddressHeader::XRealIp, &["::ffff:192.0.2.1"]), "192.0.2.1");
    for lines in [&["192.0.2.1", "192.0.2.1"][..], &["192.0.2.1, 192.0.2.2"], &["192.0.2.1", "198.51.100.1"]] {
        assert_eq!(client(AddressHeader::XRealIp, lines), PEER, "{lines:?}");
    }
}

#[test]
fn the_standard_header_is_read_from_its_end_past_quotes_that_a_client_opened() {
    for line in [
        "for=192.0.2.1",
        "For=192.0.2.1:4711;proto=https;by=10.0.0.1",
        "proto=https; FOR=\"192.0.2.1:80\" ;host=\"a,b;for=203.0.113.9\"",
        "for=203.0.113.5, for=192.0.2.1",
        "for=\"203.0.113.5, for=192.0.2.1",
        "for=\"203.0.113.5;by=\\\", for=192.0.2.1",
        "for=_hidden, for=192.0.2.1, for=\"[2001:db8:1::7]:443\"",
    ] {
        assert_eq!(client(AddressHeader::Forwarded, &[line]), "192.0.2.1", "{line}");
    }
    assert_eq!(client(AddressHeader::Forwarded, &["for=\"[2001:db8::17]:4711\""]), "2001:db8::17");
    for line in [
        "for=unknown",
        "for=_hidden",
        "for=\"_SEVKISEK\"",
        "by=192.0.2.1",
        "192.0.2.1",
        "for=",
        "for=\"\"",
        "for=192.0.2.1;for=192.0.2.2",
        "for=\"192.0.2.1",
        "for=192.0.2.1\"",
        "for=\"192.0.2\\.1\"",
        "for",
    ] {
        assert_eq!(client(AddressHeader::Forwarded, &[line]), PEER, "{line}");
    }
}

#[test]
fn a_network_is_an_address_and_the_bits_that_count() {
    let parse = |text: &str| ProxyRule::parse(text, AddressHeader::XForwardedFor);
    for wrong in [
        "",
        " ",
        ",",
        "10.0.0.0/8,",
        "0.0.0.0/0",
        "::/0",
        "10.0.0.1/8",
        "10.0.0.0/33",
        "2001:db8::/129",
        "10.0.0.0/",
        "10/8",
        "10.0.0.0/+8",
        "10.0.0.0/8/8",
        "localhost",
        "10.0.0.0-10.0.0.9",
        "::ffff:10.0.0.0/104",
        "[::1]",
        "2001:db8::1/64",
    ] {
        assert_eq!(parse(wrong), None, "{wrong}");
    }
    assert!(parse(&vec!["10.0.0.1"; 64].join(",")).is_some() && parse(&vec!["10.0.0.1"; 65].join(",")).is_none());
    let rule = parse("10.0.0.0/8,192.0.2.128/25,::1,2001:db8:8000::/33").unwrap();
    let is_proxy = |text: &str| rule.is_proxy(text.parse().unwrap());
    for proxy in
        ["10.0.0.0", "10.255.255.255", "::ffff:10.0.0.1", "192.0.2.128", "192.0.2.255", "::1", "2001:db8:ffff::1"]
    {
        assert!(is_proxy(proxy), "{proxy}");
    }
    for stranger in ["11.0.0.0", "9.255.255.255", "192.0.2.127", "::2", "2001:db8:7fff::1", "::10.0.0.1", "::a00:0"] {
        assert!(!is_proxy(stranger), "{stranger}");
    }
}
