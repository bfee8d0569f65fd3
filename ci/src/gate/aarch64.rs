//! The library on AArch64: clippy, and every test on several models of CPU.

use anyhow::{Context, Result};

use super::Report;
use crate::aarch64::{CPU, CPUS, Tools, target_dir};

const PACKAGE: [&str; 3] = ["--package", "leanseal", "--locked"];

pub fn check() -> Result<Report> {
    let tools = Tools::prepare()?;
    let mut report = Report::of("models of CPU (emulated by QEMU)");
    let clippy = tools
        .clippy()
        .args(PACKAGE)
        .arg("--all-targets")
        .status()
        .context("cannot run cargo")?;
    if !clippy.success() {
        report.refuse("clippy", "see above");
    }
    for cpu in CPUS {
        println!("--- the tests on {cpu}");
        let tests = tools
            .cargo("test", &target_dir())
            .env(CPU, cpu)
            .args(PACKAGE)
            .status()
            .context("cannot run cargo")?;
        if tests.success() {
            report.checked += 1;
        } else {
            report.refuse(cpu, "a test fails, see above");
        }
    }
    println!("ran on {}", CPUS.join(", "));
    Ok(report)
}
