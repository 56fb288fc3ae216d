import { afterAll, expect, test } from 'bun:test'
import { startBinary } from '../support/binary.ts'
import { tollgateYaml } from '../support/tollgate-yaml.ts'
import { openRaw } from './raw-client.ts'

const gateway = await startBinary({
  config: (listen) => tollgateYaml({ listen, upstream: 'http://127.0.0.1:9' }),
})
afterAll(() => gateway.stop())

async function statusFor(path: string, ...hosts: readonly string[]): Promise<number> {
  using connection = await openRaw(Number(new URL(gateway.url).port))
  const lines = hosts.map((host) => `Host: ${host}\r\n`).join('')
  connection.socket.write(`GET ${path} HTTP/1.1\r\n${lines}Connection: close\r\n\r\n`)
  return (await connection.answer()).status
}

test.each(['a', 'gw', 'abc', 'gw:80', 'gateway.example'])(
  'a host %s is routed as any other',
  async (host) => {
    expect(await statusFor('/console', host)).toBe(200)
    expect(await statusFor('/console/tokens/1', host)).toBe(200)
    expect(await statusFor('/v1/models', host)).toBe(401)
  },
)

test('two Host lines are refused', async () => {
  expect(await statusFor('/v1/models', 'a.example', 'b.example')).toBe(400)
  expect(await statusFor('/console', 'a.example', 'b.example')).toBe(400)
})
