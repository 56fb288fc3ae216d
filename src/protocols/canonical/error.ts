import type { Fault } from '../protocol.ts'

/** What an upstream says went wrong, whatever its protocol. */
export interface CanonicalError {
  readonly message: string
  /** What may be kept of it, where the message holds words of the answer. */
  readonly record?: string | undefined
  /** The vendor's machine word: `context_length_exceeded`, `overloaded_error`, `INVALID_ARGUMENT`. */
  readonly code?: string | undefined
  readonly param?: string | undefined
  /** HTTP status that it means, where the vendor tells one inside of its answer. */
  readonly status?: number | undefined
}

/** A request that can't be taken to another protocol. The gateway answers it with 400. */
export class TranslationError extends Error {
  override readonly name = 'TranslationError'
  readonly fault: Fault

  constructor(fault: Fault) {
    super(fault.message)
    this.fault = fault
  }
}

/** Throws for a field that is not as its protocol wants it; `expected` finishes "must be …". */
export function refuseValue(param: string, expected: string): never {
  throw new TranslationError({
    code: 'invalid_value',
    param,
    message: `${param} must be ${expected}.`,
  })
}
