import type { Candidate } from '../../catalog/catalog.ts'
import type { JsonObject, Operation, Protocol } from '../../protocols/protocol.ts'
import { clientName } from '../admit/options.ts'
import type { Plan } from '../admit/plan.ts'
import type { ConversationAsked, RequestBody, ScannedBody } from '../body/body.ts'
import { GatewayError, once } from '../errors.ts'
import type { FetchMedia, Media } from '../media/fetch-media.ts'
import { inlineMedia, type MediaPart } from '../media/inline-media.ts'
import {
  optionalToolsOf,
  type PreparedRequest,
  type TranslationTarget,
  targetOf,
} from '../translate/translation.ts'
import { type Beside, isRefused, type JobTarget, type OperationName, type Refused } from './job.ts'

/** From so many values on, or bytes, work on a whole request takes milliseconds. */
const heavyValues = 4_096
const heavyBytes = 1_048_576

/** Whether work on the whole of a body is for another thread. */
export const isHeavy = ({ fields, bytes }: Pick<RequestBody, 'fields' | 'bytes'>): boolean =>
  fields !== undefined && (fields.values > heavyValues || bytes.byteLength > heavyBytes)

/** Gives what was prepared for a target; throws the 400 of what can't be expressed. */
export type FindPrepared = (target: TranslationTarget) => PreparedRequest

interface BesideTask {
  readonly plan?: Plan
  readonly beside: Beside
  readonly client: Protocol
  readonly model: string
  readonly body: RequestBody
  readonly isStrict: boolean
  readonly isKept?: boolean
  readonly owner: string
  readonly fetchMedia: FetchMedia
}

/** Translates a heavy request beside, for every way in which one of these channels can be asked. */
export async function prepareBeside(
  task: BesideTask,
  ways: readonly (readonly [Candidate, Protocol])[],
  signal: AbortSignal,
): Promise<FindPrepared> {
  const { plan, beside, client, model, body, isStrict, isKept = false, owner } = task
  const named = new Map<string, JobTarget>()
  for (const [candidate, protocol] of ways) {
    const target = asJobTarget(targetOf(candidate, protocol, plan))
    named.set(keyOf(target), target)
  }
  const job = {
    kind: 'translate' as const,
    ...{ bytes: body.bytes, client: clientName(client), model, stream: body.facts.stream },
    ...{ isStrict, isKept, optionalTools: optionalToolsOf(body), owner },
    values: body.fields?.values ?? 0,
    files: undefined,
  }
  const targets = [...named.values()]
  const found = await beside.run<'translate'>(owner, { ...job, targets }, signal)
  const keys = [...named.keys()]

  return (target) => {
    const one = asJobTarget(target)
    const prepared = found.targets[keys.indexOf(keyOf(one))]
    if (prepared === undefined) throw new Error('A target was not prepared.')
    if (isRefused(prepared)) throw refusalOf(prepared)
    let { hiddenWork } = prepared
    return {
      hiddenWork: () => hiddenWork,
      request: found.request,
      body: () => found.body,
      dropped: prepared.dropped,
      wanted: () => prepared.wanted,
      async encode(ending) {
        if (prepared.bytes !== undefined) return prepared.bytes
        const files = await fetchAll(prepared.wanted, task.fetchMedia, ending)
        const made = await beside.run<'translate'>(owner, { ...job, targets: [one], files }, ending)
        const [whole] = made.targets
        if (whole === undefined || isRefused(whole)) throw refusalOf(whole)
        if (whole.bytes === undefined) throw new Error('A request was not written.')
        hiddenWork = whole.hiddenWork
        return whole.bytes
      },
    }
  }
}

const asJobTarget = ({ upstream, ...rest }: TranslationTarget): JobTarget => ({
  ...rest,
  upstream: upstream.name,
})

const keyOf = ({ upstream, origin, quirks, model, webSearch }: JobTarget) =>
  JSON.stringify([upstream, origin, quirks, model, webSearch === true])

export const refusalOf = (refusal: Refused | undefined): Error =>
  refusal === undefined
    ? new Error('A target was not prepared.')
    : new GatewayError(
        refusal.refused,
        refusal.message,
        refusal.param === undefined ? {} : { param: refusal.param },
      )

/** The files of these parts, by address, with all limits and errors of a request that has them. */
async function fetchAll(
  parts: readonly MediaPart[],
  fetchMedia: FetchMedia,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Media>> {
  const files = new Map<string, Media>()
  const keeping: FetchMedia = async (url, options) => {
    const media = await fetchMedia(url, options)
    files.set(url, media)
    return media
  }
  const turns = [{ role: 'user' as const, parts }]
  const request = { model: '', stream: false, turns, tools: [], native: [] }
  await inlineMedia(request, () => true, keeping, signal)
  return files
}

const mostValues = 16_384
const mostBytes = 524_288

export function isLongToParse({ bytes, fields, long = [] }: ScannedBody): boolean {
  if (fields.values > mostValues) return true
  const shortened = long.reduce((sum, { start, end }) => sum + end - start, 0)
  return bytes.byteLength - shortened > mostBytes
}

interface ReadTask {
  readonly beside: Beside
  readonly owner: string
  readonly operation: Operation
  readonly asked: ConversationAsked
  readonly signal: AbortSignal
}

/** Reads a body on another thread; throws the 400 of what is no JSON, or not what its operation takes. */
export async function readBeside(
  { beside, owner, operation, asked, signal }: ReadTask,
  { bytes, fields }: ScannedBody,
): Promise<RequestBody> {
  const { values } = fields
  const job = { kind: 'read' as const, bytes, values, operation: nameOf(operation), asked }
  const told = await beside.run<'read'>(owner, job, signal)
  const { hiddenWork, amend, renamed } = told
  return {
    ...{ bytes, fields, contentType: 'application/json' },
    facts: {
      ...told.facts,
      amend: amend ?? {},
      text: () => told.text,
      uncounted: () => told.uncounted,
      media: () => told.media,
      ...(hiddenWork !== undefined && { hiddenWork: () => hiddenWork }),
    },
    value: once((): JsonObject => JSON.parse(bytes.toString())),
    conversation: () => told.conversation,
    // Whatever else there is to be renamed, is where the body is written.
    rename: (upstreamModel) =>
      renamed.includes('model') ? operation.rename({ model: '' }, upstreamModel) : {},
    remote: { isPlain: amend !== undefined && renamed.every((name) => name === 'model') },
  }
}

export const nameOf = ({ protocol, name }: Operation): OperationName => ({ protocol, name })
