import { describe, expect, test } from 'bun:test'
import { parse } from 'yaml'
import { loadConfig } from '../../../src/app/config/load.ts'
import { createTemplate } from '../../../src/app/config/template.ts'
import { configJsonSchema } from '../../../src/app/schemas.ts'
import { quirkNames, quirks } from '../../../src/protocols/canonical/quirks.ts'
import { createValidator } from '../../site/schemas/ajv.ts'
import { tollgateYaml } from '../../support/tollgate-yaml.ts'

const validate = createValidator(configJsonSchema())
const env = {
  OPENAI_API_KEY: 'k',
  ADMIN_PASSWORD: 'p',
  ON: 'true',
  N: '5',
  WORD: 'full',
  AT: 'x:1',
  QUIRK: 'no_json_schema',
  TOLLGATE_TEST_DATABASE: 'postgres://db.example.com/tollgate', // what the tests' own may name
}
const complaintsOf = (text: string) => validate(parse(text) ?? {})
const isLoaded = (text: string) => loadConfig({ text, file: 'f', env }).ok

const template = createTemplate('sk-0123456789abcdef0123456789')
const good = {
  'the template': template,
  'the template with every setting at rest put to use': template.replace(/^( *)#(?=\S)/gm, '$1'),
  "the design's example": await Bun.file(`${import.meta.dir}/design-example.yaml`).text(),
  "the tests' own": tollgateYaml({ upstream: 'http://127.0.0.1:1' }),
  'values from the environment': `
server: { listen: "\${AT}", max_body: "\${N}KiB" }
store: { url: "sqlite:./\${WORD}.db", synchronous: "\${WORD}" }
settings: { registration_enabled: "\${ON}", balance_low_threshold: "\${N}" }
channels:
  - { name: c, enabled: "\${ON}", speaks: { chat: "https://\${WORD}.example.com" },
      api_key: "\${OPENAI_API_KEY}", models: [m], priority: "\${N}", weight: "\${N}" }
groups:
  - { name: g, channels: [c], rate_multiplier: "\${N}", limits: { rpm: "\${N}" } }
prices:
  m: { input: "\${N}", output: 1, tiers: [{ above: "\${N}", input: 1, output: 1 }] }
  free: { free: "\${ON}" }
`,
  'budgets, limits and windows': `
settings: { usual_output: "\${N}" }
prices: { m: { input: 1, output: 2, context_window: 1000 } }
accounts:
  - email: a@example.com
    credit_limit: "\${N}"
    balance_low_threshold: null
    tokens:
      - { name: a, key: sk-01234567890123456789a, group: g, budget: 5 }
      - { name: b, key: sk-01234567890123456789b, group: g, budget: null }
      - { name: c, key: sk-01234567890123456789c, group: g, budget: { total: 0, day: null, month: "\${N}" } }
`,
  'what keeps a gateway in order': `
server: { metrics: "\${AT}" }
settings: { max_attempts: "\${N}", retry_time: 60s, queue_time: 0s }
channels:
  - { name: c, drain: "\${ON}", speaks: { chat: https://x.example.com }, api_key: k, models: [m],
      limits: { rpm: 5, tpm: "\${N}", concurrency: null }, probe: { every: 60s, model: m },
      proxy: "http://\${WORD}:\${WORD}@proxy.example.com:3128" }
  - { name: d, drain: false, speaks: { chat: https://x.example.com }, api_key: k, models: [m], probe: { every: "\${N}m" } }
groups: [{ name: g, channels: [c], limits: { tpm: 1 } }]
accounts:
  - email: a@example.com
    limits: null
  - email: b@example.com
    limits: { rpm: "\${N}" }
    tokens: [{ name: a, key: sk-01234567890123456789a, group: g, limits: { concurrency: 1 } }]
`,
  'quirks and strict tokens': `
channels:
  - { name: c, speaks: { chat: https://x.example.com }, api_key: k, models: [m], quirks: [max_tokens, "\${QUIRK}"] }
  - { name: d, speaks: { chat: https://x.example.com }, api_key: k, models: [m], quirks: [] }
accounts:
  - email: a@example.com
    tokens:
      - { name: a, key: sk-01234567890123456789a, group: g, strict: true }
      - { name: b, key: sk-01234567890123456789b, group: g, strict: "\${ON}" }
`,
  'names and secrets that look like numbers or flags': `
site: { name: 5, subtitle: true }
channels:
  - { name: 1.0, speaks: { chat: https://x.example.com }, api_key: 12345, models: [4, { id: 5, upstream: no }] }
groups: [{ name: on, channels: [1.0] }]
prices: { 4: { input: 1, output: 2 }, 5: { free: true } }
`,
}

describe.each(Object.entries(good))('%s', (_, text) => {
  test('is accepted by the program and by the published schema', () => {
    expect(loadConfig({ text, file: 'f', env })).toMatchObject({ ok: true })
    expect(complaintsOf(text)).toEqual([])
  })
})

const bad = {
  'an unknown section': 'sites: { name: a }',
  'an unknown key': 'site: { nam: a }',
  'a word that is none of those allowed': 'settings: { models_list: some }',
  'a number where a flag belongs': 'settings: { gemini_query_key: 2 }',
  'a text where a number belongs': 'channels: [{ name: c, speaks: {}, models: [m], weight: much }]',
  'a missing key': 'groups: [{ name: g }]',
  'a list where a map belongs': 'site: [a]',
  'two forms of a price at once': 'prices: { m: { per_call: 1, free: true } }',
  'a budget of another span':
    'accounts: [{ email: a@b.c, tokens: [{ name: t, key: sk-1, group: g, budget: { daily: 5 } }] }]',
  'a context window of nothing': 'prices: { m: { input: 1, output: 1, context_window: 0 } }',
  'a quirk that nobody has':
    'channels: [{ name: c, speaks: { chat: "https://x.de" }, api_key: k, models: [m], quirks: [odd] }]',
  'a quirk that is no list':
    'channels: [{ name: c, speaks: { chat: "https://x.de" }, api_key: k, models: [m], quirks: max_tokens }]',
  'a token that is strict in words':
    'accounts: [{ email: a@b.c, tokens: [{ name: t, key: sk-1, group: g, strict: very }] }]',
  'a limit of nothing': 'groups: [{ name: g, channels: [], limits: { tpm: 0 } }]',
  'limits that are a number': 'accounts: [{ email: a@b.c, limits: 5 }]',
  'a channel that drains in words':
    'channels: [{ name: c, drain: soon, speaks: { chat: "https://x.de" }, api_key: k, models: [m] }]',
  'a probe without a time':
    'channels: [{ name: c, speaks: { chat: "https://x.de" }, api_key: k, models: [m], probe: { model: m } }]',
  'a proxy that is a list':
    'channels: [{ name: c, speaks: { chat: "https://x.de" }, api_key: k, models: [m], proxy: [a] }]',
  'more attempts than there may be': 'settings: { max_attempts: 101 }',
  'a usual output in words': 'settings: { usual_output: much }',
  'a number where a web address belongs': 'site: { base_url: 5 }',
}

test.each(Object.entries(bad))('%s is refused by both', (_, text) => {
  expect(isLoaded(text)).toBe(false)
  expect(complaintsOf(text)).not.toEqual([])
})

test('every quirk is a word of the schema, and explained', () => {
  const text = JSON.stringify(configJsonSchema())
  expect(text).toContain(`"enum":${JSON.stringify(quirkNames)}`)
  for (const name of quirkNames) expect(text).toContain(`${name}: ${quirks[name].title}`)
})

test('secrets are marked, and no schema keyword of our own is left', () => {
  const text = JSON.stringify(configJsonSchema())
  expect(text.match(/"writeOnly":true/g)?.length).toBe(9)
  expect(text).not.toContain('"reads"')
})
