import { parentPort } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import reference from '@scalar/fastify-api-reference';
import { fastify } from 'fastify';

// Requests the script from the package as a browser would; see `readReferenceScript`.
const app = fastify();
await app.register(reference, { routePrefix: '/docs', configuration: { url: '/' } });
const { rawPayload } = await app.inject('/docs/js/scalar.js');
parentPort?.postMessage(gzipSync(rawPayload, { level: 9 }));
