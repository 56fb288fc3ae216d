import { existsSync } from 'node:fs'
import type { Clock } from '../lib/clock.ts'
import { createSingleFlight } from '../lib/concurrency.ts'
import { createDraftFile } from '../lib/draft-file.ts'
import type { Logger } from '../lib/log.ts'
import type { ChangedElsewhere, Store, StoreFile } from '../store/ports/store.ts'
import { openDatabaseFile } from '../store/sqlite/database-file.ts'

const lookMs = 1_000

/**
 * Checks each second that the database is still the opened file; otherwise logs it and saves what
 * is stored, which would be lost with this process. Returns a function that ends it.
 */
export function watchFile(file: StoreFile, log: Logger): () => Promise<void> {
  let trouble: string | undefined
  const rescue = createSingleFlight(() => save(file, log))

  function look(): void {
    const found = file.trouble()
    if (found === trouble) return
    const isNew = trouble === undefined
    trouble = found
    if (found === undefined) {
      log.info('the database can be used again', {})
      return
    }
    log.error('the database can not be used, so no requests are taken', { error: found })
    if (isNew) void rescue() // awaited at the end
  }

  const timer = setInterval(look, lookMs)
  return async () => {
    clearInterval(timer)
    await rescue.idle()
  }
}

async function save(file: StoreFile, log: Logger): Promise<void> {
  const { path } = file
  try {
    const saved = await saveBeside(file)
    log.error('all that was stored is saved in another file', {
      file: saved,
      way_out:
        `Put ${path} back as it was, and the gateway goes on; or stop it, move what is left of ` +
        `${path}, ${path}-wal and ${path}-shm away, move ${saved} to ${path}, and start it.`,
    })
  } catch (error) {
    log.error('what was stored could not be saved', {
      error: String(error),
      way_out: `Put ${path} back as it was before the gateway is stopped, or restore a backup.`,
    })
  }
}

async function saveBeside(file: StoreFile): Promise<string> {
  const name = freeName(`${file.path}.rescued`)
  const draft = createDraftFile(name)
  try {
    file.rescueInto(draft.path)
    const saved = await openDatabaseFile(draft.path)
    try {
      await saved.inspect({ thorough: false })
    } finally {
      await saved.close()
    }
    if ((await draft.place({ replace: false })) === 'taken')
      throw new Error(`${name} has appeared.`)
    return name
  } finally {
    draft.discard()
  }
}

/** Never replaces an earlier rescue. */
function freeName(name: string): string {
  let number = 1
  const numbered = () => (number === 1 ? name : `${name}-${number}`)
  while (existsSync(numbered())) number++
  return numbered()
}

/** A lost connection is usually made again sooner. */
const patienceMs = 5_000

/**
 * How this process learns of changes by others in the database: it reads all state again and again while change
 * notices fail but the database answers.
 */
export function createHearing(
  store: Pick<Store, 'changedElsewhere' | 'check'>,
  readAnew: () => Promise<void>,
  tick: Clock,
) {
  let failingSince: number | undefined
  const readIfThere = createSingleFlight(async () => {
    try {
      await store.check()
      await readAnew()
    } catch {
      return // `changedElsewhere` reports why
    }
  })

  return {
    async changedElsewhere(): Promise<ChangedElsewhere> {
      try {
        const isChanged = await store.changedElsewhere()
        failingSince = undefined
        return isChanged
      } catch (error) {
        failingSince ??= tick()
        void readIfThere() // not awaited: it may take longer than the next try
        throw error
      }
    },
    /** Whether this has failed for so long that this process should get no requests. */
    isDeaf: () => failingSince !== undefined && tick() - failingSince >= patienceMs,
    idle: readIfThere.idle,
  }
}
