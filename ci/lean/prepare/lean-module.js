'use strict';
// Rewrites lean.wasm. As shipped it exports 200,000 names, and Lean finds its own compiled code by a linear search over them
// (`dlsym`, 220 of the 241 seconds that a one-line file takes). Here every exported function gets a slot of the function table,
// the names go into a symbol table of our own, and only the exports that the JavaScript glue uses stay.
const { SECTION, KIND, Reader, bytes, name, list, section, sections, unsigned, signed } = require('./wasm-format.js');

// Emscripten's own; never looked up by Lean.
const INTERNAL = new Set(['memory', '__memory_base', '__table_base', '__stack_pointer', '__indirect_function_table', '__cpp_exception',
  '__c_longjmp', '__wasm_apply_data_relocs', '__dso_handle', '__tls_size', '__tls_align', '__set_stack_limits', '_emscripten_tls_init',
  '__wasm_init_tls', '__wasm_call_ctors']);

// Built for the web, this Lean imports every module at the level `exported`, as if each file began with `module`: it hides the bodies
// of the user's own definitions and drops names that code generation needs. Natively `if !isEmscripten then …` does not do so.
// Each pattern occurs once; the `i32.eqz` (0x45) of that test becomes a `nop`.
const NATIVE_IMPORTS = [
  ['Lean.Elab.processHeaderCore', '41f494ca002d000045044020024504404102'],
  ['Lean.finalizeImport', '2119024041ec94c2002d000045044002402008'],
];
const I32_EQZ = 0x45, NOP = 0x01;

function importNatively(module) {
  for (const [where, hex] of NATIVE_IMPORTS) {
    const pattern = Buffer.from(hex, 'hex'), at = module.indexOf(pattern);
    if (at < 0 || module.indexOf(pattern, at + 1) >= 0) throw new Error(`${where}: its \`isEmscripten\` test is not found exactly once`);
    module[at + pattern.indexOf(bytes(0x2d, 0, 0, I32_EQZ)) + 3] = NOP;
  }
}

/** The names of thread-local data in the section `dylink.0`: the glue reads these exports. */
function threadLocalExports(module) {
  const [first] = sections(module), reader = new Reader(module, first.start, first.end), found = [];
  if (first.id !== SECTION.custom || reader.name() !== 'dylink.0') throw new Error('no dylink.0 section');
  while (!reader.done) {
    const kind = reader.byte(), end = reader.unsigned() + reader.position;
    if (kind === 3) reader.list(() => { const s = reader.name(); if (reader.unsigned() & 256) found.push(s); });
    reader.position = end;
  }
  return found;
}

/** Reads what the rewriting needs to know of a module. */
function describe(module) {
  const all = sections(module), body = (id) => { const s = all.find((x) => x.id === id); return new Reader(module, s.start, s.end); };
  let r = body(SECTION.type);
  const types = r.list(() => {
    if (r.byte() !== 0x60) throw new Error('a type that is no function type');
    return { params: r.list(() => r.byte()), results: r.list(() => r.byte()) };
  });
  r = body(SECTION.import);
  let importedGlobals = 0;
  const landingPads = [];
  r.list(() => {
    r.name();
    const field = r.name(), kind = r.byte();
    if (kind === KIND.function) { const type = types[r.unsigned()]; if (field.startsWith('invoke_')) landingPads.push({ name: field, ...type }); }
    else if (kind === KIND.table) { r.byte(); r.limits(); }
    else if (kind === KIND.memory) r.limits();
    else if (kind === KIND.global) { r.skip(2); importedGlobals++; }
    else throw new Error(`an import of kind ${kind}`);
  });
  r = body(SECTION.table);
  if (r.unsigned() !== 1) throw new Error('more than one table');
  const table = { type: r.byte(), ...r.limits() };
  r = body(SECTION.global);
  const globals = r.list(() => { r.skip(2); return r.constant(); });
  r = body(SECTION.element);
  if (r.unsigned() !== 1 || r.unsigned() !== 0) throw new Error('not one plain element segment');
  const offset = r.constant(), slots = new Map(r.list(() => r.unsigned()).map((f, i) => [f, offset + i]));
  r = body(SECTION.export);
  const exports = r.list(() => {
    const start = r.position, field = r.name(), kind = r.byte(), index = r.unsigned();
    return { name: field, kind, index, encoded: module.subarray(start, r.position) };
  });
  return { sections: all, landingPads, importedGlobals, table, globals, slots, exports };
}

/**
 * Returns the new module, the symbols as [name, table index or data address], the size of the function table, which the new
 * module imports (the landing pads share it), and the landing pads that it imports.
 */
function rewriteModule(module, keptExports) {
  importNatively(module);
  const { sections: all, landingPads, importedGlobals, table, globals, slots, exports } = describe(module);
  const symbols = [], appended = [], kept = [];
  let tableSize = table.min;
  for (const e of exports) {
    const visible = !INTERNAL.has(e.name);
    if (e.kind === KIND.function) {
      if (!slots.has(e.index)) { slots.set(e.index, tableSize++); appended.push(e.index); }
      if (visible) symbols.push([e.name, slots.get(e.index)]);
    } else if (e.kind === KIND.global && visible) {
      const address = globals[e.index - importedGlobals] ?? null;
      if (address !== null) symbols.push([e.name, address]);
    }
    if (!visible || keptExports.has(e.name) || e.kind === KIND.table || e.kind === KIND.memory) kept.push(e.encoded);
  }
  const raw = ({ start, end }) => module.subarray(start, end);
  const rewritten = all.map((s) => {
    const r = new Reader(module, s.start, s.end);
    switch (s.id) {
      case SECTION.table: return Buffer.alloc(0);
      case SECTION.import: {
        const count = r.unsigned(), old = module.subarray(r.position, s.end);
        return section(s.id, unsigned(count + 1), old, name('env'), name('__main_table'), bytes(KIND.table, table.type, 0), unsigned(tableSize));
      }
      case SECTION.export: return section(s.id, list(kept));
      case SECTION.element:
        return section(s.id, unsigned(2), raw(s).subarray(1), bytes(0, 0x41), signed(table.min), bytes(0x0b), list(appended.map(unsigned)));
      default: return section(s.id, raw(s));
    }
  });
  return { module: Buffer.concat([module.subarray(0, 8), ...rewritten]), symbols, tableSize, landingPads };
}

module.exports = { rewriteModule, threadLocalExports, importNatively };
