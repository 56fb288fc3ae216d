import { ApiError } from './api-error.ts'

/** More is no form of the console's. */
const maxBytes = 1024 * 1024

/**
 * The JSON body of a request, read with a limit; undefined when it has none. Other content types
 * are refused: a form of another site can't send JSON.
 */
export async function readJson(request: Request, limitBytes = maxBytes): Promise<unknown> {
  const text = new TextDecoder().decode(await readJsonBytes(request, limitBytes))
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new ApiError('invalid_json', 'The body is not valid JSON.', { cause })
  }
}

/** The same, not parsed: the bytes as they came, for what must not be written anew. */
export async function readJsonBytes(
  request: Request,
  limitBytes = maxBytes,
): Promise<Uint8Array<ArrayBuffer>> {
  if (request.body === null) return new Uint8Array()
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json') {
    await request.body.cancel()
    throw new ApiError('content_type', 'The body must be JSON (content-type: application/json).')
  }
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of request.body) {
    bytes += chunk.byteLength
    if (bytes > limitBytes) {
      throw new ApiError('body_too_large', `The body is larger than ${limitBytes} bytes.`)
    }
    chunks.push(chunk)
  }
  return new Uint8Array(Bun.concatArrayBuffers(chunks))
}
