import { treaty } from '@elysiajs/eden'
import type { AdminApi } from '../../admin/api.ts'

/** The console's API, typed by its routes. Below it all is `/api/v1`. */
export const api = treaty<AdminApi>(location.origin, {
  fetch: { credentials: 'same-origin' },
  // Refusals come in the language of the page.
  headers: () => ({ 'accept-language': document.documentElement.lang || 'en' }),
  // Times stay texts: what is shown of them is decided where they are shown.
  parseDate: false,
}).api.v1

/** A refusal of the API, or that it could not be reached (`unreachable`). */
export class CallFailed extends Error {
  override readonly name = 'CallFailed'
  readonly status: number
  /** Machine word, such as `conflict`. */
  readonly reason: string
  readonly field: string | undefined
  /** Machine word for what is wrong with it. */
  readonly fault: string | undefined
  /** On a conflict: the present state. */
  readonly data: unknown

  constructor(status: number, body: unknown) {
    const { message, reason, field, fault, data } = readFailure(body)
    super(message ?? `HTTP ${status}`)
    this.status = status
    this.reason = reason ?? 'unreachable'
    this.field = field
    this.fault = fault
    this.data = data
  }
}

interface FailureBody {
  message?: string
  reason?: string
  field?: string
  fault?: string
  data?: unknown
}

function readFailure(body: unknown): FailureBody {
  if (body instanceof Error) return { message: body.message }
  return typeof body === 'object' && body !== null ? body : {}
}

/** What every call resolves to. */
export interface Called<Data> {
  readonly data: { readonly data: Data } | null
  readonly error: { readonly status: unknown; readonly value: unknown } | null
}

/** The data of an answer; throws `CallFailed`. */
export async function call<Data>(calling: Promise<Called<Data>>): Promise<Data> {
  const { data, error } = await calling
  if (data !== null && error === null) return data.data
  // The client calls it 503 when nothing came, with what was thrown as the value.
  const status = error?.value instanceof Error ? 0 : Number(error?.status ?? 0)
  const failure = new CallFailed(status, error?.value)
  if (failure.reason === 'not_signed_in') endSession()
  throw failure
}

let endSession = (): void => {}

/** Calls `listener` when a call finds that nobody is signed in any more; returns what stops that. */
export function onSessionEnd(listener: () => void): () => void {
  endSession = listener
  return () => {
    if (endSession === listener) endSession = () => {}
  }
}

/** The JSON at a public address of the gateway; throws `CallFailed`. */
export async function read(path: string): Promise<unknown> {
  const response = await fetch(path).catch((error: unknown) => {
    throw new CallFailed(0, error)
  })
  const body: unknown = await response.json()
  if (!response.ok) throw new CallFailed(response.status, body)
  return body
}
