import { createReadStream } from 'node:fs'
import { UserError } from '../instance.ts'
import type { Cell } from './cells.ts'
import { readCsv } from './csv-rows.ts'
import { readJson } from './json-rows.ts'

/** An upstream's usage file, open: its columns are known, its rows are read as they are asked for. */
export interface UsageFile {
  readonly columns: readonly string[]
  /** Amounts are written with a comma where others have the decimal point. */
  readonly decimalComma: boolean
  /** All rows, once; `cell(i)` is the value of column `i`. Throws `UserError` at what can't be read. */
  rows(): AsyncIterable<Row>
}

/** One row: the value of a column, by its place. */
export type Row = (column: number) => Cell | undefined

/** The beginning of a file, and all of it. */
export interface Bytes {
  readonly file: string
  readonly head: Buffer
  readonly all: AsyncIterable<Buffer>
}

/** As much of a file as is looked at to find out what it is. */
const headBytes = 1024 * 1024

/** Opens a CSV, JSON or JSON Lines file; which one it is shows in its first character. */
export async function openUsageFile(file: string): Promise<UsageFile> {
  const bytes = await readHead(file)
  const complaint = complainOf(bytes.head)
  if (complaint !== undefined) throw new UserError(`${file} ${complaint}`)
  const first = bytes.head
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trimStart()[0]
  return first === '{' || first === '[' ? readJson(bytes) : readCsv(bytes)
}

async function readHead(file: string): Promise<Bytes> {
  const chunks = createReadStream(file, { highWaterMark: 256 * 1024 })[Symbol.asyncIterator]()
  const parts: Buffer[] = []
  for (let size = 0; size < headBytes; size += parts.at(-1)?.length ?? 0) {
    const { done, value } = await next(file, chunks)
    if (done) break
    parts.push(value)
  }
  async function* all() {
    yield* parts
    parts.length = 0
    while (true) {
      const { done, value } = await next(file, chunks)
      if (done) return
      yield value as Buffer
    }
  }
  return { file, head: Buffer.concat(parts).subarray(0, headBytes), all: all() }
}

async function next(file: string, chunks: AsyncIterator<Buffer>): Promise<IteratorResult<Buffer>> {
  try {
    return await chunks.next()
  } catch (cause) {
    throw new UserError(`${file} can't be read: ${cause}`, { cause })
  }
}

/** What is wrong with a file that is no text of ours; undefined when it may be one. */
function complainOf(head: Buffer): string | undefined {
  if (head.toString('utf8').trim() === '') return 'is empty.'
  if (head[0] === 0x1f && head[1] === 0x8b) return 'is packed with gzip: unpack it first (gunzip).'
  if (head.subarray(0, 4).equals(Buffer.from('PK\x03\x04')))
    return 'is a spreadsheet or a zip file: unpack it, or export it as CSV.'
  if (head.includes(0)) return 'is not UTF-8 text: save it as CSV or JSON in UTF-8.'
  return undefined
}
