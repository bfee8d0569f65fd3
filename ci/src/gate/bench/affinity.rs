//! Which CPU this program and those that it starts run on; where it cannot be chosen, the operating system does.

#[cfg(target_os = "linux")]
mod system {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    pub fn allowed() -> Vec<usize> {
        let allowed = sched_getaffinity(None).unwrap_or_else(|_| CpuSet::new());
        (0..CpuSet::MAX_CPU)
            .filter(|&cpu| allowed.is_set(cpu))
            .collect()
    }

    pub fn pin(cpus: &[usize], turn: usize) {
        let mut one = CpuSet::new();
        if let Some(&cpu) = cpus.get(turn % cpus.len().max(1)) {
            one.set(cpu);
            // Without it there is only more noise, and the report says how much.
            let _ = sched_setaffinity(None, &one);
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    pub fn allowed() -> Vec<usize> {
        Vec::new()
    }

    pub fn pin(_: &[usize], _: usize) {}
}

pub use system::{allowed, pin};
