import { publicId } from '../lib/ids.ts';
import type { Paper, PaperBlock } from '../lib/paper.ts';
import { dayOf, paperHead, variantText } from './paper-parts.ts';
import type { PaperJobRow, PaperLineRow, PaperOrderRow } from './sql.ts';

/** The words of the catalogue for what an order names by codes. */
export type Titles = {
  readonly area: (sku: string, printArea: string) => string;
  readonly method: (method: string) => string;
};

/**
 * The sheet that goes through production with an order: a card for each line of which pieces are left to make or made, with what is
 * printed where and a barcode that scans back to the line's id; above them why it is held and what its owner wrote to the shop.
 */
export function jobSheet(order: PaperOrderRow, titles: Titles): Paper {
  const held = order.hold === null ? [] : [`On hold, ${order.hold.code}: ${order.hold.reason}`];
  const facts = [`${order.type === 'sample' ? 'Sample' : 'Bulk'} order, placed ${dayOf(order.placed_at)}`];
  const work = order.lines.filter((line) => line.quantity > line.quantity_cancelled);
  return {
    title: `Job sheet ${order.reference}`,
    footer: order.reference,
    blocks: [
      ...paperHead('Job sheet', order.reference, facts),
      ...held.map((text): PaperBlock => ({ kind: 'text', text, sizePt: 12, bold: true })),
      ...notesOf(order.notes),
      ...work.flatMap((line) => [card(line, titles), { kind: 'gap' as const, mm: 3 }]),
    ],
  };
}

function notesOf(notes: string): PaperBlock[] {
  if (notes === '') return [];
  return [
    { kind: 'text', text: 'Notes of the customer', bold: true },
    { kind: 'text', text: notes },
    { kind: 'gap', mm: 4 },
  ];
}

function card(line: PaperLineRow, titles: Titles): PaperBlock {
  const toMake = line.quantity - line.quantity_cancelled;
  const counts = [
    `${line.quantity} ordered`,
    ...(line.quantity_cancelled > 0 ? [`${line.quantity_cancelled} cancelled`] : []),
    ...(line.quantity_shipped > 0 ? [`${line.quantity_shipped} shipped`] : []),
  ];
  const jobs = line.jobs.map((job) => jobText(line, job, titles));
  return {
    kind: 'columns',
    framed: true,
    columns: [
      {
        widthMm: 108,
        blocks: [
          { kind: 'barcode', text: publicId('line', line.id) },
          { kind: 'text', text: variantText(line), bold: true },
          { kind: 'text', text: line.sku },
        ],
      },
      {
        widthMm: 70,
        blocks: [
          { kind: 'text', text: `Make ${toMake}`, sizePt: 14, bold: true },
          { kind: 'text', text: counts.join(', '), sizePt: 8 },
          { kind: 'text', text: jobs.length === 0 ? 'Blank: nothing is printed' : jobs.join('\n'), sizePt: 9 },
        ],
      },
    ],
  };
}

function jobText(line: PaperLineRow, job: PaperJobRow, titles: Titles): string {
  const station = job.station === null ? 'no station yet' : (job.station_title ?? job.station);
  const progress = [
    ...(job.quantity_done > 0 ? [`${job.quantity_done} done`] : []),
    ...(job.quantity_spoiled > 0 ? [`${job.quantity_spoiled} spoiled`] : []),
    ...(job.state === 'ready' ? [] : [`file ${job.state}`]),
  ];
  const what = `${titles.area(line.sku, job.print_area)}: ${titles.method(job.method)}, ${station}`;
  return progress.length === 0 ? what : `${what} (${progress.join(', ')})`;
}
