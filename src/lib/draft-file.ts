import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, openSync, readdirSync, rmSync, statSync } from 'node:fs'
import { chmod, link, mkdir, open, rename, rm, utimes } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { codeOf } from './failure.ts'

/** A temporary file beside its target, moved into place once it is complete. */
export interface DraftFile {
  readonly path: string
  /**
   * Syncs it and moves it into place atomically. Without `replace`, an existing file stays: `taken`. Throws when
   * the draft was removed.
   */
  place(options: { readonly replace: boolean }): Promise<'placed' | 'taken'>
  /** Removes it and the files that share its prefix. Harmless after `place`. */
  discard(): void
}

/** A draft is touched this often while its process lives … */
const touchMs = 1_000
/** … so an older draft was left behind by a killed process. */
const staleMs = 60_000

/** Creates an empty private draft of `file`, and removes those that killed processes left behind. */
export function createDraftFile(file: string): DraftFile {
  const { folder, prefix } = draftsOf(file)
  removeStaleDrafts(file)
  const name = `${prefix}${randomBytes(6).toString('hex')}.tmp`
  const path = join(folder, name)
  closeSync(openSync(path, 'wx', 0o600))
  const { ino } = statSync(path)
  const touching = setInterval(() => {
    const now = new Date()
    // The draft may just have been placed or discarded.
    void utimes(path, now, now).catch(() => undefined)
  }, touchMs)
  touching.unref()

  return {
    path,
    async place({ replace }) {
      if (statSync(path, { throwIfNoEntry: false })?.ino !== ino)
        throw new Error(`The draft ${path} was removed before it was done.`)
      await makeDurable(path)
      if (replace) await rename(path, file)
      else if (!(await putBeside(path, file))) return 'taken'
      clearInterval(touching)
      await syncFolder(folder)
      return 'placed'
    },
    discard() {
      clearInterval(touching)
      for (const one of namesIn(folder)) if (one.startsWith(name)) remove(join(folder, one))
    },
  }
}

async function makeDurable(path: string): Promise<void> {
  // The umask, or the writer, may have changed the permissions.
  await chmod(path, 0o600)
  await using handle = await open(path, 'r+')
  await handle.sync()
}

/** Errors of file systems without hard links. */
const linkless = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])

/** Unlike a rename, a link never replaces an existing file. False: one exists. */
async function putBeside(path: string, file: string): Promise<boolean> {
  try {
    await link(path, file)
    remove(path)
    return true
  } catch (error) {
    const code = codeOf(error) ?? ''
    if (code === 'EEXIST') return false
    if (!linkless.has(code)) throw error
    if (existsSync(file)) return false
    await rename(path, file)
    return true
  }
}

/** A new file name survives a power cut only after its folder is synced. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  await using handle = await open(folder, 'r')
  await handle.sync()
}

/** The folder of a file's drafts, and their name prefix. */
const draftsOf = (file: string) => ({
  folder: dirname(resolve(file)),
  prefix: `.${basename(file)}.`,
})

/** Removes drafts that killed processes left behind, where no new draft is made. */
export function removeStaleDrafts(file: string): void {
  const { folder, prefix } = draftsOf(file)
  const draft = /^[0-9a-f]{12}\.tmp/
  for (const name of namesIn(folder)) {
    if (!name.startsWith(prefix) || !draft.test(name.slice(prefix.length))) continue
    const path = join(folder, name)
    const touched = statSync(path, { throwIfNoEntry: false })?.mtimeMs
    if (touched !== undefined && Date.now() - touched > staleMs) remove(path)
  }
}

/** Empty when the folder is missing: creating a file in it reports that. */
const namesIn = (folder: string) => (existsSync(folder) ? readdirSync(folder) : [])

const remove = (path: string) => rmSync(path, { force: true })

interface WholeFileOptions {
  /** Its modification time. */
  readonly modifiedMs?: number
  /** Its permissions, whatever the umask. */
  readonly mode?: number
}

/** Writes a file atomically, creating missing folders. */
export async function writeWholeFile(
  file: string,
  content: Uint8Array,
  { modifiedMs = Date.now(), mode }: WholeFileOptions = {},
): Promise<void> {
  const folder = dirname(file)
  await mkdir(folder, { recursive: true })
  const draft = join(folder, `.${basename(file)}.${randomBytes(6).toString('hex')}.tmp`)
  try {
    const handle = await open(draft, 'wx')
    try {
      await handle.writeFile(content)
      if (mode !== undefined) await handle.chmod(mode)
      await handle.utimes(modifiedMs / 1000, modifiedMs / 1000)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}
