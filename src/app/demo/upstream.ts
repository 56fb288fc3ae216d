import { LRUCache } from 'lru-cache'
import { TranslationError } from '../../protocols/canonical/error.ts'
import { foldEvents } from '../../protocols/canonical/fold.ts'
import { chat } from '../../protocols/chat/index.ts'
import { gemini } from '../../protocols/gemini/index.ts'
import { isJsonObject } from '../../protocols/json.ts'
import { messages } from '../../protocols/messages/index.ts'
import type { Framing, JsonObject, Operation, Protocol } from '../../protocols/protocol.ts'
import { responses } from '../../protocols/responses/index.ts'
import { answer, countInput, DemoError, failOn, freshId } from './answer.ts'
import { embed, images } from './media.ts'
import { createPromptCache } from './sample.ts'

/** An authenticated request; its body, if any, is an object. */
interface Call {
  readonly body: JsonObject
  readonly key: string
  readonly url: URL
  /** The named part of the path: a model or an id. */
  readonly name: string
}

type Handler = (call: Call) => Response
interface Route {
  readonly method: string
  readonly path: RegExp
  readonly protocol: Protocol
  readonly handle: Handler
}

function keyOf({ headers }: Request, url: URL): string | undefined {
  const bearer = /^bearer\s+(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1]
  const plain = headers.get('x-api-key') ?? headers.get('x-goog-api-key')
  return bearer || plain || url.searchParams.get('key') || undefined
}

async function bodyOf(request: Request): Promise<JsonObject> {
  if (request.method !== 'POST') return {}
  const raw = await request.text()
  try {
    const parsed: unknown = JSON.parse(raw)
    if (isJsonObject(parsed)) return parsed
  } catch (cause) {
    throw new DemoError(400, `The body is not valid JSON: ${cause}`)
  }
  throw new DemoError(400, 'The body must be a JSON object.')
}

/** Decodes a request for an answer, or for its token count, as the gateway does. */
function decode(protocol: Protocol, operation: Operation, body: JsonObject, path: Target) {
  const fault = operation.check(body)
  if (fault) throw new DemoError(400, fault.message)
  const model = path.model ?? body.model
  if (typeof model !== 'string' || model === '')
    throw new DemoError(400, 'model: a text is required.')
  // Without state for a thread, this status and word make an SDK send the whole conversation again.
  if (isJsonObject(body.thread) && body.thread.type === 'continue')
    throw new DemoError(404, 'thread: not found', 'thread_not_found')
  const stream = path.stream ?? body.stream === true
  const request = protocol.codec.decodeRequest(body, { model, stream })
  if ((request.choices ?? 1) > 1) throw new DemoError(400, 'n: the demo upstream gives one choice.')
  return request
}

interface Target {
  readonly model?: string
  readonly stream?: boolean
  readonly framing?: Framing
}

async function* paced(frames: Iterable<string>, paceMs: number) {
  const encoder = new TextEncoder()
  let first = true
  for (const frame of frames) {
    if (frame === '') continue
    if (!first) await Bun.sleep(paceMs)
    first = false
    yield encoder.encode(frame)
  }
}

function createTalk(paceMs: number) {
  const cache = createPromptCache()
  return (
    protocol: Protocol,
    { body, key }: Call,
    path: Target = {},
    keep?: { readonly conversation: JsonObject; readonly response: (response: JsonObject) => void },
  ): Response => {
    const asked = keep?.conversation ?? body
    const request = decode(protocol, protocol.generation, asked, path)
    const events = answer(request, { protocol: protocol.name, cache, owner: key })
    const { codec } = protocol
    const framing = path.framing ?? 'sse'
    const previousId =
      typeof body.previous_response_id === 'string' ? body.previous_response_id : null
    const context = {
      ...{ request, model: request.model, body, framing, library: '' },
      requestId: `demo_${freshId()}`,
      createdAt: Math.floor(Date.now() / 1000),
      estimatedInputTokens: countInput(request),
      own: { previousId, keep: keep?.response },
    }
    if (!request.stream) return Response.json(codec.encodeResponse(foldEvents(events), context))
    const encoder = codec.createEncoder(context)
    const frames = events.values().map((event) => encoder.push(event))
    const type = framing === 'sse' ? 'text/event-stream' : 'application/json; charset=UTF-8'
    return new Response(paced(frames, paceMs), {
      headers: { 'content-type': type, 'cache-control': 'no-cache' },
    })
  }
}
type Talk = ReturnType<typeof createTalk>

const post = (path: RegExp, protocol: Protocol, handle: Handler): Route => {
  return { method: 'POST', path, protocol, handle }
}

/** What follows the colon in Gemini's paths. */
function geminiRoutes(talk: Talk): Route[] {
  const { countTokens } = gemini.operations
  const actions: Readonly<Record<string, Handler>> = {
    generateContent: (call) => talk(gemini, call, { model: call.name, stream: false }),
    streamGenerateContent(call) {
      const framing = call.url.searchParams.get('alt') === 'sse' ? 'sse' : 'json-array'
      return talk(gemini, call, { model: call.name, stream: true, framing })
    },
    countTokens: ({ body, name }) => count(gemini, countTokens, body, { model: name }),
    embedContent: ({ body, name }) => Response.json(embed(gemini.embedding, body, name)),
    batchEmbedContents: ({ body, name }) => Response.json(embed(gemini.embedding, body, name)),
  }
  return Object.entries(actions).map(([action, handle]) =>
    post(new RegExp(`^/v1(?:beta)?/models/([^/:]+):${action}$`), gemini, handle),
  )
}

const count = (protocol: Protocol, operation: Operation, body: JsonObject, path: Target = {}) =>
  Response.json(protocol.codec.encodeCount(countInput(decode(protocol, operation, body, path))))

interface Kept {
  readonly response: JsonObject
  readonly items: readonly unknown[]
}

/** The responses protocol with its memory: answers that later requests continue or fetch. */
function responsesRoutes(talk: Talk): Route[] {
  const kept = new LRUCache<string, Kept>({ max: 1000 })

  function itemsOf({ input, previous_response_id: before }: JsonObject): readonly unknown[] {
    const isFirst = before === undefined || before === null || before === ''
    const earlier = isFirst ? undefined : kept.get(`${before}`)
    if (!isFirst && earlier === undefined)
      throw new DemoError(400, `Previous response with id '${before}' not found.`)
    const given = Array.isArray(input) ? input : [{ role: 'user', content: input }]
    const known = [...kept.values()].flatMap(({ items }) => items).filter(isJsonObject)
    const items = given.map((item: unknown) =>
      isJsonObject(item) && item.type === 'item_reference'
        ? (known.find(({ id }) => id === item.id) ?? item)
        : item,
    )
    return [...(earlier?.items ?? []), ...items]
  }

  function create(call: Call): Response {
    const { body } = call
    if (body.input === undefined) throw new DemoError(400, "Missing required parameter: 'input'.")
    const { previous_response_id: _, ...rest } = body
    const items = itemsOf(body)
    const conversation = { ...rest, input: items }
    const keep = (made: JsonObject) => {
      if (body.store === false) return
      const output = Array.isArray(made.output) ? made.output : []
      kept.set(`${made.id}`, { response: made, items: [...items, ...output] })
    }
    return talk(responses, call, {}, { conversation, response: keep })
  }

  const stored = (method: string, handle: (id: string) => JsonObject | undefined): Route => ({
    method,
    path: /^\/v1\/responses\/([^/]+)$/,
    protocol: responses,
    handle({ name }) {
      const found = handle(name)
      if (found === undefined) throw new DemoError(404, `Response with id '${name}' not found.`)
      return Response.json(found)
    },
  })
  return [
    post(/^\/v1\/responses$/, responses, create),
    stored('GET', (id) => kept.get(id)?.response),
    stored('DELETE', (id) =>
      kept.delete(id) ? { id, object: 'response', deleted: true } : undefined,
    ),
  ]
}

function createRoutes(paceMs: number, models: readonly string[]): Route[] {
  const talk = createTalk(paceMs)
  return [
    ...listRoutes(models),
    post(/^\/v1\/chat\/completions$/, chat, (call) => talk(chat, call)),
    ...responsesRoutes(talk),
    post(/^\/v1\/messages$/, messages, (call) => talk(messages, call)),
    post(/^\/v1\/messages\/count_tokens$/, messages, ({ body }) =>
      count(messages, messages.counting, body),
    ),
    post(/^\/v1\/embeddings$/, chat, ({ body }) =>
      Response.json(embed(chat.embedding, body, `${body.model}`)),
    ),
    post(/^\/v1\/images\/generations$/, chat, ({ body }) => Response.json(images(body))),
    ...geminiRoutes(talk),
  ]
}

/** What each protocol's list of models looks like. */
function listRoutes(models: readonly string[]): Route[] {
  const get = (path: RegExp, protocol: Protocol, body: object): Route => {
    return { method: 'GET', path, protocol, handle: () => Response.json(body) }
  }
  const data = models.map((id) => ({ id, object: 'model', type: 'model', display_name: id }))
  const named = models.map((id) => ({ name: `models/${id}`, displayName: id }))
  return [
    get(/^\/v1\/models$/, chat, { object: 'list', data, has_more: false }),
    get(/^\/v1beta\/models$/, gemini, { models: named }),
  ]
}

const codes: Readonly<Record<number, string>> = {
  401: 'invalid_api_key',
  404: 'not_found',
  429: 'rate_limit_exceeded',
}

function failure(protocol: Protocol, { status, message, code }: DemoError): Response {
  const isBusy = status === 429 || status === 503 || status === 529
  const body = protocol.encodeError({
    ...{ status, message, param: undefined, requestId: `req_${freshId()}` },
    code: code ?? codes[status] ?? (status >= 500 ? 'server_error' : 'invalid_request'),
  })
  return new Response(body, {
    status,
    headers: { 'content-type': 'application/json', ...(isBusy && { 'retry-after': '1' }) },
  })
}

async function respond(route: Route, request: Request, url: URL, name: string): Promise<Response> {
  try {
    const key = keyOf(request, url)
    if (key === undefined) throw new DemoError(401, 'No API key was sent; any will do.')
    const body = await bodyOf(request)
    failOn(/error-([45]\d\d)/, typeof body.model === 'string' ? body.model : name)
    return route.handle({ body, key, url, name })
  } catch (cause) {
    if (cause instanceof DemoError) return failure(route.protocol, cause)
    if (cause instanceof TranslationError)
      return failure(route.protocol, new DemoError(400, cause.message))
    throw cause
  }
}

const usualModels: readonly string[] = ['demo', 'demo-embedding', 'demo-painter']

/**
 * Starts the upstream of `tollgate demo`: all four protocols, any key, simple answers. A model named
 * `error-429` or the words "please fail with 429" make it fail.
 */
export function startDemoUpstream({ port = 0, paceMs = 25, models = usualModels } = {}) {
  const routes = createRoutes(paceMs, models)
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port,
    reusePort: false,
    development: false,
    idleTimeout: 255,
    fetch(request) {
      const url = new URL(request.url)
      const path = url.pathname
      for (const route of routes) {
        const found = route.method === request.method ? route.path.exec(path) : null
        if (found !== null) return respond(route, request, url, found[1] ?? '')
      }
      const message = `The demo upstream has no ${request.method} ${path}.`
      return failure(chat, new DemoError(404, message))
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    stop: (): Promise<void> => server.stop(true),
  }
}
