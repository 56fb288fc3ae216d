import { expect, test } from 'bun:test'
import { pixel } from '../../sdk-support.ts'
import type { Bench } from '../bench.ts'
import { ask, converse, type PairNames, pairOf, refused } from '../pair.ts'

/** Images, by their bytes and by their address. */
export function imageScenes(bench: () => Bench, names: PairNames): void {
  const pair = () => pairOf(bench(), names)
  // Nobody listens there: only the gateway of a vendor that wants bytes would try to fetch it.
  const url = 'http://127.0.0.1:2/gate.png'

  test('T15: an image arrives byte by byte', async () => {
    const { text } = await ask(pair(), ['play image: What is this?', { data: pixel }])
    expect(text).toBe('the pixel')
  })

  if (names.client !== 'chat') {
    test('T15: an image as the result of a tool arrives', async () => {
      const conversation = converse(pair(), { tools: true })
      await conversation.say('play picture: What is the weather like in Paris?')
      const { text } = await conversation.results({ data: pixel })
      expect(text).toBe('the pixel')
    })
  }

  if (names.upstream !== 'gemini') {
    test('T15: the address of an image arrives', async () => {
      const { text } = await ask(pair(), ['play image: What is this?', { url }])
      expect(text).toBe(url)
    })
    return
  }

  test('T15, X1: the address of an image in this network is refused by name', async () => {
    const before = pair().upstream.requests()
    const fault = await refused(
      pair(),
      ['play image: What is this?', { url }],
      {},
      {
        ending: 'refused',
        amount_nano: 0,
      },
    )
    expect(fault).toMatchObject({ name: pair().client.faults[400], status: 400 })
    expect(fault.message).toMatch(/(messages\[0\]|input\[0\])\.content\[1\]: .* no public address/)
    expect(pair().upstream.requests()).toBe(before)
  })
}
