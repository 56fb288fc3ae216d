import { expect, test } from 'bun:test'
import { failureOf } from '../../sdk-support.ts'
import type { Bench } from '../bench.ts'
import { type PairNames, pairOf, refused } from '../pair.ts'
import { brokenWords, halfText, longWords } from '../script.ts'

const both = [
  ['whole', false],
  ['streamed', true],
] as const

/** What goes wrong upstream, and a client that leaves. */
export function faultScenes(bench: () => Bench, names: PairNames): void {
  const pair = () => pairOf(bench(), names)
  const free = { amount_nano: 0, client_protocol: names.client }

  test.each(both)(
    'a request that the upstream refuses is the SDK’s error, %s',
    async (_, stream) => {
      const record = { ...free, status: 400, ending: 'refused' }
      const fault = await refused(pair(), 'play long: …', { stream }, record)
      expect(fault).toMatchObject({ name: pair().client.faults[400], status: 400 })
      expect(fault.message).toContain(longWords)
    },
  )

  test.each(both)('an upstream at its limit is the SDK’s error, %s', async (_, stream) => {
    const record = { ...free, status: 429, ending: 'failed' }
    const fault = await refused(pair(), 'play limited: …', { stream }, record)
    expect(fault).toMatchObject({ name: pair().client.faults[429], status: 429 })
    expect(fault.message).not.toContain('4711')
    expect(pair().client.line.headers.get('retry-after')).toBe('7')
  })

  test.each(both)('a failing upstream is the SDK’s error, %s', async (_, stream) => {
    const record = { ...free, status: 502, ending: 'failed' }
    const fault = await refused(pair(), 'play failing: …', { stream }, record)
    expect(fault).toMatchObject({ name: pair().client.faults[502], status: 502 })
    expect(fault.message).toContain('The upstream failed.')
    expect(fault.message).not.toContain('10.1.2.3')
  })

  test('S3: an error inside of the stream is the SDK’s error, behind what came', async () => {
    let text = ''
    const onText = (piece: string) => {
      text += piece
    }
    const record = { client_protocol: names.client, status: 200, ending: 'failed' }
    const fault = await refused(pair(), 'play breaks: …', { stream: true, onText }, record)
    expect(text).toBe(halfText)
    expect(fault.name).toBe(pair().client.faults.inside)
    expect(fault.message).toContain(brokenWords)
    expect(await pair().client.line.violations('error')).toEqual([])
  })

  test('S7: when the client leaves, no more is sent, and what its answer used is charged', async () => {
    const { client, model } = pair()
    const controller = new AbortController()
    let pieces = 0
    const onText = () => {
      if (++pieces === 5) controller.abort()
    }
    const wish = { stream: true, signal: controller.signal, onText }
    await failureOf(() => client.open(model, wish).say('play slow: …'))
    expect(pieces).toBeLessThan(100)
    bench().expectRecord(client.line.headers.get('x-request-id'), {
      client_protocol: names.client,
      upstream_protocol: names.upstream,
      ending: 'client_left',
    })
  })
}
