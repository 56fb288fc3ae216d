/** Milliseconds since 1970 of an ISO 8601 date-time with its offset: `2027-01-31T12:00:00Z`. */
export function parseDateTime(text: string): number | undefined {
  const match = /^(\d{4}-\d\d-(\d\d))T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/.exec(text)
  const ms = match ? Date.parse(text) : Number.NaN
  // Date.parse may roll 30 February over into March.
  const rolled = match && new Date(`${match[1]}T00:00:00Z`).getUTCDate() !== Number(match[2])
  return Number.isNaN(ms) || rolled ? undefined : ms
}

/** The same, and of a date alone: midnight UTC. */
export const parseDateOrTime = (text: string): number | undefined =>
  parseDateTime(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text)
