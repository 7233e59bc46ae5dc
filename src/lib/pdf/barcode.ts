import bwip from 'bwip-js';
import type PDFDocument from 'pdfkit';

export const PT_PER_MM = 72 / 25.4;

/** How high the bars are. */
export const BAR_PT = 11 * PT_PER_MM;

/** 0.254 mm: three dots at 300 dpi, well above what hand scanners need (0.19 mm). */
const MODULE_PT = 0.254 * PT_PER_MM;
/** On both sides, as Code 128 wants (ISO/IEC 15417, ten modules). */
const QUIET_MODULES = 10;

/**
 * Draws the bars of a text as Code 128, as areas and not as an image: sharp at every printer's dots.
 *
 * Returns where they begin and end, in points.
 */
export function drawBars(
  doc: InstanceType<typeof PDFDocument>,
  text: string,
  x: number,
  y: number,
): { left: number; right: number } {
  const left = x + QUIET_MODULES * MODULE_PT;
  let at = left;
  barsOf(text).forEach((modules, index) => {
    const widthPt = modules * MODULE_PT;
    if (index % 2 === 0) doc.rect(at, y, widthPt, BAR_PT);
    at += widthPt;
  });
  doc.fill('#000000');
  return { left, right: at };
}

/** Widths of bars and spaces in turn, in modules. */
function barsOf(text: string): readonly number[] {
  const [symbol] = bwip.raw({ bcid: 'code128', text });
  if (symbol === undefined || !('sbs' in symbol)) throw new Error('a barcode without bars');
  return symbol.sbs;
}
