import { type Answer, answer, countInput } from './answer.ts'
import { type Ask, type Json, list, object, text } from './ask.ts'
import { chatBody, chatStream, readChat } from './chat.ts'
import { DemoError, failOn, geminiError, messagesError, openaiError } from './errors.ts'
import { geminiBody, geminiStream, readGemini } from './gemini.ts'
import { embeddings, geminiEmbedding, images } from './media.ts'
import { messagesBody, messagesStream, readMessages } from './messages.ts'
import { createResponses } from './responses.ts'
import { createPromptCache } from './tokens.ts'

/** A request whose key is there and whose body, if it has one, is an object. */
interface Call {
  readonly body: Json
  readonly key: string
  readonly url: URL
  /** The named part of the path: a model or an id. */
  readonly name: string
}

type Handler = (call: Call) => Response
type Shape = (error: DemoError) => object
interface Route {
  readonly method: string
  readonly path: RegExp
  readonly shape: Shape
  readonly handle: Handler
}

function keyOf(request: Request, url: URL): string | undefined {
  const bearer = /^bearer\s+(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1]
  const { headers } = request
  const plain = headers.get('x-api-key') ?? headers.get('x-goog-api-key')
  return bearer || plain || url.searchParams.get('key') || undefined
}

async function bodyOf(request: Request): Promise<Json> {
  if (request.method !== 'POST') return {}
  const raw = await request.text()
  try {
    const parsed: unknown = JSON.parse(raw)
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed))
      return object(parsed)
  } catch (cause) {
    throw new DemoError(400, `The body is not valid JSON: ${cause}`)
  }
  throw new DemoError(400, 'The body must be a JSON object.')
}

/** Sends frames one by one, at the pace of a model that thinks. */
async function* paced(frames: Iterable<string>, paceMs: number) {
  const encoder = new TextEncoder()
  let first = true
  for (const frame of frames) {
    if (!first) await Bun.sleep(paceMs)
    first = false
    yield encoder.encode(frame)
  }
}

interface Speaker {
  body(ask: Ask, answer: Answer, body: Json): object
  stream(ask: Ask, answer: Answer, body: Json): Iterable<string>
}

const post = (path: RegExp, shape: Shape, handle: Handler): Route => ({
  method: 'POST',
  path,
  shape,
  handle,
})

/** Turns a question into a response: in one piece or as a stream, as it was asked. */
function createTalk(paceMs: number) {
  const cache = createPromptCache()
  return (asked: Ask, { body, key }: Call, speaker: Speaker, type = 'text/event-stream') => {
    if (asked.model === '') throw new DemoError(400, 'model: a text is required.')
    const found = answer(asked, cache, key)
    if (!asked.stream) return Response.json(speaker.body(asked, found, body))
    return new Response(paced(speaker.stream(asked, found, body), paceMs), {
      headers: { 'content-type': type, 'cache-control': 'no-cache' },
    })
  }
}
type Talk = ReturnType<typeof createTalk>

/** What follows the colon in Gemini's paths. */
function geminiRoutes(talk: Talk): Route[] {
  const actions: Readonly<Record<string, Handler>> = {
    generateContent: (call) =>
      talk(readGemini(call.body, call.name), call, { body: geminiBody, stream: () => [] }),
    streamGenerateContent: (call) => {
      const sse = call.url.searchParams.get('alt') === 'sse'
      const stream = (ask: Ask, found: Answer) => geminiStream(ask, found, sse)
      const type = sse ? 'text/event-stream' : 'application/json; charset=UTF-8'
      return talk(readGemini(call.body, call.name, true), call, { body: geminiBody, stream }, type)
    },
    countTokens: ({ body, name }) => {
      const totalTokens = countInput(readGemini(body, name))
      const promptTokensDetails = [{ modality: 'TEXT', tokenCount: totalTokens }]
      return Response.json({ totalTokens, promptTokensDetails })
    },
    embedContent: ({ body }) => Response.json({ embedding: geminiEmbedding(body) }),
    batchEmbedContents: ({ body }) =>
      Response.json({ embeddings: list(body.requests).map(geminiEmbedding) }),
  }
  return Object.entries(actions).map(([action, handle]) =>
    post(new RegExp(`^/v1(?:beta)?/models/([^/:]+):${action}$`), geminiError, handle),
  )
}

function responsesRoutes(talk: Talk): Route[] {
  const responses = createResponses()
  const stored = (method: string, handle: (id: string) => Json | undefined): Route => ({
    method,
    path: /^\/v1\/responses\/([^/]+)$/,
    shape: openaiError,
    handle: ({ name }) => {
      const found = handle(name)
      if (found === undefined) throw new DemoError(404, `Response with id '${name}' not found.`)
      return Response.json(found)
    },
  })
  return [
    post(/^\/v1\/responses$/, openaiError, (call) =>
      talk(responses.read(call.body), call, responses),
    ),
    stored('GET', responses.get),
    stored('DELETE', (id) =>
      responses.delete(id) ? { id, object: 'response', deleted: true } : undefined,
    ),
  ]
}

/** Everything the demo can be asked for. */
function createRoutes(paceMs: number): Route[] {
  const talk = createTalk(paceMs)
  const chat = { body: chatBody, stream: chatStream }
  const messages = { body: messagesBody, stream: messagesStream }
  return [
    post(/^\/v1\/chat\/completions$/, openaiError, (call) => talk(readChat(call.body), call, chat)),
    ...responsesRoutes(talk),
    post(/^\/v1\/messages$/, messagesError, (call) =>
      talk(readMessages(call.body), call, messages),
    ),
    post(/^\/v1\/messages\/count_tokens$/, messagesError, ({ body }) =>
      Response.json({ input_tokens: countInput(readMessages(body, true)) }),
    ),
    post(/^\/v1\/embeddings$/, openaiError, ({ body }) => Response.json(embeddings(body))),
    post(/^\/v1\/images\/generations$/, openaiError, ({ body }) => Response.json(images(body))),
    ...geminiRoutes(talk),
  ]
}

function failure(shape: Shape, error: DemoError): Response {
  const { status } = error
  const later = status === 429 || status === 503 || status === 529
  const headers = later ? { 'retry-after': '1' } : {}
  return Response.json(shape(error), { status, headers })
}

async function respond(route: Route, request: Request, url: URL, name: string): Promise<Response> {
  try {
    const key = keyOf(request, url)
    if (key === undefined) throw new DemoError(401, 'No API key was sent; any will do.')
    const body = await bodyOf(request)
    failOn(/error-([45]\d\d)/, text(body.model) || name)
    return route.handle({ body, key, url, name })
  } catch (cause) {
    if (cause instanceof DemoError) return failure(route.shape, cause)
    throw cause
  }
}

/**
 * Starts the built-in upstream of `tollgate demo` on 127.0.0.1. It answers in all four protocols,
 * takes any key, and makes up nothing: it calculates, counts, repeats, calls tools, or says that it
 * is the demo. A model named `error-429` or the words "please fail with 429" make it fail.
 */
export function startDemoUpstream(
  options: { readonly port?: number; readonly paceMs?: number } = {},
) {
  const routes = createRoutes(options.paceMs ?? 25)
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: options.port ?? 0,
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
      return failure(openaiError, new DemoError(404, message))
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    /** Ends open streams at once. */
    stop: (): Promise<void> => server.stop(true),
  }
}
