import { statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { humanBytes } from '../../lib/format.ts'
import {
  firstVersion,
  newestVersion,
  programVersion,
  stepsFrom,
} from '../../store/schema/versions.ts'
import { lookAt } from '../../store/sqlite/database-file.ts'
import { copyPath } from '../../store/sqlite/file.ts'
import { freeIn } from '../backup/backup.ts'
import { requireOpened } from '../backup/secret.ts'
import type { StoreConfig } from '../config/config.ts'
import { requireKnown, requireSecret } from '../instance.ts'
import { describeStore, isOnServer } from '../store-place.ts'
import { UserError } from '../user-error.ts'

/** Findings as pairs for people: a name (may be empty), and a text. */
export type Findings = readonly (readonly [name: string, text: string])[]

export interface CheckOptions {
  readonly store: StoreConfig
  readonly withCopy: boolean
  readonly mayBeNew: boolean
}

/** Checks the database of a gateway without changing it. Throws when it can't be served. */
export async function checkDatabase(options: CheckOptions): Promise<Findings> {
  const { store, mayBeNew } = options
  if (isOnServer(store)) return checkServer(store.url, store)
  if (!mayBeNew) requireKnown(store)
  if (store.path === ':memory:') return [['Database', 'in memory: gone when the gateway ends']]
  if (!statSync(store.path, { throwIfNoEntry: false })?.size)
    return [['Database', `${store.path}: there is none yet, it is made`]]
  return checkFile(store.path, options.withCopy)
}

async function checkFile(path: string, withCopy: boolean): Promise<Findings> {
  const look = lookAt(path)
  requireOpened(path, look.sealedKeys)
  const place = ['Database', describeVersion(path, look.version)] as const
  if (look.version === 0 || look.version === newestVersion) return [place]
  return [
    place,
    ...steps(look.version, 'sqlite'),
    ['Copy', withCopy ? await describeCopy(path, look.copyBytes) : 'none, as you wish'],
    ...(look.isServed
      ? ([['Before', 'a gateway serves from it: stop that one first']] as const)
      : []),
  ]
}

async function describeCopy(path: string, bytes: number): Promise<string> {
  const free = await freeIn(dirname(resolve(path)))
  const text = `${copyPath(path)}, ${humanBytes(bytes)}`
  if (free === undefined) return text
  if (free < bytes)
    throw new UserError(
      `There is no room for a copy of ${path} beside it: ${humanBytes(bytes)} are needed, and ` +
        `${humanBytes(free)} are free. Make room, or upgrade without a copy: tollgate serve --no-copy`,
    )
  return `${text}; ${humanBytes(free)} are free`
}

async function checkServer(url: string, store: StoreConfig): Promise<Findings> {
  requireSecret(store)
  const { createConnections } = await import('../../store/postgres/connections.ts')
  const { knownVersion } = await import('../../store/postgres/migrate.ts')
  const connections = createConnections({ url, connections: 1 })
  try {
    const version = await knownVersion(connections)
    const place = ['Database', describeVersion(describeStore(store), version)] as const
    if (version === 0 || version === newestVersion) return [place]
    return [
      place,
      ...steps(version, 'postgres'),
      ['Copy', 'none of a database on a server: make one before, with pg_dump or pg_basebackup'],
    ]
  } finally {
    await connections.close()
  }
}

function describeVersion(place: string, version: number): string {
  if (version === 0) return `${place}: empty, its tables are made`
  if (version === newestVersion) return `${place}, version ${version}: up to date`
  return `${place}, version ${version}: of a former program`
}

function steps(version: number, engine: 'sqlite' | 'postgres'): Findings {
  const takenOver =
    version < firstVersion ? [['', `${firstVersion}: ${whole[engine]}`] as const] : []
  const from = Math.max(version, firstVersion) + 1
  const later = stepsFrom(version).map((one, at) => ({ ...one, to: from + at }))
  return [
    ['Upgrade', `to version ${newestVersion}, of Tollgate ${programVersion}, in one transaction:`],
    ...takenOver,
    ...later.filter((one) => one[engine]).map(({ to, title }) => ['', `${to}: ${title}`] as const),
  ]
}

const whole = {
  sqlite: 'all tables are made anew, with what they hold',
  postgres:
    'what is missing in the tables is added, requests are copied into partitions; no node may serve meanwhile',
}
