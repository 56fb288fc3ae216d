import { ApiError } from './api-error.ts'

/** A bounded number of places for what lasts long, such as exports. */
export interface Places {
  /** Takes a place; what it returns gives it back, once. Throws a 503 when there is none. */
  take(accountId: number): () => void
}

interface PlacesOptions {
  /** What they are for, as the refusal calls it: `exports`. */
  readonly what: string
  readonly most: number
  /** One account can't keep all others out. */
  readonly mostEach: number
}

export function createPlaces({ what, most, mostEach }: PlacesOptions): Places {
  const taken = new Map<number, number>()
  let all = 0

  function give(accountId: number): void {
    const left = (taken.get(accountId) ?? 0) - 1
    if (left > 0) taken.set(accountId, left)
    else taken.delete(accountId)
    all--
  }

  return {
    take(accountId) {
      const own = taken.get(accountId) ?? 0
      if (own >= mostEach) throw tooMany(`You have ${mostEach} ${what} open already. Close one`)
      if (all >= most) throw tooMany(`${most} ${what} are open already. Wait`)
      taken.set(accountId, own + 1)
      all++
      let isMine = true
      return () => {
        if (isMine) give(accountId)
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
