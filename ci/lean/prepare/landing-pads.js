'use strict';
// Writes a small module with the `invoke_…` functions that C++ calls within a `try` go through. The glue has them in JavaScript; as
// WebAssembly they are much faster, and they can refuse a call when little of the linear stack is left: this build has no check of
// its own, and an overflow would silently overwrite live data.
const { SECTION, KIND, I32, I64, F32, F64, MAGIC, bytes, name, list, sized, section, unsigned, signed } = require('./wasm-format.js');

const STACK_RESERVE = 16384;
const ZERO = { [I32]: bytes(0x41, 0), [I64]: bytes(0x42, 0), [F32]: bytes(0x43, 0, 0, 0, 0), [F64]: bytes(0x44, 0, 0, 0, 0, 0, 0, 0, 0) };
const op = {
  trap: bytes(0x00), else: bytes(0x05), end: bytes(0x0b), drop: bytes(0x1a), lessSigned: bytes(0x48), catch: bytes(0x07),
  try: (result) => bytes(0x06, result), if: (result) => bytes(0x04, result), call: (f) => Buffer.concat([bytes(0x10), unsigned(f)]),
  callIndirect: (type) => Buffer.concat([bytes(0x11), unsigned(type), bytes(0)]), get: (i) => Buffer.concat([bytes(0x20), unsigned(i)]),
  set: (i) => Buffer.concat([bytes(0x21), unsigned(i)]), tableGet: bytes(0x25, 0), refTest: (type) => Buffer.concat([bytes(0xfb, 0x14), signed(type)]),
  i32: (n) => Buffer.concat([bytes(0x41), signed(n)]),
};
const EMPTY = 0x40;

/** The module for the landing pads `pads` ({ name, params, results }); `symbols` gives the table index of the runtime's functions. */
function landingPadsModule(pads, symbols, tableSize) {
  const index = new Map(symbols), runtime = (f) => {
    if (!index.has(f)) throw new Error(`the module does not export ${f}`);
    return op.i32(index.get(f));
  };
  const types = [], typeIndex = new Map();
  const type = (params, results) => {
    const key = `${params}>${results}`;
    if (!typeIndex.has(key)) {
      typeIndex.set(key, types.length);
      types.push(Buffer.concat([bytes(0x60), list(params.map((p) => bytes(p))), list(results.map((p) => bytes(p)))]));
    }
    return typeIndex.get(key);
  };
  const getStack = type([], [I32]), setStack = type([I32], []), setThrew = type([I32, I32], []);
  const exceptionTag = setStack; // the tag carries one i32, the address of the C++ exception

  const code = pads.map(({ params, results }, i) => {
    const args = params.slice(1), callee = type(args, results), result = results[0] ?? EMPTY, savedStack = params.length;
    return sized(bytes(1, 1, I32),
      // Some call sites name a callee of another type, which JavaScript tolerates: those go the old way.
      op.get(0), op.tableGet, op.refTest(callee), op.if(result),
      runtime('emscripten_stack_get_free'), op.callIndirect(getStack), op.i32(STACK_RESERVE), op.lessSigned, op.if(EMPTY), op.trap, op.end,
      runtime('emscripten_stack_get_current'), op.callIndirect(getStack), op.set(savedStack),
      op.try(result), ...args.map((_, j) => op.get(j + 1)), op.get(0), op.callIndirect(callee),
      op.catch, unsigned(0), op.drop, op.get(savedStack), runtime('_emscripten_stack_restore'), op.callIndirect(setStack),
      op.i32(1), op.i32(0), runtime('setThrew'), op.callIndirect(setThrew), results.length ? ZERO[results[0]] : bytes(), op.end,
      op.else, ...params.map((_, j) => op.get(j)), op.call(i), op.end, op.end);
  });
  const own = pads.map((p) => unsigned(type(p.params, p.results)));
  const imported = pads.map((p, i) => Buffer.concat([name('env'), name(p.name), bytes(KIND.function), own[i]]));
  const table = Buffer.concat([name('env'), name('table'), bytes(KIND.table, 0x70, 0), unsigned(tableSize)]);
  const tag = Buffer.concat([name('env'), name('tag'), bytes(KIND.tag, 0), unsigned(exceptionTag)]);
  const exported = pads.map((p, i) => Buffer.concat([name(p.name), bytes(KIND.function), unsigned(pads.length + i)]));
  return Buffer.concat([MAGIC, section(SECTION.type, list(types)), section(SECTION.import, list([...imported, table, tag])),
    section(SECTION.function, list(own)), section(SECTION.export, list(exported)), section(SECTION.code, list(code))]);
}

module.exports = { landingPadsModule };
