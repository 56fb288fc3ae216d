import type { Clock } from '../lib/clock.ts'
import type { Sessions } from './access.ts'
import { createThrottle } from './sign-in/limits.ts'

/** What the console's pages and a person in a hurry never need: 600 requests at once, then 10 a second. */
const ofSession = { burst: 600, everyMs: 100 }
/** Of all its sessions together. */
const ofAccount = { burst: 1_200, everyMs: 50 }

const tooMuch = (what: string) => (seconds: number) =>
  `Too many requests of this ${what}. Try again in ${seconds} seconds; lists can be exported at once.`

/**
 * Counts what sessions ask, each request once, however long its answer is and wherever it is made. Throws
 * 429 for who asks without end. `tick` counts milliseconds.
 */
export function limitSessions(sessions: Sessions, tick: Clock): Sessions {
  const bySession = createThrottle({ ...ofSession, clock: tick, text: tooMuch('session') })
  const byAccount = createThrottle({ ...ofAccount, clock: tick, text: tooMuch('account') })
  const counted = new WeakSet<Request>()
  return {
    async find(request) {
      const who = await sessions.find(request)
      if (who === undefined || counted.has(request)) return who
      counted.add(request)
      bySession.take(who.sessionId)
      byAccount.take(String(who.accountId))
      return who
    },
  }
}
