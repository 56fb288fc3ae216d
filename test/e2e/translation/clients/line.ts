import { isJsonObject, parseJsonObject } from '../../../../src/protocols/json.ts'
import type { ProtocolName } from '../../../../src/protocols/protocol.ts'
import { validateBody, validateStream } from '../../../support/validators/validate-stream.ts'

/** What went over the wire, beside what an SDK makes of it. */
export interface Line {
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>
  /** Headers of the last answer. */
  readonly headers: Headers
  /** What of the last answer the client's own vendor would not have sent, errors left aside. */
  violations(ending?: 'complete' | 'error'): Promise<readonly string[]>
}

/** A line that keeps a copy of each answer. */
export function createLine(protocol: ProtocolName): Line {
  let last: { readonly response: Response; readonly copy: Response; usage: boolean } | undefined
  const current = () => {
    if (last === undefined) throw new Error('Nothing has been asked.')
    return last
  }
  return {
    async fetch(input, init) {
      const response = await fetch(input, { ...init, proxy: false })
      const options = parseJsonObject(String(init?.body ?? ''))?.stream_options
      const usage = isJsonObject(options) && options.include_usage === true
      last = { response, copy: response.clone() as Response, usage }
      return response
    },
    get headers() {
      return current().response.headers
    },
    async violations(ending = 'complete') {
      const { copy, usage } = current()
      const type = copy.headers.get('content-type') ?? ''
      if (!copy.ok) return []
      return type.startsWith('text/event-stream')
        ? validateStream(protocol, await copy.text(), { ending, usage })
        : validateBody(protocol, await copy.json())
    },
  }
}
