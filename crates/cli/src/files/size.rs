//! Byte counts in words.

/// `25 MiB`, or the plain number where no unit divides it.
pub fn in_words(bytes: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    let exact = UNITS.iter().find(|(unit, _)| bytes >= *unit && bytes.is_multiple_of(*unit));
    match exact {
        Some((unit, name)) => format!("{} {name}", bytes / unit),
        None => format!("{bytes} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::in_words;

    #[test]
    fn a_limit_is_named_by_its_largest_exact_unit() {
        assert_eq!(in_words(262_144), "256 KiB");
        assert_eq!(in_words(25 << 20), "25 MiB");
        assert_eq!(in_words(1 << 40), "1024 GiB");
        assert_eq!(in_words(1_000_000), "1000000 bytes");
        assert_eq!(in_words(0), "0 bytes");
    }
}
