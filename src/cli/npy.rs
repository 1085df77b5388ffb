//! The header of NumPy's file format, for an array of records whose number is known.
//!
//! <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>: a magic number, the
//! version, the length of the text behind it, and that text: a dictionary in the syntax of Python,
//! filled up with blanks so that the records begin at a multiple of 64.

use super::Failure;

/// The records begin at a multiple of this.
const ALIGNMENT: usize = 64;
/// Magic number, version 1.0, and two bytes of length.
const FIXED: usize = 10;

/// The header of an array with these fields, each a name and a type, and so many records.
pub fn header(fields: &[(&str, String)], records: u64) -> Result<Vec<u8>, Failure> {
    let fields = fields.iter().map(|(name, kind)| format!("('{name}', '{kind}')"));
    let fields = fields.collect::<Vec<_>>().join(", ");
    let text = format!("{{'descr': [{fields}], 'fortran_order': False, 'shape': ({records},), }}");
    let length = (FIXED + text.len() + 1).next_multiple_of(ALIGNMENT) - FIXED;
    let length_bytes = u16::try_from(length).map_err(Failure::input)?.to_le_bytes();
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend(length_bytes);
    header.extend(text.as_bytes());
    header.resize(FIXED + length - 1, b' ');
    header.push(b'\n');
    Ok(header)
}
