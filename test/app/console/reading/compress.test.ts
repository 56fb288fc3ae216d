import { describe, expect, test } from 'bun:test'
import { createGunzip, gunzipSync } from 'node:zlib'
import { compress, compressJson } from '../../../../src/app/console/reading/compress.ts'

const asked = (encodings: string) =>
  new Request('http://gateway.example/api/v1/requests', {
    headers: { 'accept-encoding': encodings },
  })

const file = (body: ReadableStream<Uint8Array>) =>
  new Response(body, { headers: { 'content-disposition': 'attachment; filename="a.csv"' } })

const encode = (text: string) => new TextEncoder().encode(text)

/** A stream that is written by hand, and whether its reader has left. */
function byHand() {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  const seen = { hasLeft: false }
  const stream = new ReadableStream<Uint8Array>({
    start(given) {
      controller = given
    },
    cancel() {
      seen.hasLeft = true
    },
  })
  return { stream, seen, write: (text: string) => controller?.enqueue(encode(text)), controller }
}

describe('an answer in gzip', () => {
  const long = JSON.stringify(Array.from({ length: 500 }, (_, id) => ({ id, model: 'gpt-large' })))

  test('is the same when it is decompressed, and smaller', async () => {
    const answer = await compress(asked('gzip, br'), new Response(long, { status: 200 }))
    expect(answer.headers.get('content-encoding')).toBe('gzip')
    expect(answer.headers.get('vary')).toBe('accept-encoding')
    const bytes = await answer.bytes()
    expect(bytes.length).toBeLessThan(long.length / 4)
    expect(gunzipSync(bytes).toString()).toBe(long)
  })

  test.each(['', 'br', 'gzip;q=0', 'identity, gzip;q=0.5'])(
    'goes to nobody who does not take it: %p',
    async (encodings) => {
      const answer = await compress(asked(encodings), new Response(long))
      expect(answer.headers.get('content-encoding')).toBeNull()
      // Whoever keeps answers must not give this one to somebody who takes gzip, or the reverse.
      expect(answer.headers.get('vary')).toBe('accept-encoding')
      expect(await answer.text()).toBe(long)
    },
  )

  test('is not made of few bytes, or of none', async () => {
    const short = await compress(asked('gzip'), new Response('{"data":[]}', { status: 404 }))
    expect([short.status, short.headers.get('content-encoding')]).toEqual([404, null])
    expect(await short.text()).toBe('{"data":[]}')
    const none = await compress(asked('gzip'), new Response(null, { status: 304 }))
    expect([none.status, none.headers.get('content-encoding')]).toEqual([304, null])
  })
})

test('only whole JSON that is read is compressed beside model requests, never a stream of events', async () => {
  const json = JSON.stringify(Array.from({ length: 500 }, (_, id) => ({ id, model: 'gpt-large' })))
  const of = (type: string) => new Response(json, { headers: { 'content-type': type } })
  const read = await compressJson(asked('gzip'), of('application/json;charset=utf-8'))
  expect(read.headers.get('content-encoding')).toBe('gzip')
  expect(gunzipSync(await read.bytes()).toString()).toBe(json)
  const written = new Request(asked('gzip'), { method: 'POST' })
  for (const [request, answer] of [
    [written, of('application/json')],
    [asked('gzip'), of('text/event-stream')],
    [asked('br'), of('application/json')],
  ] as const) {
    const same = await compressJson(request, answer)
    expect(same.headers.get('content-encoding')).toBeNull()
    expect(await same.text()).toBe(json)
  }
})

describe('a file in gzip', () => {
  test('has each piece as soon as it is there', async () => {
    const { stream, write, controller } = byHand()
    const answer = await compress(asked('gzip'), file(stream))
    expect(answer.headers.get('content-encoding')).toBe('gzip')
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader()
    const gunzip = createGunzip()
    let text = ''
    gunzip.on('data', (bytes: Buffer) => {
      text += bytes.toString()
    })
    const pieces = ['id,model\n', '1,gpt-large\n'.repeat(40_000), '2,'.repeat(7)]
    for (const piece of pieces) {
      write(piece)
      const { value } = await reader.read()
      const before = text.length
      await new Promise<void>((resolve) => gunzip.write(value, () => resolve()))
      expect(text.slice(before)).toBe(piece)
    }
    controller?.close()
    const { value } = await reader.read()
    const ended = new Promise<void>((resolve) => gunzip.once('end', () => resolve()))
    gunzip.end(value)
    await ended
    expect(text).toBe(pieces.join(''))
    expect((await reader.read()).done).toBeTrue()
  })

  test('that breaks off never ends cleanly', async () => {
    const { stream, write, controller } = byHand()
    const answer = await compress(asked('gzip'), file(stream))
    write('id,model\n')
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader()
    await reader.read()
    controller?.error(new Error('the database is gone'))
    const ended = reader.read().catch((error: unknown) => String(error))
    expect(await ended).toContain('the database is gone')
  })

  test.each([false, true])('is left by its reader (while it waits: %p)', async (isWaiting) => {
    const { stream, write, seen } = byHand()
    const answer = await compress(asked('gzip'), file(stream))
    write('id,model\n')
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader()
    await reader.read()
    const waiting = isWaiting ? reader.read() : undefined
    await reader.cancel()
    expect(seen.hasLeft).toBeTrue()
    if (waiting) expect((await waiting).done).toBeTrue()
  })
})
