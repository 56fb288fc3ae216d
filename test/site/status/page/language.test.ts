import { expect, test } from 'bun:test'
import { languageOf } from '../../../../src/look/language.ts'

const chosen = (accept: string | null, query = '') =>
  languageOf({
    url: `http://localhost/status${query}`,
    headers: new Headers(accept === null ? {} : { 'accept-language': accept }),
  })

test.each([
  [null, 'en'],
  ['', 'en'],
  ['*', 'en'],
  ['fr,de', 'en'],
  ['zh', 'zh'],
  ['ZH-cn', 'zh'],
  ['zh-Hans-CN,zh;q=0.9,en;q=0.8', 'zh'],
  ['en-GB,en;q=0.9,zh;q=0.8', 'en'],
  ['fr, zh;q=0.2', 'zh'],
  ['en;q=0.5, zh;q=0.7', 'zh'],
  ['zh;q=0', 'en'],
  ['zh;q=x', 'en'],
  ['zhx', 'en'],
  [',;q=1,;;', 'en'],
] as const)('Accept-Language %p: %s', (accept, language) => {
  expect(chosen(accept)).toBe(language)
})

test.each([
  ['?lang=zh', 'en', 'zh'],
  ['?lang=en', 'zh', 'en'],
  ['?lang=fr', 'zh', 'zh'],
  ['?lang=', 'zh', 'zh'],
  ['?lang=__proto__', 'en', 'en'],
])('%s beside Accept-Language %s: %s', (query, accept, language) => {
  expect(chosen(accept, query)).toBe(language as 'en')
})
