// What `npm start` runs: everything is imported after the cache is on.
import './compile-cache.js';

await import('./start.ts');
