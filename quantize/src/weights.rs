//! Trained weights: named tensors of floats and what their file says of them, as safetensors holds them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use safetensors::{Dtype, SafeTensorError, SafeTensors};
use thiserror::Error;

/// Why weights could not be read.
#[derive(Debug, Error)]
pub enum WeightsError {
    /// The file cannot be read.
    #[error("cannot read {path}")]
    File {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is no safetensors file.
    #[error("{path} is not a whole safetensors file")]
    Format {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        source: SafeTensorError,
    },
    /// A tensor does not hold 32-bit floats.
    #[error("tensor '{name}' holds {dtype:?}; weights are F32")]
    NotFloat {
        /// Which tensor.
        name: String,
        /// What it holds.
        dtype: Dtype,
    },
    /// A tensor holds a weight that is not a finite number.
    #[error("tensor '{name}': weight {index} is {value}")]
    NotFinite {
        /// Which tensor.
        name: String,
        /// Where in it.
        index: usize,
        /// What stands there.
        value: f32,
    },
}

/// What a file of weights says of itself, by name.
pub type Metadata = BTreeMap<String, String>;

/// All that a file of weights holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Weights {
    /// The weights, by name.
    pub tensors: Vec<Tensor>,
    /// What the file says of them.
    pub metadata: Metadata,
}

/// A named block of weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// Its name, as the trainer gave it.
    pub name: String,
    /// Its dimensions, outermost first.
    pub shape: Vec<usize>,
    /// Its weights, the last dimension running fastest.
    pub values: Vec<f32>,
}

impl Tensor {
    /// A tensor of finite numbers.
    ///
    /// # Errors
    /// [`WeightsError::NotFinite`], with the first number that is not.
    pub fn new(name: String, shape: Vec<usize>, values: Vec<f32>) -> Result<Self, WeightsError> {
        match values.iter().position(|value| !value.is_finite()) {
            Some(index) => Err(WeightsError::NotFinite { name, index, value: values[index] }),
            None => Ok(Self { name, shape, values }),
        }
    }

    /// Its dimensions as `704x128`.
    #[must_use]
    pub fn dimensions(&self) -> String {
        self.shape.iter().map(ToString::to_string).collect::<Vec<_>>().join("x")
    }
}

/// Reads a safetensors file.
///
/// # Errors
/// If the file cannot be read, is damaged, or holds anything but finite 32-bit floats.
pub fn read(path: &Path) -> Result<Weights, WeightsError> {
    let bytes = fs::read(path).map_err(|source| WeightsError::File { path: path.to_owned(), source })?;
    let damaged = |source| WeightsError::Format { path: path.to_owned(), source };
    let (_, header) = SafeTensors::read_metadata(&bytes).map_err(damaged)?;
    let file = SafeTensors::deserialize(&bytes).map_err(damaged)?;
    let mut tensors = Vec::new();
    for (name, view) in file.tensors() {
        if view.dtype() != Dtype::F32 {
            return Err(WeightsError::NotFloat { name, dtype: view.dtype() });
        }
        let (floats, _) = view.data().as_chunks::<4>();
        let values = floats.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect();
        tensors.push(Tensor::new(name, view.shape().to_vec(), values)?);
    }
    tensors.sort_by(|a, b| a.name.cmp(&b.name));
    let metadata = header.metadata().iter().flatten().map(|(name, value)| (name.clone(), value.clone())).collect();
    Ok(Weights { tensors, metadata })
}

#[cfg(test)]
mod tests {
    use safetensors::tensor::TensorView;

    use super::*;

    fn file(dtype: Dtype, values: &[f32]) -> tempfile::NamedTempFile {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let view = TensorView::new(dtype, vec![values.len()], &bytes).expect("a tensor");
        let metadata = [("width".to_owned(), "16".to_owned())].into();
        let file = tempfile::NamedTempFile::new().expect("a file");
        fs::write(file.path(), safetensors::serialize([("layer", view)], Some(metadata)).expect("a file"))
            .expect("written");
        file
    }

    #[test]
    fn what_was_written_is_read() {
        let weights = read(file(Dtype::F32, &[0.5, -1.0]).path()).expect("weights");
        assert_eq!(weights.tensors, [Tensor { name: "layer".into(), shape: vec![2], values: vec![0.5, -1.0] }]);
        assert_eq!(weights.metadata, [("width".to_owned(), "16".to_owned())].into());
    }

    #[test]
    fn what_is_wrong_is_named() {
        let message = |path: &Path| read(path).expect_err("an error").to_string();
        assert_eq!(message(file(Dtype::I32, &[0.5]).path()), "tensor 'layer' holds I32; weights are F32");
        assert_eq!(message(file(Dtype::F32, &[0.5, f32::NAN]).path()), "tensor 'layer': weight 1 is NaN");
        assert_eq!(message(Path::new("/nowhere")), "cannot read /nowhere");
        let damaged = file(Dtype::F32, &[0.5]);
        let bytes = fs::read(damaged.path()).expect("bytes");
        fs::write(damaged.path(), &bytes[..bytes.len() - 1]).expect("written");
        assert!(message(damaged.path()).ends_with("is not a whole safetensors file"));
    }
}
