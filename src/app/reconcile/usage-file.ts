import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { UserError } from '../user-error.ts'
import { type Cell, hasIdColumn } from './columns.ts'
import { createObjectCutter, type JsonShape } from './json-objects.ts'

/** An open usage file: its columns are known, its rows are read on demand. */
export interface UsageFile {
  readonly columns: readonly string[]
  readonly decimalComma: boolean
  /** All rows, once. Throws `UserError` at what can't be read. */
  rows(): AsyncIterable<Row>
}

/** A row: the value of a column, by its index. */
export type Row = (column: number) => Cell | undefined

interface Bytes {
  readonly file: string
  readonly head: Buffer
  readonly all: AsyncIterable<Buffer>
}

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

function complainOf(head: Buffer): string | undefined {
  if (head.toString('utf8').trim() === '') return 'is empty.'
  if (head[0] === 0x1f && head[1] === 0x8b) return 'is packed with gzip: unpack it first (gunzip).'
  if (head.subarray(0, 4).equals(Buffer.from('PK\x03\x04')))
    return 'is a spreadsheet or a zip file: unpack it, or export it as CSV.'
  if (head.includes(0)) return 'is not UTF-8 text: save it as CSV or JSON in UTF-8.'
  return undefined
}

const delimiters = [',', ';', '\t', '|']

/** A larger row has an open quote. */
const maxRecordSize = 1024 * 1024

function findDelimiter(head: string): string {
  const line = head.replace(/"(?:[^"]|"")*"/g, '').split(/\r\n|\n|\r/, 1)[0] ?? ''
  const counts = delimiters.map((delimiter) => line.split(delimiter).length)
  return delimiters[counts.indexOf(Math.max(...counts))] ?? ','
}

/** Comma-separated values by RFC 4180, also with semicolons or tabs; the first line has the names. */
async function readCsv({ file, head, all }: Bytes): Promise<UsageFile> {
  const { parse } = await import('csv-parse')
  const delimiter = findDelimiter(head.toString('utf8'))
  const parser = parse({
    bom: true,
    delimiter,
    relax_column_count_less: true,
    skip_empty_lines: true,
    max_record_size: maxRecordSize,
  })
  const source = Readable.from(all)
  source.on('error', (error) => parser.destroy(error)) // `pipe` does not pass it on
  source.pipe(parser)
  const records = parser[Symbol.asyncIterator]() as AsyncIterator<string[]>
  const next = async () => {
    try {
      return await records.next()
    } catch (cause) {
      if (cause instanceof UserError) throw cause
      throw new UserError(`${file} is no sound CSV: ${(cause as Error).message}`, { cause })
    }
  }
  const first = await next()
  const columns: string[] = first.done ? [] : first.value.map((name) => name.trim())
  return {
    columns,
    decimalComma: delimiter === ';',
    async *rows() {
      while (true) {
        const { done, value } = await next()
        if (done) return
        yield ((column) => value[column]) satisfies Row
      }
    },
  }
}

type JsonObject = { readonly [name: string]: unknown }

/** Rows read to find the columns, as rows may leave some out. */
const sampleRows = 1000

/** A JSON array of objects, an object with such an array in it, or an object a line. */
async function readJson(bytes: Bytes): Promise<UsageFile> {
  const objects = readObjects(bytes)
  const sample: JsonObject[] = []
  let isDone = false
  while (sample.length < sampleRows && !isDone) {
    const { done, value } = await objects.next()
    if (done) isDone = true
    else sample.push(value)
  }
  const columns = [...new Set(sample.flatMap((row) => [...columnsOf(row)]))]
  const paths = columns.map((name) => name.split('\0'))
  return {
    columns: paths.map((path) => path.join('.')),
    decimalComma: false,
    async *rows() {
      for (const row of sample.splice(0)) yield cellsOf(row, paths)
      for await (const row of objects) yield cellsOf(row, paths)
    },
  }
}

async function* readObjects({ file, head, all }: Bytes): AsyncGenerator<JsonObject> {
  const cutter = createObjectCutter(findShape(head))
  let row = 0
  const parse = (text: string) => {
    row++
    const value = parseObject(text)
    if (value === undefined) throw new UserError(`Row ${row} of ${file} is no sound JSON.`)
    return value
  }
  try {
    for await (const chunk of all) for (const text of cutter.push(chunk)) yield parse(text)
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause
    throw new UserError(`${file}, after row ${row}: ${cause.message}`, { cause })
  }
  if (!cutter.end())
    throw new UserError(`${file} ends in the middle, after row ${row}: fetch it again.`)
}

/** A lone object is a row when it has an id, else it contains the rows. */
function findShape(head: Buffer): JsonShape {
  const text = head
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trimStart()
  if (text.startsWith('[')) return 'array'
  const first = firstObject(head)
  if (first === undefined) return 'container'
  const value = parseObject(first)
  if (value === undefined || hasIdColumn([...columnsOf(value)].map(dotted))) return 'lines'
  return Object.values(value).some(isObjectList) ? 'container' : 'lines'
}

/** Undefined: larger than a row can be. */
function firstObject(head: Buffer): string | undefined {
  try {
    return createObjectCutter('lines').push(head)[0]
  } catch {
    return undefined // larger than a row
  }
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined // the caller reports which row it was
  }
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isObjectList = (value: unknown) => Array.isArray(value) && value.some(isObject)

/** Depth of nested columns: `usage.details.cached_tokens`. */
const maxDepth = 3

/** Parts of a path are joined by a character that no name has. */
function* columnsOf(row: JsonObject, prefix = '', depth = 1): Generator<string> {
  for (const [name, value] of Object.entries(row)) {
    if (!isObject(value)) yield prefix + name
    else if (depth < maxDepth) yield* columnsOf(value, `${prefix}${name}\0`, depth + 1)
  }
}

const dotted = (name: string) => name.replaceAll('\0', '.')

function cellsOf(row: JsonObject, paths: readonly (readonly string[])[]): Row {
  return (column) => {
    let value: unknown = row
    for (const name of paths[column] ?? []) value = isObject(value) ? value[name] : undefined
    return toCell(value)
  }
}

const toCell = (value: unknown): Cell =>
  typeof value === 'string' || typeof value === 'number' ? value : null
