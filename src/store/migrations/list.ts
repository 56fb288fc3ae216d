import { firstTables } from './0001-first.ts'
import { translationColumns } from './0002-translation.ts'
import { resilienceTables } from './0003-resilience.ts'
import { signInTables } from './0004-sign-in.ts'
import { consoleTables } from './0005-console.ts'
import { usageTotals } from './0006-usage-totals.ts'
import { nodes } from './0007-nodes.ts'
import { postgresTables } from './0007-postgres-tables.ts'
import { postgresBudgets } from './0008-postgres-budgets.ts'
import { postgresGrowth } from './0009-postgres-growth.ts'
import { postgresSweep } from './0010-postgres-sweep.ts'
import { extrasPostgres, extrasSqlite } from './0011-charged-extras.ts'
import { groupAccounts, postgresGroupAccounts } from './0012-group-accounts.ts'
import { postgresAnswers, sqliteAnswers } from './0013-answers.ts'
import { postgresOpen } from './0014-postgres-open.ts'
import { postgresUsedCodes, usedCodes } from './0015-used-codes.ts'
import { groupTools, postgresGroupTools } from './0016-group-tools.ts'
import { postgresKinds } from './0017-postgres-kinds.ts'
import { regionsPostgres, regionsSqlite } from './0018-regions.ts'
import { postgresResponses, sqliteResponses } from './0019-responses.ts'
import { programPostgres, programSqlite } from './0020-program.ts'

/** One step from a version of the schema to the next, for each engine in its own words. */
export interface Migration {
  /** What it adds, for people. */
  readonly title: string
  /** Absent: a step that PostgreSQL alone needs. */
  readonly sqlite?: string
  /** Absent: a step of a time before PostgreSQL, whose first one makes the whole schema. */
  readonly postgres?: string
}

/**
 * In order; the place in the list is the version that a migration leads to, for both engines. Only
 * ever appended.
 *
 * While a cluster is updated, nodes of the former version go on with the new schema. So a step adds
 * and leaves what their statements name: columns that may be left out, tables, functions of another
 * name, or of the same that serve both alike. What nobody names any more is removed by a step of the
 * next version. What is kept beside other rows and follows from them must not need what the former
 * version does not write. A step over many rows keeps all who write waiting: an index is made before,
 * or the rows are filled in later.
 */
export const migrations: readonly Migration[] = [
  {
    title: 'accounts, channels, groups, tokens, prices, requests and the ledger',
    sqlite: firstTables,
  },
  { title: 'quirks of channels, strict tokens', sqlite: translationColumns },
  { title: 'limits, probes and cooling of channels, availability', sqlite: resilienceTables },
  { title: 'signing in: passwords, passkeys, second factors, sessions', sqlite: signInTables },
  { title: 'lists and settings of the console', sqlite: consoleTables },
  { title: 'daily sums of all tokens', sqlite: usageTotals },
  { title: 'the list of nodes', sqlite: nodes, postgres: postgresTables },
  { title: 'sums of tokens that have budgets', postgres: postgresBudgets },
  { title: 'growth of what is set aside, once', postgres: postgresGrowth },
  { title: 'what a sweep of dead nodes spares', postgres: postgresSweep },
  { title: 'charges besides text tokens', sqlite: extrasSqlite, postgres: extrasPostgres },
  { title: 'accounts of groups', sqlite: groupAccounts, postgres: postgresGroupAccounts },
  { title: 'answers made in the background', sqlite: sqliteAnswers, postgres: postgresAnswers },
  { title: 'requests beyond the balance, one at a time', postgres: postgresOpen },
  {
    title: 'codes of second factors that were used',
    sqlite: usedCodes,
    postgres: postgresUsedCodes,
  },
  { title: 'tools of groups', sqlite: groupTools, postgres: postgresGroupTools },
  { title: 'kinds of changes that nodes are told of', postgres: postgresKinds },
  { title: 'countries of groups and accounts', sqlite: regionsSqlite, postgres: regionsPostgres },
  {
    title: 'translated responses that are kept',
    sqlite: sqliteResponses,
    postgres: postgresResponses,
  },
  {
    title: 'the program that has made the tables',
    sqlite: programSqlite,
    postgres: programPostgres,
  },
  {
    title: 'the most that one request may cost, by token',
    sqlite: 'ALTER TABLE token ADD COLUMN max_cost_nano INTEGER;',
    postgres: 'ALTER TABLE token ADD COLUMN max_cost_nano bigint;',
  },
]

/** The version of a database that is up to date. */
export const newestVersion = migrations.length
