import { messageOf } from '../../lib/failure.ts'
import { UserError } from '../user-error.ts'
import { describeAddress, mayLeadTo } from './release.ts'

interface ReadOptions {
  readonly mostBytes: number
  readonly signal?: AbortSignal | undefined
  /** How long it may be silent. */
  readonly silenceMs?: number
}

const usualSilenceMs = 30_000
const mostMs = 3_600_000
const mostRedirects = 5

/** The same for all: nothing is sent about this gateway, nor what it has read before. */
const headers = { 'user-agent': 'tollgate', accept: '*/*', 'accept-encoding': 'identity' }

/** Reads an address bit by bit. Throws a `UserError` with the reason when it can't be read to its end. */
export async function* readAddress(address: URL, options: ReadOptions): AsyncGenerator<Uint8Array> {
  const { mostBytes, signal, silenceMs = usualSilenceMs } = options
  const controller = new AbortController()
  const silent = () => controller.abort(new Error(`it was silent for ${silenceMs / 1000} s`))
  const limits = [controller.signal, AbortSignal.timeout(mostMs), ...(signal ? [signal] : [])]
  const any = AbortSignal.any(limits)
  let timer = setTimeout(silent, silenceMs)
  const refuse = (reason: string) =>
    new UserError(
      `${describeAddress(address)} can't be read: ${reason}. Nothing was changed: try again.`,
    )
  let sizeBytes = 0
  try {
    const answer = await ask(address, any)
    for await (const chunk of answer.body ?? []) {
      clearTimeout(timer)
      timer = setTimeout(silent, silenceMs)
      sizeBytes += chunk.length
      if (sizeBytes > mostBytes) throw new Error(`it is longer than ${mostBytes} bytes`)
      yield chunk
    }
  } catch (error) {
    if (signal?.aborted) throw error
    throw refuse(reasonOf(any.aborted ? any.reason : error))
  } finally {
    clearTimeout(timer)
    controller.abort()
  }
}

/** The whole of a short text. */
export async function readText(address: URL, options: ReadOptions): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of readAddress(address, options)) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

async function ask(address: URL, signal: AbortSignal): Promise<Response> {
  let at = address
  for (let redirects = 0; redirects <= mostRedirects; redirects++) {
    const answer = await fetch(at, { headers, signal, redirect: 'manual', decompress: false })
    if (answer.status === 200) return answer
    await answer.body?.cancel()
    const next = answer.headers.get('location')
    if (answer.status < 300 || answer.status > 399 || next === null)
      throw new Error(`it answered ${answer.status}`)
    const to = URL.parse(next, at.href)
    if (to === null || !mayLeadTo(at, to))
      throw new Error('it leads to an address without https://')
    at = to
  }
  throw new Error(`it leads on more than ${mostRedirects} times`)
}

const reasonOf = (error: unknown) =>
  messageOf(error)
    // Advice of the runtime for whoever writes programs.
    .replace(/ For more information, pass `verbose.*$/, '')
    .replace(/\.$/, '')
