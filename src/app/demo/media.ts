import { crc32, deflateSync } from 'node:zlib'
import type { EmbeddingCodec } from '../../protocols/canonical/codec.ts'
import type { JsonObject } from '../../protocols/protocol.ts'
import { DemoError } from './answer.ts'
import { cut } from './sample.ts'

/** A vector of length 1; texts that share words are close to each other. */
function vectorOf(words: string, dimensions = 256): number[] {
  const vector = new Float32Array(Math.min(Math.max(Math.round(dimensions), 1), 4096))
  for (const word of words.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ['']) {
    const hash = Bun.hash.cityHash32(word)
    const at = hash % vector.length
    vector[at] = (vector[at] ?? 0) + (hash & 0x10000 ? 1 : -1)
  }
  const size = Math.hypot(...vector) || 1
  return Array.from(vector, (one) => Math.fround(one / size))
}

/** Answers a request for embeddings, in the protocol's own form. */
export function embed(codec: EmbeddingCodec, body: JsonObject, model: string): JsonObject {
  const request = codec.decodeRequest(body, model)
  // A list of numbers is one text, as token ids.
  const texts = request.texts.length > 0 ? request.texts : [[body.input].flat(2).join(' ')]
  const inputTokens = texts.reduce((sum, one) => sum + Math.max(cut(one).length, 1), 0)
  const vectors = texts.map((one) => vectorOf(one, request.dimensions))
  return codec.encodeAnswer(vectors, request, { model, inputTokens })
}

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const frame = Buffer.alloc(8 + body.length)
  frame.writeUInt32BE(data.length, 0)
  body.copy(frame, 4)
  frame.writeUInt32BE(crc32(body), 4 + body.length)
  return frame
}

/** A small PNG: stripes in a colour that depends on the prompt. */
export function paint(prompt: string, side = 64): Buffer {
  const hash = Bun.hash.cityHash32(prompt)
  const rows = Array.from({ length: side }, (_, y) => {
    const row = Buffer.alloc(1 + side * 3)
    for (let x = 0; x < side; x++) {
      const shade = (x + y) % 16 < 8 ? 0 : 40
      for (let part = 0; part < 3; part++)
        row[1 + x * 3 + part] = Math.min(((hash >> (part * 8)) & 0xff) + shade, 255)
    }
    return row
  })
  const header = Buffer.alloc(13)
  header.writeUInt32BE(side, 0)
  header.writeUInt32BE(side, 4)
  header.set([8, 2], 8) // 8 bits each of red, green and blue
  const signature = Buffer.from('89504e470d0a1a0a', 'hex')
  const pixels = deflateSync(Buffer.concat(rows))
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', pixels),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** Answers POST /v1/images/generations. */
export function images({ prompt, n }: JsonObject) {
  const count = typeof n === 'number' ? n : 1
  if (typeof prompt !== 'string' || prompt === '')
    throw new DemoError(400, "Missing required parameter: 'prompt'.")
  if (!(count >= 1 && count <= 10)) throw new DemoError(400, `n: ${count} is not from 1 to 10.`)
  const input = cut(prompt).length
  const output = 272 * count
  return {
    created: Math.floor(Date.now() / 1000),
    data: Array.from({ length: count }, (_, at) => ({
      b64_json: paint(`${prompt} ${at}`).toString('base64'),
    })),
    output_format: 'png',
    usage: {
      input_tokens: input,
      input_tokens_details: { text_tokens: input, image_tokens: 0 },
      output_tokens: output,
      total_tokens: input + output,
    },
  }
}
