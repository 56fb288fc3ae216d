/**
 * Money that nodes may promise to requests without asking: of accounts, each part of their `reserved_nano`,
 * and of the budgets of tokens. On SQLite, where one process serves, the node is 0.
 */
export const leaseTable = (int: string, rows: string): string => `
CREATE TABLE lease (
  -- The id of an account or, negative, that of a token with a budget: as src/leases/purse.ts says.
  purse ${int} NOT NULL,
  node_id ${int} NOT NULL,
  amount_nano ${int} NOT NULL CHECK (amount_nano >= 0),
  -- Of the last wish that it includes.
  wish_no ${int} NOT NULL,
  PRIMARY KEY (purse, node_id)
)${rows}`

/** SQL: whether a purse is an account's. What is leased of a budget is of the same money. */
export const isOfAccount = (purse: string): string => `${purse} > 0`
/** SQL: the token whose budget a purse is; of no token where it is an account's. */
export const tokenOf = (purse: string): string => `-${purse}`
/** SQL: the purse that the budget of a token is. */
export const purseOfBudget = (tokenId: string): string => `-${tokenId}`
