'use strict';
const test = require('node:test'), assert = require('node:assert/strict');
const { I32, MAGIC, bytes, name, list, sized, section, SECTION, KIND } = require('../prepare/wasm-format.js');
const { landingPadsModule } = require('../prepare/landing-pads.js');

const RUNTIME = ['emscripten_stack_get_free', 'emscripten_stack_get_current', '_emscripten_stack_restore', 'setThrew'];
const [FREE, CURRENT, RESTORE, THREW, TWICE, THROWS, UNARY] = [1, 2, 3, 4, 5, 6, 7];

// A table slot takes WebAssembly functions only: a module that re-exports JavaScript ones.
function asWasm(functions) {
  const types = functions.map(([, params, results]) => Buffer.concat([bytes(0x60), list(params.map((p) => bytes(p))), list(results.map((p) => bytes(p)))]));
  const imports = functions.map((_, i) => Buffer.concat([name('e'), name(`f${i}`), bytes(KIND.function, i)]));
  const exported = functions.map((_, i) => Buffer.concat([name(`f${i}`), bytes(KIND.function, i)]));
  const module = Buffer.concat([MAGIC, section(SECTION.type, list(types)), section(SECTION.import, list(imports)), section(SECTION.export, list(exported))]);
  const env = Object.fromEntries(functions.map(([f], i) => [`f${i}`, f]));
  return Object.values(new WebAssembly.Instance(new WebAssembly.Module(module), { e: env }).exports);
}

function start(free = 1 << 20) {
  const calls = [], tag = new WebAssembly.Tag({ parameters: ['i32'] });
  const functions = asWasm([
    [() => free, [], [I32]], [() => 77, [], [I32]], [(sp) => { calls.push(['restore', sp]); }, [I32], []],
    [(a, b) => { calls.push(['threw', a, b]); }, [I32, I32], []],
    [(x) => 2 * x, [I32], [I32]], [() => { throw new WebAssembly.Exception(tag, [5]); }, [I32], [I32]], [() => 9, [], [I32]],
  ]);
  const table = new WebAssembly.Table({ initial: 8, element: 'anyfunc' });
  functions.forEach((f, i) => table.set(i + 1, f));
  const pads = [{ name: 'invoke_ii', params: [I32, I32], results: [I32] }];
  const module = landingPadsModule(pads, RUNTIME.map((f, i) => [f, i + 1]), 8);
  const env = { table, tag, invoke_ii: (f, x) => { calls.push(['javascript', f, x]); return -1; } };
  const { invoke_ii: invoke } = new WebAssembly.Instance(new WebAssembly.Module(module), { env }).exports;
  return { invoke, calls };
}

test('a call goes through', () => {
  const { invoke, calls } = start();
  assert.equal(invoke(TWICE, 21), 42);
  assert.deepEqual(calls, []);
});

test('a C++ exception is caught: the stack is restored and the flag is set', () => {
  const { invoke, calls } = start();
  assert.equal(invoke(THROWS, 1), 0);
  assert.deepEqual(calls, [['restore', 77], ['threw', 1, 0]]);
});

test('a callee of another type is called through JavaScript', () => {
  const { invoke, calls } = start();
  assert.equal(invoke(UNARY, 3), -1);
  assert.deepEqual(calls, [['javascript', UNARY, 3]]);
});

test('a call is refused when the linear stack is nearly full', () => {
  const { invoke } = start(1000);
  assert.throws(() => invoke(TWICE, 1), WebAssembly.RuntimeError);
});

test('a module without the runtime functions is refused', () => {
  assert.throws(() => landingPadsModule([{ name: 'invoke_v', params: [I32], results: [] }], [], 8), /does not export emscripten_stack_get_free/);
});
