import type { Fault } from '../protocol.ts'

/** An upstream's error, independent of protocols. */
export interface CanonicalError {
  readonly message: string
  /** The part to record, where the message quotes the answer. */
  readonly record?: string | undefined
  /** The vendor's error code: `context_length_exceeded`, `overloaded_error`, `INVALID_ARGUMENT`. */
  readonly code?: string | undefined
  readonly param?: string | undefined
  /** The HTTP status of an error inside an answer, where the vendor names one. */
  readonly status?: number | undefined
}

/** A request that cannot be translated. The gateway answers 400. */
export class TranslationError extends Error {
  override readonly name = 'TranslationError'
  readonly fault: Fault

  constructor(fault: Fault) {
    super(fault.message)
    this.fault = fault
  }
}

/** Throws for an invalid field; `expected` finishes "must be …". */
export function refuseValue(param: string, expected: string): never {
  throw new TranslationError({
    code: 'invalid_value',
    param,
    message: `${param} must be ${expected}.`,
  })
}
