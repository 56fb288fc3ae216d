import { describe, expect, test } from 'bun:test'
import type { AnswerEvent } from '../../../src/protocols/canonical/answer.ts'
import { foldEvents } from '../../../src/protocols/canonical/fold.ts'
import { emptyUsage } from '../../../src/protocols/canonical/usage.ts'
import { createStopFilter } from '../../../src/protocols/translation/answer-filter.ts'
import { startCpuTime } from '../../support/cpu-time.ts'
import { createSeeded } from './seeded.ts'

const usage = { ...emptyUsage, outputTokens: 4 }

/** What becomes of an answer whose text comes in these pieces. */
function cut(pieces: readonly string[], sequences: readonly string[]) {
  const filter = createStopFilter(sequences)
  const events: readonly AnswerEvent[] = [
    { type: 'start', id: 'r' },
    { type: 'text-start', id: 't', choice: 0 },
    ...pieces.map((text): AnswerEvent => ({ type: 'text-delta', id: 't', text })),
    { type: 'text-end', id: 't' },
    { type: 'finish', choice: 0, reason: 'length' },
    { type: 'end', usage },
  ]
  const out = events.map((event) => filter.push(event))
  const { choices, usage: told } = foldEvents(out.flat())
  const [part] = choices[0]?.parts ?? []
  return {
    text: part?.type === 'text' ? part.text : undefined,
    finish: choices[0]?.finish,
    told,
    out,
    filter,
  }
}

/** The same by the plainest of ways: the text up to the sequence that is complete first. */
function expected(text: string, sequences: readonly string[]) {
  for (let end = 1; end <= text.length; end++) {
    const found = sequences
      .filter((sequence) => sequence !== '' && text.slice(0, end).endsWith(sequence))
      .sort((a, b) => b.length - a.length)[0]
    if (found !== undefined) return { text: text.slice(0, end - found.length), found }
  }
  return { text, found: undefined }
}

describe('an answer that ends at a stop sequence', () => {
  test.each<[string, readonly string[], string, string | undefined]>([
    ['one END two', ['END'], 'one ', 'END'],
    ['one two', ['END'], 'one two', undefined],
    ['ENEND', ['END'], 'EN', 'END'],
    ['a\n\nb', ['\n\n', '\n'], 'a', '\n'],
    ['xabcabd', ['abcabd'], 'x', 'abcabd'],
    ['abcabcabd', ['abcabd', 'zzz'], 'abc', 'abcabd'],
    ['xbc', ['abc', 'bc', 'c'], 'x', 'bc'],
    ['END', ['END'], '', 'END'],
    ['🙂🙃', ['🙃'], '🙂', '🙃'],
    ['text', [''], 'text', undefined],
  ])('%j with %j', (given, sequences, text, stopSequence) => {
    for (let size = 1; size <= given.length; size++) {
      const pieces = given.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
      const { text: said, finish, told } = cut(pieces, sequences)
      const reason = stopSequence === undefined ? 'length' : 'stop'
      expect({ said, ...finish }).toEqual({ said: text, reason, stopSequence })
      expect(told).toEqual(usage)
    }
  })

  test('random texts, sequences and pieces: the same as by looking at every end', () => {
    for (let seed = 0; seed < 3_000; seed++) {
      const { pick, once } = createSeeded(seed)
      const word = (length: number) => Array.from({ length }, () => pick(['a', 'b', 'c'])).join('')
      const sequences = Array.from({ length: pick([1, 2, 4]) }, () => word(pick([1, 2, 3, 5, 7])))
      const pieces = Array.from({ length: 12 }, () => (once(5) ? '' : word(pick([1, 2, 4]))))
      const { text, finish } = cut(pieces, sequences)
      const plain = expected(pieces.join(''), sequences)
      expect({ seed, text, found: finish?.stopSequence }).toEqual({ seed, ...plain })
    }
  })

  test('only what may be a beginning of a sequence waits', () => {
    const { out } = cut(['Hello', ' E', 'Nd. ', 'E'], ['END'])
    const texts = out.map((events) =>
      events.map((event) => (event.type === 'text-delta' ? event.text : event.type)).join('|'),
    )
    expect(texts.slice(2, 7)).toEqual(['Hello', ' ', 'ENd. ', '', 'E|text-end'])
  })

  test('nothing follows the cut, not even calls; blocks that are open are closed', () => {
    const filter = createStopFilter(['END'])
    const call = { callId: 'c', name: 'f', kind: 'function' } as const
    const push = (event: AnswerEvent) => filter.push(event).map(({ type }) => type)
    push({ type: 'text-start', id: 't', choice: 0 })
    push({ type: 'tool-call-start', id: 'a', choice: 0, ...call })
    expect(filter.isAtStop?.()).toBeFalse()
    const types = push({ type: 'text-delta', id: 't', text: 'x END y' })
    expect(types).toEqual(['text-delta', 'text-end', 'tool-call-end'])
    expect(filter.isAtStop?.()).toBeTrue()
    expect(push({ type: 'text-delta', id: 't', text: 'more' })).toEqual([])
    expect(push({ type: 'tool-call-start', id: 'b', choice: 0, ...call })).toEqual([])
    expect(push({ type: 'tool-call-end', id: 'b' })).toEqual([])
    expect(filter.push({ type: 'finish', choice: 0, reason: 'tool-calls' })).toEqual([
      { type: 'finish', choice: 0, reason: 'stop', stopSequence: 'END' },
    ])
  })

  test('sequences in reasoning and in arguments are none', () => {
    const filter = createStopFilter(['END'])
    filter.push({ type: 'reasoning-start', id: 'r', choice: 0 })
    filter.push({ type: 'reasoning-delta', id: 'r', text: 'END' })
    expect(filter.isAtStop?.()).toBeFalse()
  })

  test('it can be closed before its upstream has ended', () => {
    const { filter } = cut(['aEND'], ['END'])
    expect(filter.close?.(usage)).toEqual([
      { type: 'finish', choice: 0, reason: 'stop', stopSequence: 'END' },
      { type: 'end', usage },
    ])
  })

  test('sequences made to be almost found take time in proportion', () => {
    const sequences = Array.from({ length: 64 }, (_, at) => `${'a'.repeat(990)}${at}`)
    const cpuMs = startCpuTime()
    cut(
      Array.from({ length: 2_000 }, () => 'a'.repeat(20)),
      sequences,
    )
    expect(cpuMs()).toBeLessThan(3_000)
  })
})
