import type { SignedIn } from './access.ts'
import { ApiError } from './api-error.ts'

/**
 * A bounded number of places for what lasts long, such as exports. Administrators have as many of their
 * own: nobody else keeps them from seeing what goes on.
 */
export interface Places {
  /** Takes a place; what it returns gives it back, once. Throws a 503 when there is none. */
  take(who: Pick<SignedIn, 'accountId' | 'role'>): () => void
}

interface PlacesOptions {
  /** What they are for, as the refusal calls it: `exports`. */
  readonly what: string
  /** Of administrators, and of all others. */
  readonly most: number
  /** One account can't keep all others out. */
  readonly mostEach: number
}

export function createPlaces({ what, most, mostEach }: PlacesOptions): Places {
  const taken = new Map<number, number>()
  const all = { admin: 0, user: 0 }

  function give(accountId: number, role: SignedIn['role']): void {
    const left = (taken.get(accountId) ?? 0) - 1
    if (left > 0) taken.set(accountId, left)
    else taken.delete(accountId)
    all[role]--
  }

  return {
    take({ accountId, role }) {
      const own = taken.get(accountId) ?? 0
      if (own >= mostEach) throw tooMany(`You have ${mostEach} ${what} open already. Close one`)
      if (all[role] >= most) throw tooMany(`${most} ${what} are open already. Wait`)
      taken.set(accountId, own + 1)
      all[role]++
      let isMine = true
      return () => {
        if (isMine) give(accountId, role)
        isMine = false
      }
    },
  }
}

/** Places for exports: each keeps a page of rows for as long as its reader takes. */
export const createExportPlaces = (): Places =>
  createPlaces({ what: 'exports', most: 16, mostEach: 4 })

const tooMany = (message: string) =>
  new ApiError('unavailable', `${message}, and try again in some seconds.`, {
    retryAfterSeconds: 5,
  })
