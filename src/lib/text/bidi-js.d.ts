/**
 * The build of bidi-js for ES modules.
 *
 * The package's types describe it but are found for its other build alone, whose default export they get wrong.
 */
declare module 'bidi-js/dist/bidi.mjs' {
  import type { Bidi } from 'bidi-js';

  function createBidi(): Bidi;

  export { createBidi as default };
}
