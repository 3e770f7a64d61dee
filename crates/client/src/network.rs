//! Networks, as settings list them.

use std::net::IpAddr;

/// Addresses that share their first bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    bits: u128,
    mask: u128,
    is_v4: bool,
}

impl Network {
    /// An address, or one with the number of bits that count, of which the others must be zero. At least one bit counts.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) => (address, Some(prefix)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().ok()?;
        let width: u32 = if address.is_ipv4() { 32 } else { 128 };
        let prefix = match prefix {
            None => width,
            // One way to write each: in `/010` some read eight.
            Some(digits) if !digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                digits.parse().ok()?
            }
            Some(_) => return None,
        };
        if !(1..=width).contains(&prefix) {
            return None;
        }
        let is_v4 = address.is_ipv4();
        let all = u128::MAX >> (128 - width);
        let mask = all & (all << (width - prefix));
        let bits = bits(address);
        // `::ffff:…` never arrives in this form.
        let is_mapped = !is_v4 && address.to_canonical().is_ipv4();
        (bits & !mask == 0 && !is_mapped).then_some(Self { bits, mask, is_v4 })
    }

    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        address.is_ipv4() == self.is_v4 && bits(address) & self.mask == self.bits
    }
}

fn bits(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => u128::from(address.to_bits()),
        IpAddr::V6(address) => address.to_bits(),
    }
}
