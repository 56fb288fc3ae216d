import { GatewayError } from '../errors.ts'
import { graceMs } from './sliding-window.ts'
import type { Refused, Subject } from './tally.ts'

/**
 * The 429 of a limit that leaves no room: whose limit, which one, and when to try again. Whoever
 * comes back after so many whole seconds may have to wait for the grace, which it then does.
 */
export function limitError({ subject, limit, retryAfterMs }: Refused): GatewayError {
  const retryAfter = Math.max(1, Math.ceil((retryAfterMs - graceMs) / 1000))
  const message = `${whose(subject)} ${allowance[limit]((subject.told ?? subject.limits)[limit] ?? 0)}.`
  const kind = limit === 'concurrency' ? 'concurrency_limited' : 'rate_limited'
  return new GatewayError(kind, `${message} Try again in ${retryAfter} s.`, {
    ...{ retryAfter, limited: subject.kind },
  })
}

function whose({ kind, name }: Subject): string {
  if (kind === 'token') return 'This key'
  if (kind === 'account') return 'This account'
  // A channel's name is not for clients.
  return kind === 'group' ? `The group "${name}"` : 'A channel'
}

const allowance = {
  rpm: (count: number) => `may make ${counted(count, 'request')} a minute`,
  tpm: (count: number) => `may use ${counted(count, 'LLM token')} a minute`,
  concurrency: (count: number) => `may make ${counted(count, 'request')} at once`,
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`
