//! Tables taken apart and put together again, with offsets, lengths and checksums that are right: what
//! somebody can do who wants to be believed.

use super::repair::repair;

const HEADER_LENGTH: usize = 12;
const RECORDS: usize = 32;
const BLOCKS: usize = 40;
pub const BLOCK_RECORDS: usize = 48;
const TEXT_LENGTH: usize = 52;
const INDEX_OFFSET: usize = 56;
const FILE_LENGTH: usize = 64;
const FIXED: usize = 80;
const ENTRY: usize = 32;
const FOOTER: usize = 32;

/// A keyed table in parts.
#[derive(Clone)]
pub struct Parts {
    /// The header without text and checksum.
    pub fixed: Vec<u8>,
    pub text: Vec<u8>,
    pub blocks: Vec<Block>,
}

/// A block and what the index says of it.
#[derive(Clone)]
pub struct Block {
    pub first_code: u64,
    pub records: u32,
    pub bytes: Vec<u8>,
}

impl Parts {
    /// Takes a sound table apart.
    pub fn of(file: &[u8]) -> Self {
        let text_end = FIXED + u32_at(file, TEXT_LENGTH) as usize;
        let (index, end) = (u64_at(file, INDEX_OFFSET) as usize, file.len() - FOOTER);
        let block = |entry: &[u8]| {
            let (offset, length) = (u64_at(entry, 8) as usize, u32_at(entry, 16) as usize);
            Block {
                first_code: u64_at(entry, 0),
                records: u32_at(entry, 20),
                bytes: file[offset..][..length].to_vec(),
            }
        };
        Self {
            fixed: file[..FIXED].to_vec(),
            text: file[FIXED..text_end].to_vec(),
            blocks: file[index..end].chunks(ENTRY).map(block).collect(),
        }
    }

    /// The file of the parts, which counts and signs what is there.
    pub fn build(&self) -> Vec<u8> {
        let mut file = self.fixed.clone();
        file.extend(&self.text);
        file.resize(file.len().next_multiple_of(8) + 8, 0);
        let header_length = file.len() as u32;
        let mut index = Vec::new();
        for block in &self.blocks {
            index.extend(block.first_code.to_le_bytes());
            index.extend((file.len() as u64).to_le_bytes());
            index.extend((block.bytes.len() as u32).to_le_bytes());
            index.extend(block.records.to_le_bytes());
            index.extend([0; 8]);
            file.extend(&block.bytes);
        }
        file.resize(file.len().next_multiple_of(8), 0);
        let index_offset = file.len() as u64;
        file.extend(index);
        let length = file.len() as u64 + FOOTER as u64;
        file.extend([0; 8]);
        file.extend(index_offset.to_le_bytes());
        file.extend(length.to_le_bytes());
        file.extend(b"ELBATDNE");
        let records: u64 = self.blocks.iter().map(|block| u64::from(block.records)).sum();
        let mut put = |at: usize, bytes: &[u8]| file[at..at + bytes.len()].copy_from_slice(bytes);
        put(HEADER_LENGTH, &header_length.to_le_bytes());
        put(RECORDS, &records.to_le_bytes());
        put(BLOCKS, &(self.blocks.len() as u64).to_le_bytes());
        put(TEXT_LENGTH, &(self.text.len() as u32).to_le_bytes());
        put(INDEX_OFFSET, &index_offset.to_le_bytes());
        put(FILE_LENGTH, &length.to_le_bytes());
        repair(&mut file);
        file
    }

    /// The content of a compressed block.
    pub fn content(&self, block: usize) -> Vec<u8> {
        zstd::stream::decode_all(&self.blocks[block].bytes[..]).expect("a sound block")
    }

    /// Gives a compressed block another content.
    pub fn set_content(&mut self, block: usize, content: &[u8]) {
        self.blocks[block].bytes = zstd::bulk::compress(content, 3).expect("it can be compressed");
    }
}

pub fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

pub fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) | u32::from(u16_at(bytes, at + 2)) << 16
}

pub fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}
