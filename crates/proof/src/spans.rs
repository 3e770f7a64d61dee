//! The tree in parts: the largest complete subtrees between two places, and the root over all of them.
//!
//! Whoever has these hashes for a state of the log and for what came after it can compute both roots, and needs nothing else.

use tlog_tiles::tlog::{self, EMPTY_HASH, HashReader};

use crate::{
    fault::JournalFault,
    tree::{Hash, bad_tree},
};

/// The hashes of the subtrees before a place and after it, each left to right.
#[derive(Clone, Debug, PartialEq)]
pub struct SpanHashes {
    pub before: Vec<Hash>,
    pub after: Vec<Hash>,
}

impl SpanHashes {
    /// Reads them from the nodes of a tree.
    ///
    /// # Errors
    /// When a node cannot be read.
    pub fn read<R: HashReader>(place: u64, size: u64, nodes: &R) -> Result<Self, JournalFault> {
        let read = |from, to| {
            let indexes: Vec<u64> =
                between(from, to).into_iter().map(|(level, number)| tlog::stored_hash_index(level, number)).collect();
            if indexes.is_empty() { Ok(Vec::new()) } else { nodes.read_hashes(&indexes).map_err(bad_tree) }
        };
        Ok(Self { before: read(0, place)?, after: read(place, size)? })
    }

    /// The root of what is before the place, and the root of everything; none when there are more hashes or fewer than that.
    #[must_use]
    pub fn roots(&self, place: u64, size: u64) -> Option<(Hash, Hash)> {
        let (before, after) = (between(0, place), between(place, size));
        if place > size || before.len() != self.before.len() || after.len() != self.after.len() {
            return None;
        }
        let with_levels = |levels: &[(u8, u64)], hashes: &[Hash]| -> Vec<(u8, Hash)> {
            levels.iter().map(|(level, _)| *level).zip(hashes.iter().copied()).collect()
        };
        let mut all = with_levels(&before, &self.before);
        let first = root_over(&all);
        all.extend(with_levels(&after, &self.after));
        Some((first, root_over(&all)))
    }
}

/// The largest complete subtrees between two places, left to right: the level of each, and its number within that level.
fn between(mut from: u64, to: u64) -> Vec<(u8, u64)> {
    let mut found = Vec::new();
    while from < to {
        let level = from.trailing_zeros().min((to - from).ilog2());
        found.push((u8::try_from(level).unwrap_or(u8::MAX), from >> level));
        from += 1 << level;
    }
    found
}

/// The root of a tree from complete subtrees that cover it, left to right. Two of one level that meet are halves of one.
fn root_over(parts: &[(u8, Hash)]) -> Hash {
    let mut edge: Vec<(u8, Hash)> = Vec::new();
    for (level, hash) in parts {
        let (mut level, mut hash) = (*level, *hash);
        while let Some((_, left)) = edge.pop_if(|(before, _)| *before == level) {
            (level, hash) = (level + 1, tlog::node_hash(left, hash));
        }
        edge.push((level, hash));
    }
    let join =
        |right: Option<Hash>, (_, left): (u8, Hash)| Some(right.map_or(left, |right| tlog::node_hash(left, right)));
    edge.into_iter().rev().fold(None, join).unwrap_or(EMPTY_HASH)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{MerkleTree, leaf_hash};

    struct Leaves(Vec<Hash>);

    impl HashReader for Leaves {
        fn read_hashes(&self, indexes: &[u64]) -> Result<Vec<Hash>, tlog::Error> {
            Ok(indexes.iter().map(|index| self.0[usize::try_from(*index).unwrap()]).collect())
        }
    }

    #[test]
    fn both_roots_come_from_the_hashes_at_every_place_of_every_size() {
        let (mut stored, mut roots) = (Leaves(Vec::new()), vec![MerkleTree::empty().root().unwrap()]);
        let mut tree = MerkleTree::empty();
        for place in 0..70_u64 {
            let leaf = leaf_hash(&place.to_be_bytes());
            let more = tlog::stored_hashes_for_record_hash(place, leaf, &stored).unwrap();
            stored.0.extend(more);
            tree = tree.grow_by_hashes([leaf]).unwrap().tree().clone();
            roots.push(tree.root().unwrap());
        }
        let at = |size: u64| roots[usize::try_from(size).unwrap()];
        for size in 0..=70 {
            for place in 0..=size {
                let spans = SpanHashes::read(place, size, &stored).unwrap();
                assert_eq!(spans.roots(place, size), Some((at(place), at(size))), "{place} of {size}");
                let (mut fewer, mut more) = (spans.clone(), spans);
                more.after.push(at(0));
                assert_eq!(more.roots(place, size), None);
                if fewer.before.pop().is_some() {
                    assert_eq!(fewer.roots(place, size), None);
                }
            }
        }
        assert_eq!(SpanHashes { before: Vec::new(), after: Vec::new() }.roots(1, 0), None);
    }
}
