//! Tables: sorted records in checksummed blocks, written once, probed through a memory map.
//!
//! A table file is a header, blocks of records, an index with an entry for each block, and a
//! footer; `docs/FORMAT.md` specifies every byte. What the records are about, a table does not
//! know: a game gives each position a 64-bit code and keeps the way back to itself.
//!
//! - [`Writer`] takes records in ascending order and makes a file of them. The file has its name
//!   only once it is complete and on the disk.
//! - [`Table`] opens a file, checks header, index and footer, and answers probes. Each block's
//!   checksum is checked before a record of it is believed.
//! - [`Scan`] reads a table's blocks from the file instead of the map, to check them.
//! - [`DenseWriter`] and [`DenseTable`] do the same for tables without codes, whose game computes
//!   the place of each position.
//! - [`merge`] joins tables; [`TableSet`] searches several as one.
//! - [`Recipe`] says how a table was made, as data that a header holds.
//!
//! What a file holds is never trusted: see `SECURITY.md`. That it stays as it is while it is open, is. To
//! replace a table by renaming another over it is safe, since whoever has it open keeps the old one; to
//! cut a mapped file short makes the system end the process. Opening a table and scanning it read the
//! file, and get an error then.

mod block;
mod dense;
mod dense_writer;
mod error;
mod files;
mod format;
mod merge;
mod open_file;
mod output;
mod packed;
mod read_file;
mod reader;
mod recipe;
mod record;
mod scan;
mod set;
mod writer;

pub use dense::{DenseTable, Unpacking};
pub use dense_writer::DenseWriter;
pub use error::TableError;
pub use files::{DENSE_EXTENSION, EXTENSION, files_in, read_header, set_in};
pub(crate) use format::BLOCK_RECORDS;
pub use format::{Codec, Compression, Description, Header, Kind, ValueKind};
pub use merge::{Merged, merge};
pub(crate) use merge::{check_same, merge_between};
pub use open_file::OpenFile;
pub(crate) use output::unfinished;
pub use output::{NewFile, check_output};
pub use reader::Table;
pub use recipe::{OptionError, Options, Recipe};
pub use record::{Layout, Meta, Record};
pub use scan::{DenseScan, Scan};
pub use set::TableSet;
pub use writer::Writer;
