/** Milliseconds since 1970 (UTC). Passed in, so that tests hold it still. */
export type Clock = () => number

export const systemClock: Clock = () => Date.now()
