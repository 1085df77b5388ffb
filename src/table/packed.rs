//! Packed blocks: small without being compressed, so that a probe reads a record where it lies.
//!
//! Codes are stored after Elias and Fano: the low bits of each apart, the high bits as a row of
//! ones with a zero for each step of the high part. What a record says is a number in the block's
//! list of metas. Metas that always come with the same value (a game that is over is worth 0) have
//! it stored once; only the others' records have a value of their own.
//!
//! `docs/FORMAT.md` specifies the bytes; [`Packed::new`] finds the parts.

use super::block::{Broken, NO_RESULT, Shape};
use super::format::ValueKind;
use super::record::{Layout, Meta, Record};

/// Bytes of a block before its columns.
const HEAD: usize = 8;

/// A packed block's bytes.
pub(super) fn encode(records: &[Record], layout: Layout, value: ValueKind) -> Vec<u8> {
    let width = value.bytes();
    let metas = Metas::of(records, layout);
    let first = records[0].code;
    let last = records[records.len() - 1].code - first;
    let low_bits = low_bits(last, records.len());
    let high_words = ((last >> low_bits) as usize + records.len()).div_ceil(64);

    let mut head = [0; HEAD];
    head[0] = low_bits as u8;
    head[1] = metas.bits as u8;
    head[2..4].copy_from_slice(&(metas.list.len() as u16).to_le_bytes());
    head[4..6].copy_from_slice(&(metas.constants as u16).to_le_bytes());
    head[6..8].copy_from_slice(&(high_words as u16).to_le_bytes());

    let mut high = vec![0u64; high_words];
    let mut low = Bits::with_room(records.len() * low_bits as usize);
    for (place, record) in records.iter().enumerate() {
        let offset = record.code - first;
        let at = (offset >> low_bits) as usize + place;
        high[at / 64] |= 1 << (at % 64);
        low.push(offset & ones(low_bits), low_bits);
    }
    let mut numbers = Bits::with_room(records.len() * metas.bits as usize);
    let mut own = Bits::with_room(records.len());
    let mut values = Values::with_room(records.len(), width);
    // Where all records say the same, which is looked up once.
    let constant = metas.constants > 0;
    let is_single = metas.list.len() == 1;
    for record in records {
        let has_own = if is_single {
            !constant
        } else {
            let number = metas.number(record.meta);
            numbers.push(number as u64, metas.bits);
            own.push((number >= metas.constants).into(), 1);
            number >= metas.constants
        };
        if has_own {
            values.push(record.value);
        }
    }
    let values = values.finish();

    let words = high.len() + low.words.len() + numbers.words.len() + own.words.len();
    let lists = metas.list.len() * (layout.bytes() + width) + values.len();
    let mut bytes = Vec::with_capacity((HEAD + 8 * words + lists).next_multiple_of(8));
    bytes.extend(head);
    let mut put = |words: &[u64]| words.iter().for_each(|word| bytes.extend(word.to_le_bytes()));
    put(&high);
    put(&low.words);
    put(&numbers.words);
    if metas.is_mixed() {
        put(&own.words);
    }
    for &(meta, _) in &metas.list {
        bytes.extend(&layout.pack(meta).to_le_bytes()[..layout.bytes()]);
    }
    for (_, constant) in &metas.list[..metas.constants] {
        bytes.extend(&constant.to_le_bytes()[..width]);
    }
    bytes.extend(values);
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    bytes
}

/// How many low bits are kept apart: as many as make high parts about as many as records.
const fn low_bits(last: u64, records: usize) -> u32 {
    let ratio = last / records as u64;
    if ratio == 0 { 0 } else { ratio.ilog2() }
}

/// The lowest bits set.
const fn ones(bits: u32) -> u64 {
    (1 << bits) - 1
}

/// The metas of a block.
struct Metas {
    /// Each once, with the value of its first record: those with a constant value first, then by
    /// number.
    list: Vec<(Meta, u64)>,
    /// How many have a constant value.
    constants: usize,
    /// Bits of a number in the list.
    bits: u32,
}

impl Metas {
    fn of(records: &[Record], layout: Layout) -> Self {
        let mut list: Vec<(Meta, u64, bool)> = Vec::new();
        for record in records {
            match list.iter_mut().find(|(meta, ..)| *meta == record.meta) {
                Some((_, value, constant)) => *constant &= *value == record.value,
                None => list.push((record.meta, record.value, true)),
            }
        }
        list.sort_unstable_by_key(|&(meta, _, constant)| (!constant, layout.pack(meta)));
        let constants = list.iter().filter(|(.., constant)| *constant).count();
        let bits = (list.len() - 1).checked_ilog2().map_or(0, |log| log + 1);
        Self {
            list: list.into_iter().map(|(meta, value, _)| (meta, value)).collect(),
            constants,
            bits,
        }
    }

    fn number(&self, meta: Meta) -> usize {
        self.list.iter().position(|(it, _)| *it == meta).expect("every meta is in the list")
    }

    /// Whether some records have a value of their own and others have not.
    fn is_mixed(&self) -> bool {
        0 < self.constants && self.constants < self.list.len()
    }
}

/// Values of a few bytes each, one behind the other.
struct Values {
    bytes: Vec<u8>,
    width: usize,
    length: usize,
}

impl Values {
    fn with_room(values: usize, width: usize) -> Self {
        // Each is written with all its eight bytes, of which the next one takes some.
        Self { bytes: vec![0; values * width + size_of::<u64>()], width, length: 0 }
    }

    #[inline]
    fn push(&mut self, value: u64) {
        let there = &mut self.bytes[self.length..self.length + size_of::<u64>()];
        there.copy_from_slice(&value.to_le_bytes());
        self.length += self.width;
    }

    fn finish(mut self) -> Vec<u8> {
        self.bytes.truncate(self.length);
        self.bytes
    }
}

/// Numbers of a few bits each, one behind the other from the lowest bit on, in whole words, the
/// last one filled up with zeros.
struct Bits {
    words: Vec<u64>,
    length: usize,
}

impl Bits {
    /// For so many bits.
    fn with_room(bits: usize) -> Self {
        Self { words: vec![0; bits.div_ceil(64)], length: 0 }
    }

    fn push(&mut self, number: u64, bits: u32) {
        if bits == 0 {
            return;
        }
        let (word, at) = (self.length / 64, self.length % 64);
        self.words[word] |= number << at;
        if at + bits as usize > 64 {
            self.words[word + 1] = number >> (64 - at);
        }
        self.length += bits as usize;
    }
}

/// A packed block, read where it lies.
pub(super) struct Packed<'a> {
    records: usize,
    first: u64,
    low_bits: u32,
    meta_bits: u32,
    constants: usize,
    layout: Layout,
    width: usize,
    high: &'a [[u8; 8]],
    low: &'a [[u8; 8]],
    numbers: &'a [[u8; 8]],
    /// Which records have a value of their own; empty if all or none have.
    own: &'a [[u8; 8]],
    /// How many metas the list has.
    metas: usize,
    list: &'a [u8],
    constant_values: &'a [u8],
    values: &'a [u8],
    /// Zeros up to a multiple of eight.
    padding: &'a [u8],
}

impl<'a> Packed<'a> {
    /// Finds the parts.
    pub fn new(bytes: &'a [u8], shape: &Shape) -> Result<Self, Broken> {
        Self::parts(bytes, shape).ok_or(Broken::Rule("its parts do not fit its length"))
    }

    fn parts(bytes: &'a [u8], shape: &Shape) -> Option<Self> {
        let Shape { first_code, records, layout, value, .. } = *shape;
        let half = |at: usize| usize::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]));
        let (head, mut rest) = bytes.split_at_checked(HEAD)?;
        let (low_bits, meta_bits) = (u32::from(head[0]), u32::from(head[1]));
        let (metas, constants, high_words) = (half(2), half(4), half(6));
        let sane = low_bits < 64 && meta_bits <= 16 && metas > 0 && constants <= metas;
        if !sane {
            return None;
        }
        let mut take = |length: usize| {
            let (part, behind) = rest.split_at_checked(length)?;
            rest = behind;
            Some(part)
        };
        let width = value.bytes();
        let mut words = |bits: usize| Some(take(8 * bits.div_ceil(64))?.as_chunks().0);
        let high = words(64 * high_words)?;
        let low = words(records * low_bits as usize)?;
        let numbers = words(records * meta_bits as usize)?;
        let own = words(if 0 < constants && constants < metas { records } else { 0 })?;
        let list = take(layout.bytes() * metas)?;
        let constant_values = take(width * constants)?;
        let own_count = match own {
            [] if constants == 0 => records,
            own => own.iter().map(|word| u64::from_le_bytes(*word).count_ones() as usize).sum(),
        };
        let values = take(width * own_count)?;
        (rest.len() < 8).then_some(Self {
            records,
            first: first_code,
            low_bits,
            meta_bits,
            constants,
            layout,
            width,
            high,
            low,
            numbers,
            own,
            metas,
            list,
            constant_values,
            values,
            padding: rest,
        })
    }

    /// Checks what [`new`](Self::new) does not need to know, so that what is looked up afterwards is
    /// there, and what is not found is not.
    pub fn check(&self, shape: &Shape) -> Result<(), Broken> {
        let unused = |row: &[[u8; 8]], bits: usize| match bits % 64 {
            0 => 0,
            used => word(row, bits / 64).unwrap_or(0) >> used,
        };
        let set = unused(self.low, self.records * self.low_bits as usize)
            | unused(self.numbers, self.records * self.meta_bits as usize)
            | unused(self.own, if self.own.is_empty() { 0 } else { self.records });
        if set != 0 || self.padding.iter().any(|&byte| byte != 0) {
            return Err(Broken::Rule("bits that should be unused are set"));
        }
        if self.layout == Layout::Bare && self.metas != 1 {
            return Err(Broken::Rule("it has several metas, where records have none"));
        }
        if (0..self.metas).any(|number| self.meta(number).is_none()) {
            return Err(NO_RESULT);
        }
        self.check_numbers()?;
        self.check_codes(shape)
    }

    /// Checks that every record has a meta of the list, and a value of its own if and only if the
    /// meta's is not constant.
    fn check_numbers(&self) -> Result<(), Broken> {
        let mut numbers = Row::new(self.numbers, self.meta_bits);
        let mut own = Row::new(self.own, u32::from(!self.own.is_empty()));
        let all_own = self.own.is_empty() && self.constants == 0;
        for _ in 0..self.records {
            let number = numbers.next() as usize;
            if number >= self.metas {
                return Err(Broken::Rule("a record has a meta that is not in the list"));
            }
            let has_own = all_own || own.next() == 1;
            if has_own != (number >= self.constants) {
                return Err(Broken::Rule("a record has no value, or one too many"));
            }
        }
        Ok(())
    }

    /// Checks that there are as many codes as records, that they begin with the block's first and
    /// ascend.
    fn check_codes(&self, shape: &Shape) -> Result<(), Broken> {
        let high = || self.high.iter().map(|word| u64::from_le_bytes(*word));
        let ones: usize = high().map(|word| word.count_ones() as usize).sum();
        if ones != self.records {
            return Err(Broken::Rule("it has not as many codes as records"));
        }
        let steps =
            high().enumerate().flat_map(|(place, word)| Ones(word).map(move |at| (place, at)));
        let mut low = Row::new(self.low, self.low_bits);
        let mut last = None;
        for (number, (place, at)) in steps.enumerate() {
            let step = (64 * place + at as usize - number) as u64;
            let offset = step.checked_mul(1 << self.low_bits).map(|high| high | low.next());
            let ascends = offset > last && (number > 0 || offset == Some(0));
            if !ascends {
                return Err(Broken::Rule(
                    "its codes do not ascend from the one that the index says",
                ));
            }
            last = offset;
        }
        let last = last.and_then(|last| self.first.checked_add(last));
        shape.check_last(last.ok_or(Broken::Rule("a code is too large"))?)
    }

    /// The record of a code, if it is here.
    #[inline]
    pub fn find(&self, code: u64) -> Option<Record> {
        let offset = code.checked_sub(self.first)?;
        let step = offset >> self.low_bits;
        let mut at = self.behind_zero(step)?;
        let wanted = offset & ones(self.low_bits);
        // The records with this high part stand one behind the other, their low parts ascending.
        while word(self.high, at / 64)? >> (at % 64) & 1 == 1 {
            let number = (at as u64).checked_sub(step)? as usize;
            let low = self.low_part(number)?;
            if low >= wanted {
                return if low == wanted { self.record(number, code) } else { None };
            }
            at += 1;
        }
        None
    }

    /// Where the bits behind the zero with this number begin, the first of them being number 1.
    fn behind_zero(&self, number: u64) -> Option<usize> {
        let mut left = number;
        if left == 0 {
            return Some(0);
        }
        for (at, bytes) in self.high.iter().enumerate() {
            let zeros = !u64::from_le_bytes(*bytes);
            let count = u64::from(zeros.count_ones());
            if left <= count {
                return Some(64 * at + nth_one(zeros, left as u32) as usize + 1);
            }
            left -= count;
        }
        None
    }

    fn low_part(&self, number: usize) -> Option<u64> {
        bits(self.low, number * self.low_bits as usize, self.low_bits)
    }

    /// What is stored beside the code.
    fn record(&self, number: usize, code: u64) -> Option<Record> {
        if number >= self.records {
            return None;
        }
        let in_list =
            bits(self.numbers, number * self.meta_bits as usize, self.meta_bits)? as usize;
        let meta = self.meta(in_list)?;
        let (values, place) = if in_list < self.constants {
            (self.constant_values, in_list)
        } else {
            (self.values, self.own_before(number)?)
        };
        Some(Record { code, meta, value: value_at(values, place, self.width) })
    }

    /// A meta of the list.
    fn meta(&self, number: usize) -> Option<Meta> {
        let meta = self.list.get(number * self.layout.bytes()..)?;
        self.layout.unpack(match self.layout {
            Layout::Short => u32::from(u16::from_le_bytes(*meta.first_chunk()?)),
            Layout::Long | Layout::Entry | Layout::ByteEntry => {
                u32::from_le_bytes(*meta.first_chunk()?)
            }
            Layout::Bare => 0,
        })
    }

    /// How many records before this one have a value of their own.
    fn own_before(&self, number: usize) -> Option<usize> {
        if self.own.is_empty() {
            return Some(number);
        }
        let whole = self.own.get(..number / 64)?;
        let whole: u32 = whole.iter().map(|word| u64::from_le_bytes(*word).count_ones()).sum();
        let part = word(self.own, number / 64)? & ones((number % 64) as u32);
        Some((whole + part.count_ones()) as usize)
    }

    /// Appends all records of a block that was [checked](Self::check), each part read from front to
    /// back.
    pub fn read_into(&self, records: &mut Vec<Record>) {
        let constant = |number| (number < self.constants).then(|| self.constant_value(number));
        let metas: Vec<(Meta, Option<u64>)> = (0..self.metas)
            .map_while(|number| Some((self.meta(number)?, constant(number))))
            .collect();
        let mut numbers = Row::new(self.numbers, self.meta_bits);
        let mut low = Row::new(self.low, self.low_bits);
        let (mut number, mut values) = (0, 0);
        for (place, word) in self.high.iter().enumerate() {
            for at in Ones(u64::from_le_bytes(*word)) {
                let step = (64 * place + at as usize - number) as u64;
                number += 1;
                let code = self.first.wrapping_add(step << self.low_bits | low.next());
                let Some(&(meta, constant)) = metas.get(numbers.next() as usize) else { return };
                let value = constant.unwrap_or_else(|| {
                    values += 1;
                    value_at(self.values, values - 1, self.width)
                });
                records.push(Record { code, meta, value });
            }
        }
    }

    fn constant_value(&self, number: usize) -> u64 {
        value_at(self.constant_values, number, self.width)
    }
}

/// The value with this number of a list, each a few bytes wide; behind the last, 0.
#[inline]
fn value_at(values: &[u8], number: usize, width: usize) -> u64 {
    let rest = values.get(number * width..).unwrap_or_default();
    let mut eight = [0; 8];
    match rest.first_chunk() {
        // The bytes of the next ones are dropped.
        Some(chunk) => return u64::from_le_bytes(*chunk) & value_mask(width),
        None => {
            let there = rest.len().min(width);
            eight[..there].copy_from_slice(&rest[..there]);
        }
    }
    u64::from_le_bytes(eight)
}

/// The bits of a value so many bytes wide.
const fn value_mask(width: usize) -> u64 {
    match width {
        0 => 0,
        width => u64::MAX >> (64 - 8 * width as u32),
    }
}

/// The places of the ones of a word, ascending.
struct Ones(u64);

impl Iterator for Ones {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let place = (self.0 != 0).then(|| self.0.trailing_zeros())?;
        self.0 &= self.0 - 1;
        Some(place)
    }
}

/// Numbers of a few bits each, at most 63, read one behind the other.
struct Row<'a> {
    words: std::slice::Iter<'a, [u8; 8]>,
    /// Bits that have been taken from the words and not been given, from the lowest on.
    word: u64,
    left: u32,
    bits: u32,
}

impl<'a> Row<'a> {
    fn new(words: &'a [[u8; 8]], bits: u32) -> Self {
        Self { words: words.iter(), word: 0, left: 0, bits }
    }

    /// The next number; zeros behind the last.
    #[inline]
    fn next(&mut self) -> u64 {
        let number = self.word;
        if self.left >= self.bits {
            self.word >>= self.bits;
            self.left -= self.bits;
            return number & ones(self.bits);
        }
        let next = self.words.next().map_or(0, |word| u64::from_le_bytes(*word));
        // Fewer than 64 bits are left, and fewer than 64 are wanted.
        let missing = self.bits - self.left;
        let number = number | next << self.left;
        self.word = next >> missing;
        self.left = 64 - missing;
        number & ones(self.bits)
    }
}

fn word(words: &[[u8; 8]], number: usize) -> Option<u64> {
    words.get(number).map(|bytes| u64::from_le_bytes(*bytes))
}

/// Some bits of a row of words, at most 63 of them.
fn bits(words: &[[u8; 8]], at: usize, bits: u32) -> Option<u64> {
    if bits == 0 {
        return Some(0);
    }
    let shift = at % 64;
    let mut number = word(words, at / 64)? >> shift;
    if shift + bits as usize > 64 {
        number |= word(words, at / 64 + 1)? << (64 - shift);
    }
    Some(number & ones(bits))
}

/// The place of the one with this number, counted from 1, of a word that has so many.
fn nth_one(word: u64, number: u32) -> u32 {
    let (mut word, mut left, mut place) = (word, number, 0);
    for half in [32, 16, 8, 4, 2, 1] {
        let below = (word & ones(half)).count_ones();
        if left > below {
            left -= below;
            word >>= half;
            place += half;
        }
    }
    place
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;
    use crate::value::{Plies, Value};

    fn random_records(random: &mut SplitMix64, count: u64, gap: u64) -> Vec<Record> {
        let mut code = random.next() >> 20;
        let metas = 1 + random.below(9);
        (0..count)
            .map(|_| {
                code += 1 + random.below(gap);
                let kind = random.below(metas);
                let meta = Meta::new(0, Value::Win(Plies(0)), Some(kind as u16));
                let value = if kind < 3 { 7 * kind } else { random.below(1 << 32) };
                Record { code, meta, value }
            })
            .collect()
    }

    /// The same as far as a layout and a kind of value have room for them.
    fn fitted(mut records: Vec<Record>, layout: Layout, value: ValueKind) -> Vec<Record> {
        for record in &mut records {
            record.value &= u64::MAX >> (64 - 8 * value.bytes());
            if layout == Layout::Bare {
                record.meta = Meta::default();
            }
        }
        records
    }

    fn shape(records: &[Record], layout: Layout, value: ValueKind) -> Shape {
        let (first_code, records) = (records[0].code, records.len());
        Shape { first_code, next_code: None, records, layout, value }
    }

    #[test]
    fn what_is_packed_is_found_and_nothing_else() {
        let mut random = SplitMix64::new(3);
        for round in 0..400 {
            let (count, gap) = (1 + random.below(256), 1 << random.below(40));
            let records = random_records(&mut random, count, gap);
            let kind = [ValueKind::F64, ValueKind::Chance24, ValueKind::Chance16][round % 3];
            let layout = [Layout::Short, Layout::Long, Layout::Bare, Layout::Bare][round % 4];
            let records = fitted(records, layout, kind);
            let bytes = encode(&records, layout, kind);
            assert_eq!(bytes.len() % 8, 0);
            let shape = shape(&records, layout, kind);
            let packed = Packed::new(&bytes, &shape).unwrap();
            assert_eq!(packed.check(&shape), Ok(()));
            let mut read = Vec::new();
            packed.read_into(&mut read);
            assert_eq!(read, records, "round {round}");
            for record in &records {
                assert_eq!(packed.find(record.code), Some(*record));
                for near in [record.code - 1, record.code + 1, record.code + gap] {
                    let there = records.iter().find(|it| it.code == near).copied();
                    assert_eq!(packed.find(near), there, "round {round}");
                }
            }
            assert_eq!(packed.find(u64::MAX), None);
        }
    }

    /// What passes the check is whole: every record is found, each in its place, and no more.
    #[test]
    fn damage_is_noticed_or_harmless() {
        let mut random = SplitMix64::new(4);
        let records = random_records(&mut random, 200, 1000);
        damage(&records, Layout::Short, ValueKind::F32, &mut random);
        let records = fitted(records, Layout::Bare, ValueKind::Chance24);
        damage(&records, Layout::Bare, ValueKind::Chance24, &mut random);
    }

    fn damage(records: &[Record], layout: Layout, value: ValueKind, random: &mut SplitMix64) {
        let bytes = encode(records, layout, value);
        let shape = shape(records, layout, value);
        let mut passed = 0;
        for _ in 0..20_000 {
            let mut bytes = bytes.clone();
            for _ in 0..1 + random.below(4) {
                let at = random.below(bytes.len() as u64) as usize;
                bytes[at] ^= 1 << random.below(8);
            }
            if random.below(4) == 0 {
                bytes.truncate(random.below(bytes.len() as u64) as usize);
            }
            let Ok(packed) = Packed::new(&bytes, &shape) else { continue };
            _ = packed.find(records[random.below(200) as usize].code);
            let mut all = Vec::new();
            packed.read_into(&mut all);
            if packed.check(&shape).is_ok() {
                passed += 1;
                assert!(all.len() == 200 && all.windows(2).all(|two| two[0].code < two[1].code));
                assert!(all.iter().all(|record| packed.find(record.code) == Some(*record)));
            }
        }
        assert!(passed > 1000, "{passed}");
    }
}
