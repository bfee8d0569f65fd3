//! The kernels of AES and GHASH at their limits: what they touch in memory, and what they leave in registers.
#![cfg(unix)]

mod common;
mod machine;

use common::calls::{Argument, Buffer, Call, calls};
use common::guard::{Guarded, PLACES, Place};
use common::reference::CANARY;
use machine::{Arguments, Machine, ONES, arguments, number};

/// The most pointers that a kernel takes, in registers, in a record and in a list.
const POINTERS: usize = 11;

/// The places of the buffers, one after the other and then again from the first.
type Places = [Place; 3];

const FIRST: Places = [Guarded::first; 3];

/// Pages for each buffer of a call.
struct Pages(Vec<Guarded>);

impl Pages {
    fn new() -> Self {
        Self((0..POINTERS).map(|_| Guarded::new(1)).collect())
    }

    /// Puts the buffers of a call into their pages, which hold canaries otherwise, and gives them back with the arguments.
    fn fill(&mut self, call: &Call, places: &Places) -> (Arguments, Vec<Buffer>) {
        let mut buffers = Vec::new();
        let values = self.values(&call.arguments, places, &mut buffers);
        (arguments(&values), buffers)
    }

    fn values(
        &mut self,
        arguments: &[Argument],
        places: &Places,
        buffers: &mut Vec<Buffer>,
    ) -> Vec<*const u8> {
        let mut values = Vec::new();
        for argument in arguments {
            let buffer = match argument {
                Argument::Number(value) => {
                    values.push(number(*value));
                    continue;
                }
                Argument::Buffer(buffer) => buffer.clone(),
                Argument::Record(fields) => {
                    let fields = self.values(fields, places, buffers).into_iter();
                    let words = fields.map(|field| field.expose_provenance().to_ne_bytes());
                    Buffer::input(&words.collect::<Vec<_>>().concat())
                }
            };
            let pages = &mut self.0[buffers.len()];
            pages.all().fill(CANARY);
            let place = places[buffers.len() % places.len()];
            let memory = place(pages, buffer.before.len());
            memory.copy_from_slice(&buffer.before);
            values.push(memory.as_ptr());
            buffers.push(buffer);
        }
        values
    }

    /// The buffers hold what they should, and all around them is as it was.
    fn check(&mut self, call: &Call, buffers: &[Buffer], places: &Places) {
        for (i, (buffer, place)) in buffers.iter().zip(places.iter().cycle()).enumerate() {
            let pages = &mut self.0[i];
            let memory = place(pages, buffer.before.len());
            let free = buffer.unspecified.clone();
            memory[free.clone()].copy_from_slice(&buffer.after[free]);
            assert_eq!(memory, buffer.after, "buffer {i} of {}", call.what);
            memory.fill(CANARY);
            let untouched = pages.all().iter().all(|&byte| byte == CANARY);
            assert!(untouched, "around buffer {i} of {}", call.what);
        }
    }

    /// Calls the kernel, and gives back the state of the machine after that.
    fn run(&mut self, call: &Call, places: &Places, before: Machine) -> Machine {
        let mut machine = before;
        let (arguments, buffers) = self.fill(call, places);
        // SAFETY: `calls` has kernels that this CPU can run, with arguments that they accept; their buffers are in the pages.
        unsafe { machine.call(call.kernel, &arguments) };
        self.check(call, &buffers, places);
        if let Some(value) = call.returns {
            assert_eq!(machine.returned() as u32, value, "{}", call.what);
        }
        machine
    }
}

/// At odd addresses, which kernels accept too.
fn odd(pages: &mut Guarded, len: usize) -> &mut [u8] {
    &mut pages.all()[1..][..len]
}

/// Every buffer starts or ends at a page that faults, or has an odd address.
#[test]
fn memory_beside_the_buffers_is_left_alone() {
    let places: Vec<Place> = PLACES.into_iter().chain([odd as Place]).collect();
    let mut pages = Pages::new();
    for call in calls(1) {
        for number in 0..places.len().pow(FIRST.len() as u32) {
            let place = |i| places[number / places.len().pow(i) % places.len()];
            let places: Places = std::array::from_fn(|i| place(i as u32));
            pages.run(&call, &places, Machine::starts()[0]);
        }
    }
}

#[test]
fn the_abi_is_kept() {
    let mut pages = Pages::new();
    for call in calls(2) {
        for before in Machine::starts() {
            let after = pages.run(&call, &FIRST, before);
            after.assert_kept(&before, &call.what);
        }
    }
}

/// The same call with other secrets leaves the same machine behind.
#[test]
fn nothing_secret_stays_in_registers_or_flags() {
    let mut pages = Pages::new();
    let before = Machine::starts()[0];
    let others = calls(100).into_iter().chain(calls(200));
    for (call, other) in calls(3).iter().cycle().zip(others) {
        assert_eq!(call.what, other.what);
        let mut after = |call| pages.run(call, &FIRST, before);
        assert_eq!(after(call), after(&other), "{}", call.what);
    }
}

/// No vector register holds anything at all.
#[test]
fn vector_registers_are_cleared_or_untouched() {
    let mut pages = Pages::new();
    for call in calls(4) {
        let after = pages.run(&call, &FIRST, Machine::starts()[0]);
        for (i, vector) in after.vectors().iter().enumerate() {
            let what = &call.what;
            assert!(
                matches!(*vector, [0, 0] | ONES),
                "vector register {i} is {vector:x?} after {what}"
            );
        }
    }
}
