/** An error that the demo answers in the shape of the asked protocol. */
export class DemoError extends Error {
  readonly status: number
  /** The machine word that messages puts in `error.details.error_code`. */
  readonly detail: string | undefined

  constructor(status: number, message: string, detail?: string) {
    super(message)
    this.status = status
    this.detail = detail
  }
}

/** Throws the error that a text asks for: the first group of `pattern` is the status. */
export function failOn(pattern: RegExp, asked: string) {
  const status = pattern.exec(asked)?.[1]
  if (status !== undefined) throw new DemoError(Number(status), `Failing with ${status}, as asked.`)
}

const messagesTypes: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
}
const geminiStatuses: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
}

/** Error body of chat, responses, embeddings and images. */
export function openaiError({ status, message }: DemoError) {
  const type = status >= 500 ? 'server_error' : 'invalid_request_error'
  if (status === 401) return { error: { message, type, param: null, code: 'invalid_api_key' } }
  if (status === 429)
    return { error: { message, type: 'requests', param: null, code: 'rate_limit_exceeded' } }
  return { error: { message, type, param: null, code: null } }
}

/** Error body of messages. */
export function messagesError({ status, message, detail }: DemoError) {
  const type = messagesTypes[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error')
  return {
    type: 'error',
    error: { type, message, ...(detail && { details: { error_code: detail } }) },
    request_id: `req_${crypto.randomUUID()}`,
  }
}

/** Error body of gemini. */
export function geminiError({ status, message }: DemoError) {
  const word = geminiStatuses[status] ?? (status >= 500 ? 'INTERNAL' : 'INVALID_ARGUMENT')
  return { error: { code: status, message, status: word } }
}
