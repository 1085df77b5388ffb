//! Arrays of values, by number.

use std::ops::{Deref, DerefMut};

use memmap2::MmapMut;

/// Values that are looked up all over the place. They are mapped in large pages where the system has
/// such: with small ones, most of the time would go into finding where a page is.
#[derive(Default)]
pub struct Values {
    /// None as long as there are no values. Has the room for the most that there will be from the
    /// beginning: what nobody has written to takes no memory, and a page costs much when it is
    /// touched for the first time.
    map: Option<MmapMut>,
    length: usize,
}

impl Values {
    /// Makes room for so many values at least, of which there will never be more than `most`; new ones
    /// are all the same.
    pub fn grow(&mut self, length: usize, most: u64, value: f64) {
        if length <= self.length {
            return;
        }
        let room = (most as usize).max(length) * size_of::<f64>();
        if self.map.as_ref().is_none_or(|map| map.len() < room) {
            let map = MmapMut::map_anon(room).expect("memory for a layer");
            #[cfg(target_os = "linux")]
            let _ = map.advise(memmap2::Advice::HugePage);
            let mut grown = Self { map: Some(map), length: self.length };
            grown.copy_from_slice(self);
            *self = grown;
        }
        let before = std::mem::replace(&mut self.length, length);
        // What is mapped is zero.
        if value.to_bits() != 0 {
            self[before..].fill(value);
        }
    }
}

impl Deref for Values {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        self.map.as_ref().map_or(&[], |map| &bytemuck::cast_slice(map)[..self.length])
    }
}

impl DerefMut for Values {
    fn deref_mut(&mut self) -> &mut [f64] {
        let length = self.length;
        self.map.as_mut().map_or(&mut [], |map| &mut bytemuck::cast_slice_mut(map)[..length])
    }
}
