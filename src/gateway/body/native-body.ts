import { embedJson } from '../../protocols/canonical/json-text.ts'
import type { Quirk } from '../../protocols/canonical/quirks.ts'
import { protocols } from '../../protocols/index.ts'
import type { JsonObject, ProtocolName } from '../../protocols/protocol.ts'
import type { Path } from '../../protocols/request-extras.ts'
import { sealBeginnings, stripSeals } from '../../protocols/translation/seal.ts'
import type { RequestBody } from './body.ts'
import { cutMembers, wholeMembers } from './cut-members.ts'
import { findFields, replaceFields } from './json-fields.ts'

/** How the body of a request becomes the one that its own protocol's upstream gets. */
export interface NativeChanges {
  /** The upstream's name of the model, which also decides what stands in for a seal. */
  readonly model: string
  /** The body names the model by another name, or may do so. */
  readonly isRenamed: boolean
  readonly quirks: readonly Quirk[]
  readonly cuts: readonly Path[]
  /** The protocol of a body that may hold empty parts: they do not pass either. */
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

/** Changes what must change in a JSON body; every other byte stays, unless there are seals in it. */
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

/** Another vendor's reasoning is in it, sealed by this gateway: its own vendor would refuse it. */
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

/** It was looked at before. */
const unlimited = { maxDepth: Number.POSITIVE_INFINITY, maxValues: Number.POSITIVE_INFINITY }

const emptyObject = Buffer.from('{}')

/** A body that is full of them is parsed, beside: to look at each here would keep all others waiting. */
const mostLooked = 10_000

/**
 * Whether an empty object may be an item of a list; most bodies have none and are not parsed for
 * it.
 */
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

const isSpace = (byte: number | undefined) => byte !== undefined && byte <= 0x20
const comma = 0x2c
const openArray = 0x5b
