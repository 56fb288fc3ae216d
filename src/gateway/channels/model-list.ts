import type { Channel } from '../../catalog/catalog.ts'
import { afterRunning } from '../../lib/clock.ts'
import { parseJsonObject } from '../../protocols/json.ts'
import type { JsonObject, Protocol, ProtocolName } from '../../protocols/protocol.ts'
import { collectBytes, TooManyBytes } from '../body/bounded-bytes.ts'
import { readErrorBody } from '../failures/error-body.ts'
import { classifyAnswer, classifyFailure, type FailureName } from '../failures/failures.ts'
import type { Outbound } from '../outbound/outbound.ts'
import { readRefusal } from '../upstream/upstream-answer.ts'
import { baseOf } from '../upstream/upstream-call.ts'

/** A model as its upstream lists it. */
export interface ListedModel {
  readonly id: string
  /** USD per token, where the upstream says so (OpenRouter); a plain decimal. */
  readonly inputUsd?: string
  readonly outputUsd?: string
}

export interface ModelListResult {
  readonly models: readonly ListedModel[]
  /** Undefined: the list was read. */
  readonly failure: FailureName | undefined
  readonly status: number | null
  /** The upstream's own words, which may hold the key. */
  readonly errorMessage?: string | undefined
}

interface ListTarget {
  readonly channel: Channel
  readonly key: string
  readonly protocol: Protocol
}

/** Where each vendor lists its models, on one page if it pages. Sources: the vendors' references. */
const paths: Readonly<Record<ProtocolName, string>> = {
  chat: '/models',
  responses: '/models',
  messages: '/v1/models?limit=1000',
  gemini: '/v1beta/models?pageSize=1000',
}

/** OpenRouter's list of some hundred models with their descriptions takes half of this. */
const maxListBytes = 4_194_304
const maxModels = 5_000

/** Asks an upstream which models it has; throws only the signal's reason. */
export async function listModels(
  outbound: Outbound,
  { channel, key, protocol }: ListTarget,
  signal: AbortSignal,
): Promise<ModelListResult> {
  const { allowPrivate, proxy, timeouts } = channel
  const late = new AbortController()
  const callOff = afterRunning(timeouts.firstByteMs, () => late.abort())
  try {
    const response = await outbound({
      url: protocol.url(baseOf(channel, protocol.name), paths[protocol.name]),
      method: 'GET',
      headers: {
        'accept-encoding': 'identity',
        'user-agent': 'Tollgate',
        ...protocol.demandedHeaders,
        ...protocol.keyHeaders(key),
      },
      body: undefined,
      signal: AbortSignal.any([late.signal, signal]),
      ...{ allowPrivate, proxy, connectMs: timeouts.connectMs },
    })
    const { status } = response
    if (!response.ok) {
      const { value } = await readRefusal(response, channel)
      const failure = classifyAnswer(protocol.name, status, value, '') ?? 'client_fault'
      const errorMessage = value && readErrorBody(value).messages[0]
      return { models: [], failure, status, errorMessage }
    }
    const text = new TextDecoder().decode(await collectBytes(response, maxListBytes))
    const models = readModels(parseJsonObject(text))
    return { models: models ?? [], failure: models ? undefined : 'upstream_invalid', status }
  } catch (error) {
    signal.throwIfAborted()
    const isTooLarge = error instanceof TooManyBytes
    const failure = isTooLarge ? 'upstream_invalid' : classifyFailure(error)
    const isLate = late.signal.aborted
    return { models: [], failure: isLate ? 'timeout_first_byte' : failure, status: null }
  } finally {
    callOff()
  }
}

/** `data` with ids, or Gemini's `models` with names `models/…`; undefined: neither. */
function readModels(body: JsonObject | undefined): readonly ListedModel[] | undefined {
  const rows: unknown = body?.data ?? body?.models
  if (!Array.isArray(rows)) return undefined
  const models = new Map<string, ListedModel>()
  for (const row of rows.slice(0, maxModels)) {
    const model = readModel(row)
    if (model) models.set(model.id, model)
  }
  return [...models.values()]
}

function readModel(row: unknown): ListedModel | undefined {
  if (typeof row !== 'object' || row === null) return undefined
  const { id, name, pricing } = row as JsonObject
  const named = typeof id === 'string' ? id : name
  // The API takes ids of this length; others could not be offered.
  if (typeof named !== 'string' || named === '' || named.length > 200) return undefined
  return { id: named.replace(/^models\//, ''), ...readPricing(pricing) }
}

const decimal = /^\d{1,6}(\.\d{1,15})?$/

function readPricing(pricing: unknown): Pick<ListedModel, 'inputUsd' | 'outputUsd'> {
  const { prompt, completion } = (pricing ?? {}) as JsonObject
  const isPrice = (value: unknown): value is string =>
    typeof value === 'string' && decimal.test(value)
  return isPrice(prompt) && isPrice(completion) ? { inputUsd: prompt, outputUsd: completion } : {}
}
