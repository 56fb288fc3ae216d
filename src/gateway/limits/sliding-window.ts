/** The counts of the last minute; an entry is 100 ms, so there are about 600 at most. */
export interface SlidingWindow {
  oldest: Entry | undefined
  newest: Entry | undefined
  requests: number
  llmTokens: number
}

export interface Entry {
  readonly until: number
  requests: number
  llmTokens: number
  next: Entry | undefined
}

export type Amount = 'requests' | 'llmTokens'

export interface Passing {
  readonly until: number
  readonly requests: number
  readonly llmTokens: number
}

const entryMs = 100

/** The window's excess over a minute: requests may reach an upstream late. */
export const graceMs = entryMs + 400

export const windowMs = 60_000 + graceMs

export const createWindow = (): SlidingWindow => ({
  oldest: undefined,
  newest: undefined,
  requests: 0,
  llmTokens: 0,
})

/** Drops what no longer counts at `now`, a tick in milliseconds. */
export function expire(window: SlidingWindow, now: number): void {
  let entry = window.oldest
  while (entry !== undefined && entry.until <= now) {
    takeBack(window, entry, entry.requests, entry.llmTokens)
    entry = entry.next
  }
  window.oldest = entry
  if (entry === undefined) window.newest = undefined
}

/** Counts from now on; returns the entry, for `takeBack`. */
export function count(
  window: SlidingWindow,
  requests: number,
  llmTokens: number,
  now: number,
): Entry {
  window.requests += requests
  window.llmTokens += llmTokens
  const { newest } = window
  if (newest !== undefined && now < newest.until - windowMs + entryMs) {
    newest.requests += requests
    newest.llmTokens += llmTokens
    return newest
  }
  const entry: Entry = { until: now + windowMs, requests, llmTokens, next: undefined }
  if (newest === undefined) window.oldest = entry
  else newest.next = entry
  window.newest = entry
  return entry
}

/** Subtracts a count, as far as the entry still holds it. */
export function takeBack(
  window: SlidingWindow,
  entry: Entry,
  requests: number,
  llmTokens: number,
): void {
  const fewer = Math.min(requests, entry.requests)
  const less = Math.min(llmTokens, entry.llmTokens)
  entry.requests -= fewer
  entry.llmTokens -= less
  window.requests -= fewer
  window.llmTokens -= less
}

/** More than the whole limit is admitted alone, or it would wait forever. */
export function fits(used: number, amount: number, limit: number): boolean {
  return used + amount <= limit || (used === 0 && amount > limit)
}

/** When `amount` fits on top of `used`; undefined: not before a part of `used` has expired. */
export function roomAt(
  window: SlidingWindow,
  what: Amount,
  {
    used,
    amount,
    limit,
  }: { readonly used: number; readonly amount: number; readonly limit: number },
  now: number,
): number | undefined {
  let left = used
  let at = now
  for (let entry = window.oldest; entry !== undefined; entry = entry.next) {
    if (fits(left, amount, limit)) return at
    left -= entry[what]
    at = entry.until
  }
  return fits(left, amount, limit) ? at : undefined
}

/** When the last of `entering` (LLM tokens each) fits, if each enters as soon as it fits. */
export function roomBehind(
  passing: Passing[],
  entering: Iterable<number>,
  limits: { readonly rpm: number | null; readonly tpm: number | null },
  now: number,
): number {
  const { rpm, tpm } = limits
  let requests = passing.reduce((sum, each) => sum + each.requests, 0)
  let used = passing.reduce((sum, each) => sum + each.llmTokens, 0)
  let at = now
  let next = 0
  for (const llmTokens of entering) {
    const isFull = () =>
      !fits(requests, 1, rpm ?? Number.POSITIVE_INFINITY) ||
      !fits(used, llmTokens, tpm ?? Number.POSITIVE_INFINITY)
    while (isFull()) {
      const passed = passing[next++]
      if (passed === undefined) break
      requests -= passed.requests
      used -= passed.llmTokens
      at = Math.max(at, passed.until)
    }
    requests++
    used += llmTokens
    passing.push({ until: at + windowMs, requests: 1, llmTokens })
  }
  return at
}

export function passingOf(window: SlidingWindow): Passing[] {
  const passing: Passing[] = []
  for (let entry = window.oldest; entry !== undefined; entry = entry.next) passing.push(entry)
  return passing
}
