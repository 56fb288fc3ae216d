import { describe, expect, test } from 'bun:test'
import { readErrorBody } from '../../../src/gateway/failures/error-body.ts'
import { findSign, type Sign, signs } from '../../../src/gateway/failures/failure-signs.ts'
import {
  classifyAnswer,
  classifyError,
  failureClasses,
} from '../../../src/gateway/failures/failures.ts'
import { protocolNames } from '../../../src/protocols/protocol.ts'
import { createDice, type Dice } from '../../fuzz/dice.ts'
import {
  askedModel,
  innerErrors,
  type VendorError,
  vendorErrors,
} from '../../support/vendor-errors.ts'

/** A body as the gateway has it: what is not JSON is nothing. */
const parsed = ({ body }: VendorError) => (typeof body === 'string' ? undefined : body)

describe('what a vendor answers', () => {
  test.each(vendorErrors.map((error) => [error.name, error.status, error] as const))(
    '%s, %p',
    (_name, status, error) => {
      const body = parsed(error)
      expect(classifyAnswer(error.protocol, status, body, askedModel)).toBe(error.expected as never)
      // Streamed by Gemini, an error is an array's only element.
      if (body !== undefined) {
        const listed = classifyAnswer(error.protocol, status, [body], askedModel)
        expect(listed).toBe(error.expected as never)
      }
    },
  )

  test.each(innerErrors.map((error) => [error.name, error] as const))(
    'inside of an answer: %s',
    (_name, { protocol, event, expected }) => {
      expect(classifyError(protocol, event)).toBe(expected)
    },
  )

  const silent = [
    ...[undefined, null, {}, [], 'no', 7, { error: null }, { error: {} }, { error: { code: 200 } }],
    { id: 'resp_1', object: 'response', status: 'failed', error: null, output: [] },
    { choices: [{ finish_reason: 'error' }], usage: { prompt_tokens: 7 } },
  ]
  test('an error that says nothing is a failure', () => {
    for (const event of silent)
      for (const protocol of protocolNames)
        expect([event, classifyError(protocol, event)]).toEqual([event, 'upstream_failed'])
  })

  test('no status but the client’s own is passed on', () => {
    for (let status = 100; status < 1000; status++) {
      const isClients = status >= 400 && status < 499 && !channelStatuses.has(status)
      expect([status, classifyAnswer('chat', status, {}) === undefined]).toEqual([
        status,
        isClients,
      ])
      expect(classifyAnswer('chat', status, undefined)).toBeDefined()
    }
  })

  test('an error inside is read as its own status says, where it names one', () => {
    for (const code of [401, '401', 403, 429, 500, 503, 529] as const) {
      const told = classifyAnswer('chat', Number(code), { error: { message: 'x' } })
      expect(classifyError('chat', { error: { message: 'x', code } })).toBe(told as never)
    }
  })
})

/** Below 499. */
const channelStatuses = new Set([401, 402, 403, 405, 407, 408, 424, 425, 429, 451, 498])

describe('the signs', () => {
  test('every sign decides over some vendor’s error', () => {
    const deciding = new Set<Sign | undefined>()
    for (const error of vendorErrors) {
      const body = parsed(error)
      const told = body === undefined ? undefined : readErrorBody(body)
      deciding.add(findSign(error.protocol, error.status, told))
    }
    deciding.add(findSign('chat', 700, undefined))
    const unused = signs.filter((sign) => !deciding.has(sign))
    expect(unused).toEqual([])
  })

  test('every word of a sign makes its class, at its status', () => {
    for (const sign of signs) {
      for (const word of sign.words ?? []) {
        const body = { error: { code: word.toUpperCase(), message: 'x' } }
        const status = sign.status?.[0] ?? 400
        const name = classifyAnswer(sign.protocol ?? 'chat', status, body)
        expect([word, name ?? 'client_fault']).toEqual([word, sign.is])
      }
    }
  })
})

describe('R6: what a client writes makes no channel cool', () => {
  const messages = new Set(vendorErrors.flatMap((error) => readErrorBody(parsed(error)).messages))
  test.each([400, 404, 409, 413, 422])('a %p that quotes it is passed on', (status) => {
    expect(messages.size).toBeGreaterThan(100)
    for (const message of messages) {
      for (const quoted of [`Invalid value: '${message}'.`, `messages.0: ${message}`]) {
        const bodies = [
          { error: { message: quoted, type: 'invalid_request_error', code: 'invalid_value' } },
          { type: 'error', error: { type: 'invalid_request_error', message: quoted } },
          { error: { code: 400, status: 'INVALID_ARGUMENT', message: quoted } },
          { detail: [{ type: 'value_error', msg: quoted, input: { code: 'invalid_api_key' } }] },
          { error: quoted },
        ]
        for (const body of bodies)
          for (const protocol of protocolNames)
            expect([quoted, classifyAnswer(protocol, status, body, askedModel)]).toEqual([
              quoted,
              undefined,
            ])
      }
    }
  })

  test('a pattern holds at a message’s beginning only', () => {
    for (const { says } of signs) {
      // Alternatives outside of a group would each need a beginning of their own.
      for (const part of topAlternatives(says?.source ?? '^')) expect(part).toStartWith('^')
    }
  })

  test('a response’s own metadata is not read', () => {
    const metadata = { code: 'invalid_api_key', message: 'Incorrect API key provided' }
    const response = { object: 'response', status: 'failed', output: [], error: null, metadata }
    expect(classifyError('responses', response)).toBe('upstream_failed')
    expect(classifyError('responses', { type: 'response.failed', response })).toBe(
      'upstream_failed',
    )
  })

  test('a model that the request names beside the channel’s is its own affair', () => {
    const missing = (name: string) => ({
      error: { message: `The model \`${name}\` does not exist`, code: 'model_not_found' },
    })
    expect(classifyAnswer('chat', 404, missing('painter'), 'writer')).toBeUndefined()
    expect(classifyAnswer('chat', 404, missing('Writer'), 'writer')).toBe('model_unavailable')
    expect(classifyAnswer('chat', 404, missing('painter'))).toBe('model_unavailable')
  })
})

/** Parts of a pattern that are divided by `|` outside of all groups. */
function topAlternatives(source: string): string[] {
  let depth = 0
  const parts = ['']
  for (const piece of source.match(/\\.|\[(?:\\.|[^\]])*\]|./g) ?? []) {
    if (piece === '(') depth++
    if (piece === ')') depth--
    if (piece === '|' && depth === 0) parts.push('')
    else parts[parts.length - 1] += piece
  }
  return parts
}

describe('arbitrary answers', () => {
  const texts = [
    ...['', '{', '[1]', '{"error":{"code":"model_not_found"}}', '{"message":"[{\\"error\\":1}]"}'],
    ...['model: x', 'Overloaded', 'API key not valid', '\u0000\uD800', 'x'.repeat(20_000)],
  ]
  const keys = [
    ...['error', 'errors', 'detail', 'details', 'message', 'msg', 'code', 'type', 'status'],
    ...['response', 'metadata', 'raw', 'innererror', 'base_resp', 'reason', '__proto__', 'x'],
  ]
  const numbers = [0, -1, 1.5, 404, 429, 503, 1e308, Number.MAX_SAFE_INTEGER]

  function make(dice: Dice, depth: number): unknown {
    const kind = dice.below(depth > 5 ? 4 : 7)
    if (kind === 0) return dice.pick([null, true, false])
    if (kind === 1) return dice.pick(numbers)
    if (kind <= 3) return dice.pick(texts)
    const size = dice.below(5)
    if (kind === 4) return Array.from({ length: size }, () => make(dice, depth + 1))
    return Object.fromEntries(
      Array.from({ length: size }, () => [dice.pick(keys), make(dice, depth + 1)]),
    )
  }

  test('are never too much for the table', () => {
    for (let seed = 0; seed < 5000; seed++) {
      const dice = createDice('failures', seed)
      const body = make(dice, 0)
      const protocol = dice.pick(protocolNames)
      const name = classifyAnswer(protocol, 300 + dice.below(300), body, 'test-model')
      for (const found of [name, classifyError(protocol, body)])
        if (found !== undefined) expect(failureClasses).toHaveProperty(found)
    }
  })

  test('nor are those that are nested deeply, or in themselves', () => {
    let nested: unknown = 'API key not valid'
    for (let depth = 0; depth < 50_000; depth++) nested = { error: nested }
    expect(classifyAnswer('chat', 400, nested)).toBeUndefined()
    let quoted = 'x'
    for (let depth = 0; depth < 9; depth++) quoted = JSON.stringify({ error: { message: quoted } })
    expect(classifyAnswer('chat', 400, { error: { message: quoted } })).toBeUndefined()
    const wide = Array.from({ length: 100_000 }, () => ({ error: { message: 'x' } }))
    expect(classifyError('chat', { error: wide })).toBe('upstream_failed')
  })
})
