import { parentPort, workerData } from 'node:worker_threads';
import type { PdfDocument } from './document.ts';
import { drawPdf } from './render.ts';

// Draws one document and ends; see `renderPdf`.
const bytes = new Uint8Array(await drawPdf(workerData as PdfDocument));
parentPort?.postMessage(bytes, [bytes.buffer]);
