import { Worker } from 'node:worker_threads';
import { unavailable } from '../errors.ts';

/**
 * A document for printing on A4, as data: what stands on it from top to bottom. Texts may hold any language; Latin, Greek,
 * Cyrillic, Devanagari, Arabic and Japanese are drawn, and a character that no font here has as an empty box.
 */
export type Paper = {
  /** Of the file, not of the page. */
  readonly title: string;
  /** Stands at the foot of each page, beside its number. */
  readonly footer: string;
  readonly blocks: readonly PaperBlock[];
};

export type PaperBlock = PaperText | PaperTable | PaperBarcode | PaperPicture | PaperColumns | PaperCard | PaperSpace;

export type PaperText = {
  readonly kind: 'text';
  readonly text: string;
  /** 10 when left out. */
  readonly sizePt?: number;
  readonly bold?: boolean;
  readonly align?: 'left' | 'right';
};

/** A table that goes on over as many pages as it needs, its titles on each. A row is never cut by the end of a page. */
export type PaperTable = {
  readonly kind: 'table';
  readonly columns: readonly { readonly title: string; readonly widthMm: number; readonly align?: 'left' | 'right' }[];
  readonly rows: readonly (readonly PaperCell[])[];
};

/** A text of the table's own size, or blocks below one another. */
export type PaperCell = string | readonly PaperSmall[];

/** A Code 128 with its text below it, 0.254 mm a module: three dots of a printer of 300 dpi. */
export type PaperBarcode = { readonly kind: 'barcode'; readonly text: string };

/**
 * A picture as large as fits into a box, in its middle. It is not decoded here, so it must be a JPEG of our own making. The same
 * bytes (the same array) stand in the file once, however often they are shown.
 */
export type PaperPicture = {
  readonly kind: 'picture';
  readonly jpeg: Uint8Array;
  readonly widthMm: number;
  readonly heightMm: number;
};

/** What can stand in a column. */
export type PaperSmall = PaperText | PaperBarcode | PaperPicture | Exclude<PaperSpace, { kind: 'page' }>;

/** Blocks beside one another, never cut by the end of a page. A column holds no table and no columns. */
export type PaperColumns = {
  readonly kind: 'columns';
  readonly columns: readonly {
    readonly widthMm: number;
    readonly blocks: readonly PaperSmall[];
  }[];
  /** A frame around all of it. */
  readonly framed?: boolean;
};

/** Rows of columns in one frame. It is cut by the end of a page only between rows, and only when it is higher than a page. */
export type PaperCard = { readonly kind: 'card'; readonly rows: readonly Omit<PaperColumns, 'kind' | 'framed'>[] };

/** `page` begins a new one, `rule` draws a line across. */
export type PaperSpace =
  | { readonly kind: 'page' }
  | { readonly kind: 'rule' }
  | { readonly kind: 'gap'; readonly mm: number };

/** A paper that is drawn, and the name under which it is saved. */
export type DrawnPaper = { readonly fileName: string; readonly pdf: Buffer };

/** What a page has between its margins; the widths of columns and tables are shares of it. */
export const PAPER_WIDTH_MM = 180;

/** Each takes a processor for up to a few seconds and at most this much memory beside its result. */
const DRAWN_AT_ONCE = 2;
const HEAP_MB_MAX = 384;
const WAITING_MAX = 50;
/** 1,000 lines take 2 to 4 s on one core. */
const DRAWING_MS_MAX = 60_000;

let drawing = 0;
const waiting: (() => void)[] = [];

/**
 * Draws a paper as PDF. The same paper is the same bytes: nothing of the file depends on time or chance. It is drawn in a thread
 * of its own, which loads the libraries and fonts and ends again, so that other requests go on. Throws 503 when too many wait.
 */
export async function createPaper(paper: Paper): Promise<Buffer> {
  if (waiting.length >= WAITING_MAX) throw unavailable('Too many papers are being drawn. Try again in a moment.');
  if (drawing >= DRAWN_AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  else drawing += 1;
  try {
    return await draw(paper);
  } finally {
    // The place is handed on, or given up.
    const next = waiting.shift();
    if (next === undefined) drawing -= 1;
    else next();
  }
}

async function draw(paper: Paper): Promise<Buffer> {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    workerData: paper,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX },
  });
  const timer = setTimeout(() => void worker.terminate(), DRAWING_MS_MAX);
  try {
    const bytes = await new Promise<Uint8Array>((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
      worker.once('exit', (code) => reject(new Error(`a paper could not be drawn: exit ${code}`)));
    });
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  } finally {
    clearTimeout(timer);
  }
}
