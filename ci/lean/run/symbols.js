'use strict';
// The symbol table that replaces the glue's `dlsym`: open addressing, three words a slot (two hashes of the name, value + 1).
// Names are not stored: the builder refuses two names with the same pair of hashes.

const WORDS = 3;

function hashes(name) {
  let a = 0x811c9dc5 | 0, b = 0x9747b28c | 0;
  for (let i = 0; i < name.length; i++) {
    const c = name.charCodeAt(i);
    a = Math.imul(a ^ c, 0x01000193);
    b = Math.imul(b ^ c, 0x5bd1e995);
    b ^= b >>> 15;
  }
  return [a, b];
}

// The position of the slot of these hashes: where they are, or the free slot where they would be.
function slot(table, a, b) {
  const mask = table.length / WORDS - 1;
  let i = (a ^ (b >>> 7)) & mask;
  while (table[i * WORDS + 2] !== 0 && (table[i * WORDS] !== a || table[i * WORDS + 1] !== b)) i = (i + 1) & mask;
  return i * WORDS;
}

/** A table of [name, value] pairs; `slots` is a power of two, more than there are symbols. */
function buildSymbols(symbols, slots) {
  if (symbols.length >= slots) throw new Error(`${symbols.length} symbols do not fit ${slots} slots`);
  const table = new Int32Array(slots * WORDS);
  for (const [name, value] of symbols) {
    const [a, b] = hashes(name), i = slot(table, a, b);
    if (table[i + 2] !== 0) throw new Error(`symbol ${name} is there twice, or has the hash of another`);
    table.set([a, b, value + 1], i);
  }
  return table;
}

/** The value of a symbol, or 0 (the null pointer) when there is none. */
function findSymbol(table, name) {
  const [a, b] = hashes(name), i = slot(table, a, b);
  return table[i + 2] === 0 ? 0 : table[i + 2] - 1;
}

module.exports = { buildSymbols, findSymbol };
