'use strict';
const test = require('node:test'), assert = require('node:assert/strict');
const fs = require('fs'), os = require('os'), path = require('path'), zlib = require('zlib');
const { tarFiles, clearIsModule, unpackLibrary } = require('../prepare/library.js');

function tar(files) {
  const blocks = files.flatMap(([name, bytes, type = '0', prefix = '']) => {
    const header = Buffer.alloc(512);
    header.write(name, 0); header.write(bytes.length.toString(8).padStart(11, '0'), 124); header.write(type, 156);
    header.write('ustar', 257); header.write(prefix, 345);
    return [header, bytes, Buffer.alloc((512 - bytes.length % 512) % 512)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

// An .olean whose root object starts at byte 96.
function olean(isModule) {
  const bytes = Buffer.alloc(128), base = 0x10000000;
  bytes.write('olean\x02', 0, 'latin1');
  bytes.writeUInt32LE(base, 0x50); bytes.writeUInt32LE(base + 96, 0x54);
  bytes[96 + 6] = 5; bytes[96 + 28] = isModule;
  return bytes;
}

test('files of an archive are listed; folders and extended headers are not', () => {
  const archive = tar([['dir', Buffer.alloc(0), '5'], ['x', Buffer.from('meta'), 'x'], ['a', Buffer.alloc(600, 1)], ['b', Buffer.from('B'), '0', 'p']]);
  assert.deepEqual([...tarFiles(archive)].map(([name, bytes]) => [name, bytes.length]), [['a', 600], ['p/b', 1]]);
});

test('an archive that is cut short, or has links, is refused', () => {
  assert.throws(() => [...tarFiles(tar([['a', Buffer.alloc(600)]]).subarray(0, 1024))], /a is cut short/);
  assert.throws(() => [...tarFiles(tar([['a', Buffer.alloc(0), '2']]))], /tar type 2/);
  assert.throws(() => [...tarFiles(Buffer.alloc(512, 65))], /no tar header/);
});

test('isModule is cleared and nothing else changes', () => {
  const bytes = olean(1);
  clearIsModule(bytes);
  assert.deepEqual(bytes, olean(0));
});

test('what is no .olean of this version is refused', () => {
  const other = olean(1);
  other[5] = 3;
  assert.throws(() => clearIsModule(other), /no \.olean file of version 2/);
  assert.throws(() => clearIsModule(olean(7)), /no ModuleData/);
});

test('the library is unpacked without what macOS added, and never outside its folder', () => {
  const dir = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'library-')), 'lib');
  const archive = tar([['Init.olean', olean(1)], ['._Init.olean', Buffer.from('mac')], ['Init/A.olean', olean(1)]]);
  assert.equal(unpackLibrary(zlib.gzipSync(archive), dir), 2);
  assert.deepEqual(fs.readFileSync(path.join(dir, 'Init/A.olean')), olean(0));
  assert.throws(() => unpackLibrary(zlib.gzipSync(tar([['../out.olean', olean(1)]])), dir), /leads out/);
});
