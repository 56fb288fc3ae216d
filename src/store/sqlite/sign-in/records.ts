import type { Database } from 'bun:sqlite'
import type {
  SignInCondition,
  SignInRecords,
  SignInRow,
  SignInTable,
  SignInValue,
} from '../../ports/sign-in.ts'
import { quoted, signInColumns } from './columns.ts'
import { type Fragment, orderOf, whereOf } from './conditions.ts'

interface RecordParts {
  readonly db: Database
  /** Runs work on the database; its errors come out explained. */
  readonly access: <Result>(work: () => Result) => Promise<Result>
}

/** What the library does not know of, in rows that it makes. */
const fixed: Partial<Record<SignInTable, SignInRow>> = {
  account: { role: 'user', status: 'active', balance_nano: 0 },
}

/** The rows of signing in, by statements made of known names. */
export function createSignInRecords({ db, access }: RecordParts): SignInRecords {
  function rows(sql: string, values: readonly SignInValue[]): SignInRow[] {
    const statement = db.prepare<SignInRow, SignInValue[]>(sql)
    try {
      return statement.all(...values)
    } finally {
      statement.finalize()
    }
  }

  const changed = (sql: string, values: readonly SignInValue[]): number =>
    db.run(sql, [...values]).changes

  const listed = (table: SignInTable) =>
    signInColumns[table].map((column) => quoted(table, column)).join(', ')

  /** One of the rows that fit, the newest: the first that a search without order would not give. */
  const oneOf = (table: SignInTable, { sql }: Fragment) =>
    `id = (SELECT id FROM "${table}" WHERE ${sql} ORDER BY id DESC LIMIT 1)`

  function create(table: SignInTable, row: SignInRow): SignInRow {
    const columns = Object.keys(row).map((column) => quoted(table, column))
    const more = fixed[table] ?? {}
    const names = [...columns, ...Object.keys(more)]
    const values = [...Object.values(row), ...Object.values(more)]
    const marks = names.map(() => '?').join(', ')
    const [made] = rows(
      `INSERT INTO "${table}" (${names.join(', ')}) VALUES (${marks}) RETURNING ${listed(table)}`,
      values,
    )
    if (made === undefined) throw new Error(`A row of ${table} was not made.`)
    return made
  }

  function setOf(
    table: SignInTable,
    values: SignInRow,
    increments: { readonly [column: string]: number } = {},
  ): Fragment {
    const set = Object.keys(values).map((column) => `${quoted(table, column)} = ?`)
    const added = Object.keys(increments).map((column) => {
      const name = quoted(table, column)
      return `${name} = coalesce(${name}, 0) + ?`
    })
    return {
      sql: [...set, ...added].join(', '),
      values: [...Object.values(values), ...Object.values(increments)],
    }
  }

  function remove(table: SignInTable, where: readonly SignInCondition[]): Fragment {
    if (table === 'account') throw new Error('Accounts are not removed by signing in.')
    return whereOf(table, where)
  }

  return {
    create: (table, row) => access(() => create(table, row)),
    find: (table, { where, limit, offset = 0, order }) =>
      access(() => {
        const { sql, values } = whereOf(table, where)
        return rows(
          `SELECT ${listed(table)} FROM "${table}" WHERE ${sql} ` +
            `ORDER BY ${orderOf(table, order)} LIMIT ? OFFSET ?`,
          [...values, limit, offset],
        )
      }),
    count: (table, where) =>
      access(() => {
        const { sql, values } = whereOf(table, where)
        return Number(
          rows(`SELECT count(*) AS count FROM "${table}" WHERE ${sql}`, values)[0]?.count,
        )
      }),
    update: (table, where, change) =>
      access(() => {
        const set = setOf(table, change)
        const { sql, values } = whereOf(table, where)
        return changed(`UPDATE "${table}" SET ${set.sql} WHERE ${sql}`, [...set.values, ...values])
      }),
    updateOne: (table, where, change, increments) =>
      access(() => {
        const set = setOf(table, change, increments)
        const fits = whereOf(table, where)
        return rows(
          `UPDATE "${table}" SET ${set.sql} WHERE ${oneOf(table, fits)} RETURNING ${listed(table)}`,
          [...set.values, ...fits.values],
        )[0]
      }),
    remove: (table, where) =>
      access(() => {
        const { sql, values } = remove(table, where)
        return changed(`DELETE FROM "${table}" WHERE ${sql}`, values)
      }),
    consume: (table, where) =>
      access(() => {
        const fits = remove(table, where)
        return rows(
          `DELETE FROM "${table}" WHERE ${oneOf(table, fits)} RETURNING ${listed(table)}`,
          fits.values,
        )[0]
      }),
  }
}
