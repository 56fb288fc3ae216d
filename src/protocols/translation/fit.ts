import type { Codec, ToldKeyword } from '../canonical/codec.ts'
import { TranslationError } from '../canonical/error.ts'
import type { Quirk } from '../canonical/quirks.ts'
import type { CanonicalRequest } from '../canonical/request.ts'
import type { ProtocolName } from '../protocol.ts'
import { withKnownAllowed } from './allowed-tools.ts'
import { type FeatureName, requestFeatures, wayOf } from './features.ts'
import { conversationNames, schemaPath, spell } from './spelling.ts'
import { findUses, type Use, without } from './uses.ts'

/** Where a request is to go. */
export interface Target
  extends Pick<Codec, 'findFault' | 'leavesOut' | 'takesSearch' | 'tellsInWords'> {
  readonly protocol: ProtocolName
  readonly quirks: ReadonlySet<Quirk>
  /** It runs web searches, and they have a price. */
  readonly webSearch?: boolean
}

/** A request that its target can express, and what was left out of it, as the client wrote it. */
export interface Fitted {
  readonly request: CanonicalRequest
  readonly dropped: readonly string[]
}

/**
 * Takes out of a request what its target can't express. Throws `TranslationError` for what changes
 * the meaning; with `isStrict`, for everything. `optionalTools`: where the request has tools of its
 * vendor's that it does not force.
 */
export function fit(
  request: CanonicalRequest,
  client: ProtocolName,
  target: Target,
  isStrict: boolean,
  optionalTools: ReadonlySet<string> = noTools,
): Fitted {
  const dropped: Use[] = []
  const asked = withOneSearch(request, target)
  for (const use of findUses(asked, client)) {
    const isOptional = use.feature === 'hosted_tool' && optionalTools.has(use.at)
    const way = isOptional ? 'dropped' : wayOf(use.feature, target.protocol, target.quirks)
    if (way === 'refused' || (way === 'dropped' && isStrict)) {
      throw refusal(requestFeatures[use.feature].title, use.at, target, way)
    }
    if (way === 'dropped') dropped.push(use)
  }
  const features = new Set<FeatureName>(dropped.map(({ feature }) => feature))
  let fitted = withKnownAllowed(asked, spell(client, 'toolChoice'))
  for (const feature of features) fitted = without(fitted, feature)
  checkStop(fitted, client, target)
  const conversation = conversationNames[client]
  if (fitted.turns.length === 0) throw nothingSaid(conversation)
  const fault = target.findFault?.(fitted, conversation)
  if (fault !== undefined) throw new TranslationError(fault)
  const names = dropped.map(({ at }) => at)
  // Of the request as it came: strict tools are not, where the target does not know the word.
  for (const told of target.tellsInWords?.(request) ?? []) {
    const place = [schemaPath(client, told.at, told.isTool), told.path, told.keyword]
    const at = place.filter((step) => step !== '').join('.')
    if (isStrict || told.isStrict) throw toldRefusal(at, told, target)
    names.push(at)
  }
  for (const setting of target.leavesOut?.(fitted, target.quirks) ?? []) {
    const at = spell(client, setting)
    if (isStrict) throw refusal('what does not go with the rest', at, target, 'dropped')
    names.push(at)
    fitted = { ...fitted, [setting]: undefined }
  }
  return { request: fitted, dropped: [...new Set(names)] }
}

/** So many stop sequences are looked for here, and so long ones, in characters: each costs work. */
const mostStops = 64
const longestStop = 1_000

function checkStop({ stop = [] }: CanonicalRequest, client: ProtocolName, target: Target): void {
  const isLooked = wayOf('stop', target.protocol, target.quirks) === 'adapted'
  const isLong = stop.length > mostStops || stop.some(({ length }) => length > longestStop)
  if (!isLooked || !isLong) return
  const param = spell(client, 'stop')
  throw new TranslationError({
    code: 'invalid_value',
    param,
    message: `${param} must be at most ${mostStops} texts of at most ${longestStop} characters for the protocol ${target.protocol}, which the channel of this model speaks.`,
  })
}

/**
 * Either the search of a request is carried, or what `native` says of it is acted by: like every tool
 * that the vendor runs, it is left out then, or refused.
 */
function withOneSearch(
  { webSearch, ...rest }: CanonicalRequest,
  { webSearch: isRun = false, takesSearch }: Target,
): CanonicalRequest {
  if (webSearch === undefined) return rest
  const request = { ...rest, webSearch }
  if (!isRun || takesSearch?.(request) !== true) return withoutEmptyChoice(rest)
  const places = new Set(webSearch.places)
  const others = webSearch.others.map((at) => ({ feature: 'unknown_field', at }) as const)
  const native = [...rest.native.filter(({ at }) => !places.has(at)), ...others]
  return { ...request, native }
}

/** Where only the search may be used, and it is left out, nothing may be. */
function withoutEmptyChoice(request: CanonicalRequest): CanonicalRequest {
  const { toolChoice } = request
  const isEmpty = toolChoice?.type === 'allowed' && toolChoice.names.length === 0
  return isEmpty && !toolChoice.isRequired ? { ...request, toolChoice: { type: 'none' } } : request
}

const noTools: ReadonlySet<string> = new Set()

/** Sent empty, or all that it had is what the target can't express. */
const nothingSaid = (param: string) =>
  new TranslationError({
    code: 'invalid_value',
    param,
    message: `${param} holds nothing that an answer could be given to. Send a message.`,
  })

function toldRefusal(
  param: string,
  { keyword, isTool, isStrict }: ToldKeyword,
  { protocol }: Target,
): TranslationError {
  const whose = isTool ? 'tool' : 'format'
  const why = isStrict ? `the ${whose} is strict` : 'the request is strict'
  return new TranslationError({
    code: 'unsupported_parameter',
    param,
    message: `${param}: "${keyword}" can only be told to the model in words in the protocol ${protocol}, which the channel of this model speaks, and ${why}. Write the schema without it, leave out "strict", or ask for another model.`,
  })
}

function refusal(
  title: string,
  at: string,
  { protocol }: Target,
  way: 'refused' | 'dropped',
): TranslationError {
  const why =
    way === 'refused'
      ? `can't be expressed in the protocol ${protocol}, which the channel of this model speaks`
      : `would be left out in the protocol ${protocol}, which the channel of this model speaks, and the request is strict`
  return new TranslationError({
    code: 'unsupported_parameter',
    param: at,
    message: `${at} (${lowerFirst(title)}) ${why}. Leave it out, or ask for another model.`,
  })
}

const lowerFirst = (text: string) =>
  /^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text
