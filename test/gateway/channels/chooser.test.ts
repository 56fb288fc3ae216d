import { describe, expect, test } from 'bun:test'
import type { Channel } from '../../../src/catalog/catalog.ts'
import type { Choice } from '../../../src/gateway/channels/chooser.ts'
import type { FailureName } from '../../../src/gateway/failures/failures.ts'
import {
  type LocalChooser as Chooser,
  channelOf,
  createScene,
  failureOf,
  optionOf,
} from './choosing-scene.ts'

/** What a chooser gives one after the other, while each of them fails. */
function drain(chooser: Chooser, name: FailureName = 'client_fault') {
  const found: (readonly [number, string])[] = []
  for (let choice = chooser.next(); choice !== undefined; choice = chooser.next()) {
    found.push([choice.option.channel.id, choice.key])
    choice.failed(failureOf(name))
    choice.ended()
  }
  return found
}

const channelsOf = (chooser: Chooser) => drain(chooser).map(([id]) => id)

function answer(choice: Choice | undefined, firstByteMs = 100): void {
  choice?.succeeded(firstByteMs)
  choice?.ended()
}

const optionsOf = (...changes: readonly Partial<Channel>[]) =>
  changes.map((change, i) => optionOf(channelOf(i + 1, change)))

describe('the order', () => {
  test('is that of the priorities', () => {
    const { asking } = createScene()
    const options = optionsOf({ priority: 7 }, { priority: -1 }, { priority: 3 }, { priority: 0 })
    for (let i = 0; i < 20; i++) expect(channelsOf(asking(options))).toEqual([2, 4, 3, 1])
  })

  test('has those first, within a priority, that speak the client’s protocol', () => {
    const { asking } = createScene()
    const options = [1, 2, 3, 4].map((id) => optionOf(channelOf(id), { isNative: id % 2 === 0 }))
    for (let i = 0; i < 20; i++) {
      const order = channelsOf(asking(options))
      expect(order.slice(0, 2).toSorted()).toEqual([2, 4])
      expect(order.slice(2).toSorted()).toEqual([1, 3])
    }
  })

  test('is that of the priorities before that of the protocols', () => {
    const { asking } = createScene()
    const options = [
      optionOf(channelOf(1, { priority: 1 })),
      optionOf(channelOf(2, { priority: 0 }), { isNative: false }),
    ]
    for (let i = 0; i < 20; i++) expect(channelsOf(asking(options))).toEqual([2, 1])
  })

  test('is at random by weight within both', () => {
    const { asking } = createScene()
    const options = optionsOf({ weight: 1 }, { weight: 9 })
    const rounds = 4_000
    let heavy = 0
    for (let i = 0; i < rounds; i++) {
      const choice = asking(options).next()
      if (choice?.option.channel.id === 2) heavy++
      choice?.ended()
    }
    expect(heavy / rounds).toBeWithin(0.88, 0.92)
  })

  test('has a channel without weight last, but not never', () => {
    const { asking } = createScene()
    for (let i = 0; i < 20; i++) {
      expect(channelsOf(asking(optionsOf({ weight: 0 }, { weight: 1 })))).toEqual([2, 1])
    }
  })

  test('has distinct channels first, then their other keys, each once', () => {
    const { asking } = createScene()
    const options = optionsOf({ keys: ['a', 'b', 'c'] }, { keys: ['d', 'e'], priority: 5 })
    const found = drain(asking(options, { maxAttempts: 10 }))
    expect(found.slice(0, 2).map(([id]) => id)).toEqual([1, 2])
    expect(found.slice(2).map(([id]) => id)).toEqual([1, 1, 2])
    expect(new Set(found.map(String)).size).toBe(5)
  })
})

describe('what a request can be put to', () => {
  test('is asked of a channel when it is its turn, and no earlier', () => {
    const { asking } = createScene()
    const options = [
      optionOf(channelOf(1), { isNative: false }),
      optionOf(channelOf(2)),
      optionOf(channelOf(3), { isNative: false, fits: false }),
    ]
    const chooser = asking(options)
    expect(chooser.hasOthers()).toBeTrue()
    chooser.next()
    expect(chooser.hasOthers()).toBeTrue()
    expect(options.map(({ state }) => state.asked)).toEqual([0, 1, 0])
    expect(chooser.next()?.option.channel.id).toBe(1)
    expect(chooser.next()).toBeUndefined()
  })

  test('is known by hasNext: what can’t be told in a channel’s words is none', () => {
    const { asking } = createScene()
    const [fit, unfit] = [optionOf(channelOf(1)), optionOf(channelOf(2), { fits: false })]
    const chooser = asking([fit, unfit])
    expect(chooser.hasNext()).toBeTrue()
    expect(chooser.next()?.option.channel.id).toBe(1)
    expect([chooser.hasOthers(), chooser.hasNext()]).toEqual([true, false])
    expect(chooser.next()).toBeUndefined()
    expect(unfit?.state.asked).toBe(1)
  })

  test('is nothing without channels, and without keys', () => {
    const { asking } = createScene()
    expect(asking([]).next()).toBeUndefined()
    expect(asking(optionsOf({ keys: [] })).next()).toBeUndefined()
    expect(asking([]).hasOthers()).toBeFalse()
  })
})

describe('keys', () => {
  const firstKey = (chooser: Chooser) => {
    const choice = chooser.next()
    answer(choice)
    return choice?.key
  }
  test('are used in turn', () => {
    const { asking } = createScene()
    const options = optionsOf({ keys: ['a', 'b', 'c'] })
    const found = Array.from({ length: 6 }, () => firstKey(asking(options)))
    expect(found).toEqual(['a', 'b', 'c', 'a', 'b', 'c'])
  })

  test('are used in turn among those that are well', () => {
    const { asking, pass } = createScene()
    const options = optionsOf({ keys: ['a', 'b', 'c'] })
    expect(firstKey(asking(options))).toBe('a')
    const refused = asking(options).next()
    refused?.failed(failureOf('upstream_rate_limited'))
    refused?.ended()
    expect(refused?.key).toBe('b')
    expect(Array.from({ length: 4 }, () => firstKey(asking(options)))).toEqual(['c', 'a', 'c', 'a'])
    pass(2_000)
    expect(Array.from({ length: 3 }, () => firstKey(asking(options)))).toEqual(['b', 'c', 'a'])
  })

  test('that are asked for but not taken lose no turn', () => {
    const { asking } = createScene()
    const options = optionsOf({ keys: ['a', 'b'] })
    for (let i = 0; i < 3; i++) expect(asking(options).hasNext()).toBeTrue()
    expect(firstKey(asking(options))).toBe('a')
  })
})

describe('attempts', () => {
  test('are no more than they may be', () => {
    const { asking } = createScene()
    const options = optionsOf({}, {}, {}, {})
    for (const maxAttempts of [1, 2, 3]) {
      const chooser = asking(options, { maxAttempts })
      expect(drain(chooser)).toHaveLength(maxAttempts)
      expect([chooser.hasNext(), chooser.hasOthers()]).toEqual([false, false])
    }
  })

  test('begin no later after the first than they may', () => {
    const { asking, pass } = createScene()
    const chooser = asking(optionsOf({}, {}, {}), { retryMs: 5_000 })
    pass(60_000)
    expect(chooser.next()).toBeDefined()
    pass(5_000)
    expect(chooser.hasNext()).toBeTrue()
    expect(chooser.next()).toBeDefined()
    pass(1)
    expect([chooser.hasNext(), chooser.hasOthers()]).toEqual([false, false])
    expect(chooser.next()).toBeUndefined()
  })
})

describe('a channel that cools', () => {
  const cool = ({ health }: ReturnType<typeof createScene>, channel: Channel, rounds = 1) => {
    const cools = { scope: 'channel', strikes: 1, baseMs: 1_000 * rounds, capMs: 60_000 } as const
    const use = health.begin(channel, channel.keys[0] ?? '', 'model')
    health.failed(use, { name: 'connect_failed', cools })
    health.ended(use)
  }

  test('is asked after all that are well, whatever its priority', () => {
    const scene = createScene()
    const options = optionsOf({ priority: 0 }, { priority: 5 }, { priority: 6, keys: ['a', 'b'] })
    cool(scene, channelOf(1))
    expect(drain(scene.asking(options)).map(([id]) => id)).toEqual([2, 3, 3, 1])
  })

  test('is one at most, and the one that has cooled the soonest', () => {
    const scene = createScene()
    const options = optionsOf({}, {}, {})
    for (const [i, rounds] of [2, 1, 3].entries()) cool(scene, channelOf(i + 1), rounds)
    expect(channelsOf(scene.asking(options))).toEqual([2])
    expect(channelsOf(scene.asking(options.toReversed()))).toEqual([2])
    expect(channelsOf(scene.asking(options.filter(({ channel }) => channel.id !== 2)))).toEqual([1])
  })

  test('is the last resort of its group: the last one is never cooled into nothing', () => {
    const scene = createScene()
    const options = optionsOf({ keys: ['a', 'b'] })
    cool(scene, channelOf(1))
    for (let i = 0; i < 10; i++) {
      const chooser = scene.asking(options)
      expect(chooser.hasNext()).toBeTrue()
      expect(drain(chooser, 'connect_failed')).toHaveLength(1)
    }
    answer(scene.asking(options).next())
    expect(scene.health.coolings()).toEqual([])
  })

  test('is no last resort for a request that has just seen it fail', () => {
    const { asking } = createScene()
    const options = optionsOf({ keys: ['a', 'b', 'c'] })
    expect(drain(asking(options), 'connect_failed')).toHaveLength(1)
  })

  test('is tried in its usual place, by one request, when its time has passed', () => {
    const scene = createScene()
    const { asking, pass } = scene
    const options = optionsOf({ priority: 0 }, { priority: 5 })
    cool(scene, channelOf(1))
    pass(1_000)
    const trial = asking(options).next()
    expect([trial?.option.channel.id, trial?.isTrial]).toEqual([1, true])
    const other = asking(options).next()
    expect([other?.option.channel.id, other?.isTrial]).toEqual([2, false])
    trial?.succeeded(100)
    expect(asking(options).next()?.option.channel.id).toBe(1)
  })

  test('is left to others by a request that only looks whether there is one', () => {
    const scene = createScene()
    const options = optionsOf({})
    cool(scene, channelOf(1))
    scene.pass(1_000)
    expect(scene.asking(options).hasNext()).toBeTrue()
    expect(scene.asking(options).next()?.isTrial).toBeTrue()
  })
})

describe('a channel that is drained', () => {
  test('gets nothing new while another one is well', () => {
    const { asking } = createScene()
    const options = optionsOf({ isDraining: true }, { priority: 9 })
    for (let i = 0; i < 20; i++) {
      const choice = asking(options).next()
      expect(choice?.option.channel.id).toBe(2)
      choice?.ended()
    }
  })

  test('is asked when nothing else is there, or nothing else is well', () => {
    const { asking } = createScene()
    const options = optionsOf({ isDraining: true }, {})
    const alone = optionsOf({}, {}, { isDraining: true }).slice(2)
    for (let i = 0; i < 3; i++) {
      expect(drain(asking(alone), 'connect_failed').map(([id]) => id)).toEqual([3])
    }
    expect(drain(asking(options), 'connect_failed').map(([id]) => id)).toEqual([2, 1])
  })
})

describe('a channel’s own limits', () => {
  const limited = { limits: { rpm: null, tpm: null, concurrency: 1 } }

  test('are kept: one that is full is passed over, until there is room', () => {
    const { asking } = createScene()
    const options = optionsOf(limited, { priority: 1 })
    const first = asking(options).next()
    expect(first?.option.channel.id).toBe(1)
    expect(asking(options).next()?.option.channel.id).toBe(2)
    first?.ended()
    expect(asking(options).next()?.option.channel.id).toBe(1)
  })

  test('that are all reached leave nothing, and say for how long', () => {
    const { asking } = createScene()
    const options = optionsOf(
      { limits: { rpm: 1, tpm: null, concurrency: null } },
      { limits: { rpm: null, tpm: 15, concurrency: null } },
    )
    expect(channelsOf(asking(options)).toSorted()).toEqual([1, 2])
    const chooser = asking(options)
    expect([chooser.hasNext(), chooser.next()]).toEqual([false, undefined])
    expect(chooser.busyForMs()).toBeWithin(1, 61_000)
    const open = asking(optionsOf({}))
    open.next()
    expect([open.next(), open.busyForMs()]).toEqual([undefined, undefined])
  })

  test('have room again for the same request', () => {
    const { asking, pass } = createScene()
    const options = optionsOf({ limits: { rpm: 1, tpm: null, concurrency: null } })
    asking(options).next()
    const chooser = asking(options)
    expect(chooser.next()).toBeUndefined()
    pass((chooser.busyForMs() ?? 0) + 1)
    expect(chooser.next()).toBeDefined()
  })

  test('are no reason to ask one that cools or is drained: there is room again soon', () => {
    const { asking } = createScene()
    const options = optionsOf(limited, {}, { isDraining: true })
    const failing = asking(options.slice(1, 2)).next()
    failing?.failed(failureOf('connect_failed'))
    failing?.ended()
    const holder = asking(options).next()
    expect(holder?.option.channel.id).toBe(1)
    const chooser = asking(options)
    expect([chooser.hasNext(), chooser.next()]).toEqual([false, undefined])
    expect(chooser.busyForMs()).toBeGreaterThan(0)
  })

  test('of one that is drained are no reason to leave another such one alone', () => {
    const { asking } = createScene()
    const options = optionsOf({ ...limited, isDraining: true }, { isDraining: true })
    asking(options.slice(0, 1)).next()
    for (let i = 0; i < 20; i++) expect(asking(options).next()?.option.channel.id).toBe(2)
  })

  test('are not touched by a request that only looks whether there is room', () => {
    const { asking } = createScene()
    const options = optionsOf({ limits: { rpm: 1, tpm: null, concurrency: 1 } })
    for (let i = 0; i < 5; i++) expect(asking(options).hasNext()).toBeTrue()
    expect(asking(options).next()).toBeDefined()
    expect(asking(options).hasNext()).toBeFalse()
  })

  test('count what was used instead of what was expected', () => {
    const { asking } = createScene()
    const options = optionsOf({ limits: { rpm: null, tpm: 25, concurrency: null } })
    const first = asking(options).next()
    first?.ended(20)
    expect(asking(options).hasNext()).toBeFalse()
    const other = createScene()
    other.asking(options).next()?.ended(2)
    expect([other.asking(options).next(), other.asking(options).next()]).toSatisfy((choices) =>
      choices.every((choice) => choice !== undefined),
    )
  })

  test('are free again once, however often the end is told', () => {
    const { asking, load } = createScene()
    const options = optionsOf({
      ...{ limits: { rpm: null, tpm: null, concurrency: 2 }, keys: ['a', 'b'] },
    })
    const [first, second] = [asking(options).next(), asking(options).next()]
    expect(second).toBeDefined()
    for (let i = 0; i < 3; i++) first?.ended()
    expect(load.inFlight('', 1)).toBe(1)
    expect(asking(options).next()).toBeDefined()
    expect(asking(options).hasNext()).toBeFalse()
  })
})

describe('a place in line', () => {
  const limits = { rpm: null, tpm: null, concurrency: 1 }
  const { signal } = new AbortController()

  test('is waited for where nothing is wrong but the limits', async () => {
    const { asking } = createScene()
    const options = optionsOf({ limits })
    const holder = asking(options).next()
    const chooser = asking(options)
    expect(chooser.next()).toBeUndefined()
    const waiting = chooser.nextInLine({ waitMs: 60_000, signal })
    holder?.ended()
    const choice = await waiting
    expect(choice?.option.channel.id).toBe(1)
    expect(asking(options).hasNext()).toBeFalse()
    choice?.ended()
    expect(asking(options).hasNext()).toBeTrue()
    expect(chooser.next()).toBeUndefined()
  })

  test('is not had in time', async () => {
    const { asking } = createScene()
    const options = optionsOf({ limits })
    asking(options).next()
    const chooser = asking(options)
    chooser.next()
    expect(await chooser.nextInLine({ waitMs: 0, signal })).toBeUndefined()
  })

  test('is given up when the client leaves', async () => {
    const { asking } = createScene()
    const options = optionsOf({ limits })
    const holder = asking(options).next()
    const chooser = asking(options)
    chooser.next()
    const client = new AbortController()
    const waiting = chooser.nextInLine({ waitMs: 60_000, signal: client.signal })
    client.abort(new Error('It has left.'))
    await expect(waiting).rejects.toThrow('It has left.')
    holder?.ended()
    expect(asking(options).hasNext()).toBeTrue()
  })
})
