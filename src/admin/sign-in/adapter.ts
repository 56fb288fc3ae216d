import { createAdapterFactory } from 'better-auth/adapters'
import type { SignInRecords } from '../../store/ports/sign-in.ts'
import {
  type LibraryRecord,
  modelOf,
  type TokenHash,
  toConditions,
  tokenIn,
  toRecord,
  toRow,
} from './rows.ts'

/** The sign-in library's view of our store. Ids are numbers there, and texts for the library. */
export const createSignInAdapter = (records: SignInRecords, hash: TokenHash) =>
  createAdapterFactory({
    config: {
      adapterId: 'tollgate',
      supportsDates: true,
      supportsBooleans: true,
      supportsNumericIds: true,
      transaction: false,
    },
    adapter: () => {
      const update = async (
        name: string,
        where: Parameters<typeof toConditions>[1],
        change: LibraryRecord,
        increment: { readonly [field: string]: number } = {},
      ): Promise<LibraryRecord | null> => {
        const model = modelOf(name)
        const increments = Object.entries(increment).map(([field, by]) => {
          const column = model.columns[field]
          if (column === undefined) throw new Error(`Signing in can't count ${field}.`)
          return [column, by] as const
        })
        const row = await records.updateOne(
          model.table,
          toConditions(model, where, hash),
          toRow(model, change, hash),
          Object.fromEntries(increments),
        )
        return row ? toRecord(model, row, tokenIn(where)) : null
      }
      return {
        async create({ model: name, data }) {
          const model = modelOf(name)
          const row = await records.create(model.table, toRow(model, data, hash))
          const token = name === 'session' ? String(data.token) : undefined
          return as(toRecord(model, row, token))
        },
        async findOne({ model: name, where }) {
          const model = modelOf(name)
          const search = { where: toConditions(model, where, hash), limit: 1 }
          const [row] = await records.find(model.table, search)
          return row ? as(toRecord(model, row, tokenIn(where))) : null
        },
        async findMany({ model: name, where, limit, offset, sortBy }) {
          const model = modelOf(name)
          const column = sortBy && model.columns[sortBy.field]
          const rows = await records.find(model.table, {
            where: toConditions(model, where, hash),
            limit,
            ...(offset !== undefined && { offset }),
            ...(column && { order: { column, descending: sortBy.direction === 'desc' } }),
          })
          return rows.map((row) => as(toRecord(model, row, tokenIn(where))))
        },
        update: async ({ model, where, update: change }) =>
          as(await update(model, where, change as LibraryRecord)),
        updateMany({ model: name, where, update: change }) {
          const model = modelOf(name)
          const conditions = toConditions(model, where, hash)
          return records.update(model.table, conditions, toRow(model, change, hash))
        },
        async delete({ model: name, where }) {
          const model = modelOf(name)
          await records.consume(model.table, toConditions(model, where, hash))
        },
        deleteMany({ model: name, where }) {
          const model = modelOf(name)
          return records.remove(model.table, toConditions(model, where, hash))
        },
        async consumeOne({ model: name, where }) {
          const model = modelOf(name)
          const row = await records.consume(model.table, toConditions(model, where, hash))
          return row ? as(toRecord(model, row)) : null
        },
        incrementOne: async ({ model, where, increment, set }) =>
          as(await update(model, where, set ?? {}, increment)),
        count({ model: name, where }) {
          const model = modelOf(name)
          return records.count(model.table, toConditions(model, where, hash))
        },
      }
    },
  })

/** The library says of what type a record is; it can't be known here. */
const as = <Wanted>(record: LibraryRecord | null) => record as Wanted
