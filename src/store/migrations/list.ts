import { firstTables } from './0001-first.ts'
import { translationColumns } from './0002-translation.ts'
import { resilienceTables } from './0003-resilience.ts'
import { signInTables } from './0004-sign-in.ts'
import { consoleTables } from './0005-console.ts'
import { usageTotals } from './0006-usage-totals.ts'
import { nodes } from './0007-nodes.ts'
import { postgresTables } from './0007-postgres-tables.ts'

/** One step from a version of the schema to the next, for each engine in its own words. */
export interface Migration {
  readonly sqlite: string
  /** Absent: a step of a time before PostgreSQL, whose first one makes the whole schema. */
  readonly postgres?: string
}

/**
 * In order; the place in the list is the version that a migration leads to, for both engines. Only
 * ever appended, with both texts. While a cluster is updated, nodes of the former version go on with
 * the new schema: a step leaves what their statements name.
 */
export const migrations: readonly Migration[] = [
  { sqlite: firstTables },
  { sqlite: translationColumns },
  { sqlite: resilienceTables },
  { sqlite: signInTables },
  { sqlite: consoleTables },
  { sqlite: usageTotals },
  { sqlite: nodes, postgres: postgresTables },
]

/** The version of a database that is up to date. */
export const newestVersion = migrations.length
