import { type Recording, recordings } from '../support/recordings.ts'

/** One recording as it is played: what the client sends, the upstream answers, the client gets. */
export interface Play {
  readonly id: string
  readonly kind: string
  readonly model: string
  readonly client: { readonly method: string; readonly path: string; readonly body?: string }
  readonly answer: Answer & { readonly sse: boolean }
  readonly expected: Answer
  readonly expectedUpstreamBody: string | undefined
  /** Leaves a request record. */
  readonly recorded: boolean
  /** Its record must hold the recorded usage. */
  readonly billed: boolean
  /** False where an error takes the place of all of the answer. */
  readonly delivers: boolean
  readonly recording: Recording
}

interface Answer {
  readonly status: number
  readonly contentType: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

const encode = (text: string) => new TextEncoder().encode(text)

/** All recordings as plays, and those of endpoints that the gateway does not have. */
export function loadPlays() {
  const unplayable: Recording[] = []
  const plays: Play[] = []
  for (const recording of recordings) {
    const client = clientOf(recording)
    if (client === undefined) unplayable.push(recording)
    else plays.push(playOf(recording, client))
  }
  return { plays, unplayable }
}

/** The path at the gateway and the body for a recorded exchange; undefined: no such endpoint. */
function clientOf({ protocol, stream, method, path, request }: Recording) {
  if (path === undefined) return minimal(protocol, stream)
  const body = request as Record<string, unknown>
  if (method === 'GET') return { path: path.replace(/^.*(?=\/v1\/)/, ''), model: '', body: null }
  const google = /\/models\/([^/:]+):(\w+)/.exec(path)
  if (google) {
    const [, model = '', action = ''] = google
    if (action === 'predict') return undefined
    return { path: `/v1beta/models/${model}:${action}${stream ? '?alt=sse' : ''}`, model, body }
  }
  const named = { model: modelOfPath(path), ...body } as Record<string, unknown>
  const end = /(chat\/completions|embeddings|responses(\/(compact|input_tokens))?)(\?|$)/.exec(path)
  const chosen = end
    ? `/v1/${end[1]}`
    : `/v1/messages${path.includes('count_tokens') ? '/count_tokens' : ''}?beta=true`
  return { path: chosen, model: String(named.model), body: body?.model ? body : named }
}

/** Bedrock names the model in the path and not in the body. */
const modelOfPath = (path: string) => /\/model\/([^/]+)\//.exec(path)?.[1] ?? 'replayed'

/** A request for answers whose own was not recorded. */
function minimal(protocol: string, stream: boolean) {
  const model = 'replayed'
  const messages = [{ role: 'user', content: 'Hello' }]
  const contents = [{ role: 'user', parts: [{ text: 'Hello' }] }]
  const streamed = stream ? { stream } : {}
  const options = stream ? { stream, stream_options: { include_usage: true } } : {}
  const action = stream ? 'streamGenerateContent?alt=sse' : 'generateContent'
  const ways: Record<string, { path: string; body: object }> = {
    chat: { path: '/v1/chat/completions', body: { model, messages, ...options } },
    responses: { path: '/v1/responses', body: { model, input: 'Hello', ...streamed } },
    messages: { path: '/v1/messages', body: { model, max_tokens: 64, messages, ...streamed } },
    gemini: { path: `/v1beta/models/${model}:${action}`, body: { contents } },
    embeddings: { path: '/v1/embeddings', body: { model, input: 'Hello' } },
    images: { path: '/v1/images/generations', body: { model, prompt: 'A toll gate' } },
  }
  const way = ways[protocol]
  return way && { ...way, model }
}

let formats = 0

function playOf(
  recording: Recording,
  client: { readonly path: string; readonly model: string; readonly body: object | null },
): Play {
  const { id, protocol, stream, features, status, body, sse } = recording
  const fallback = sse === undefined ? 'application/json' : 'text/event-stream'
  const contentType = recording.contentType ?? fallback
  const bytes = encode(sse ?? JSON.stringify(body))
  const answer = { status, contentType, bytes, sse: sse !== undefined }
  // Clients differ in white space, and none of it may be lost.
  const sent = client.body === null ? undefined : JSON.stringify(client.body, null, formats++ % 3)
  const asksUsage = client.path === '/v1/chat/completions' && isUnasked(client.body)
  const retrieved = client.body === null
  const final = !['queued', 'in_progress'].includes(String((body as Body)?.status))
  const counted = /count_tokens|countTokens|input_tokens/.test(client.path)
  return {
    id,
    kind: protocol + (stream ? ' stream' : ''),
    model: client.model,
    client: {
      method: retrieved ? 'GET' : 'POST',
      path: client.path,
      ...(sent === undefined ? {} : { body: sent }),
    },
    answer,
    expected: expectedAnswer(answer, asksUsage),
    expectedUpstreamBody: sent && asksUsage ? withUsageAsked(sent) : sent,
    recorded: !counted && (!retrieved || (final && isFirst(client.path))),
    billed: final,
    delivers: !features.includes('error_mid_stream') || deliversText(sse),
    recording,
  }
}

const deliversText = (sse: string | undefined) =>
  /"(content|reasoning|delta)":\s*"[^"]/.test(sse ?? '')

type Body = { readonly status?: unknown } | undefined

const seenPaths = new Set<string>()

/** A finished response is charged when it is fetched, once. */
function isFirst(path: string): boolean {
  if (seenPaths.has(path)) return false
  seenPaths.add(path)
  return true
}

function isUnasked(body: object | null): boolean {
  const { stream, stream_options: options } = body as {
    stream?: boolean
    stream_options?: { include_usage?: boolean }
  }
  return stream === true && options?.include_usage !== true
}

/** The one change that a body may suffer here: the usage report is asked for, at its end. */
const withUsageAsked = (sent: string) =>
  sent.replace(/\s*}$/, (end) => `${end.slice(0, -1)},"stream_options":{"include_usage":true}}`)

/** What the client must get: the recorded answer, but for what the contract rules otherwise. */
function expectedAnswer(answer: Play['answer'], hidesUsage: boolean): Answer {
  if (answer.status === 429) return busy
  if (!hidesUsage) return answer
  const shown = new TextDecoder()
    .decode(answer.bytes)
    .split(/(?<=\n\n)/)
    .filter((frame) => !/"choices":\s*\[\s*\]/.test(frame) || !/"usage":\s*\{/.test(frame))
  return { ...answer, bytes: encode(shown.join('')) }
}

/** All channels are rate limited: the gateway's own words, in the shape of the protocol. */
const busy: Answer = {
  status: 429,
  contentType: 'application/json',
  bytes: encode(
    JSON.stringify({
      error: {
        message: 'All channels for this model are rate limited at present. Try again later.',
        type: 'rate_limit_error',
        param: null,
        code: 'channels_busy',
      },
    }),
  ),
}
