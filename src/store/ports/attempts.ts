import type { AttemptRow, RequestRow, Span } from './records.ts'

/** An attempt at a channel with what is known of the request that it was made for. */
export interface AttemptRecord extends AttemptRow {
  readonly position: number
  /** True when the request's own record is that of this attempt: it was the last one. */
  readonly isLast: boolean
  readonly channel: string
  readonly request: Pick<
    RequestRow,
    | 'requestId'
    | 'model'
    | 'clientProtocol'
    | 'upstreamProtocol'
    | 'estimated'
    | 'inputTokens'
    | 'outputTokens'
    | 'reasoningTokens'
    | 'cacheReadTokens'
    | 'cacheWriteTokens'
    | 'cacheWrite1hTokens'
    | 'amountNano'
  >
}

/** Which attempts; a missing end of the span is unbounded. */
export interface AttemptFilter extends Span {
  readonly channelIds: readonly number[]
  /** How long before its attempts a request may have come. */
  readonly requestAgeMs: number
}

/** Reading attempts apart from their requests. */
export interface AttemptStore {
  /** In order of their requests, a page at a time: memory does not grow with the table. */
  list(filter: AttemptFilter): AsyncIterable<AttemptRecord>
}
