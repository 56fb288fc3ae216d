import { ApiError } from './api-error.ts'

/** More is no form of the console's. */
const maxBytes = 1024 * 1024

/**
 * The JSON body of a request, read with a limit; undefined when it has none. Other content types
 * are refused: a form of another site can't send JSON.
 */
export async function readJson(request: Request): Promise<unknown> {
  if (request.body === null) return undefined
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json') {
    await request.body.cancel()
    throw new ApiError('content_type', 'The body must be JSON (content-type: application/json).')
  }
  const text = await readText(request.body)
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new ApiError('invalid_json', 'The body is not valid JSON.', { cause })
  }
}

async function readText(body: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.byteLength
    if (bytes > maxBytes) {
      throw new ApiError('body_too_large', `The body is larger than ${maxBytes} bytes.`)
    }
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}
