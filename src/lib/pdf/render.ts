import PDFDocument from 'pdfkit';
import { type Faces, flowText, type TextLine } from '../text/flow-text.ts';
import { BAR_PT, drawBars, PT_PER_MM } from './barcode.ts';
import {
  CONTENT_WIDTH_MM,
  type PdfBlock,
  type PdfCard,
  type PdfCell,
  type PdfColumnBlock,
  type PdfColumns,
  type PdfDocument,
  type PdfImage,
  type PdfTable,
  type PdfText,
} from './document.ts';
import { faceFor, readFont } from './fonts.ts';

// Lays a document out and draws it. Runs in a thread of its own, see `renderPdf`; the libraries are loaded nowhere
// else.

const MARGIN_MM = 15;
const TOP_PT = MARGIN_MM * PT_PER_MM;
/** A4 is 297 mm high; the footer is below. */
const BOTTOM_PT = (297 - 20) * PT_PER_MM;
const LEFT_PT = MARGIN_MM * PT_PER_MM;
const FOOT_PT = (297 - 12) * PT_PER_MM;
const LINE_HEIGHT = 1.4;
/** The position of the baseline in a line. */
const BASELINE = 1.05;
const TEXT_PT = 10;
const CELL_PT = 9;
const CELL_PAD_PT = 3;
const FOOT_TEXT_PT = 8;
const FRAME_PAD_PT = 6;
/** A column never becomes higher than a page. */
const LINES_MAX = 45;
const TEXT_LINES_MAX = 400;

const CAPTION_PT = 8;

type Doc = InstanceType<typeof PDFDocument>;

type Pen = {
  readonly doc: Doc;
  readonly faces: (sizePt: number, bold: boolean) => Faces;
  readonly imageOf: (bytes: Uint8Array) => string;
  /** The position of the next block. */
  y: number;
};

/** Draws a document as the bytes of a PDF: equal documents, equal bytes. */
export async function drawPdf({ title, issuedAt, footer, blocks }: PdfDocument): Promise<Buffer> {
  const doc = openDocument(title, issuedAt);
  const chunks: Buffer[] = [];
  doc.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise<void>((resolve, reject) => {
    doc.once('end', resolve);
    doc.once('error', reject);
  });
  const pen: Pen = { doc, faces: facesOf(doc), imageOf: imagesOf(), y: TOP_PT };
  for (const block of blocks) drawBlock(pen, block);
  drawFeet(pen, footer);
  doc.end();
  await ended;
  return Buffer.concat(chunks);
}

function openDocument(title: string, issuedAt: Date): Doc {
  return new PDFDocument({
    size: 'A4',
    margin: 0,
    bufferPages: true,
    // Without a font of its own choice.
    font: '',
    // The library makes the file's identifier of it, too.
    info: { Title: title, Creator: 'Platen', Producer: 'Platen', CreationDate: issuedAt },
  });
}

/** Fonts are read and registered on first use. */
function facesOf(doc: Doc): Pen['faces'] {
  const registered = new Set<string>();
  const widths = new Map<string, number>();
  return (sizePt, bold) => ({
    faceFor: (cluster) => {
      const face = faceFor(cluster, bold ? 700 : 400);
      if (!registered.has(face.name)) {
        doc.registerFont(face.name, readFont(face.path));
        registered.add(face.name);
      }
      return face.name;
    },
    widthPt: (face, text) => {
      const key = `${face}\0${text}`;
      const known = widths.get(key);
      if (known !== undefined) return known * sizePt;
      const width = doc.font(face).fontSize(100).widthOfString(text, WHOLE) / 100;
      widths.set(key, width);
      return width * sizePt;
    },
  });
}

/** The library knows an image again by the text that it was given, and then has it in the file once. */
function imagesOf(): Pen['imageOf'] {
  const known = new Map<Uint8Array, string>();
  return (bytes) => {
    // It looks at the bytes, whatever type this says.
    const text = known.get(bytes) ?? `data:image/jpeg;base64,${Buffer.from(bytes).toString('base64')}`;
    known.set(bytes, text);
    return text;
  };
}

/** Laid out as one text, not word by word: Arabic words would come in the wrong order. */
const WHOLE: PDFKit.Mixins.TextOptions = { features: [], lineBreak: false };

function drawBlock(pen: Pen, block: PdfBlock): void {
  if (block.kind === 'text') drawText(pen, block);
  else if (block.kind === 'table') drawTable(pen, block);
  else if (block.kind === 'columns') drawColumns(pen, block);
  else if (block.kind === 'card') drawCard(pen, block);
  else if (block.kind === 'page') turnPage(pen);
  else if (block.kind === 'gap') pen.y += block.mm * PT_PER_MM;
  else {
    const heightPt = heightOf(pen, block, 0);
    makeRoom(pen, heightPt);
    drawSmall(pen, block, LEFT_PT, pen.y, CONTENT_WIDTH_MM * PT_PER_MM);
    pen.y += heightPt;
  }
}

const RULE_PT = 6;

function turnPage(pen: Pen): void {
  pen.doc.addPage();
  pen.y = TOP_PT;
}

function makeRoom(pen: Pen, heightPt: number): void {
  if (pen.y + heightPt > BOTTOM_PT && pen.y > TOP_PT) turnPage(pen);
}

/** A text may go on over pages, line by line. */
function drawText(pen: Pen, block: PdfText): void {
  const sizePt = block.sizePt ?? TEXT_PT;
  const widthPt = CONTENT_WIDTH_MM * PT_PER_MM;
  for (const line of linesOf(pen, block, widthPt, TEXT_LINES_MAX)) {
    makeRoom(pen, sizePt * LINE_HEIGHT);
    drawLine(pen, line, sizePt, LEFT_PT, pen.y, widthPt, block.align ?? 'left');
    pen.y += sizePt * LINE_HEIGHT;
  }
}

function linesOf(pen: Pen, block: PdfText, widthPt: number, linesMax: number): TextLine[] {
  return flowText(block.text, widthPt, linesMax, pen.faces(block.sizePt ?? TEXT_PT, block.bold === true));
}

function drawLine(
  { doc }: Pen,
  line: TextLine,
  sizePt: number,
  x: number,
  y: number,
  widthPt: number,
  align: 'left' | 'right',
): void {
  let at = align === 'right' ? x + widthPt - line.widthPt : x;
  for (const { face, text } of line.runs) {
    const width = doc.font(face).fontSize(sizePt).widthOfString(text, WHOLE);
    if (text.trim() !== '') doc.text(text, at, y + BASELINE * sizePt, { ...WHOLE, baseline: 'alphabetic' });
    at += width;
  }
}

function drawTable(pen: Pen, table: PdfTable): void {
  const rows = table.rows.map((row) => laidOut(pen, table, row, false));
  drawTitles(pen, table, rows[0]?.heightPt ?? 0);
  for (const row of rows) {
    if (pen.y + row.heightPt > BOTTOM_PT && pen.y > TOP_PT) {
      turnPage(pen);
      drawTitles(pen, table, row.heightPt);
    }
    drawRow(pen, table, row);
    pen.doc
      .moveTo(LEFT_PT, pen.y)
      .lineTo(LEFT_PT + tableWidth(table), pen.y)
      .lineWidth(0.25)
      .stroke('#999999');
  }
}

function drawTitles(pen: Pen, table: PdfTable, rowHeightPt: number): void {
  const texts = table.columns.map(({ title }) => title);
  const titles = laidOut(pen, table, texts, true);
  // Titles must not be alone at the end of a page.
  makeRoom(pen, titles.heightPt + rowHeightPt);
  drawRow(pen, table, titles);
  pen.doc
    .moveTo(LEFT_PT, pen.y)
    .lineTo(LEFT_PT + tableWidth(table), pen.y)
    .lineWidth(0.75)
    .stroke('#000000');
}

function tableWidth(table: PdfTable): number {
  return table.columns.reduce((sum, { widthMm }) => sum + widthMm * PT_PER_MM, 0);
}

type Cell = { readonly lines: readonly TextLine[] } | { readonly blocks: readonly PdfColumnBlock[] };

type LaidRow = { readonly cells: readonly Cell[]; readonly heightPt: number };

function laidOut(pen: Pen, table: PdfTable, contents: readonly PdfCell[], bold: boolean): LaidRow {
  const cells = table.columns.map(({ widthMm }, index): Cell => {
    const content = contents[index] ?? '';
    if (typeof content !== 'string') return { blocks: content };
    return { lines: flowText(content, cellWidthPt(widthMm), LINES_MAX, pen.faces(CELL_PT, bold)) };
  });
  const heights = cells.map((cell, index) =>
    'lines' in cell
      ? cell.lines.length * CELL_PT * LINE_HEIGHT
      : heightOfAll(pen, cell.blocks, cellWidthPt(table.columns[index]?.widthMm ?? 0)),
  );
  return { cells, heightPt: Math.max(CELL_PT * LINE_HEIGHT, ...heights) + 2 * CELL_PAD_PT };
}

function cellWidthPt(widthMm: number): number {
  return widthMm * PT_PER_MM - 2 * CELL_PAD_PT;
}

function drawRow(pen: Pen, table: PdfTable, { cells, heightPt }: LaidRow): void {
  let x = LEFT_PT + CELL_PAD_PT;
  const top = pen.y + CELL_PAD_PT;
  table.columns.forEach(({ widthMm, align }, index) => {
    const cell = cells[index];
    const widthPt = cellWidthPt(widthMm);
    pen.doc.fillColor('#000000');
    if (cell !== undefined && 'blocks' in cell) drawAll(pen, cell.blocks, x, top, widthPt);
    else {
      cell?.lines.forEach((line, at) => {
        drawLine(pen, line, CELL_PT, x, top + at * CELL_PT * LINE_HEIGHT, widthPt, align ?? 'left');
      });
    }
    x += widthMm * PT_PER_MM;
  });
  pen.y += heightPt;
}

function drawColumns(pen: Pen, block: PdfColumns): void {
  if (block.framed === true) {
    drawCard(pen, { kind: 'card', rows: [block] });
    return;
  }
  const heightPt = rowOfColumnsHeight(pen, block, 0);
  makeRoom(pen, heightPt);
  drawRowOfColumns(pen, block, pen.y, 0);
  pen.y += heightPt;
}

function drawCard(pen: Pen, { rows }: PdfCard): void {
  const heights = rows.map((row) => rowOfColumnsHeight(pen, row, FRAME_PAD_PT));
  const heightPt = heights.reduce((sum, height) => sum + height + FRAME_PAD_PT, FRAME_PAD_PT);
  if (heightPt > BOTTOM_PT - TOP_PT && rows.length > 1) {
    for (const row of rows) drawCard(pen, { kind: 'card', rows: [row] });
    return;
  }
  makeRoom(pen, heightPt);
  let y = pen.y + FRAME_PAD_PT;
  rows.forEach((row, index) => {
    drawRowOfColumns(pen, row, y, FRAME_PAD_PT);
    y += (heights[index] ?? 0) + FRAME_PAD_PT;
  });
  pen.doc
    .rect(LEFT_PT, pen.y, CONTENT_WIDTH_MM * PT_PER_MM, heightPt)
    .lineWidth(0.5)
    .stroke('#000000');
  pen.y += heightPt;
}

type RowOfColumns = PdfCard['rows'][number];

function rowOfColumnsHeight(pen: Pen, { columns }: RowOfColumns, pad: number): number {
  const heights = columns.map(({ widthMm, blocks }) => heightOfAll(pen, blocks, widthMm * PT_PER_MM - pad));
  return Math.max(0, ...heights);
}

function drawRowOfColumns(pen: Pen, { columns }: RowOfColumns, top: number, pad: number): void {
  let x = LEFT_PT + pad;
  for (const { widthMm, blocks } of columns) {
    drawAll(pen, blocks, x, top, widthMm * PT_PER_MM - pad);
    x += widthMm * PT_PER_MM;
  }
}

function heightOfAll(pen: Pen, blocks: readonly PdfColumnBlock[], widthPt: number): number {
  return blocks.reduce((sum, small) => sum + heightOf(pen, small, widthPt), 0);
}

function drawAll(pen: Pen, blocks: readonly PdfColumnBlock[], x: number, top: number, widthPt: number): void {
  let y = top;
  for (const small of blocks) {
    drawSmall(pen, small, x, y, widthPt);
    y += heightOf(pen, small, widthPt);
  }
}

function heightOf(pen: Pen, block: PdfColumnBlock, widthPt: number): number {
  if (block.kind === 'text') {
    return linesOf(pen, block, widthPt, LINES_MAX).length * (block.sizePt ?? TEXT_PT) * LINE_HEIGHT;
  }
  if (block.kind === 'barcode') return BAR_PT + CAPTION_PT * LINE_HEIGHT + CELL_PAD_PT;
  if (block.kind === 'image') return block.heightMm * PT_PER_MM;
  return block.kind === 'gap' ? block.mm * PT_PER_MM : RULE_PT;
}

function drawSmall(pen: Pen, block: PdfColumnBlock, x: number, y: number, widthPt: number): void {
  const { doc } = pen;
  doc.fillColor('#000000');
  if (block.kind === 'text') {
    const sizePt = block.sizePt ?? TEXT_PT;
    linesOf(pen, block, widthPt, LINES_MAX).forEach((line, index) => {
      drawLine(pen, line, sizePt, x, y + index * sizePt * LINE_HEIGHT, widthPt, block.align ?? 'left');
    });
  } else if (block.kind === 'barcode') {
    drawBarcode(pen, block.text, x, y);
  } else if (block.kind === 'image') {
    drawImage(pen, block, x, y);
  } else if (block.kind === 'rule') {
    doc
      .moveTo(x, y + RULE_PT / 2)
      .lineTo(x + widthPt, y + RULE_PT / 2)
      .lineWidth(0.5)
      .stroke('#000000');
  }
}

function drawImage(pen: Pen, { bytes, widthMm, heightMm, align }: PdfImage, x: number, y: number): void {
  const fit: [number, number] = [widthMm * PT_PER_MM, heightMm * PT_PER_MM];
  const across = align === 'left' ? {} : { align: 'center' as const };
  pen.doc.image(pen.imageOf(bytes), x, y, { fit, ...across, valign: 'center' });
}

function drawBarcode(pen: Pen, text: string, x: number, y: number): void {
  const bars = drawBars(pen.doc, text, x, y);
  for (const line of flowText(text, Number.MAX_SAFE_INTEGER, 1, pen.faces(CAPTION_PT, false))) {
    drawLine(pen, line, CAPTION_PT, bars.left, y + BAR_PT + 1, bars.right - bars.left, 'left');
  }
}

function drawFeet(pen: Pen, footer: string): void {
  const { start, count } = pen.doc.bufferedPageRange();
  const widthPt = CONTENT_WIDTH_MM * PT_PER_MM;
  const faces = pen.faces(FOOT_TEXT_PT, false);
  for (let index = 0; index < count; index += 1) {
    pen.doc.switchToPage(start + index);
    pen.doc.fillColor('#000000');
    const sides = [
      { text: footer, align: 'left' as const },
      { text: `${index + 1} / ${count}`, align: 'right' as const },
    ];
    for (const { text, align } of sides) {
      const [line] = flowText(text, widthPt * 0.8, 1, faces);
      if (line !== undefined) drawLine(pen, line, FOOT_TEXT_PT, LEFT_PT, FOOT_PT, widthPt, align);
    }
  }
}
