import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { allDialects, dialects } from '../e2e/dialects.ts'
import { until } from '../e2e/until.ts'
import { type FakeUpstream, jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts'
import { testKey } from '../support/tollgate-yaml.ts'
import { type Running, startServing } from './serving.ts'

// Groups and accounts that serve some countries only (SPEC 7.1: region restricted).

const header = 'CF-IPCountry'
const keys = {
  allow: testKey,
  deny: 'sk-regions-deny-0123456789',
  both: 'sk-regions-both-0123456789',
  spent: 'sk-regions-spent-0123456789',
} as const
type Key = keyof typeof keys

const options = (upstream: FakeUpstream) => ({
  upstream: upstream.url,
  server: { trusted_proxies: ['127.0.0.1'] },
  settings: { country_header: header },
  group: { regions: { allow: ['CN', 'us'] } },
  moreGroups: [{ name: 'others', channels: ['main'], regions: { deny: ['RU', 'KP'] } }],
  moreAccounts: [
    {
      ...{ email: 'near@example.com', balance: 10, regions: { allow: ['DE', 'RU'] } },
      tokens: [{ name: 'both', key: keys.both, group: 'others' }],
    },
    {
      ...{ email: 'far@example.com', balance: 10 },
      tokens: [
        { name: 'deny', key: keys.deny, group: 'others' },
        {
          ...{ name: 'spent', key: keys.spent, group: 'others' },
          expires_at: '2020-01-01T00:00:00Z',
        },
      ],
    },
  ],
})

let upstream: FakeUpstream
let running: Running
beforeAll(async () => {
  upstream = startFakeUpstream(({ path }) => {
    const dialect = allDialects.find((one) => one.path(false) === path)
    return jsonAnswer(dialect?.body({ input: 10, output: 5 }) ?? {})
  })
  running = await startServing(options(upstream))
})
afterAll(async () => {
  await running[Symbol.asyncDispose]()
  await upstream.stop()
})

/** 'in', or why not. */
async function from(country: string | null, key: Key): Promise<string | null> {
  const headers = country === null ? {} : { [header]: country }
  const answer = await running.ask('/v1/chat/completions', body, keys[key], headers)
  if (answer.status === 200) return 'in'
  return `${answer.status} ${answer.headers.get('x-tollgate-reason')}`
}
const body = dialects.chat.request(false)
const out = '403 region_restricted'

describe('a group with regions', () => {
  test('allow: is for these countries alone, in whatever case they are written', async () => {
    for (const country of ['CN', 'US', 'us']) expect(await from(country, 'allow')).toBe('in')
    for (const country of ['RU', 'DE', 'UK', 'nonsense', 'constructor', 'CNUS'])
      expect(await from(country, 'allow')).toBe(out)
  })

  test('an unknown country beside a known one is none that is allowed', async () => {
    for (const country of ['US,T1', 'XX, US', 'US,', ', US'])
      expect(await from(country, 'allow')).toBe(out)
    expect(await from('T1, RU', 'deny')).toBe(out)
    expect(await from('T1, DE', 'deny')).toBe('in')
  })

  test('deny: is for all countries but these', async () => {
    for (const country of ['CN', 'DE', 'nonsense']) expect(await from(country, 'deny')).toBe('in')
    for (const country of ['RU', 'kp']) expect(await from(country, 'deny')).toBe(out)
  })

  test('an unknown country is refused by allow, and let through by deny', async () => {
    for (const country of [null, '', 'XX', 'T1', 'xx']) {
      expect([country, await from(country, 'allow')]).toEqual([country, out])
      expect([country, await from(country, 'deny')]).toEqual([country, 'in'])
    }
  })

  test('a header that came twice is no way in: each of its countries must be served', async () => {
    for (const both of ['RU, CN', 'CN,RU']) {
      expect([await from(both, 'allow'), await from(both, 'deny')]).toEqual([out, out])
    }
    expect(await from('CN, US', 'allow')).toBe('in')
  })
})

test('an account has regions of its own: it and its group must both serve the country', async () => {
  expect(await from('DE', 'both')).toBe('in')
  for (const country of ['RU', 'CN', null]) expect(await from(country, 'both')).toBe(out)
})

describe('the refusal', () => {
  test('has the shape of each protocol, names the country, and comes before the body is read', async () => {
    const asked = upstream.requests.length
    for (const dialect of allDialects) {
      const answer = await fetch(`${running.serving.url}${dialect.path(false)}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${testKey}`, [header]: 'RU' },
        body: '{',
      })
      expect([answer.status, answer.headers.get('x-tollgate-reason')]).toEqual([
        403,
        'region_restricted',
      ])
      const { error } = (await answer.json()) as { error: Record<string, unknown> }
      expect(error.message).toBe("This key's group does not answer requests from RU.")
      expect(error.type ?? error.status).toMatch(/^(permission_error|PERMISSION_DENIED)$/)
    }
    expect(upstream.requests.length).toBe(asked)
  })

  test('comes before an expired key, as that of an address does (CONTRACT 1.3)', async () => {
    expect(await from('RU', 'spent')).toBe(out)
    expect(await from('CN', 'spent')).toBe('401 expired')
  })

  test('is about every model endpoint, the list of models too', async () => {
    const headers = { authorization: `Bearer ${testKey}`, [header]: 'RU' }
    for (const path of ['/v1/models', '/v1/usage', '/v1beta/models'])
      expect((await fetch(running.serving.url + path, { headers })).status).toBe(403)
  })

  test("is in the caller's record", async () => {
    await from('RU', 'spent')
    const { records } = running.instance.store
    await until('the record', async () => {
      const rows = await Array.fromAsync(records.exportRequests({}))
      return rows.some(
        ({ cause, status, token, amountNano }) =>
          cause === 'region_restricted' && status === 403 && token === 'spent' && amountNano === 0,
      )
    })
  })
})

describe('whose header it is', () => {
  test('it is believed of a trusted proxy alone', async () => {
    await running.configure({ server: { trusted_proxies: ['10.0.0.0/8'] } })
    try {
      expect(await from('CN', 'allow')).toBe(out)
      expect(await from('RU', 'deny')).toBe('in')
    } finally {
      await running.configure({})
    }
  })

  test('another name holds as soon as the configuration does', async () => {
    await running.configure({ settings: { country_header: 'X-Country' } })
    try {
      expect(await from('CN', 'allow')).toBe(out)
    } finally {
      await running.configure({})
    }
    expect(await from('CN', 'allow')).toBe('in')
  })
})
