import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { readVatNumber, VAT_NUMBER_RULE } from '../accounts/vat-number.ts';
import type { Role } from '../app/service.ts';
import { PLATEN_VERSION } from '../http/platen-version.ts';
import { PERSON_ROLES, SCOPES, type Scope } from '../lib/caller.ts';
import { fromPounds, type Pence } from '../lib/money.ts';
import { OPERATOR_ROLES } from '../lib/operator.ts';
import { readLoopbackUrl } from '../lib/outbound/loopback.ts';
import { ConfigError } from '../lib/settings/forms.ts';
import { EVENT_NAMES } from '../webhooks/events.ts';
import * as access from './access-commands.ts';
import * as apps from './app-commands.ts';
import type { BackupOptions, RestoreOptions } from './backup-commands.ts';
import { BILLING_OPTIONS, changeAccountBilling } from './billing-commands.ts';
import { addAccountMoney, addBooks } from './books/program.ts';
import { addCommand, addGroup, addList, addWhy, id, nonBlank, pounds, WHY } from './cli-parts.ts';
import * as commands from './commands.ts';
import type { SeedDemoOptions } from './demo/command.ts';
import type { DrillOptions } from './drill.ts';
import { addDrop } from './drop/program.ts';
import { addSignUps } from './joining/program.ts';
import type { ListenOptions } from './listen.ts';
import { addMail } from './mail/program.ts';
import { addOperator, addOperatorToken } from './operator-commands.ts';
import { choosePaymentMethod } from './payment-commands.ts';
import { retryFailedPrintFiles } from './print-file-commands.ts';
import { addPrivacy } from './privacy/program.ts';
import { describeFailure, oneLine, UsageError } from './report.ts';
import type { SandboxOptions } from './sandbox/environment.ts';
import * as secrets from './secrets-commands.ts';
import type { ServeArtworkOptions } from './serve-artwork.ts';
import { addUser, importAccountToken, registerClient } from './sign-in-commands.ts';
import { adopt } from './store/adopt.ts';
import type { UpgradeDatabaseOptions } from './upgrade/upgrade-database.ts';

/**
 * Runs a `platen` command and returns the exit status: 0, 1 for a failure, 2 for a wrong argument.
 * Either failure is one line on standard error.
 */
export async function runCli(args: readonly string[]): Promise<number> {
  try {
    await createProgram().parseAsync([...args], { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) {
      // Help ends the parsing as a mistake does, but with status 0.
      if (error.exitCode === 0) return 0;
      if (error.code === 'commander.help') process.stderr.write('platen: a command is missing (see --help)\n');
      return 2;
    }
    process.stderr.write(`platen: ${describeFailure(error)}\n`);
    return error instanceof UsageError || error instanceof ConfigError ? 2 : 1;
  }
}

function createProgram(): Command {
  const program = new Command('platen')
    .description('Print-on-demand order fulfilment. Settings come from the environment; see docs/runbook.md.')
    .version(PLATEN_VERSION, '--version', 'print the version')
    .exitOverride()
    // Options belong to the command that they follow: `operator token` and `operator token list` both have --json.
    .enablePositionalOptions()
    .configureOutput({
      // Would print the whole help in place of the one line about a mistake.
      writeErr: () => {},
      outputError: (text) => process.stderr.write(`${oneLine(text.replace(/^error: /, 'platen: '))} (see --help)\n`),
    });

  addCommand(program, 'serve', 'Run the service without demo data')
    .addOption(new Option('--role <role>', 'what this process does').choices(['all', 'api', 'worker']).default('all'))
    // What a command alone needs, it imports when it runs: the whole service takes half a second to load.
    .action(async (options: { role: Role; json?: boolean }) => (await import('./serve.ts')).serve(options));
  addCommand(program, 'migrate', 'Bring the schema up to date; safe from several nodes at once').action(
    commands.migrateSchema,
  );
  addCommand(program, 'verify', 'Check the invariants of a live database').action(commands.verifyDatabase);

  const seed = addGroup(program, 'seed', 'Put data into the database');
  addCommand(seed, 'demo', 'The demo print shop: catalogue, stock, prices, an account, and a customer with a past')
    .option('--small', 'without the customer whose orders fill a month')
    .action(async (options: SeedDemoOptions) => (await import('./demo/command.ts')).seedDemoData(options));

  const account = addGroup(program, 'account', 'Customer accounts');
  addCommand(account, 'create', 'Open an account')
    .requiredOption('--name <name>', 'its name', nonBlank)
    .option('--balance <pounds>', 'money to begin with, such as 100.00', poundsOrNone)
    .option('--above-limit', ABOVE_LIMIT)
    .option(
      '--vat-number <number>',
      'its VAT number with the prefix, such as GB123456789; shown on its invoices',
      vatNumber,
    )
    .action(commands.openAccount);
  addList(account, 'The accounts, by name, with their balances', 'acct')
    .option('--name <text>', 'only those whose name begins with this', nonBlank)
    .action(access.listCustomerAccounts);
  addCommand(account, 'credit', 'Add money to an account and settle the orders that wait for it')
    .requiredOption('--account <id>', 'the account', id('acct'))
    .requiredOption('--amount <pounds>', 'such as 50.00', pounds)
    .option('--reference <reference>', 'makes a repeat of the same top-up harmless', nonBlank)
    .option('--above-limit', ABOVE_LIMIT)
    .action(commands.topUpAccount);
  const billing = addCommand(account, 'billing', 'Set whom the invoices of an account are addressed to')
    .requiredOption('--account <id>', 'the account', id('acct'))
    .action(changeAccountBilling);
  for (const [flags, says] of BILLING_OPTIONS) billing.option(flags, says, nonBlank);
  addCommand(account, 'payment-method', 'Set what is charged once the balance is used up')
    .requiredOption('--account <id>', 'the account', id('acct'))
    .addOption(new Option('--kind <kind>', 'what it is').choices(['card', 'direct_debit']).makeOptionMandatory())
    .requiredOption('--reference <reference>', "the payment provider's id of the method, pm_…", nonBlank)
    .action(choosePaymentMethod);
  addCommand(account, 'suspend', 'Refuse all tokens, sessions and apps of an account; its orders go on being made')
    .requiredOption('--account <id>', 'the account', id('acct'))
    .requiredOption('--reason <text>', WHY, nonBlank)
    .action(access.suspendAccountNow);
  addWhy(account, 'resume', 'End the suspension of an account')
    .requiredOption('--account <id>', 'the account', id('acct'))
    .action(access.resumeAccountNow);

  addAccountMoney(account);
  addBooks(program);
  addPrivacy(program);
  addMail(program);
  addSignUps(program);

  const token = addGroup(program, 'token', 'Personal access tokens');
  addCommand(token, 'mint', 'Mint a token; it is shown once')
    .requiredOption('--account <id>', 'the account', id('acct'))
    .option('--scopes <scopes>', `with commas between, all when left out: ${SCOPES.join(', ')}`, scopes)
    .option('--name <name>', 'a label', nonBlank)
    .action(commands.mintAccountToken);
  addCommand(token, 'import', 'Import a pat_test_ token that was issued elsewhere')
    .requiredOption('--account <id>', 'the account', id('acct'))
    .requiredOption('--token <token>', 'the token itself, pat_test_…', nonBlank)
    .option('--scopes <scopes>', 'with commas between, all when left out', scopes)
    .action(importAccountToken);
  addList(token, 'The tokens of an account, revoked ones too', 'tok')
    .requiredOption('--account <id>', 'the account', id('acct'))
    .action(access.listAccountTokens);
  addWhy(token, 'revoke', 'End a token')
    .requiredOption('--id <id>', 'the token id', id('tok'))
    .action(access.revokeAccountToken);

  const user = addGroup(program, 'user', 'People who may sign in');
  addCommand(user, 'create', 'Add a person; the password is read from standard input')
    .requiredOption('--account <id>', 'the account', id('acct'))
    .requiredOption('--email <address>', 'what the person signs in with', nonBlank)
    .addOption(new Option('--role <role>', 'what the person may do').choices(PERSON_ROLES).default('owner'))
    .action(addUser);
  addList(user, 'The people who may sign in for an account, disabled ones too', 'user')
    .requiredOption('--account <id>', 'the account', id('acct'))
    .option('--email <address>', 'only this person', nonBlank)
    .action(access.listAccountUsers);
  addUserCommand(user, 'disable', 'Refuse a person, and end their sessions and grants').action(
    access.disableAccountUser,
  );
  addUserCommand(user, 'enable', 'Let a disabled person sign in again').action(access.enableAccountUser);
  addUserCommand(user, 'password', 'Set a password, read from standard input; ends sessions and grants').action(
    access.setUserPassword,
  );
  addUserCommand(user, 'remove-second-factor', 'Let the password alone sign a person in who has lost the app').action(
    access.removeUserSecondFactor,
  );
  addUserCommand(user, 'link', 'Make a link by which a person chooses a new password').action(access.makeUserLink);

  const session = addGroup(program, 'session', 'Browsers in which people are signed in');
  addList(session, 'The sessions of the people of an account', 'ses')
    .requiredOption('--account <id>', 'the account', id('acct'))
    .action(access.listAccountSessions);
  addWhy(session, 'revoke', 'End a session')
    .requiredOption('--id <id>', 'the session id', id('ses'))
    .action(access.revokeAccountSession);

  const oauth = addGroup(program, 'oauth', 'Apps that people allow to act for them');
  const client = addGroup(oauth, 'client', 'Apps');
  addCommand(client, 'create', 'Register an app; its secret is shown once')
    .requiredOption('--account <id>', 'the account that it belongs to', id('acct'))
    .requiredOption('--name <name>', 'what people are shown when they are asked', nonBlank)
    .option('--redirect-uri <uri...>', 'where people are sent back to, exactly; https, or http on this machine')
    .option('--scopes <scopes>', 'the most it can be granted, with commas between; all when left out', scopes)
    .option('--confidential', 'it can keep a secret, and may act for the account by itself')
    .action(registerClient);
  addWhich(addList(client, 'The apps of an account, removed ones too', 'client')).action(apps.listRegisteredClients);
  addWhich(addWhy(client, 'rotate', 'Give an app another secret, shown once; ends its access tokens')).action(
    apps.rotateRegisteredClient,
  );
  addWhich(addWhy(client, 'remove', 'Remove an app with all that people have allowed it')).action(
    apps.removeRegisteredClient,
  );

  const grant = addGroup(oauth, 'grant', 'What people have allowed to apps');
  addWhich(addList(grant, 'The grants in force', 'gnt')).action(apps.listRegisteredGrants);
  addWhich(addWhy(grant, 'revoke', 'End grants with all their tokens'))
    .option('--id <id>', 'one grant', id('gnt'))
    .action(apps.revokeRegisteredGrants);

  const operator = addGroup(program, 'operator', 'People who run the shop, over the operations API');
  addCommand(operator, 'create', 'Add an operator; the password is read from standard input, the token is shown once')
    .requiredOption('--email <address>', 'who it is; the history of orders names it', nonBlank)
    .option('--password <password>', 'at least 12 characters; for scripts, others can see it', nonBlank)
    .addOption(new Option('--role <role>', 'what the operator may do').choices(OPERATOR_ROLES).default('admin'))
    .action(addOperator);
  const operatorToken = addCommand(
    operator,
    'token',
    'Mint another token for an operator, shown once; list and revoke tokens (see operator token --help)',
  )
    .option('--email <address>', 'the operator', nonBlank)
    .action(addOperatorToken);
  addList(operatorToken, 'The tokens of operators, revoked ones too', 'otk')
    .option('--email <address>', 'only of this operator', nonBlank)
    .action(access.listTokensOfOperators);
  addWhy(operatorToken, 'revoke', 'End one token of an operator')
    .requiredOption('--id <id>', 'the token id', id('otk'))
    .action(access.revokeTokenOfOperator);
  addWhy(operator, 'disable', 'Disable an operator and all of their tokens')
    .requiredOption('--email <address>', 'the operator', nonBlank)
    .action(access.disableOperatorByEmail);
  addWhy(operator, 'enable', 'Let a disabled operator work again; revoked tokens stay revoked')
    .requiredOption('--email <address>', 'the operator', nonBlank)
    .action(access.enableOperatorByEmail);
  addList(operator, 'The operators, disabled ones too', 'op').action(access.listShopOperators);

  const catalogue = addGroup(program, 'catalogue', 'Base products, print areas and prices');
  addCommand(catalogue, 'import', 'Import a catalogue file, all or nothing')
    .argument('<file>', 'a JSON file; data/demo/catalogue.json is an example')
    .action(commands.importCatalogueFile);

  const printFiles = addGroup(program, 'print-files', 'What is printed, made from the pictures of orders');
  addCommand(printFiles, 'retry', 'Make all print files again that failed and that an order waits for').action(
    retryFailedPrintFiles,
  );

  const store = addGroup(program, 'store', 'The stored files: artwork and print files');
  addCommand(store, 'adopt', 'Take the store that BLOB_STORE names as the one of this database, after it was moved')
    .option('--even-if-lacking', 'although it lacks recorded files: those are given up')
    .action(adopt);

  const stock = addGroup(program, 'stock', 'Blank garments on the shelf');
  addCommand(stock, 'set', 'Record a count')
    .requiredOption('--sku <sku>', 'the blank variant', nonBlank)
    .requiredOption('--on-hand <pieces>', 'pieces counted', pieces)
    .action(commands.recordStock);

  const secret = addGroup(program, 'secrets', 'The key that seals and signs, and its exchange');
  addCommand(secret, 'status', 'Which keys are set, what each still seals, and which can be removed').action(
    secrets.showSecrets,
  );
  addCommand(secret, 'rotate', 'Make a new key in DATA_DIR and keep the one before beside it').action(
    secrets.rotateSecret,
  );
  addCommand(secret, 'prune', 'Remove the earlier keys of DATA_DIR that are no longer needed').action(
    secrets.pruneSecrets,
  );
  addCommand(secret, 'forget', 'Give up what a lost key seals, so that a service starts without it')
    .requiredOption('--key <id>', 'the id that platen secrets status shows', nonBlank)
    .action(secrets.forgetSecret);

  addCommand(
    program,
    'backup',
    'Back up the embedded database and the stored files into a folder, while they are in use',
  )
    .argument('<dir>', 'a folder for backups alone, best on another disk')
    .option('--keep-days <days>', 'remove backups older than this, but never the newest', days, 35)
    // Imported here only: a service that starts has no use for it.
    .action(async (dir: string, options: BackupOptions) => (await import('./backup-commands.ts')).backup(dir, options));
  addCommand(program, 'restore', 'Put a backup back into an empty data directory, and verify it')
    .argument('<dir>', 'the folder of backups')
    .option('--at <time>', 'the last backup up to this time, or its name; the newest when left out', nonBlank)
    .option('--to <dir>', 'an empty or new data directory; that of the settings when left out', nonBlank)
    .action(async (dir: string, options: RestoreOptions) =>
      (await import('./backup-commands.ts')).restore(dir, options),
    );
  addCommand(program, 'drill', 'Prove a backup: restore it into a scratch folder, verify it, and remove that folder')
    .argument('<dir>', 'the folder of backups')
    .option('--at <time>', 'the last backup up to this time, or its name; the newest when left out', nonBlank)
    .option('--scratch <dir>', 'where the scratch folder is made; the system’s temporary one when left out', nonBlank)
    .action(async (dir: string, options: DrillOptions) => (await import('./drill.ts')).drill(dir, options));

  addCommand(program, 'upgrade-database', 'Bring the embedded database to the PostgreSQL that this version runs')
    .option('--from-binaries <dir>', 'the programs of the PostgreSQL that the data is of', nonBlank)
    .option('--remove-old', 'remove what an earlier step has kept, once the new one is in use')
    .action(async (options: UpgradeDatabaseOptions) =>
      (await import('./upgrade/upgrade-database.ts')).upgradeDatabase(options),
    );

  addCommand(program, 'listen', 'Forward events as they happen to a server on this machine, signed as webhooks are')
    .addOption(
      new Option('--token <token>', 'a token with orders:read')
        .env('PLATEN_TOKEN')
        .makeOptionMandatory()
        .argParser(nonBlank),
    )
    .option('--base-url <url>', 'where the service is; that of the settings when left out', nonBlank)
    .requiredOption('--forward-to <url>', 'such as http://127.0.0.1:3000/hooks', loopbackUrl)
    .option('--events <names>', `with commas between, all when left out: ${EVENT_NAMES.join(', ')}`, eventNames)
    .option('--secret <secret>', 'whsec_…, to sign with; made and printed when left out', signingSecret)
    // Imported here only: a service that starts has no use for its HTTP client.
    .action(async (options: ListenOptions) => (await import('./listen.ts')).listen(options));
  addCommand(program, 'serve-artwork', 'Serve the images of a folder over https that npm start trusts, for development')
    .argument('<dir>', 'the folder')
    .option('--port <port>', 'on 127.0.0.1; a free one when left out', portNumber)
    .action(async (dir: string, o: ServeArtworkOptions) => (await import('./serve-artwork.ts')).serveArtwork(dir, o));
  addDrop(program);
  addCommand(program, 'sandbox', 'Run an empty second service whose orders walk on by themselves, to rehearse')
    .option('--port <port>', 'PORT + 1 when left out; 0 picks a free one', portNumber)
    .option('--speed <speed>', 'how many times faster than a real shop, 1 to 3600', speedNumber, 60)
    .option('--data-dir <dir>', 'its own folder; DATA_DIR/sandbox when left out', nonBlank)
    // Imported here only: no other command can reach what it is made of.
    .action(async (options: SandboxOptions) => (await import('./sandbox.ts')).sandbox(options));
  return program;
}

const ABOVE_LIMIT = 'the amount is right although it is above TOP_UP_MAX_GBP; asked for at a terminal only';

function addUserCommand(parent: Command, name: string, description: string): Command {
  return addWhy(parent, name, description)
    .requiredOption('--account <id>', 'the account', id('acct'))
    .requiredOption('--email <address>', 'the person', nonBlank);
}

/** Apps and grants are named by the app or by the account. */
function addWhich(command: Command): Command {
  return command.option('--client <id>', 'the app', id('client')).option('--account <id>', 'the account', id('acct'));
}

function poundsOrNone(text: string): Pence {
  const amount = fromPounds(text);
  if (amount === undefined) {
    throw new InvalidArgumentError('It must be an amount of 0 or more with at most two decimals, such as 100.00.');
  }
  return amount;
}

function vatNumber(text: string): string {
  const kept = readVatNumber(text);
  if (kept === undefined) throw new InvalidArgumentError(`It ${VAT_NUMBER_RULE}`);
  return kept;
}

function pieces(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number of pieces, 0 or more.');
  return Number(text);
}

function portNumber(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new InvalidArgumentError('It must be a port, 0 to 65535.');
  return Number(text);
}

function days(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) < 1) throw new InvalidArgumentError('It must be a whole number of days.');
  return Number(text);
}

function speedNumber(text: string): number {
  if (!/^\d{1,4}$/.test(text) || Number(text) < 1 || Number(text) > 3_600) {
    throw new InvalidArgumentError('It must be a whole number, 1 to 3600.');
  }
  return Number(text);
}

function scopes(text: string): readonly Scope[] {
  return text.split(',').map((part) => {
    const scope = SCOPES.find((known) => known === part.trim());
    if (scope === undefined) throw new InvalidArgumentError(`Scopes are ${SCOPES.join(', ')}.`);
    return scope;
  });
}

function loopbackUrl(text: string): URL {
  const url = readLoopbackUrl(text);
  if (url === undefined)
    throw new InvalidArgumentError('It must be http://localhost or http://127.0.0.1, with its port and path.');
  return url;
}

function eventNames(text: string): readonly string[] {
  const names = text.split(',').map((part) => part.trim());
  const known: readonly string[] = EVENT_NAMES;
  if (names.some((name) => !known.includes(name))) {
    throw new InvalidArgumentError(`Events are ${EVENT_NAMES.join(', ')}.`);
  }
  return names;
}

function signingSecret(text: string): string {
  if (!/^whsec_[A-Za-z0-9+/]{24,}={0,2}$/.test(text)) {
    throw new InvalidArgumentError('It must be whsec_ and the base64 of 18 bytes or more, as a subscription has it.');
  }
  return text;
}
