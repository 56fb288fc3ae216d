import { describe, expect, test } from 'bun:test'
import type {
  AnswerEvent,
  AnswerPart,
  FinishReason,
} from '../../../src/protocols/canonical/answer.ts'
import { foldEvents } from '../../../src/protocols/canonical/fold.ts'
import { emptyUsage } from '../../../src/protocols/canonical/usage.ts'
import {
  createJsonFilter,
  filterResponse,
} from '../../../src/protocols/translation/answer-filter.ts'
import { startCpuTime } from '../../support/cpu-time.ts'

const usage = { ...emptyUsage, inputTokens: 3, outputTokens: 4 }

/** What becomes of an answer of these parts, whole. */
function whole(parts: readonly AnswerPart[], reason: FinishReason = 'stop', takesArrays = false) {
  const response = { id: 'r', choices: [{ index: 0, parts, finish: { reason } }], usage }
  return filterResponse(response, createJsonFilter(takesArrays))
}
const text = (said: string): AnswerPart => ({ type: 'text', text: said })
const call: AnswerPart = {
  ...{ type: 'tool-call', callId: 'c', name: 'look' },
  ...{ kind: 'function', input: '{}' },
}
const said = (...parts: readonly AnswerPart[]) => whole(parts).choices[0]?.parts

describe('an answer that shall be JSON', () => {
  test.each<[string, string]>([
    ['{"a":1}', '{"a":1}'],
    ['```json\n{"a":1}\n```', '{"a":1}'],
    ['Here it is:\n\n{"a":"} \\" {"}\nDone {"b":2}.', '{"a":"} \\" {"}'],
    ['Use {braces} so: { "a": [1, {"b": null}] }', '{ "a": [1, {"b": null}] }'],
    ['{}', '{}'],
    ['  {\n  "a": 1\n}\n', '{\n  "a": 1\n}'],
  ])('%j is %j', (given, json) => {
    expect(said(text(given))).toMatchObject([{ type: 'text', text: json }])
    const { usage: told, id, error } = whole([text(given)])
    expect({ told, id, error }).toEqual({ told: usage, id: 'r', error: undefined })
  })

  test.each<[string, string]>([
    ['Sorry, I will not.', 'It begins: \\"Sorry, I will not.\\".'],
    ['', 'It is empty.'],
    ['{"a": 1', 'It begins: '],
    ['{"a": undefined}', 'It begins: '],
    ['[1, 2]', 'It begins: '],
    ['"text"', 'It begins: '],
    ['x'.repeat(1_000), `It begins: \\"${'x'.repeat(80)}\\".`],
  ])('%j is none: an error that says what came', (given, why) => {
    const { error } = whole([text(given)])
    expect(error).toMatchObject({ status: 502, code: 'upstream_invalid' })
    expect(JSON.stringify(error?.message)).toContain(why)
  })

  test('an array is as good for those who may get one', () => {
    const list = (given: string) => whole([text(given)], 'stop', true)
    expect(list('So: [{"a":1}, 2] there').choices[0]?.parts).toMatchObject([
      { text: '[{"a":1}, 2]' },
    ])
    expect(list('["a"]').error).toBeUndefined()
    expect(list('none [at all]').error).toBeDefined()
  })

  test('text beside calls is as it was said', () => {
    const parts = [text('I look {first}.'), call]
    expect(whole(parts, 'tool-calls').choices[0]?.parts).toMatchObject(parts)
    expect(whole([call, text('And now?')], 'tool-calls').error).toBeUndefined()
  })

  test.each<FinishReason>(['length', 'refusal', 'filter', 'pause', 'failed'])(
    'one that ends with %s promises nothing',
    (reason) => {
      for (const given of ['I can not', '{"a": [1,']) {
        const { choices, error } = whole([text(given)], reason)
        expect(error).toBeUndefined()
        expect(choices[0]?.parts).toMatchObject([{ text: given }])
      }
    },
  )

  test('JSON may come in several blocks, behind reasoning', () => {
    const parts: AnswerPart[] = [
      { type: 'reasoning', text: 'hm', signature: 's' },
      text('First: '),
      text('{"a":'),
      text('1} so'),
    ]
    expect(said(...parts)).toMatchObject([
      { type: 'reasoning', text: 'hm', signature: 's' },
      { text: '{"a":' },
      { text: '1}' },
    ])
  })
})

describe('streamed', () => {
  const start: readonly AnswerEvent[] = [
    { type: 'start', id: 'r' },
    { type: 'text-start', id: 't', choice: 0 },
  ]
  const ends: readonly AnswerEvent[] = [
    { type: 'text-end', id: 't' },
    { type: 'finish', choice: 0, reason: 'stop' },
    { type: 'end', usage },
  ]
  const streamed = (pieces: readonly string[]) => {
    const deltas = pieces.map((piece): AnswerEvent => {
      return { type: 'text-delta', id: 't', text: piece }
    })
    const filter = createJsonFilter(false)
    return [...start, ...deltas, ...ends].flatMap((event) => filter.push(event))
  }

  test('it is the same in whatever pieces it comes, and goes on as it comes', () => {
    const given = 'Well {x}: ```json\n{ \t"a": "\\"}", "b": {"c": []}}\n``` {"d":1}'
    const json = '{ \t"a": "\\"}", "b": {"c": []}}'
    for (let size = 1; size <= given.length; size++) {
      const pieces = given.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
      const events = streamed(pieces)
      expect(foldEvents(events).choices[0]?.parts).toMatchObject([{ text: json }])
    }
    const pieces = streamed(['{"a"', ':1', '}', '\n```']).filter(
      ({ type }) => type === 'text-delta',
    )
    expect(pieces).toMatchObject([{ text: '{"a"' }, { text: ':1' }, { text: '}' }])
  })

  test('an answer that is none ends in an error, instead of its end', () => {
    expect(streamed(['No', ' way.']).map(({ type }) => type)).toEqual(['start', 'error'])
    const types = streamed(['{"a":', ' oops}']).map(({ type }) => `${type}`)
    expect(types.join(' ')).toBe('start text-start text-delta text-delta text-end error')
  })

  test('text that leads to a call is told before the call', () => {
    const filter = createJsonFilter(false)
    const events: readonly AnswerEvent[] = [
      ...start,
      { type: 'text-delta', id: 't', text: 'I look.' },
      { type: 'text-end', id: 't' },
      { type: 'tool-call-start', id: 'c', choice: 0, callId: 'c', name: 'f', kind: 'function' },
      { type: 'tool-call-end', id: 'c' },
      { type: 'finish', choice: 0, reason: 'tool-calls' },
      { type: 'end' },
    ]
    expect(events.flatMap((event) => filter.push(event))).toEqual([...events])
  })

  test('many spaces behind a bracket, and many brackets, take no time', () => {
    const cpuMs = startCpuTime()
    streamed(Array.from({ length: 20_000 }, () => '{ '))
    streamed(['{', ...Array.from({ length: 20_000 }, () => ' '.repeat(10))])
    expect(cpuMs()).toBeLessThan(2_000)
  })
})
