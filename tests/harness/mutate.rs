//! Random changes of a file's bytes.

use endtable::random::SplitMix64;

/// One to four changes: a byte, a field, a piece cut out, a piece put twice, an end cut off.
pub fn mutate(bytes: &mut Vec<u8>, random: &mut SplitMix64) {
    const NUMBERS: [u64; 6] = [0, 1, 0x7fff_ffff, 0xffff_ffff, u64::MAX / 32, u64::MAX];
    for _ in 0..=random.below(4) {
        if bytes.is_empty() {
            return;
        }
        // Half of the changes go to the header, where a byte decides much.
        let reach = if random.below(2) == 0 { bytes.len().min(88) } else { bytes.len() };
        let at = random.below(reach as u64) as usize;
        let length = random.below(40) as usize + 1;
        let end = (at + length).min(bytes.len());
        match random.below(8) {
            0..4 => bytes[at] = random.next() as u8,
            4 | 5 => {
                let number = NUMBERS[random.below(NUMBERS.len() as u64) as usize].to_le_bytes();
                let field = at / 8 * 8..(at / 8 * 8 + 8).min(bytes.len());
                bytes[field.clone()].copy_from_slice(&number[..field.len()]);
            }
            6 => _ = bytes.drain(at..end),
            _ => {
                let piece = bytes[at..end].to_vec();
                bytes.splice(at..at, piece);
            }
        }
        if random.below(16) == 0 {
            bytes.truncate(random.below(bytes.len() as u64 + 1) as usize);
        }
    }
}

/// One to three changes of what lies behind the header, none of which moves anything: blocks and index
/// stay where they are, so that a table whose checksums are made right is mostly opened.
pub fn mutate_in_place(bytes: &mut [u8], random: &mut SplitMix64) {
    const HEADER_LENGTH: usize = 12;
    let begin = bytes.get(HEADER_LENGTH..HEADER_LENGTH + 2);
    let begin = begin.map_or(0, |two| usize::from(u16::from_le_bytes([two[0], two[1]])));
    for _ in 0..=random.below(3) {
        let Some(room) = bytes.len().checked_sub(begin + 40).filter(|&room| room > 0) else {
            return;
        };
        let at = begin + random.below(room as u64) as usize;
        match random.below(4) {
            0 => bytes[at] = random.next() as u8,
            1 => bytes[at] ^= 1 << random.below(8),
            2 => bytes[at..at + 4].fill(0xff),
            _ => bytes[at..at + 8].copy_from_slice(&random.next().to_le_bytes()),
        }
    }
}
