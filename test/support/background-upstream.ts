import {
  type FakeUpstream,
  jsonAnswer,
  type SeenRequest,
  startFakeUpstream,
} from './fake-upstream.ts'

/** What an answer in the background has used when it ends, in LLM tokens. */
export const backgroundUsage = { input_tokens: 10, output_tokens: 1000 }
/** Its cost at 1 USD in and 2 USD out for a million, in nano-USD. */
export const backgroundNano = 10 * 1_000 + 1_000 * 2_000

/** An upstream that makes answers in the background, and keeps them. */
export interface BackgroundUpstream extends AsyncDisposable {
  readonly url: string
  readonly requests: FakeUpstream['requests']
  /** Ends the work on all answers, and on those to come. */
  finish(status?: 'completed' | 'failed'): void
  /** From now on answers take their time. */
  work(): void
  /** Forgets all answers. */
  forget(): void
}

interface AskBody {
  readonly stream?: boolean
  readonly background?: boolean
  /** `nameless`: its answer has no id. */
  readonly user?: string
  readonly previous_response_id?: string
}

export function startBackgroundUpstream(): BackgroundUpstream {
  const kept = new Set<string>()
  const ended = new Set<string>()
  let endsAt: 'completed' | 'failed' | undefined
  let made = 0

  const bodyOf = (id: string, isDone: boolean) => ({
    ...{ id, object: 'response', background: true, model: 'test-model' },
    status: isDone ? (endsAt ?? 'completed') : 'in_progress',
    output:
      isDone && endsAt !== 'failed'
        ? [
            {
              type: 'message',
              id: `msg_${id}`,
              role: 'assistant',
              content: [{ type: 'output_text', text: 'Done.' }],
            },
          ]
        : [],
    usage: isDone && endsAt !== 'failed' ? backgroundUsage : null,
    ...(isDone &&
      endsAt === 'failed' && { error: { code: 'server_error', message: 'It failed.' } }),
  })

  function begin(body: AskBody): Response {
    const id = `resp_${++made}_${crypto.randomUUID()}`
    kept.add(id)
    if (body.user === 'nameless') return jsonAnswer({ ...bodyOf(id, false), id: undefined })
    if (!body.background) return jsonAnswer({ ...bodyOf(id, true), background: false })
    return body.stream ? new Response(streamOf(id), streamHead) : jsonAnswer(bodyOf(id, false))
  }

  /** The text is told long before the answer ends. */
  function streamOf(id: string): ReadableStream<Uint8Array> {
    const response = bodyOf(id, false)
    const item = { output_index: 0, content_index: 0, item_id: `msg_${id}` }
    const events = [
      { type: 'response.created', response },
      { type: 'response.in_progress', response },
      { ...item, type: 'response.output_text.delta', delta: 'Done.' },
      { ...item, type: 'response.output_text.done', text: 'Done.' },
    ]
    return new ReadableStream({
      start(controller) {
        for (const event of events) controller.enqueue(encode(event))
      },
    })
  }

  function answer({ method, path, json }: SeenRequest): Response {
    const id = path.split('/')[3]?.split('?')[0]
    if (id === undefined) {
      const body = json() as AskBody
      const previous = body.previous_response_id
      return previous && !kept.has(previous) ? unknown(previous) : begin(body)
    }
    if (!kept.has(id)) return unknown(id)
    if (method === 'DELETE') {
      kept.delete(id)
      return jsonAnswer({ id, object: 'response', deleted: true })
    }
    if (endsAt !== undefined) ended.add(id)
    return jsonAnswer(bodyOf(id, ended.has(id)))
  }

  const upstream = startFakeUpstream(answer)
  return {
    ...{ url: upstream.url, requests: upstream.requests },
    finish(status = 'completed') {
      endsAt = status
    },
    work() {
      endsAt = undefined
    },
    forget: () => kept.clear(),
    [Symbol.asyncDispose]: () => upstream.stop(),
  }
}

const streamHead = { headers: { 'content-type': 'text/event-stream' } }
const unknown = (id: string) =>
  jsonAnswer({ error: { message: `Response with id '${id}' not found.` } }, 404)
const encode = (event: { readonly type: string }) =>
  new TextEncoder().encode(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
