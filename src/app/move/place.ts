import { resolve } from 'node:path'
import { inAddress } from '../../resources/values.ts'
import type { MoveSource, MoveTarget } from '../../store/ports/moving.ts'
import { openSqliteSource } from '../../store/sqlite/moving-source.ts'
import { openSqliteTarget } from '../../store/sqlite/moving-target.ts'

/** Where a store is, as it is written on the command line. */
export type StorePlace =
  | { readonly engine: 'sqlite'; readonly path: string }
  | { readonly engine: 'postgres'; readonly url: string }

/** Reads `sqlite:PATH` (relative to the current folder) or `postgres://…`; a text says what is wrong. */
export function parsePlace(text: string): StorePlace | string {
  const path = /^sqlite:(?!\/\/)(\S.*)$/.exec(text)?.[1]
  if (path === ':memory:')
    return 'sqlite::memory: is gone when its process ends: give the path of a file.'
  if (path !== undefined) return { engine: 'sqlite', path: resolve(path) }
  if (/^postgres(?:ql)?:\/\//.test(text) && URL.canParse(text))
    return { engine: 'postgres', url: text }
  return (
    `"${withoutPassword(text)}" is not the place of a store: write sqlite: and a path, such as ` +
    `sqlite:./tollgate.db, or postgres://USER:PASSWORD@HOST:PORT/DATABASE (in PASSWORD write ${inAddress}).`
  )
}

const withoutPassword = (text: string) => text.replace(/:\/\/.*@/s, '://…@')

/** Opens what is to be moved. */
export async function openSource(place: StorePlace): Promise<MoveSource> {
  if (place.engine === 'sqlite') return openSqliteSource(place.path)
  // Nobody else pays for its driver.
  const { openPostgresSource } = await import('../../store/postgres/moving-source.ts')
  return openPostgresSource(place.url)
}

/** Opens where it is to be moved to, which must not be the source itself. */
export async function openTarget(place: StorePlace, { identity }: MoveSource): Promise<MoveTarget> {
  if (place.engine === 'sqlite') return openSqliteTarget(place.path, identity)
  const { openPostgresTarget } = await import('../../store/postgres/moving-target.ts')
  return openPostgresTarget(place.url, identity)
}
