import { describe, expect, test } from 'bun:test'
import { readCredential } from '../../src/gateway/admit/gatekeeper.ts'

/** name, headers, Gemini's header first, key and source (or nothing) */
const cases: [string, Record<string, string>, boolean, string | undefined][] = [
  ['nothing', {}, false, undefined],
  ['bearer', { authorization: 'Bearer sk-a' }, false, 'sk-a bearer'],
  ['bearer in any case', { authorization: 'bEaReR   sk-a ' }, false, 'sk-a bearer'],
  ['a bare key is no form', { authorization: 'sk-a' }, false, undefined],
  ['another scheme is no form', { authorization: 'Basic c2stYQ==' }, false, undefined],
  ['an empty bearer is no form', { authorization: 'Bearer ' }, false, undefined],
  ['x-api-key', { 'x-api-key': 'sk-b' }, false, 'sk-b x-api-key'],
  ['x-goog-api-key', { 'x-goog-api-key': 'sk-c' }, false, 'sk-c x-goog-api-key'],
  [
    'a broken form gives way',
    { authorization: 'sk-a', 'x-api-key': 'sk-b' },
    false,
    'sk-b x-api-key',
  ],
  [
    'the first usable form decides',
    { authorization: 'Bearer no', 'x-api-key': 'sk-b' },
    false,
    'no bearer',
  ],
  [
    'x-api-key before Gemini',
    { 'x-api-key': 'sk-b', 'x-goog-api-key': 'sk-c' },
    false,
    'sk-b x-api-key',
  ],
  [
    'Gemini first on its paths',
    { authorization: 'Bearer sk-a', 'x-goog-api-key': 'sk-c' },
    true,
    'sk-c x-goog-api-key',
  ],
  ['bearer on Gemini paths', { authorization: 'Bearer sk-a' }, true, 'sk-a bearer'],
  [
    'an empty header is no form',
    { 'x-api-key': ' ', 'x-goog-api-key': 'sk-c' },
    false,
    'sk-c x-goog-api-key',
  ],
]

describe('readCredential', () => {
  for (const [name, headers, geminiFirst, expected] of cases) {
    test(name, () => {
      const found = readCredential(new Headers(headers), geminiFirst)
      expect(found && `${found.key} ${found.source}`).toBe(expected)
    })
  }

  test('a key in the query is the last resort, where it is passed in', () => {
    expect(readCredential(new Headers(), true, 'sk-q')).toEqual({ key: 'sk-q', source: 'query' })
    const headers = new Headers({ 'x-goog-api-key': 'sk-c' })
    expect(readCredential(headers, true, 'sk-q')?.key).toBe('sk-c')
  })
})
