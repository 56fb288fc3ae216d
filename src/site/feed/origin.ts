/** What the last answer said, for the next conditional request. */
export interface Validators {
  readonly etag: string | null
  readonly lastModified: string | null
}

/** A document as the origin gave it. */
export interface OriginDocument extends Validators {
  readonly text: string
  /** Its `Last-Modified` in milliseconds since 1970; null when there was none. */
  readonly modifiedMs: number | null
}

/** Which feed is asked for, and how. */
export interface Question {
  readonly ask: typeof fetch
  readonly url: string
  /** Gives the request up. */
  readonly signal?: AbortSignal
}

const timeoutMs = 30_000
const maxBytes = 64 * 1024 * 1024

/**
 * Asks for a feed, on condition that it is another than `known`. Throws, with the cause in words,
 * when there is no document to be had.
 */
export async function readOrigin(
  { ask, url, signal }: Question,
  known?: Validators,
): Promise<OriginDocument | 'unchanged'> {
  const headers = new Headers({ accept: 'application/json' })
  if (known?.etag) headers.set('if-none-match', known.etag)
  if (known?.lastModified) headers.set('if-modified-since', known.lastModified)
  const timeout = AbortSignal.timeout(timeoutMs)
  const response = await ask(url, {
    headers,
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
  })
  if (response.status === 304 && known) {
    await response.body?.cancel()
    return 'unchanged'
  }
  const text = await readText(response)
  if (response.status !== 200)
    throw new Error(`the origin answered ${response.status}: ${text.slice(0, 200)}`)
  const lastModified = response.headers.get('last-modified')
  const time = Date.parse(lastModified ?? '')
  return {
    text,
    etag: response.headers.get('etag'),
    lastModified,
    modifiedMs: Number.isNaN(time) ? null : time,
  }
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk)
    sizeBytes += chunk.length
    if (sizeBytes > maxBytes) throw new Error(`the document is longer than ${maxBytes} bytes`)
  }
  try {
    // Bytes are passed on as they came: a byte order mark is no part of JSON, and is kept to be told.
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
    return decoder.decode(Buffer.concat(chunks))
  } catch (cause) {
    throw new Error('the document is not UTF-8', { cause })
  }
}
