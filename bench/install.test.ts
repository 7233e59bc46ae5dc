import assert from 'node:assert/strict';
import { lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { bytesOnDisk } from './install.ts';

test('an install takes what its files and folders take on the disk, and a link only its own', () => {
  const folder = mkdtempSync(join(tmpdir(), 'platen-size-'));
  try {
    mkdirSync(join(folder, 'a', 'b'), { recursive: true });
    writeFileSync(join(folder, 'a', 'b', 'file'), Buffer.alloc(100_000));
    symlinkSync('file', join(folder, 'a', 'b', 'link'));
    const parts = ['', 'a', 'a/b', 'a/b/file', 'a/b/link'].map((path) => lstatSync(join(folder, path)).blocks * 512);
    assert.equal(
      bytesOnDisk(folder),
      parts.reduce((sum, bytes) => sum + bytes, 0),
    );
    assert.ok(bytesOnDisk(folder) >= 100_000);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
