/**
 * The text of an error, whatever was thrown.
 * Never empty: without a message it is the code, or the kind.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error) || 'an empty text was thrown';
  if (error.message.trim() !== '') return error.message;
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
