import assert from 'node:assert/strict';
import { test } from 'node:test';
import { directLink } from '../../consoles/shared/artwork/direct-link.ts';

const ID = '1a2B3c4D5e6F7g8H9i0JkLmNoPqRsTuVw';
const DRIVE = `https://drive.usercontent.google.com/download?id=${ID}&export=download`;

test('share links of Google Drive become the address of the file', () => {
  for (const [pasted, direct] of [
    [`https://drive.google.com/file/d/${ID}/view?usp=sharing`, DRIVE],
    [`https://drive.google.com/file/d/${ID}/edit`, DRIVE],
    [`https://drive.google.com/file/u/1/d/${ID}/preview`, DRIVE],
    [`  http://drive.google.com/file/d/${ID}\n`, DRIVE],
    [`https://drive.google.com/open?id=${ID}&authuser=0`, DRIVE],
    [`https://drive.google.com/uc?export=view&id=${ID}`, DRIVE],
    [`https://docs.google.com/uc?id=${ID}`, DRIVE],
    [`https://drive.google.com/file/d/${ID}/view?resourcekey=0-abcDEF&usp=drive_link`, `${DRIVE}&resourcekey=0-abcDEF`],
  ] as const) {
    assert.deepEqual(directLink(pasted), { kind: 'direct', url: direct, from: 'Google Drive' }, pasted);
  }
});

test('share links of Dropbox become the address of the file, with the key that opens it', () => {
  for (const [pasted, direct] of [
    [
      'https://www.dropbox.com/scl/fi/abc123/Front%20print.png?rlkey=k3y&st=x1&dl=0',
      'https://www.dropbox.com/scl/fi/abc123/Front%20print.png?rlkey=k3y&st=x1&dl=1',
    ],
    ['https://www.dropbox.com/s/abc123/front.png?dl=0', 'https://www.dropbox.com/s/abc123/front.png?dl=1'],
    ['https://dropbox.com/s/abc123/front.png', 'https://dropbox.com/s/abc123/front.png?dl=1'],
    ['https://www.dropbox.com/s/abc123/front.png?raw=1#page', 'https://www.dropbox.com/s/abc123/front.png?dl=1'],
  ] as const) {
    assert.deepEqual(directLink(pasted), { kind: 'direct', url: direct, from: 'Dropbox' }, pasted);
  }
});

test('what is direct, of another host or no address stays as it is', () => {
  for (const url of [
    'https://www.dropbox.com/s/abc123/front.png?dl=1',
    'https://dl.dropboxusercontent.com/s/abc123/front.png',
    DRIVE,
    'https://cdn.example.com/file/d/art.png?id=1',
    'https://notdrive.google.com.example.org/file/d/x/view',
    'https://drive.google.com/drive/my-drive',
    'https://drive.google.com/open?id=../../etc',
    'https://www.dropbox.com/home/pictures',
    'javascript:alert(1)',
    'front.png',
    '',
  ]) {
    assert.deepEqual(directLink(url), { kind: 'unchanged', url }, url);
  }
});

test('a folder or a document is named for what it is', () => {
  for (const [url, why] of [
    [`https://drive.google.com/drive/folders/${ID}?usp=sharing`, /folder of Google Drive/],
    [`https://drive.google.com/drive/u/0/folders/${ID}`, /folder of Google Drive/],
    [`https://docs.google.com/document/d/${ID}/edit`, /document of Google/],
    ['https://www.dropbox.com/sh/abc/def?dl=0', /folder of Dropbox/],
    ['https://www.dropbox.com/scl/fo/abc/h?rlkey=k&dl=0', /folder of Dropbox/],
  ] as const) {
    const link = directLink(url);
    assert.equal(link.kind, 'wrong', url);
    assert.match(link.kind === 'wrong' ? link.why : '', why);
  }
});
