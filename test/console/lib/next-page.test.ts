import { expect, test } from 'bun:test'
import { nextPage } from '../../../src/console/lib/next-page.ts'

const origin = 'https://gateway.example'

test.each([
  ['/console/tokens/3?page=2', '/tokens/3?page=2'],
  ['/tokens', '/tokens'],
  ['/console', '/'],
  ['/consoles', '/consoles'],
])('one comes back to where one was: %s', (next, page) => {
  expect(nextPage(next, origin)).toBe(page)
})

test.each([
  'https://evil.example/',
  '//evil.example/',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/\t/evil.example',
  '/\n//evil.example',
  '/console//evil.example',
  '/console/..//evil.example',
  '/.//evil.example',
  '/console/%2e%2e//evil.example',
  '／／evil.example',
  '/／evil.example',
  '/\u2044/evil.example',
  '@evil.example',
  '/@evil.example',
  'javascript:alert(1)',
  '/javascript:alert(1)',
  ' javascript:alert(1)',
  'data:text/html,x',
  'https:evil.example',
  '',
  7,
  null,
  ['/tokens'],
])('nobody is led to another site: %p', (next) => {
  const page = nextPage(next, origin)
  expect(page).toStartWith('/')
  const led = new URL(`/console${page}`, origin)
  expect([led.origin, led.pathname.startsWith('/console')]).toEqual([origin, true])
  // Nor would it be, were it taken for an address by itself.
  expect(new URL(page, origin).origin).toBe(origin)
})
