import { ApiError } from './api-error.ts'

const maxBytes = 1024 * 1024

/**
 * The JSON body of a request, read with a limit; undefined when it has none. Other content types
 * are refused: a form of another site can't send JSON.
 */
export async function readJson(request: Request, limitBytes = maxBytes): Promise<unknown> {
  const bytes = await readJsonBytes(request, limitBytes)
  if (bytes.length === 0) return undefined
  try {
    // Without `fatal`, invalid UTF-8 would become other text.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    const body: unknown = JSON.parse(
      text,
      mayNameInherited.test(text) ? refuseInherited : undefined,
    )
    requireShallow(body)
    return body
  } catch (cause) {
    if (cause instanceof ApiError) throw cause
    throw new ApiError('invalid_json', 'The body is not valid JSON.', { cause })
  }
}

/** Names of Object.prototype; JSON may write them with escapes. */
const inherited: ReadonlySet<string> = new Set(['__proto__', 'toString', 'valueOf'])
const mayNameInherited = /__proto__|toString|valueOf|\\u/

/** An object with a `toString` of its own would break message templates. */
function refuseInherited(name: string, value: unknown): unknown {
  if (!inherited.has(name)) return value
  const field = { field: name }
  throw new ApiError('invalid_value', `${name}: nothing here has a field of this name.`, field)
}

/** More than any route of the console takes. */
const mostLevels = 32

/** A validator takes quadratic time for what is nested deep, and more stack than there is. */
function requireShallow(body: unknown): void {
  let level = [body]
  for (let levels = 0; level.length > 0; levels++) {
    if (levels > mostLevels) {
      throw new ApiError('invalid_value', `The body is nested deeper than ${mostLevels} levels.`)
    }
    level = level.flatMap((one) => (typeof one === 'object' && one ? Object.values(one) : []))
  }
}

/** The same as unparsed bytes. */
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
