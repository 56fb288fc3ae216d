import { existsSync } from 'node:fs'
import { createDraftFile } from '../lib/draft-file.ts'
import type { Logger } from '../lib/log.ts'
import type { StoreFile } from '../store/ports/store.ts'
import { openDatabaseFile } from '../store/sqlite/database-file.ts'

/** How often the file of the database is looked at. */
const lookMs = 1_000

/**
 * Looks each second whether the database is still the file that was opened, tells it when it is not, and
 * saves what is stored then: the file itself is gone with this process. Resolves, when it is ended, as
 * soon as nothing is being saved.
 */
export function watchFile(file: StoreFile, log: Logger): () => Promise<void> {
  let trouble: string | undefined
  let saving: Promise<void> | undefined

  function look(): void {
    const found = file.trouble()
    if (found === trouble) return
    const isNew = trouble === undefined
    trouble = found
    if (found === undefined) {
      log.info('the database is in its place again', {})
      return
    }
    log.error('the database can not be used, so no requests are taken', { error: found })
    if (isNew)
      saving ??= save(file, log).finally(() => {
        saving = undefined
      })
  }

  const timer = setInterval(look, lookMs)
  return async () => {
    clearInterval(timer)
    await saving
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

/** What was saved before is nobody else's to replace. */
function freeName(name: string): string {
  let number = 1
  const numbered = () => (number === 1 ? name : `${name}-${number}`)
  while (existsSync(numbered())) number++
  return numbered()
}
