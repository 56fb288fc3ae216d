import { describe, expect, test } from 'bun:test'
import type { Channel } from '../../../src/catalog/catalog.ts'
import type { Choice } from '../../../src/gateway/channels/chooser.ts'
import { createRandom } from '../../support/random.ts'
import { channelOf, createScene, failureOf, optionOf } from './choosing-scene.ts'

const draws = 20_000

interface Work {
  readonly weights: readonly number[]
  /** Requests at once. */
  readonly width: number
  /** How many other answers end before one of this channel does, on average. */
  readonly patience?: (channel: Channel) => number
  readonly firstByteMs?: (channel: Channel) => number
  /** Told before each request. */
  readonly step?: (at: number, scene: ReturnType<typeof createScene>) => void
}

/** What share of the answers each channel gives, in a crowd that always asks anew. */
function sharesOf({ weights, width, patience, firstByteMs = () => 100, step }: Work): number[] {
  const scene = createScene()
  const random = createRandom(3)
  const options = weights.map((weight, i) => optionOf(channelOf(i + 1, { weight })))
  const underWay: Choice[] = []
  const counts = weights.map(() => 0)
  /** Takes out an answer that ends now: the oldest, or by chance when they take differently long. */
  const takeEnded = (): Choice | undefined => {
    if (patience === undefined) return underWay.shift()
    for (;;) {
      const at = Math.floor(random() * underWay.length)
      const choice = underWay[at]
      if (choice && random() * patience(choice.option.channel) < 1) return underWay.splice(at, 1)[0]
    }
  }
  for (let i = 0; i < draws; i++) {
    step?.(i, scene)
    const choice = scene.asking(options, { pool: 'offer' }).next()
    if (choice === undefined) throw new Error('Nobody was chosen.')
    underWay.push(choice)
    counts[choice.option.channel.id - 1] = (counts[choice.option.channel.id - 1] ?? 0) + 1
    if (underWay.length < width) continue
    const ended = takeEnded()
    ended?.succeeded(firstByteMs(ended.option.channel))
    ended?.ended()
  }
  return counts.map((count) => count / draws)
}

/** The greatest deviation from what the weights promise, as a part of that. */
function deviation(shares: readonly number[], weights: readonly number[]): number {
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return Math.max(...shares.map((share, i) => Math.abs((share * sum) / (weights[i] ?? 0) - 1)))
}

describe('shares match the weights', () => {
  const all = [
    [1, 1],
    [1, 2, 3],
    [1, 9],
    [5, 5, 5, 5],
    [1, 2, 4, 8],
  ]
  test.each(all.flatMap((weights) => [1, 4, 20, 200].map((width) => [weights, width] as const)))(
    '%p with %d requests at once, within 5 %%',
    (weights, width) => {
      expect(deviation(sharesOf({ weights, width }), weights)).toBeLessThan(0.05)
    },
  )

  test('with answers that end in any order, within 5 %', () => {
    const weights = [1, 2, 3]
    const shares = sharesOf({ weights, width: 200, patience: () => 1 })
    expect(deviation(shares, weights)).toBeLessThan(0.05)
  })

  test('again, after one was dead for a while and has come back', () => {
    const weights = [1, 2, 3]
    let lastDead = 0
    const late: number[] = []
    const scene = createScene()
    const options = weights.map((weight, i) => optionOf(channelOf(i + 1, { weight })))
    const underWay: Choice[] = []
    for (let i = 0; i < draws; i++) {
      scene.pass(5)
      const isDead = i < 2_000
      const chooser = scene.asking(options)
      let choice = chooser.next()
      while (choice && isDead && choice.option.channel.id === 3) {
        lastDead = i
        choice.failed(failureOf('connect_failed'))
        choice.ended()
        choice = chooser.next()
      }
      if (choice === undefined) throw new Error('Nobody was chosen.')
      underWay.push(choice)
      if (i >= 8_000) late.push(choice.option.channel.id)
      if (underWay.length < 200) continue
      const ended = underWay.shift()
      ended?.succeeded(100)
      ended?.ended()
    }
    expect(lastDead).toBeGreaterThan(0)
    const shares = [1, 2, 3].map((id) => late.filter((one) => one === id).length / late.length)
    expect(deviation(shares, weights)).toBeLessThan(0.05)
  })

  test('of each group, whatever a channel has to do for others', () => {
    const { asking } = createScene()
    const options = [1, 2].map((id) => optionOf(channelOf(id)))
    for (let i = 0; i < 500; i++) asking(options.slice(0, 1), { pool: 'alone' }).next()
    for (let i = 0; i < 500; i++) {
      asking([...options.slice(0, 1), optionOf(channelOf(3))], { pool: 'other' }).next()
    }
    const counts = [0, 0, 0]
    const underWay: (Choice | undefined)[] = []
    for (let i = 0; i < draws; i++) {
      const choice = asking(options, { pool: 'this' }).next()
      const id = choice?.option.channel.id ?? 0
      counts[id] = (counts[id] ?? 0) + 1
      underWay.push(choice)
      if (underWay.length >= 20) underWay.shift()?.ended()
    }
    const shares = counts.slice(1).map((count) => count / draws)
    expect(deviation(shares, [1, 1])).toBeLessThan(0.05)
  })
})

describe('what is slow', () => {
  const slowFirst = ({ id }: Channel) => (id === 1 ? 5_000 : 200)

  test('counts with a quarter of its weight, and is still tried', () => {
    const shares = sharesOf({ weights: [1, 1], width: 1, firstByteMs: slowFirst })
    expect(shares[0]).toBeWithin(0.17, 0.23)
  })

  test('has its share again when it is as fast as the others', () => {
    let isSlow = true
    const shares = sharesOf({
      ...{ weights: [1, 1], width: 1 },
      firstByteMs: ({ id }) => (id === 1 && isSlow ? 5_000 : 200),
      step: (at) => {
        isSlow = at < 2_000
      },
    })
    expect(shares[0]).toBeWithin(0.45, 0.49)
  })

  test('is passed over while it has clearly more to do than its weight says', () => {
    const patience = ({ id }: Channel) => (id === 1 ? 8 : 1)
    const shares = sharesOf({ weights: [1, 1], width: 200, patience })
    expect(shares[0]).toBeLessThan(0.25)
    const plain = sharesOf({ weights: [1, 1], width: 200, patience: () => 1 })
    expect(plain[0]).toBeWithin(0.475, 0.525)
  })
})
