import { afterAll, describe, expect, test } from 'bun:test'
import { startConsoleScene } from '../support/console-scene.ts'

const scene = await startConsoleScene()
afterAll(scene.stop)

describe("the console's API", () => {
  test('tells who is signed in', async () => {
    const { status, code, message, data } = await scene.ask('user', 'GET', '/api/v1/me')
    expect([status, code, message]).toEqual([200, 0, 'success'])
    expect(data).toMatchObject({ email: 'user@example.com', role: 'user' })
  })

  test('refuses who is not', async () => {
    const { status, code, reason } = await scene.ask(null, 'GET', '/api/v1/me')
    expect([status, code, reason]).toEqual([401, 401, 'not_signed_in'])
  })

  test('refuses who is not before it looks at what is asked', async () => {
    for (const path of ['/api/v1/tokens/x', '/api/v1/tokens?page_size=x']) {
      expect((await scene.ask(null, 'GET', path)).status).toBe(401)
      expect((await scene.ask('user', 'GET', path)).status).toBe(400)
    }
  })

  test('has nothing at other paths', async () => {
    for (const path of ['/api/v1/nothing', '/api/v1/me/nothing', '/api/nothing', '/consoles']) {
      const response = await scene.send('admin', 'GET', path)
      expect([path, response.status, await response.text()]).toEqual([
        path,
        404,
        '404 page not found',
      ])
    }
  })
})

describe('the page', () => {
  test('may load nothing from elsewhere', async () => {
    const response = await scene.send(null, 'GET', '/console/tokens')
    expect(response.status).toBe(200)
    const policy = response.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
    expect(response.headers.get('cache-control')).toBe('no-cache')
  })

  test('has files that are compressed and kept', async () => {
    const page = await (await scene.send(null, 'GET', '/console')).text()
    const path = /src="([^"]+\.js)"/.exec(page)?.[1] ?? ''
    const request = new Request(`http://gateway.example${path}`, {
      headers: { 'accept-encoding': 'gzip' },
    })
    const response = await scene.tollgate.app.handle(request)
    expect(response.headers.get('content-encoding')).toBe('gzip')
    expect(response.headers.get('cache-control')).toContain('immutable')
    const bytes = Bun.gunzipSync(new Uint8Array(await response.arrayBuffer()))
    const plain = await (await scene.send(null, 'GET', path)).bytes()
    expect(bytes.length).toBe(plain.length)
  })
})
