//! NVIDIA's graphics cards, asked for before burn is: burn panics where there is no driver.

use anyhow::{Context, ensure};
use burn::backend::cuda::CudaDevice;
use cudarc::driver::{CudaContext, sys};

/// The first so many cards.
pub(super) fn devices(count: usize) -> anyhow::Result<Vec<CudaDevice>> {
    // SAFETY: this loads the driver's library, if there is one; burn would load the same.
    let driver = unsafe { sys::is_culib_present() };
    ensure!(driver, "--device cuda: no NVIDIA driver is installed here (its library libcuda was not found)");
    let found = CudaContext::device_count().context("--device cuda: the NVIDIA driver does not answer")?;
    let found = usize::try_from(found).unwrap_or(0);
    ensure!(found > 0, "--device cuda: the NVIDIA driver knows no card");
    ensure!(count <= found, "--devices {count}: this machine has {found} of NVIDIA's cards");
    Ok((0..count).map(CudaDevice::new).collect())
}
