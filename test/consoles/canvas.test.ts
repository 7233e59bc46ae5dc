import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type Box,
  boundsOf,
  linesOf,
  moveBox,
  pullBox,
  turnBox,
  wrapped,
} from '../../consoles/shared/canvas/geometry.ts';
import { recorded, redone, startHistory, undone } from '../../consoles/shared/canvas/history.ts';

const BOX: Box = { x: 50, y: 40, widthMm: 40, heightMm: 20, degrees: 0 };
const AREA = linesOf([{ x: 100, y: 100, widthMm: 200, heightMm: 200, degrees: 0 }]);
const LIMITS = { minMm: 2, maxMm: 1_000, lines: AREA, nearMm: 2 };

const near = (actual: number, expected: number): void =>
  assert.ok(Math.abs(actual - expected) < 1e-9, `${actual} is not ${expected}`);

describe('a plane in millimetres', () => {
  test('has lines at the edges and the centre of what lies on it', () => {
    assert.deepEqual(AREA, { xs: [0, 100, 200], ys: [0, 100, 200] });
  });

  test('knows the bounds of what is turned', () => {
    const bounds = boundsOf({ ...BOX, degrees: 90 });
    near(bounds.left, 40);
    near(bounds.right, 60);
    near(bounds.top, 20);
    near(bounds.bottom, 60);
  });

  test('lets a moved edge or centre snap to a line that is near, and shows which', () => {
    const atEdge = moveBox(BOX, { x: -31.5, y: 5 }, AREA, 2);
    assert.equal(atEdge.box.x, 20);
    assert.equal(atEdge.box.y, 45);
    assert.deepEqual(atEdge.lines, { xs: [0], ys: [] });
    assert.equal(moveBox(BOX, { x: 51, y: 61 }, AREA, 2).box.x, 100);
    assert.equal(moveBox(BOX, { x: -31.5, y: 5 }, AREA, 0).box.x, 18.5);
  });

  test('keeps the opposite corner where it is when a corner is pulled, also of what is turned', () => {
    const free = pullBox(BOX, { sx: 1, sy: 1 }, { x: 90, y: 60 }, { ...LIMITS, keepsRatio: false }).box;
    assert.deepEqual(free, { x: 60, y: 45, widthMm: 60, heightMm: 30, degrees: 0 });
    const turned = { ...BOX, degrees: 30 };
    const before = boundsOf(turned);
    const pulled = pullBox(turned, { sx: 1, sy: 0 }, { x: 120, y: 80 }, { ...LIMITS, keepsRatio: false }).box;
    assert.ok(pulled.widthMm > 40);
    near(boundsOf(pulled).left, before.left);
  });

  test('keeps the shape where it is asked to, and snaps by the side that is near a line', () => {
    const pulled = pullBox(BOX, { sx: 1, sy: 1 }, { x: 99, y: 70 }, { ...LIMITS, keepsRatio: true });
    near(pulled.box.widthMm / pulled.box.heightMm, 2);
    near(boundsOf(pulled.box).right, 100);
    assert.deepEqual(pulled.lines, { xs: [100], ys: [] });
  });

  test('never makes a thing smaller than the least, nor turns it inside out', () => {
    const free = pullBox(BOX, { sx: 1, sy: 1 }, { x: -50, y: -50 }, { ...LIMITS, keepsRatio: false }).box;
    assert.deepEqual([free.widthMm, free.heightMm], [2, 2]);
    const kept = pullBox(BOX, { sx: 1, sy: 1 }, { x: -50, y: -50 }, { ...LIMITS, keepsRatio: true }).box;
    near(kept.heightMm, 2);
    near(kept.widthMm, 4);
  });

  test('turns to a point, and snaps to multiples of 15 degrees', () => {
    assert.equal(turnBox(BOX, { x: 50, y: 0 }, false).degrees, 0);
    assert.equal(turnBox(BOX, { x: 90, y: 41 }, false).degrees, 90);
    assert.equal(turnBox(BOX, { x: 70, y: 31 }, true).degrees, 60);
    assert.equal(wrapped(270), -90);
  });
});

describe('the history of a value', () => {
  test('makes one step of a gesture, and goes back and forth', () => {
    let history = startHistory('a');
    history = recorded(history, 'b', 'drag 1');
    history = recorded(history, 'c', 'drag 1');
    history = recorded(history, 'd', 'drag 2');
    assert.deepEqual(history.past, ['a', 'c']);
    history = undone(history);
    assert.equal(history.present, 'c');
    history = undone(history);
    assert.equal(history.present, 'a');
    assert.equal(undone(history).present, 'a');
    history = redone(redone(redone(history)));
    assert.equal(history.present, 'd');
  });

  test('forgets what was undone once something else is changed, and what is older than 200 steps', () => {
    let history = recorded(undone(recorded(startHistory(0), 1)), 2);
    assert.deepEqual(history.future, []);
    for (let value = 3; value < 300; value += 1) history = recorded(history, value);
    assert.equal(history.past.length, 200);
  });
});
