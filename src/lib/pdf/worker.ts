import { parentPort, workerData } from 'node:worker_threads';
import type { Paper } from './document.ts';
import { drawPaper } from './render.ts';

// Draws one paper and ends; see `createPaper`.
const bytes = new Uint8Array(await drawPaper(workerData as Paper));
parentPort?.postMessage(bytes, [bytes.buffer]);
