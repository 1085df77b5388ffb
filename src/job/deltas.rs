//! Numbers that ascend, as bytes: their differences, seven bits a byte, the lowest first.

/// Packs numbers, none of them smaller than the one before.
#[must_use]
pub fn pack(numbers: &[u64]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(4 * numbers.len());
    let mut last = 0;
    for &number in numbers {
        let mut rest = number.wrapping_sub(last);
        last = number;
        while rest >= 0x80 {
            bytes.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        bytes.push(rest as u8);
    }
    bytes
}

/// Adds what was packed to some numbers; `None`, and nothing is added, if it is none.
#[must_use]
pub fn unpack(bytes: &[u8], numbers: &mut Vec<u64>) -> Option<()> {
    let before = numbers.len();
    let (mut last, mut difference, mut shift) = (0u64, 0u64, 0);
    for &byte in bytes {
        if shift > 63 {
            break;
        }
        difference |= u64::from(byte & 0x7f) << shift;
        shift += 7;
        if byte < 0x80 {
            last = last.wrapping_add(difference);
            numbers.push(last);
            (difference, shift) = (0, 0);
        }
    }
    if shift != 0 {
        numbers.truncate(before);
        return None;
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    #[test]
    fn numbers_come_back() {
        let mut random = SplitMix64::new(7);
        for bits in [1, 7, 8, 14, 33, 63] {
            let mut numbers: Vec<u64> = (0..500).map(|_| random.next() >> (64 - bits)).collect();
            numbers.extend([0, u64::MAX]);
            numbers.sort_unstable();
            let mut found = vec![3];
            let bytes = pack(&numbers);
            assert_eq!(unpack(&bytes, &mut found), Some(()));
            assert!(found[0] == 3 && found[1..] == numbers);
            assert_eq!(unpack(&bytes[..bytes.len() - 1], &mut found), None);
            assert_eq!(found.len(), numbers.len() + 1);
        }
        let mut found = Vec::new();
        assert_eq!(unpack(&pack(&[]), &mut found), Some(()));
        assert_eq!(unpack(&[0xff; 20], &mut found), None);
        assert!(found.is_empty());
    }
}
