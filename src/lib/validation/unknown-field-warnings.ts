import type { Warning } from '../schemas.ts';
import { didYouMean } from './nearest-name.ts';
import type { UnknownField } from './validate.ts';

/** Warns of each member that the schema does not know and that is therefore ignored. */
export function unknownFieldWarnings(unknownFields: readonly UnknownField[]): Warning[] {
  return unknownFields.map(({ path, nearest }) => ({
    code: 'unknown_field',
    path,
    message: `This field is not known here and was ignored.${didYouMean(nearest) || ' Check its spelling.'}`,
  }));
}
