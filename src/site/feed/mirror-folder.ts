import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { writeWholeFile } from '../../lib/draft-file.ts'
import type { Published } from '../published.ts'
import { readFeedFile, writeFeedFiles } from './files.ts'
import type { Validators } from './origin.ts'

/** The last good document, and what to ask the origin for the next one with. */
export interface MirrorCopy extends Validators {
  readonly text: string
  readonly modifiedMs: number
}

/** Where a mirror keeps its copy: laid out as an exported feed, plus `mirror.json`. */
export interface MirrorFolder {
  load(): Promise<MirrorCopy | undefined>
  save(copy: MirrorCopy, published: Published): Promise<void>
}

const MirrorState = Type.Object({
  origin: Type.String(),
  etag: Type.Union([Type.String(), Type.Null()]),
  last_modified: Type.Union([Type.String(), Type.Null()]),
  /** Of the document that the rest belongs to: a stop may come between the two writes. */
  sha256: Type.String(),
})
type MirrorState = Static<typeof MirrorState>

/** The folder of a mirror of `origin`. */
export function openMirrorFolder(folder: string, origin: string): MirrorFolder {
  const stateFile = join(folder, 'mirror.json')
  return {
    async load() {
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
    async save({ text, etag, lastModified }, published) {
      await writeFeedFiles(folder, published)
      const state = { origin, etag, last_modified: lastModified, sha256: hashOf(text) }
      const json = JSON.stringify(state satisfies MirrorState, null, 2)
      await writeWholeFile(stateFile, new TextEncoder().encode(`${json}\n`))
    },
  }
}

const hashOf = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex')

/** Undefined for none and for one that can't be understood: then the whole document is asked for. */
async function readState(file: string): Promise<MirrorState | undefined> {
  try {
    const state: unknown = JSON.parse(await readFile(file, 'utf8'))
    return Value.Check(MirrorState, state) ? state : undefined
  } catch {
    return undefined
  }
}
