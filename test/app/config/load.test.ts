import { describe, expect, test } from 'bun:test'
import { resolve } from 'node:path'
import type { Config } from '../../../src/app/config/config.ts'
import {
  formatProblems,
  loadConfig,
  loadFileWord,
  loadStoreConfig,
} from '../../../src/app/config/load.ts'
import { noLimits } from '../../support/no-limits.ts'

function load(text: string, env: { [name: string]: string } = {}, file = 'tollgate.yaml') {
  const loaded = loadConfig({ text, file, env })
  if (!loaded.ok) throw new Error(formatProblems(loaded.problems))
  return loaded
}

const configOf = (text: string, env?: { [name: string]: string }): Config => load(text, env).config

describe('the example of the design', async () => {
  const text = await Bun.file(`${import.meta.dir}/design-example.yaml`).text()
  const { config, warnings } = load(text, { OPENAI_API_KEY: 'key-1', ADMIN_PASSWORD: 'pass' })

  test('loads as it stands', () => {
    expect(config.channels).toEqual([
      {
        name: 'openai-main',
        status: 'active',
        speaks: { chat: 'https://api.openai.com/v1', responses: 'https://api.openai.com/v1' },
        apiKeys: ['key-1'],
        models: [
          { id: 'gpt-5-mini', upstream: 'gpt-5-mini' },
          { id: 'fast', upstream: 'gpt-5-nano' },
        ],
        priority: 0,
        weight: 1,
        timeouts: {
          connectMs: 10_000,
          firstByteMs: 300_000,
          idleMs: 120_000,
          totalMs: 3_600_000,
        },
        allowPrivate: false,
        quirks: [],
        limits: noLimits,
        proxy: null,
        probe: null,
      },
    ])
    expect(config.groups).toEqual([
      {
        name: '默认【官转·稳定】',
        status: 'active',
        description: '…',
        platform: 'openai',
        multiplierMillionths: 800_000,
        channels: ['openai-main'],
        models: [],
        longContextPricing: true,
        limits: { rpm: 600, tpm: null, concurrency: 100 },
        accounts: null,
        tools: null,
        regions: null,
        onDisconnect: 'bill_observed',
      },
    ])
    expect(config.accounts[0]?.openingNano).toBe(100_000_000_000)
    expect(config.accounts[0]?.password).toBe('pass')
    expect(config.accounts[0]?.tokens[0]?.group).toBe(config.groups[0]?.name ?? '')
  })

  test('has exact prices', () => {
    const unset = { cacheRead: null, cacheWrite: null, cacheWrite1h: null }
    const set = { source: 'config' as const, note: '' }
    expect(config.prices).toEqual([
      {
        ...set,
        model: 'gpt-5-mini',
        terms: {
          unit: 'tokens',
          base: { ...unset, input: 250_000, output: 2_000_000, cacheRead: 25_000 },
          tiers: [],
        },
      },
      {
        ...set,
        model: 'long-model',
        terms: {
          unit: 'tokens',
          base: { ...unset, input: 1_250_000, output: 10_000_000 },
          tiers: [{ ...unset, above: 200_000, input: 2_500_000, output: 15_000_000 }],
        },
      },
      { ...set, model: 'painter', terms: { unit: 'call', perCallNano: 40_000_000 } },
      { ...set, model: 'house-llm', terms: { unit: 'free' } },
    ])
  })

  test('warns of nothing: its limits are enforced', () => {
    expect(warnings.map(({ path }) => path)).toEqual(['accounts[0].tokens[0].key'])
  })
})

test.each(['', '\n', '# nothing\n', '---\n', 'server:\nchannels:\naccounts: ~\n'])(
  'an empty file is all defaults: %j',
  (text) => {
    expect(load(text)).toEqual({
      ok: true,
      warnings: [],
      config: {
        fixed: new Map(),
        server: {
          host: '127.0.0.1',
          port: 8787,
          trustedProxies: [],
          metrics: null,
          maxBodyBytes: 64 * 2 ** 20,
          memoryBytes: null,
          workers: 'auto',
          maxConnections: null,
          maxRequests: null,
          shutdownDelayMs: 0,
          shutdownGraceMs: 30_000,
        },
        store: {
          ...{ path: resolve('tollgate.db'), synchronous: 'normal' },
          spool: resolve('tollgate.db.spool'),
        },
        counters: null,
        updates: null,
        site: {
          name: 'Tollgate',
          domain: null,
          baseUrl: null,
          overseasBaseUrl: null,
          statusUrl: null,
          priceBackupUrl: null,
          logoUrl: null,
          accent: null,
          frontPage: null,
          subtitle: null,
          docUrl: null,
          contact: null,
          customEndpoints: [],
          plazaDescription: null,
        },
        settings: {
          registrationEnabled: false,
          balanceLowThresholdNano: 5_000_000_000,
          usualOutputTokens: 4096,
          maxAttempts: 6,
          retryTimeMs: 120_000,
          queueTimeMs: 0,
          channelCooling: true,
          feedCurrency: 'CNY',
          feedIntervalMs: 120_000,
          modelsList: 'all',
          unknownAnswers: 'refuse_shared',
          countryHeader: null,
          keepResponsesMs: 86_400_000,
          keepResponsesBytes: 268_435_456,
          responsesWebsocket: true,
          geminiQueryKey: false,
          modelPlazaEnabled: true,
          modelPlazaRequireAuth: false,
          plazaGroups: 'open',
          feedGroups: 'open',
        },
        signIn: { providers: [] },
        channels: [],
        groups: [],
        prices: [],
        accounts: [],
      },
    })
  },
)

test('the database lies beside the file, unless its path is absolute or memory', () => {
  const pathOf = (store: string) => {
    const { spool: _, ...rest } = load(`store: ${store}`, {}, '/etc/gate/tollgate.yaml').config
      .store
    return rest
  }
  const normal = { synchronous: 'normal' } as const
  expect(pathOf('sqlite:./tollgate.db')).toEqual({ path: '/etc/gate/tollgate.db', ...normal })
  expect(pathOf('sqlite:/var/lib/t.db')).toEqual({ path: '/var/lib/t.db', ...normal })
  expect(pathOf('"sqlite::memory:"')).toEqual({ path: ':memory:', ...normal })
  expect(pathOf('{ url: sqlite:x.db, synchronous: full }')).toMatchObject({ synchronous: 'full' })
})

test('the database may be on a server', () => {
  const url = 'postgres://gate:pw@db.example.com:5433/tollgate?sslmode=require'
  const spool = resolve('tollgate.spool')
  expect(configOf(`store: "${url}"`).store).toEqual({ url, spool })
  expect(configOf(`store: { url: "${url}" }`).store).toEqual({ url, spool })
})

test('the spool lies beside the database file, or with a server beside the configuration', () => {
  const url = 'postgres://gate:pw@db.example.com:5433/tollgate'
  const spoolOf = (text: string) => load(text, {}, '/etc/gate/tollgate.yaml').config.store.spool
  expect(spoolOf('store: sqlite:/var/lib/t.db')).toBe('/var/lib/t.db.spool')
  expect(spoolOf('store: "sqlite::memory:"')).toBeNull()
  expect(spoolOf(`store: ${url}`)).toBe('/etc/gate/tollgate.spool')
  expect(spoolOf(`{ store: "${url}", server: { spool: ./here } }`)).toBe('/etc/gate/here')
  expect(spoolOf(`{ store: "${url}", server: { spool: off } }`)).toBeNull()
  expect(spoolOf('server: { spool: /mnt/other }')).toBe('/mnt/other')
})

test('only a node whose database is on a server can do without a spool', () => {
  const loaded = loadConfig({ text: 'server: { spool: off }', file: 't.yaml', env: {} })
  const problems = loaded.ok ? [] : loaded.problems
  expect(problems.map(({ path, message }) => [path, message])).toEqual([
    ['server.spool', expect.stringContaining('name a folder, or leave it out')],
  ])
})

test('listens on IPv6, names and any port', () => {
  const listen = (text: string) => {
    const { host, port } = configOf(`server: { listen: "${text}" }`).server
    return [host, port]
  }
  expect(listen('[::1]:8787')).toEqual(['::1', 8787])
  expect(listen('localhost:0')).toEqual(['localhost', 0])
  expect(listen('0.0.0.0:80')).toEqual(['0.0.0.0', 80])
})

test('names are texts as they are written, whatever YAML would make of them', () => {
  const config = configOf(`groups:
  - { name: 1.0, channels: [007, true, 0x1f] }
prices: { 4: { free: true }, 1.10: { free: true }, __proto__: { free: true } }
`)
  expect(config.groups[0]?.name).toBe('1.0')
  expect(config.groups[0]?.channels).toEqual(['007', 'true', '0x1f'])
  expect(config.prices.map(({ model }) => model)).toEqual(['4', '1.10', '__proto__'])
})

test('anchors and aliases work', () => {
  const config = configOf(`groups:
  - { name: a, channels: &c [x, y] }
  - { name: b, channels: *c }
`)
  expect(config.groups[1]?.channels).toEqual(['x', 'y'])
})

test('what is switched off is disabled', () => {
  const config = configOf(`
channels: [{ name: c, enabled: false, speaks: { gemini: "http://127.0.0.1:1" }, api_keys: [a, b], models: [m] }]
groups: [{ name: g, enabled: false, channels: [c] }]
accounts:
  - email: a@localhost
    enabled: false
    tokens: [{ name: t, key: sk-0123456789abcdef0123, group: g, enabled: false, expires_at: "2027-01-31T12:00:00+02:00", ip_allow: [10.0.0.0/8, "2001:db8::/32", "::1"] }]
`)
  expect(config.channels[0]?.status).toBe('disabled')
  expect(config.channels[0]?.apiKeys).toEqual(['a', 'b'])
  expect(config.groups[0]?.status).toBe('disabled')
  expect(config.accounts[0]?.status).toBe('disabled')
  expect(config.accounts[0]?.tokens[0]).toEqual({
    name: 't',
    key: 'sk-0123456789abcdef0123',
    group: 'g',
    status: 'disabled',
    models: [],
    ipAllow: ['10.0.0.0/8', '2001:db8::/32', '::1'],
    isStrict: false,
    expiresAt: Date.UTC(2027, 0, 31, 10),
    budget: { totalNano: null, dayNano: null, monthNano: null },
    maxCostNano: null,
    limits: noLimits,
  })
})

test('quirks and strict tokens may come from the environment, and be said to be none', () => {
  const { channels, accounts } = configOf(
    `
channels:
  - { name: c, speaks: { chat: "https://a.example" }, api_key: k, models: [m], quirks: ["\${QUIRK}", no_developer_role] }
  - { name: d, speaks: { chat: "https://a.example" }, api_key: k, models: [m], quirks: [] }
  - { name: e, speaks: { chat: "https://a.example" }, api_key: k, models: [m], quirks: }
accounts:
  - email: a@b.c
    tokens:
      - { name: t, key: sk-0123456789, group: g, strict: "\${STRICT}" }
      - { name: u, key: sk-9876543210, group: g, strict: false }
`,
    { QUIRK: 'max_tokens', STRICT: 'true' },
  )
  expect(channels.map(({ quirks }) => quirks)).toEqual([
    ['max_tokens', 'no_developer_role'],
    [],
    [],
  ])
  expect(accounts[0]?.tokens.map(({ isStrict }) => isStrict)).toEqual([true, false])
})

describe('budgets', () => {
  const budgetOf = (budget: string) =>
    configOf(
      `accounts: [{ email: a@b.c, tokens: [{ name: t, key: sk-0123456789, group: g${budget} }] }]`,
      { DAY: '0.5' },
    ).accounts[0]?.tokens[0]?.budget
  const none = { totalNano: null, dayNano: null, monthNano: null }

  test.each([
    ['', none],
    [', budget: null', none],
    [', budget: ~', none],
    [', budget: 20', { ...none, totalNano: 20_000_000_000 }],
    [', budget: "2.5"', { ...none, totalNano: 2_500_000_000 }],
    [', budget: 0', { ...none, totalNano: 0 }],
    [', budget: { day: 0 }', { ...none, dayNano: 0 }],
    [`, budget: { day: \${DAY} }`, { ...none, dayNano: 500_000_000 }],
    [', budget: { total: null, month: 0.000000001 }', { ...none, monthNano: 1 }],
    [', budget: { day: null }', none],
    [
      ', budget: { total: 100, day: 5, month: 50 }',
      { totalNano: 100_000_000_000, dayNano: 5_000_000_000, monthNano: 50_000_000_000 },
    ],
  ])('are in all, or by UTC day and month: %j', (text, budget) => {
    expect(budgetOf(text)).toEqual(budget)
  })
})

test('what an account leaves out is not the same as null or 0', () => {
  const account = (text: string) => {
    const [{ creditLimitNano, balanceLowNano } = {}] = configOf(
      `accounts: [{ email: a@b.c${text} }]`,
    ).accounts
    return [creditLimitNano, balanceLowNano]
  }
  expect(account('')).toEqual([undefined, undefined])
  expect(account(', credit_limit: 0, balance_low_threshold: null')).toEqual([0, null])
  expect(account(', credit_limit: 500, balance_low_threshold: 0.5')).toEqual([
    500_000_000_000, 500_000_000,
  ])
})

describe('limits', () => {
  const all = { rpm: 60, tpm: 1_000, concurrency: 2 }
  test.each([
    ['', noLimits],
    [', limits:', noLimits],
    [', limits: {}', noLimits],
    [', limits: { rpm: 60 }', { ...noLimits, rpm: 60 }],
    [', limits: { rpm: 60, tpm: null }', { ...noLimits, rpm: 60 }],
    [', limits: { rpm: 60, tpm: 1000, concurrency: 2 }', all],
    [`, limits: { concurrency: \${N} }`, { ...noLimits, concurrency: 7 }],
  ])('what is not named of a channel, a group or a token is none: %j', (text, limits) => {
    const { channels, groups, accounts } = configOf(
      `
channels: [{ name: c, speaks: { chat: "https://a.example" }, api_key: k, models: [m]${text} }]
groups: [{ name: g, channels: [c]${text} }]
accounts: [{ email: a@b.c, tokens: [{ name: t, key: sk-0123456789, group: g${text} }] }]
`,
      { N: '7' },
    )
    expect(channels[0]?.limits).toEqual(limits)
    expect(groups[0]?.limits).toEqual(limits)
    expect(accounts[0]?.tokens[0]?.limits).toEqual(limits)
  })

  test.each([
    ['', undefined],
    [', limits: null', noLimits],
    [', limits: {}', noLimits],
    [', limits: { tpm: 1000 }', { ...noLimits, tpm: 1_000 }],
  ])('an account that leaves them out has those that it has: %j', (text, limits) => {
    const { accounts } = configOf(`accounts: [{ email: a@b.c${text} }]`)
    expect(accounts[0]?.limits).toEqual(limits)
    if (limits === undefined) expect(accounts[0]).not.toHaveProperty('limits')
  })
})

describe('a channel', () => {
  const channelOf = (more: string) =>
    configOf(
      `channels: [{ name: c, speaks: { chat: "https://a.example" }, api_key: k, models: [{ id: m, upstream: n }]${more} }]`,
      { PASSWORD: 'hunter2' },
    ).channels[0]

  test.each([
    ['', 'active'],
    [', drain: false', 'active'],
    [', drain: true', 'draining'],
    [', enabled: true, drain: true', 'draining'],
    [', enabled: false, drain: true', 'disabled'],
  ] as const)('drains when it is told to, unless it is off: %j', (text, status) => {
    expect(channelOf(text)?.status).toBe(status)
  })

  test.each([
    'http://proxy.example:3128',
    'https://proxy.example',
    'HTTP://10.0.0.1:8080/',
    'http://[::1]:3128',
    'http://user:pass%40word@proxy.example:3128',
  ])('is reached by a proxy: %s', (proxy) => {
    expect(channelOf(`, proxy: "${proxy}"`)?.proxy).toBe(proxy)
  })

  test('takes the password of a proxy from the environment', () => {
    const proxy = channelOf(`, proxy: "http://user:\${PASSWORD}@proxy.example:1"`)?.proxy
    expect(proxy).toBe('http://user:hunter2@proxy.example:1')
  })

  test('is probed with its first model, or the one that is named', () => {
    expect(channelOf('')?.probe).toBeNull()
    expect(channelOf(', probe: { every: 5s }')?.probe).toEqual({ everyMs: 5_000, model: null })
    const named = channelOf(', probe: { every: 1m, model: m }')
    expect(named?.probe).toEqual({ everyMs: 60_000, model: 'm' })
  })
})

test('attempts, their time and the queue are settings; metrics have an address of their own', () => {
  const { settings, server } = configOf(`
server: { metrics: "[::1]:0" }
settings: { max_attempts: 100, retry_time: 500ms, queue_time: 1m, channel_cooling: false }
`)
  expect(settings).toMatchObject({ maxAttempts: 100, retryTimeMs: 500, queueTimeMs: 60_000 })
  expect(settings.channelCooling).toBe(false)
  expect(server.metrics).toEqual({ host: '::1', port: 0 })
  expect(configOf('settings: { queue_time: 0s }').settings.queueTimeMs).toBe(0)
  // Any free port is never the same one.
  const both = configOf('server: { listen: "127.0.0.1:0", metrics: "127.0.0.1:0" }').server
  expect(both.metrics).toEqual({ host: '127.0.0.1', port: 0 })
})

test('a usual output and a context window are whole numbers of tokens', () => {
  const config = configOf(
    'settings: { usual_output: 800 }\nprices: { m: { input: 1, output: 1, context_window: 32768 } }',
  )
  expect(config.settings.usualOutputTokens).toBe(800)
  expect(config.prices[0]?.terms).toMatchObject({ unit: 'tokens', contextWindow: 32_768 })
  const [plain] = configOf('prices: { m: { input: 1, output: 1 } }').prices
  expect(plain?.terms).not.toHaveProperty('contextWindow')
})

describe('references to the environment', () => {
  const env = { NAME: 'gate', PORT: '9000', OPEN: 'true', PRICE: '0.5', CURLY: `\${NAME} $\${` }
  test('work in every kind of value, in flow maps too', () => {
    const config = configOf(
      `server: { listen: "127.0.0.1:\${PORT}" }
site: { name: \${NAME} }
settings: { registration_enabled: \${OPEN}, balance_low_threshold: \${PRICE} }
groups: [{ name: a-\${NAME}-\${PORT}, channels: [\${NAME}], limits: { rpm: \${PORT} } }]
`,
      env,
    )
    expect(config.server.port).toBe(9000)
    expect(config.site.name).toBe('gate')
    expect(config.settings.registrationEnabled).toBe(true)
    expect(config.settings.balanceLowThresholdNano).toBe(500_000_000)
    expect(config.groups[0]?.name).toBe('a-gate-9000')
    expect(config.groups[0]?.channels).toEqual(['gate'])
    expect(config.groups[0]?.limits.rpm).toBe(9000)
  })

  test('are taken as they are, escaped by a second $, and left alone in keys and comments', () => {
    const name = (text: string) => configOf(`site: { name: '${text}' } # \${NOPE}`, env).site.name
    expect(name(`$\${NAME}`)).toBe(`\${NAME}`)
    expect(name(`\${CURLY}`)).toBe(`\${NAME} $\${`)
    expect(name('a$b$$c{d}')).toBe('a$b$$c{d}')
    expect(configOf(`prices: { "\${NOPE}": { free: true } }`).prices[0]?.model).toBe(`\${NOPE}`)
  })

  test('do not reach what an object inherits', () => {
    const loaded = loadConfig({ text: `site: { name: "\${toString}" }`, file: 'f', env: {} })
    expect(loaded.ok).toBe(false)
  })
})

test('warnings name place and reason', () => {
  const { warnings } = load(`groups:
  - name: g
    channels: [elsewhere]
    rate_multiplier: 0
    limits: { rpm: null }
accounts:
  - email: a@b.c
    tokens:
      - { name: t, key: sk-short, group: other, budget: 5 }
`)
  expect(formatProblems(warnings).split('\n')).toEqual([
    'tollgate.yaml:3:16: groups[0].channels[0] names the channel "elsewhere", which this file does not have: it must already be in the database',
    'tollgate.yaml:4:22: groups[0].rate_multiplier is 0: every request in this group is free',
    'tollgate.yaml:9:25: accounts[0].tokens[0].key is shorter than 20 characters: it can be guessed',
    'tollgate.yaml:9:42: accounts[0].tokens[0].group names the group "other", which this file does not have: it must already be in the database',
  ])
})

test('warns of a quirk of a protocol that the channel does not speak', () => {
  const { warnings } = load(`channels:
  - name: c
    speaks: { messages: "https://a.example", gemini: "http://127.0.0.1:1" }
    allow_private: true
    api_key: k
    models: [m]
    quirks: [thinking_budget, max_tokens, gemini_budget]
`)
  expect(formatProblems(warnings)).toBe(
    'tollgate.yaml:7:31: channels[0].quirks[1] is max_tokens, which is about the protocol chat, but the channel does not speak that: it changes nothing',
  )
})

test('problems are one line each, with place, path, value and the way out', () => {
  const loaded = loadConfig({
    text: 'server:\n  max_body: 3 MB\n  lisen: x\n',
    file: 'a.yaml',
    env: {},
  })
  expect(loaded.ok ? '' : formatProblems(loaded.problems)).toBe(
    `a.yaml:2:13: server.max_body: "3 MB" is not a size: write a whole number with a unit, such as 512KiB, 64MiB or 1GiB
a.yaml:3:3: server.lisen is not a known key: did you mean listen?`,
  )
})

test('where the database is can be read from a file that is wrong elsewhere', () => {
  const storeOf = (text: string) => loadStoreConfig({ text, file: '/etc/t.yaml', env: {} })
  const broken = `channels: [{ api_key: "\${NOPE}" }]\nwhat: 1\n`
  expect(storeOf(`${broken}store: sqlite:a.db`)).toEqual({
    ok: true,
    store: { path: '/etc/a.db', synchronous: 'normal', spool: '/etc/a.db.spool' },
  })
  expect(storeOf(broken)).toMatchObject({ ok: true, store: { path: '/etc/tollgate.db' } })
  expect(storeOf(`${broken}store: "sqlite:\${NOPE}"`)).toMatchObject({
    ok: false,
    problems: [{ path: 'store', line: 3 }],
  })
  expect(storeOf('store: {')).toMatchObject({ ok: false, problems: [{ line: 1 }] })
})

test('what a broken file says of low balances and accounts can still be read', () => {
  const word = (text: string) => loadFileWord({ text, file: 'f', env: {} })
  const usual = 5_000_000_000
  expect(word('settings: { balance_low_threshold: 2 }').balanceLowNano).toBe(2_000_000_000)
  expect(word(`settings: { balance_low_threshold: "\${NOPE}" }`).balanceLowNano).toBe(usual)
  expect(word('settings: { balance_low_threshold: some }').balanceLowNano).toBe(usual)
  expect(word('settings: {').balanceLowNano).toBe(usual)
  const { accounts } = word(`channels: [{ api_key: "\${NOPE}" }]
accounts:
  - { email: a@b.c, password: "\${NOPE}", credit_limit: 5, tokens: [{ key: sk-1 }] }
`)
  expect(accounts[0]).toMatchObject({
    email: 'a@b.c',
    credit_limit: '5',
    tokens: [{ key: 'sk-1' }],
  })
})

test('a price has what is billed beside text in exact units', () => {
  const text = `
prices:
  speaker:
    input: 2.5
    output: 10
    input_audio: 32
    tiers: [{ above: 1000, input: 5, output: 20, output_audio: 80 }]
    tools: { web_search: 10, file_search: 2.5, mcp: free }
    service_tiers: { priority: 1.75, us: "1.1" }
  painter: { per_call: 0.04, tools: { web_search: 0.000001 } }`
  const [speaker, painter] = configOf(text).prices
  expect(speaker?.terms).toMatchObject({
    base: { input: 2_500_000, modalities: { inputAudio: 32_000_000 } },
    tiers: [{ above: 1000, modalities: { outputAudio: 80_000_000 } }],
    extras: {
      tools: { web_search: 10_000_000, file_search: 2_500_000, mcp: 0 },
      serviceTiers: { priority: 1_750_000, us: 1_100_000 },
    },
  })
  expect(painter?.terms).toEqual({
    unit: 'call',
    perCallNano: 40_000_000,
    extras: { tools: { web_search: 1 } },
  })
})

test.each([
  ['auto', 'auto'],
  ['"auto"', 'auto'],
  ['1', 1],
  ['"4"', 4],
  ['64', 64],
])('server.workers may be %s', (written, workers) => {
  const loaded = load(`server: { workers: ${written} }`)
  expect(loaded.ok && loaded.config.server.workers).toBe(workers as number)
})
