'use strict';
const test = require('node:test'), assert = require('node:assert/strict');
const fs = require('fs'), os = require('os'), path = require('path');
const { systemCalls, newFileTable, newChatterFilter } = require('../run/system-calls.js');

const ERRORS = { ENOENT: 44, EBADF: 8, EINVAL: 28, ESPIPE: 70, EMFILE: 33, EIO: 29, EEXIST: 20, ENOTTY: 59, ERANGE: 68, ENAMETOOLONG: 37, EACCES: 2, ENOSPC: 51 };
const AT_CWD = -100, CREATE_WRITE = 64 | 512 | 1, READ = 0, APPEND = 64 | 1024 | 1;

// A thread's view: a memory with helpers to put things into it.
function thread(table = newFileTable(), writable = os.tmpdir()) {
  const heap = new Uint8Array(new SharedArrayBuffer(1 << 16)), memory = Buffer.from(heap.buffer);
  const string = (p) => Buffer.from(heap.slice(p, heap.indexOf(0, p))).toString();
  const calls = systemCalls(table, { heap: () => heap, string, errors: ERRORS }, { writable, stop: (why) => { throw new Error(why); } });
  const put = (text, p = 1024) => { memory.write(`${text}\0`, p); return p; };
  const vector = (p, size) => { memory.writeUInt32LE(p, 16); memory.writeUInt32LE(size, 20); return 16; };
  const open = (file, flags) => calls.__syscall_openat(AT_CWD, put(file), flags, 0);
  const write = (fd, text) => { const p = put(text, 4096); assert.equal(calls.fd_write(fd, vector(p, text.length), 1, 64), 0); };
  const read = (fd, size) => { assert.equal(calls.fd_read(fd, vector(8192, size), 1, 64), 0); return memory.toString('utf8', 8192, 8192 + memory.readUInt32LE(64)); };
  return { calls, memory, put, open, write, read };
}
const temporary = () => fs.mkdtempSync(path.join(os.tmpdir(), 'calls-'));

test('a file is written, read back and sought in, by two threads', () => {
  const table = newFileTable(), a = thread(table), b = thread(table), file = path.join(temporary(), 'f');
  const out = a.open(file, CREATE_WRITE);
  a.write(out, 'hello '); b.write(out, 'world');
  assert.equal(a.calls.fd_close(out), 0);
  assert.equal(fs.readFileSync(file, 'utf8'), 'hello world');
  const fd = b.open(file, READ);
  assert.equal(a.read(fd, 5), 'hello');
  assert.equal(b.read(fd, 100), ' world');
  assert.equal(b.read(fd, 100), '');
  assert.equal(b.calls.fd_seek(fd, 6n, 0, 64), 0);
  assert.equal(b.read(fd, 100), 'world');
  assert.equal(b.calls.fd_seek(fd, -20n, 1, 64), ERRORS.EINVAL);
  b.calls.fd_close(fd);
});

test('appending', () => {
  const { calls, open, write } = thread(), file = path.join(temporary(), 'f');
  for (const text of ['a', 'b']) { const fd = open(file, APPEND); write(fd, text); write(fd, '.'); calls.fd_close(fd); }
  assert.equal(fs.readFileSync(file, 'utf8'), 'a.b.');
});

test('errors have the module\'s numbers, with the sign of their family', () => {
  const { calls, open, put } = thread();
  assert.equal(open('/nowhere/at/all', READ), -ERRORS.ENOENT);
  assert.equal(calls.__syscall_stat64(put('/nowhere'), 512), -ERRORS.ENOENT);
  assert.equal(calls.__syscall_mkdirat(AT_CWD, put(temporary()), 0o777), -ERRORS.EEXIST);
  assert.equal(calls.fd_close(4000), ERRORS.EBADF);
});

test('a folder is listed, also in pieces', () => {
  const dir = temporary(), { calls, memory, open } = thread(), names = [];
  for (const f of ['x', 'y', 'ä']) fs.writeFileSync(path.join(dir, f), '');
  const fd = open(dir, READ);
  for (let n; (n = calls.__syscall_getdents64(fd, 8192, 600)) > 0;)
    for (let p = 8192; p < 8192 + n; p += memory.readUInt16LE(p + 16)) names.push(memory.toString('utf8', p + 19, memory.indexOf(0, p + 19)));
  assert.deepEqual(names.sort(), ['.', '..', 'x', 'y', 'ä']);
  calls.fd_close(fd);
});

test('size and kind of a file', () => {
  const file = path.join(temporary(), 'f'), { calls, memory, put } = thread();
  fs.writeFileSync(file, '12345');
  assert.equal(calls.__syscall_stat64(put(file), 512), 0);
  assert.equal(memory.readBigInt64LE(512 + 24), 5n);
  assert.equal(memory.readUInt32LE(512 + 4) & 0o170000, 0o100000);
});

test('trace lines of this build are dropped, everything else is not', () => {
  const isChatter = newChatterFilter();
  const lines = ['[DEBUG:FIND] x', '  - entry', 'error: y', '  - entry', '[DEBUG:A] z', '  - entry'];
  assert.deepEqual(lines.map(isChatter), [true, true, false, false, true, false]);
});

test('files are changed only below one folder, whatever the path to them', () => {
  const dir = temporary(), other = path.join(dir, 'other'), own = path.join(dir, 'own');
  for (const d of [other, own, `${own}-not`]) fs.mkdirSync(d);
  const victim = path.join(other, 'victim'), secret = 'unchanged';
  fs.writeFileSync(victim, secret);
  fs.symlinkSync(victim, path.join(own, 'link'));
  fs.symlinkSync(path.join(other, 'new'), path.join(own, 'dangling'));
  fs.symlinkSync(other, path.join(own, 'folder'));
  const { calls, open, write, read, put } = thread(newFileTable(), own), refused = -ERRORS.EACCES;
  for (const file of [victim, path.join(other, 'new'), `${own}-not/new`, `${own}/../other/victim`, `${own}/link`, `${own}/dangling`, `${own}/folder/new`, own])
    for (const flags of [1, 2, 64, 512, CREATE_WRITE, APPEND]) assert.equal(open(file, flags), refused, `${file} ${flags}`);
  const mine = path.join(own, 'mine'), to = 2048, fd = open(mine, CREATE_WRITE);
  write(fd, 'x');
  assert.equal(calls.fd_close(fd), 0);
  assert.equal(calls.__syscall_unlinkat(AT_CWD, put(victim), 0), refused);
  assert.equal(calls.__syscall_unlinkat(AT_CWD, put(other), 512), refused);
  assert.equal(calls.__syscall_rmdir(put(`${own}-not`)), refused);
  assert.equal(calls.__syscall_mkdirat(AT_CWD, put(path.join(other, 'd')), 0o777), refused);
  assert.equal(calls.__syscall_renameat(AT_CWD, put(mine), AT_CWD, put(victim, to)), refused);
  assert.equal(calls.__syscall_renameat(AT_CWD, put(victim), AT_CWD, put(mine, to)), refused);
  assert.equal(calls.__syscall_truncate64(put(victim), 0n), refused);
  assert.equal(calls.__syscall_chmod(put(victim), 0o777), refused);
  assert.equal(calls.__syscall_fchmodat2(AT_CWD, put(victim), 0o777), refused);
  const reading = open(victim, READ);
  assert.equal(read(reading, 100), secret);
  assert.equal(calls.__syscall_fchmod(reading, 0o777), refused);
  assert.notEqual(calls.__syscall_ftruncate64(reading, 0n), 0);
  calls.fd_close(reading);
  assert.equal(fs.readFileSync(victim, 'utf8'), secret);
  assert.deepEqual(fs.readdirSync(other), ['victim']);
  assert.equal(calls.__syscall_renameat(AT_CWD, put(mine), AT_CWD, put(path.join(own, 'renamed'), to)), 0);
  assert.equal(calls.__syscall_mkdirat(AT_CWD, put(path.join(own, 'd')), 0o777), 0);
  assert.equal(calls.__syscall_unlinkat(AT_CWD, put(path.join(own, 'renamed')), 0), 0);
});

test('a file that cannot be written in full stops the process; another error is for the module', (t) => {
  const { calls, memory, open } = thread(), fd = open(path.join(temporary(), 'f'), CREATE_WRITE);
  let code, why;
  t.mock.method(fs, 'writeSync', () => { throw Object.assign(new Error('injected'), { code }); });
  memory.writeUInt32LE(4096, 16); memory.writeUInt32LE(5, 20);
  const write = () => calls.fd_write(fd, 16, 1, 64);
  for ([code, why] of [['ENOSPC', /the disk is full/], ['EDQUOT', /quota/], ['EIO', /disk has an error/], ['EFBIG', /too large/]])
    assert.throws(write, why, code);
  code = 'EBADF';
  assert.equal(write(), ERRORS.EBADF);
  code = 'ENOSPC';
  assert.equal(calls.fd_write(1, 16, 1, 64), ERRORS.ENOSPC, 'a stream');
});
