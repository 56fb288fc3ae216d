import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { writeWholeFile } from '../../lib/draft-file.ts'
import { codeOf } from '../../lib/failure.ts'
import type { Published } from '../published.ts'
import { feedPaths } from '../routes.ts'
import type { Validators } from './mirror.ts'

const feedFile = (folder: string): string => join(folder, feedPaths[0])

/** The feed in a folder; undefined: none. Throws when it can't be read. */
export async function readFeedFile(folder: string) {
  const file = feedFile(folder)
  const bytes = await readIfThere(file)
  if (bytes === undefined) return undefined
  return { text: new TextDecoder().decode(bytes), modifiedMs: (await stat(file)).mtimeMs }
}

/** Writes the feed under both paths with `.gz`; returns the files that changed. */
export async function writeFeedFiles(
  folder: string,
  { body, gzip, lastModified }: Published,
): Promise<readonly string[]> {
  const written: string[] = []
  for (const path of feedPaths) {
    const file = join(folder, path)
    // The compressed file first: a host must not fall back to an older one.
    for (const [name, bytes] of [[`${file}.gz`, gzip] as const, [file, body] as const]) {
      const found = await readIfThere(name)
      if (found && Buffer.compare(found, bytes) === 0) continue
      await writeWholeFile(name, bytes, { modifiedMs: Date.parse(lastModified) })
      written.push(name)
    }
  }
  return written
}

async function readIfThere(file: string): Promise<Uint8Array | undefined> {
  try {
    return await readFile(file)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** The last good document, with the validators of the next conditional request. */
export interface MirrorCopy extends Validators {
  readonly text: string
  readonly modifiedMs: number
}

export type MirrorFolder = ReturnType<typeof openMirrorFolder>

const MirrorState = Type.Object({
  origin: Type.String(),
  etag: Type.Union([Type.String(), Type.Null()]),
  last_modified: Type.Union([Type.String(), Type.Null()]),
  /** Of the document, as a crash may come between the two writes. */
  sha256: Type.String(),
})
type MirrorState = Static<typeof MirrorState>

/** The folder of a mirror of `origin`: an exported feed and `mirror.json`. */
export function openMirrorFolder(folder: string, origin: string) {
  const stateFile = join(folder, 'mirror.json')
  return {
    async load(): Promise<MirrorCopy | undefined> {
      const feed = await readFeedFile(folder)
      if (feed === undefined) return undefined
      const state = await readState(stateFile)
      const belongs = state?.origin === origin && state.sha256 === hashOf(feed.text)
      return {
        ...feed,
        etag: belongs ? state.etag : null,
        lastModified: belongs ? state.last_modified : null,
      }
    },
    async save({ text, etag, lastModified }: MirrorCopy, published: Published): Promise<void> {
      await writeFeedFiles(folder, published)
      const state = { origin, etag, last_modified: lastModified, sha256: hashOf(text) }
      const json = JSON.stringify(state satisfies MirrorState, null, 2)
      await writeWholeFile(stateFile, new TextEncoder().encode(`${json}\n`))
    },
  }
}

const hashOf = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex')

/** Undefined: missing or unreadable, so that the whole document is requested. */
async function readState(file: string): Promise<MirrorState | undefined> {
  try {
    const state: unknown = JSON.parse(await readFile(file, 'utf8'))
    return Value.Check(MirrorState, state) ? state : undefined
  } catch {
    return undefined
  }
}
