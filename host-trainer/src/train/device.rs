//! Where tensors live: which of burn's backends this build has, and whether their devices are there.
//!
//! burn is held at 0.21, whose CUDA backend compiles its kernels at run time. Those of 0.22 bring a compiler that their
//! build script downloads, so they do not build without a network. A newer burn has no backend type parameter any
//! more: there a device chooses the backend. What names a backend is therefore here, in [`sparse`](super::sparse), in
//! [`legal`](super::policy::legal) and in [`descent`](super::descent).

#[cfg(feature = "cuda")]
mod cuda;
#[cfg(feature = "wgpu")]
mod wgpu;

use anyhow::{bail, ensure};
use burn::tensor::{backend::AutodiffBackend, ops::Device};

use super::{descent::Descend, few_rows::Product, policy::legal::Legal, sparse::Sparse};

/// A kind of device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum DeviceKind {
    /// The processor, all cores of it.
    #[default]
    Cpu,
    /// A graphics card, through Vulkan, Metal or Direct3D.
    Wgpu,
    /// A graphics card of NVIDIA's.
    Cuda,
}

impl DeviceKind {
    /// The cargo feature that brings it.
    fn feature(self) -> &'static str {
        match self {
            DeviceKind::Cpu => "cpu",
            DeviceKind::Wgpu => "wgpu",
            DeviceKind::Cuda => "cuda",
        }
    }
}

/// A backend that computes all layers that are our own.
pub trait Computes: Sparse + Legal + Product {}

impl<B: Sparse + Legal + Product> Computes for B {}

/// A backend that computes them, their gradients, and the steps along these.
pub trait Trains: Computes + AutodiffBackend<InnerBackend: Computes + Descend> {}

impl<B: Computes + AutodiffBackend<InnerBackend: Computes + Descend>> Trains for B {}

/// What is to be done on a device.
pub trait Task {
    /// What comes of it.
    type Outcome;

    /// Does it on devices of a backend, one at least.
    fn on<B: Trains>(self, devices: &[Device<B>]) -> anyhow::Result<Self::Outcome>;
}

/// Does something on so many devices of a kind.
pub fn with<T: Task>(kind: DeviceKind, count: usize, task: T) -> anyhow::Result<T::Outcome> {
    match kind {
        #[cfg(feature = "cpu")]
        DeviceKind::Cpu => {
            ensure!(count == 1, "--devices {count}: the processor is one device (--threads divides it)");
            task.on::<burn::backend::Autodiff<burn::backend::Flex>>(&[Default::default()])
        }
        #[cfg(feature = "wgpu")]
        DeviceKind::Wgpu => task.on::<burn::backend::Autodiff<burn::backend::Wgpu>>(&wgpu::devices(count)?),
        #[cfg(feature = "cuda")]
        DeviceKind::Cuda => task.on::<burn::backend::Autodiff<burn::backend::Cuda>>(&cuda::devices(count)?),
        #[allow(unreachable_patterns, reason = "a build may have every kind")]
        _ => {
            let feature = kind.feature();
            bail!(
                "this program was built without --device {feature}: build it again with cargo build --profile trainer \
                 -p host-trainer --features {feature}"
            )
        }
    }
}
