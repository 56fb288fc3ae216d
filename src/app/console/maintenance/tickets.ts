import { randomBytes } from 'node:crypto'
import type { Clock } from '../../../lib/clock.ts'

interface Ticket {
  readonly name: string
  readonly sessionId: string
  readonly until: number
}

/** How long a download may begin after it was allowed. */
const validMs = 60_000

/** Lets a session take one thing, once. */
export interface Tickets {
  issue(name: string, sessionId: string): string
  /** True once, for the session and the thing that it was issued for. */
  redeem(ticket: string, name: string, sessionId: string): boolean
}

/** No tickets yet. */
export function createTickets(clock: Clock): Tickets {
  const tickets = new Map<string, Ticket>()
  return {
    issue(name, sessionId) {
      for (const [id, { until }] of tickets) if (until < clock()) tickets.delete(id)
      const id = randomBytes(24).toString('base64url')
      tickets.set(id, { name, sessionId, until: clock() + validMs })
      return id
    },
    redeem(id, name, sessionId) {
      const ticket = tickets.get(id)
      if (ticket?.name !== name || ticket.sessionId !== sessionId) return false
      tickets.delete(id)
      return ticket.until >= clock()
    },
  }
}
