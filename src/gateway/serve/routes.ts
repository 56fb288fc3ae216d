import type { TSchema } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Clock } from '../../lib/clock.ts'
import { chat, textChat } from '../../protocols/chat/index.ts'
import { gemini, geminiActions, geminiTarget } from '../../protocols/gemini/index.ts'
import { messages } from '../../protocols/messages/index.ts'
import type { Operation, Protocol } from '../../protocols/protocol.ts'
import { responses } from '../../protocols/responses/index.ts'
import type { RecordStore } from '../../store/ports/records.ts'
import type { Authenticator } from '../admit/authenticate.ts'
import { queryOf } from '../admit/gatekeeper.ts'
import {
  type Handler,
  httpCall,
  isBeta,
  modelParam,
  modelPaths,
  narrow,
  RoutedCall,
} from '../context.ts'
import { GatewayError, pageNotFound } from '../errors.ts'
import type { Forwarder } from '../forward.ts'
import type { Reservations } from '../money/reservations.ts'
import type { Sockets } from '../socket/sockets.ts'
import { guarded } from './guarded.ts'
import { geminiModelsRoute, type ModelListParts, modelRoute, modelsRoute } from './models.ts'
import { receiptRoute, tokenUsage } from './receipt.ts'
import { forwardStoredResponse, type StoredResponseParts } from './stored-responses.ts'

interface RouteParts extends ModelListParts, StoredResponseParts {
  readonly forwarder: Forwarder
  readonly sockets: Pick<Sockets, 'handle'>
  readonly records: Pick<RecordStore, 'receipt' | 'tokenUsage'>
  readonly reservations: Reservations
  /** Absent: this process is alone, and knows what its callers have. */
  readonly renewedCaller?: Authenticator['renewed'] | undefined
  readonly clock: Clock
}

/** The gateway reads bodies itself, after the key, and keeps their bytes. */
const raw = { parse: 'none' } as const

const endpoints = [
  ['/v1/chat/completions', chat, chat.operations.completions],
  ['/v1/completions', textChat, chat.operations.textCompletions],
  ['/v1/embeddings', chat, chat.operations.embeddings],
  ['/v1/images/generations', chat, chat.operations.imageGenerations],
  ['/v1/images/edits', chat, chat.operations.imageEdits],
  ['/v1/responses', responses, responses.operations.responses],
  ['/v1/responses/compact', responses, responses.operations.compact],
  ['/v1/responses/input_tokens', responses, responses.operations.inputTokens],
  ['/v1/messages', messages, messages.operations.messages],
  ['/v1/messages/count_tokens', messages, messages.operations.countTokens],
] as const satisfies readonly (readonly [path: string, Protocol, Operation])[]

/** The schemas of requests, by method and path. */
export const requestSchemas: Readonly<Record<string, TSchema>> = Object.fromEntries([
  ...endpoints.map(([path, , { check }]) => [`POST ${path}`, check.schema]),
  ...['/v1/models', '/v1beta/models'].map((path) => [
    `POST ${path}/{model}`,
    gemini.generation.check.schema,
  ]),
])

/** All model endpoints. */
export function modelRoutes(parts: RouteParts) {
  const onGemini = narrow(geminiRoute(parts))
  const onModel = narrow(modelRoute(parts))
  const onStored = narrow(storedResponseRoute(parts))
  const app = new Elysia({ name: 'gateway' })
    .get('/v1/responses', narrow(parts.sockets.handle), raw)
    .get('/v1/responses/:id', onStored, raw)
    .delete('/v1/responses/:id', onStored, raw)
    .get('/v1/models', narrow(modelsRoute(parts)), raw)
    .get('/v1beta/models', narrow(geminiModelsRoute(parts)), raw)
    .get('/v1/usage', narrow(usageRoute(parts)), raw)
    .get('/v1/receipts/:id', narrow(receiptRoute(parts)), raw)
    .get('/api/hello', () => new Response(null), raw)
  for (const [path, protocol, operation] of endpoints)
    app.post(path, narrow(forwardRoute(parts, protocol, operation)), raw)
  for (const path of [...modelPaths('/v1/models'), ...modelPaths('/v1beta/models')]) {
    app.post(path, onGemini, raw).get(path, onModel, raw)
  }
  return app
}

function forwardRoute(parts: RouteParts, protocol: Protocol, operation: Operation): Handler {
  return (context) => parts.forwarder.forward(new RoutedCall(context, { protocol, operation }))
}

/** `…/models/{model}:{action}`; a model id may hold a slash. */
function geminiRoute(parts: RouteParts): Handler {
  return (context) => {
    const { request } = context
    const { model, action } = geminiTarget(modelParam(context))
    if (action === undefined || model === '') return pageNotFound()
    const geminiPath = isBeta(request)
    const operation = geminiActions.get(action)
    if (operation === undefined) {
      const call = httpCall(context, geminiPath)
      return guarded(parts, { call, protocol: gemini }, () => {
        throw new GatewayError('unsupported_action', 'Unsupported action')
      })
    }
    const stream = action === 'streamGenerateContent'
    const sse = queryOf(request).get('alt') === 'sse'
    const framing = stream && !sse ? 'json-array' : 'sse'
    const asked = { protocol: gemini, operation, framing, geminiPath, model, stream } as const
    return parts.forwarder.forward(new RoutedCall(context, asked))
  }
}

function usageRoute(parts: RouteParts): Handler {
  return (context) => {
    // Usage stays readable with a used-up balance.
    const guard = { call: httpCall(context, false), protocol: chat, needsBalance: false }
    return guarded(parts, guard, async (caller) =>
      tokenUsage(parts, (await parts.renewedCaller?.(caller)) ?? caller),
    )
  }
}

function storedResponseRoute(parts: RouteParts): Handler {
  return (context) => {
    const { request, params } = context
    const guard = { call: httpCall(context, false), protocol: responses }
    return guarded(parts, guard, (caller, requestId) =>
      forwardStoredResponse(parts, { caller, request, id: params.id ?? '', requestId }),
    )
  }
}

/** A model request from the console's playground. */
export interface InProcessCall {
  readonly protocol: 'chat' | 'responses' | 'messages' | 'gemini'
  readonly request: Request
  /** The end of Gemini's path: `{model}:{action}`; empty for the others. */
  readonly target: string
  readonly peer: string
  readonly limitSilence: (seconds: number) => void
}

/** Answers such requests by the handlers of the model routes, with all their checks. */
export function createInProcess(parts: RouteParts) {
  const handlers: Readonly<Record<InProcessCall['protocol'], Handler>> = {
    chat: forwardRoute(parts, chat, chat.operations.completions),
    responses: forwardRoute(parts, responses, responses.operations.responses),
    messages: forwardRoute(parts, messages, messages.operations.messages),
    gemini: geminiRoute(parts),
  }
  return async ({ protocol, request, target, peer, limitSilence }: InProcessCall) =>
    handlers[protocol]({
      request,
      params: target === '' ? {} : { model: target },
      server: {
        requestIP: () => ({ address: peer }),
        timeout: (_request, seconds) => limitSilence(seconds),
      },
    })
}
