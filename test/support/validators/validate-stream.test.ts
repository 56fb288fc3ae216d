import { describe, expect, test } from 'bun:test'
import { isJsonObject, objectIn } from '../../../src/protocols/json.ts'
import { protocolNames } from '../../../src/protocols/protocol.ts'
import { hasRecordings, type Recording, recordings } from '../recordings.ts'
import { validateBody, validateStream } from './validate-stream.ts'

/** Who owns each protocol. What others send in it is no measure. */
const vendors = {
  chat: ['openai'],
  responses: ['openai'],
  messages: ['anthropic'],
  gemini: ['google', 'google-vertex'],
} as const

/** Recordings that are not what the vendor answers today to a request for an answer, by their id. */
const excused: readonly [string, string][] = [
  // Before the vendor numbered its events.
  ['test_openai_responses_stream.01', 'sequence_number undefined'],
  ['test_openai_responses_stream.02', 'sequence_number undefined'],
  // Two streams, written one after the other into one file.
  ['anthropic-tool-search-bm25.1.stream', 'a second message_start'],
  // T2: what faulty gateways made of streams.
  ['vai.anthropic.duplicate-message-start', 'a second message_start'],
  ['vai.anthropic.spliced-message-start', 'a second message_start'],
  // Written or shortened by hand.
  ['test_openai_previous_response_id_auto_mode.01', 'status is complete,'],
  ['test_openai_responses_verbosity.01', 'status is complete,'],
  ['anthropic-json-tool.1.full', 'stop_sequence is neither text nor null'],
  ['anthropic-advisor-stop-reasons.full', 'cache_read_input_tokens is no count'],
  ['openai-custom-tool.1.stream', 'no response.custom_tool_call_input.done'],
  // Not yet an answer: it was asked for in the background.
  ['test_background_mode_reasoning_vcr.01', 'status is queued'],
  ['test_background_mode_with_tool_vcr.01', 'status is queued'],
  ['test_background_mode_with_tool_vcr.04', 'status is in_progress'],
  ['test_background_mode_with_tool_vcr.03', 'status is queued'],
]

const notWhole = new Set(['truncated_stream', 'error_mid_stream'])

const answers = protocolNames.flatMap((protocol) => {
  const owners: readonly string[] = vendors[protocol]
  return recordings
    .filter((each) => each.protocol === protocol && owners.includes(each.provider))
    .filter(({ status, features }) => status === 200 && !features.some((tag) => notWhole.has(tag)))
    .filter(({ body }) => !isJsonObject(body) || body.object !== 'response.compaction')
    .map((recording) => ({ protocol, recording, violations: violationsOf(protocol, recording) }))
})

function violationsOf(
  protocol: (typeof protocolNames)[number],
  { request, body, sse }: Recording,
): readonly string[] {
  if (sse === undefined) return validateBody(protocol, body)
  const asked = objectIn(isJsonObject(request) ? request : undefined, 'stream_options')
  // One recording has no request; its stream has usage.
  const usage = asked?.include_usage === true || (request === undefined && /"usage":{/.test(sse))
  return validateStream(protocol, sse, { usage })
}

const excuseOf = ({ id }: Recording) => excused.find(([part]) => id.includes(part))?.[1]

describe.skipIf(!hasRecordings)("the vendors' own recorded answers", () => {
  test('are valid, but for those with an excuse', () => {
    const reported = answers.filter(({ violations }) => violations.length > 0)
    const wrong = reported.filter(({ recording }) => excuseOf(recording) === undefined)
    const told = wrong.map(({ recording, violations }) => [recording.id, violations.slice(0, 3)])
    expect(told).toEqual([])
  })

  test('are reported where they have an excuse, and for that', () => {
    for (const [part, words] of excused) {
      const found = answers.filter(({ recording }) => recording.id.includes(part))
      expect(found.map(({ recording }) => recording.id)).toHaveLength(1)
      expect(found.flatMap(({ violations }) => violations).join('\n')).toContain(words)
    }
  })

  test.each([
    ['chat', 17, 67],
    ['responses', 38, 182],
    ['messages', 29, 179],
    ['gemini', 17, 161],
  ] as const)('of %s are at least %i streams and %i bodies', (protocol, streams, bodies) => {
    const own = answers.filter((each) => each.protocol === protocol)
    const streamed = own.filter(({ recording }) => recording.sse !== undefined)
    expect(streamed.length).toBeGreaterThanOrEqual(streams)
    expect(own.length - streamed.length).toBeGreaterThanOrEqual(bodies)
  })

  test('S3: a stream that the vendor broke off is valid as such', () => {
    const [broken] = recordings.filter(({ id }) =>
      id.startsWith('vai.openai.openai-error.1.stream'),
    )
    expect(validateStream('responses', broken?.sse ?? '', { ending: 'error' })).toEqual([])
    expect(validateStream('responses', broken?.sse ?? '')).not.toEqual([])
  })
})
