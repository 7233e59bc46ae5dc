import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';

export type VatProposalRow = { vat_number: string; task_id: Uuid; proposed_at: Date };

const FIND_PROPOSAL = statement<VatProposalRow>(
  'company_find_vat_proposal',
  `select p.vat_number, p.task_id, p.proposed_at from vat_proposal p
   join ops_task t on t.id = p.task_id and t.account_id = p.account_id
   where p.account_id = $1 and t.closed_at is null`,
);

/** What an account has proposed and no operator has decided. */
export async function findVatProposal(db: Db, accountId: Uuid): Promise<VatProposalRow | undefined> {
  return db.one(FIND_PROPOSAL, [accountId]);
}

const SAVE_PROPOSAL = statement<never>(
  'company_save_vat_proposal',
  `insert into vat_proposal (account_id, vat_number, task_id, proposed_at) values ($1, $2, $3, $4)
   on conflict (account_id) do update set vat_number = excluded.vat_number, task_id = excluded.task_id,
     proposed_at = excluded.proposed_at`,
);

/** Writes the proposal of a locked account in place of an earlier one. */
export async function saveVatProposal(tx: Db, accountId: Uuid, row: VatProposalRow): Promise<void> {
  await tx.all(SAVE_PROPOSAL, [accountId, row.vat_number, row.task_id, row.proposed_at]);
}
