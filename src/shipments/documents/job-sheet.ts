import { publicId } from '../../lib/ids.ts';
import type { PdfBlock, PdfCard, PdfColumnBlock, PdfDocument } from '../../lib/pdf/document.ts';
import { sellerDay } from '../../lib/seller-day.ts';
import type { PaperJobRow, PaperLineRow, PaperOrderRow } from '../sql.ts';
import { documentHead, type PaperOrder, variantText } from './parts.ts';

/** The catalogue's titles for the codes of an order. */
export type Titles = {
  /** The blank on the shelf with its colour and size, whatever the customer calls them. */
  readonly blank: (sku: string) => string;
  readonly area: (sku: string, printArea: string) => string;
  readonly method: (method: string) => string;
};

/** The previews of print files, JPEGs by the key of the file. */
export type JobPictures = ReadonlyMap<string, Uint8Array>;

/**
 * The sheet that goes through production with an order.
 * It has a card for each line that is not cancelled whole: a picture of what is printed where, at what size and at
 * which station, why it is paused, what blanks it lacks, and a barcode of the line's id. Above the cards are the
 * reason of a hold and the customer's notes to the shop.
 */
export function jobSheet(order: PaperOrder, titles: Titles, pictures: JobPictures): PdfDocument {
  const held = order.hold === null ? [] : [`On hold, ${order.hold.code}: ${order.hold.reason}`];
  const work = linesToMake(order);
  const pieces = work.reduce((sum, line) => sum + toMake(line), 0);
  const facts = [
    `${order.type === 'sample' ? 'Sample' : 'Bulk'} order, placed ${sellerDay(order.days, order.placed_at)}; as of ${sellerDay(order.days, order.updated_at)}`,
    `${counted(pieces, 'piece')} in ${counted(work.length, 'line')}`,
    ...(order.replaces === null ? [] : [`Replacement for ${order.replaces.reference}`]),
  ];
  return {
    title: `Job sheet ${order.reference}`,
    issuedAt: order.updated_at,
    footer: order.reference,
    blocks: [
      ...documentHead('Job sheet', order.reference, facts),
      ...held.map((text): PdfBlock => ({ kind: 'text', text, sizePt: 12, bold: true })),
      ...notesOf(order.notes),
      ...work.flatMap((line) => [card(line, titles, pictures), { kind: 'gap' as const, mm: 3 }]),
    ],
  };
}

/** The lines that are not cancelled whole: those on the sheet. */
export function linesToMake(order: PaperOrderRow): PaperLineRow[] {
  return order.lines.filter((line) => toMake(line) > 0);
}

function toMake(line: PaperLineRow): number {
  return line.quantity - line.quantity_cancelled;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

function notesOf(notes: string): PdfBlock[] {
  if (notes === '') return [];
  return [
    { kind: 'text', text: 'Notes of the customer', bold: true },
    { kind: 'text', text: notes },
    { kind: 'gap', mm: 4 },
  ];
}

type Row = PdfCard['rows'][number];

function card(line: PaperLineRow, titles: Titles, pictures: JobPictures): PdfCard {
  const jobs = line.jobs.map((job) => jobColumns(line, job, titles, pictures));
  // Two jobs beside one another.
  const rows = jobs.flatMap((columns, index): Row[] =>
    index % 2 === 0 ? [{ columns: [...columns, ...(jobs[index + 1] ?? [])] }] : [],
  );
  return { kind: 'card', rows: [head(line, titles), ...rows] };
}

function head(line: PaperLineRow, titles: Titles): Row {
  const counts = [
    `${line.quantity} ordered`,
    ...(line.quantity_cancelled > 0 ? [`${line.quantity_cancelled} cancelled`] : []),
    ...(line.quantity_shipped > 0 ? [`${line.quantity_shipped} shipped`] : []),
  ];
  return {
    columns: [
      {
        widthMm: 108,
        blocks: [
          { kind: 'barcode', text: publicId('line', line.id) },
          {
            kind: 'text',
            text: [titles.blank(line.sku), line.sku].filter((text) => text !== '').join('\n'),
            sizePt: 11,
            bold: true,
          },
          { kind: 'text', text: `Customer's label: ${variantText(line).replaceAll('\n', ', ')}`, sizePt: 9 },
        ],
      },
      {
        widthMm: 70,
        blocks: [
          { kind: 'text', text: `Make ${toMake(line)}`, sizePt: 18, bold: true },
          { kind: 'text', text: counts.join(', '), sizePt: 9 },
          ...pauseOf(line),
          ...shortOf(line),
          ...(line.jobs.length === 0
            ? [{ kind: 'text' as const, text: 'Blank: nothing is printed', sizePt: 10, bold: true }]
            : []),
        ],
      },
    ],
  };
}

function pauseOf({ pause }: PaperLineRow): PdfColumnBlock[] {
  return pause === null
    ? []
    : [{ kind: 'text', text: `Paused, ${pause.code}: ${pause.reason}`, sizePt: 10, bold: true }];
}

/** Spoiled pieces that are not being made again yet. */
function shortOf(line: PaperLineRow): PdfColumnBlock[] {
  const texts = [
    ...(line.quantity_short > 0 ? [`Short of ${counted(line.quantity_short, 'blank')}`] : []),
    ...(line.quantity_to_start > 0 ? [`${counted(line.quantity_to_start, 'blank')} came in: start again`] : []),
  ];
  return texts.map((text) => ({ kind: 'text', text, sizePt: 10, bold: true }));
}

const PICTURE_MM = 24;

/** The picture of a print job, and beside it what, how, where and how large. */
function jobColumns(line: PaperLineRow, job: PaperJobRow, titles: Titles, pictures: JobPictures): Row['columns'] {
  const bytes = pictures.get(job.file_key);
  const picture: PdfColumnBlock =
    bytes === undefined
      ? { kind: 'text', text: NO_PICTURE[job.state], sizePt: 9, bold: job.state !== 'ready' }
      : { kind: 'image', bytes, widthMm: PICTURE_MM, heightMm: PICTURE_MM };
  return [
    { widthMm: PICTURE_MM + 4, blocks: [picture] },
    {
      widthMm: 60,
      blocks: [
        { kind: 'text', text: titles.area(line.sku, job.print_area), sizePt: 11, bold: true },
        { kind: 'text', text: jobText(line, job, titles), sizePt: 9 },
      ],
    },
  ];
}

const NO_PICTURE: Readonly<Record<PaperJobRow['state'], string>> = {
  ready: 'The file is ready; it has no picture here.',
  pending: 'The file is not ready yet.',
  failed: 'The file could not be made.',
  expired: 'The artwork was deleted: its time was over.',
};

function jobText(line: PaperLineRow, job: PaperJobRow, titles: Titles): string {
  const station = job.station === null ? 'No station yet' : `Station ${job.station_title ?? job.station}`;
  const progress = [
    `${toMake(line)} to print`,
    ...(job.quantity_done > 0 ? [`${job.quantity_done} done`] : []),
    ...(job.quantity_spoiled > 0 ? [`${job.quantity_spoiled} spoiled`] : []),
  ];
  return [titles.method(job.method), station, ...sizeOf(job), progress.join(', ')].join('\n');
}

/** The size of the print area, to which the file is made. */
function sizeOf({ template }: PaperJobRow): string[] {
  if (template === null) return [];
  const [width, height] = [template.widthPx, template.heightPx].map((px) => Math.round((px / template.dpi) * 25.4));
  return [`${width} × ${height} mm`];
}
