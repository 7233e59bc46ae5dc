import type { Command } from 'commander';
import { approveSignUp, listSignUps, refuseSignUp } from '../../accounts/joining/decide-sign-up.ts';
import { publicId, type Uuid } from '../../lib/ids.ts';
import { commandLineActor, printList, type Why } from '../access-commands.ts';
import { addGroup, addList, addWhy, id } from '../cli-parts.ts';
import { withContext } from '../commands.ts';
import { printResult } from '../report.ts';

/** Adds the commands about people who have signed up. */
export function addSignUps(program: Command): void {
  const group = addGroup(program, 'sign-up', 'People who have signed up and wait for a decision');
  addList(group, 'Those whose address was confirmed, newest first', 'sup').action((options) =>
    printList(
      options,
      'sign_ups',
      listSignUps,
      (one) => `${one.id}  ${one.company}, ${one.country_code}  ${one.name} <${one.email}>`,
    ),
  );
  addWhy(group, 'approve', 'Open the account')
    .requiredOption('--id <id>', 'the sign-up', id('sup'))
    .action((options) => decide(options, true));
  addWhy(group, 'refuse', 'Delete the sign-up')
    .requiredOption('--id <id>', 'the sign-up', id('sup'))
    .action((options) => decide(options, false));
}

/** `platen sign-up approve`, `platen sign-up refuse` */
async function decide(options: Why & { id: Uuid }, isApproved: boolean): Promise<void> {
  await withContext('migrated', async (ctx) => {
    await (isApproved ? approveSignUp : refuseSignUp)(ctx, commandLineActor(), options.id, options.reason);
    const account = isApproved ? publicId('acct', options.id) : null;
    const result = { id: publicId('sup', options.id), approved: isApproved, account_id: account };
    printResult(options, result, [isApproved ? `Opened ${account}.` : `Refused ${result.id}; nothing of it is kept.`]);
  });
}
