import type { Entry } from './scene.ts'

/** How long an answer took. */
export interface Timed {
  /** Until its first bytes. */
  readonly firstMs: number
  readonly wholeMs: number
  /** As they were sent: mostly compressed. */
  readonly bytes: number
  readonly status: number
  readonly text: string
}

export type Person = Awaited<ReturnType<typeof signIn>>

/** Somebody who is signed in to the console at `url`. */
export async function signIn(url: string, { email, password }: Entry) {
  const answer = await fetch(`${url}/api/v1/auth/sign-in/email`, {
    method: 'POST',
    headers: { origin: url, 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
    proxy: false,
  })
  if (!answer.ok) throw new Error(`${email} can't sign in: ${await answer.text()}`)
  const cookie = answer.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ')

  /** As a browser takes it, but compressed: the work on that would take turns from who measures. */
  const open = (path: string, signal: AbortSignal) =>
    fetch(url + path, { headers: { cookie }, signal, proxy: false, decompress: false })

  /** `firstOnly`: leaves as soon as something has come. */
  async function ask(path: string, firstOnly = false): Promise<Timed> {
    const leaving = new AbortController()
    const startedAt = performance.now()
    const { status, headers, body } = await open(path, leaving.signal)
    let firstMs = Number.NaN
    let bytes = 0
    const parts: Uint8Array[] = []
    for await (const part of body ?? []) {
      if (bytes === 0) firstMs = performance.now() - startedAt
      bytes += part.length
      if (firstOnly) break
      parts.push(part)
    }
    leaving.abort()
    const wholeMs = performance.now() - startedAt
    const sent = bytes > 4_000_000 ? Buffer.alloc(0) : Buffer.concat(parts)
    const isGzip = headers.get('content-encoding') === 'gzip'
    const text = new TextDecoder().decode(
      isGzip && !firstOnly && sent.length > 0 ? Bun.gunzipSync(sent) : sent,
    )
    return { firstMs, wholeMs, bytes, status, text }
  }

  return {
    ask,
    /** The answer itself, with its body still to be read. */
    open,
    /** What is in an answer's envelope. */
    async data(path: string) {
      const { status, text } = await ask(path)
      if (status !== 200) throw new Error(`${path} was answered with ${status}: ${text}`)
      return JSON.parse(text).data
    },
  }
}
