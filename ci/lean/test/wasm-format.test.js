'use strict';
const test = require('node:test'), assert = require('node:assert/strict');
const { Reader, unsigned, signed, name, list, bytes, section, sections, MAGIC } = require('../prepare/wasm-format.js');

test('numbers are read as they are written', () => {
  for (const n of [0, 1, 127, 128, 300, 2 ** 31, 2 ** 32 - 1, 2 ** 40]) assert.equal(new Reader(unsigned(n)).unsigned(), n);
  for (const n of [0, 1, -1, 63, 64, -64, -65, 2 ** 31 - 1, -(2 ** 31)]) assert.equal(new Reader(signed(n)).signed32(), n);
});

test('names and lists', () => {
  const r = new Reader(list([name('a'), name('bc')]));
  assert.deepEqual(r.list(() => r.name()), ['a', 'bc']);
  assert.ok(r.done);
});

test('sections of a module', () => {
  const module = Buffer.concat([MAGIC, section(1, bytes(0)), section(3, Buffer.alloc(200))]);
  assert.deepEqual(sections(module), [{ id: 1, start: 10, end: 11 }, { id: 3, start: 14, end: 214 }]);
  assert.throws(() => sections(Buffer.alloc(20)), /not a WebAssembly module/);
});

test('initialisers', () => {
  assert.equal(new Reader(bytes(0x41, 0x7f, 0x0b)).constant(), -1);
  assert.equal(new Reader(bytes(0x23, 5, 0x0b)).constant(), null);
  assert.throws(() => new Reader(bytes(0x6a)).constant(), /opcode/);
});
