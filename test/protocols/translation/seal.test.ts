import { describe, expect, test } from 'bun:test'
import { createSecretBox } from '../../../src/lib/secrets.ts'
import type { AnswerEvent } from '../../../src/protocols/canonical/answer.ts'
import { foldEvents } from '../../../src/protocols/canonical/fold.ts'
import type {
  CanonicalRequest,
  Part,
  ReasoningPart,
} from '../../../src/protocols/canonical/request.ts'
import {
  createEventSealer,
  openRequest,
  sealPrefix,
  sealResponse,
} from '../../../src/protocols/translation/seal.ts'

const sealer = createSecretBox('a secret').texts
const origin = 'messages api.vendor.example'
const elsewhere = 'messages api.other.example'

const thought: ReasoningPart = {
  type: 'reasoning',
  text: 'Let me think about 你好.',
  signature: 'c2lnbmF0dXJl+/=',
}

function sealed(part: ReasoningPart, from = origin): ReasoningPart {
  const answer = { choices: [{ index: 0, parts: [part], finish: { reason: 'stop' as const } }] }
  const [choice] = sealResponse(answer, from, sealer).choices
  return choice?.parts[0] as ReasoningPart
}

function requestOf(...parts: readonly Part[]): CanonicalRequest {
  return {
    model: 'm',
    stream: false,
    turns: [
      { role: 'user', parts: [{ type: 'text', text: 'Hello' }] },
      { role: 'assistant', parts },
      { role: 'user', parts: [{ type: 'text', text: 'Go on' }] },
    ],
    tools: [],
    native: [],
  }
}

const opened = (request: CanonicalRequest, at = origin) => {
  const result = openRequest(request, at, sealer)
  return { parts: result.turns[1]?.parts ?? [], native: result.native, turns: result.turns.length }
}

describe('what a vendor has signed comes back to it', () => {
  const kinds: readonly ReasoningPart[] = [
    thought,
    { type: 'reasoning', text: '', signature: 'opaque', isRedacted: true },
    { type: 'reasoning', text: 'A summary', signature: 'encrypted', id: 'rs_1' },
    { type: 'reasoning', text: '', signature: 'of a call', callId: 'call_1' },
    { type: 'reasoning', text: 'Without any signature' },
  ]
  test.each(kinds)('T8: $signature, byte for byte', (part) => {
    const shown = sealed(part)
    expect(shown.signature).toStartWith(sealPrefix)
    expect(shown.signature).not.toContain(part.signature ?? part.text)
    const isOwn = part.signature === undefined ? true : undefined
    expect(opened(requestOf({ ...shown, at: 'x' })).parts).toEqual([{ ...part, isOwn, at: 'x' }])
  })

  test('also when the client has kept only the seal', () => {
    const { signature } = sealed(thought)
    expect(opened(requestOf({ type: 'reasoning', text: '', signature })).parts).toEqual([thought])
  })

  test('several share one carrier', () => {
    const other = { ...thought, text: 'And more.' }
    const signature = `${sealed(thought).signature}~${sealed(other).signature}`
    const carrier: Part = { type: 'reasoning', text: '', signature, callId: 'call_9' }
    expect(opened(requestOf(carrier)).parts).toEqual([thought, other])
  })

  test('T10: once, where the client sends the text that it showed, too', () => {
    const { signature } = sealed(thought)
    const parts: readonly Part[] = [
      { type: 'reasoning', text: thought.text },
      { type: 'reasoning', text: '', signature },
      { type: 'text', text: 'Answer' },
    ]
    expect(opened(requestOf(...parts)).parts).toEqual([thought, { type: 'text', text: 'Answer' }])
  })

  test('equal reasoning gives equal seals: the prompt stays the same from turn to turn', () => {
    expect(sealed(thought).signature).toBe(sealed(thought).signature ?? '')
  })
})

describe('nobody else gets it', () => {
  const { signature = '' } = sealed(thought)
  const changed = `${signature.slice(0, -4)}${signature.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`
  const foreign = createSecretBox('another secret').texts.seal('{"origin":"x","text":"y"}')

  test.each([
    ['sealed by another vendor', sealed(thought, elsewhere).signature],
    ['changed', changed],
    ['sealed by another gateway', `${sealPrefix}${foreign}`],
    ['a native signature of another vendor', 'c2lnbmF0dXJl'],
    ['cut in half', signature.slice(0, signature.length / 2)],
    ['no seal at all', sealPrefix],
  ])('%s: the signature is left out, and the text stays unsigned', (_name, given = '') => {
    const { parts } = opened(requestOf({ ...thought, signature: given, at: 'p' }))
    expect(parts).toEqual([{ type: 'reasoning', text: thought.text, at: 'p' }])
  })

  test('what has no text of its own is named', () => {
    const hidden = sealed({ type: 'reasoning', text: '', signature: 's' }, elsewhere)
    const { parts, native, turns } = opened(
      requestOf({ ...hidden, at: 'messages[1].content[0]' }, { type: 'text', text: 'Answer' }),
    )
    expect(parts).toEqual([{ type: 'text', text: 'Answer' }])
    expect(native).toEqual([{ feature: 'foreign_signature', at: 'messages[1].content[0]' }])
    expect(turns).toBe(3)
  })

  test('a turn that was nothing else is gone, and its neighbours are one', () => {
    const hidden = sealed({ type: 'reasoning', text: '', signature: 's' }, elsewhere)
    const result = openRequest(requestOf(hidden), origin, sealer)
    expect(result.turns).toEqual([
      {
        role: 'user',
        parts: [
          { type: 'text', text: 'Hello' },
          { type: 'text', text: 'Go on' },
        ],
      },
    ])
  })
})

test('a stream is sealed as its whole answer is', () => {
  const seal = createEventSealer(origin, sealer)
  const events: readonly AnswerEvent[] = [
    { type: 'start' },
    { type: 'reasoning-start', id: 'a', choice: 0 },
    { type: 'reasoning-delta', id: 'a', text: 'Let me think ' },
    { type: 'reasoning-start', id: 'b', choice: 0 },
    { type: 'reasoning-delta', id: 'a', text: 'about 你好.' },
    { type: 'reasoning-end', id: 'b' },
    { type: 'reasoning-end', id: 'a', signature: thought.signature, itemId: 'rs_1', callId: 'c' },
    { type: 'finish', choice: 0, reason: 'stop' },
    { type: 'end' },
  ]
  const [first, second] = foldEvents(events.map(seal)).choices[0]?.parts ?? []
  expect(first).toEqual(sealed({ ...thought, id: 'rs_1', callId: 'c' }))
  // Nothing was in it.
  expect(second).toEqual({ type: 'reasoning', text: '' })
})
