/** What a thrown value says, for the log and for messages: anything can be thrown, an `Error` is the rule. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
