/** The package's own types describe this build but are found only for the other one, whose default export they get wrong. */
declare module 'bidi-js/dist/bidi.mjs' {
  import type { Bidi } from 'bidi-js';

  export default function bidiFactory(): Bidi;
}
