//! Makes the checksums of a changed table right again, so that the change itself is what is read.

use xxhash_rust::xxh3::xxh3_64;

/// Where the header says which kind of table it is, and the number of dense ones.
const KIND: usize = 10;
const DENSE: u8 = 1;
/// Where it says how long it is, and where the index begins.
const HEADER_LENGTH: usize = 12;
const INDEX_OFFSET: usize = 56;
/// No header is shorter.
const LEAST_HEADER: usize = 88;
const INDEX_ENTRY: usize = 32;
const DENSE_INDEX_ENTRY: usize = 8;
const FOOTER: usize = 32;

/// Sets the checksums of blocks, index and header, as far as the places where they stand make
/// sense.
pub fn repair(bytes: &mut [u8]) {
    let index_end = bytes.len().saturating_sub(FOOTER);
    if let Some(index_offset) = number(bytes, INDEX_OFFSET, 8)
        && index_offset <= index_end
    {
        let dense = bytes.get(KIND) == Some(&DENSE);
        let entry_length = if dense { DENSE_INDEX_ENTRY } else { INDEX_ENTRY };
        for entry in (index_offset..index_end).step_by(entry_length) {
            if dense {
                repair_dense_block(bytes, entry, index_end);
            } else {
                repair_block(bytes, entry);
            }
        }
        let checksum = xxh3_64(&bytes[index_offset..index_end]);
        put(bytes, index_end, &checksum.to_le_bytes());
    }
    if let Some(length) = number(bytes, HEADER_LENGTH, 4)
        && (LEAST_HEADER..=bytes.len()).contains(&length)
    {
        let checksum = xxh3_64(&bytes[..length - 8]);
        put(bytes, length - 8, &checksum.to_le_bytes());
    }
}

/// An entry has the block's place and length, and its checksum behind them.
fn repair_block(bytes: &mut [u8], entry: usize) {
    let place = number(bytes, entry + 8, 8).zip(number(bytes, entry + 16, 4));
    if let Some((offset, length)) = place
        && let Some(block) = bytes.get(offset..).and_then(|rest| rest.get(..length))
    {
        let checksum = xxh3_64(block);
        put(bytes, entry + 24, &checksum.to_le_bytes());
    }
}

/// An entry of a dense table has the block's place and half a checksum; the block ends where the
/// next one begins. The last entry is of no block.
fn repair_dense_block(bytes: &mut [u8], entry: usize, index_end: usize) {
    let next = entry + DENSE_INDEX_ENTRY;
    let place = number(bytes, entry, 4).zip(number(bytes, next, 4).filter(|_| next < index_end));
    if let Some((start, end)) = place
        && let Some(block) = bytes.get(start..end)
    {
        let checksum = xxh3_64(block) as u32;
        put(bytes, entry + 4, &checksum.to_le_bytes());
    }
}

fn number(bytes: &[u8], at: usize, width: usize) -> Option<usize> {
    let field = bytes.get(at..at.checked_add(width)?)?;
    let number = field.iter().rev().fold(0, |all, &byte| all << 8 | u64::from(byte));
    usize::try_from(number).ok()
}

fn put(bytes: &mut [u8], at: usize, checksum: &[u8]) {
    if let Some(field) = bytes.get_mut(at..at + checksum.len()) {
        field.copy_from_slice(checksum);
    }
}
