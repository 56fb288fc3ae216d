import { UserError } from '../instance.ts'
import type { Cell } from './cells.ts'
import { hasIdColumn } from './columns.ts'
import { createObjectCutter, type JsonShape } from './json-objects.ts'
import type { Bytes, Row, UsageFile } from './usage-file.ts'

type JsonObject = { readonly [name: string]: unknown }

/** Rows that are looked at to learn which columns there are: rows may leave some out. */
const sampleRows = 1000

/** A JSON array of objects, an object with such an array in it, or an object a line. */
export async function readJson(bytes: Bytes): Promise<UsageFile> {
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
    throw new UserError(`${file} ends in the middle, after row ${row}: fetch it anew.`)
}

/** A lone object is a row when it has an id, else what has the rows in it. */
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

/** Undefined when it is larger than a row can be. */
function firstObject(head: Buffer): string | undefined {
  try {
    return createObjectCutter('lines').push(head)[0]
  } catch {
    return undefined // larger than a row: that is what is asked
  }
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined // the caller tells which row it was
  }
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isObjectList = (value: unknown) => Array.isArray(value) && value.some(isObject)

/** Objects in a row are columns of their own down to here: `usage.details.cached_tokens`. */
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
