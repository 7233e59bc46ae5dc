import sharp from 'sharp';

/** Enough pixels to print sharply on the front of a tee, yet not as many as its template has. */
const WIDTH_PX = 3_000;
const HEIGHT_PX = 4_000;

/** A customer's picture: evening hills, our own drawing, as a JPEG. */
export async function drawPicture(): Promise<Buffer> {
  return sharp(Buffer.from(drawing())).jpeg({ quality: 90 }).toBuffer();
}

function drawing(): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH_PX}" height="${HEIGHT_PX}" viewBox="0 0 300 400">
    <linearGradient id="sky" x2="0" y2="1">
      <stop offset="0" stop-color="#27305e"/><stop offset=".45" stop-color="#c65f6b"/><stop offset=".7" stop-color="#f7c77e"/>
    </linearGradient>
    <rect width="300" height="400" fill="url(#sky)"/>
    <circle cx="196" cy="236" r="46" fill="#fff1c9"/>
    ${ridge(262, 34, '#a9556d')}
    ${ridge(296, 26, '#6c3f63')}
    ${ridge(334, 20, '#3a2b50')}
    ${ridge(370, 12, '#1c1a36')}
  </svg>`;
}

/** A line of hills from edge to edge about a height, lower ones nearer. */
function ridge(middle: number, swing: number, colour: string): string {
  const points = Array.from({ length: 61 }, (_, index) => {
    const x = index * 5;
    const y = middle - swing * (Math.sin(x / 37 + middle) + Math.sin(x / 17 + middle * 2) / 2.5);
    return `${x},${y.toFixed(1)}`;
  });
  return `<polygon points="0,400 ${points.join(' ')} 300,400" fill="${colour}"/>`;
}
