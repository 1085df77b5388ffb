//! Blocks: some hundred records as columns.
//!
//! Compressed: the differences between neighbouring codes as LEB128 numbers (the first code stands
//! in the index), the results, the moves, the value column byte plane by byte plane, all of it one
//! zstd frame. Plain: codes, meta, values as little-endian arrays, read where they lie. The third
//! way has a file of its own, `packed.rs`.

use std::cell::RefCell;

use zstd::bulk::{Compressor, Decompressor};

use super::format::{Compression, ValueKind};
use super::packed;
use super::record::Layout;
use super::record::{Meta, Record};

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

/// A block taken apart.
#[derive(Debug, Default)]
pub(super) struct Decoded {
    pub codes: Vec<u64>,
    metas: Vec<Meta>,
    values: Vec<u64>,
}

impl Decoded {
    /// The record with this number.
    pub fn record(&self, number: usize) -> Record {
        let value = self.values.get(number).copied().unwrap_or(0);
        Record { code: self.codes[number], meta: self.metas[number], value }
    }

    /// The records, in order.
    pub fn records(&self) -> impl Iterator<Item = Record> + '_ {
        (0..self.codes.len()).map(|number| self.record(number))
    }

    /// Takes a compressed block apart, `None` if its bytes do not make sense.
    pub fn from_zstd(
        bytes: &[u8],
        first_code: u64,
        records: usize,
        layout: Layout,
        value: ValueKind,
    ) -> Option<Self> {
        thread_local! {
            static DECOMPRESSOR: RefCell<Option<(Decompressor<'static>, Vec<u8>)>> =
                const { RefCell::new(None) };
        }
        DECOMPRESSOR.with_borrow_mut(|kept| {
            if kept.is_none() {
                *kept = Some((Decompressor::new().ok()?, Vec::new()));
            }
            let (zstd, plain) = kept.as_mut()?;
            plain.resize(records * (10 + layout.bytes() + value.bytes()), 0);
            let length = zstd.decompress_to_buffer(bytes, plain.as_mut_slice()).ok()?;
            Self::from_columns(&plain[..length], first_code, records, layout, value)
        })
    }

    fn from_columns(
        bytes: &[u8],
        first_code: u64,
        records: usize,
        layout: Layout,
        value: ValueKind,
    ) -> Option<Self> {
        let fixed = records * (layout.bytes() + value.bytes());
        let (mut differences, rest) = bytes.split_at_checked(bytes.len().checked_sub(fixed)?)?;
        let mut code = first_code;
        let mut codes = Vec::with_capacity(records);
        codes.push(code);
        for _ in 1..records {
            // Records ascend, so a difference of zero is as wrong as one that overflows.
            let difference = leb128(&mut differences)?;
            code = code.checked_add(difference).filter(|_| difference > 0)?;
            codes.push(code);
        }
        let (results, rest) = rest.split_at(records * layout.halves());
        let (moves, planes) = rest.split_at(records * layout.halves());
        let metas = metas(results, moves, records, layout)?;
        let values = if value.bytes() == 0 {
            Vec::new()
        } else {
            let byte = |number: usize, plane: usize| u64::from(planes[plane * records + number]);
            let value_of =
                |number| (0..value.bytes()).map(|plane| byte(number, plane) << (8 * plane)).sum();
            (0..records).map(value_of).collect()
        };
        differences.is_empty().then_some(Self { codes, metas, values })
    }
}

/// The metas whose planes of results and moves these are, `None` if one is no meta.
fn metas(results: &[u8], moves: &[u8], records: usize, layout: Layout) -> Option<Vec<Meta>> {
    if layout == Layout::Short {
        // Any two bytes are a meta: without a check in between this is quicker.
        let meta = |(&result, &mv): (&u8, &u8)| {
            Layout::Short.join(result.into(), mv.into()).unwrap_or_default()
        };
        return Some(results.iter().zip(moves).map(meta).collect());
    }
    let two = |planes: &[u8], number: usize| {
        u16::from_le_bytes([planes[number], planes[records + number]])
    };
    (0..records).map(|number| layout.join(two(results, number), two(moves, number))).collect()
}

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
    pub codes: &'a [u64],
    metas: &'a [u8],
    layout: Layout,
    values: &'a [u8],
    width: usize,
}

impl<'a> Plain<'a> {
    /// `None` if the bytes are not as many as the records need, or not aligned.
    pub fn new(bytes: &'a [u8], records: usize, layout: Layout, value: ValueKind) -> Option<Self> {
        let (codes, rest) = bytes.split_at_checked(8 * records)?;
        let (metas, values) =
            rest.split_at_checked((layout.bytes() * records).next_multiple_of(8))?;
        let width = value.bytes();
        if values.len() != (width * records).next_multiple_of(8) {
            return None;
        }
        Some(Self { codes: bytemuck::try_cast_slice(codes).ok()?, metas, layout, values, width })
    }

    /// The record with this number, `None` if it makes no sense.
    pub fn record(&self, number: usize) -> Option<Record> {
        let meta_width = self.layout.bytes();
        let meta = little_endian(&self.metas[number * meta_width..][..meta_width]) as u32;
        Some(Record {
            code: u64::from_le(self.codes[number]),
            meta: self.layout.unpack(meta)?,
            value: little_endian(&self.values[number * self.width..][..self.width]),
        })
    }
}

fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |all, &byte| all << 8 | u64::from(byte))
}
