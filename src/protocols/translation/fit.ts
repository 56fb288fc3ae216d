import type {
  Codec,
  EmbeddingCodec,
  EmbeddingRequest,
  UnenforcedKeyword,
} from '../canonical/codec.ts'
import { TranslationError } from '../canonical/error.ts'
import type { Quirk } from '../canonical/quirks.ts'
import type { CanonicalRequest } from '../canonical/request.ts'
import { toolNamed } from '../canonical/tools.ts'
import type { ProtocolName } from '../protocol.ts'
import {
  embeddingFeatures,
  type Feature,
  type FeatureName,
  requestFeatures,
  wayOf,
} from './features.ts'
import { type Spelling, schemaPath, spell } from './spelling.ts'
import { findUses, type Use, without } from './uses.ts'

interface Target
  extends Pick<Codec, 'findFault' | 'droppedSettings' | 'takesSearch' | 'unenforcedKeywords'> {
  readonly protocol: ProtocolName
  readonly quirks: ReadonlySet<Quirk>
  readonly webSearch?: boolean
}

/**
 * Removes what the target cannot express; throws for what changes the meaning, and with `isStrict` for all.
 * `optionalTools`: paths of vendor-run tools that the request does not force.
 */
export function fit(
  request: CanonicalRequest,
  client: Spelling,
  target: Target,
  isStrict: boolean,
  optionalTools: ReadonlySet<string> = noTools,
): { readonly request: CanonicalRequest; readonly dropped: readonly string[] } {
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
  const { conversation } = client
  // Sent empty, or the target can express none of it.
  if (fitted.turns.length === 0) {
    throw invalid(conversation, 'holds nothing that an answer could be given to. Send a message.')
  }
  const fault = target.findFault?.(fitted, conversation)
  if (fault !== undefined) throw new TranslationError(fault)
  const names = dropped.map(({ at }) => at)
  // From the original request: strict tools are not strict where the target lacks the setting.
  for (const told of target.unenforcedKeywords?.(request) ?? []) {
    const place = [schemaPath(client, told.at, told.isTool), told.path, told.keyword]
    const at = place.filter((step) => step !== '').join('.')
    if (isStrict || told.isStrict) throw unenforcedRefusal(at, told, target)
    names.push(at)
  }
  for (const setting of target.droppedSettings?.(fitted, target.quirks) ?? []) {
    const at = spell(client, setting)
    if (isStrict) throw refusal('what does not go with the rest', at, target, 'dropped')
    names.push(at)
    fitted = { ...fitted, [setting]: undefined }
  }
  return { request: fitted, dropped: [...new Set(names)] }
}

/** Bounds of stop sequences that the gateway matches: each one costs work. */
const mostStops = 64
const longestStop = 1_000

function checkStop({ stop = [] }: CanonicalRequest, client: Spelling, target: Target): void {
  const isLooked = wayOf('stop', target.protocol, target.quirks) === 'adapted'
  const isLong = stop.length > mostStops || stop.some(({ length }) => length > longestStop)
  if (!isLooked || !isLong) return
  const param = spell(client, 'stop')
  const limits = `at most ${mostStops} texts of at most ${longestStop} characters`
  throw invalid(param, `must be ${limits} for ${spokenBy(target)}.`)
}

/** Keeps either the request's search or its `native` use, which is then dropped or rejected. */
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

/** A choice of only the search, once dropped, forbids all tools. */
function withoutEmptyChoice(request: CanonicalRequest): CanonicalRequest {
  const { toolChoice } = request
  const isEmpty = toolChoice?.type === 'allowed' && toolChoice.names.length === 0
  return isEmpty && !toolChoice.isRequired ? { ...request, toolChoice: { type: 'none' } } : request
}

const noTools: ReadonlySet<string> = new Set()

const invalid = (param: string, why: string) =>
  new TranslationError({ code: 'invalid_value', param, message: `${param} ${why}` })

const unsupported = (param: string, why: string) =>
  new TranslationError({ code: 'unsupported_parameter', param, message: `${param}${why}` })

const spokenBy = ({ protocol }: Target) =>
  `the protocol ${protocol}, which the channel of this model speaks`

function unenforcedRefusal(param: string, told: UnenforcedKeyword, target: Target) {
  const { keyword, isTool, isStrict } = told
  const strict = isStrict ? (isTool ? 'tool' : 'format') : 'request'
  const why = `can only be described to the model in words in ${spokenBy(target)}, and the ${strict} is strict`
  const remedy = 'Write the schema without it, leave out "strict", or ask for another model.'
  return unsupported(param, `: "${keyword}" ${why}. ${remedy}`)
}

function refusal(title: string, at: string, target: Target, way: 'refused' | 'dropped') {
  const why =
    way === 'refused'
      ? `can't be expressed in ${spokenBy(target)}`
      : `would be left out in ${spokenBy(target)}, and the request is strict`
  return unsupported(at, ` (${lowerFirst(title)}) ${why}. Leave it out, or ask for another model.`)
}

const lowerFirst = (text: string) =>
  /^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text

/** A request that allows tools by name, each once. Throws for an unknown name. */
function withKnownAllowed(request: CanonicalRequest, at: string): CanonicalRequest {
  const { toolChoice, tools } = request
  if (toolChoice?.type !== 'allowed') return request
  const names = [...new Set(toolChoice.names)]
  const unknown = names.find((name) => toolNamed(tools, name) === undefined)
  if (unknown !== undefined) {
    const name = unknown.slice(0, 64)
    const why = `allows the tool "${name}", which tools does not have. Declare it, or leave it out.`
    throw invalid(at, why)
  }
  return { ...request, toolChoice: { ...toolChoice, names } }
}

/** What is dropped from an embeddings request for a vendor. Throws for what it requires. */
export function fitEmbedding(
  { others }: EmbeddingRequest,
  { operation: { protocol } }: EmbeddingCodec,
  isStrict: boolean,
): readonly string[] {
  const dropped: string[] = []
  for (const { feature, path } of others) {
    const { title, note, ways }: Feature = embeddingFeatures[feature]
    const way = ways[protocol]
    if (way === 'refused') {
      const what = note === undefined ? title : `${title}: ${note}`
      throw unsupported(path, `: the model's vendor does not take this (${what}).`)
    }
    if (way !== 'dropped') continue
    if (isStrict) {
      throw unsupported(path, ': would be left out, and the request is strict: leave it out.')
    }
    dropped.push(path)
  }
  return dropped
}

/** Largest body that is translated; models take about 8,000 LLM tokens of each text. */
const mostBytes = 4 * 1_048_576

/** Throws for more texts or bytes than the vendor accepts at once. Needs no parsing of the texts. */
export function checkSize(
  count: number,
  bytes: number,
  param: string,
  { mostTexts }: EmbeddingCodec,
): void {
  if (count > mostTexts) {
    const most = `at most ${mostTexts} are taken at once: send several requests`
    throw unsupported(param, `: has ${count} texts, and ${most}.`)
  }
  if (bytes > mostBytes) {
    const most = 'more than is taken at once: send several requests'
    throw unsupported(param, `: is larger than 4 MiB, ${most}.`)
  }
}
