import { unavailable } from '../errors.ts';
import { type Asker, awayFor } from '../turns/owner.ts';
import { TurnRefused } from '../turns/refusal.ts';
import { createTurns, type TurnsCounts } from '../turns/turns.ts';
import { type DrawInThread, openDrawingThreads } from './threads.ts';

/**
 * A document for printing on A4, as data, from top to bottom.
 * Texts may be in any language. Latin, Greek, Cyrillic, Devanagari, Arabic and Japanese are drawn; a
 * character without a font is drawn as an empty box.
 */
export type PdfDocument = {
  /** Of the file, not of the page. */
  readonly title: string;
  /** The time of the file; also of the same document printed again. */
  readonly issuedAt: Date;
  /** Printed at the foot of each page, beside its number. */
  readonly footer: string;
  readonly blocks: readonly PdfBlock[];
};

/**
 * A document that is made when its turn has come.
 * What waits is not in memory, and one that no caller waits for any more is never read. `rows` says how long it is.
 */
export type PdfInTurn = { readonly rows: number; readonly make: () => Promise<PdfDocument> };

export type PdfBlock = PdfText | PdfTable | PdfBarcode | PdfImage | PdfColumns | PdfCard | PdfSpace;

export type PdfText = {
  readonly kind: 'text';
  readonly text: string;
  /** 10 when left out. */
  readonly sizePt?: number;
  readonly bold?: boolean;
  readonly align?: 'left' | 'right';
};

/** A table over as many pages as it needs, its titles on each. No row is cut by the end of a page. */
export type PdfTable = {
  readonly kind: 'table';
  readonly columns: readonly { readonly title: string; readonly widthMm: number; readonly align?: 'left' | 'right' }[];
  readonly rows: readonly (readonly PdfCell[])[];
};

/** A text of the table's own size, or blocks below one another. */
export type PdfCell = string | readonly PdfColumnBlock[];

/** A Code 128 with its text below it, 0.254 mm a module: three dots of a printer of 300 dpi. */
export type PdfBarcode = { readonly kind: 'barcode'; readonly text: string };

/**
 * An image, scaled to fit a box and centred in it, or at its left.
 * It is not decoded here, so it must be a JPEG or an opaque PNG of our own making. The same bytes (the same array) are
 * in the file once, however often they are shown.
 */
export type PdfImage = {
  readonly kind: 'image';
  readonly bytes: Uint8Array;
  readonly widthMm: number;
  readonly heightMm: number;
  readonly align?: 'left';
};

/** What a column can hold. */
export type PdfColumnBlock = PdfText | PdfBarcode | PdfImage | Exclude<PdfSpace, { kind: 'page' }>;

/** Blocks beside one another, never cut by the end of a page. A column holds no table and no columns. */
export type PdfColumns = {
  readonly kind: 'columns';
  readonly columns: readonly {
    readonly widthMm: number;
    readonly blocks: readonly PdfColumnBlock[];
  }[];
  /** A frame around all of it. */
  readonly framed?: boolean;
};

/** Rows of columns in one frame. Only a frame that is higher than a page is cut, between its rows. */
export type PdfCard = { readonly kind: 'card'; readonly rows: readonly Omit<PdfColumns, 'kind' | 'framed'>[] };

/** `page` begins a new one, `rule` draws a line across. */
export type PdfSpace =
  | { readonly kind: 'page' }
  | { readonly kind: 'rule' }
  | { readonly kind: 'gap'; readonly mm: number };

/** The bytes of a document, and the name under which it is saved. */
export type RenderedPdf = { readonly fileName: string; readonly pdf: Buffer };

/** What a page has between its margins; the widths of columns and tables are shares of it. */
export const CONTENT_WIDTH_MM = 180;

/** Each takes a processor for up to a few seconds and at most this much memory beside its result. */
const DRAWN_AT_ONCE = 2;
/** Beside others an account draws one document at a time. */
const DRAWN_AT_ONCE_OF_EACH = 1;
/** Packing slips and job sheets do not wait for customers' invoices. */
const DRAWN_AT_ONCE_BY_OPERATORS = 1;
const WAITING_MAX = 100;
const WAITING_MAX_OF_EACH = 25;
const WAIT_MS = 60_000;
/** 1,000 lines take 2 to 4 s on one core. */
const DRAWING_MS_MAX = 60_000;
/** So many rows take as long as a short document with its thread and fonts. */
const ROWS_OF_WEIGHT = 50;

/** Draws a document as PDF for an owner, within `drawingMs`. */
export type Drawers = {
  readonly draw: (document: PdfDocument | PdfInTurn, asker: Asker, drawingMs?: number) => Promise<Buffer>;
  readonly counts: () => TurnsCounts;
};

/**
 * Opens the drawers of documents, which owners use in turn, weighted by the rows of a document.
 * `drawNow` draws one; it is ended by the asker's signal.
 */
export function openDrawers(
  drawNow: DrawInThread<PdfDocument> = openDrawingThreads({ idleMax: DRAWN_AT_ONCE }),
): Drawers {
  const turns = createTurns({
    resource: 'documents',
    capacity: DRAWN_AT_ONCE,
    capOfEach: DRAWN_AT_ONCE_OF_EACH,
    reserve: DRAWN_AT_ONCE_BY_OPERATORS,
    waitingMax: WAITING_MAX,
    waitingMaxOfEach: WAITING_MAX_OF_EACH,
    waitMs: WAIT_MS,
  });
  return {
    counts: turns.counts,
    draw: async (document, asker, drawingMs = DRAWING_MS_MAX) => {
      const { owner, signal } = asker;
      try {
        const rows = 'make' in document ? document.rows : rowsOf(document);
        const terms = { owner, signal, weight: 1 + rows / ROWS_OF_WEIGHT };
        const draw = async (): Promise<Buffer> =>
          drawNow('make' in document ? await document.make() : document, drawingMs, asker);
        return await awayFor(asker, () => turns.inTurn(terms, draw));
      } catch (error) {
        if (!(error instanceof TurnRefused)) throw error;
        throw unavailable('Too many documents are being drawn. Try again in a moment.', error);
      }
    },
  };
}

const drawers = openDrawers();

/**
 * Draws a document as PDF.
 *
 * Equal documents are equal bytes: nothing in the file depends on chance or on the time of drawing.
 *
 * It is drawn in a thread of its own, so that other requests go on; the next one may be drawn by the same.
 * The thread is ended when the caller has gone. Throws 503 when too many wait, and when the machine is too busy to draw
 * it within `drawingMs`.
 */
export const renderPdf = drawers.draw;

function rowsOf(document: PdfDocument): number {
  return document.blocks.reduce((sum, block) => sum + ('rows' in block ? block.rows.length : 1), 0);
}
