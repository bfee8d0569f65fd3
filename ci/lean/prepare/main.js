'use strict';
// Makes a runtime that run/lean.js can start, from the npm package:  node main.js PACKAGE_DIR RUNTIME_DIR
const fs = require('fs'), path = require('path');
const { readPackage } = require('./package-files.js');
const { unpackLibrary } = require('./library.js');
const { cutExports, patchGlue } = require('./glue.js');
const { rewriteModule, threadLocalExports } = require('./lean-module.js');
const { landingPadsModule } = require('./landing-pads.js');
const { buildSymbols } = require('../run/symbols.js');

const SYMBOL_SLOTS = 1 << 19;

function prepare(packageDir, runtime) {
  const files = readPackage(packageDir);
  const write = (name, bytes) => fs.writeFileSync(path.join(runtime, name), bytes);
  fs.mkdirSync(runtime, { recursive: true });
  const glue = cutExports(files['lean.js'].toString('latin1'));
  for (const name of threadLocalExports(files['lean.wasm'])) glue.exports.add(name);
  const { module: rewritten, symbols, tableSize, landingPads } = rewriteModule(files['lean.wasm'], glue.exports);
  write('lean.wasm', rewritten);
  write('landing-pads.wasm', landingPadsModule(landingPads, symbols, tableSize));
  write('symbols.bin', Buffer.from(buildSymbols(symbols, SYMBOL_SLOTS).buffer));
  write('glue.js', Buffer.from(patchGlue(glue, tableSize), 'latin1'));
  unpackLibrary(files['lean-lib.tar.gz'], path.join(runtime, 'lib'));
}

try {
  prepare(...process.argv.slice(2));
} catch (e) {
  console.error(e.message);
  process.exitCode = 1;
}
