import { type Command, Option } from 'commander';
import { LACKING } from '../../privacy/exports/exports-sql.ts';
import { addCommand, addWhy, id, nonBlank } from '../cli-parts.ts';
import { erasePerson, printPerson } from './commands.ts';
import { listLackingExports, runRetention } from './retention.ts';

/** Adds the commands about personal data: what is held, what is erased, what ends and what must stay. */
export function addPrivacy(program: Command): void {
  addPerson(
    program,
    'erase',
    'Erase the personal data of an order, of a recipient or of a whole account; it cannot be undone',
  )
    .option('--whole-account', 'all of the account, which must have been settled')
    .action(erasePerson);
  addPerson(
    program,
    'export-person',
    'Print all that is held of an order, a recipient or, without either, the account',
  ).action(printPerson);
  addCommand(program, 'retention', 'Delete what has reached the end of its time (KEEP_…_DAYS), now')
    .option('--dry-run', 'only say what would go')
    .action(runRetention);
  addCommand(program, 'exports', 'The orders without VAT because they leave the country whose evidence is not complete')
    .addOption(new Option('--lacking <what>', 'only those that lack this').choices([...LACKING]))
    .option('--cursor <id>', 'where to go on: the next_cursor of the list before', id('ord'))
    .action(listLackingExports);
}

/** A command about the personal data of an order, of a recipient, or of an account. */
function addPerson(parent: Command, name: string, description: string): Command {
  return addWhy(parent, name, description)
    .requiredOption('--account <id>', 'the account', id('acct'))
    .option('--order <order>', 'one order, by id or reference, with its replacements', nonBlank)
    .option('--recipient <who>', 'one recipient: "NAME, POSTCODE", an e-mail address or a phone number', nonBlank);
}
