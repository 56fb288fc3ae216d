import { CommanderError } from 'commander'
import { expectedMessage } from '../app/user-error.ts'
import { codeOf } from '../lib/failure.ts'
import { print } from './terminal.ts'

/** Wrong use: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** 0 done, 1 failed, 2 wrong use. */
export type ExitCode = 0 | 1 | 2

/** Reports an error on stderr unless that is done, and returns the exit code. */
export function reportFailure(error: unknown): ExitCode {
  // Commander has reported it already, or has shown what was asked for.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  if (isBrokenPipe(error)) return 0
  if (error instanceof UsageError) {
    complain(error.message)
    return 2
  }
  const expected = expectedMessage(error)
  complain(expected ?? (error instanceof Error && error.stack ? error.stack : String(error)))
  return 1
}

/** Writes a complaint to stderr, with a prefix on each line. */
export function complain(message: string): void {
  const lines = message.split('\n').map((line) => `tollgate: ${line}\n`)
  print(lines.join(''))
}

function isBrokenPipe(error: unknown): boolean {
  return codeOf(error) === 'EPIPE'
}
