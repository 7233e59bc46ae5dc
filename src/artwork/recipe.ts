import { createHash } from 'node:crypto';
import type { Uuid } from '../lib/ids.ts';
import type { Template } from './picture-pool.ts';
import type { Position } from './place.ts';

/** Where artwork sits when nothing else is said (spec 2.3). */
export const CENTRED: Position = { x: 0.5, y: 0.5, scale: 1, rotation: 0 };

/** How a print-ready file is made from a design. Two jobs with equal recipes share one file. */
export type Recipe = {
  /** Grows when the way of making changes what is seen, so that old files are not taken for new ones. */
  readonly version: 1;
  readonly designHash: string;
  readonly template: Template;
  readonly position: Position;
};

export type PrintFileOrder = { readonly key: string; readonly recipe: Recipe };

/** The recipe of a design on a print area, with its key: a hash over the recipe and the account (hex). */
export function printFileOf(
  accountId: Uuid,
  designHash: string,
  template: Template,
  position: Position,
): PrintFileOrder {
  const recipe: Recipe = { version: 1, designHash, template, position };
  // Spelt out member by member, so that the key does not hang on the order in which an object was built.
  const material = [
    accountId,
    recipe.version,
    designHash,
    template.widthPx,
    template.heightPx,
    template.dpi,
    position.x,
    position.y,
    position.scale,
    position.rotation,
  ].join('|');
  return { key: createHash('sha256').update(material).digest('hex'), recipe };
}

/** Dots an inch at which a picture is printed when it is fitted into a template, scaled and printed at the template's size. */
export function effectiveDpi(
  picture: { readonly widthPx: number; readonly heightPx: number },
  template: Template,
  scale: number,
): number {
  const fitted = Math.min(template.widthPx / picture.widthPx, template.heightPx / picture.heightPx);
  return Math.round(template.dpi / (fitted * scale));
}
