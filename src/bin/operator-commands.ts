import { createOperator } from '../accounts/create-operator.ts';
import { userProblems } from '../accounts/create-user.ts';
import { mintOperatorToken } from '../accounts/mint-operator-token.ts';
import { publicId } from '../lib/ids.ts';
import type { OperatorRole } from '../lib/operator.ts';
import { type Output, withContext } from './commands.ts';
import { readPassword } from './read-password.ts';
import { printResult, UsageError } from './report.ts';

const PASSWORD_SHOWN =
  'platen: warning: other users of this machine can see a password given as an argument. Leave --password out to type it.\n';

/** `platen operator create`; reads the password from standard input unless it is given. */
export async function addOperator(
  options: Output & { email: string; password?: string; role: OperatorRole },
): Promise<void> {
  const { email, role } = options;
  const password = options.password ?? (await readPassword());
  const [problem] = userProblems({ email, password });
  if (problem !== undefined) throw new UsageError(`the ${problem.path} ${problem.message}`);
  await withContext('migrated', async (ctx) => {
    const operator = await createOperator(ctx, { email, password, role });
    const id = publicId('op', operator.id);
    printResult(options, { id, email: operator.email, role, token: operator.token }, [
      `Added ${operator.email} as ${role} (${id}). The token is shown once:`,
      operator.token,
    ]);
  });
  if (options.password !== undefined) process.stderr.write(PASSWORD_SHOWN);
}

/** `platen operator token` */
export async function addOperatorToken(options: Output & { email?: string }): Promise<void> {
  // Not demanded by the parser, which would demand it of the commands below this one too.
  if (options.email === undefined) throw new UsageError("required option '--email <address>' not specified");
  const { email: address } = options;
  await withContext('migrated', async (ctx) => {
    const { email, token } = await mintOperatorToken(ctx, address);
    printResult(options, { email, token }, [`A token of ${email}. It is shown once:`, token]);
  });
}
