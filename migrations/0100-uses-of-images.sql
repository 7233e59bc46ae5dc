-- runs in steps
-- Whether an account still uses an image that others have, too: by the image and the account, which is read off one
-- place of the index, however often others use it and however much this one has sold. The indexes by the image alone
-- (print_file_design, order_line_mock) are of no use any more, and go with a later version.
create index concurrently if not exists print_file_design_of_account on print_file ((recipe ->> 'designHash'), account_id)
  where recipe ->> 'designHash' is not null;
create index concurrently if not exists order_line_mock_of_account on order_line (mock_hash, account_id) where mock_hash is not null;
