import { randomInt } from 'node:crypto';

// Requests that nobody thought of, against the whole service. The seed alone says what is asked:
//   PLATEN_PROPERTY_SEED=…       asks the same again; --test-name-pattern=placeOrder asks one operation alone
//   PLATEN_PROPERTY_REQUESTS=…   asks so often in place of 2,000 times
//   PLATEN_NIGHTLY=1             asks 200,000 times, which takes minutes: node --test test/property/requests.test.ts

export const SEED = Number(process.env.PLATEN_PROPERTY_SEED ?? randomInt(2 ** 31));

export const REQUESTS = Number(
  process.env.PLATEN_PROPERTY_REQUESTS ?? (process.env.PLATEN_NIGHTLY === '1' ? 200_000 : 2_000),
);
