//! Graphics cards through wgpu, asked for before burn is: burn panics where there is none.

use anyhow::ensure;
use burn::backend::wgpu::WgpuDevice;
use wgpu::{Backends, DeviceType, Instance, InstanceDescriptor};

/// The best adapter, or so many discrete cards.
pub(super) fn devices(count: usize) -> anyhow::Result<Vec<WgpuDevice>> {
    let instance = Instance::new(InstanceDescriptor::new_without_display_handle());
    let adapters = pollster::block_on(instance.enumerate_adapters(Backends::PRIMARY));
    ensure!(
        !adapters.is_empty(),
        "--device wgpu: there is no adapter for Vulkan, Metal or Direct3D 12 here (on Linux a driver such as \
         mesa-vulkan-drivers brings one)"
    );
    if count == 1 {
        return Ok(vec![WgpuDevice::DefaultDevice]);
    }
    let discrete = adapters.iter().filter(|adapter| adapter.get_info().device_type == DeviceType::DiscreteGpu).count();
    ensure!(count <= discrete, "--devices {count}: this machine has {discrete} discrete graphics cards");
    Ok((0..count).map(WgpuDevice::DiscreteGpu).collect())
}
