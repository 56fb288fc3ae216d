import { describe, expect, spyOn, test } from 'bun:test'
import type { Config } from '../../../src/app/config/config.ts'
import { type CurrentState, planChanges } from '../../../src/app/config/diff.ts'
import { formatProblems, loadConfig } from '../../../src/app/config/load.ts'
import { keyHint } from '../../../src/lib/ids.ts'
import { createSecretBox } from '../../../src/lib/secrets.ts'
import type { Writes } from '../../../src/store/ports/admin.ts'
import { openStore } from '../../support/empty-store.ts'
import { noLimits } from '../../support/no-limits.ts'

function configOf(text: string): Config {
  const loaded = loadConfig({ text, file: 'f', env: {} })
  if (!loaded.ok) throw new Error(formatProblems(loaded.problems))
  return loaded.config
}

const nothing: CurrentState = {
  catalog: { channels: [], groups: [], prices: [] },
  accounts: [],
  tokens: [],
}

/** The state that a store has after `writes` were applied to an empty one. */
function stateAfter(writes: Writes): CurrentState {
  const number = (_: unknown, i: number) => ({ id: i + 1 })
  return {
    catalog: {
      channels: (writes.channels ?? []).map((channel, i) => ({
        ...channel,
        ...number(channel, i),
        keysSealed: channel.keysSealed ?? new Uint8Array(),
        proxySealed: channel.proxySealed ?? null,
      })),
      groups: (writes.groups ?? []).map((group, i) => ({ ...group, ...number(group, i) })),
      prices: (writes.prices ?? []).map((price, i) => ({
        ...price,
        ...number(price, i),
        validFrom: 0,
      })),
    },
    accounts: (writes.accounts ?? []).map((account, i) => ({
      ...number(account, i),
      email: account.email,
      isVouched: true,
      role: account.role,
      status: account.status,
      balanceNano: account.openingNano,
      reservedNano: 0,
      creditLimitNano: account.creditLimitNano ?? 0,
      balanceLowNano: account.balanceLowNano ?? null,
      limits: account.limits ?? noLimits,
      regions: account.regions ?? null,
      tokenCount: 0,
      passwordMark: account.password?.mark ?? null,
      createdAt: 0,
    })),
    tokens: (writes.tokens ?? []).map((token, i) => ({
      ...token,
      ...number(token, i),
      createdAt: 0,
    })),
  }
}

const first = `
channels:
  - { name: main, speaks: { chat: "https://a.example/v1" }, api_key: upstream-secret, models: [m, { id: n, upstream: o }] }
  - { name: spare, speaks: { gemini: "https://b.example" }, api_keys: [k1, k2], models: [m] }
groups:
  - { name: 默认【官转·稳定】, channels: [main, spare], rate_multiplier: 0.8 }
prices:
  m: { input: 1, output: 2, tiers: [{ above: 100, input: 2, output: 4 }] }
  n: { per_call: 0.04 }
  o: { free: true }
accounts:
  - email: admin@example.com
    role: admin
    password: correct-horse
    balance: 100
    tokens:
      - { name: laptop, key: sk-abcdefghijklmnopqrstuvwxyz, group: 默认【官转·稳定】 }
  - email: user@example.com
`

const secrets = createSecretBox('a secret for this test')
const created = await planChanges({
  config: configOf(first),
  current: nothing,
  secrets,
  prune: false,
})
const state = stateAfter(created.writes)

const plan = (text: string, prune = false, current = state) =>
  planChanges({ config: configOf(text), current, secrets, prune })

const lines = ({ changes }: Awaited<ReturnType<typeof plan>>) =>
  changes.flatMap(({ action, kind, name, fields }) => [
    `${action} ${kind} ${name}`,
    ...fields.map(({ field, from, to }) => `  ${field}: ${from} → ${to}`),
  ])

describe('a first plan', () => {
  test('creates everything that the file names', () => {
    expect(created.changes.map(({ action, kind, name }) => `${action} ${kind} ${name}`)).toEqual([
      'create channel main',
      'create channel spare',
      'create group 默认【官转·稳定】',
      'create price m',
      'create price n',
      'create price o',
      'create account admin@example.com',
      'create account user@example.com',
      'create token admin@example.com/laptop',
    ])
    expect(created.writes.remove).toBeUndefined()
  })

  test('seals keys and hashes the password', async () => {
    const { channels, accounts, tokens } = created.writes
    expect(secrets.open(channels?.[0]?.keysSealed ?? new Uint8Array())).toBe('["upstream-secret"]')
    expect(secrets.open(channels?.[1]?.keysSealed ?? new Uint8Array())).toBe('["k1","k2"]')
    expect(channels?.[0]).not.toHaveProperty('apiKeys')

    const hash = accounts?.[0]?.password?.hash ?? ''
    expect(hash).toStartWith('$argon2id$')
    expect(await Bun.password.verify('correct-horse', hash)).toBe(true)
    expect(accounts?.[1]).not.toHaveProperty('password')
    expect(accounts?.[0]?.openingNano).toBe(100_000_000_000)

    expect(tokens?.[0]?.keyHash).toBe(secrets.keyedHash('sk-abcdefghijklmnopqrstuvwxyz'))
    expect(tokens?.[0]?.keyHint).toBe('sk-ab…wxyz')
    expect(secrets.open(tokens?.[0]?.keySealed ?? new Uint8Array())).toStartWith('sk-abc')
    expect(tokens?.[0]).not.toHaveProperty('key')
  })

  test('shows no secret', () => {
    const shown = JSON.stringify(created.changes)
    for (const secret of ['upstream-secret', 'k1', 'correct-horse', 'sk-abcdefghij', 'argon2'])
      expect(shown).not.toContain(secret)
  })
})

describe('an unchanged file', () => {
  test.each([false, true])('gives an empty plan (prune %p)', async (prune) => {
    expect(await plan(first, prune)).toEqual({ changes: [], heldBack: [], writes: {} })
  })

  test('is unchanged whatever the order of lists, the form of numbers and the balance', async () => {
    const same = first
      .replace('[m, { id: n, upstream: o }]', '[{ id: n, upstream: o }, m]')
      .replace('[main, spare]', '[spare, main]')
      .replace('0.8', '0.80')
      .replace('balance: 100', 'balance: 7')
    expect(same).not.toBe(first)
    expect(await plan(same)).toEqual({ changes: [], heldBack: [], writes: {} })
  })

  test('an empty file changes nothing', async () => {
    expect(await plan('')).toEqual({ changes: [], heldBack: [], writes: {} })
  })
})

describe('a changed file', () => {
  test('names a model that goes by another name upstream as the file does', async () => {
    const changes = await plan(first.replace('upstream: o }', 'upstream: p }'))
    expect(lines(changes)).toEqual([
      'update channel main',
      '  models: ["m",{"id":"n","upstream":"o"}] → ["m",{"id":"n","upstream":"p"}]',
    ])
  })

  test('updates what differs, and nothing else', async () => {
    const changed = first
      .replace('rate_multiplier: 0.8', 'rate_multiplier: 0.9, models: [m]')
      .replace('above: 100, input: 2', 'above: 100, input: 3')
      .replace('{ per_call: 0.04 }', '{ input: 1, output: 1 }')
      .replace('"https://a.example/v1"', '"https://c.example/v1"')
      .replace('role: admin', 'role: user')
    const changes = await plan(changed)
    expect(lines(changes)).toEqual([
      'update channel main',
      '  speaks.chat: https://a.example/v1 → https://c.example/v1',
      'update group 默认【官转·稳定】',
      '  rate_multiplier: 0.8 → 0.9',
      '  models: [] → ["m"]',
      'update price m',
      '  above 100: input: 2 → 3',
      'update price n',
      '  input: null → 1',
      '  output: null → 1',
      '  per_call: 0.04 → null',
      'update account admin@example.com',
      '  role: admin → user',
    ])
    // The keys stay sealed as they are, the password as it is hashed.
    expect(changes.writes.channels).toHaveLength(1)
    expect(changes.writes.channels?.[0]).not.toHaveProperty('keysSealed')
    expect(changes.writes.accounts?.[0]).not.toHaveProperty('password')
    expect(changes.writes.tokens).toBeUndefined()
  })

  test('a new channel key is sealed, and shown as changed only', async () => {
    const changes = await plan(first.replace('upstream-secret', 'another-secret'))
    expect(lines(changes)).toEqual(['update channel main', '  api_keys: set → changed'])
    const sealed = changes.writes.channels?.[0]?.keysSealed ?? new Uint8Array()
    expect(secrets.open(sealed)).toBe('["another-secret"]')
  })

  test('a new password is hashed, and shown as changed only', async () => {
    const changes = await plan(first.replace('correct-horse', 'battery-staple'))
    expect(lines(changes)).toEqual([
      'update account admin@example.com',
      '  password: set → changed',
    ])
    const { hash = '', mark } = changes.writes.accounts?.[0]?.password ?? {}
    expect(await Bun.password.verify('battery-staple', hash)).toBe(true)
    expect(mark).not.toBe(state.accounts[0]?.passwordMark ?? '')
    expect(JSON.stringify(changes.changes)).not.toContain('battery-staple')
  })

  test('what is kept of a password takes time to guess; a quick hash of a former version is replaced', async () => {
    const kept = state.accounts[0]?.passwordMark ?? ''
    expect(kept).toStartWith('$argon2id$')
    const password = 'correct-horse'
    const quick = secrets.keyedHash(`password:admin@example.com:${password}`)
    const old = state.accounts.map((account) => ({ ...account, passwordMark: quick }))
    const { writes } = await plan(first, false, { ...state, accounts: old })
    const { hash, mark = '' } = writes.accounts?.[0]?.password ?? {}
    // The password itself may be another one by now: it stays.
    expect(hash).toBeUndefined()
    expect(await Bun.password.verify(password, mark)).toBe(true)
  })

  test('a password that was compared once is not compared again by a process, and another one is', async () => {
    await plan(first)
    const verify = spyOn(Bun.password, 'verify')
    try {
      expect(await plan(first)).toMatchObject({ changes: [] })
      expect(verify).not.toHaveBeenCalled()
      const other = await plan(first.replace('correct-horse', 'another-horse'))
      expect(lines(other)).toContain('update account admin@example.com')
      expect(verify).toHaveBeenCalledTimes(1)
    } finally {
      verify.mockRestore()
    }
  })

  test('a password that is left out stays', async () => {
    expect(await plan(first.replace('password: correct-horse', ''))).toEqual({
      changes: [],
      heldBack: [],
      writes: {},
    })
  })

  test('equal passwords of two accounts have different marks', async () => {
    const both = first.replace(
      'email: user@example.com',
      'email: u@b.c\n    password: correct-horse',
    )
    const { writes } = await plan(both, false, nothing)
    expect(writes.accounts?.[0]?.password?.mark).not.toBe(writes.accounts?.[1]?.password?.mark)
  })

  test('a token of the same key takes a new name, group and state', async () => {
    const changes = await plan(
      first.replace(
        'name: laptop',
        'name: desk, enabled: false, expires_at: "2027-01-01T00:00:00Z"',
      ),
    )
    expect(lines(changes)).toEqual([
      'update token admin@example.com/desk',
      '  name: laptop → desk',
      '  enabled: true → false',
      '  expires_at: null → 2027-01-01T00:00:00.000Z',
    ])
    expect(changes.writes.remove).toBeUndefined()
    expect(changes.writes.tokens?.[0]?.keySealed).toBe(state.tokens[0]?.keySealed)
  })

  test('limits of an account and budgets of a token are shown and written', async () => {
    const changes = await plan(
      first
        .replace(
          'balance: 100',
          'balance: 100\n    credit_limit: 50\n    balance_low_threshold: 2.5',
        )
        .replace('name: laptop', 'name: laptop, budget: { day: 5, month: 100 }'),
    )
    expect(lines(changes)).toEqual([
      'update account admin@example.com',
      '  credit_limit: 0 → 50',
      '  balance_low_threshold: null → 2.5',
      'update token admin@example.com/laptop',
      '  budget.day: null → 5',
      '  budget.month: null → 100',
    ])
    expect(changes.writes.accounts?.[0]).toMatchObject({
      creditLimitNano: 50_000_000_000,
      balanceLowNano: 2_500_000_000,
    })
    expect(changes.writes.tokens?.[0]?.budget).toEqual({
      totalNano: null,
      dayNano: 5_000_000_000,
      monthNano: 100_000_000_000,
    })
  })

  test('what one request of a token may cost is shown and written', async () => {
    const changes = await plan(
      first.replace('name: laptop', 'name: laptop, max_cost_per_request: 0.5'),
    )
    expect(lines(changes)).toEqual([
      'update token admin@example.com/laptop',
      '  max_cost_per_request: null → 0.5',
    ])
    expect(changes.writes.tokens?.[0]?.maxCostNano).toBe(500_000_000)
  })

  test('limits are shown and written, each by itself', async () => {
    const changes = await plan(
      first
        .replace('api_key: upstream-secret', 'api_key: upstream-secret, limits: { rpm: 600 }')
        .replace('rate_multiplier: 0.8', 'rate_multiplier: 0.8, limits: { tpm: 9000 }')
        .replace('role: admin', 'role: admin\n    limits: { concurrency: 10 }')
        .replace('name: laptop', 'name: laptop, limits: { rpm: 60, tpm: 100, concurrency: 1 }'),
    )
    expect(lines(changes)).toEqual([
      'update channel main',
      '  limits.rpm: null → 600',
      'update group 默认【官转·稳定】',
      '  limits.tpm: null → 9000',
      'update account admin@example.com',
      '  limits.concurrency: null → 10',
      'update token admin@example.com/laptop',
      '  limits.rpm: null → 60',
      '  limits.tpm: null → 100',
      '  limits.concurrency: null → 1',
    ])
    const { channels, groups, accounts, tokens } = changes.writes
    expect(channels?.[0]?.limits).toEqual({ ...noLimits, rpm: 600 })
    expect(groups?.[0]?.limits).toEqual({ ...noLimits, tpm: 9_000 })
    expect(accounts?.[0]?.limits).toEqual({ ...noLimits, concurrency: 10 })
    expect(tokens?.[0]?.limits).toEqual({ rpm: 60, tpm: 100, concurrency: 1 })
  })

  test('limits of an account that the file leaves out stay; null takes them away', async () => {
    const limits = { rpm: 60, tpm: null, concurrency: 2 }
    const accounts = state.accounts.map((account) => ({ ...account, limits }))
    const current = { ...state, accounts }
    expect(await plan(first, false, current)).toEqual({ changes: [], heldBack: [], writes: {} })
    const other = await plan(first.replace('role: admin', 'role: user'), false, current)
    expect(other.writes.accounts?.[0]).not.toHaveProperty('limits')
    const named = first.replace('role: admin', 'role: admin\n    limits: null')
    const changes = await plan(named, false, current)
    expect(lines(changes)).toEqual([
      'update account admin@example.com',
      '  limits.rpm: 60 → null',
      '  limits.concurrency: 2 → null',
    ])
    expect(changes.writes.accounts?.[0]?.limits).toEqual(noLimits)
  })

  test('a channel that drains, and its probe, are shown and written', async () => {
    const text = first.replace(
      'api_key: upstream-secret',
      'api_key: upstream-secret, drain: true, probe: { every: 90s, model: n }',
    )
    const changes = await plan(text)
    expect(lines(changes)).toEqual([
      'update channel main',
      '  drain: false → true',
      '  probe.every: null → 90s',
      '  probe.model: null → n',
    ])
    expect(changes.writes.channels?.[0]).toMatchObject({
      status: 'draining',
      probe: { everyMs: 90_000, model: 'n' },
    })
    const off = await plan(text.replace('drain: true', 'drain: true, enabled: false'))
    expect(lines(off)).toContain('  enabled: true → false')
    expect(off.writes.channels?.[0]?.status).toBe('disabled')
  })

  test('a proxy is sealed and compared, but never shown', async () => {
    const withProxy = (password: string) =>
      first.replace(
        'api_key: upstream-secret',
        `api_key: upstream-secret, proxy: "http://user:${password}@proxy.example:3128"`,
      )
    const added = await plan(withProxy('hunter2'))
    expect(lines(added)).toEqual(['update channel main', '  proxy: null → set'])
    const sealed = added.writes.channels?.[0]?.proxySealed ?? new Uint8Array()
    expect(secrets.open(sealed)).toBe('http://user:hunter2@proxy.example:3128')
    expect(added.writes.channels?.[0]).not.toHaveProperty('proxy')
    expect(added.writes.channels?.[0]).not.toHaveProperty('keysSealed')

    const current = stateAfter((await plan(withProxy('hunter2'), false, nothing)).writes)
    expect(await plan(withProxy('hunter2'), false, current)).toEqual({
      changes: [],
      heldBack: [],
      writes: {},
    })
    const heavier = withProxy('hunter2').replace('name: main', 'name: main, weight: 2')
    const other = await plan(heavier, false, current)
    expect(lines(other)).toEqual(['update channel main', '  weight: 1 → 2'])
    expect(other.writes.channels?.[0]).not.toHaveProperty('proxySealed')

    const changed = await plan(withProxy('hunter3'), false, current)
    expect(lines(changed)).toEqual(['update channel main', '  proxy: set → changed'])
    expect(JSON.stringify(changed.changes)).not.toContain('hunter')
    const removed = await plan(first, false, current)
    expect(lines(removed)).toEqual(['update channel main', '  proxy: set → null'])
    expect(removed.writes.channels?.[0]?.proxySealed).toBeNull()
  })

  test('quirks of a channel and the strictness of a token are shown and written', async () => {
    const quirky = first.replace('models: [m] }', 'models: [m], quirks: [gemini_budget] }')
    const changes = await plan(quirky.replace('name: laptop', 'name: laptop, strict: true'))
    expect(lines(changes)).toEqual([
      'update channel spare',
      '  quirks: [] → ["gemini_budget"]',
      'update token admin@example.com/laptop',
      '  strict: false → true',
    ])
    expect(changes.writes.channels).toMatchObject([{ name: 'spare', quirks: ['gemini_budget'] }])
    expect(changes.writes.tokens).toMatchObject([{ name: 'laptop', isStrict: true }])
  })

  test('quirks in another order are the same', async () => {
    const [one, other] = ['[max_tokens, text_only]', '[text_only, max_tokens]'].map((quirks) =>
      first.replace('o }] }', `o }], quirks: ${quirks} }`),
    )
    const before = stateAfter((await plan(one ?? '', false, nothing)).writes)
    expect(before.catalog.channels[0]?.quirks).toEqual(['max_tokens', 'text_only'])
    expect((await plan(other ?? '', false, before)).changes).toEqual([])
  })

  test('what the file does not name of an account stays; null takes its threshold away', async () => {
    const accounts = state.accounts.map((account) => ({
      ...account,
      creditLimitNano: 7_000_000_000,
      balanceLowNano: 1_000_000_000,
    }))
    const current = { ...state, accounts }
    expect(await plan(first, false, current)).toEqual({ changes: [], heldBack: [], writes: {} })
    const other = first.replace('role: admin', 'role: user')
    const { writes } = await plan(other, false, current)
    expect(writes.accounts?.[0]).not.toHaveProperty('creditLimitNano')
    expect(writes.accounts?.[0]).not.toHaveProperty('balanceLowNano')
    const named = first.replace('role: admin', 'role: admin\n    balance_low_threshold: null')
    const changes = await plan(named, false, current)
    expect(lines(changes)).toEqual([
      'update account admin@example.com',
      '  balance_low_threshold: 1 → null',
    ])
    expect(changes.writes.accounts?.[0]?.balanceLowNano).toBeNull()
  })

  test('a context window that changes is a change of the price', async () => {
    const changes = await plan(
      first.replace('output: 2, tiers', 'output: 2, context_window: 9, tiers'),
    )
    expect(lines(changes)).toEqual(['update price m', '  context_window: null → 9'])
  })

  test('a new key under an old name replaces the old key, which is removed', async () => {
    const changes = await plan(first.replace('sk-abcdefghijklmn', 'sk-zyxwvutsrqponm'))
    expect(lines(changes)).toEqual([
      'update token admin@example.com/laptop',
      '  key: set → changed',
    ])
    expect(changes.writes.tokens).toHaveLength(1)
    expect(changes.writes.remove?.tokenIds).toEqual([1])
  })

  test('a removed price is created again', async () => {
    const { catalog } = state
    const prices = catalog.prices.map((row) => ({ ...row, terms: { unit: 'none' } as const }))
    const current = { ...state, catalog: { ...catalog, prices } }
    const changes = await plan(first, false, current)
    expect(changes.changes.map(({ action, name }) => `${action} ${name}`)).toEqual([
      'create m',
      'create n',
      'create o',
    ])
  })
})

describe('prune', () => {
  const less = `
channels:
  - { name: main, speaks: { chat: "https://a.example/v1" }, api_key: upstream-secret, models: [m, { id: n, upstream: o }] }
prices: { m: { input: 1, output: 2, tiers: [{ above: 100, input: 2, output: 4 }] } }
accounts: [{ email: admin@example.com, role: admin }]
`
  test('removes what the file does not name', async () => {
    const changes = await plan(less, true)
    expect(lines(changes)).toEqual([
      'remove channel spare',
      'remove group 默认【官转·稳定】',
      'remove price n',
      'remove price o',
      'remove account user@example.com',
      'remove token admin@example.com/laptop',
    ])
    expect(changes.writes).toEqual({
      remove: {
        channels: ['spare'],
        groups: ['默认【官转·稳定】'],
        prices: ['n', 'o'],
        accounts: ['user@example.com'],
        tokenIds: [1],
      },
    })
  })

  test('is not done unasked', async () => {
    expect(await plan(less)).toEqual({ changes: [], heldBack: [], writes: {} })
  })
})

test('a secret that does not fit the database is an error, not a change', async () => {
  const other = createSecretBox('another secret')
  const input = { config: configOf(first), current: state, secrets: other, prune: false }
  await expect(planChanges(input)).rejects.toThrow('another secret')
})

test('hints of short keys give nothing away', () => {
  expect(keyHint('sk-abcdefghijklmnopqrstuvwxyz')).toBe('sk-ab…wxyz')
  expect(keyHint('sk-short')).toBe('sk-…')
})

test('what the database holds after a plan is applied needs no further plan', async () => {
  const store = await openStore(() => 0)
  const read = async (): Promise<CurrentState> => ({
    catalog: await store.catalog.load(),
    accounts: await store.admin.accounts(),
    tokens: await store.admin.tokens({}),
  })
  const apply = async (text: string, prune: boolean) => {
    const { writes, changes } = await plan(text, prune, await read())
    await store.admin.write(writes)
    return changes.length
  }
  // Among the rest a key is replaced under its name: the store must take what the plan says.
  const second = first
    .replace('sk-abcdefghijklmn', 'sk-zyxwvutsrqponm')
    .replace('0.8', '1.25, limits: { rpm: 5 }, models: [n, m], enabled: false')
    .replace('{ per_call: 0.04 }', '{ input: 0.000001, output: 3, cache_write_1h: 4 }')
    .replace('[k1, k2]', '[k2]')
    .replace('role: admin', 'role: admin\n    credit_limit: 3\n    balance_low_threshold: 4')
    .replace('name: laptop', 'name: laptop, strict: true, budget: { total: 9, day: 0 }')
    .replace('upstream: o }] }', 'upstream: o }], quirks: [max_tokens, text_only] }')
    .replace('output: 2, tiers', 'output: 2, context_window: 9, tiers')
    .replace('correct-horse', 'battery-staple')
  try {
    for (const text of [first, second, first]) {
      expect(await apply(text, false)).toBeGreaterThan(0)
      expect(await plan(text, true, await read())).toEqual({
        changes: [],
        heldBack: [],
        writes: {},
      })
    }
    expect(await apply('accounts: [{ email: user@example.com }]', true)).toBe(8)
    const left = await read()
    expect(left.accounts.map(({ email }) => email)).toEqual(['user@example.com'])
    expect([left.tokens, left.catalog.channels, left.catalog.groups]).toEqual([[], [], []])
    expect(await plan('accounts: [{ email: user@example.com }]', true, left)).toEqual({
      changes: [],
      heldBack: [],
      writes: {},
    })
    expect(await apply(first, false)).toBe(8)
  } finally {
    await store.close()
  }
})
