import { BadCursor, type Listed, type PageAsked } from '../../ports/lists.ts'
import { type Sql, sql } from '../../schema/sql.ts'
import type { Steps } from '../steps.ts'
import { sizeOf, totalOf } from './reading.ts'
import { type Key, type ListSource, maxFoundRows, read, type Search } from './search.ts'

interface NamedKey extends Key {
  readonly name: string
}

/** The same as `readPage`, in order of names. Throws where the list has none. */
export async function readPageByName<Row extends { readonly id: number }>(
  source: ListSource,
  search: Search,
  page: PageAsked,
  readRows: (keys: readonly Key[]) => Steps<readonly Row[]>,
): Promise<Listed<Row>> {
  const size = sizeOf(page)
  const { keys: found, lookedTo } = await findByName(source, search, page, size + 1)
  const keys = found.slice(0, size)
  const isFull = found.length > size
  const rows = keys.length === 0 ? [] : await source.read(() => readRows(keys))
  const places = new Map(keys.map(({ id }, at) => [id, at]))
  const next = isFull ? keys.at(-1)?.name : lookedTo
  return {
    rows: rows.toSorted((a, b) => (places.get(a.id) ?? 0) - (places.get(b.id) ?? 0)),
    ...(await totalOf(
      source,
      search,
      page,
      !isFull && { found: keys.length, isAll: lookedTo === undefined },
    )),
    next: next === undefined ? null : writeCursor(next),
    searchedBackTo: null,
  }
}

/** The first so many names that fit, in steps, for as long as there is time. */
async function findByName(source: ListSource, search: Search, page: PageAsked, limit: number) {
  const { table, names, others } = search
  if (names === undefined) throw new Error(`The list of ${table} has no order of names.`)
  const rows = source.from(table, names.name)
  const column = sql.raw(names.column)
  const order = sql.raw(page.isAscending ? 'ASC' : 'DESC')
  const behind = (name: string) =>
    page.isAscending ? sql`${column} > ${name}` : sql`${column} < ${name}`
  const upTo = (name: string) =>
    page.isAscending ? sql`${column} <= ${name}` : sql`${column} >= ${name}`
  const select = (conditions: readonly Sql[], most: Sql) =>
    read(
      source,
      sql<NamedKey>`SELECT id, ${column} AS name FROM ${rows}
        WHERE ${sql.join([names.where, ...conditions], sql` AND `)} ORDER BY ${column} ${order} LIMIT ${most}`,
    )
  const keys: NamedKey[] = []
  const deadline = performance.now() + source.searchMs
  let last = page.cursor === undefined ? undefined : readCursor(page.cursor)
  while (true) {
    const from = last === undefined ? [] : [behind(last)]
    const [edge] = await select(from, sql`1 OFFSET ${maxFoundRows - 1}`)
    const part = edge === undefined ? from : [...from, upTo(edge.name)]
    keys.push(...(await select([...part, ...others], sql`${limit - keys.length}`)))
    if (edge === undefined) return { keys, lookedTo: undefined }
    last = edge.name
    if (keys.length >= limit || performance.now() >= deadline) return { keys, lookedTo: last }
  }
}

/** A cursor is the name of the last row that was looked at. */
const writeCursor = (name: string) => `n${Buffer.from(name).toString('base64url')}`

function readCursor(cursor: string): string {
  const [, word] = /^n([\w-]*)$/.exec(cursor) ?? []
  const name = word && Buffer.from(word, 'base64url').toString()
  // PostgreSQL takes no text with such a sign.
  if (name === undefined || name.includes('\0')) {
    throw new BadCursor(`"${cursor}" is no cursor of this list.`)
  }
  return name
}
