//! "Did you mean": the closest word of a list.

/// The closest word, when one is close enough to be meant.
#[must_use]
pub fn closest<'w>(text: &str, words: &[&'w str]) -> Option<&'w str> {
    if text.len() > 64 {
        return None;
    }
    let text = text.to_lowercase();
    let distance = |word: &str| strsim::damerau_levenshtein(&text, &word.to_lowercase());
    let (best, word) = words.iter().map(|word| (distance(word), *word)).min_by_key(|(distance, _)| *distance)?;
    (best <= (word.chars().count() / 3).max(1)).then_some(word)
}
