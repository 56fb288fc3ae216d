import type { Limits } from '../ports/catalog.ts'

/** The three columns of everything that can have limits: out of a row, and into one. */
export function limitsOf({ rpm, tpm, concurrency }: Limits): Limits {
  return { rpm, tpm, concurrency }
}
