import { describe, expect, test } from 'bun:test'
import { createLoad } from '../../../src/gateway/channels/load.ts'
import { chooseRanked, levels, type Ranked } from '../../../src/gateway/channels/ranking.ts'
import { channelOf, createTime, optionOf } from './choosing-scene.ts'

/** Channels with as many requests under way as these, and who is chosen when they are drawn in turn. */
function choose(underWay: readonly number[], weights = underWay.map(() => 1)) {
  const load = createLoad(createTime().tick)
  const ranked = underWay.map((count, i): Ranked => {
    const channel = channelOf(i + 1, { weight: weights[i] ?? 1 })
    for (let request = 0; request < count; request++) load.began('p', channel.id)
    const key = channel.keys[0] ?? ''
    return { option: optionOf(channel), key, series: 'm', level: levels.fresh, hasMovedAway: false }
  })
  let draw = 0
  const random = () => draw++ / 100 // the first is drawn first
  return chooseRanked({ load, random, pool: 'p' }, ranked)?.option.channel.id
}

describe('the first that is drawn', () => {
  test('is chosen while it has about its share of the work', () => {
    expect(choose([0, 0, 0])).toBe(1)
    expect(choose([3, 0, 0])).toBe(1)
    expect(choose([60, 50, 40])).toBe(1)
    expect(choose([180, 10], [9, 1])).toBe(1)
  })

  test('yields to the second when it has clearly more', () => {
    expect(choose([100, 50, 0])).toBe(2)
    expect(choose([100, 50], [1, 9])).toBe(2)
    expect(choose([16, 0])).toBe(2)
  })

  test('does not yield to one that has more still', () => {
    expect(choose([70, 90, 0])).toBe(1)
    expect(choose([70, 70, 0])).toBe(1)
  })
})

test('of one there is no choice, of none there is none', () => {
  expect(choose([1_000])).toBe(1)
  expect(choose([])).toBeUndefined()
})
