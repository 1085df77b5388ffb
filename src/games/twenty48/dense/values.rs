//! Arrays of values, by number.

use std::ops::{Deref, DerefMut};

use memmap2::MmapMut;

/// Values that are looked up all over the place. They are mapped in large pages where the system has
/// such: with small ones, most of the time would go into finding where a page is.
#[derive(Default)]
pub struct Values {
    /// None as long as there are no values.
    map: Option<MmapMut>,
    length: usize,
}

impl Values {
    /// Makes room for so many values at least; new ones are all the same.
    pub fn grow(&mut self, length: usize, value: f64) {
        if length <= self.length {
            return;
        }
        // With some to spare, so that layers which grow little by little do not move each time.
        let room = length + length / 4;
        let map = MmapMut::map_anon(room * size_of::<f64>()).expect("memory for a layer");
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        let mut grown = Self { map: Some(map), length: room };
        grown[..self.length].copy_from_slice(self);
        grown[self.length..].fill(value);
        *self = grown;
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
