import type { Actor } from '../../src/accounts/access/act-on-access.ts';

/** Who runs a command. */
export const AT_THE_COMMAND_LINE: Actor = { kind: 'command line', osUser: 'tester' };
