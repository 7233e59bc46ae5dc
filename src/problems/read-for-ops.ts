import type { Context } from '../lib/context.ts';
import { noSuch } from '../lib/errors.ts';
import { parseId } from '../lib/ids.ts';
import { type Page, readPage, toPage } from '../lib/paging.ts';
import type { ListOpsProblemsQuery, OpsProblem } from './ops-schema.ts';
import { findAnyProblem, listProblemsByDeadline, type ProblemRow } from './sql.ts';
import { opsProblemView } from './view.ts';

type ReadContext = Pick<Context, 'database' | 'clock' | 'config' | 'secrets'>;

/** A page of the problems of all accounts in a status, without one the open ones, by their deadlines. */
export async function listOpsProblems(ctx: ReadContext, query: ListOpsProblemsQuery): Promise<Page<OpsProblem>> {
  const { limit, after } = readPage('prob', query);
  const { status = 'open' } = query;
  const rows = await listProblemsByDeadline(ctx.database, { status, after, limit: limit + 1 });
  return toPage(
    rows,
    limit,
    (row) => opsProblemView(ctx, row),
    ({ id }) => id,
  );
}

/** A problem of any account, with its photos. Throws 404. */
export async function getOpsProblem(ctx: ReadContext, problemId: string): Promise<OpsProblem> {
  return opsProblemView(ctx, await findOpsProblem(ctx, problemId));
}

/** The row of a problem of any account. Throws 404. */
export async function findOpsProblem(ctx: Pick<Context, 'database'>, problemId: string): Promise<ProblemRow> {
  const id = parseId('prob', problemId);
  const problem = id === undefined ? undefined : await findAnyProblem(ctx.database, id);
  if (problem === undefined) throw noSuch('problem');
  return problem;
}
