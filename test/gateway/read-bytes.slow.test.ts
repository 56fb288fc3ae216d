import { describe, expect, test } from 'bun:test'
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { brokenBody, readBytes as read } from '../../src/gateway/body/read-bytes.ts'
import { GatewayError } from '../../src/gateway/errors.ts'
import type { BodyMemory } from '../../src/gateway/memory/memory-budget.ts'

/** As much memory as anybody wants. */
const plenty: BodyMemory = { mostBytes: Number.MAX_SAFE_INTEGER, take: () => {}, give: () => {} }
const readBytes = async (request: Request, maxBytes: number, memory = plenty) => {
  const reading = read(request, { maxBytes, owner: 'owner', memory })
  const came = await reading.catch((error: unknown) => Promise.reject(brokenBody(error)))
  return came instanceof ArrayBuffer ? Buffer.from(came) : came
}

const compressors = {
  gzip: gzipSync,
  'X-Gzip': gzipSync,
  zstd: zstdCompressSync,
  br: (bytes: string | Uint8Array) =>
    brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } }),
  deflate: deflateSync,
} as const
const encodings = Object.keys(compressors) as (keyof typeof compressors)[]
const maxBytes = 8_388_608

/** Text that does not repeat itself much. */
const text = JSON.stringify(Array.from({ length: 40_000 }, (_, at) => Math.sin(at)))

/** A request whose body comes in pieces. */
function sent(encoding: string | undefined, bytes: Uint8Array, pieceBytes = 10_000) {
  let pulled = 0
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const piece = bytes.subarray(pulled, pulled + pieceBytes)
        pulled += piece.length
        if (piece.length > 0) controller.enqueue(piece)
        else controller.close()
      },
    },
    { highWaterMark: 0 },
  )
  const headers = { ...(encoding !== undefined && { 'content-encoding': encoding }) }
  return {
    request: new Request('http://gw/', { method: 'POST', body, headers }),
    pulled: () => pulled,
  }
}

async function refusal(reading: Promise<unknown>) {
  const error = await reading.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof GatewayError)) throw new Error(`It was not refused: ${error}`)
  const { kind, status, message, details } = error
  return { kind, status, message, ...details }
}

describe.each(encodings)('a body in %s', (encoding) => {
  const compress = compressors[encoding]

  test.each([1, 1_000, 1_000_000])('is inflated, in pieces of %p', async (pieceBytes) => {
    const { request } = sent(encoding, compress(text.slice(0, 20_000)), pieceBytes)
    expect(String(await readBytes(request, maxBytes))).toBe(text.slice(0, 20_000))
  })

  test('may be just as large as any other', async () => {
    const bytes = compress(text)
    expect(String(await readBytes(sent(encoding, bytes).request, text.length))).toBe(text)
    expect(await refusal(readBytes(sent(encoding, bytes).request, text.length - 1))).toMatchObject({
      ...{ kind: 'body_too_large', status: 413, message: expect.stringContaining('larger than') },
    })
  })

  test('that is broken is refused, and so is one that is not in it', async () => {
    const bytes = compress(text)
    const turned = Buffer.from(bytes).fill(0xaa, 20, 200)
    for (const bad of [turned, Buffer.from('{"model":"test-model"}')]) {
      const refused = await refusal(readBytes(sent(encoding, bad).request, maxBytes))
      expect(refused).toMatchObject({ kind: 'invalid_json', status: 400 })
      expect(refused.message).toContain(`not valid ${encoding.toLowerCase()} data`)
    }
  })

  test('that was made to grow is refused, before the limit of bodies is reached', async () => {
    const bomb = compress(Buffer.alloc(60_000_000))
    const refused = await refusal(readBytes(sent(encoding, bomb).request, 100_000_000))
    expect(refused).toMatchObject({ kind: 'body_too_large', status: 413 })
    expect(refused.message).toContain('50 times')
  })

  test('whose client leaves is not taken for a whole one', async () => {
    let far: ReadableStreamDefaultController<Uint8Array> | undefined
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        far = controller
        controller.enqueue(compress(text).subarray(0, 1_000))
      },
    })
    const headers = { 'content-encoding': encoding }
    const reading = readBytes(
      new Request('http://gw/', { method: 'POST', body, headers }),
      maxBytes,
    )
    far?.error(new Error('left'))
    expect(await refusal(reading)).toMatchObject({
      ...{ kind: 'invalid_json', message: 'The body ended before it was complete.' },
    })
  })
})

test('text that repeats itself is no bomb: a little in any case, and much of it as it is common', async () => {
  const log = (at: number) => `GET /page/${at} 200 ${Math.sin(at)}\n`.repeat(4)
  const logs = Array.from({ length: 20_000 }, (_, at) => log(at)).join('')
  for (const same of ['hello '.repeat(40_000), logs]) {
    for (const encoding of encodings) {
      const { request } = sent(encoding, compressors[encoding](same))
      expect((await readBytes(request, maxBytes)).byteLength).toBe(same.length)
    }
  }
})

test('a zstd window of more than 8 MiB is not given', async () => {
  const params = { [constants.ZSTD_c_windowLog]: 27, [constants.ZSTD_c_compressionLevel]: 1 }
  const bytes = zstdCompressSync(Buffer.alloc(40_000_000, text), { params })
  const refused = await refusal(readBytes(sent('zstd', bytes).request, 100_000_000))
  expect(refused).toMatchObject({ kind: 'invalid_json', status: 400 })
})

test.each(['gzip, zstd', 'gzip,gzip', 'compress', 'lzma', 'constructor', 'identity, gzip', '*'])(
  'the encoding "%s" is refused unread, with those that are taken',
  async (encoding) => {
    const { request, pulled } = sent(encoding, gzipSync(text))
    expect(await refusal(readBytes(request, maxBytes))).toMatchObject({
      ...{ kind: 'unsupported_encoding', status: 415, acceptEncoding: 'gzip, zstd, br, deflate' },
    })
    expect(pulled()).toBe(0)
  },
)

test.each([undefined, 'identity', 'IDENTITY', ''])('the encoding %p is none', async (encoding) => {
  expect(String(await readBytes(sent(encoding, Buffer.from('{}')).request, maxBytes))).toBe('{}')
})

test('a compressed body takes memory for what such bodies come to, and for more only where it is more', async () => {
  const taking = async (bytes: Uint8Array) => {
    const taken: number[] = []
    const memory = { ...plenty, take: (more: number) => void taken.push(more) }
    await readBytes(sent('gzip', bytes, bytes.length).request, maxBytes, memory)
    return taken.slice(1).reduce((sum, more) => sum + more, 0) / bytes.length
  }
  expect(await taking(gzipSync(text))).toBeLessThanOrEqual(8)
})
