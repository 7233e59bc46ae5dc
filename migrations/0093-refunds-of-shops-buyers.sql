-- Whether a shop gives its buyers their money back for pieces that are cancelled here.
alter table channel add column refunds_buyers boolean not null default false;
