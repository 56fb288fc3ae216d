import { describe, expect, test } from 'bun:test'
import type { Quirk } from '../../../src/protocols/canonical/quirks.ts'
import type { CanonicalRequest } from '../../../src/protocols/canonical/request.ts'
import { chatCodec } from '../../../src/protocols/chat/index.ts'
import { isJsonObject } from '../../../src/protocols/json.ts'
import { recordings } from '../../support/recordings.ts'
import { bare, options } from './codec-scene.ts'

const requests = recordings.flatMap(({ id, protocol, request }) =>
  protocol === 'chat' && isJsonObject(request) ? [{ id, request }] : [],
)
const target = { model: 'path', stream: false }

/** An upstream that takes what of a request OpenAI does not. */
const generous: readonly Quirk[] = ['reasoning_content', 'cache_control']

/** What chat has no place for: it comes back otherwise, or not at all. */
function asChatHasIt(request: CanonicalRequest): unknown {
  const turns = request.turns.map((turn) => ({
    ...turn,
    parts: turn.parts.map((part) => {
      // Signatures have no place in what goes upstream, and files must have a name.
      if (part.type === 'reasoning') return { ...part, signature: undefined, id: undefined }
      return part.type === 'document' ? { ...part, title: part.title ?? 'document.pdf' } : part
    }),
  }))
  const isAuto = request.reasoning?.amount?.type === 'auto'
  return bare({ ...request, turns, native: [], reasoning: isAuto ? undefined : request.reasoning })
}

describe.skipIf(requests.length === 0)('recorded chat requests', () => {
  test('are the same when they are written and read again', () => {
    expect(requests.length).toBeGreaterThanOrEqual(224)
    for (const { id, request } of requests) {
      const decoded = chatCodec.decodeRequest(request, target)
      const body = chatCodec.encodeRequest(decoded, {
        ...options(...generous),
        model: decoded.model,
      })
      const again = chatCodec.decodeRequest(body, target)
      const read = bare({ ...again, native: [] })
      expect({ id, request: read }).toEqual({ id, request: asChatHasIt(decoded) })
    }
  })

  test('use of what only this protocol has is noted, and nothing else', () => {
    const uses = requests.flatMap(({ request }) => chatCodec.decodeRequest(request, target).native)
    const places = uses.map(({ feature, at }) => `${feature} ${at.replace(/\d+/g, 'n')}`)
    expect([...new Set(places)].sort()).toEqual([
      'hosted_tool tools[n]',
      'hosted_tool web_search_options',
      'unknown_field clear_thinking',
      'unknown_field models',
      'unknown_field moderation',
      'unknown_field provider',
      'unknown_field reasoning_format',
      'unknown_field search_settings',
      'unknown_field transforms',
    ])
  })

  test('R8: of a growing conversation each is the beginning of the next', () => {
    for (const { id, request } of requests) {
      const decoded = chatCodec.decodeRequest(request, target)
      const write = (turns: CanonicalRequest['turns']) =>
        JSON.stringify(chatCodec.encodeRequest({ ...decoded, turns }, options(...generous)))
      const whole = write(decoded.turns)
      decoded.turns.forEach((_, count) => {
        const shorter = write(decoded.turns.slice(0, count))
        expect({ id, begins: whole.startsWith(shorter.replace(/\]\}$/, '')) }).toEqual({
          id,
          begins: true,
        })
      })
    }
  })
})
