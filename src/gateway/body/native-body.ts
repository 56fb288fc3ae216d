import { embedJson } from '../../protocols/canonical/json-text.ts'
import type { Quirk } from '../../protocols/canonical/quirks.ts'
import { protocols } from '../../protocols/index.ts'
import { isJsonObject } from '../../protocols/json.ts'
import type { JsonObject, ProtocolName } from '../../protocols/protocol.ts'
import type { Path } from '../../protocols/request-extras.ts'
import { sealBeginnings, stripSeals } from '../../protocols/translation/seal.ts'
import type { RequestBody } from './body.ts'
import { findFields, readName, replaceFields, stringEnd } from './json-fields.ts'

/** The changes a body needs for its own protocol's upstream. */
export interface NativeChanges {
  /** The upstream's name of the model, which also decides what replaces a seal. */
  readonly model: string
  readonly isRenamed: boolean
  readonly quirks: readonly Quirk[]
  readonly cuts: readonly Path[]
  /** The protocol of a body that may hold empty parts, which are removed too. */
  readonly mayHaveEmptyParts: ProtocolName | undefined
}

/** A body for the upstream, and the seals that were left out of it. */
export interface NativeBody {
  readonly bytes: Uint8Array
  readonly dropped: readonly string[]
}

type JsonBody = Pick<RequestBody, 'bytes' | 'value' | 'rename' | 'facts'> & {
  readonly fields: NonNullable<RequestBody['fields']>
}

/** Changes what must change in a JSON body; every other byte stays, unless it holds seals. */
export function writeNative(body: JsonBody, changes: NativeChanges): NativeBody {
  const { model, isRenamed, quirks } = changes
  const fields = { ...body.facts.amend, ...(isRenamed ? body.rename(model) : {}) }
  const { mayHaveEmptyParts: mended } = changes
  const empty = (mended && protocols[mended].emptyParts?.(body.value())) ?? []
  const kept = withoutCuts(body, [...changes.cuts, ...empty])
  if (hasSeals(body)) {
    const value = embedJson(new TextDecoder().decode(kept.bytes)) ?? kept.value()
    const stripped = stripSeals(value, { model, quirks: new Set(quirks) })
    if (stripped.dropped.length > 0) {
      const bytes = new TextEncoder().encode(JSON.stringify({ ...stripped.body, ...fields }))
      return { bytes, dropped: stripped.dropped }
    }
  }
  return { bytes: replaceFields(kept.bytes, kept.fields, fields), dropped: [] }
}

const writtenSeals = sealBeginnings.map((beginning) => Buffer.from(`"${beginning}`))

/** It holds another vendor's reasoning, sealed by this gateway: its own vendor would refuse it. */
export function hasSeals({ bytes }: Pick<RequestBody, 'bytes'>): boolean {
  for (const beginning of writtenSeals) if (bytes.includes(beginning)) return true
  return false
}

function withoutCuts(body: JsonBody, paths: readonly Path[]): Omit<JsonBody, 'rename' | 'facts'> {
  if (paths.length === 0) return body
  const bytes = cutMembers(body.bytes, wholeMembers(body.value(), paths))
  const value = () => JSON.parse(bytes.toString()) as JsonObject
  return { bytes, value, fields: findFields(bytes, unlimited) }
}

/** It was scanned before. */
const unlimited = { maxDepth: Number.POSITIVE_INFINITY, maxValues: Number.POSITIVE_INFINITY }

const emptyObject = Buffer.from('{}')

/** A body with more is parsed on the body thread instead. */
const mostLooked = 10_000

/** Whether a list may hold an empty object; most bodies have none and are not parsed for it. */
export function hasEmptyItems(bytes: Buffer): boolean {
  let looked = 0
  for (let at = bytes.indexOf(emptyObject); at !== -1; at = bytes.indexOf(emptyObject, at + 2)) {
    if (++looked > mostLooked) return true
    let before = at - 1
    while (isSpace(bytes[before])) before--
    if (bytes[before] === comma || bytes[before] === openArray) return true
  }
  return false
}

/** Paths by their common beginnings. */
export interface PathTree {
  isEnd: boolean
  readonly inside: Map<string | number, PathTree>
}

interface Member {
  readonly key: string | number
  readonly start: number
  readonly end: number
  readonly valueStart: number
}

interface Span {
  readonly start: number
  readonly end: number
}

/** The JSON text without the members at these paths; every other byte stays, but for commas. */
export function cutMembers(bytes: Buffer, paths: readonly Path[]): Buffer {
  const root = pathTree(paths)
  const spans: Span[] = []
  collect(bytes, skipSpace(bytes, 0), root, spans)
  const parts: Buffer[] = []
  let from = 0
  for (const { start, end } of spans) {
    parts.push(bytes.subarray(from, start))
    from = end
  }
  parts.push(bytes.subarray(from))
  return Buffer.concat(parts)
}

function collect(bytes: Buffer, start: number, cut: PathTree, spans: Span[]): void {
  if (bytes[start] !== openObject && bytes[start] !== openArray) return
  const members = membersOf(bytes, start)
  members.forEach(({ key, start: from, end, valueStart }, index) => {
    const inside = cut.inside.get(key)
    if (inside === undefined) return
    if (!inside.isEnd) {
      collect(bytes, valueStart, inside, spans)
      return
    }
    const next = members[index + 1]
    if (next !== undefined) {
      spans.push({ start: from, end: next.start })
      return
    }
    // The last member goes with the comma before it, if one is left.
    let before = index - 1
    while (before >= 0 && cut.inside.get(members[before]?.key ?? -1)?.isEnd) before--
    const kept = members[before]
    if (kept === undefined) spans.push({ start: from, end })
    else if (before === index - 1) spans.push({ start: kept.end, end })
    else {
      // An earlier cut ended behind its own comma.
      const first = members[before + 1]
      while ((spans.at(-1)?.start ?? -1) >= (first?.start ?? 0)) spans.pop()
      spans.push({ start: kept.end, end })
    }
  })
}

function membersOf(bytes: Buffer, open: number): readonly Member[] {
  const isObject = bytes[open] === openObject
  const members: Member[] = []
  let at = skipSpace(bytes, open + 1)
  while (at < bytes.length && bytes[at] !== closeObject && bytes[at] !== closeArray) {
    const start = at
    let key: string | number = members.length
    if (isObject) {
      const nameEnd = stringEnd(bytes, at)
      key = readName(bytes, at, nameEnd)
      at = skipSpace(bytes, skipSpace(bytes, nameEnd + 1) + 1)
    }
    const end = valueEnd(bytes, at)
    members.push({ key, start, end, valueStart: at })
    at = skipSpace(bytes, end)
    if (bytes[at] === comma) at = skipSpace(bytes, at + 1)
  }
  return members
}

function valueEnd(bytes: Buffer, start: number): number {
  let depth = 0
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === quote) at = stringEnd(bytes, at)
    else if (byte === openObject || byte === openArray) depth++
    else if (byte === closeObject || byte === closeArray) {
      if (depth === 0) return at
      depth--
    } else if (depth > 0 || (byte !== comma && !isSpace(byte))) continue
    else return at
    if (depth === 0) return at + 1
  }
  return bytes.length
}

function skipSpace(bytes: Buffer, from: number): number {
  let at = from
  while (at < bytes.length && isSpace(bytes[at])) at++
  return at
}

const isSpace = (byte: number | undefined) => byte !== undefined && byte <= 0x20

const quote = 0x22
const comma = 0x2c
const openArray = 0x5b
const closeArray = 0x5d
const openObject = 0x7b
const closeObject = 0x7d

/** Fields about tools only, which are refused without tools. */
const ofTools = ['tool_choice', 'parallel_tool_calls', 'toolConfig', 'tool_config']

/** Widens paths to emptied lists and objects, and to the fields about removed tools. */
function wholeMembers(body: JsonObject, paths: readonly Path[]): readonly Path[] {
  const root = pathTree(paths)
  const found: Path[] = []
  const gather = (node: PathTree, value: unknown, path: Path): void => {
    for (const [step, inner] of node.inside) {
      const at = [...path, step]
      const member = isHolder(value) ? value[step] : undefined
      if (isWhole(inner, member)) found.push(at)
      else gather(inner, member, at)
    }
  }
  gather(root, body, [])
  const hasNoTools = found.some(([first, ...rest]) => first === 'tools' && rest.length === 0)
  if (!hasNoTools) return found
  const others = found.filter(([first]) => !ofTools.includes(`${first}`))
  return [...others, ...ofTools.filter((name) => body[name] !== undefined).map((name) => [name])]
}

export function pathTree(paths: readonly Path[]): PathTree {
  const root: PathTree = { isEnd: false, inside: new Map() }
  for (const path of paths) {
    let at = root
    for (const step of path) {
      const next = at.inside.get(step) ?? { isEnd: false, inside: new Map() }
      at.inside.set(step, next)
      at = next
    }
    at.isEnd = true
  }
  return root
}

function isWhole(node: PathTree, value: unknown): boolean {
  if (node.isEnd) return true
  if (node.inside.size < sizeOf(value) || !isHolder(value)) return false
  for (const [step, inner] of node.inside) if (!isWhole(inner, value[step])) return false
  return true
}

const isHolder = (value: unknown): value is { readonly [step: string | number]: unknown } =>
  typeof value === 'object' && value !== null

function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return value.length
  return isJsonObject(value) ? Object.keys(value).length : Number.POSITIVE_INFINITY
}
