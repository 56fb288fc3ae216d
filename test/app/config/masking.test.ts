import { expect, test } from 'bun:test'
import { loadConfig } from '../../../src/app/config/load.ts'
import { showValue } from '../../../src/app/config/problem.ts'

const secret = 'hunter2-QmFzZTY0'
const env = { SECRET: secret, KEY: `sk-${secret}` }

/** Files that are wrong in one way or another, each with the secret somewhere in it. */
const files: readonly string[] = [
  `channels: [{ name: a, api_key: "${secret} x" }]`,
  `channels: [{ name: a, api_key: ["${secret}"] }]`,
  `channels: [{ name: a, api_key: { value: ${secret} } }]`,
  `channels: [{ name: a, api_keys: ${secret} }]`,
  `channels: [{ name: a, api_keys: [${secret}, ${secret}] }]`,
  `channels: [{ name: a, api_keys: [[${secret}]] }]`,
  `channels: [{ name: a, apikey: ${secret} }]`,
  `channels: ${secret}`,
  `channels: [${secret}]`,
  `channels: [{ name: a, speaks: { chat: "https://u:${secret}@a.example" }, api_key: k }]`,
  `channels: [{ name: a, speaks: { chat: "htps://a.example?key=${secret}" }, api_key: k }]`,
  `channels: [{ name: a, proxy: "http://user:${secret}@" }]`,
  `channels: [{ name: a, proxy: "user:${secret}@proxy.example" }]`,
  `channels: [{ name: a, proxy: { password: ${secret} } }]`,
  `channels: [{ name: a, proxy: [http://u:${secret}@p.example] }]`,
  `channels: [{ name: a, proxys: "http://u:${secret}@p.example" }]`,
  `channels: [{ name: a, proxy: "http://u:\${SECRET}@p.example/path" }]`,
  `channels:\n  - name: a\n    api_key: *${secret}`,
  `channels:\n  - name: a\n    api_key: !${secret} x`,
  `channels:\n  - name: a\n    api_key: @${secret}`,
  `channels:\n  - name: a\n    api_key: "${secret}`,
  `channels:\n  - name: a\n    api_key: "\\q${secret}"`,
  `channels:\n  - name: a\n    api_key: a: ${secret}`,
  `channels:\n  - name: a\n    api_key:${secret}\n    weight: 1`,
  `channels:\n  - api_key ${secret}`,
  `channels: [{ name: a, api_key: "\${${secret}}" }]`,
  `channels: [{ name: a, api_key: "\${SECRET} x", enabled: 1 }]`,
  `accounts: [{ email: a@b.c, password: [${secret}] }]`,
  `accounts: [{ email: a@b.c, pasword: ${secret} }]`,
  `accounts:\n  - email: a@b.c\n      password ${secret}`,
  `accounts:\n  - email: a@b.c password=${secret}`,
  `accounts: ${secret}`,
  `accounts: [{ email: a@b.c, tokens: ${secret} }]`,
  `accounts: [{ email: a@b.c, tokens: [sk-${secret}] }]`,
  `accounts: [{ email: a@b.c, tokens: [{ name: t, group: g, key: ${secret} }] }]`,
  `accounts: [{ email: a@b.c, tokens: [{ name: t, group: g, sk-${secret}: 1 }] }]`,
  `accounts: [{ email: sk-${secret} }]`,
  `accounts: [{ email: a@b.c, tokens: [{ key: sk-${secret} }, { key: sk-${secret} }] }]`,
  `accounts: [{ email: "\${SECRET}", balance: "\${SECRET}" }]`,
  `settings: { registration_enabled: \${SECRET}, feed_interval: \${KEY} }`,
  `server: { listen: \${SECRET}, max_body: sk-${secret} }`,
  `store: postgres://gate:${secret}@db/`,
  `store: "\${SECRET}"`,
  `counters: http://gate:${secret}@counters`,
  `counters: "redis://gate:${secret}@counters/database"`,
  `counters: "\${SECRET}"`,
  `prices: { sk-${secret}: 3 }`,
]

test.each(files)('never shows a secret: %s', (text) => {
  const loaded = loadConfig({ text, file: 'f', env })
  expect(loaded.ok).toBe(false)
  const output = JSON.stringify(loaded)
  expect(output).not.toContain(secret)
  expect(output).not.toContain('hunter2')
})

test('warnings show no secret either', () => {
  const key = `sk-${secret}`
  const text = `accounts: [{ email: a@b.c, password: ${secret}, tokens: [{ name: t, group: g, key: ${key}, budget: 1 }] }]`
  const loaded = loadConfig({ text, file: 'f', env })
  expect(loaded.ok && loaded.warnings.length).toBe(3)
  expect(JSON.stringify(loaded.ok && loaded.warnings)).not.toContain('hunter2')
})

test('whatever the slip of the pen: no exception, no secret, and every problem has its place', async () => {
  const example = await Bun.file(`${import.meta.dir}/design-example.yaml`).text()
  const slips = [
    '',
    '{',
    '}',
    '[',
    ']',
    ': ',
    '- ',
    '\n',
    '  ',
    '\t',
    '"',
    "'",
    '#',
    '&a ',
    '*a',
    '!x',
  ]
  slips.push(`\${`, '|', '>', 'null', '0', '%', '@', '? ', '<<: ', '---\n', '\u0000', '\r', 'é')
  let state = 20261121
  const below = (limit: number) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
    return (state >> 8) % limit
  }
  let refused = 0
  for (let i = 0; i < 600; i++) {
    let text = example
    for (let slip = 0; slip <= below(4); slip++) {
      const at = below(text.length)
      text = text.slice(0, at) + slips[below(slips.length)] + text.slice(at + below(6))
    }
    const environment = { OPENAI_API_KEY: `k-${secret}`, ADMIN_PASSWORD: secret }
    const loaded = loadConfig({ text, file: 'f', env: environment })
    if (loaded.ok) continue
    refused++
    expect(JSON.stringify(loaded)).not.toContain('hunter2')
    for (const { line, column, message } of loaded.problems)
      expect(line > 0 && column > 0 && message.length > 10).toBe(true)
  }
  expect(refused).toBeGreaterThan(200)
})

test('shows harmless values whole', () => {
  expect(showValue('10 sec')).toBe('"10 sec"')
  expect(showValue(`\${OPENAI_API_KEY}`)).toBe(`"\${OPENAI_API_KEY}"`)
  expect(showValue('默认【官转·稳定】')).toBe('"默认【官转·稳定】"')
  expect(showValue('a\nb')).toBe('"a\\nb"')
  expect(showValue('x'.repeat(500))).toBe('a value of 500 characters')
})
