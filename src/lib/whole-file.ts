import { randomBytes } from 'node:crypto'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/**
 * Writes a file whole or not at all: readers see the old content or the new one, also when the
 * process or the machine stops half-way. Makes missing folders. `modifiedMs` dates the file.
 */
export async function writeWholeFile(
  file: string,
  content: Uint8Array,
  modifiedMs = Date.now(),
): Promise<void> {
  const folder = dirname(file)
  await mkdir(folder, { recursive: true })
  const draft = join(folder, `.${basename(file)}.${randomBytes(6).toString('hex')}.tmp`)
  try {
    const handle = await open(draft, 'wx')
    try {
      await handle.writeFile(content)
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
