import type { ReceiptRows, StoredAttempt, StoredRequest } from '../../store/ports/records.ts'

/** A request without what only operators may see: which channel answered, as which model, and which cooled down. */
export type ClientRequest = Omit<
  StoredRequest,
  'channel' | 'channelId' | 'upstreamModel' | 'stateJson'
>

/** An attempt without what only operators may see. */
export type ClientAttempt = Omit<
  StoredAttempt,
  'channel' | 'channelId' | 'upstreamRequestId' | 'keyMark'
>

/** The rows of a receipt as the request's own account may see them. */
export interface ClientRows extends Omit<ReceiptRows, 'request' | 'attempts'> {
  readonly request: ClientRequest
  readonly attempts: readonly ClientAttempt[]
}

/** Takes away what only operators may see. All that users are shown of a request is made of the rest. */
export const clientRows = ({ request, attempts, ...rows }: ReceiptRows): ClientRows => ({
  ...{ ...rows, request: clientRequest(request) },
  attempts: attempts.map(
    ({ channel, channelId, upstreamRequestId, keyMark, ...attempt }) => attempt,
  ),
})

/** The same for a row of a list. */
export function clientRequest<Row extends Partial<StoredRequest>>({
  channel,
  channelId,
  upstreamModel,
  stateJson,
  ...request
}: Row): Omit<Row, 'channel' | 'channelId' | 'upstreamModel' | 'stateJson'> {
  return request
}
