import type { OwnResponse as ToldResponse } from '../../protocols/canonical/codec.ts'
import type { JsonObject } from '../../protocols/protocol.ts'
import type { RequestBody } from '../body/body.ts'
import { itemsOf } from './input-items.ts'
import type { OwnResponses } from './own-responses.ts'

/** What becomes of the answer to a request for a response, should it be translated. */
export interface Keeping extends ToldResponse {
  /**
   * The answer is charged: it is kept, as soon as it is whole. Undefined: nobody has to wait for that;
   * never rejects.
   */
  settled(): Promise<void> | undefined
}

interface KeepingTask {
  readonly own: OwnResponses
  readonly accountId: number
  /** With the whole conversation. */
  readonly body: RequestBody
  /** As the client named it. */
  readonly previousId: string | null
}

/**
 * Keeps a translated answer once it is both whole and charged, unless its client says `store: false`. A
 * failed answer is not kept: there is nothing to go on with.
 */
export function createKeeping({ own, accountId, body, previousId }: KeepingTask): Keeping {
  const { fields } = body
  if (fields === undefined || saysNo(body) || !own.isOn()) return notKept(previousId)
  const input = itemsOf({ ...body, fields })
  if (!own.takes(input.byteLength)) return notKept(previousId)
  let made: JsonObject | undefined
  let isSettled = false

  const keep = () => {
    if (made === undefined || !isSettled) return undefined
    const response = Buffer.from(JSON.stringify(made))
    return own.keep(accountId, { id: String(made.id), input, response })
  }
  return {
    previousId,
    keep(response) {
      if (response.status === 'failed') return
      made = response
      void keep()
    },
    settled() {
      isSettled = true
      return keep()
    },
  }
}

const notKept = (previousId: string | null): Keeping => ({
  previousId,
  keep: undefined,
  settled: () => undefined,
})

function saysNo({ bytes, fields }: RequestBody): boolean {
  const { start, end } = fields?.spans.get('store') ?? { start: 0, end: 0 }
  return end - start === no.length && bytes.toString('utf8', start, end) === no
}
const no = 'false'
