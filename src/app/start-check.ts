import type { Logger } from '../lib/log.ts'
import type { VerificationStore } from '../store/ports/verification.ts'
import { fileDifference } from './verify/check-sums.ts'
import { describeDifference } from './verify/difference.ts'

/**
 * Looks at the database by its cheap checks when the gateway has begun to serve, and says in the log what
 * is wrong with it. Nobody waits for it: requests are answered meanwhile, and afterwards all the same.
 */
export function checkAtStart(store: Pick<VerificationStore, 'checkSoon'>, log: Logger) {
  const ended = new AbortController()

  async function check(): Promise<void> {
    try {
      for (const fault of await store.checkSoon(ended.signal)) {
        if (fault.kind === 'unchecked') continue
        log.error('the database is damaged: run "tollgate verify --deep", and restore a backup', {
          found: describeDifference(fileDifference(fault)),
        })
      }
    } catch (error) {
      log.warn('the database was not looked at', { error: String(error) })
    }
  }

  const done = check()
  return {
    /** Resolves when all is said. */
    done,
    /** Resolves when nothing of it is open any more. */
    async stop(): Promise<void> {
      ended.abort()
      await done
    },
  }
}
