'use strict';
const test = require('node:test'), assert = require('node:assert/strict');
const { cutExports, patchGlue, replaceOnce, replaceAll } = require('../prepare/glue.js');

const GLUE = 'var f=1;var _main,_lean_main,_used,_unused;function assignWasmExports(wasmExports){_main=wasmExports["main"];'
  + '_used=Module["_used"]=wasmExports["used"];_unused=wasmExports["unused"].value}var wasmImports;function assignWasmImports(){_used();wasmExports["direct"]()}';

test('only the exports that the glue uses stay', () => {
  const { text, declaration, exports } = cutExports(GLUE);
  assert.equal(declaration, 'var _used;function assignWasmExports(wasmExports){_used=wasmExports["used"];}');
  assert.deepEqual([...exports].sort(), ['__main_argc_argv', 'direct', 'used']);
  assert.ok(!text.includes('_unused'));
});

test('a glue of another build is refused', () => {
  assert.throws(() => cutExports('var x;'), /does not have/);
  assert.throws(() => patchGlue(cutExports(GLUE), 10), /does not have exactly once/);
  assert.throws(() => replaceOnce('a a', 'a', 'b'), /exactly once/);
  assert.throws(() => replaceAll('a', 'x', 'b'), /does not have/);
});

test('a replacement is taken as it is', () => {
  assert.equal(replaceOnce('x;y', 'x', '$&$1'), '$&$1;y');
  assert.equal(replaceAll('x;x', 'x', '$&'), '$&;$&');
});
