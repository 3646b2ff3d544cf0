//! The exchange file between trainer and quantiser: safetensors, with the network's sizes in its metadata.

use std::collections::HashMap;

use anyhow::Context;
use burn::tensor::{Tensor, backend::Backend};
use safetensors::{Dtype, tensor::TensorView};

/// A network's file before it is bytes. `docs/blob.md` lists its tensors and its metadata.
#[derive(Clone, Debug, Default)]
pub struct Exchange {
    tensors: Vec<(String, Vec<usize>, Vec<u8>)>,
    metadata: HashMap<String, String>,
}

impl Exchange {
    /// Adds a tensor of 32-bit floats.
    ///
    /// # Errors
    /// If it cannot be taken from its device.
    pub fn tensor<B: Backend, const D: usize>(&mut self, name: String, tensor: Tensor<B, D>) -> anyhow::Result<()> {
        let shape = tensor.dims().to_vec();
        let values: Vec<f32> = tensor.into_data().to_vec().map_err(|error| anyhow::anyhow!("{error:?}"))?;
        self.tensors.push((name, shape, values.into_iter().flat_map(f32::to_le_bytes).collect()));
        Ok(())
    }

    /// Adds metadata.
    pub fn say(&mut self, key: &str, value: impl ToString) {
        self.metadata.insert(key.to_owned(), value.to_string());
    }

    /// The file.
    ///
    /// # Errors
    /// If safetensors has no room for it.
    pub fn bytes(self) -> anyhow::Result<Vec<u8>> {
        let views = self
            .tensors
            .iter()
            .map(|(name, shape, bytes)| Ok((name, TensorView::new(Dtype::F32, shape.clone(), bytes)?)))
            .collect::<Result<Vec<_>, safetensors::SafeTensorError>>()?;
        safetensors::serialize(views, Some(self.metadata)).context("cannot write the network as safetensors")
    }
}

/// Numbers as metadata has them: `16,32`.
pub fn list(numbers: &[usize]) -> String {
    let numbers: Vec<String> = numbers.iter().map(usize::to_string).collect();
    numbers.join(",")
}
