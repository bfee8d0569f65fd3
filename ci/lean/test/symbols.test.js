'use strict';
const test = require('node:test'), assert = require('node:assert/strict');
const { buildSymbols, findSymbol } = require('../run/symbols.js');

test('every symbol is found, also in a table that is nearly full', () => {
  const symbols = Array.from({ length: 60 }, (_, i) => [`l_Nat_add___${i}`, i * 1000]);
  const table = buildSymbols(symbols, 64);
  for (const [name, value] of symbols) assert.equal(findSymbol(table, name), value);
  assert.equal(findSymbol(table, 'l_Nat_sub'), 0);
});

test('two symbols with one name, or too many symbols, are refused', () => {
  assert.throws(() => buildSymbols([['a', 1], ['a', 2]], 8), /symbol a is there twice/);
  assert.throws(() => buildSymbols([['a', 1], ['b', 2]], 2), /do not fit/);
});
