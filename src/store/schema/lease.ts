/**
 * Money of accounts that nodes may promise to requests without asking: each is part of `reserved_nano`.
 * On SQLite, where one process serves, the node is 0.
 */
export const leaseTable = (int: string, rows: string): string => `
CREATE TABLE lease (
  account_id ${int} NOT NULL,
  node_id ${int} NOT NULL,
  amount_nano ${int} NOT NULL CHECK (amount_nano >= 0),
  -- Of the last wish that it includes.
  wish_no ${int} NOT NULL,
  PRIMARY KEY (account_id, node_id)
)${rows}`
