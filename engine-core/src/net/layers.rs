//! What networks of both kinds are made of, and what must hold of it.

use super::blob::{BlobError, Layer};

/// The largest activation of a dense layer's input.
pub(super) const MAX_ACTIVATION: u32 = 127;

/// The weights of a layer: by unit, a weight for each input.
#[derive(Clone, Copy, Debug)]
pub(super) struct Units<'a> {
    pub(super) inputs: usize,
    pub(super) weights: &'a [i8],
    pub(super) biases: &'a [i32],
}

impl<'a> Units<'a> {
    /// The weights and the bias of a unit.
    pub(super) fn unit(&self, unit: usize) -> (&'a [i8], i32) {
        (&self.weights[unit * self.inputs..][..self.inputs], self.biases[unit])
    }

    /// Looks whether sums of inputs from 0 to `most` fit 32 bits, whatever part of the inputs has been added up.
    pub(super) fn check(&self, most: u32, layer: Layer) -> Result<(), BlobError> {
        for unit in 0..self.biases.len() {
            let (weights, bias) = self.unit(unit);
            let magnitude: u64 = weights.iter().map(|weight| u64::from(weight.unsigned_abs())).sum();
            if magnitude * u64::from(most) + u64::from(bias.unsigned_abs()) > i32::MAX as u64 {
                return Err(BlobError::Overflow { layer, unit, bits: 32 });
            }
        }
        Ok(())
    }
}

/// Looks whether the first layer's sums of as many columns as inputs can be active fit 16 bits.
pub(super) fn check_first_layer(biases: &[i16], active: usize) -> Result<(), BlobError> {
    let most = i32::from(i16::MAX) + active as i32 * i32::from(i8::MIN);
    match biases.iter().position(|bias| i32::from(*bias).abs() > most) {
        Some(unit) => Err(BlobError::Overflow { layer: Layer::Features, unit, bits: 16 }),
        None => Ok(()),
    }
}

/// The weights that have not been taken yet.
pub(super) struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    /// All the weights of a blob, of which a network of its shape wants so many bytes.
    pub(super) fn of(weights: &'a [u8], wanted: usize) -> Result<Self, BlobError> {
        match weights.len() {
            found if found == wanted => Ok(Self(weights)),
            found => Err(BlobError::Weights { wanted, found }),
        }
    }

    /// The next so many numbers.
    pub(super) fn take<T: bytemuck::AnyBitPattern>(&mut self, count: usize) -> Result<&'a [T], BlobError> {
        let (bytes, rest) = self.0.split_at_checked(count * size_of::<T>()).ok_or(BlobError::Header)?;
        self.0 = rest;
        bytemuck::try_cast_slice(bytes).map_err(|_| BlobError::Alignment)
    }

    /// The next layer of units.
    pub(super) fn units(&mut self, inputs: usize, units: usize) -> Result<Units<'a>, BlobError> {
        Ok(Units { inputs, weights: self.take(inputs * units)?, biases: self.take(units)? })
    }
}
