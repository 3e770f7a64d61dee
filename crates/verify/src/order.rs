//! An order that nobody can know beforehand, and that a seed repeats.

/// Draws numbers from a seed (SplitMix64). Nothing is kept secret by it.
#[derive(Clone, Debug)]
pub struct Order(u64);

impl Order {
    #[must_use]
    pub const fn of(seed: u64) -> Self {
        Self(seed)
    }

    /// One that nobody has chosen.
    ///
    /// # Errors
    /// When the system has no randomness.
    pub fn any() -> Result<Self, String> {
        let mut seed = [0; 8];
        getrandom::fill(&mut seed).map_err(|error| format!("cannot choose an order: {error}"))?;
        Ok(Self::of(u64::from_le_bytes(seed)))
    }

    /// Puts the elements into another order (Fisher–Yates).
    pub(crate) fn shuffle<T>(&mut self, elements: &mut [T]) {
        for last in (1..elements.len()).rev() {
            let other = self.below(last + 1);
            elements.swap(last, other);
        }
    }

    /// A lower-case word, of as many letters.
    pub(crate) fn word(&mut self, letters: usize) -> String {
        let letter = |_| char::from(b'a' + u8::try_from(self.below(26)).unwrap_or_default());
        (0..letters).map(letter).collect()
    }

    /// A number below another.
    pub(crate) fn below(&mut self, most: usize) -> usize {
        let drawn = self.next() % u64::try_from(most).unwrap_or(u64::MAX).max(1);
        usize::try_from(drawn).unwrap_or_default()
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_one_order_and_loses_nothing() {
        let shuffled = |seed| {
            let mut all: Vec<usize> = (0..50).collect();
            Order::of(seed).shuffle(&mut all);
            all
        };
        assert_eq!(shuffled(7), shuffled(7));
        assert_ne!(shuffled(7), shuffled(8));
        let mut sorted = shuffled(7);
        sorted.sort_unstable();
        assert_eq!(sorted, (0..50).collect::<Vec<_>>());
        let mut none: [u8; 0] = [];
        Order::of(1).shuffle(&mut none);
    }
}
