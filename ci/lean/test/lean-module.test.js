'use strict';
const test = require('node:test'), assert = require('node:assert/strict');
const { SECTION, KIND, I32, MAGIC, bytes, name, list, sized, section, unsigned } = require('../prepare/wasm-format.js');
const { rewriteModule, threadLocalExports, importNatively } = require('../prepare/lean-module.js');

// The two code patterns that have to be patched, as data.
const TESTS = Buffer.from('41f494ca002d000045044020024504404102' + '2119024041ec94c2002d000045044002402008', 'hex');

// Functions: 0 imported, 1 returns 41 (in the table), 2 returns 42 (exported only). Global 0: the address 1234.
function module({ data = TESTS } = {}) {
  const constant = (n) => sized(bytes(0, 0x41, n, 0x0b));
  const entry = (s, kind, index) => Buffer.concat([name(s), bytes(kind, index)]);
  return Buffer.concat([MAGIC,
    section(SECTION.custom, name('dylink.0'), bytes(3), sized(list([Buffer.concat([name('tls'), unsigned(256)]), Buffer.concat([name('plain'), bytes(0)])]))),
    section(SECTION.type, list([bytes(0x60, 0, 1, I32), bytes(0x60, 1, I32, 0)])),
    section(SECTION.import, list([Buffer.concat([name('env'), name('invoke_v'), bytes(KIND.function, 1)])])),
    section(SECTION.function, list([bytes(0), bytes(0)])),
    section(SECTION.table, list([bytes(0x70, 0, 3)])),
    section(SECTION.global, list([bytes(I32, 0, 0x41, 0xd2, 0x09, 0x0b)])),
    section(SECTION.export, list([entry('first', 0, 1), entry('second', 0, 2), entry('data', 3, 0), entry('kept', 0, 2)])),
    section(SECTION.element, bytes(1, 0, 0x41, 1, 0x0b), list([bytes(1)])),
    section(SECTION.code, list([constant(41), constant(42)])),
    section(SECTION.custom, name('data'), data)]);
}

test('every exported function is in the table, and only the kept exports stay', () => {
  const { module: rewritten, symbols, tableSize, landingPads } = rewriteModule(module(), new Set(['kept']));
  assert.deepEqual(symbols, [['first', 1], ['second', 3], ['data', 1234], ['kept', 3]]);
  assert.equal(tableSize, 4);
  assert.deepEqual(landingPads, [{ name: 'invoke_v', params: [I32], results: [] }]);
  const table = new WebAssembly.Table({ initial: tableSize, element: 'anyfunc' });
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(rewritten), { env: { invoke_v() {}, __main_table: table } });
  assert.deepEqual(Object.keys(exports), ['kept']);
  assert.equal(table.get(1)(), 41);
  assert.equal(table.get(3)(), 42);
});

test('thread-local data is found', () => assert.deepEqual(threadLocalExports(module()), ['tls']));

test('both tests of isEmscripten become no test', () => {
  const patched = module();
  importNatively(patched);
  const at = patched.indexOf(TESTS.subarray(0, 8));
  assert.equal(patched[at + 8], 0x01);
  assert.equal(patched.length, module().length);
  assert.equal(patched.filter((b, i) => b !== module()[i]).length, 2);
});

test('a module without them, or with one twice, is refused', () => {
  assert.throws(() => rewriteModule(module({ data: Buffer.alloc(4) }), new Set()), /processHeaderCore: .* not found exactly once/);
  assert.throws(() => rewriteModule(module({ data: Buffer.concat([TESTS, TESTS]) }), new Set()), /not found exactly once/);
});
