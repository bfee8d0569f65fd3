//! An instruction that faults on the processor, where the model says that it does not.

use std::{
    mem, ptr,
    sync::atomic::{AtomicUsize, Ordering},
};

use anyhow::{Result, ensure};

/// The instruction that runs.
pub static RUNNING: AtomicUsize = AtomicUsize::new(usize::MAX);

const STACK: usize = 1 << 16;

/// Handles faults on a stack of their own: the stack pointer may be anything.
pub fn report_faults() -> Result<()> {
    let stack = Box::leak(vec![0_u8; STACK].into_boxed_slice());
    let stack = libc::stack_t {
        ss_sp: stack.as_mut_ptr().cast(),
        ss_flags: 0,
        ss_size: STACK,
    };
    // SAFETY: the stack lives forever, and the handler does not return.
    unsafe {
        ensure!(
            libc::sigaltstack(&stack, ptr::null_mut()) == 0,
            "sigaltstack failed"
        );
        let mut action: libc::sigaction = mem::zeroed();
        action.sa_sigaction = on_fault as *const () as usize;
        action.sa_flags = libc::SA_ONSTACK;
        for signal in [
            libc::SIGSEGV,
            libc::SIGBUS,
            libc::SIGILL,
            libc::SIGFPE,
            libc::SIGTRAP,
        ] {
            ensure!(
                libc::sigaction(signal, &action, ptr::null_mut()) == 0,
                "sigaction failed"
            );
        }
    }
    Ok(())
}

/// Writes the instruction as the whole result, without anything of the interrupted program.
extern "C" fn on_fault(signal: i32) {
    let mut text = *b"{\"fault\":00000000,\"signal\":00}\n";
    decimal(&mut text[9..17], RUNNING.load(Ordering::Relaxed));
    decimal(
        &mut text[27..29],
        usize::try_from(signal).unwrap_or_default(),
    );
    // JSON has no leading zeros.
    for digits in [9..16, 27..28] {
        for at in digits {
            if text[at] != b'0' {
                break;
            }
            text[at] = b' ';
        }
    }
    // SAFETY: both are allowed in a signal handler.
    unsafe {
        libc::write(1, text.as_ptr().cast(), text.len());
        libc::_exit(0);
    }
}

fn decimal(digits: &mut [u8], mut number: usize) {
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + (number % 10) as u8;
        number /= 10;
    }
}
