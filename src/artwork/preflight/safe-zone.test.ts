import assert from 'node:assert/strict';
import { test } from 'node:test';
import { safeMarginMm, safeZoneRemarks } from './safe-zone.ts';

const ART = { widthPx: 600, heightPx: 600 };
const ZONE = {
  printArea: 'front',
  template: { widthPx: 3_000, heightPx: 4_000, dpi: 254 },
  marginMm: 10,
  widthMm: 300,
};

test('the safe margin is a twentieth of the shorter side, and 10 mm at most', () => {
  for (const [width_mm, height_mm, margin] of [
    [300, 400, 10],
    [90, 90, 4.5],
    [60, 50, 2.5],
    [110, 55, 3],
    [1_000, 10, 0.5],
  ] as const) {
    assert.equal(safeMarginMm({ width_mm, height_mm }), margin, `${width_mm} by ${height_mm}`);
  }
});

test('only what lies between an edge and the safe zone is warned of: inside is safe, outside is clipped', () => {
  for (const [position, codes] of [
    [{ x: 0.5, y: 0.5, scale: 280 / 300, rotation: 0 }, []],
    [{ x: 0.5, y: 0.5, scale: 290 / 300, rotation: 0 }, ['outside_safe_zone']],
    [{ x: 0.5, y: 0.5, scale: 1, rotation: 0 }, ['outside_safe_zone']],
    [{ x: 0.5, y: 0.5, scale: 1.1, rotation: 0 }, []],
    [{ x: 0.5, y: 0.5, scale: 280 / 300 / Math.SQRT2, rotation: 45 }, []],
    [{ x: 0.5, y: 0.5, scale: 295 / 300 / Math.SQRT2, rotation: 45 }, ['outside_safe_zone']],
    [{ x: 0.5, y: 0.06, scale: 0.1, rotation: 0 }, ['outside_safe_zone']],
  ] as const) {
    const found = safeZoneRemarks(ART, ZONE, position).map(({ code }) => code);
    assert.deepEqual(found, codes, JSON.stringify(position));
  }
});
