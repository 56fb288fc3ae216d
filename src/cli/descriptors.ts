import { UserError } from '../app/user-error.ts'
import { descriptorLimit, hasSpareDescriptors, raiseLimitAdvice } from '../lib/process-state.ts'

/** What a command opens at most: the database, its threads and some connections. */
const needed = 64
/** With fewer a gateway is soon full: a stream takes two. */
const plenty = 4_096

/** Throws a `UserError` when a command would run out of descriptors half-way. */
export function requireDescriptors(): void {
  if (hasSpareDescriptors(needed / 2) && (descriptorLimit() ?? needed) >= needed) return
  throw new UserError(
    `This process may open ${descriptorLimit() || 'too few'} files, connections among them, and needs ` +
      `at least ${needed}, and two for each request under way. So ${raiseLimitAdvice}.`,
  )
}

/** Warns when only few requests can be under way at once. */
export function descriptorWarning(): string | undefined {
  const limit = descriptorLimit()
  if (limit === undefined || limit >= plenty) return undefined
  return (
    `At most ${limit} files can be open, connections among them: a request under way takes two, so ` +
    `that less than ${Math.floor(limit / 2)} can be. To have more, ${raiseLimitAdvice}.`
  )
}
