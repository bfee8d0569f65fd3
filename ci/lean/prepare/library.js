'use strict';
// Unpacks Lean's library and changes one byte in each .olean.
const fs = require('fs'), path = require('path'), zlib = require('zlib');

const BLOCK = 512;

/** The regular files of a tar archive, as [path, bytes]. */
function* tarFiles(archive) {
  const text = (at, size) => archive.toString('utf8', at, at + size).replace(/\0.*$/s, '');
  for (let at = 0; at + BLOCK <= archive.length && archive[at] !== 0;) {
    const size = parseInt(text(at + 124, 12), 8), type = text(at + 156, 1);
    if (!Number.isInteger(size) || text(at + 257, 5) !== 'ustar') throw new Error(`no tar header at ${at}`);
    const prefix = text(at + 345, 155), name = text(at, 100), start = at + BLOCK;
    if (start + size > archive.length) throw new Error(`${name} is cut short`);
    if (type === '0' || type === '') yield [prefix ? `${prefix}/${name}` : name, archive.subarray(start, start + size)];
    else if (!'5xg'.includes(type)) throw new Error(`${name} has the tar type ${type}`);
    at = start + Math.ceil(size / BLOCK) * BLOCK;
  }
}

// The header, up to the address at which the file wants to be mapped; object headers of 8 bytes with the number of fields and the tag.
const BASE_ADDRESS = 0x50, MAGIC = 'olean\x02', MODULE_DATA_FIELDS = 5, IS_MODULE = 28;

/**
 * Clears `ModuleData.isModule`. The library was built from files with a `module` header; for such a module Lean takes the names of
 * compiler-generated functions from another file, which the package does not have, and then cannot compile most programs.
 */
function clearIsModule(olean) {
  if (olean.toString('latin1', 0, MAGIC.length) !== MAGIC) throw new Error('no .olean file of version 2');
  const root = olean.readUInt32LE(BASE_ADDRESS + 4) - olean.readUInt32LE(BASE_ADDRESS);
  if (olean[root + 6] !== MODULE_DATA_FIELDS || olean[root + 7] !== 0 || olean[root + IS_MODULE] > 1) throw new Error('its root is no ModuleData');
  olean[root + IS_MODULE] = 0;
}

function unpackLibrary(tarball, directory) {
  let count = 0;
  for (const [name, bytes] of tarFiles(zlib.gunzipSync(tarball))) {
    if (!name.endsWith('.olean') || path.basename(name).startsWith('._')) continue; // the others are macOS attributes
    try { clearIsModule(bytes); } catch (e) { throw new Error(`${name}: ${e.message}`); }
    const to = path.join(directory, name);
    if (!to.startsWith(directory + path.sep)) throw new Error(`${name} leads out of the library`);
    fs.mkdirSync(path.dirname(to), { recursive: true });
    fs.writeFileSync(to, bytes);
    count++;
  }
  return count;
}

module.exports = { tarFiles, clearIsModule, unpackLibrary };
