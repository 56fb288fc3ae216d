import { describe, expect, test } from 'bun:test'
import { createDice } from './dice.ts'
import { mutate } from './mutate.ts'
import { faultsOf } from './report.ts'
import { shrink } from './shrink.ts'
import { createRunner, demand, type Trial } from './trial.ts'
import { checkStreamText } from './well-formed.ts'

/** A trial of the numbers from 0 to 9 in a list of a hundred of them. */
const trialThat = (check: (numbers: readonly number[]) => void): Trial<readonly number[]> => ({
  name: 'requests',
  protocol: 'chat',
  tally: {},
  weight: () => 1,
  make: (dice) => Array.from({ length: 100 }, () => dice.below(10)),
  check,
})

async function findingsOf(check: (numbers: readonly number[]) => void) {
  const runner = createRunner(trialThat(check), 1)
  await runner.advance(20)
  return runner.ran.findings
}

describe('a trial', () => {
  test('finds nothing where nothing is wrong', async () => {
    expect(await findingsOf(() => {})).toEqual([])
  })

  test('shows what was thrown once, with the smallest input that does it', async () => {
    const findings = await findingsOf((numbers) => {
      if (numbers.includes(3) && numbers.includes(7)) throw new TypeError('three and seven')
    })
    expect(findings).toMatchObject([{ index: 0, repeats: 19, trial: 'requests', seed: 1 }])
    expect(findings[0]?.what).toContain('TypeError')
    expect(JSON.parse(findings[0]?.input ?? '').toSorted()).toEqual([3, 7])
    const result = { protocol: 'chat', ran: [], longStreams: [], heap: undefined } as const
    const ran = { trial: 'requests', protocol: 'chat', inputs: 1, cases: 1, ms: 1 } as const
    const [shown] = faultsOf([{ ...result, ran: [{ ...ran, slowestMs: 1, findings, tally: {} }] }])
    expect(shown).toContain('--protocol chat --seed 1 --case requests:0, and in 19 further cases')
  })

  test('tells different faults apart', async () => {
    const findings = await findingsOf(([first = 0]) => {
      demand(first !== 1, 'one')
      demand(first !== 2, 'two')
    })
    expect(findings.map(({ what }) => what).toSorted()).toEqual(['one', 'two'])
  })

  test('finds what gives every object a member, and takes it away again', async () => {
    const findings = await findingsOf((numbers) => {
      if (numbers.length === 100) Object.assign(Object.prototype, { polluted: true })
    })
    expect(findings[0]?.what).toContain('polluted')
    expect('polluted' in {}).toBe(false)
  })

  test('finds what takes too long each time, and not what did once', async () => {
    const wait = (ms: number) => {
      for (const until = performance.now() + ms; performance.now() < until; );
    }
    let times = 0
    const once = createRunner(
      trialThat(() => {
        if (times++ === 0) wait(260)
      }),
      1,
    )
    await once.only(0)
    expect(once.ran.findings).toEqual([])
    const always = createRunner({ ...trialThat(() => wait(260)), make: () => [] }, 1)
    await always.only(0)
    expect(always.ran.findings[0]?.what).toContain('takes more than 250 ms')
  })
})

describe('mutations', () => {
  const material = { parts: ['{"a":[1]}'], names: ['type', 'content'], words: ['text'] }
  const value = { list: [1, 'two', { three: [null] }], text: 'four', deep: { type: 'x' } }
  const mutated = (seed: number) => {
    const copy = structuredClone(value)
    mutate(copy, createDice(seed), material)
    return JSON.stringify(copy)
  }

  test('are the same for the same seed, and others for another', () => {
    const texts = Array.from({ length: 500 }, (_, seed) => mutated(seed))
    expect(Array.from({ length: 500 }, (_, seed) => mutated(seed))).toEqual(texts)
    expect(new Set(texts).size).toBeGreaterThan(250)
    // A small value is now and then swapped with itself.
    expect(texts.filter((text) => text === JSON.stringify(value)).length).toBeLessThan(50)
  })

  test('bring what readers stumble over', () => {
    const all = Array.from({ length: 20_000 }, (_, seed) => mutated(seed)).join('\n')
    for (const part of ['"__proto__":', '1e999', '[[[[', '"tgs1.', '{"a":[1]}', '"constructor":']) {
      expect(all).toContain(part)
    }
  })

  test('never leave half of a character', () => {
    for (let seed = 0; seed < 5_000; seed++) expect(mutated(seed).isWellFormed()).toBe(true)
  })
})

test('a value shrinks to what is needed', async () => {
  const value = { a: [1, { b: 'x'.repeat(100), c: 2 }], d: 'long enough to be cut' }
  const smaller = await shrink(value, async (some) => JSON.stringify(some).includes('"c":2'))
  expect(JSON.stringify(smaller)).toBe('{"a":[{"c":2}]}')
})

describe('a stream is not well-formed', () => {
  const event = (type: string) => `event: ${type}\ndata: {"type":"${type}"}\n\n`
  const bad: readonly (readonly [string, Parameters<typeof checkStreamText>])[] = [
    ['without anything', ['chat', 'sse', '']],
    ['without an end', ['chat', 'sse', 'data: {}\n\n']],
    ['with something behind its end', ['chat', 'sse', 'data: [DONE]\n\ndata: {}\n\n']],
    ['with two ends', ['chat', 'sse', 'data: [DONE]\n\ndata: [DONE]\n\n']],
    ['in the middle of a frame', ['chat', 'sse', 'data: {}\n\ndata: [DONE]\n']],
    ['with a frame that is no JSON', ['chat', 'sse', 'data: {\n\ndata: [DONE]\n\n']],
    ['under another name', ['messages', 'sse', event('message_stop').replace('_stop', '')]],
    ['without names', ['messages', 'sse', 'data: {"type":"message_stop"}\n\n']],
    ['with an end and an error', ['messages', 'sse', event('message_stop') + event('error')]],
    ['as an array that is open', ['gemini', 'json-array', '[{"error":{}}']],
  ]
  test.each(bad.map(([name, args]) => [name, args] as const))('%s', (_name, args) => {
    expect(() => checkStreamText(...args)).toThrow()
  })

  test('and these are', () => {
    checkStreamText('chat', 'sse', 'data: {}\n\ndata: [DONE]\n\n')
    checkStreamText('messages', 'sse', event('ping') + event('message_stop'))
    checkStreamText('gemini', 'json-array', '[{},\r\n{"error":{}}]')
    checkStreamText('gemini', 'sse', 'data: {"error":{}}\r\n\r\n')
  })
})
