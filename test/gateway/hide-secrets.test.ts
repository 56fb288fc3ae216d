import { describe, expect, test } from 'bun:test'
import type { Channel } from '../../src/catalog/catalog.ts'
import { hideSecrets, hideSecretsIn } from '../../src/gateway/upstream/hide-secrets.ts'
import { plainChannel } from '../support/no-limits.ts'

const channel: Channel = {
  ...plainChannel,
  ...{ id: 1, name: 'c', priority: 0, weight: 1, allowPrivate: false, quirks: [] },
  keys: ['sk-upstream-123', 'c2xhc2g/aW4vaXQ='],
  speaks: { chat: 'https://api.vendor.example:8443/v1', gemini: 'https://other.example' },
  timeouts: { connectMs: 1, firstByteMs: 1, idleMs: 1, totalMs: 1 },
  proxy: 'http://jane:p%40ss%2Fword@proxy.example:3128',
}

const told: readonly (readonly [string, string])[] = [
  ['Key sk-upstream-123 is wrong.', 'Key [hidden] is wrong.'],
  ['https://api.vendor.example:8443/v1/chat', 'https://[hidden]/v1/chat'],
  ['api.vendor.example, other.example', '[hidden], [hidden]'],
  ['Proxy-Authorization: Basic amFuZTpwQHNzL3dvcmQ=', 'Proxy-Authorization: Basic [hidden]'],
  ['http://jane:p%40ss%2Fword@proxy.example:3128/', 'http://jane:[hidden]@[hidden]/'],
  ['jane, p@ss/word, proxy.example', 'jane, [hidden], [hidden]'],
  ['c2xhc2g/aW4vaXQ= twice c2xhc2g/aW4vaXQ=', '[hidden] twice [hidden]'],
]

describe('X3: an upstream’s words without its keys and hosts', () => {
  test.each(told)('%s', (words, shown) => {
    expect(hideSecrets(words, channel)).toBe(shown)
    const bytes = hideSecretsIn(new TextEncoder().encode(JSON.stringify({ words })), channel)
    expect(JSON.parse(new TextDecoder().decode(bytes))).toEqual({ words: shown })
  })

  test.each(told)('%s, with its slashes escaped', (words, shown) => {
    const json = JSON.stringify({ words }).replaceAll('/', '\\/')
    const bytes = hideSecretsIn(new TextEncoder().encode(json), channel)
    expect(JSON.parse(new TextDecoder().decode(bytes))).toEqual({ words: shown })
  })

  test('what holds none is the very same', () => {
    const bytes = new TextEncoder().encode('{"error":"no secrets / here"}')
    expect(hideSecretsIn(bytes, channel)).toBe(bytes)
  })
})
