import { parentPort, workerData } from 'node:worker_threads';
import { lowerPriority } from '../turns/lower-priority.ts';
import type { PdfDocument } from './document.ts';
import { drawPdf } from './render.ts';

// Requests that are quick go first where processors are few. The number is that of this thread alone (Linux).
lowerPriority();

// Draws one document and ends; see `renderPdf`.
const bytes = new Uint8Array(await drawPdf(workerData as PdfDocument));
parentPort?.postMessage(bytes, [bytes.buffer]);
