import type { SlipBrand } from '../../brands/slip-brand.ts';
import type { PdfBlock, PdfColumnBlock } from '../../lib/pdf/document.ts';

// What a packing slip says of a brand, in place of the print shop.

/** The box of the logo, of the proportions in which it was made small. */
const LOGO_MM = { widthMm: 60, heightMm: 20 } as const;

/** The logo and the name, above the title. */
export function nameBlocks({ logo, name }: SlipBrand): PdfColumnBlock[] {
  const ofLogo: PdfColumnBlock[] =
    logo === null
      ? []
      : [
          { kind: 'image', bytes: logo, ...LOGO_MM, align: 'left' },
          { kind: 'gap', mm: 3 },
        ];
  return [...ofLogo, { kind: 'text', text: name, sizePt: 14, bold: true }, { kind: 'gap', mm: 2 }];
}

/** Where the recipient asks for help. */
export function helpLines({ support_email: email, website }: SlipBrand): string[] {
  return [email, website];
}

/** Below the pieces: the message to the recipient, and where returns go. */
export function closingBlocks({ message, return_lines: lines }: SlipBrand): PdfBlock[] {
  const ofMessage: PdfBlock[] =
    message === ''
      ? []
      : [
          { kind: 'gap', mm: 8 },
          { kind: 'text', text: message, sizePt: 11 },
        ];
  if (lines.length === 0) return ofMessage;
  return [
    ...ofMessage,
    { kind: 'gap', mm: 8 },
    {
      kind: 'columns',
      columns: [
        {
          widthMm: 120,
          blocks: [
            { kind: 'text', text: 'Returns to', bold: true },
            { kind: 'text', text: lines.join('\n') },
          ],
        },
      ],
    },
  ];
}
