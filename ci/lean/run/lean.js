'use strict';
// Runs Lean from a prepared runtime:  node --stack-size=… lean.js RUNTIME_DIR STACK_MB WRITABLE_DIR LEAN_ARGUMENT…
// Emscripten's threads are workers that load this same file.
const fs = require('fs'), path = require('path'), vm = require('vm'), threads = require('worker_threads');
const { findSymbol } = require('./symbols.js');
const { systemCalls, newFileTable } = require('./system-calls.js');
const { STOPPED } = require('./writing.js');

function shareWithThreads() {
  const [runtime, stack, writable, ...args] = process.argv.slice(2);
  const symbolBytes = fs.readFileSync(path.join(runtime, 'symbols.bin'));
  const symbols = new Int32Array(new SharedArrayBuffer(symbolBytes.length));
  new Uint8Array(symbols.buffer).set(symbolBytes);
  const landingPads = new WebAssembly.Module(fs.readFileSync(path.join(runtime, 'landing-pads.wasm')));
  const shared = { runtime, stackMb: +stack, writable, args, symbols, landingPads, fileTable: newFileTable() };
  threads.setEnvironmentData('leanseal', shared);
  return shared;
}

const shared = threads.isMainThread ? shareWithThreads() : threads.getEnvironmentData('leanseal');
const { runtime, stackMb } = shared;
let uncaught = false;
function stop(why) {
  fs.writeSync(2, `${why}\n`);
  // In a thread, exiting ends only that thread, for which the main thread would wait.
  if (threads.isMainThread) process.reallyExit(STOPPED);
  process.kill(process.pid, 'SIGKILL');
}
const Module = {
  mainScriptUrlOrBlob: __filename,
  locateFile: (file) => path.join(runtime, file),
  thisProgram: 'lean',
  arguments: ['-s', String(stackMb * 1024), ...shared.args],
  // V8 checks its own stack and nothing checks the linear one: both have the same size, so that V8's ends first.
  stackBytes: stackMb << 20,
  threadLimits: { stackSizeMb: stackMb, maxOldGenerationSizeMb: 4096 },
  threads: 2,
  INITIAL_MEMORY: 512 << 20,
  findSymbol: (name) => findSymbol(shared.symbols, name),
  systemCalls: (memory) => systemCalls(shared.fileTable, memory, {
    writable: shared.writable, stop, onStderr: (text) => { uncaught ||= text.startsWith('uncaught exception'); },
  }),
  landingPads: shared.landingPads,
};
if (threads.isMainThread) {
  Module.instantiateWasm = (imports, received) => {
    WebAssembly.instantiate(fs.readFileSync(path.join(runtime, 'lean.wasm')), imports)
      .then(({ instance, module: compiled }) => received(instance, compiled));
    return {};
  };
  process.env.LEAN_PATH = [path.join(runtime, 'lib'), process.env.LEAN_PATH].filter(Boolean).join(':'); // read by the glue
  // `lean --run` of this build ends with a stray number unless the program calls IO.Process.exit.
  Module.onExit = (code) => process.reallyExit(code >= 0 && code <= 255 ? code : uncaught ? 1 : 0);
}
const glue = path.join(runtime, 'glue.js');
const start = vm.compileFunction(fs.readFileSync(glue, 'latin1'), ['Module', 'require', 'module', 'exports', '__filename', '__dirname'], { filename: glue });
start(Module, require, { exports: {} }, {}, __filename, runtime);
