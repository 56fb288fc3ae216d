import { describe, expect, test } from 'bun:test'
import { TranslationError } from '../../../src/protocols/canonical/error.ts'
import { isJsonObject } from '../../../src/protocols/json.ts'
import type { Fault, JsonObject } from '../../../src/protocols/protocol.ts'
import { pathText } from '../../../src/protocols/request-extras.ts'
import { requestFeatures } from '../../../src/protocols/translation/features.ts'
import { expectedRequest } from './expectation.ts'
import {
  bare,
  optionsFor,
  type Pair,
  pairs,
  protocols,
  type RecordedRequest,
  recordedRequests,
} from './pairs.ts'
import { type Tally, tallies } from './recorded-tallies.ts'
import { schemaFaults, withoutSchemas } from './schema-expectation.ts'
import { sendRequest } from './send-request.ts'

const count = (counts: Record<string, number>, key: string) => {
  counts[key] = (counts[key] ?? 0) + 1
}

/** The feature that a refusal tells of. */
function featureOf({ message }: Fault): string {
  const said = message.toLowerCase()
  const found = Object.entries(requestFeatures).find(([, { title }]) =>
    said.includes(`(${title.toLowerCase()})`),
  )
  return found?.[0] ?? (/schema|any properties/.test(said) ? 'a schema' : message)
}

/** What a path of a client's body leads to; gemini's clients write names in either way. */
function follow(body: JsonObject, path: string): unknown {
  let value: unknown = body
  for (const step of path.split(/[.[\]]+/).filter(Boolean)) {
    const snake = step.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    if (Array.isArray(value)) value = value[Number(step)]
    else value = isJsonObject(value) ? (value[step] ?? value[snake]) : undefined
  }
  const other = others[path]
  return value === undefined && other !== undefined ? follow(body, other) : value
}

/** Where a client may have asked for the same. */
const others: { readonly [path: string]: string } = {
  top_logprobs: 'include',
  'reasoning.summary': 'reasoning.generate_summary',
  // Of the whole request: for its last block.
  'messages[0].content[0].cache_control': 'cache_control',
}

/** Tools of the vendor's that a request does not force, as the gateway reads it. */
function optionalTools(body: JsonObject, { client }: Pair): ReadonlySet<string> | undefined {
  const { extras } = protocols[client].generation.read(body)
  const tools = extras?.hostedTools.filter(({ isForced }) => !isForced)
  return tools && new Set(tools.map(({ path }) => pathText(path)))
}

/** Takes a request over; what it throws or reports is a failure. */
function check(recorded: RecordedRequest, pair: Pair, tally: Tally): readonly string[] {
  const { decoded, body } = recorded
  try {
    const {
      left,
      fitted,
      dropped,
      body: written,
      again,
    } = sendRequest(decoded, pair, optionalTools(body, pair))
    const expected = expectedRequest(fitted, pair.upstream, optionsFor(pair.upstream).model)
    const fault = protocols[pair.upstream].generation.check(written)
    if (fault !== undefined) return [fault.message]
    expect(bare(withoutSchemas(again))).toEqual(bare(withoutSchemas(expected)))
    const faults = [...schemaFaults(fitted, again, pair.upstream)]
    for (const at of dropped) {
      if (follow(body, at) === undefined) faults.push(`${at} is nothing in the client's body`)
      count(tally.left, at.replaceAll(/\d+/g, ''))
    }
    if (dropped.length > 0) tally.dropped++
    else {
      tally.equal++
      const isLost = left.native.some(({ feature }) => {
        return requestFeatures[feature].ways[pair.upstream] !== 'adapted'
      })
      if (isLost || !Bun.deepEquals(left, decoded)) faults.push('left out in silence')
    }
    return faults
  } catch (error) {
    if (!(error instanceof TranslationError)) return [`${error}`]
    count(tally.refused, featureOf(error.fault))
    const { param } = error.fault
    return follow(body, param) === undefined ? [`${param} is nothing in the client's body`] : []
  }
}

describe.skipIf(recordedRequests.length === 0)('every recorded request', () => {
  test('is one that its own protocol takes', () => {
    const counts: Record<string, number> = {}
    for (const { client } of recordedRequests) count(counts, client)
    expect(counts).toEqual({ chat: 224, responses: 190, messages: 172, gemini: 170 })
  })

  test.each(pairs)('from $client on $upstream is equal, or named', (pair) => {
    const tally: Tally = { equal: 0, dropped: 0, left: {}, refused: {} }
    const failures = recordedRequests
      .filter(({ client }) => client === pair.client)
      .flatMap((recorded) => {
        return check(recorded, pair, tally).map((fault) => `${recorded.id}: ${fault}`)
      })
    expect(failures).toEqual([])
    expect<Tally | undefined>(tally).toEqual(tallies[pair.client][pair.upstream])
  })
})
