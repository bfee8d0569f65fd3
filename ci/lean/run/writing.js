'use strict';
// What a Lean process may write, and what happens when it cannot: code of the project runs while its modules are checked, and must
// not be able to change what other modules, or the audit, were compiled to.
const fs = require('fs'), path = require('path');

const FATAL = { ENOSPC: 'the disk is full', EDQUOT: 'the disk quota is exhausted', EIO: 'the disk has an error', EFBIG: 'the file is too large' };
const STOPPED = 74;

/** A function that returns a path that lies below `folder` after all links are followed, and throws EACCES for any other. */
function writeGuard(folder) {
  const root = `${fs.realpathSync(folder)}/`;
  return (name) => {
    // The last part need not exist yet. A link there is refused, wherever it leads.
    const real = path.join(fs.realpathSync(path.dirname(name)), path.basename(name));
    if (!real.startsWith(root) || fs.lstatSync(real, { throwIfNoEntry: false })?.isSymbolicLink())
      throw Object.assign(new Error(`${name} is not below ${folder}`), { code: 'EACCES' });
    return real;
  };
}

/** A line about an error that leaves a file incomplete, or null for another error. */
const fatalWriteError = ({ code }) => (code in FATAL ? `cannot write: ${FATAL[code]} (${code})` : null);

module.exports = { writeGuard, fatalWriteError, STOPPED };
