-- runs in steps
-- What was posted for an entry, and what of a posting was corrected.
create index concurrently if not exists posting_book_entry on posting (book_entry_id) where book_entry_id is not null;
create index concurrently if not exists posting_corrects on posting (account_id, corrects_id) where corrects_id is not null;
-- What a customer owes: the few postings of an account on the receivables.
create index concurrently if not exists posting_receivable on posting (account_id)
  where debit_account = 'receivables' or credit_account = 'receivables';
-- What was credited in a period, for the return of VAT.
create index concurrently if not exists order_credit_created on order_credit (created_at, id);
