import { describe, expect, test } from 'bun:test'
import type { Choice } from '../../../src/gateway/channels/chooser.ts'
import type { Conversation } from '../../../src/gateway/channels/conversation.ts'
import { type FailureName, failureClasses } from '../../../src/gateway/failures/failures.ts'
import { createRandom } from '../../support/random.ts'
import { channelOf, createScene, failureOf, optionOf } from './choosing-scene.ts'

/** The cases of routing, R1 to R7, as far as they are a matter of choosing. */

const talk: Conversation = { key: 'talk', isBegun: true }
const first: Conversation = { key: 'talk', isBegun: false }

/** Two channels of equal rights, and a conversation that is at home on one of them. */
function createTalk(changes: readonly object[] = [{}, {}]) {
  const scene = createScene()
  const options = changes.map((change, i) => optionOf(channelOf(i + 1, change)))
  const ask = (conversation: Conversation | null = talk, tokenId = 1) =>
    scene.asking(options, { conversation: conversation ?? undefined, tokenId })
  const answer = (choice: Choice | undefined, firstByteMs = 100) => {
    choice?.succeeded(firstByteMs)
    choice?.ended()
    return choice?.option.channel.id
  }
  const fail = (choice: Choice | undefined, name: FailureName) => {
    choice?.failed(failureOf(name))
    choice?.ended()
    return choice?.option.channel.id
  }
  const home = answer(ask(first).next()) ?? 0
  return { ...scene, options, ask, answer, fail, home, other: 3 - home }
}

describe('a conversation', () => {
  test('stays with the channel and the key that answered it', () => {
    const { ask, answer, home } = createTalk([{ keys: ['a', 'b', 'c'] }, { keys: ['d', 'e', 'f'] }])
    const keys = new Set<string | undefined>()
    for (let i = 0; i < 30; i++) {
      const choice = ask().next()
      keys.add(choice?.key)
      expect(answer(choice)).toBe(home)
    }
    expect(keys.size).toBe(1)
  })

  test('that is not begun is shared out like any other request', () => {
    const { ask, answer } = createTalk()
    const found = new Set(Array.from({ length: 50 }, () => answer(ask(first).next())))
    expect(found.size).toBe(2)
  })

  test('stays where it is drained, and at a worse priority', () => {
    const { bindings, ask, answer } = createTalk([{}, { isDraining: true, priority: 9 }])
    bindings.bind(1, 'talk', 2, 'key-2')
    for (let i = 0; i < 5; i++) expect(answer(ask().next())).toBe(2)
    expect(answer(ask(null).next())).toBe(1)
  })

  test('goes on with another key of its channel when its own one cools', () => {
    const { ask, answer, fail, home } = createTalk([{ keys: ['a', 'b'] }, { keys: ['c', 'd'] }])
    const refused = ask().next()
    const key = refused?.key
    const moved = (() => {
      fail(refused, 'upstream_rate_limited')
      return ask().next()
    })()
    expect([answer(moved), moved?.key === key]).toEqual([home, false])
  })

  test('goes on with a key that its channel has when its own one was taken away', () => {
    const { ask, bindings } = createTalk([{ keys: ['a', 'b'] }, {}])
    bindings.bind(1, 'talk', 1, 'gone')
    const choice = ask().next()
    expect(choice?.option.channel.id).toBe(1)
    expect(['a', 'b']).toContain(choice?.key ?? '')
  })

  test('goes elsewhere from a channel that is full, and stays there', () => {
    const limits = { rpm: null, tpm: null, concurrency: 1 }
    const { ask, answer, home, other } = createTalk([{ limits }, { limits }])
    const holder = ask().next()
    expect(holder?.option.channel.id).toBe(home)
    expect(answer(ask().next())).toBe(other)
    answer(holder)
    answer(ask().next())
    expect(answer(ask().next())).toBe(home)
  })

  test('goes elsewhere after its answer broke', () => {
    const { ask, answer, bindings } = createTalk()
    const choice = ask().next()
    choice?.succeeded(100)
    choice?.broke({ name: 'timeout_idle' })
    choice?.ended()
    expect(bindings.find(1, 'talk')).toBeUndefined()
    const found = new Set(
      Array.from({ length: 40 }, () => {
        const next = ask(null).next()
        return answer(next)
      }),
    )
    expect(found.size).toBe(2)
  })

  test('is bound by an answer, not by a refusal of its own mistake', () => {
    const { ask, bindings, home } = createTalk()
    bindings.unbind(1, 'talk', home)
    const choice = ask().next()
    choice?.withoutVerdict()
    choice?.ended()
    expect(bindings.find(1, 'talk')).toBeUndefined()
  })

  test('costs nothing where there is nothing to choose', () => {
    const { ask, answer, bindings } = createTalk([{}])
    answer(ask().next())
    expect(bindings.find(1, 'talk')).toBeUndefined()
  })
})

test('R1: a conversation whose channel is dead is answered elsewhere at once, and stays there', () => {
  const { ask, answer, fail, home, other, pass } = createTalk()
  const chooser = ask()
  expect(fail(chooser.next(), 'connect_failed')).toBe(home)
  expect(answer(chooser.next())).toBe(other)
  for (let i = 0; i < 10; i++) expect(answer(ask().next())).toBe(other)
  // Back in health, the dead one is no better than the one that has the prompt cache now.
  pass(60_000)
  for (let i = 0; i < 10; i++) expect(answer(ask().next())).toBe(other)
})

test('R1: a conversation whose channel cools or is off never asks there first', () => {
  const scene = createTalk()
  const { ask, answer, home, other, health, options, asking } = scene
  const use = health.begin(channelOf(home), `key-${home}`, 'model')
  const { cools } = failureClasses.connect_failed
  health.failed(use, { name: 'connect_failed', cools })
  expect(answer(ask().next())).toBe(other)
  const off = createTalk()
  const left = off.options.filter(({ channel }) => channel.id !== off.home)
  expect(off.answer(off.asking(left, { conversation: talk }).next())).toBe(off.other)
  expect(asking(options).hasNext()).toBeTrue()
})

describe('R2', () => {
  test.each([
    [1_500, 3],
    [3_000, 2],
    [20_000, 2],
  ])(
    'a conversation leaves a channel that takes %d ms instead of 200: after %d',
    (slowMs, count) => {
      const { ask, answer, load, home, other } = createTalk()
      for (let i = 0; i < 10; i++) {
        load.sample(home, 'model', 200)
        load.sample(other, 'model', 200)
      }
      const found = Array.from({ length: 8 }, () => {
        const choice = ask().next()
        return answer(choice, choice?.option.channel.id === home ? slowMs : 200)
      })
      expect(found.map((id) => id === home)).toEqual(found.map((_, i) => i < count))
    },
  )

  test('a conversation leaves a channel that does not begin to answer, though it has not cooled', () => {
    const { ask, answer, fail, load, pass, home, other } = createTalk()
    const chooser = ask()
    const hanging = chooser.next()
    pass(30_000)
    const before = load.firstByte(home, 'model')?.meanMs ?? 0
    expect(fail(hanging, 'timeout_first_byte')).toBe(home)
    expect(load.firstByte(home, 'model')?.meanMs).toBeGreaterThan(before * 2)
    expect(answer(chooser.next())).toBe(other)
    expect(answer(ask().next())).toBe(other)
  })

  test('a conversation leaves a channel that never answers, though its client gives up first', () => {
    const { ask, answer, load, pass, home, other } = createTalk()
    load.sample(other, 'model', 300)
    for (let i = 0; i < 2; i++) {
      const hanging = ask().next()
      expect(hanging?.option.channel.id).toBe(home)
      pass(30_000)
      hanging?.ended()
    }
    expect(answer(ask().next())).toBe(other)
  })

  test('a client that gives up soon tells nothing of a channel', () => {
    const { ask, load, pass, home } = createTalk()
    const before = { ...load.firstByte(home, 'model') }
    for (let i = 0; i < 20; i++) {
      const choice = ask().next()
      pass(4_000)
      choice?.ended()
    }
    expect({ ...load.firstByte(home, 'model') }).toEqual(before)
  })

  test('a conversation stays where nothing faster is known, or nothing faster is well', () => {
    const { ask, answer, load, home, other, fail } = createTalk()
    for (let i = 0; i < 5; i++) expect(answer(ask().next(), 9_000)).toBe(home)
    load.sample(other, 'model', 100)
    const chooser = ask(null)
    for (let choice = chooser.next(); choice; choice = chooser.next()) {
      if (choice.option.channel.id === other) fail(choice, 'connect_failed')
      else choice.ended()
    }
    expect(answer(ask().next())).toBe(home)
  })

  test('a conversation does not leave for a backup: that one would be left again', () => {
    const keys = ['a', 'b', 'c']
    const { ask, load, bindings } = createTalk([{ priority: 0, keys }, { priority: 1 }])
    bindings.bind(1, 'talk', 1, 'b')
    for (let i = 0; i < 5; i++) {
      load.sample(1, 'model', 9_000)
      load.sample(2, 'model', 100)
    }
    for (let i = 0; i < 5; i++) expect(ask().next()?.key).toBe('b')
  })

  test('a conversation that leaves does not come back by chance', () => {
    const { ask, load, home, other } = createTalk()
    for (let i = 0; i < 5; i++) {
      load.sample(home, 'model', 9_000)
      load.sample(other, 'model', 100)
    }
    const found = Array.from({ length: 40 }, () => ask().next()?.option.channel.id)
    expect(new Set(found)).toEqual(new Set([other]))
  })

  test('whole answers are not compared with streamed ones', () => {
    const { asking, options, answer, home, other } = createTalk()
    const ask = (isStreamed: boolean) => asking(options, { conversation: talk, isStreamed })
    for (let i = 0; i < 5; i++) expect(answer(ask(false).next(), 30_000)).toBe(home)
    const [, elsewhere] = [home, other].map((id) =>
      options.filter(({ channel }) => channel.id === id),
    )
    for (let i = 0; i < 5; i++) answer(asking(elsewhere ?? [], { isStreamed: true }).next(), 100)
    expect(answer(ask(true).next())).toBe(home)
  })

  test('two tokens never share a binding, however equal what they say is', () => {
    const { ask, answer, home, bindings } = createTalk()
    const found = new Set(Array.from({ length: 60 }, (_, i) => answer(ask(talk, 100 + i).next())))
    expect(found.size).toBe(2)
    expect(bindings.find(1, 'talk')?.channelId).toBe(home)
    expect(bindings.find(99, 'talk')).toBeUndefined()
  })
})

describe('R3', () => {
  test('a burst of 429 cools for seconds, however many it is', () => {
    const { asking, options, health, clock } = createTalk()
    const choices = Array.from({ length: 200 }, () => asking(options.slice(0, 1)).next())
    for (const choice of choices) choice?.failed(failureOf('upstream_rate_limited'))
    const [row] = health.coolings()
    expect((row?.until ?? 0) - clock()).toBeLessThanOrEqual(5_000)
    expect(health.coolings()).toHaveLength(1)
  })

  test('Retry-After is honoured', () => {
    const { asking, options, pass } = createTalk()
    asking(options.slice(0, 1)).next()?.failed(failureOf('upstream_rate_limited', 17_000))
    const isAsked = () => asking(options).next()?.option.channel.id === 1
    pass(16_999)
    expect(Array.from({ length: 40 }, isAsked)).not.toContain(true)
    pass(1)
    expect(Array.from({ length: 40 }, isAsked)).toContain(true)
  })

  test('the last channel is never emptied', () => {
    const { asking, options, fail } = createTalk()
    for (let i = 0; i < 20; i++) {
      const chooser = asking(options)
      expect(fail(chooser.next(), 'upstream_rate_limited')).toBeDefined()
    }
  })
})

test('R4: what has cooled comes back by itself, and has its share again', () => {
  const { asking, options, answer, fail, pass } = createTalk()
  for (let round = 0; round < 12; round++) {
    fail(asking(options.slice(0, 1)).next(), 'connect_failed')
    pass(60_000) // the cap of its back-off
  }
  const found = Array.from({ length: 400 }, () => answer(asking(options).next()))
  expect(found.filter((id) => id === 1).length).toBeWithin(150, 250)
})

test('R5: what fails for one model is asked for the others', () => {
  const scene = createScene()
  const channels = [channelOf(1), channelOf(2, { priority: 5 })]
  const optionsFor = (model: string) => channels.map((channel) => optionOf(channel, { model }))
  for (let i = 0; i < 5; i++) {
    const choice = scene.asking(optionsFor('broken').slice(0, 1)).next()
    choice?.failed(failureOf(i % 2 ? 'upstream_failed' : 'model_unavailable'))
    choice?.ended()
  }
  expect(scene.asking(optionsFor('broken')).next()?.option.channel.id).toBe(2)
  expect(scene.asking(optionsFor('well')).next()?.option.channel.id).toBe(1)
})

test('R6: a hundred malformed requests change nothing', () => {
  const { asking, options, health, load, bindings } = createTalk()
  const before = [1, 2].map((id) => load.firstByte(id, 'model')?.samples)
  for (let i = 0; i < 100; i++) {
    const choice = asking(options, { tokenId: 5, conversation: talk }).next()
    choice?.withoutVerdict() // the upstream's 400 is passed on
    choice?.ended()
  }
  for (const name of Object.keys(failureClasses) as FailureName[]) {
    if (failureClasses[name].fault !== 'client') continue
    for (let i = 0; i < 100; i++) {
      const choice = asking(options).next()
      choice?.failed(failureOf(name))
      choice?.ended()
    }
  }
  expect(health.coolings()).toEqual([])
  expect([1, 2].map((id) => load.firstByte(id, 'model')?.samples)).toEqual(before)
  expect(bindings.find(5, 'talk')).toBeUndefined()
  expect(asking(options).next()?.isTrial).toBeFalse()
})

test('R6: malformed requests neither hide failures nor end what cools', () => {
  const { asking, options, health, pass } = createTalk([{}])
  for (let i = 0; i < 2; i++) {
    const failing = asking(options).next()
    failing?.failed(failureOf('upstream_failed'))
    failing?.ended()
    const malformed = asking(options).next()
    malformed?.withoutVerdict()
    malformed?.ended()
  }
  expect(health.coolings()).toHaveLength(1)
  pass(2_000)
  const malformed = asking(options).next()
  expect(malformed?.isTrial).toBeTrue()
  malformed?.withoutVerdict()
  malformed?.ended()
  expect(asking(options).next()?.isTrial).toBeTrue()
})

test('R7: a retry goes to another channel, then to another key, never to the same one', () => {
  const names = Object.keys(failureClasses) as FailureName[]
  const random = createRandom(7)
  const pick = (count: number) => Math.floor(random() * count)
  for (let round = 0; round < 600; round++) {
    const { asking, pass } = createScene()
    const options = Array.from({ length: 1 + pick(5) }, (_, i) => {
      const keys = Array.from({ length: 1 + pick(3) }, (__, at) => `key-${i}-${at}`)
      const limits = { rpm: pick(3) ? null : 1 + pick(2), tpm: null, concurrency: null }
      const channel = channelOf(i + 1, {
        ...{ keys, limits, priority: pick(2), weight: 1 + pick(4), isDraining: pick(6) === 0 },
      })
      return optionOf(channel, { isNative: pick(2) === 0, fits: pick(6) > 0 })
    })
    for (let request = 0; request < 4; request++) {
      const maxAttempts = 1 + pick(6)
      const conversation = pick(2) ? { key: `talk-${pick(2)}`, isBegun: pick(2) === 0 } : undefined
      const chooser = asking(options, { maxAttempts, conversation })
      const asked: string[] = []
      const channels = new Set<number>()
      for (;;) {
        const mayHave = chooser.hasNext()
        if (mayHave) expect(chooser.hasOthers()).toBeTrue()
        const choice = chooser.next()
        expect(choice !== undefined).toBe(mayHave)
        if (choice === undefined) break
        const { channel, state } = choice.option as (typeof options)[number]
        expect(asked).not.toContain(`${channel.id} ${choice.key}`)
        expect(channel.keys).toContain(choice.key)
        expect(state.asked).toBeGreaterThan(0)
        asked.push(`${channel.id} ${choice.key}`)
        channels.add(channel.id)
        const name = names[pick(names.length)] ?? 'upstream_failed'
        if (pick(4) === 0) choice.succeeded(pick(3_000))
        else choice.failed(failureOf(name, pick(3) ? undefined : pick(10_000)))
        if (pick(8) > 0) choice.ended()
        pass(pick(1_500))
      }
      expect(asked.length).toBeLessThanOrEqual(maxAttempts)
      // Whoever can be asked is: nothing but limits leaves a request without anyone.
      const canAnswer = options.some(({ fits }) => fits)
      if (canAnswer && asked.length === 0) expect(chooser.busyForMs()).toBeGreaterThan(0)
    }
  }
})
