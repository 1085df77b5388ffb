//! What a distance adds to what is known: positions, and how programs tell each other of them.

use std::ops::Range;

/// The positions of a group that are decided at some distance, by their numbers inside it, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    pub losses: Vec<u32>,
    pub wins: Vec<u32>,
}

impl Found {
    pub fn len(&self) -> usize {
        self.losses.len() + self.wins.len()
    }
}

/// What some groups have, as bytes: the lost positions, then the won ones, in each the distances from one
/// number to the next, in seven bits a byte, the lowest first.
pub fn encode<'a>(groups: impl Iterator<Item = (usize, &'a Found)> + Clone, bytes: &mut Vec<u8>) {
    let lists: [fn(&Found) -> &[u32]; 2] = [|it| &it.losses, |it| &it.wins];
    for list in lists {
        let count: usize = groups.clone().map(|(_, found)| list(found).len()).sum();
        push(bytes, count);
        let mut last = 0;
        for (start, found) in groups.clone() {
            for number in list(found).iter().map(|&it| start + it as usize) {
                push(bytes, number - last);
                last = number;
            }
        }
    }
}

/// The same back: `groups` are the numbers of each group, one behind the other, and what they have. `None`
/// if the bytes are of others.
pub fn decode(mut bytes: &[u8], groups: &[Range<usize>]) -> Option<Vec<Found>> {
    let mut found = vec![Found::default(); groups.len()];
    let lists: [fn(&mut Found) -> &mut Vec<u32>; 2] = [|it| &mut it.losses, |it| &mut it.wins];
    for list in lists {
        let (mut last, mut group) = (0_usize, 0);
        for _ in 0..pull(&mut bytes)? {
            last = last.checked_add(pull(&mut bytes)?)?;
            while last >= groups.get(group)?.end {
                group += 1;
            }
            let inside = last.checked_sub(groups[group].start)?;
            list(&mut found[group]).push(inside as u32);
        }
    }
    bytes.is_empty().then_some(found)
}

fn push(bytes: &mut Vec<u8>, mut number: usize) {
    while number >= 1 << 7 {
        bytes.push(number as u8 | 1 << 7);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn pull(bytes: &mut &[u8]) -> Option<usize> {
    let (mut number, mut shift) = (0, 0);
    loop {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= usize::from(byte & 0x7f).checked_shl(shift)?;
        if byte < 1 << 7 {
            return Some(number);
        }
        shift += 7;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_found_comes_back() {
        let groups = [1000..1200, 1200..1200, 1200..300_000, 300_000..300_001];
        let found = [
            Found { losses: vec![0, 1, 199], wins: vec![7] },
            Found::default(),
            Found { losses: vec![], wins: vec![0, 128, 298_799] },
            Found { losses: vec![0], wins: vec![] },
        ];
        let mut bytes = Vec::new();
        encode(groups.iter().map(|it| it.start).zip(&found), &mut bytes);
        assert_eq!(decode(&bytes, &groups).as_deref(), Some(&found[..]));
        // Neither part of it, nor more, nor numbers of other groups.
        assert!((0..bytes.len()).all(|end| decode(&bytes[..end], &groups).is_none()));
        assert_eq!(decode(&[&bytes[..], &[0]].concat(), &groups), None);
        assert_eq!(decode(&bytes, &groups[..3]), None);
        assert_eq!(decode(&bytes, &groups[1..]), None);
        assert_eq!(decode(&[0xff; 20], &groups), None);
    }
}
