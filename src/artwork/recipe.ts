import { createHash } from 'node:crypto';
import type { Uuid } from '../lib/ids.ts';
import { type Drawing, NEWEST_OF_TEXTS, type RecipeVersion } from './drawing.ts';
import type { Template } from './image-pool.ts';
import type { Position } from './place.ts';
import type { PositionBody } from './schema.ts';

/** The default position of artwork (spec 2.3). */
export const CENTRED: Position = { x: 0.5, y: 0.5, scale: 1, rotation: 0 };

/** The version of new files of one design, in which version 3 changes nothing. */
const NEWEST: RecipeVersion = 2;

/**
 * A position with the defaults of spec 2.3 for members left out.
 * Whole turns are removed from the rotation; its sign stays.
 */
export function positionOf({ x = 0.5, y = 0.5, scale = 1, rotation = 0 }: PositionBody = {}): Required<PositionBody> {
  // Adding zero turns -0 into 0, as JSON prints it.
  return { x: x + 0, y: y + 0, scale, rotation: (rotation % 360) + 0 };
}

/** How a print-ready file is made. Two jobs with equal recipes share one file. */
export type Recipe = DesignRecipe | PersonalisedRecipe;

/** From one design. */
export type DesignRecipe = {
  readonly kind?: undefined;
  readonly version: RecipeVersion;
  readonly designHash: string;
  readonly template: Template;
  readonly position: Position;
};

/**
 * From the inputs of a personalised piece.
 * A snapshot, so that no later change of product or template reaches it.
 */
export type PersonalisedRecipe = {
  readonly kind: 'personalised';
  readonly version: RecipeVersion;
  readonly template: Template;
  /** From bottom to top. */
  readonly drawings: readonly Drawing[];
};

export type PrintFileOrder = { readonly key: string; readonly recipe: Recipe };

/** The recipe of a design on a print area, with its key: a hash over the recipe and the account (hex). */
export function printFileOf(
  accountId: Uuid,
  designHash: string,
  template: Template,
  position: Position,
): PrintFileOrder {
  const recipe: DesignRecipe = { version: NEWEST, designHash, template, position };
  // Written out member by member, so that the key does not depend on an object's member order.
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

/** The recipe of the drawings of a personalised piece on one print area, with its key, likewise. */
export function personalisedPrintFileOf(
  accountId: Uuid,
  template: Template,
  drawings: readonly Drawing[],
): PrintFileOrder {
  const recipe: PersonalisedRecipe = { kind: 'personalised', version: NEWEST_OF_TEXTS, template, drawings };
  const { widthPx, heightPx, dpi } = template;
  const material = [accountId, recipe.kind, recipe.version, widthPx, heightPx, dpi, drawings.map(membersOf)];
  return { key: hashOf(material), recipe };
}

/**
 * The design that a personalised piece counts as when prints are priced (domain, "Price book").
 * A hash (hex) over all drawings on all of its areas, so that equal inputs on an equal template are
 * one design.
 */
export function personalisedDesignKey(areas: readonly { printArea: string; drawings: readonly Drawing[] }[]): string {
  return hashOf(areas.map(({ printArea, drawings }) => [printArea, drawings.map(membersOf)]));
}

function membersOf(drawing: Drawing): readonly (string | number)[] {
  const { left, top, width, height } = drawing.box;
  const place = [drawing.kind, left, top, width, height];
  if (drawing.kind === 'picture') return [...place, drawing.fit, drawing.designHash];
  return [...place, drawing.text, drawing.font, drawing.color, drawing.align, drawing.sizePx.min, drawing.sizePx.max];
}

function hashOf(material: unknown): string {
  return createHash('sha256').update(JSON.stringify(material)).digest('hex');
}
