import { parentPort, workerData } from 'node:worker_threads';
import { lowerPriorityOfThread } from '../turns/lower-priority.ts';
import type { DrawingOrder } from './document.ts';
import { drawPdf } from './render.ts';

const { document, isForOperators } = workerData as DrawingOrder;

// Requests that are quick go first where processors are few. The number is that of this thread alone (Linux).
if (!isForOperators) lowerPriorityOfThread();

// Draws one document and ends; see `renderPdf`.
const bytes = new Uint8Array(await drawPdf(document));
parentPort?.postMessage(bytes, [bytes.buffer]);
