/** SQL of the pieces of an `allocation` that are promised and not taken. */
export const PROMISED = 'allocated - consumed - released';

/**
 * SQL of the pieces of an `allocation` for which there is no blank.
 * Never more than what is promised: the version before releases pieces and leaves `short` as it was.
 */
export const SHORT = `least(short, ${PROMISED})`;
