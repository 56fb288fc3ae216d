import { afterAll, expect, test } from 'bun:test'
import { startConsoleScene } from '../support/console-scene.ts'

const scene = await startConsoleScene({ site: { status_url: 'https://status.example' } })
afterAll(scene.stop)

const pages = [
  '/console',
  '/console/',
  '/console/admin/channels/1',
  '/console/sign-in',
  '/console/no/page',
]
const documents = ['/status', '/docs', '/docs/api', '/docs/translation']

test.each([...pages, ...documents])(
  '%s is in no frame, and runs nothing of its own',
  async (path) => {
    for (const person of [null, 'admin'] as const) {
      const response = await scene.send(person, 'GET', path)
      expect([response.status, response.headers.get('content-type')]).toEqual([
        200,
        'text/html; charset=utf-8',
      ])
      const policy = response.headers.get('content-security-policy') ?? ''
      for (const part of ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'"])
        expect(policy).toContain(part)
      expect(policy).not.toMatch(/script-src[^;]*('unsafe|\*|https?:|data:|nonce)/)
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
      // For browsers and proxies that know no policy.
      expect(response.headers.get('x-frame-options')).toBe('DENY')
      expect(response.headers.get('referrer-policy')).toMatch(/^(same-origin|no-referrer)$/)
    }
  },
)

test('the page on a host of its own is so, too', async () => {
  const request = new Request('https://status.example/', { headers: { host: 'status.example' } })
  const response = await scene.tollgate.app.handle(request)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  expect(response.headers.get('x-frame-options')).toBe('DENY')
})

test('answers of the API are for this moment, and are no page', async () => {
  for (const path of ['/api/v1/me', '/api/v1/tokens', '/api/v1/admin/accounts', '/api/v1/nothing'])
    for (const person of [null, 'admin'] as const) {
      const { headers } = await scene.send(person, 'GET', path)
      expect([path, person, headers.get('content-type')]).not.toContain('text/html')
      expect([path, person, headers.get('x-content-type-options')]).toEqual([
        path,
        person,
        'nosniff',
      ])
      if (path !== '/api/v1/nothing')
        expect([path, person, headers.get('cache-control')]).toEqual([path, person, 'no-store'])
    }
})
