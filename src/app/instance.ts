import { existsSync, rmSync, statSync } from 'node:fs'
import { messageOf } from '../lib/failure.ts'
import { createSecretBox, loadSecret, OtherSecret, type SecretBox } from '../lib/secrets.ts'
import type { Store } from '../store/ports/store.ts'
import type { MigrateOptions } from '../store/postgres/migrate.ts'
import { copiesOf } from '../store/sqlite/file.ts'
import type { Config, StoreConfig } from './config/config.ts'
import { findStore } from './find-config.ts'
import { describeStore, fileOf, isOnServer, openStore } from './store-place.ts'
import { UserError } from './user-error.ts'

/** An open database with its secret. */
export interface Instance {
  readonly store: Store
  readonly secrets: SecretBox
  /** What `secrets` is made from. */
  readonly secret: string
  readonly warnings: readonly string[]
}

interface OpenOptions extends MigrateOptions {
  /** Creates a missing database even where one was known before. */
  readonly mayBeNew?: boolean | undefined
}

/**
 * Opens the database of a configuration, or creates it. Throws a `UserError` when a known one is missing,
 * or when the secret is needed (to serve, or to open keys) and is another one's.
 */
export async function openInstance(
  { store }: Pick<Config, 'store'>,
  { toServe = false, mayBeNew = false, onProgress }: OpenOptions = {},
): Promise<Instance> {
  if (!mayBeNew) requireKnown(store)
  // A new database gets its secret last: a secret alone means that its database is missing.
  const known = hasSecret(store) ? findSecret(store) : undefined
  const opened = await openStore(store, { toServe, onProgress })
  const { secret, source, warning } = known ?? (await secretOf(opened, store))
  const box = createSecretBox(secret)
  const sealed = await opened.catalog.oldestSealed().catch(async (error) => {
    if (!toServe) return undefined // damage is reported by the commands that read it
    await opened.close()
    throw error
  })
  const complaint = sealed && complainOfSecret(box, sealed)
  // A new secret would stand in the way of the missing one.
  if (complaint && source === 'created') rmSync(`${fileOf(store)}.secret`)
  if (complaint && toServe) {
    await opened.close()
    throw new UserError(complaint)
  }
  return {
    store: opened,
    secret,
    secrets: complaint ? refusingBox(complaint) : explainingBox(box),
    warnings: warning === null ? [] : [warning],
  }
}

/** The database file's path. Throws `UserError` with `instead` for a database on a server. */
export async function findDatabaseFile(
  named: string | undefined,
  instead: string,
): Promise<string> {
  const store = await findStore(named)
  if (!isOnServer(store)) return store.path
  throw new UserError(`The database ${describeStore(store)} is no file: ${instead}.`)
}

/** Throws when a known database is missing: a new one would grant opening balances again. */
export function requireKnown(store: StoreConfig): void {
  const file = fileOf(store)
  if (file === undefined || statSync(file, { throwIfNoEntry: false })?.size) return
  const traces = ['.secret', '-wal', '.serving']
    .map((ending) => file + ending)
    .filter((path) => existsSync(path))
  if (traces.length === 0) return
  const others = [...copiesOf(file), `${file}.rescued`].filter((path) => existsSync(path))
  throw new UserError(
    `The database ${file} is ${existsSync(file) ? 'empty' : 'not there'}, but ${traces.join(' and ')} ` +
      `${traces.length === 1 ? 'is' : 'are'}: it was moved, deleted or cut off, or its disk is away. ` +
      'In a new one all balances and records would be missing, and opening balances would be ' +
      'granted again. Put it back, or restore a backup ("tollgate restore")' +
      `${others.length === 0 ? '' : `; there is ${others.join(', ')}`}. If a new one is wanted: ` +
      'tollgate serve --new-database',
  )
}

function hasSecret(store: StoreConfig): boolean {
  const file = fileOf(store)
  return file === undefined || Boolean(process.env.TOLLGATE_SECRET) || existsSync(`${file}.secret`)
}

async function secretOf(opened: Store, store: StoreConfig) {
  try {
    return findSecret(store)
  } catch (error) {
    await opened.close()
    throw error
  }
}

/** Throws when a database on a server has no secret that its nodes share. */
export function requireSecret(store: StoreConfig): void {
  if (isOnServer(store)) findSecret(store)
}

function findSecret(store: StoreConfig) {
  const env = process.env.TOLLGATE_SECRET
  const file = fileOf(store)
  if (file !== undefined || env) {
    // A database on a server has no secret file: its nodes are on many machines.
    return explaining(() => loadSecret({ env, file: `${file}.secret` }))
  }
  // A database in memory needs no secret that outlives the process.
  if (!isOnServer(store))
    return { secret: crypto.randomUUID(), source: 'created', warning: null } as const
  throw new UserError(
    `The database ${describeStore(store)} is on a server, and what is secret in it needs a secret ` +
      'that all nodes have: give each of them the same TOLLGATE_SECRET in its environment. A good ' +
      'one: openssl rand -base64 32',
  )
}

/** Turns keys that can't be opened into a `UserError`: the secret is wrong. */
function explainingBox(box: SecretBox): SecretBox {
  return { ...box, open: (sealed) => explaining(() => box.open(sealed)) }
}

function complainOfSecret(box: SecretBox, sealed: Uint8Array): string | undefined {
  try {
    box.open(sealed)
    return undefined
  } catch (error) {
    return error instanceof OtherSecret ? error.message : undefined
  }
}

function refusingBox(complaint: string): SecretBox {
  const refuse = () => {
    throw new UserError(complaint)
  }
  return {
    ...{ keyedHash: refuse, seal: refuse, open: refuse },
    texts: { seal: refuse, open: refuse },
    bytes: { seal: refuse, open: refuse },
    get textKeys() {
      return refuse()
    },
  }
}

function explaining<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (cause) {
    throw new UserError(messageOf(cause), { cause })
  }
}
