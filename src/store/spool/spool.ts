import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from '../../lib/log.ts'
import type { Spool, SpoolRemark } from '../ports/records.ts'
import { appendSynced, type ClaimedFile, claimFiles, reserveRoom, type SpoolFile } from './files.ts'
import { encodeLine, type Spooled } from './lines.ts'

export interface OpenSpool extends Spool {
  readonly found: readonly Spooled[]
  /** For which database it takes settlements from now on: `RecordStore.origin`. */
  setOrigin(origin: string): void
  close(): Promise<void>
}

const refusedName = 'refused.jsonl'
const damagedName = /^damaged-/

/** Opens or makes a folder of spool files, with those of ended processes for the same database. */
export async function openSpool(folder: string, origin: string, log: Logger): Promise<OpenSpool> {
  if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 })
  const { claimed, foreign } = claimFiles(folder, origin)
  if (foreign.length > 0) {
    const fields = { folder, files: foreign.join(', ') }
    log.error(
      'settlements of another database wait in the spool: a gateway of that one stores them',
      fields,
    )
  }
  const spool = await createSpool(folder, claimed, log)
  spool.setOrigin(origin)
  return spool
}

/** The first of the files is the one that is written. */
export async function createSpool(
  folder: string,
  claimed: readonly ClaimedFile[],
  log: Logger,
): Promise<OpenSpool> {
  const own = claimed[0]?.file
  if (own === undefined) throw new Error('other processes have all of its files')
  /** Request ids, with the file that each is in. */
  const waiting = new Map<string, SpoolFile>()
  const found = claimed.flatMap(({ file }) => file.found.entries)
  for (const { file } of claimed)
    for (const { settlement } of file.found.entries) waiting.set(settlement.request.requestId, file)
  /** Files with damaged lines that could not be quarantined. */
  const untouchable = new Set<SpoolFile>()
  for (const one of claimed) {
    if (!(await quarantineDamaged(folder, one, log))) untouchable.add(one.file)
  }
  const isNeeded = (file: SpoolFile) =>
    untouchable.has(file) || waiting.values().some((one) => one === file)
  let remark = untouchable.size > 0 ? 'damaged' : remarkOf(folder)
  let hasFailed = false
  let origin = ''

  function clear(file: SpoolFile): void {
    file
      .clear(() => isNeeded(file))
      .catch((error) =>
        log.warn('the spool was not cleared: this is retried later', { error: String(error) }),
      )
  }

  for (const { file } of claimed) clear(file)
  // Not awaited: later additions are queued after it.
  reserveRoom(folder, own).catch((error) =>
    log.warn('the spool has no preallocated room: a full disk would leave it none', {
      ...{ folder, error: String(error) },
    }),
  )

  return {
    found,
    setOrigin(known) {
      origin = known
    },
    async add(settlements) {
      const added = settlements.filter(({ request }) => !waiting.has(request.requestId))
      if (added.length === 0) return
      for (const { request } of added) waiting.set(request.requestId, own)
      try {
        await own.append(added.map((one) => encodeLine({ origin, settlement: one })).join(''))
        hasFailed = false
        const counts = { count: added.length, waiting: waiting.size }
        log.warn('the database did not store settlements: they wait in the spool', counts)
      } catch (error) {
        for (const { request } of added) waiting.delete(request.requestId)
        if (!hasFailed) log.error('the spool cannot store settlements', { error: String(error) })
        hasFailed = true
        throw error
      }
    },
    has: (requestId) => waiting.has(requestId),
    stored(requestIds) {
      const files = new Set<SpoolFile>()
      for (const requestId of requestIds) {
        const file = waiting.get(requestId)
        if (file) files.add(file)
        waiting.delete(requestId)
      }
      if (waiting.size === 0) hasFailed = false
      for (const file of files) if (!isNeeded(file)) clear(file)
    },
    async quarantine(settlement, reason) {
      const line = JSON.stringify({ reason, settlement })
      await appendSynced(join(folder, refusedName), `${line}\n`)
      remark ??= 'refused'
    },
    count: () => waiting.size,
    hasFailed: () => hasFailed,
    remark: () => remark,
    async close() {
      for (const one of claimed) await one.close()
    },
  }
}

/** By files that stay until the operator removes them. */
function remarkOf(folder: string): SpoolRemark | undefined {
  const files = readdirSync(folder)
  if (files.some((name) => damagedName.test(name))) return 'damaged'
  return files.includes(refusedName) ? 'refused' : undefined
}

async function quarantineDamaged(
  folder: string,
  { name, file }: ClaimedFile,
  log: Logger,
): Promise<boolean> {
  const { damaged, isTorn, entries } = file.found
  if (isTorn) log.warn('the end of the spool was never synced: no answer went out by it', { name })
  if (damaged.length === 0) return true
  const bytes = Buffer.concat(damaged.flatMap((line) => [line, Buffer.from('\n')]))
  // The same bytes may be found more than once.
  const quarantine = join(folder, `damaged-${Bun.hash.crc32(bytes).toString(16)}`)
  const counts = { damaged_lines: damaged.length, readable: entries.length, file: quarantine }
  try {
    if (!existsSync(quarantine)) await appendSynced(quarantine, bytes)
    log.error('the spool is damaged: what can be read is charged, the rest is set aside', counts)
    return true
  } catch (error) {
    log.error('the spool is damaged, and the damaged part can not be set aside', {
      ...{ ...counts, error: String(error) },
    })
    return false
  }
}
