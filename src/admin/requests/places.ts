import { ApiError } from '../api-error.ts'

/** A bounded number of places for what lasts long, such as exports. */
export interface Places {
  /** Takes a place; what it returns gives it back, once. Throws a 503 when there is none. */
  take(): () => void
}

/** `what` is called so in the refusal: `exports`. */
export function createPlaces(most: number, what: string): Places {
  let taken = 0
  return {
    take() {
      if (taken >= most) {
        const message = `${most} ${what} are open already. Try again in some seconds.`
        throw new ApiError('unavailable', message, { retryAfterSeconds: 5 })
      }
      taken++
      let isMine = true
      return () => {
        if (isMine) taken--
        isMine = false
      }
    },
  }
}
