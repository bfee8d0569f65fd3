'use strict';
// System calls of the module, made directly on the host: file descriptors belong to the process in Node, so every thread makes its
// own calls, where emscripten's file system would send each one to the main thread.
const fs = require('fs');
const { writeGuard, fatalWriteError } = require('./writing.js');

const MAX_FILES = 4096;
const STREAM = 0, REGULAR = 1, APPEND = 2, DIRECTORY = 3; // STREAM: a terminal or a pipe
const AT_CWD = -100, AT_NO_FOLLOW = 256, AT_REMOVE_DIRECTORY = 512;
// Emscripten's values, which are musl's on every host, beside the host's own.
const OPEN_FLAGS = [[1, fs.constants.O_WRONLY], [2, fs.constants.O_RDWR], [64, fs.constants.O_CREAT], [128, fs.constants.O_EXCL],
  [512, fs.constants.O_TRUNC], [1024, fs.constants.O_APPEND], [2048, fs.constants.O_NONBLOCK], [65536, fs.constants.O_DIRECTORY]];
const CHANGING = 1 | 2 | 64 | 512 | 1024;
const DIRENT_BYTES = 280;

/** What all threads know of the open files: the offset and the kind of each descriptor. */
function newFileTable() {
  const table = new SharedArrayBuffer(MAX_FILES * 12), { kinds } = viewFileTable(table);
  for (let fd = 0; fd < 3; fd++) {
    try { if (fs.fstatSync(fd).isFile()) kinds[fd] = APPEND; } catch { /* a closed descriptor stays a stream */ }
  }
  return table;
}
const viewFileTable = (table) => ({ offsets: new Float64Array(table, 0, MAX_FILES), kinds: new Int32Array(table, MAX_FILES * 8, MAX_FILES) });

// This build of Lean prints trace lines on stderr, each in one write; some are followed by indented lines.
function newChatterFilter() {
  let inTrace = false;
  return (text) => {
    if (text.startsWith('[DEBUG:')) { inTrace = /^\[DEBUG:(FIND|FINALIZE)\]/.test(text); return true; }
    if (inTrace && (text.startsWith('  - ') || text.startsWith('  mainModule? = '))) return true;
    inTrace = false;
    return false;
  };
}

/**
 * The imports for one thread. `heap` returns the module's memory as it is now, `string` reads a C string, `errors` maps names of
 * errors to the module's numbers; `onStderr` sees the beginning of every write to stderr. Files are changed only below the folder
 * `writable`; `stop` is called with a message, and must not return, when one cannot be written in full.
 */
function systemCalls(fileTable, { heap, string, errors }, { writable, stop, onStderr = () => {} }) {
  const { offsets, kinds } = viewFileTable(fileTable);
  const directories = new Map(); // descriptor → { path, entries, next }; a directory is read by the thread that opened it
  const isChatter = newChatterFilter(), nap = new Int32Array(new SharedArrayBuffer(4));
  const mayWrite = writeGuard(writable);
  const view = () => new DataView(heap().buffer);
  const get32 = (p) => view().getUint32(p, true), set32 = (p, v) => view().setUint32(p, v, true);
  const set64 = (p, v) => view().setBigInt64(p, BigInt(v), true);

  const errorNumber = (e) => { if (!e?.code) throw e; return errors[e.code] ?? errors.EIO; };
  const failing = (sign) => (call) => (...args) => { try { return call(...args) ?? 0; } catch (e) { return sign * errorNumber(e); } };
  const wasi = failing(1), linux = failing(-1); // the two families report an error with opposite signs
  const at = (directory, p) => {
    const path = string(p);
    return path[0] === '/' || directory === AT_CWD || !directories.has(directory) ? path : `${directories.get(directory).path}/${path}`;
  };
  // Lean does not look at the result of some writes, and would go on with a file that ends early.
  const inFull = (fd, call) => {
    try { return call(); } catch (e) {
      const fatal = kinds[fd] === REGULAR || kinds[fd] === APPEND ? fatalWriteError(e) : null;
      if (fatal) stop(fatal);
      throw e;
    }
  };
  // A host descriptor in non-blocking mode answers EAGAIN.
  const retrying = (call) => { for (;;) try { return call(); } catch (e) { if (e.code !== 'EAGAIN') throw e; Atomics.wait(nap, 0, 0, 2); } };
  const vectors = (p, n) => Array.from({ length: n }, (_, i) => ({ at: get32(p + 8 * i), size: get32(p + 8 * i + 4) }));

  function read(fd, parts, offset) {
    let total = 0;
    for (const { at: p, size } of parts) {
      const n = size && retrying(() => fs.readSync(fd, heap(), p, size, kinds[fd] === STREAM ? null : offset + total));
      total += n;
      if (n < size) break;
    }
    return total;
  }
  function write(fd, parts, offset) {
    const all = parts.reduce((sum, { size }) => sum + size, 0);
    if (fd === 2) {
      const text = parts.map(({ at: p, size }) => Buffer.from(heap().slice(p, p + Math.min(size, 20))).toString('latin1')).join('');
      onStderr(text);
      if (isChatter(text)) return all;
    }
    let total = 0;
    for (const { at: p, size } of parts)
      for (let done = 0; done < size;) {
        const n = inFull(fd, () => retrying(() => fs.writeSync(fd, heap(), p + done, size - done, kinds[fd] === REGULAR ? offset + total : null)));
        done += n; total += n;
      }
    return all;
  }
  function putStat(p, s) {
    if (!s) return -errors.ENOENT;
    const words = [s.dev, s.mode, s.nlink, s.uid, s.gid, s.rdev];
    words.forEach((v, i) => set32(p + 4 * i, v));
    set64(p + 24, s.size); set32(p + 32, 4096); set32(p + 36, s.blocks);
    [s.atimeMs, s.mtimeMs, s.ctimeMs].forEach((ms, i) => {
      const seconds = Math.floor(ms / 1e3);
      set64(p + 40 + 16 * i, seconds);
      set32(p + 48 + 16 * i, Math.floor((ms - seconds * 1e3) * 1e6));
    });
    set64(p + 88, s.ino);
    return 0;
  }
  const stat = (path) => fs.statSync(path, { throwIfNoEntry: false }), lstat = (path) => fs.lstatSync(path, { throwIfNoEntry: false });
  function open(directory, p, flags, variadic) {
    const path = flags & CHANGING ? mayWrite(at(directory, p)) : at(directory, p);
    const hostFlags = OPEN_FLAGS.reduce((all, [musl, host]) => (flags & musl ? all | host : all), 0);
    const fd = fs.openSync(path, hostFlags, variadic ? get32(variadic) : 0o666);
    if (fd >= MAX_FILES) { fs.closeSync(fd); return -errors.EMFILE; }
    const s = fs.fstatSync(fd);
    kinds[fd] = s.isDirectory() ? DIRECTORY : !s.isFile() ? STREAM : flags & 1024 ? APPEND : REGULAR;
    offsets[fd] = 0;
    if (kinds[fd] === DIRECTORY) directories.set(fd, { path, entries: null, next: 0 });
    return fd;
  }
  function seek(fd, delta, whence, result) {
    if (kinds[fd] === STREAM) return errors.ESPIPE;
    const to = Number(delta) + (whence === 0 ? 0 : whence === 1 ? offsets[fd] : fs.fstatSync(fd).size);
    if (to < 0) return errors.EINVAL;
    offsets[fd] = to;
    if (directories.has(fd)) directories.get(fd).next = 0;
    set64(result, to);
    return 0;
  }
  function readDirectory(fd, p, size) {
    const directory = directories.get(fd);
    if (!directory) return -errors.EBADF;
    const type = (e) => (e.isDirectory() ? 4 : e.isSymbolicLink() ? 10 : e.isFile() ? 8 : 0);
    directory.entries ??= [['.', 4], ['..', 4], ...fs.readdirSync(directory.path, { withFileTypes: true }).map((e) => [e.name, type(e)])];
    let used = 0;
    for (; directory.next < directory.entries.length && used + DIRENT_BYTES <= size; used += DIRENT_BYTES) {
      const [name, kind] = directory.entries[directory.next++], q = p + used;
      set64(q, directory.next); set64(q + 8, directory.next);
      view().setUint16(q + 16, DIRENT_BYTES, true); view().setUint8(q + 18, kind);
      const encoded = Buffer.from(`${name}\0`);
      if (encoded.length > DIRENT_BYTES - 19) return -errors.ENAMETOOLONG;
      heap().set(encoded, q + 19);
    }
    return used;
  }
  function readLink(directory, p, target, size) {
    const bytes = Buffer.from(fs.readlinkSync(at(directory, p))).subarray(0, size);
    heap().set(bytes, target);
    return bytes.length;
  }
  function currentDirectory(target, size) {
    const bytes = Buffer.from(`${process.cwd()}\0`);
    if (size < bytes.length) return -errors.ERANGE;
    heap().set(bytes, target);
    return bytes.length;
  }
  // Lean asks only for the file type, the first byte.
  function describe(fd, p) { heap().fill(0, p, p + 24); heap()[p] = kinds[fd] === DIRECTORY ? 3 : kinds[fd] === STREAM ? 2 : 4; return 0; }

  return {
    fd_close: wasi((fd) => { directories.delete(fd); if (fd > 2) inFull(fd, () => fs.closeSync(fd)); }),
    fd_read: wasi((fd, p, n, result) => { const k = read(fd, vectors(p, n), offsets[fd]); offsets[fd] += k; set32(result, k); }),
    fd_pread: wasi((fd, p, n, offset, result) => set32(result, read(fd, vectors(p, n), Number(offset)))),
    fd_write: wasi((fd, p, n, result) => { const k = write(fd, vectors(p, n), offsets[fd]); offsets[fd] += k; set32(result, k); }),
    fd_pwrite: wasi((fd, p, n, offset, result) => set32(result, write(fd, vectors(p, n), Number(offset)))),
    fd_seek: wasi(seek),
    fd_sync: wasi((fd) => inFull(fd, () => fs.fsyncSync(fd))),
    fd_fdstat_get: wasi(describe),
    __syscall_openat: linux(open),
    __syscall_fstat64: linux((fd, p) => putStat(p, fs.fstatSync(fd))),
    __syscall_stat64: linux((path, p) => putStat(p, stat(string(path)))),
    __syscall_lstat64: linux((path, p) => putStat(p, lstat(string(path)))),
    __syscall_newfstatat: linux((d, path, p, flags) => putStat(p, (flags & AT_NO_FOLLOW ? lstat : stat)(at(d, path)))),
    __syscall_mkdirat: linux((d, p, mode) => { fs.mkdirSync(mayWrite(at(d, p)), mode); }),
    __syscall_unlinkat: linux((d, p, flags) => (flags & AT_REMOVE_DIRECTORY ? fs.rmdirSync : fs.unlinkSync)(mayWrite(at(d, p)))),
    __syscall_rmdir: linux((p) => fs.rmdirSync(mayWrite(string(p)))),
    __syscall_renameat: linux((d, p, e, q) => fs.renameSync(mayWrite(at(d, p)), mayWrite(at(e, q)))),
    __syscall_chmod: linux((p, mode) => fs.chmodSync(mayWrite(string(p)), mode)),
    __syscall_fchmod: () => -errors.EACCES,
    __syscall_fchmodat2: linux((d, p, mode) => fs.chmodSync(mayWrite(at(d, p)), mode)),
    __syscall_ftruncate64: linux((fd, n) => fs.ftruncateSync(fd, Number(n))),
    __syscall_truncate64: linux((p, n) => fs.truncateSync(mayWrite(string(p)), Number(n))),
    __syscall_faccessat: linux((d, p, mode) => fs.accessSync(at(d, p), mode & 7)),
    __syscall_readlinkat: linux(readLink),
    __syscall_getdents64: linux(readDirectory),
    __syscall_getcwd: linux(currentDirectory),
    __syscall_chdir: linux((p) => process.chdir(string(p))),
    __syscall_utimensat: () => 0,
    __syscall_fcntl64: (fd, command) => (command === 3 ? 2 : 0),
    __syscall_ioctl: () => -errors.ENOTTY,
  };
}

module.exports = { systemCalls, newFileTable, newChatterFilter };
