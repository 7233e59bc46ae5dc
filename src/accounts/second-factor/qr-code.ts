/**
 * A text as a QR code: its rows from the top, each module a `1` where it is dark.
 * The quiet zone around it is left to who draws it.
 */
export async function qrRows(text: string): Promise<string[]> {
  // Rarely needed, and large: it is loaded when the first person asks for one.
  const { default: bwip } = await import('bwip-js');
  // The types of the library lack the options of single kinds of codes.
  const options = { bcid: 'qrcode', text, eclevel: 'M' };
  const [symbol] = bwip.raw(options);
  if (symbol === undefined || !('pixs' in symbol)) throw new Error('a QR code without modules');
  const { pixs, pixx, pixy } = symbol;
  return Array.from({ length: pixy }, (_, row) => [...pixs.slice(row * pixx, (row + 1) * pixx)].join(''));
}
