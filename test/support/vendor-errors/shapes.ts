import type { FailureName } from '../../../src/gateway/failures/failures.ts'
import type { ProtocolName } from '../../../src/protocols/protocol.ts'

/** An answer of a vendor that is no success. */
export interface VendorError {
  readonly protocol: ProtocolName
  /** Vendor and what is wrong; unique. */
  readonly name: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** JSON; a string is sent as it is, since it is none. */
  readonly body: unknown
  /** What it is to be known as; undefined: the client's own fault, which is passed on. */
  readonly expected: FailureName | undefined
}

/** The model that all of them were asked for, by the upstream's name. */
export const askedModel = 'test-model'

const json = { 'content-type': 'application/json' }

/** One line of a table: name, status, body, class, and further headers. */
export type Row = readonly [
  name: string,
  status: number,
  body: unknown,
  expected: FailureName | undefined,
  headers?: Readonly<Record<string, string>>,
]

export const rowsOf = (protocol: ProtocolName, rows: readonly Row[]): readonly VendorError[] =>
  rows.map(([name, status, body, expected, headers]) => ({
    ...{ protocol, name, status, body, expected },
    headers: { ...(typeof body === 'string' ? { 'content-type': 'text/html' } : json), ...headers },
  }))

/** OpenAI's error body, which many speak; `code` may be a number with others. */
export const openAi = (
  message: string,
  type: string | null,
  code: string | number | null = null,
  param: string | null = null,
) => ({ error: { message, type, param, code } })

export const anthropic = (type: string, message: string) => ({
  type: 'error',
  error: { type, message },
  request_id: 'req_011Ctest',
})

export const google = (
  code: number,
  status: string,
  message: string,
  details?: readonly unknown[],
) => ({ error: { code, message, status, ...(details && { details }) } })

/** Google's `ErrorInfo`. */
export const because = (reason: string) => ({
  '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
  reason,
  domain: 'googleapis.com',
  metadata: { service: 'generativelanguage.googleapis.com' },
})
