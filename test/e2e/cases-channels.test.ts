import { describe, expect, test } from 'bun:test'
import { runBinary } from '../support/binary.ts'
import type { FaultRequest } from '../support/fault/requests.ts'
import { httpBytes, reset, wait, write } from '../support/fault/steps.ts'
import { answerWell } from '../support/fault/well.ts'
import { someOf } from '../support/rounds.ts'
import { testKey } from '../support/tollgate-yaml.ts'
import { type Asked, type ChannelScene, type CoolingSeen, startChannels } from './channel-scene.ts'
import { hinted, nextTurn } from './conversations.ts'
import { allDialects, dialects } from './dialects.ts'
import { until } from './until.ts'

// CASES R1–R7 on the compiled program. R8 is test/protocols/translation/stable-prefix.slow.test.ts.

const failing = (status: number, headers: readonly (readonly [string, string])[] = []) => [
  write(httpBytes({ status, headers, body: '{"error":{"message":"Something is wrong."}}' })),
]
const slow = (ms: number) => (request: FaultRequest) => [wait(ms), ...answerWell(request)]
const askedOf = ({ attempts }: Asked) => attempts.map(({ channel }) => channel)
const causesOf = ({ attempts }: Asked) => attempts.map(({ cause }) => cause)

/** Of two channels the one that has answered, and the other. */
function sides(answered: Asked): readonly ['a' | 'b', 'a' | 'b'] {
  return askedOf(answered).at(-1) === 'a' ? ['a', 'b'] : ['b', 'a']
}

/** What cools, when something does. */
const untilCooling = (scene: { cooling(): Promise<readonly CoolingSeen[]> }) =>
  until('what cools', async () => {
    const cooling = await scene.cooling()
    return cooling.length > 0 && cooling
  })

const ways = ['told by its beginning', 'named by the client'] as const
const conversations = allDialects.flatMap((dialect, at) =>
  someOf(at % 2 === 0 ? ways : ways.toReversed(), 1).map((how) => ({ how, dialect })),
)

describe('R1: a conversation whose channel dies', () => {
  test.each(conversations)(
    '$dialect.name: $how, is answered elsewhere by its next request, and stays there',
    async ({ how, dialect }) => {
      await using scene = await startChannels({ a: {}, b: {} })
      const say = (turn: number) => {
        const { headers, body } = how === 'named by the client' ? hinted[dialect.name]('x') : {}
        const turns = nextTurn[dialect.name]('a conversation', turn)
        return scene.ask(dialect, { body: { ...turns, ...body }, ...(headers && { headers }) })
      }
      const [home, other] = sides(await say(0))
      for (const turn of [1, 2, 3, 4]) expect(askedOf(await say(turn))).toEqual([home])
      scene.channels[home].behave([reset])
      expect((await say(5)).attempts).toEqual([
        { channel: home, cause: 'connection_lost' },
        { channel: other, cause: null },
      ])
      scene.channels[home].behave()
      // One failure has cooled nothing: it is the binding that has moved.
      for (const turn of [6, 7, 8]) expect(askedOf(await say(turn))).toEqual([other])
      expect(await scene.cooling()).toEqual([])
    },
  )
})

describe('R2', () => {
  test('R2: a conversation leaves a channel that has become slow within 3 requests', async () => {
    await using scene = await startChannels({ a: {}, b: {} })
    const { chat } = dialects
    const say = (turn: number) =>
      scene.ask(chat, { stream: true, body: nextTurn.chat('a conversation', turn) })
    const [home, other] = sides(await say(0))
    // How fast the other one is must be known.
    await Promise.all(Array.from({ length: 20 }, () => scene.ask(chat, { stream: true })))
    expect(askedOf(await say(1))).toEqual([home])
    scene.channels[home].behave(slow(2_500))
    const asked: string[] = []
    for (const turn of [2, 3, 4, 5]) asked.push(...askedOf(await say(turn)))
    expect(asked.slice(0, 1)).toEqual([home])
    expect(asked.slice(3)).toEqual([other])
  })

  test('R2: no two tokens share a binding, whatever their conversations are called', async () => {
    const otherKey = 'sk-test-another-0123456789abcdefghij'
    await using scene = await startChannels({ a: {}, b: {} }, { keys: [otherKey] })
    const names = Array.from({ length: 24 }, (_, at) => `conversation ${at}`)
    const homes = (key: string) =>
      Promise.all(
        names.map(async (name) =>
          askedOf(await scene.ask(dialects.messages, { ...hinted.messages(name), key })).join(),
        ),
      )
    const [mine, others] = [await homes(testKey), await homes(otherKey)]
    expect(new Set(mine)).toEqual(new Set(['a', 'b']))
    // Each of theirs would be at the home of mine; by chance alone that is one in 16 million.
    expect(others).not.toEqual(mine)
    expect([await homes(testKey), await homes(otherKey)]).toEqual([mine, others])
  })
})

describe('R3: a burst of 429', () => {
  test('cools for as long as the upstream asks, and nobody is told', async () => {
    await using scene = await startChannels({ a: {}, b: { priority: 1 } })
    const { a } = scene.channels
    a.behave(failing(429, [['retry-after', '2']]))
    const askedAt = Date.now()
    const burst = await Promise.all(
      Array.from({ length: 30 }, () => scene.ask(dialects.responses, { stream: true })),
    )
    const answeredAt = Date.now()
    expect(new Set(burst.map(({ status }) => status))).toEqual(new Set([200]))
    const [cooling] = await untilCooling(scene)
    expect(cooling).toMatchObject({ channel: 'a', cause: 'upstream_rate_limited' })
    const { since = 0, until: endsAt = 0 } = cooling ?? {}
    // Each of the burst that comes later asks for two seconds more.
    expect(endsAt - since).toBeGreaterThanOrEqual(2_000)
    expect(endsAt).toBeWithin(askedAt + 2_000, answeredAt + 2_001)
    a.behave()
    const before = a.count()
    while (Date.now() < endsAt - 100) {
      const asked = askedOf(await scene.ask(dialects.chat))
      // What was answered by then was asked before.
      if (Date.now() < endsAt) expect([asked, a.count()]).toEqual([['b'], before])
      await Bun.sleep(50)
    }
    await until('the channel to come back', async () =>
      askedOf(await scene.ask(dialects.chat)).includes('a'),
    )
  })

  test('without a word of how long, for seconds', async () => {
    await using scene = await startChannels({ a: {}, b: { priority: 1 } })
    scene.channels.a.behave(failing(429))
    await scene.ask(dialects.gemini)
    const [cooling] = await untilCooling(scene)
    expect((cooling?.until ?? 0) - (cooling?.since ?? 0)).toBeWithin(1_000, 10_000)
  })

  test('never empties the last channel, and tells the shortest wait', async () => {
    await using scene = await startChannels({ a: {}, b: {} })
    scene.channels.a.behave(failing(429, [['retry-after', '40']]))
    scene.channels.b.behave(failing(429, [['retry-after', '20']]))
    for (let asked = 1; asked <= 5; asked++) {
      const answer = await scene.ask(dialects.messages)
      expect([answer.status, answer.headers.get('x-tollgate-reason')]).toEqual([
        429,
        'channels_busy',
      ])
      expect(Number(answer.headers.get('retry-after'))).toBeWithin(15, 21)
      expect(answer.attempts.length).toBe(asked === 1 ? 2 : 1)
    }
    scene.channels.b.behave()
    const answer = await scene.ask(dialects.messages)
    expect([answer.status, askedOf(answer)]).toEqual([200, ['b']])
  })
})

test('R4: a channel that has cooled comes back by itself, also behind a restart', async () => {
  await using scene = await startChannels({ a: {}, b: { priority: 1 } })
  const { a } = scene.channels
  const fail = async () => {
    a.behave(failing(500))
    for (const _time of [1, 2]) {
      expect(causesOf(await scene.ask(dialects.chat))).toEqual(['upstream_failed', null])
    }
    expect(askedOf(await scene.ask(dialects.chat))).toEqual(['b'])
    a.behave()
  }
  const isBack = () =>
    until(
      'a to come back',
      async () => askedOf(await scene.ask(dialects.chat)).join() === 'a',
      8_000,
    )
  await fail()
  await isBack()
  await until('nothing to cool any more', async () => (await scene.cooling()).length === 0)
  await fail()
  await scene.restart()
  expect(await scene.cooling()).toMatchObject([{ channel: 'a', cause: 'upstream_failed' }])
  await isBack()
  for (const _time of [1, 2, 3]) expect(askedOf(await scene.ask(dialects.chat))).toEqual(['a'])
})

describe('R5: a failing model leaves its channel’s other models alone', () => {
  const models = ['m1', 'm2']
  test.each<[string, number]>([
    ['it fails', 500],
    ['it is at its limit', 429],
    ['it is overloaded', 529],
  ])('%s', async (_name, status) => {
    await using scene = await startChannels({ a: {}, b: { priority: 1 } }, { models })
    const well = (request: FaultRequest) => answerWell(request)
    const failed = failing(status, [['retry-after', '60']])
    scene.channels.a.behave((request) => (request.model === 'm1' ? failed : well(request)))
    for (const _time of [1, 2]) {
      expect((await scene.ask(dialects.messages, { model: 'm1' })).status).toBe(200)
    }
    for (const _time of [1, 2, 3]) {
      expect(askedOf(await scene.ask(dialects.messages, { model: 'm1' }))).toEqual(['b'])
      expect(askedOf(await scene.ask(dialects.messages, { model: 'm2' }))).toEqual(['a'])
    }
    const cooling = await untilCooling(scene)
    expect(cooling.map(({ channel, model }) => [channel, model])).toEqual([['a', 'm1']])
  })
})

describe('R6: a hundred malformed requests change nothing', () => {
  const refusal = '{"error":{"message":"max_tokens is too large","type":"invalid_request_error"}}'
  const refusals = {
    'that the upstream refuses': [write(httpBytes({ status: 400, body: refusal }))],
    'that the upstream can not read': [write(httpBytes({ status: 422, body: refusal }))],
    'that are too large for it': [write(httpBytes({ status: 413, body: refusal }))],
    'that it refuses inside of a 200': [write(httpBytes({ body: refusal }))],
    'that it refuses inside of a stream': [
      write(
        httpBytes({
          ...{ type: 'text/event-stream', framing: 'chunked' },
          body: 'data: {"error":{"message":"too long","code":"context_length_exceeded"}}\n\n',
        }),
      ),
    ],
  } as const

  test.each(Object.entries(refusals))(
    '%s',
    async (_name, script) => {
      await using scene = await startChannels({ a: {}, b: { priority: 1 } })
      scene.channels.a.behave(script)
      const stream = _name.endsWith('stream')
      for (let round = 0; round < 10; round++) {
        const asking = Array.from({ length: 10 }, () => refusedBy(scene, stream))
        for (const asked of await Promise.all(asking)) expect(asked).toEqual(['a'])
      }
      scene.channels.a.behave()
      expect(askedOf(await scene.ask(dialects.chat))).toEqual(['a'])
      expect(await statusOf(scene)).toEqual([
        { name: 'a', status: 'active', cooling: [] },
        { name: 'b', status: 'active', cooling: [] },
      ])
      await scene.tollgate.kill()
      expect(await scene.cooling()).toEqual([])
    },
    120_000,
  )

  test('that the gateway refuses by itself', async () => {
    await using scene = await startChannels({ a: {}, b: { priority: 1 } })
    const asking = Array.from({ length: 100 }, () =>
      fetch(`${scene.tollgate.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${testKey}` },
        body: '{"model":"test-model","messages":',
        proxy: false,
      }).then(({ status }) => status),
    )
    expect(new Set(await Promise.all(asking))).toEqual(new Set([400]))
    expect(scene.channels.a.count()).toBe(0)
    expect(askedOf(await scene.ask(dialects.chat))).toEqual(['a'])
    expect(await scene.cooling()).toEqual([])
  })
})

/** Whom a request was put to; of refusals not every one leaves a record. */
async function refusedBy(scene: ChannelScene<'a' | 'b'>, stream: boolean): Promise<string[]> {
  const { a, b } = scene.channels
  const answer = await fetch(`${scene.tollgate.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}` },
    body: JSON.stringify(dialects.chat.request(stream)),
    proxy: false,
  })
  await answer.text()
  return [...(a.count() > 0 ? ['a'] : []), ...(b.count() > 0 ? ['b'] : [])]
}

/** What the operator is told of the channels. */
async function statusOf(scene: ChannelScene<'a' | 'b'>): Promise<unknown[]> {
  const file = `${scene.tollgate.cwd}/tollgate.yaml`
  const { stdout } = await runBinary(['channel', 'status', '--json', '--config', file])
  const told = JSON.parse(stdout) as { name: string; status: string; cooling: unknown[] }[]
  return told
    .filter(({ name }) => name !== 'main')
    .map(({ name, status, cooling }) => ({ name, status, cooling }))
}

test('R7: a retry goes to another channel first, and then to another key, never to the same', async () => {
  const keys = { api_keys: ['key-one-0123456789', 'key-two-0123456789', 'key-three-0123456789'] }
  const settings = { max_attempts: 8 }
  await using scene = await startChannels({ a: keys, b: keys }, { settings })
  const asked: string[] = []
  for (const [name, channel] of Object.entries(scene.channels)) {
    channel.behave(({ headers }) => {
      asked.push(`${name} ${headers.get('authorization')}`)
      return failing(401)
    })
  }
  const answer = await scene.ask(dialects.chat)
  expect(answer.status).toBe(502)
  expect(asked.length).toBe(6)
  expect(new Set(asked).size).toBe(6)
  // Both channels before any of them is asked again.
  expect(new Set(asked.slice(0, 2).map((one) => one[0]))).toEqual(new Set(['a', 'b']))
  expect(answer.attempts.map(({ channel }) => channel)).toEqual(asked.map((one) => one[0] ?? ''))
})
