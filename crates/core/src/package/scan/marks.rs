//! Finds many short marks in one pass over a text, however many there are to look for.

/// The marks, and a bit for every pair of bytes that one of them begins with.
#[derive(Debug)]
pub(super) struct Marks<T: 'static> {
    marks: Vec<(&'static str, T)>,
    beginnings: Vec<u64>,
}

impl<T: Copy> Marks<T> {
    /// Marks of two bytes at least.
    pub(super) fn new(marks: impl IntoIterator<Item = (&'static str, T)>) -> Self {
        let marks: Vec<(&'static str, T)> = marks.into_iter().collect();
        let mut beginnings = vec![0; (1 << 16) / 64];
        for (mark, _) in &marks {
            if let [first, second, ..] = mark.as_bytes()
                && let Some(bits) = beginnings.get_mut(slot(*first, *second).0)
            {
                *bits |= slot(*first, *second).1;
            }
        }
        Self { marks, beginnings }
    }

    /// Every place where a mark stands, in order of the text.
    pub(super) fn find<'a>(&'a self, text: &'a str) -> impl Iterator<Item = (usize, &'static str, T)> + 'a {
        let begins = |pair: &[u8; 2]| {
            let (place, bit) = slot(pair[0], pair[1]);
            self.beginnings.get(place).is_some_and(|bits| bits & bit != 0)
        };
        let pairs = text.as_bytes().array_windows::<2>().enumerate();
        pairs.filter(move |(_, pair)| begins(pair)).flat_map(move |(at, _)| {
            let rest = text.get(at..).unwrap_or_default();
            self.marks
                .iter()
                .filter(move |(mark, _)| rest.starts_with(mark))
                .map(move |(mark, what)| (at, *mark, *what))
        })
    }
}

/// Which word and which bit of it stands for a pair of bytes.
fn slot(first: u8, second: u8) -> (usize, u64) {
    let pair = usize::from(first) << 8 | usize::from(second);
    (pair / 64, 1 << (pair % 64))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn one_pass_finds_what_a_search_for_each_mark_finds(text in "[ab\u{e9}<-]{0,60}") {
            const MARKS: [&str; 4] = ["ab", "aba<", "--b", "<-ab"];
            let marks = Marks::new(MARKS.map(|mark| (mark, mark.len())));
            let mut found: Vec<(usize, &str)> = marks.find(&text).map(|(at, mark, _)| (at, mark)).collect();
            let starts = |mark: &'static str| -> Vec<(usize, &str)> {
                let places = text.char_indices().filter(|(at, _)| text[*at..].starts_with(mark));
                places.map(|(at, _)| (at, mark)).collect()
            };
            let mut expected: Vec<(usize, &str)> = MARKS.into_iter().flat_map(starts).collect();
            found.sort_unstable();
            expected.sort_unstable();
            prop_assert_eq!(found, expected);
        }
    }
}
