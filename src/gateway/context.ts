import type { Framing, Operation, Protocol } from '../protocols/protocol.ts'
import type { HttpCall, ModelCall } from './admit/gatekeeper.ts'

/** How long a connection may be silent outside of an answer: 60 s. */
export const usualSilenceSeconds = 60

/** The part of Elysia's context used here. */
export interface Context {
  readonly request: Request
  readonly server: {
    requestIP(request: Request): { address: string } | null
    timeout(request: Request, seconds: number): void
    upgrade?(request: Request, options: { data: unknown; headers: Record<string, string> }): boolean
  } | null
  readonly params: Readonly<Record<string, string>>
}

export type Handler = (context: Context) => Promise<Response> | Response

/** A handler gets named fields: Elysia's whole context costs a quarter more. */
export const narrow =
  (handle: Handler): Handler =>
  ({ request, server, params }) =>
    handle({ request, server, params })

export function httpCall({ request, server }: Context, geminiPath: boolean): HttpCall {
  return { request, geminiPath, peer: () => server?.requestIP(request)?.address ?? '' }
}

/** Whether a path is Gemini's own: its key header comes first, and errors have its shape. */
export function isBeta(request: Request): boolean {
  return /^\w+:\/\/[^/]*\/v1beta\//.test(request.url)
}

/** The model id of a path with `modelPaths`' parameters; a model id may hold slashes. */
export function modelParam({ params }: Context): string {
  return [params.model, params.b, params.c, params.d].filter((part) => part !== undefined).join('/')
}

/** Paths below `prefix` that hold a model id, with as many slashes in it as vendors use. */
export const modelPaths = (prefix: string) =>
  ['/:model', '/:model/:b', '/:model/:b/:c', '/:model/:b/:c/:d'].map((rest) => prefix + rest)

export class RoutedCall implements ModelCall {
  readonly request: Request
  readonly geminiPath: boolean
  readonly protocol: Protocol
  readonly operation: Operation
  readonly framing: Framing
  readonly model?: string
  readonly stream?: boolean
  readonly #server: Context['server']

  constructor(
    { request, server }: Context,
    { protocol, operation, framing = 'sse', geminiPath = false, model, stream }: Routed,
  ) {
    this.request = request
    this.geminiPath = geminiPath
    this.protocol = protocol
    this.operation = operation
    this.framing = framing
    if (model !== undefined) this.model = model
    if (stream !== undefined) this.stream = stream
    this.#server = server
  }

  peer(): string {
    return this.#server?.requestIP(this.request)?.address ?? ''
  }

  limitSilence(seconds: number): void {
    this.#server?.timeout(this.request, seconds)
  }
}

type Routed = Pick<ModelCall, 'protocol' | 'operation'> &
  Partial<Pick<ModelCall, 'framing' | 'geminiPath' | 'model' | 'stream'>>
