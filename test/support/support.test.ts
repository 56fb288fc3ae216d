import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { cutBytes, jsonAnswer, sseAnswer, stall, startFakeUpstream } from './fake-upstream.ts'
import { rawScripts, startRawUpstream } from './raw-upstream.ts'
import { createTempDir } from './temp-dir.ts'

const text = 'data: {"text":"你好世界"}\n\ndata: [DONE]\n\n'

describe('fake upstream', () => {
  test('keeps what it received, byte for byte', async () => {
    await using upstream = startFakeUpstream(() => jsonAnswer({ ok: true }, 201))
    const body = new Uint8Array([0xff, 0, 0x7b, 0xed, 0xa0, 0x80])
    const answer = await fetch(`${upstream.url}/v1/x?beta=true`, { method: 'POST', body })
    expect(answer.status).toBe(201)
    expect(upstream.last().body).toEqual(body)
    expect(upstream.last().path).toBe('/v1/x?beta=true')
    expect(upstream.last().abortedAt).toBeUndefined()
  })

  test('cuts a stream anywhere without changing it', async () => {
    const bytes = new TextEncoder().encode(text)
    for (const cuts of ['whole', 1, 3, { seed: 7 }] as const) {
      expect(Buffer.concat(cutBytes(bytes, cuts)).toString()).toBe(text)
      await using upstream = startFakeUpstream(() => sseAnswer(text, { cuts }))
      expect(await (await fetch(upstream.url)).text()).toBe(text)
    }
    expect(cutBytes(bytes, { seed: 7 })).toEqual(cutBytes(bytes, { seed: 7 }))
    expect(cutBytes(bytes, { seed: 7 })).not.toEqual(cutBytes(bytes, { seed: 8 }))
  })

  test('notices when the far side leaves, before and within an answer', async () => {
    for (const script of [stall, () => sseAnswer(text, { ending: 'stall' })]) {
      const arrived = Promise.withResolvers<void>()
      await using upstream = startFakeUpstream(() => {
        arrived.resolve()
        return script()
      })
      const leaving = new AbortController()
      const asked = fetch(upstream.url, { signal: leaving.signal }).catch(() => undefined)
      await arrived.promise
      leaving.abort()
      await asked
      await upstream.last().aborted
      expect(upstream.last().abortedAt).toBeNumber()
    }
  })
})

describe('raw upstream', () => {
  const ask = async (url: string) => {
    try {
      return await (await fetch(url, { method: 'POST', body: 'hello' })).text()
    } catch {
      return 'broken'
    }
  }

  test.each([
    ['closeAtOnce', rawScripts.closeAtOnce()],
    ['reset', rawScripts.reset()],
    ['shortBody', rawScripts.shortBody('{"a":')],
    ['cutStream', rawScripts.cutStream(text)],
    ['garbage', rawScripts.garbage()],
  ])('%s breaks the answer', async (_name, script) => {
    await using upstream = await startRawUpstream(script)
    expect(await ask(upstream.url)).toBe('broken')
    expect(upstream.requests[0]?.body.toString()).toBe('hello')
    expect(upstream.requests[0]?.head).toStartWith('POST / HTTP/1.1')
  })

  test('neverEnds and flood go on until the far side leaves', async () => {
    for (const script of [rawScripts.neverEnds(text), rawScripts.flood(text)]) {
      await using upstream = await startRawUpstream(script)
      const leaving = new AbortController()
      const answer = await fetch(upstream.url, { signal: leaving.signal })
      const reader = answer.body?.getReader()
      expect(new TextDecoder().decode((await reader?.read())?.value)).toStartWith(text)
      leaving.abort()
    }
  })
})

test('a temporary folder is gone when its scope ends', () => {
  let path = ''
  {
    using folder = createTempDir()
    path = folder.path
    expect(existsSync(path)).toBeTrue()
  }
  expect(existsSync(path)).toBeFalse()
})
