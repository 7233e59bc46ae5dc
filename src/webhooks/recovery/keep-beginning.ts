/** The beginning of an answer, of which at most so many bytes are kept. */
export type Beginning = {
  /** Takes the next bytes of the answer. */
  readonly take: (chunk: Uint8Array) => void;
  /** What was kept, as UTF-8. NUL is replaced: no text of PostgreSQL can hold it. */
  readonly text: () => string;
};

/** Keeps the first bytes of an answer as they come, and lets go of the rest. */
export function keepBeginning(bytesMax: number): Beginning {
  const kept: Uint8Array[] = [];
  let keptBytes = 0;
  return {
    take: (chunk) => {
      if (keptBytes < bytesMax) kept.push(chunk.slice(0, bytesMax - keptBytes));
      keptBytes += chunk.length;
    },
    text: () => Buffer.concat(kept).toString('utf8').replaceAll('\0', '\ufffd'),
  };
}
