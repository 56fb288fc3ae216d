import { constants, Database } from 'bun:sqlite'
import {
  copyFileSync,
  existsSync,
  constants as files,
  mkdtempSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Contents, DatabaseFile, InspectOptions, SealedKey } from '../ports/copies.ts'
import { StoreError } from '../ports/store-error.ts'
import { selectSealed } from '../queries/catalog.ts'
import { checkVersion, firstVersion } from '../schema/versions.ts'
import { applicationId, explained, isServed } from './file.ts'
import { readVersion } from './migrate.ts'
import { requireTakable } from './take-over.ts'
import { type DatabaseThread, openDatabaseThread } from './thread.ts'

const countCopyBytes = `
SELECT (page_count - freelist_count) * page_size AS bytes
FROM pragma_page_count, pragma_freelist_count, pragma_page_size`

/** Opens a database file that is there, of any version. `called` is its name in errors. */
export async function openDatabaseFile(path: string, called = path): Promise<DatabaseFile> {
  const thread = await openDatabaseThread(path, called)
  return {
    async copyBytes() {
      const [row] = await thread.all<{ bytes: number }>(countCopyBytes)
      return row?.bytes ?? 0
    },
    newest: () => readNewest(thread),
    async chargedSince(ledgerEntry) {
      const [row] = await thread.all<{ charged: number }>(countCharged, ledgerEntry)
      return row?.charged ?? 0
    },
    async copyInto(file) {
      // The caller makes the copy durable, at its own pace.
      await thread.all('PRAGMA synchronous = OFF')
      await thread.all('VACUUM INTO ?', file)
      await thread.all('PRAGMA synchronous = FULL')
      try {
        // The journal has grown meanwhile: moved here, no commit waits for it.
        await thread.all('PRAGMA wal_checkpoint(PASSIVE)')
      } catch {
        // A courtesy: the copy is whole without it, and the gateway's own commits do it, too.
      }
    },
    inspect: (options) => inspectDatabase(thread, called, options),
    sealedKeys: () => thread.all<SealedKey>(selectSealed),
    close: () => thread.close(),
  }
}

const readIdentity = `
SELECT application_id AS owner, user_version AS version
FROM pragma_application_id, pragma_user_version`

/** As text: what is damaged may hold any number. */
const findWrongBalances = `
SELECT account.id AS id, email, CAST(balance_nano AS TEXT) AS balance,
  CAST(ifnull(total, 0) AS TEXT) AS total
FROM account LEFT JOIN (
  SELECT account_id, sum(amount_nano) AS total FROM ledger GROUP BY account_id
) ON account_id = account.id
WHERE balance_nano <> ifnull(total, 0) LIMIT 5`

const selectNewest = `
SELECT ifnull((SELECT max(id) FROM request), 0) AS newestRequest,
  ifnull((SELECT max(id) FROM ledger), 0) AS newestLedgerEntry`

const countContents = `
SELECT (SELECT count(*) FROM account WHERE deleted_at IS NULL) AS accounts,
  (SELECT count(*) FROM token WHERE deleted_at IS NULL) AS tokens,
  (SELECT count(*) FROM channel WHERE deleted_at IS NULL) AS channels,
  (SELECT count(*) FROM request) AS requests,
  (SELECT count(*) FROM ledger) AS ledgerEntries`

/** The first programs had no such table. */
const hasReservations = "SELECT 1 FROM sqlite_schema WHERE name = 'reservation'"
const countReservations = 'SELECT count(*) AS reservations FROM reservation'

const countCharged = "SELECT count(*) AS charged FROM ledger WHERE kind = 'charge' AND id > ?"

type Newest = Pick<Contents, 'newestRequest' | 'newestLedgerEntry'>

async function readNewest(thread: DatabaseThread): Promise<Newest> {
  const [newest] = await thread.all<Newest>(selectNewest)
  return { newestRequest: 0, newestLedgerEntry: 0, ...newest }
}

/** Looks through a whole database; throws `StoreError` at the first thing that is wrong. */
async function inspectDatabase(
  thread: DatabaseThread,
  path: string,
  { thorough, onStep }: InspectOptions,
): Promise<Contents> {
  const version = await requireOurs(thread, path)
  onStep?.('structure')
  await requireWhole(thread, path, thorough)
  onStep?.('balances')
  await requireBalances(thread, path)
  onStep?.('contents')
  const [counts] =
    await thread.all<Omit<Contents, 'version' | 'reservations' | keyof Newest>>(countContents)
  if (counts === undefined) throw new StoreError(`The database ${path} could not be counted.`)
  const [has] = await thread.all(hasReservations)
  const [under] = has ? await thread.all<{ reservations: number }>(countReservations) : []
  const { reservations = 0 } = under ?? {}
  return { version, ...counts, reservations, ...(await readNewest(thread)) }
}

async function requireOurs(thread: DatabaseThread, path: string): Promise<number> {
  const [identity] = await thread.all<{ owner: number; version: number }>(readIdentity)
  if (identity?.owner !== applicationId) {
    throw new StoreError(
      `${path} is no database of Tollgate: it is empty, or belongs to another program. Give the ` +
        'path of a file that "tollgate backup" has made.',
    )
  }
  checkVersion(identity.version, path)
  return identity.version
}

async function requireWhole(
  thread: DatabaseThread,
  path: string,
  thorough: boolean,
): Promise<void> {
  const check = thorough ? 'integrity_check' : 'quick_check'
  const rows = await thread.all<{ [name: string]: string }>(`PRAGMA ${check}(5)`)
  const findings = rows.flatMap((row) => Object.values(row))
  if (findings.length === 1 && findings[0] === 'ok') return
  throw new StoreError(
    `The database ${path} is damaged (${check}: ${findings.join('; ')}). Use a backup that is whole.`,
  )
}

async function requireBalances(thread: DatabaseThread, path: string): Promise<void> {
  const wrong = await thread.all<{ id: number; email: string; balance: string; total: string }>(
    findWrongBalances,
  )
  if (wrong.length === 0) return
  const lines = wrong.map(
    ({ id, email, balance, total }) =>
      `account ${id} (${email}) has ${balance} nano-USD, but its ledger adds up to ${total}`,
  )
  throw new StoreError(
    `The database ${path} is not sound: balances differ from the sums of their ledger. ` +
      `${lines.join('; ')}.`,
  )
}

/** Looks at a database file and changes nothing. Throws `StoreError` when it is of no use. */
export function lookAt(path: string) {
  const served = isServed(path)
  return explained(path, () =>
    reading(path, served, (db) => {
      const version = readVersion(db, path)
      if (version > 0 && version < firstVersion) requireTakable(db)
      return {
        version,
        copyBytes: db.query<{ bytes: number }, []>(countCopyBytes).get()?.bytes ?? 0,
        isServed: served,
        sealedKeys: version > 0 ? db.query<SealedKey, []>(selectSealed).all() : [],
      }
    }),
  )
}

/** Reading a journal creates its index file, unless another process has it open. */
function reading<Result>(path: string, served: boolean, work: (db: Database) => Result): Result {
  if (served) {
    using db = new Database(path, { readonly: true })
    return work(db)
  }
  const journal = `${path}-wal`
  if (!existsSync(journal) || statSync(journal).size === 0) {
    const url = `${pathToFileURL(resolve(path)).href}?immutable=1`
    const flags = constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI
    using db = new Database(url, flags)
    return work(db)
  }
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-check-'))
  try {
    const copy = join(folder, 'copy.db')
    for (const ending of ['', '-wal'])
      copyFileSync(path + ending, copy + ending, files.COPYFILE_FICLONE)
    using db = new Database(copy)
    return work(db)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
