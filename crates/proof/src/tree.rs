//! The RFC 6962 tree, as much of it as appending needs: its size and its right edge.
//!
//! Hashing, proofs and the numbering of nodes are the library's. A record completes its leaf and every subtree that ends
//! with it; these hashes are kept beside the record, so that each record is one row and nothing is ever rewritten. The
//! hash of the node at `level`, number `n` lies with the record `(n + 1) * 2^level - 1`, at place `level`.

use svc_json::digest::Digest;
use tlog_tiles::tlog::{self, HashReader};

pub use tlog_tiles::tlog::{EMPTY_HASH, HASH_SIZE, Hash};

use crate::fault::JournalFault;

/// Records in a full tile, and hashes.
pub const TILE_WIDTH: u64 = 256;

/// A tree: how many leaves it has, and the hashes of the largest complete subtrees, left to right.
#[derive(Clone, Debug, PartialEq)]
pub struct MerkleTree {
    size: u64,
    edge: Vec<Hash>,
}

/// A tree after leaves were added, with every hash that is new.
#[derive(Debug)]
pub struct GrownTree {
    before: MerkleTree,
    after: MerkleTree,
    root: Hash,
    /// The nodes of the edge before.
    known: Vec<(u64, Hash)>,
    /// New hashes in the library's order of storage; the first has the number of nodes before.
    fresh: Vec<Hash>,
    /// For each subtree of the edge, the hash of it and all that is right of it. The first is the root.
    from_here: Vec<Hash>,
}

impl MerkleTree {
    /// The tree without leaves.
    #[must_use]
    pub const fn empty() -> Self {
        Self { size: 0, edge: Vec::new() }
    }

    /// A tree that was kept: the edge is as long as the size says, and leads to the root.
    ///
    /// # Errors
    /// When it is not or does not.
    pub fn restore(size: u64, edge: &[u8], root: &Hash) -> Result<Self, JournalFault> {
        let (hashes, rest) = edge.as_chunks::<HASH_SIZE>();
        if !rest.is_empty() || hashes.len() != size.count_ones() as usize {
            return Err(JournalFault::corrupt("the tree's edge has another length than its size asks for"));
        }
        let tree = Self { size, edge: hashes.iter().map(|bytes| Hash(*bytes)).collect() };
        if tree.root()? == *root {
            Ok(tree)
        } else {
            Err(JournalFault::corrupt("the tree's edge does not lead to its root"))
        }
    }

    /// A tree by its edge alone: whatever it leads to is proven elsewhere.
    pub(crate) fn of_edge(size: u64, edge: Vec<Hash>) -> Option<Self> {
        (edge.len() == size.count_ones() as usize).then_some(Self { size, edge })
    }

    /// How many leaves it has.
    #[must_use]
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// The edge as it is kept.
    #[must_use]
    pub fn edge(&self) -> Vec<u8> {
        self.edge.iter().flat_map(|hash| hash.0).collect()
    }

    /// The root hash.
    ///
    /// # Errors
    /// Never for a tree that was made here; the library's own checks pass through.
    pub fn root(&self) -> Result<Hash, JournalFault> {
        root_of(self.size, &Nodes { edge: &self.edge_nodes(), base: u64::MAX, fresh: &[] })
    }

    /// The tree with one more leaf for each of these records.
    ///
    /// # Errors
    /// Never for a tree that was made here; the library's own checks pass through.
    pub fn grow<B: AsRef<[u8]>>(&self, records: &[B]) -> Result<GrownTree, JournalFault> {
        self.grow_by_hashes(records.iter().map(|record| leaf_hash(record.as_ref())))
    }

    /// The tree with one more leaf for each of these leaf hashes.
    ///
    /// # Errors
    /// As [`MerkleTree::grow`].
    pub fn grow_by_hashes(&self, leaves: impl IntoIterator<Item = Hash>) -> Result<GrownTree, JournalFault> {
        let edge = self.edge_nodes();
        let base = tlog::stored_hash_count(self.size);
        let (mut fresh, mut size) = (Vec::new(), self.size);
        for leaf in leaves {
            let nodes = Nodes { edge: &edge, base, fresh: &fresh };
            let completed = tlog::stored_hashes_for_record_hash(size, leaf, &nodes).map_err(bad_tree)?;
            fresh.extend(completed);
            size += 1;
        }
        let nodes = Nodes { edge: &edge, base, fresh: &fresh };
        let root = root_of(size, &nodes)?;
        let indexes = edge_indexes(size);
        let after = Self { size, edge: nodes.read_hashes(&indexes).map_err(bad_tree)? };
        let from_here = from_here(&after.edge);
        if from_here.first().unwrap_or(&EMPTY_HASH) != &root {
            return Err(JournalFault::corrupt("the tree's edge does not lead to its root"));
        }
        Ok(GrownTree { before: self.clone(), after, root, known: edge, fresh, from_here })
    }

    fn edge_nodes(&self) -> Vec<(u64, Hash)> {
        edge_indexes(self.size).into_iter().zip(self.edge.iter().copied()).collect()
    }
}

impl GrownTree {
    /// The tree with the new leaves.
    #[must_use]
    pub fn tree(&self) -> &MerkleTree {
        &self.after
    }

    #[must_use]
    pub fn root(&self) -> &Hash {
        &self.root
    }

    /// How many leaves there were before.
    #[must_use]
    pub fn start(&self) -> u64 {
        self.before.size
    }

    /// The hashes that the record at this place completed, its own first, as they are kept.
    #[must_use]
    pub fn completed_by(&self, place: u64) -> Option<Vec<u8>> {
        let from = usize::try_from(tlog::stored_hash_index(0, place).checked_sub(self.base())?).ok()?;
        let hashes = self.fresh.get(from..from.checked_add(completed(place))?)?;
        Some(hashes.iter().flat_map(|hash| hash.0).collect())
    }

    /// Whether these are the hashes that the record at this place completed.
    #[must_use]
    pub fn is_completed_by(&self, place: u64, kept: &[u8]) -> bool {
        let from =
            tlog::stored_hash_index(0, place).checked_sub(self.base()).and_then(|from| usize::try_from(from).ok());
        let hashes = from.and_then(|from| self.fresh.get(from..from.checked_add(completed(place))?));
        hashes.is_some_and(|hashes| hashes.iter().flat_map(|hash| &hash.0).eq(kept))
    }

    /// Proves that a new leaf is in the tree, and checks the proof. The part above its subtree of the edge is the same for
    /// the whole batch, and was checked when the tree grew: it is what leads from the edge to the root.
    ///
    /// # Errors
    /// When the leaf is not new, or the proof does not hold.
    pub fn prove(&self, place: u64) -> Result<(Hash, Vec<Hash>), JournalFault> {
        let missing = || JournalFault::corrupt("a node of the tree is missing");
        let leaf = self.node(0, place).ok_or_else(missing)?;
        let (own, level) = subtree_of(self.after.size, place).ok_or_else(missing)?;
        let mut proof = self.path_within(place, level).ok_or_else(missing)?;
        let subtree = self.after.edge.get(own).ok_or_else(missing)?;
        let leaves = 1_u64 << level;
        tlog::check_record(&proof, leaves, *subtree, place % leaves, leaf).map_err(bad_tree)?;
        proof.extend(self.path_above(own));
        Ok((leaf, proof))
    }

    /// The audit path of a new leaf inside its subtree of the edge: its neighbours, upwards.
    fn path_within(&self, place: u64, level: u8) -> Option<Vec<Hash>> {
        let mut path = Vec::with_capacity(self.after.size.ilog2() as usize + 1);
        for level in 0..level {
            path.push(self.node(level, (place >> level) ^ 1)?);
        }
        Some(path)
    }

    /// The path from a subtree of the edge to the root: what is right of it, as one hash; then the subtrees left of it,
    /// from the nearest.
    fn path_above(&self, own: usize) -> impl Iterator<Item = Hash> {
        let left = self.after.edge.get(..own).unwrap_or_default();
        self.from_here.get(own + 1).into_iter().chain(left.iter().rev()).copied()
    }

    fn node(&self, level: u8, number: u64) -> Option<Hash> {
        self.nodes().find(tlog::stored_hash_index(level, number))
    }

    fn nodes(&self) -> Nodes<'_> {
        Nodes { edge: &self.known, base: self.base(), fresh: &self.fresh }
    }

    fn base(&self) -> u64 {
        tlog::stored_hash_count(self.before.size)
    }
}

/// Which of the largest complete subtrees of a tree a leaf is in, and the level of it.
fn subtree_of(size: u64, place: u64) -> Option<(usize, u8)> {
    let mut end = 0;
    let levels = (0..64_u8).rev().filter(|level| size >> level & 1 == 1);
    levels.enumerate().find(|(_, level)| {
        end += 1_u64 << level;
        place < end
    })
}

/// For each subtree of an edge, the hash of it and all that is right of it.
fn from_here(edge: &[Hash]) -> Vec<Hash> {
    let mut hashes = edge.to_vec();
    let mut right = None;
    for hash in hashes.iter_mut().rev() {
        *hash = right.map_or(*hash, |right| tlog::node_hash(*hash, right));
        right = Some(*hash);
    }
    hashes
}

/// How many hashes a record completes: its leaf, and a subtree for each one at the end of its number.
#[must_use]
pub fn completed(place: u64) -> usize {
    1 + place.trailing_ones() as usize
}

/// The record that a node's hash lies with, and which of its hashes it is.
#[must_use]
pub fn kept_with(index: u64) -> (u64, usize) {
    let (level, number) = tlog::split_stored_hash_index(index);
    (((number + 1) << level) - 1, usize::from(level))
}

#[must_use]
pub fn leaf_hash(record: &[u8]) -> Hash {
    tlog::record_hash(record)
}

/// The root of the tree with this many leaves, over nodes that are kept elsewhere.
///
/// # Errors
/// When a node cannot be read.
pub fn root_of<R: HashReader>(size: u64, nodes: &R) -> Result<Hash, JournalFault> {
    if size == 0 { Ok(EMPTY_HASH) } else { tlog::tree_hash(size, nodes).map_err(bad_tree) }
}

/// The largest complete subtrees of a tree, left to right, as the library numbers them.
#[must_use]
pub fn edge_indexes(size: u64) -> Vec<u64> {
    if size == 0 { Vec::new() } else { tlog::sub_tree_index(0, size, Vec::new()) }
}

/// Proves that a leaf is in a tree whose nodes are kept elsewhere, and checks the proof.
///
/// # Errors
/// When a node cannot be read or the proof does not hold.
pub fn prove_in<R: HashReader>(
    tree: &MerkleTree,
    root: &Hash,
    place: u64,
    leaf: Hash,
    nodes: &R,
) -> Result<Vec<Hash>, JournalFault> {
    prove_at((tree.size, root), place, leaf, nodes)
}

/// The same for a tree of which only size and root are known.
///
/// # Errors
/// As [`prove_in`].
pub fn prove_at<R: HashReader>(
    (size, root): (u64, &Hash),
    place: u64,
    leaf: Hash,
    nodes: &R,
) -> Result<Vec<Hash>, JournalFault> {
    let proof = tlog::prove_record(size, place, nodes).map_err(bad_tree)?;
    tlog::check_record(&proof, size, *root, place, leaf).map_err(bad_tree)?;
    Ok(proof)
}

/// Proves that a log has grown from its first records into a tree (RFC 6962, section 2.1.2). From nothing, and from all of it,
/// there is nothing to prove.
///
/// # Errors
/// When the tree is smaller, or a node cannot be read.
pub fn prove_growth<R: HashReader>(earlier: u64, later: u64, nodes: &R) -> Result<Vec<Hash>, JournalFault> {
    if earlier == 0 || earlier == later {
        return Ok(Vec::new());
    }
    tlog::prove_tree(later, earlier, nodes).map_err(bad_tree)
}

/// Whether a log of one size and root has grown into another, over the nodes of the later one.
///
/// # Errors
/// When it has not, or a node cannot be read.
pub fn check_growth<R: HashReader>(earlier: (u64, &Hash), later: (u64, &Hash), nodes: &R) -> Result<(), JournalFault> {
    let rewound = |detail: String| JournalFault::new(crate::fault::JournalFaultKind::Rewound, detail);
    if earlier.0 > later.0 {
        return Err(rewound(format!("the log has {} records, and {} were signed before", later.0, earlier.0)));
    }
    let same = match earlier.0 {
        0 => *earlier.1 == EMPTY_HASH,
        size if size == later.0 => earlier.1 == later.1,
        size => {
            let proof = tlog::prove_tree(later.0, size, nodes).map_err(bad_tree)?;
            tlog::check_tree(&proof, later.0, *later.1, size, *earlier.1).is_ok()
        }
    };
    if same { Ok(()) } else { Err(rewound(format!("the first {} records are not those that were signed", earlier.0))) }
}

/// The hash in the form of documents.
#[must_use]
pub fn to_digest(hash: &Hash) -> Digest {
    Digest::from_bytes(hash.0)
}

/// What the library says of a tree. A fault of the store that it read from comes back as it was.
pub fn bad_tree(error: tlog::Error) -> JournalFault {
    if let tlog::Error::InvalidInput(words) = &error
        && let Some(fault) = JournalFault::parse(words)
    {
        return fault;
    }
    JournalFault::corrupt(format!("the tree is not consistent: {error}"))
}

/// The old edge and what is new: all that appending and proving new leaves ever reads.
struct Nodes<'a> {
    edge: &'a [(u64, Hash)],
    base: u64,
    fresh: &'a [Hash],
}

impl Nodes<'_> {
    fn find(&self, index: u64) -> Option<Hash> {
        match index.checked_sub(self.base) {
            Some(offset) => self.fresh.get(usize::try_from(offset).ok()?).copied(),
            None => self.edge.iter().find(|(known, _)| *known == index).map(|(_, hash)| *hash),
        }
    }
}

impl HashReader for Nodes<'_> {
    fn read_hashes(&self, indexes: &[u64]) -> Result<Vec<Hash>, tlog::Error> {
        indexes.iter().map(|index| self.find(*index).ok_or(tlog::Error::IndexesNotInTree)).collect()
    }
}

#[cfg(test)]
mod tests {
    use sha2::{Digest as _, Sha256};

    use super::*;

    /// RFC 6962, section 2.1, word for word: the definition that the library is held against.
    fn naive(leaves: &[Vec<u8>]) -> [u8; 32] {
        match leaves {
            [] => Sha256::digest(b"").into(),
            [one] => Sha256::digest([&[0][..], one].concat()).into(),
            many => {
                let half = (many.len() - 1).ilog2();
                let (left, right) = many.split_at(1 << half);
                Sha256::digest([&[1][..], &naive(left), &naive(right)].concat()).into()
            }
        }
    }

    fn records(count: usize) -> Vec<Vec<u8>> {
        (0..count).map(|at| format!("record {at}").into_bytes()).collect()
    }

    #[test]
    fn a_tree_that_grew_in_steps_is_the_tree_of_the_definition() {
        let all = records(130);
        for step in [1, 2, 3, 7, 64, 130] {
            let mut tree = MerkleTree::empty();
            for chunk in all.chunks(step) {
                let grown = tree.grow(chunk).unwrap();
                let size = usize::try_from(grown.tree().size()).unwrap();
                assert_eq!(grown.root().0, naive(&all[..size]), "step {step}, size {size}");
                for place in grown.start()..grown.tree().size() {
                    let (leaf, proof) = grown.prove(place).unwrap();
                    assert_eq!(leaf, leaf_hash(&all[usize::try_from(place).unwrap()]));
                    let library = tlog::prove_record(grown.tree().size(), place, &grown.nodes()).unwrap();
                    assert_eq!(proof, library, "step {step}, size {size}, place {place}");
                    tlog::check_record(&proof, grown.tree().size(), *grown.root(), place, leaf).unwrap();
                }
                tree = MerkleTree::restore(grown.tree().size(), &grown.tree().edge(), grown.root()).unwrap();
                assert_eq!(tree, *grown.tree());
            }
        }
    }

    #[test]
    fn every_node_lies_with_the_record_that_completed_it() {
        let grown = MerkleTree::empty().grow(&records(70)).unwrap();
        for index in 0..tlog::stored_hash_count(70) {
            let (place, level) = kept_with(index);
            let kept = grown.completed_by(place).unwrap();
            assert_eq!(kept.len(), completed(place) * HASH_SIZE);
            assert_eq!(
                kept[level * HASH_SIZE..(level + 1) * HASH_SIZE],
                grown.fresh[usize::try_from(index).unwrap()].0
            );
        }
    }

    #[test]
    fn a_changed_edge_is_not_a_tree() {
        let grown = MerkleTree::empty().grow(&records(7)).unwrap();
        let (edge, root) = (grown.tree().edge(), grown.root());
        assert!(MerkleTree::restore(7, &edge, root).is_ok());
        for at in 0..edge.len() {
            let mut changed = edge.clone();
            changed[at] ^= 1;
            assert!(MerkleTree::restore(7, &changed, root).is_err(), "{at}");
        }
        // A root does not tell the size: 11 leaves could have the same edge. The number of records does.
        for size in [0, 1, 3, 8, 12, 15] {
            assert!(MerkleTree::restore(size, &edge, root).is_err(), "{size}");
        }
        assert!(MerkleTree::restore(7, &edge[1..], root).is_err());
    }

    #[test]
    fn only_growth_is_growth() {
        let all = records(40);
        let whole = MerkleTree::empty().grow(&all).unwrap();
        let nodes = Nodes { edge: &[], base: 0, fresh: &whole.fresh };
        let later = (40, whole.root());
        for size in 0..=40 {
            let earlier = Hash(naive(&all[..size]));
            check_growth((size as u64, &earlier), later, &nodes).unwrap();
            let mut other = earlier;
            other.0[0] ^= 1;
            assert!(check_growth((size as u64, &other), later, &nodes).is_err(), "{size}");
        }
        assert!(check_growth((41, whole.root()), later, &nodes).is_err());
    }
}
