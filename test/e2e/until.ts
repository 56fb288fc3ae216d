import { startOwnTime } from '../support/own-time.ts'

/**
 * Asks again and again until there is something; throws what was waited for when time is up: this
 * process's own.
 */
export async function until<Found>(
  what: string,
  find: () => Found | Promise<Found>,
  limitMs = 100_000,
): Promise<Exclude<Found, false | null | undefined>> {
  using ownTime = startOwnTime()
  for (;;) {
    const found = await find()
    if (found) return found as Exclude<Found, false | null | undefined>
    const waitedMs = ownTime.now()
    if (waitedMs > limitMs) throw new Error(`Not within ${limitMs} ms: ${what}`)
    // Who asks a database costs it more than the wait is worth.
    await Bun.sleep(Math.min(Math.max(10, waitedMs / 20), 100))
  }
}
