import type { Catalog, ListedModel } from '../../catalog/catalog.ts'
import { chat } from '../../protocols/chat/index.ts'
import { gemini, geminiActions, geminiTarget } from '../../protocols/gemini/index.ts'
import { messages } from '../../protocols/messages/index.ts'
import type { Protocol } from '../../protocols/protocol.ts'
import { mayUse } from '../../store/ports/group-access.ts'
import type { Caller } from '../admit/authenticate.ts'
import { callerGroup, shortName } from '../admit/plan.ts'
import { type Handler, httpCall, isBeta, modelParam } from '../context.ts'
import { GatewayError, pageNotFound } from '../errors.ts'
import { type GuardParts, guarded } from './guarded.ts'

export interface ModelListParts extends GuardParts {
  readonly catalog: () => Catalog
  /** The models of a list: those of the account's groups, or only those of the key. */
  readonly modelsList: () => 'all' | 'token'
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
        return encodeModelList(visibleModels(parts, caller), forGemini)
      },
    )
  }
}

/** `GET /v1beta/models`. */
export function geminiModelsRoute(parts: ModelListParts): Handler {
  return (context) =>
    guarded(parts, { call: httpCall(context, true), protocol: gemini }, (caller) =>
      encodeGeminiList(visibleModels(parts, caller)),
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
      const models = visibleModels(parts, caller)
      const model = findModel(models, id)
      if (beta) return encodeGeminiModel(model)
      // Gemini's SDK calls /v1, too, and reads `name`.
      return protocol === gemini
        ? { ...encodeModel(model), ...encodeGeminiModel(model) }
        : encodeModel(model)
    })
  }
}

/** The protocol of the SDK that reads the answer of a shared path. */
function readerOf(request: Request): Protocol {
  if (request.headers.has('anthropic-version')) return messages
  return request.headers.has('x-goog-api-key') ? gemini : chat
}

function visibleModels(parts: ModelListParts, caller: Caller): readonly ListedModel[] {
  const catalog = parts.catalog()
  const all = [...catalog.models.values()]
  if (parts.modelsList() === 'all') return ofUsableGroups(all, catalog, caller)
  const { offers } = callerGroup(catalog, caller)
  const restricted = caller.models.size > 0
  return all.filter(({ id }) => offers.has(id) && (!restricted || caller.models.has(id)))
}

/** The models of groups that are open to all, or to this account. */
function ofUsableGroups(
  all: readonly ListedModel[],
  { groups, openGroups }: Catalog,
  { account }: Caller,
): readonly ListedModel[] {
  if (openGroups.size === groups.size) return all
  const usable = [...groups.values()].filter(
    ({ enabled, accounts }) => enabled && mayUse(accounts, account),
  )
  const isOffered = (id: string) =>
    usable.some(({ offers }) => (offers.get(id)?.candidates.length ?? 0) > 0)
  return all.filter(({ id }) => isOffered(id))
}

function findModel(models: readonly ListedModel[], id: string): ListedModel {
  const found = models.find((model) => model.id === id)
  if (found) return found
  throw new GatewayError(
    'model_not_found',
    `There is no model "${shortName(id)}" here. GET /v1/models lists the models.`,
    { param: 'model' },
  )
}

function encodeModel(model: ListedModel) {
  return {
    id: model.id,
    object: 'model',
    created: Math.floor(model.createdAt / 1000),
    owned_by: model.ownedBy,
    type: 'model',
    display_name: model.id,
    created_at: new Date(model.createdAt).toISOString(),
  }
}

/** The list of `GET /v1/models`; `models[]` is for readers with Gemini's header. */
function encodeModelList(models: readonly ListedModel[], forGemini: boolean) {
  return {
    object: 'list',
    data: models.map(encodeModel),
    has_more: false,
    first_id: models[0]?.id ?? null,
    last_id: models.at(-1)?.id ?? null,
    ...(forGemini ? encodeGeminiList(models) : {}),
  }
}

function encodeGeminiModel(model: ListedModel) {
  return {
    name: `models/${model.id}`,
    baseModelId: model.id,
    version: '001',
    displayName: model.id,
    supportedGenerationMethods: [
      'generateContent',
      'streamGenerateContent',
      'countTokens',
      'embedContent',
      'batchEmbedContents',
    ],
  }
}

function encodeGeminiList(models: readonly ListedModel[]) {
  return { models: models.map(encodeGeminiModel) }
}
