'use strict';
// Rewrites lean.js, the JavaScript that emscripten generated around lean.wasm.

/** Replaces the one occurrence of `from`; a glue of another build is refused. */
function replaceOnce(text, from, to) {
  const at = text.indexOf(from);
  if (at < 0 || text.indexOf(from, at + 1) >= 0) throw new Error(`the glue does not have exactly once: ${from.slice(0, 80)}`);
  return text.slice(0, at) + to + text.slice(at + from.length);
}
function replaceAll(text, from, to) {
  if (!text.includes(from)) throw new Error(`the glue does not have: ${from.slice(0, 80)}`);
  return text.split(from).join(to);
}

/**
 * Cuts the 88 MB of variables, one an export, down to those that the rest of the glue mentions.
 * Returns the text with a mark where they were, their declaration, and the exports that they need.
 */
function cutExports(source) {
  const find = (what, from = 0) => { const i = source.indexOf(what, from); if (i < 0) throw new Error(`the glue does not have: ${what}`); return i; };
  const variables = find('var _main,_lean_main,');
  const assignments = find('function assignWasmExports(wasmExports){', variables);
  const rest = find('var wasmImports;function assignWasmImports(', assignments);
  const text = source.slice(0, variables) + MARK + source.slice(rest);
  const mentioned = new Set(text.match(/[A-Za-z_$][\w$]*/g));
  const declared = source.slice(variables + 4, source.lastIndexOf(';', assignments)).split(',').filter((v) => mentioned.has(v));
  const wanted = new Set(declared), lines = [], exports = new Set(['__main_argc_argv']);
  for (const [, variable, name, value] of source.slice(assignments, rest).matchAll(/([\w$]+)=(?:Module\["[^"]+"\]=)?wasmExports\["([^"]+)"\](\.value)?/g)) {
    if (!wanted.has(variable)) continue;
    lines.push(`${variable}=wasmExports["${name}"]${value ?? ''};`);
    exports.add(name);
  }
  for (const [, name] of text.matchAll(/wasmExports\["([^"]+)"\]/g)) exports.add(name);
  return { text, declaration: `var ${declared.join(',')};function assignWasmExports(wasmExports){${lines.join('')}}`, exports };
}
const MARK = '/* exports */';

// Our own definitions in the glue's scope. `Module` is what run/lean.js passes in.
const definitions = (tableSize) => `
var cppTag = new WebAssembly.Tag({ parameters: ["i32"] });
function isCppException(e) { return e instanceof WebAssembly.Exception && e.is(cppTag); }
// An uncaught C++ exception, with what its virtual function what() says (the third of its table).
function explain(e) {
  if (!isCppException(e)) return e;
  var what = "?";
  try { growMemViews(); var p = e.getArg(cppTag, 0); what = UTF8ToString(getWasmTableEntry(HEAPU32[(HEAPU32[p >>> 2] >>> 2) + 2])(p)); } catch (x) {}
  return new Error("uncaught C++ exception: " + what);
}
// The main thread's linear stack, as large as V8's: the one that the module declares is far too small for Lean.
function useLargeStack() {
  var size = Module["stackBytes"], start = _malloc(size);
  if (!start) throw new Error("no memory for the main thread's stack");
  start = start + 15 & ~15; size = size - 32 & ~15;
  _emscripten_stack_set_limits(start + size, start);
  stackRestore(start + size);
}
function getWasmImports() {
  assignWasmImports();
  var table = wasmImports.__main_table = new WebAssembly.Table({ initial: ${tableSize}, element: "anyfunc" });
  Object.assign(wasmImports, Module["systemCalls"]({ heap: function () { growMemViews(); return HEAPU8; }, string: UTF8ToString, errors: ERRNO_CODES }));
  Object.assign(wasmImports, new WebAssembly.Instance(Module["landingPads"], { env: { ...wasmImports, table, tag: cppTag } }).exports);
`;

function patches(tableSize) {
  return [
    ['function getWasmImports(){assignWasmImports();', definitions(tableSize)],
    // C++ exceptions are WebAssembly exceptions, so that the landing pads in WebAssembly can catch them.
    ...['exceptionLast=ptr;throw exceptionLast};___cxa_rethrow', 'uncaughtExceptionCount++;throw exceptionLast};___cxa_throw', 'throw exceptionLast};___resumeException']
      .map((at) => [at, at.replace('throw exceptionLast', 'throw new WebAssembly.Exception(cppTag,[exceptionLast])')]),
    ['invokeEntryPoint(msgData.start_routine,msgData.arg)}catch(ex){if(ex!="unwind"){throw ex}}',
      'invokeEntryPoint(msgData.start_routine,msgData.arg)}catch(ex){if(ex!="unwind"){throw explain(ex)}}'],
    ['try{var ret=entryFunction(argc,argv);exitJS(ret,true);return ret}catch(e){return handleException(e)}',
      'try{var ret=entryFunction(argc,argv);exitJS(ret,true);return ret}catch(e){return handleException(explain(e))}'],
    // No walk over the exports: main is called directly, and names are looked up in the symbol table.
    ['mergeLibSymbols(wasmExports,"main");', ''],
    ['var entryFunction=resolveGlobalSymbol("main").sym;', 'var entryFunction=wasmExports["__main_argc_argv"];useLargeStack();'],
    ['updateGOT(origExports);', 'for(var entry in GOT){if(GOT[entry].value==-1){var found=Module["findSymbol"](entry);if(found)GOT[entry].value=found}}'],
    ['if(!functionsInTableMap){functionsInTableMap=new WeakMap;updateTableMap(0,wasmTable.length)}return functionsInTableMap.get(func)||0',
      'functionsInTableMap||=new WeakMap;return functionsInTableMap.get(func)||0'],
    ['var lib=LDSO.loadedLibsByHandle[handle];newSymIndex=Object.keys(lib.exports).indexOf(symbol);if(newSymIndex==-1||lib.exports[symbol].stub){dlSetError(`Tried to lookup unknown symbol "${symbol}" in dynamic lib: ${lib.name}`);return 0}',
      'result=Module["findSymbol"](symbol);if(!result)dlSetError(`unknown symbol "${symbol}"`);return result;var lib;'],
    // Files are the host's (run/system-calls.js), not those of emscripten's own file system.
    ['FS.mount(NODEFS,{root:"/home"},"/home");FS.mount(NODEFS,{root:"/tmp"},"/tmp");var cwd=process.cwd();', 'var cwd="/";'],
    ['var pthreadPoolSize=4', 'var pthreadPoolSize=Module["threads"]'],
    ['new Worker(pthreadMainJs,{workerData:"em-pthread",name:"em-pthread"})',
      'new Worker(pthreadMainJs,{workerData:"em-pthread",name:"em-pthread",resourceLimits:Module["threadLimits"]})'],
  ];
}

/** The glue for a module whose function table has `tableSize` slots. */
function patchGlue({ text, declaration }, tableSize) {
  for (const [from, to] of patches(tableSize)) text = replaceOnce(text, from, to);
  text = replaceAll(text, 'if(e!==e+0)throw e;', 'if(e!==e+0&&!isCppException(e))throw e;'); // the landing pads in JavaScript
  text = replaceAll(text, 'console.log("[DEBUG:', '0&&console.log("[DEBUG:');
  return replaceOnce(text, MARK, declaration);
}

module.exports = { cutExports, patchGlue, replaceOnce, replaceAll };
