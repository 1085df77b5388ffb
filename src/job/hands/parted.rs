//! Pieces in parts, of which a hand takes those that it needs, and not the others.
//!
//! Behind the header comes an index: where each part ends, and its checksum. The header's checksum is that of
//! the index.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use xxhash_rust::xxh3::xxh3_64;

use super::{HEADER, Hand, ignore_gone};
use crate::table::TableError;

/// Bytes of the index for a part.
const ENTRY: usize = 16;

impl Hand<'_> {
    /// Leaves a piece to the others, in parts.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn give_parts(&self, step: &str, piece: u64, parts: &[Vec<u8>]) -> Result<(), TableError> {
        let Some(shared) = &self.shared else { return Ok(()) };
        let mut index = Vec::with_capacity(parts.len() * ENTRY);
        let mut end = 0u64;
        for part in parts {
            end += part.len() as u64;
            index.extend(end.to_le_bytes());
            index.extend(xxh3_64(part).to_le_bytes());
        }
        ignore_gone(shared.write(step, piece, &index, parts))
    }

    /// Whether another hand has left a piece of so many parts.
    #[must_use]
    pub fn has_parts(&self, step: &str, piece: u64, parts: usize) -> bool {
        self.sound(step, piece, parts, |_, _| Some(())).is_some()
    }

    /// A part of a piece of so many that another hand has left, if it is there and checks out.
    #[must_use]
    pub fn taken_part(&self, step: &str, piece: u64, part: usize, parts: usize) -> Option<Vec<u8>> {
        self.sound(step, piece, parts, |file, index| {
            let end = number(index, part * ENTRY)?;
            let start = match part {
                0 => 0,
                _ => number(index, (part - 1) * ENTRY)?,
            };
            let place = (HEADER + index.len()) as u64 + start;
            file.seek(SeekFrom::Start(place)).ok()?;
            let mut bytes = Vec::new();
            file.take(end.checked_sub(start)?).read_to_end(&mut bytes).ok()?;
            let is_whole = bytes.len() as u64 == end - start;
            let sum = number(index, part * ENTRY + 8)?;
            (is_whole && xxh3_64(&bytes) == sum).then_some(bytes)
        })
    }

    /// What is read of a piece of so many parts, given its index; one that is damaged is not there any more.
    fn sound<T>(
        &self,
        step: &str,
        piece: u64,
        parts: usize,
        read: impl FnOnce(&mut File, &[u8]) -> Option<T>,
    ) -> Option<T> {
        let shared = self.shared.as_ref()?;
        let mut file = File::open(shared.path(step, piece)).ok()?;
        let mut index = || {
            let (mut header, mut index) = ([0; HEADER], vec![0; parts * ENTRY]);
            file.read_exact(&mut header).ok()?;
            file.read_exact(&mut index).ok()?;
            (header == shared.header(step, piece, &index)).then_some(index)
        };
        let found = index().and_then(|index| read(&mut file, &index));
        if found.is_none() {
            shared.discard(step, piece);
        }
        found
    }
}

fn number(bytes: &[u8], place: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(place..)?.first_chunk()?))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::atomic::AtomicBool;

    use super::super::tests::description;
    use super::*;
    use crate::job::ShardId;

    #[test]
    fn parts_are_taken_one_by_one() {
        let folder = tempfile::tempdir().unwrap();
        let stop = AtomicBool::new(false);
        let id = |number| ShardId { stage: "find-0-9".into(), number, of: 2 };
        let hand = |number| Hand::of(&id(number), folder.path(), &description(), &stop);
        let (one, other) = (hand(0), hand(1));
        let parts = [vec![1, 2, 3], vec![], vec![4; 1000]];
        let give = || one.give_parts("step", 7, &parts).unwrap();
        give();
        assert!(other.has_parts("step", 7, 3));
        for (number, part) in parts.iter().enumerate() {
            assert_eq!(other.taken_part("step", 7, number, 3).as_ref(), Some(part));
        }
        // Another number of parts, another piece, another step.
        assert!(!other.has_parts("step", 8, 3) && !other.has_parts("stop", 7, 3));
        assert!(!other.has_parts("step", 7, 2));
        // What does not fit is gone.
        assert!(!other.has_parts("step", 7, 3));
        // A damaged byte is that of the index, or of one part.
        let path = folder.path().join("find-0-9.pieces").join("step").join("7");
        for place in 0..HEADER + 3 * ENTRY + 1003 {
            give();
            let mut bytes = fs::read(&path).unwrap();
            bytes[place] ^= 1;
            fs::write(&path, &bytes[..]).unwrap();
            let found = [0, 1, 2].map(|part| other.taken_part("step", 7, part, 3));
            assert!(found.iter().any(Option::is_none), "{place}");
            assert!(
                found.iter().zip(&parts).all(|(it, part)| it.as_ref().is_none_or(|it| it == part))
            );
            assert!(!path.exists());
        }
        give();
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
        assert_eq!(other.taken_part("step", 7, 2, 3), None);
    }
}
