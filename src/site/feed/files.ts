import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { writeWholeFile } from '../../lib/draft-file.ts'
import type { Published } from '../published.ts'
import { feedPaths } from './routes.ts'

/** A feed as it was found in a folder. */
export interface FeedOnDisk {
  readonly text: string
  /** Milliseconds since 1970. */
  readonly modifiedMs: number
}

/** The main file of a feed in a folder. */
export const feedFile = (folder: string): string => join(folder, feedPaths[0])

/** The feed in a folder; undefined when there is none. Throws when it can't be read. */
export async function readFeedFile(folder: string): Promise<FeedOnDisk | undefined> {
  const file = feedFile(folder)
  const bytes = await readIfThere(file)
  if (bytes === undefined) return undefined
  return { text: new TextDecoder().decode(bytes), modifiedMs: (await stat(file)).mtimeMs }
}

/**
 * Writes the feed under both its paths, each with a `.gz` beside it, dated as it was published: any
 * static host can serve the folder. Files that are right already are left alone. Returns the files
 * that were written.
 */
export async function writeFeedFiles(
  folder: string,
  { body, gzip, lastModified }: Published,
): Promise<readonly string[]> {
  const written: string[] = []
  for (const path of feedPaths) {
    const file = join(folder, path)
    // Compressed first: a host that serves it must not fall back to an older one.
    for (const [name, bytes] of [[`${file}.gz`, gzip] as const, [file, body] as const]) {
      const found = await readIfThere(name)
      if (found && Buffer.compare(found, bytes) === 0) continue
      await writeWholeFile(name, bytes, Date.parse(lastModified))
      written.push(name)
    }
  }
  return written
}

async function readIfThere(file: string): Promise<Uint8Array | undefined> {
  try {
    return await readFile(file)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
