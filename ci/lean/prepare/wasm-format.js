'use strict';
// The little of the WebAssembly binary format that the preparation reads and writes.

const SECTION = { custom: 0, type: 1, import: 2, function: 3, table: 4, global: 6, export: 7, element: 9, code: 10 };
const KIND = { function: 0, table: 1, memory: 2, global: 3, tag: 4 };
const I32 = 0x7f, I64 = 0x7e, F32 = 0x7d, F64 = 0x7c;
const MAGIC = Buffer.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);

class Reader {
  constructor(bytes, position = 0, end = bytes.length) {
    Object.assign(this, { bytes, position, end });
  }
  get done() { return this.position >= this.end; }
  byte() { return this.bytes[this.position++]; }
  skip(n) { this.position += n; }
  // Multiplication, not shifts: the value may have more than 31 bits.
  unsigned() {
    let value = 0, factor = 1, b;
    do { b = this.byte(); value += (b & 127) * factor; factor *= 128; } while (b & 128);
    return value;
  }
  signed32() {
    let value = 0, shift = 0, b;
    do { b = this.byte(); value |= (b & 127) << shift; shift += 7; } while (b & 128);
    return shift < 32 && (b & 64) ? value | (-1 << shift) : value;
  }
  name() {
    const n = this.unsigned();
    this.skip(n);
    return this.bytes.toString('latin1', this.position - n, this.position);
  }
  limits() {
    const flags = this.unsigned(), min = this.unsigned();
    return { flags, min, max: flags & 1 ? this.unsigned() : null };
  }
  // The value of an initialiser that is one i32 constant, else null.
  constant() {
    const op = this.byte();
    let value = null;
    if (op === 0x41) value = this.signed32();
    else if (op === 0x42) this.signed32();
    else if (op === 0x43) this.skip(4);
    else if (op === 0x44) this.skip(8);
    else if (op === 0x23) this.unsigned();
    else throw new Error(`initialiser with opcode ${op}`);
    if (this.byte() !== 0x0b) throw new Error('initialiser with more than one instruction');
    return value;
  }
  list(item) { return Array.from({ length: this.unsigned() }, () => item()); }
}

function unsigned(n) {
  const out = [];
  do { const b = n % 128; n = Math.floor(n / 128); out.push(n ? b | 128 : b); } while (n);
  return Buffer.from(out);
}
function signed(n) {
  const out = [];
  for (;;) {
    const b = n & 127;
    n >>= 7;
    if ((n === 0 && !(b & 64)) || (n === -1 && (b & 64))) { out.push(b); return Buffer.from(out); }
    out.push(b | 128);
  }
}
const bytes = (...b) => Buffer.from(b);
const name = (s) => Buffer.concat([unsigned(s.length), Buffer.from(s, 'latin1')]);
const list = (items) => Buffer.concat([unsigned(items.length), ...items]);
const sized = (...parts) => { const body = Buffer.concat(parts); return Buffer.concat([unsigned(body.length), body]); };
const section = (id, ...parts) => Buffer.concat([bytes(id), sized(...parts)]);

/** The sections of a module, as { id, start, end } of their bodies, in order. */
function sections(module) {
  if (!module.subarray(0, 8).equals(MAGIC)) throw new Error('not a WebAssembly module');
  const reader = new Reader(module, 8), found = [];
  while (!reader.done) {
    const id = reader.byte(), size = reader.unsigned();
    found.push({ id, start: reader.position, end: reader.position + size });
    reader.skip(size);
  }
  return found;
}

module.exports = { SECTION, KIND, I32, I64, F32, F64, MAGIC, Reader, unsigned, signed, bytes, name, list, sized, section, sections };
