import type { Catalog } from '../../catalog/catalog.ts'
import { chat } from '../../protocols/chat/index.ts'
import { gemini, geminiActions, geminiTarget } from '../../protocols/gemini/index.ts'
import { messages } from '../../protocols/messages/index.ts'
import type { Protocol } from '../../protocols/protocol.ts'
import { type Handler, httpCall, isBeta, modelParam } from '../context.ts'
import { pageNotFound } from '../errors.ts'
import { type GuardParts, guarded } from './guarded.ts'
import {
  encodeGeminiList,
  encodeGeminiModel,
  encodeModel,
  encodeModelList,
  findModel,
  type ModelsList,
  visibleModels,
} from './models.ts'

export interface ModelListParts extends GuardParts {
  readonly catalog: () => Catalog
  readonly modelsList: () => ModelsList
}

/** `GET /v1/models`: one answer for the readers of three vendors. */
export function modelsRoute(parts: ModelListParts): Handler {
  return (context) => {
    const call = httpCall(context, false)
    return guarded(
      parts,
      { call, protocol: readerOf(context.request), keyErrors: chat },
      (caller) => {
        const forGemini = parts.gatekeeper.credential(call)?.source === 'x-goog-api-key'
        return encodeModelList(
          visibleModels(parts.catalog(), caller, parts.modelsList()),
          forGemini,
        )
      },
    )
  }
}

/** `GET /v1beta/models`. */
export function geminiModelsRoute(parts: ModelListParts): Handler {
  return (context) =>
    guarded(parts, { call: httpCall(context, true), protocol: gemini }, (caller) =>
      encodeGeminiList(visibleModels(parts.catalog(), caller, parts.modelsList())),
    )
}

/** `GET …/models/{id}` of either prefix. */
export function modelRoute(parts: ModelListParts): Handler {
  return (context) => {
    const id = modelParam(context)
    if (geminiActions.has(geminiTarget(id).action ?? '')) return pageNotFound()
    const beta = isBeta(context.request)
    const protocol = beta ? gemini : readerOf(context.request)
    const keyErrors = beta ? gemini : chat
    return guarded(parts, { call: httpCall(context, beta), protocol, keyErrors }, (caller) => {
      const models = visibleModels(parts.catalog(), caller, parts.modelsList())
      const model = findModel(models, id)
      if (beta) return encodeGeminiModel(model)
      // Gemini's SDK asks /v1, too, and reads `name`.
      return protocol === gemini
        ? { ...encodeModel(model), ...encodeGeminiModel(model) }
        : encodeModel(model)
    })
  }
}

/** Whose SDK reads the answer of a path that several share. */
function readerOf(request: Request): Protocol {
  if (request.headers.has('anthropic-version')) return messages
  return request.headers.has('x-goog-api-key') ? gemini : chat
}
