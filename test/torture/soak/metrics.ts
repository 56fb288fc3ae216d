/** What a gateway says of itself. */
export interface Told {
  readonly requestsInFlight: number
  readonly streamsInFlight: number
  /** Longest delay of its event loop in the last minute. */
  readonly lagMs: number
}

/** Reads the metrics at an address; undefined where nobody tells any. */
export async function readMetrics(url: string): Promise<Told | undefined> {
  try {
    const answer = await fetch(url, { keepalive: false, proxy: false })
    const text = await answer.text()
    if (answer.status !== 200) return undefined
    const value = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
    return {
      requestsInFlight: value('tollgate_requests_in_flight'),
      streamsInFlight: value('tollgate_streams_in_flight'),
      lagMs: value('tollgate_event_loop_lag_seconds') * 1000,
    }
  } catch {
    return undefined
  }
}
