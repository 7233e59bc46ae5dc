/** The message of a thrown value, for logs and errors. Anything can be thrown; an `Error` is the rule. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
