import type { Candidate } from '../../catalog/catalog.ts'
import { once } from '../../lib/once.ts'
import type { JsonObject, Operation, Protocol } from '../../protocols/protocol.ts'
import { clientName } from '../admit/options.ts'
import type { ConversationAsked, RequestBody, ScannedBody } from '../body/body.ts'
import { GatewayError } from '../errors.ts'
import type { FetchMedia, Media } from '../media/fetch-media.ts'
import { inlineMedia, type MediaPart } from '../media/inline-media.ts'
import {
  optionalToolsOf,
  type PreparedRequest,
  type TranslationTarget,
  type TranslationTask,
  targetOf,
} from '../translate/translation.ts'
import {
  type BodyThread,
  isRefused,
  type JobTarget,
  type OperationName,
  type RefusedJob,
} from './job.ts'

/** From this many values or bytes on, work on a whole request takes milliseconds. */
const heavyValues = 4_096
const heavyBytes = 1_048_576

/** Whether work on the whole body belongs on the body thread. */
export const isHeavy = ({ fields, bytes }: Pick<RequestBody, 'fields' | 'bytes'>): boolean =>
  fields !== undefined && (fields.values > heavyValues || bytes.byteLength > heavyBytes)

export type FindPrepared = (target: TranslationTarget) => PreparedRequest

/** Translates a heavy request on the body thread, for every way to call these channels. */
export async function prepareOnThread(
  thread: BodyThread,
  task: TranslationTask,
  fetchMedia: FetchMedia,
  ways: readonly (readonly [Candidate, Protocol])[],
  signal: AbortSignal,
): Promise<FindPrepared> {
  const { plan, client, model, body, isStrict, isKept = false, owner } = task
  const named = new Map<string, JobTarget>()
  for (const [candidate, protocol] of ways) {
    const target = asJobTarget(targetOf(candidate, protocol, plan))
    named.set(keyOf(target), target)
  }
  const job = {
    kind: 'translate' as const,
    bytes: body.bytes,
    client: clientName(client),
    model,
    stream: body.facts.stream,
    isStrict,
    isKept,
    optionalTools: optionalToolsOf(body),
    owner,
    values: body.fields?.values ?? 0,
    files: undefined,
  }
  const targets = [...named.values()]
  const found = await thread.run<'translate'>(owner, { ...job, targets }, signal)
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
        const files = await fetchAll(prepared.wanted, fetchMedia, ending)
        const made = await thread.run<'translate'>(owner, { ...job, targets: [one], files }, ending)
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

export const refusalOf = (refusal: RefusedJob | undefined): Error =>
  refusal === undefined
    ? new Error('A target was not prepared.')
    : new GatewayError(
        refusal.refused,
        refusal.message,
        refusal.param === undefined ? {} : { param: refusal.param },
      )

/** Fetches the files of these parts, by address, under one request's limits. */
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

/** Reads a body on the body thread; throws the 400 of invalid JSON or a schema mismatch. */
export async function readOnThread(
  thread: BodyThread,
  owner: string,
  operation: Operation,
  asked: ConversationAsked,
  { bytes, fields }: ScannedBody,
  signal: AbortSignal,
): Promise<RequestBody> {
  const { values } = fields
  const job = { kind: 'read' as const, bytes, values, operation: nameOf(operation), asked }
  const result = await thread.run<'read'>(owner, job, signal)
  const { hiddenWork, amend, renamed } = result
  return {
    bytes,
    fields,
    contentType: 'application/json',
    facts: {
      ...result.facts,
      amend: amend ?? {},
      text: () => result.text,
      uncounted: () => result.uncounted,
      media: () => result.media,
      ...(hiddenWork !== undefined && { hiddenWork: () => hiddenWork }),
    },
    value: once((): JsonObject => JSON.parse(bytes.toString())),
    conversation: () => result.conversation,
    // Other renames happen where the body is written.
    rename: (upstreamModel) =>
      renamed.includes('model') ? operation.rename({ model: '' }, upstreamModel) : {},
    remote: { isPlain: amend !== undefined && renamed.every((name) => name === 'model') },
  }
}

export const nameOf = ({ protocol, name }: Operation): OperationName => ({ protocol, name })
