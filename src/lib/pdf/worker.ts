import { parentPort, workerData } from 'node:worker_threads';
import { lowerPriorityOfThread } from '../turns/lower-priority.ts';
import type { PdfDocument } from './document.ts';
import { drawPdf } from './render.ts';
import type { DrawingTerms } from './threads.ts';

const { isForOperators } = workerData as DrawingTerms;

// Requests that are quick go first where processors are few. The number is that of this thread alone (Linux).
if (!isForOperators) lowerPriorityOfThread();

// Draws one document after another; see `openDrawingThreads`. What it cannot draw ends it, and the asker hears why.
parentPort?.on('message', (document: PdfDocument) => void answer(document));

async function answer(document: PdfDocument): Promise<void> {
  const bytes = new Uint8Array(await drawPdf(document));
  parentPort?.postMessage(bytes, [bytes.buffer]);
}
