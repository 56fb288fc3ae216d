import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = join(import.meta.dir, '../../../shared/recordings')

/** One recorded exchange, as far as the tests read it; the folder's README tells the format. */
export interface Recording {
  readonly id: string
  readonly protocol: string
  readonly provider: string
  readonly stream: boolean
  readonly status: number
  readonly features: readonly string[]
  /** HTTP method and path with query, without host; undefined where only the answer was kept. */
  readonly method: string | undefined
  readonly path: string | undefined
  /** Body of the request. */
  readonly request: unknown
  readonly contentType: string | undefined
  /** Body of the answer: JSON, or else `sse`, the text of a stream. */
  readonly body: unknown
  readonly sse: string | undefined
}

/** Whether recordings lie beside the project. In CI they must, unless TOLLGATE_RECORDINGS is none. */
export const hasRecordings = existsSync(join(folder, 'index.json'))

if (!hasRecordings) {
  const message = 'No recordings at ../shared/recordings: their tests do not run.'
  if (process.env.CI === 'true' && process.env.TOLLGATE_RECORDINGS !== 'none')
    throw new Error(message)
  console.warn(message)
}

/** All recordings, or none when the folder is not there. */
export const recordings: readonly Recording[] = hasRecordings ? load() : []

function load(): Recording[] {
  const index = JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8')) as IndexEntry[]
  return index.map((entry) => {
    const file = JSON.parse(readFileSync(join(folder, entry.file), 'utf8')) as RecordingFile
    const { request, response } = file
    return {
      ...entry,
      method: request?.method,
      path: request?.path,
      request: request?.body ?? undefined,
      contentType: response.headers?.['content-type'],
      body: response.body ?? undefined,
      sse: response.sse ?? undefined,
    }
  })
}

interface IndexEntry {
  readonly id: string
  readonly file: string
  readonly protocol: string
  readonly provider: string
  readonly stream: boolean
  readonly status: number
  readonly features: readonly string[]
}

interface RecordingFile {
  readonly request: {
    readonly method: string
    readonly path: string
    readonly body: unknown
  } | null
  readonly response: {
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: unknown
    readonly sse?: string | null
  }
}
