import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type FailureName, failureClasses } from '../../../src/gateway/failures/failures.ts'
import type { ProtocolName } from '../../../src/protocols/protocol.ts'
import { until } from '../../e2e/until.ts'
import { vendorAnswer } from '../../e2e/vendor-answers.ts'
import {
  type FakeUpstream,
  jsonAnswer,
  type SeenRequest,
  stall,
  startFakeUpstream,
} from '../../support/fake-upstream.ts'
import { startForwardProxy } from '../../support/forward-proxy.ts'
import { speaksAt } from '../../support/tollgate-yaml.ts'
import { createProbeScene, type ProbedChannel, upstreamKeys } from './probe-scene.ts'

let upstream: FakeUpstream
beforeEach(() => {
  upstream = startFakeUpstream(vendorAnswer)
})
afterEach(() => upstream.stop())

const [firstKey = '', secondKey = ''] = upstreamKeys
const speaking = (...protocols: ProtocolName[]): ProbedChannel => ({
  speaks: speaksAt(upstream.url, protocols),
})
const user = (text: string) => ({ role: 'user', content: text })

/** What a request of each protocol is, but for the headers that any has. */
const requests = {
  chat: [
    '/v1/chat/completions',
    { model: 'small-1', max_completion_tokens: 1, messages: [user('ping')] },
    ['authorization', `Bearer ${firstKey}`],
  ],
  responses: [
    '/v1/responses',
    {
      ...{ model: 'small-1', store: false, max_output_tokens: 16 },
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'ping' }] }],
    },
    ['authorization', `Bearer ${firstKey}`],
  ],
  messages: [
    '/v1/messages',
    { model: 'small-1', max_tokens: 1, messages: [user('ping')] },
    ['x-api-key', firstKey, 'anthropic-version', '2023-06-01'],
  ],
  gemini: [
    '/v1beta/models/small-1:generateContent',
    {
      generationConfig: { maxOutputTokens: 1 },
      contents: [{ role: 'user', parts: [{ text: 'ping' }] }],
    },
    ['x-goog-api-key', firstKey],
  ],
} as const

const asked = (seen: readonly SeenRequest[]) =>
  seen.map(({ headers, path }) => [headers.get('authorization')?.slice(7), path])

describe('a probe', () => {
  const protocols = Object.keys(requests) as (keyof typeof requests)[]
  test.each(protocols)('of %s is a request for one token, or as few as are given', async (name) => {
    await using scene = await createProbeScene([speaking(name)])
    const result = await scene.prober.probe(scene.channel())
    expect(result).toMatchObject({ failure: undefined, status: 200 })
    expect(result?.usage).toMatchObject({ inputTokens: 7, outputTokens: 2 })
    const [path, body, [header, value, ...more]] = requests[name]
    const { headers, ...seen } = upstream.last()
    expect([seen.method, seen.path, seen.json()]).toEqual(['POST', path, body])
    expect([headers.get(header), headers.get('user-agent')]).toEqual([value, 'Tollgate'])
    if (more[0]) expect(headers.get(more[0])).toBe(more[1] ?? '')
  })

  test('tells the log what it used, and nothing of the key', async () => {
    await using scene = await createProbeScene([speaking('messages')])
    await scene.prober.probe(scene.channel())
    expect(scene.lines()).toMatchObject([
      {
        ...{ level: 'info', message: 'probe answered', channel: 'c1', model: 'small-1' },
        ...{ status: 200, input_tokens: 7, cache_write_tokens: 0, output_tokens: 2 },
      },
    ])
    expect(JSON.stringify(scene.lines())).not.toContain('upstream-key')
  })

  test('R4: that is answered ends what cools', async () => {
    await using scene = await createProbeScene([speaking('chat')])
    scene.cool('connect_failed')
    expect(scene.health.standing(scene.channel(), firstKey, 'small-1')).toBe('cooling')
    await scene.prober.probe(scene.channel())
    expect(scene.health.standing(scene.channel(), firstKey, 'small-1')).toBe('ready')
  })

  test('asks with each of the keys in turn', async () => {
    await using scene = await createProbeScene([speaking('chat')])
    for (let times = 0; times < 3; times++) await scene.prober.probe(scene.channel())
    expect(asked(upstream.requests).map(([key]) => key)).toEqual([firstKey, secondKey, firstKey])
  })

  test('asks for the first model that the channel sells where none is named', async () => {
    const models = ['a', 'b'].map((id) => ({ id, upstream: `up-${id}` }))
    const probe = { everyMs: 60_000, model: null }
    await using scene = await createProbeScene([{ ...speaking('gemini'), models, probe }])
    await scene.prober.probe(scene.channel())
    expect(upstream.last().path).toContain('/up-a:')
  })

  test('of a channel that speaks several protocols asks once', async () => {
    await using scene = await createProbeScene([speaking('chat', 'messages', 'responses')])
    await scene.prober.probe(scene.channel())
    expect(upstream.requests.map(({ path }) => path)).toEqual(['/v1/responses'])
  })

  test('X1: goes by the one door: not to private addresses, and by the channel’s proxy', async () => {
    await using proxy = await startForwardProxy()
    const closed = { ...speaking('chat'), allowPrivate: false }
    await using scene = await createProbeScene([closed, { ...speaking('chat'), proxy: proxy.url }])
    const refused = await scene.prober.probe(scene.channel(1))
    expect([refused?.failure, upstream.requests.length]).toEqual(['address_refused', 0])
    expect(await scene.prober.probe(scene.channel(2))).toMatchObject({ failure: undefined })
    expect(proxy.asked.length).toBe(1)
  })

  test('of a channel that is not probed, or drained, is none', async () => {
    const status = 'draining' as const
    const channels = [
      { ...speaking('chat'), probe: null },
      { ...speaking('chat'), status },
    ]
    await using scene = await createProbeScene(channels)
    for (const id of [1, 2]) expect(await scene.prober.probe(scene.channel(id))).toBeUndefined()
    expect(upstream.requests).toEqual([])
  })
})

describe('a probe that fails', () => {
  const failing: readonly (readonly [string, () => Response | Promise<Response>, FailureName])[] = [
    ['with 500', () => jsonAnswer({ error: { message: 'oh' } }, 500), 'upstream_failed'],
    ['with 401', () => jsonAnswer({ error: { message: 'no key' } }, 401), 'upstream_auth'],
    ['with 429', () => jsonAnswer({ error: {} }, 429), 'upstream_rate_limited'],
    ['with a page', () => new Response('<html>'), 'upstream_invalid'],
    ['with another JSON', () => jsonAnswer({ ok: true }), 'upstream_invalid'],
    ['with no end', () => new Response('{"a":"'.padEnd(2_000_000)), 'upstream_invalid'],
    ['late', stall, 'timeout_first_byte'],
    ['with a redirect', () => Response.redirect('http://127.0.0.1/', 302), 'upstream_invalid'],
    ['in 200', () => jsonAnswer({ error: { type: 'server_error' } }), 'upstream_failed'],
  ]
  test.each(failing)('%s: its class is told, and counts for health', async (_how, answer, name) => {
    upstream.handle(answer)
    // A slow machine must not make the others late, too.
    const firstByteMs = name === 'timeout_first_byte' ? 100 : 10_000
    const timeouts = { connectMs: 10_000, firstByteMs, idleMs: 10_000, totalMs: 20_000 }
    const channel = { ...speaking('chat'), timeouts, keys: [firstKey] }
    await using scene = await createProbeScene([channel])
    const strikes = failureClasses[name].cools?.strikes ?? 0
    for (let times = 0; times < strikes; times++) {
      expect((await scene.prober.probe(scene.channel()))?.failure).toBe(name)
    }
    expect(scene.health.standing(scene.channel(), firstKey, 'small-1')).toBe('cooling')
    expect(scene.health.coolings()).toMatchObject([{ channelId: 1, cause: name }])
    const told = scene.lines().filter(({ message }) => message === 'probe failed')
    const fields = { level: 'warn', channel: 'c1', model: 'small-1', cause: name }
    expect(told).toMatchObject(Array.from({ length: strikes }, () => fields))
  })

  test('because it is wrong itself says nothing of the channel, good or bad', async () => {
    await using scene = await createProbeScene([{ ...speaking('chat'), keys: [firstKey] }])
    upstream.handle(() => jsonAnswer({ error: { message: 'x is missing', param: 'x' } }, 400))
    for (let times = 0; times < 3; times++) {
      const result = await scene.prober.probe(scene.channel())
      expect(result).toMatchObject({ failure: 'client_fault', status: 400 })
    }
    expect(scene.health.coolings()).toEqual([])
    scene.cool('connect_failed')
    await scene.prober.probe(scene.channel())
    expect(scene.health.coolings().length).toBe(1)
  })

  test('cools for as long as the upstream has asked', async () => {
    await using scene = await createProbeScene([{ ...speaking('chat'), keys: [firstKey] }])
    upstream.handle(() => jsonAnswer({ error: {} }, 429, { 'retry-after': '37' }))
    await scene.prober.probe(scene.channel())
    expect(scene.health.coolingMs(scene.channel(), firstKey, 'small-1')).toBe(37_000)
  })
})

describe('the rounds', () => {
  /** Waits for what is under way. */
  const answered = (count: number) =>
    until(`${count} probes`, () => upstream.requests.length === count)

  test('begin spread over the interval, and go on at its pace, not quite evenly', async () => {
    const numbers = [0.25, 0.75]
    await using scene = await createProbeScene([speaking('chat'), speaking('messages')], () => {
      const [next = 0, ...rest] = numbers
      numbers.splice(0, 2, ...rest, next)
      return next
    })
    scene.prober.start()
    expect(scene.time.timers()).toBe(1)
    for (let second = 1; second <= 170; second++) {
      scene.time.pass(1_000)
      await until('its end', () => scene.lines().length === scene.begun.length)
    }
    // Each of them first after a part of its minute, and then after 54 to 66 s.
    expect(scene.begun).toEqual([
      ...[['c1', 16] as const, ['c2', 46] as const],
      ...[['c1', 73] as const, ['c2', 109] as const, ['c1', 130] as const],
    ])
  })

  test('leave out a channel whose clients were answered within the interval', async () => {
    await using scene = await createProbeScene([speaking('chat')])
    scene.prober.start()
    for (let second = 0; second < 120; second++) {
      if (second % 20 === 0) scene.load.sample(1, 'small-1', 100)
      scene.time.pass(1_000)
    }
    expect(scene.begun).toEqual([])
    scene.time.pass(120_000)
    await answered(1)
  })

  test('remember such an answer for longer than the channel’s load does', async () => {
    const probe = { everyMs: 600_000, model: 'small' }
    await using scene = await createProbeScene([{ ...speaking('chat'), probe }])
    scene.prober.start()
    scene.time.pass(100_000)
    scene.load.sample(1, 'small-1', 100)
    scene.time.pass(400_000)
    expect(scene.begun).toEqual([])
    scene.time.pass(600_000)
    await answered(1)
  })

  test('probe a channel that cools although its clients were answered before', async () => {
    await using scene = await createProbeScene([{ ...speaking('chat'), keys: [firstKey] }])
    scene.load.sample(1, 'small-1', 100)
    scene.cool('connect_failed')
    scene.prober.start()
    scene.time.pass(31_000)
    await until('the end', () => scene.health.coolings().length === 0)
    expect(upstream.requests.length).toBe(1)
  })

  test('leave an upstream alone that has too many requests already', async () => {
    await using scene = await createProbeScene([speaking('chat')])
    scene.cool('upstream_rate_limited')
    scene.prober.start()
    scene.time.pass(290_000)
    expect(scene.begun).toEqual([])
    scene.time.pass(80_000)
    await answered(1)
  })

  test('ask four channels at once at the most, and the others after them', async () => {
    const open = Promise.withResolvers<void>()
    upstream.handle(async (request) => {
      await open.promise
      return vendorAnswer(request)
    })
    await using scene = await createProbeScene(
      Array.from({ length: 6 }, () => speaking('chat')),
      () => 0,
    )
    scene.prober.start()
    scene.time.pass(5_000)
    await answered(4)
    scene.time.pass(5_000)
    expect(scene.begun.length).toBe(4)
    open.resolve()
    await until('four answers', () => scene.lines().length === 4)
    scene.time.pass(1_000)
    await answered(6)
  })

  test('go by the catalog as it is now', async () => {
    await using scene = await createProbeScene([{ ...speaking('chat'), probe: null }])
    scene.prober.start()
    scene.time.pass(300_000)
    expect(scene.begun).toEqual([])
    await scene.change([speaking('chat')])
    scene.time.pass(61_000)
    await answered(1)
    await until('its end', () => scene.lines().length === 1)
    const often = { everyMs: 10_000, model: 'small' }
    await scene.change([{ ...speaking('chat'), probe: often }])
    scene.time.pass(12_000)
    await answered(2)
    await scene.change([{ ...speaking('chat'), status: 'disabled' }])
    scene.time.pass(300_000)
    expect(scene.begun.length).toBe(2)
  })

  test('end with stop, and with them the probes that are under way', async () => {
    upstream.handle(stall)
    await using scene = await createProbeScene([speaking('chat')])
    scene.prober.start()
    scene.time.pass(31_000)
    await answered(1)
    await scene.prober.stop()
    expect(scene.time.timers()).toBe(0)
    expect(scene.lines()).toEqual([])
    expect(scene.health.coolings()).toEqual([])
    await upstream.last().aborted
  })
})
