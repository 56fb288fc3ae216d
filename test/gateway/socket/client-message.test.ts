import { expect, test } from 'bun:test'
import { scanLarge } from '../../../src/gateway/body/body.ts'
import { readMessage } from '../../../src/gateway/socket/client-message.ts'

const textOf = (seed: string, count: number) => {
  const content = (at: number) => `${seed.repeat(1 + ((at * 7) % 40))}"\\${at}`
  const input = Array.from({ length: count }, (_, at) => ({ role: 'user', content: content(at) }))
  return JSON.stringify({ type: 'response.create', model: 'a', input, user: seed.repeat(300) })
}

test('a large message does not disturb the reading of another one’s body', async () => {
  const body = Buffer.from(textOf('a', 40_000))
  const message = Buffer.from(textOf('bb', 40_000))
  const alone = await scanLarge('1', body)
  expect(alone.long).toHaveLength(1)
  const [read, made] = await Promise.all([scanLarge('1', body), readMessage(message, '2')])
  expect(read).toEqual(alone)
  expect(made?.bytes.byteLength).toBeGreaterThan(1_000_000)
})

test('a message, or a request in it, has no more fields than any request', async () => {
  const more = Array.from({ length: 1_001 }, (_, at) => `"a${at}":1`).join()
  for (const text of [
    `{"type":"response.create",${more}}`,
    `{"type":"response.create","response":{${more}}}`,
  ]) {
    expect(readMessage(Buffer.from(text), '1')).rejects.toThrow('more than 1,000 fields')
  }
})
