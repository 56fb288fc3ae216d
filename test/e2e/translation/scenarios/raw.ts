import { expect, test } from 'bun:test'
import { objectIn } from '../../../../src/protocols/json.ts'
import type { JsonObject } from '../../../../src/protocols/protocol.ts'
import { validateStream } from '../../../support/validators/validate-stream.ts'
import { keyHeader } from '../../small-gateway.ts'
import { type Bench, modelOn } from '../bench.ts'
import type { PairNames } from '../pair.ts'
import { plainText } from '../script.ts'

/** What no SDK asks for, or shows. */
export function rawScenes(bench: () => Bench, names: PairNames): void {
  const model = modelOn(names.upstream)
  const words = 'play plain: Say it.'
  const messages = [{ role: 'user', content: words }]

  async function post(path: string, body: object): Promise<string> {
    const headers = Object.fromEntries([keyHeader, ['content-type', 'application/json']])
    const { url } = bench().gateway
    const init = { method: 'POST', headers, body: JSON.stringify(body), proxy: false as const }
    const response = await fetch(url + path, init)
    expect(response.status).toBe(200)
    const protocols = { client_protocol: names.client, upstream_protocol: names.upstream }
    bench().expectRecord(response.headers.get('x-request-id'), protocols)
    return await response.text()
  }
  const created = (text: string, field: string) => {
    const told = (JSON.parse(text) as JsonObject)[field]
    // OpenAI's two protocols tell it; of the others the gateway takes its own time.
    if (names.upstream === 'chat' || names.upstream === 'responses') {
      expect(told).toBe(1_783_375_763)
    } else expect(Math.abs(Number(told) - Date.now() / 1000)).toBeLessThan(60)
  }

  if (names.client === 'chat') {
    test('T19: usage that nobody asked for is not streamed; the time of the answer stays', async () => {
      const path = '/v1/chat/completions'
      const text = await post(path, { model, messages, stream: true })
      expect(validateStream('chat', text, { usage: false })).toEqual([])
      created(await post(path, { model, messages }), 'created')
    })
  }
  if (names.client === 'responses') {
    test('T19: the time of the answer stays', async () => {
      created(await post('/v1/responses', { model, input: words }), 'created_at')
    })
  }
  if (names.client === 'messages') {
    test('T18: message_start tells the input as it is estimated, with all its counts', async () => {
      const text = await post('/v1/messages', { model, messages, max_tokens: 50, stream: true })
      const first = JSON.parse(/data: (.*)/.exec(text)?.[1] ?? '') as JsonObject
      const usage = objectIn(objectIn(first, 'message'), 'usage') ?? {}
      const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens } = usage
      // Gemini tells its usage with every chunk; of the others it is not known at the beginning.
      const read = names.upstream === 'gemini' ? 12 : 0
      expect([cache_read_input_tokens, cache_creation_input_tokens]).toEqual([read, 0])
      expect(input_tokens).toBeGreaterThan(5)
      expect(input_tokens).toBeLessThan(100)
      expect(validateStream('messages', text)).toEqual([])
    })
  }
  if (names.client === 'gemini') {
    test('a stream without alt=sse is an array', async () => {
      const contents = [{ role: 'user', parts: [{ text: words }] }]
      const text = await post(`/v1beta/models/${model}:streamGenerateContent`, { contents })
      expect(validateStream('gemini', text, { framing: 'json-array' })).toEqual([])
      type Chunk = { candidates: { content: { parts: { text: string }[] } }[] }
      const chunks = JSON.parse(text) as Chunk[]
      const parts = chunks.flatMap(({ candidates }) => candidates[0]?.content.parts ?? [])
      expect(parts.map((part) => part.text).join('')).toBe(plainText)
    })
  }
}
