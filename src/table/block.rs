//! Blocks: some hundred records as columns.
//!
//! Compressed: the differences between neighbouring codes as LEB128 numbers (the first code stands
//! in the index), the results, the moves, the value column byte plane by byte plane, all of it one
//! zstd frame. Plain: codes, meta, values as little-endian arrays, read where they lie. The third
//! way has a file of its own, `packed.rs`.

use std::cell::RefCell;

use zstd::bulk::{Compressor, Decompressor};

use super::format::{Compression, ValueKind};
use super::packed::{self, Packed};
use super::record::{Layout, Meta, Record};

/// Measured on Collapsi records: level 9 gains 3 %, level 19 gains 8 % for twenty times the time.
const LEVEL: i32 = 1;

/// Encodes blocks. Keep one for many blocks.
pub(super) struct Encoder {
    compression: Compression,
    layout: Layout,
    value: ValueKind,
    /// Costly to make, so only if it is used.
    zstd: Option<Compressor<'static>>,
}

impl Encoder {
    pub fn new(
        compression: Compression,
        layout: Layout,
        value: ValueKind,
    ) -> std::io::Result<Self> {
        let zstd = match compression {
            Compression::Zstd => Some(Compressor::new(LEVEL)?),
            Compression::None | Compression::Packed => None,
        };
        Ok(Self { compression, layout, value, zstd })
    }

    /// A block's bytes, a multiple of eight of them unless it is compressed.
    pub fn encode(&mut self, records: &[Record]) -> std::io::Result<Vec<u8>> {
        match &mut self.zstd {
            Some(zstd) => zstd.compress(&columns(records, self.layout, self.value)),
            None if self.compression == Compression::Packed => {
                Ok(packed::encode(records, self.layout, self.value))
            }
            None => Ok(encode_plain(records, self.layout, self.value)),
        }
    }
}

fn encode_plain(records: &[Record], layout: Layout, value: ValueKind) -> Vec<u8> {
    let mut bytes: Vec<u8> = records.iter().flat_map(|record| record.code.to_le_bytes()).collect();
    let meta_width = layout.bytes();
    bytes.extend(
        records
            .iter()
            .flat_map(|record| layout.pack(record.meta).to_le_bytes().into_iter().take(meta_width)),
    );
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    let width = value.bytes();
    bytes.extend(
        records.iter().flat_map(|record| record.value.to_le_bytes().into_iter().take(width)),
    );
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    bytes
}

fn columns(records: &[Record], layout: Layout, value: ValueKind) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(records.len() * 6);
    for two in records.windows(2) {
        let mut difference = two[1].code - two[0].code;
        while difference >= 0x80 {
            bytes.push(difference as u8 | 0x80);
            difference >>= 7;
        }
        bytes.push(difference as u8);
    }
    for plane in 0..layout.halves() {
        let result = |record: &Record| (layout.split(record.meta).0 >> (8 * plane)) as u8;
        bytes.extend(records.iter().map(result));
    }
    for plane in 0..layout.halves() {
        let best_move = |record: &Record| (layout.split(record.meta).1 >> (8 * plane)) as u8;
        bytes.extend(records.iter().map(best_move));
    }
    for plane in 0..value.bytes() {
        bytes.extend(records.iter().map(|record| (record.value >> (8 * plane)) as u8));
    }
    bytes
}

/// What is known of a block before its bytes are read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// The code of its first record.
    pub first_code: u64,
    /// The code that the next block begins with, if there is one.
    pub next_code: Option<u64>,
    /// How many records it has, at least one.
    pub records: usize,
    pub layout: Layout,
    pub value: ValueKind,
}

impl Shape {
    /// Checks that the last code of the block is before the next one's first.
    pub fn check_last(&self, code: u64) -> Result<(), Broken> {
        let before = self.next_code.is_none_or(|next| code < next);
        before.then_some(()).ok_or(Broken::Rule("it overlaps the next block"))
    }
}

/// Why bytes with the right checksum are not a block that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Broken {
    /// A rule of the format that they break.
    Rule(&'static str),
    /// There is no memory for what they hold.
    Memory,
}

/// A list with room for so many, or an error: what a file asks for must not end the program.
pub(super) fn room_for<T>(count: usize) -> Result<Vec<T>, Broken> {
    let mut list = Vec::new();
    list.try_reserve_exact(count).map_err(|_| Broken::Memory)?;
    Ok(list)
}

/// All records of a block, every rule of the format checked.
pub(super) fn read_block(
    compression: Compression,
    bytes: &[u8],
    shape: &Shape,
) -> Result<Vec<Record>, Broken> {
    let mut records = room_for(shape.records)?;
    match compression {
        Compression::Zstd => records.extend(Decoded::from_zstd(bytes, shape)?.records()),
        Compression::None => {
            let plain = Plain::new(bytes, shape)?;
            plain.check(shape)?;
            records.extend((0..shape.records).filter_map(|number| plain.record(number)));
        }
        Compression::Packed => {
            let packed = Packed::new(bytes, shape)?;
            packed.check(shape)?;
            packed.read_into(&mut records);
        }
    }
    Ok(records)
}

/// Checks every rule of the format, and keeps nothing.
pub(super) fn check_block(
    compression: Compression,
    bytes: &[u8],
    shape: &Shape,
) -> Result<(), Broken> {
    match compression {
        Compression::Zstd => Decoded::from_zstd(bytes, shape).map(drop),
        Compression::None | Compression::Packed => check_in_place(compression, bytes, shape),
    }
}

/// Checks what is read where it lies, once, so that a look-up need not. What is decompressed is checked
/// then.
pub(super) fn check_in_place(
    compression: Compression,
    bytes: &[u8],
    shape: &Shape,
) -> Result<(), Broken> {
    match compression {
        Compression::Zstd => Ok(()),
        Compression::None => Plain::new(bytes, shape)?.check(shape),
        Compression::Packed => Packed::new(bytes, shape)?.check(shape),
    }
}

/// A block taken apart.
#[derive(Debug, Default)]
pub(super) struct Decoded {
    pub codes: Vec<u64>,
    metas: Vec<Meta>,
    values: Vec<u64>,
}

impl Decoded {
    /// The bytes that a block of so many records takes in memory.
    pub const fn size(records: usize, value: ValueKind) -> usize {
        let value = if value.bytes() == 0 { 0 } else { size_of::<u64>() };
        records * (size_of::<u64>() + size_of::<Meta>() + value)
    }

    /// The record with this number.
    pub fn record(&self, number: usize) -> Record {
        let value = self.values.get(number).copied().unwrap_or(0);
        Record { code: self.codes[number], meta: self.metas[number], value }
    }

    /// The records, in order.
    pub fn records(&self) -> impl Iterator<Item = Record> + '_ {
        (0..self.codes.len()).map(|number| self.record(number))
    }

    /// Takes a compressed block apart and checks it.
    pub fn from_zstd(bytes: &[u8], shape: &Shape) -> Result<Self, Broken> {
        thread_local! {
            static DECOMPRESSOR: RefCell<Option<(Decompressor<'static>, Vec<u8>)>> =
                const { RefCell::new(None) };
        }
        DECOMPRESSOR.with_borrow_mut(|kept| {
            if kept.is_none() {
                *kept = Some((Decompressor::new().map_err(|_| Broken::Memory)?, Vec::new()));
            }
            let (zstd, plain) = kept.as_mut().ok_or(Broken::Memory)?;
            let most = shape.records * (10 + shape.layout.bytes() + shape.value.bytes());
            plain
                .try_reserve_exact(most.saturating_sub(plain.len()))
                .map_err(|_| Broken::Memory)?;
            plain.resize(most, 0);
            let length = zstd.decompress_to_buffer(bytes, plain.as_mut_slice());
            let length =
                length.map_err(|_| Broken::Rule("it is not one zstd frame of its size"))?;
            Self::from_columns(&plain[..length], shape)
        })
    }

    fn from_columns(bytes: &[u8], shape: &Shape) -> Result<Self, Broken> {
        let Shape { first_code, records, layout, value, .. } = *shape;
        let fixed = records * (layout.bytes() + value.bytes());
        let split = bytes.len().checked_sub(fixed).and_then(|at| bytes.split_at_checked(at));
        let (mut differences, rest) = split.ok_or(Broken::Rule("it is too short"))?;
        let mut code = first_code;
        let mut codes = room_for(records)?;
        codes.push(code);
        for _ in 1..records {
            // Records ascend, so a difference of zero is as wrong as one that overflows.
            let difference = leb128(&mut differences);
            let next = difference
                .and_then(|difference| code.checked_add(difference).filter(|_| difference > 0));
            code = next.ok_or(Broken::Rule("its codes do not ascend"))?;
            codes.push(code);
        }
        if !differences.is_empty() {
            return Err(Broken::Rule("it has more codes than records"));
        }
        shape.check_last(code)?;
        let (results, rest) = rest.split_at(records * layout.halves());
        let (moves, planes) = rest.split_at(records * layout.halves());
        let metas = metas(results, moves, records, layout)?;
        let mut values = room_for(if value.bytes() == 0 { 0 } else { records })?;
        if value.bytes() > 0 {
            let byte = |number: usize, plane: usize| u64::from(planes[plane * records + number]);
            let value_of = |number| -> u64 {
                (0..value.bytes()).map(|plane| byte(number, plane) << (8 * plane)).sum()
            };
            values.extend((0..records).map(value_of));
        }
        Ok(Self { codes, metas, values })
    }
}

/// The metas whose planes of results and moves these are.
fn metas(
    results: &[u8],
    moves: &[u8],
    records: usize,
    layout: Layout,
) -> Result<Vec<Meta>, Broken> {
    let mut metas = room_for(records)?;
    if layout == Layout::Bare {
        metas.resize(records, Meta::default());
        return Ok(metas);
    }
    if layout == Layout::Short {
        // Any two bytes are a meta: without a check in between this is quicker.
        let meta = |(&result, &mv): (&u8, &u8)| {
            Layout::Short.join(result.into(), mv.into()).unwrap_or_default()
        };
        metas.extend(results.iter().zip(moves).map(meta));
        return Ok(metas);
    }
    let two = |planes: &[u8], number: usize| {
        u16::from_le_bytes([planes[number], planes[records + number]])
    };
    for number in 0..records {
        let meta = layout.join(two(results, number), two(moves, number));
        metas.push(meta.ok_or(NO_RESULT)?);
    }
    Ok(metas)
}

/// Of a meta that there is not.
pub(super) const NO_RESULT: Broken = Broken::Rule("a record has a result that there is not");

fn leb128(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        // The tenth byte has room for one bit of the 64.
        if shift == 63 && byte > 1 {
            return None;
        }
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

/// A plain block, read in place.
pub(super) struct Plain<'a> {
    pub codes: &'a [[u8; 8]],
    /// Those and the zeros behind them.
    metas: &'a [u8],
    layout: Layout,
    /// Those and the zeros behind them.
    values: &'a [u8],
    width: usize,
}

impl<'a> Plain<'a> {
    /// Finds the parts.
    pub fn new(bytes: &'a [u8], shape: &Shape) -> Result<Self, Broken> {
        let Shape { records, layout, value, .. } = *shape;
        let width = value.bytes();
        let parts = || {
            let (codes, rest) = bytes.split_at_checked(8 * records)?;
            let (metas, values) =
                rest.split_at_checked((layout.bytes() * records).next_multiple_of(8))?;
            let exact = values.len() == (width * records).next_multiple_of(8);
            exact.then_some(Self { codes: codes.as_chunks().0, metas, layout, values, width })
        };
        parts().ok_or(Broken::Rule("its length is wrong"))
    }

    /// Checks what [`new`](Self::new) does not need to know.
    pub fn check(&self, shape: &Shape) -> Result<(), Broken> {
        let code = |number: usize| u64::from_le_bytes(self.codes[number]);
        if code(0) != shape.first_code {
            return Err(Broken::Rule("it does not begin with the code that the index says"));
        }
        if (1..shape.records).any(|number| code(number - 1) >= code(number)) {
            return Err(Broken::Rule("its codes do not ascend"));
        }
        shape.check_last(code(shape.records - 1))?;
        let zeros =
            |part: &[u8], width: usize| part[width * shape.records..].iter().all(|&byte| byte == 0);
        if !zeros(self.metas, self.layout.bytes()) || !zeros(self.values, self.width) {
            return Err(Broken::Rule("its padding is not zero"));
        }
        let sound = (0..shape.records).all(|number| self.meta(number).is_some());
        sound.then_some(()).ok_or(NO_RESULT)
    }

    fn meta(&self, number: usize) -> Option<Meta> {
        let width = self.layout.bytes();
        self.layout.unpack(little_endian(&self.metas[number * width..][..width]) as u32)
    }

    /// The record with this number, `None` if it makes no sense.
    pub fn record(&self, number: usize) -> Option<Record> {
        Some(Record {
            code: u64::from_le_bytes(self.codes[number]),
            meta: self.meta(number)?,
            value: little_endian(&self.values[number * self.width..][..self.width]),
        })
    }
}

fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |all, &byte| all << 8 | u64::from(byte))
}
