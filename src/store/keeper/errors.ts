import { messageOf } from '../../lib/failure.ts'
import { CountersUnavailable } from '../ports/counters.ts'
import { StoreError, UnansweredError } from '../ports/store-error.ts'

/** An error on the link: its class, as far as callers ask for it, and its message. */
export type SentError = readonly [
  kind: 'store' | 'unanswered' | 'counters' | 'range' | 'other',
  message: string,
  isSent?: boolean,
]

export function packError(error: unknown): SentError {
  const message = messageOf(error)
  if (error instanceof UnansweredError) return ['unanswered', message]
  if (error instanceof StoreError) return ['store', message]
  if (error instanceof CountersUnavailable) return ['counters', message, error.isSent]
  return [error instanceof RangeError ? 'range' : 'other', message]
}

export function unpackError([kind, message, isSent = true]: SentError): Error {
  if (kind === 'unanswered') return new UnansweredError(message)
  if (kind === 'store') return new StoreError(message)
  if (kind === 'counters') return new CountersUnavailable(message, isSent)
  return kind === 'range' ? new RangeError(message) : new Error(message)
}
