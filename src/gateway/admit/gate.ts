import { hasPrice } from '../../billing/extras.ts'
import type { Candidate, Channel, Group, Offer } from '../../catalog/catalog.ts'
import { ownTools, vendorExtras } from '../../catalog/vendor-extras.ts'
import { type HostedTool, isHostedTool } from '../../protocols/canonical/tools.ts'
import type { ProtocolName } from '../../protocols/protocol.ts'
import {
  type HostedToolAsk,
  type ModelSelector,
  type Path,
  pathText,
  type RequestExtras,
} from '../../protocols/request-extras.ts'
import { requestFeatures } from '../../protocols/translation/features.ts'
import type { BodyFacts, RequestBody } from '../body/body.ts'
import { type PathTree, pathTree } from '../body/native-body.ts'
import { GatewayError } from '../errors.ts'
import type { Exchange } from '../exchange.ts'
import { isNotDearer } from '../money/dearest.ts'
import { shortName } from './plan.ts'

export interface GateTask {
  readonly group: Group
  readonly offer: Offer
  readonly models: ReadonlySet<string>
  readonly body: RequestBody
  readonly isStrict: boolean
}

export interface Passed {
  readonly tools: readonly HostedTool[]
  readonly dropped: readonly string[]
  /** Every place in the body to remove for `dropped`. */
  readonly cuts: readonly Path[]
}

const nothingAsked: Passed = { tools: [], dropped: [], cuts: [] }

/** Nothing goes upstream without a price: drops optional tools, else throws a 400 or 403. */
export function passExtras(task: GateTask, candidate: Candidate, protocol: string): Passed {
  const { extras } = task.body.facts
  if (extras === undefined) return nothingAsked
  const isPriced = (extra: Parameters<typeof hasPrice>[2]) =>
    hasPrice(task.offer.price.terms, vendorExtras(protocol, candidate.upstreamModel), extra)

  for (const { tier, path } of extras.tiers) {
    if (!isPriced({ tier })) throw unpriced(path, `service tier "${shortName(tier)}"`)
  }
  for (const { modality, path } of extras.outputs) {
    const kind = modality.replace('output', '').toLowerCase()
    if (!isPriced({ modality })) throw unpriced(path, `answers in ${kind}`)
  }
  const selecting = checkSelectors(task, candidate, extras)
  const isAllowed = ({ tool, path }: HostedToolAsk) =>
    tool !== undefined &&
    !selecting.has(pathText(path)) &&
    (task.group.tools?.includes(tool) ?? true) &&
    isPriced({ tool })
  const kept: HostedToolAsk[] = []
  const left: HostedToolAsk[] = []
  for (const ask of extras.hostedTools) (isAllowed(ask) ? kept : left).push(ask)
  const forced = left.find(({ isForced }) => isForced)
  if (forced) throw notAllowed(task, forced)
  const [first] = [...left.map(({ path }) => path), ...extras.routing]
  if (first && task.isStrict) throw wouldBeLeftOut(first)
  return {
    tools: kept.flatMap(({ tool }) => tool ?? []),
    dropped: [...left.map(({ path }) => path), ...extras.routing].map(pathText),
    cuts: cutsOf(left, extras.routing),
  }
}

/** Throws the 400 of a translated service tier without a price. */
export function passTranslated(task: GateTask, candidate: Candidate, protocol: string): void {
  if (requestFeatures.special_tier.ways[protocol as ProtocolName] !== 'carried') return
  const { terms } = task.offer.price
  for (const { tier, path } of task.body.facts.extras?.tiers ?? []) {
    const vendor = vendorExtras(protocol, candidate.upstreamModel)
    if (!hasPrice(terms, vendor, { tier })) throw unpriced(path, `service tier "${tier}"`)
  }
}

function cutsOf(left: readonly HostedToolAsk[], routing: readonly Path[]): readonly Path[] {
  const mentions = [...new Set(left.map((ask) => ask.mentions))].flat()
  return [...left.map(({ path }) => path), ...mentions, ...routing]
}

/** Checks fields that name other models; returns the paths of tools whose model has no price. */
function checkSelectors(
  task: GateTask,
  candidate: Candidate,
  { models, hostedTools }: RequestExtras,
): ReadonlySet<string> {
  const ofTools = new Set<string>()
  if (models.length === 0) return ofTools
  const tools = pathTree(hostedTools.map(({ path }) => path))
  const sold = soldBy(task.group, candidate.channel)
  for (const selector of models) {
    const tool = pathAround(tools, selector.path)
    if (tool === undefined) checkSelector(task, candidate, selector, sold)
    else ofTools.add(pathText(tool))
  }
  return ofTools
}

function soldBy(group: Group, channel: Channel): ReadonlyMap<string, Offer> {
  const sold = new Map<string, Offer>()
  for (const offer of group.offers.values()) {
    for (const candidate of offer.candidates) {
      if (candidate.channel.id === channel.id) sold.set(candidate.upstreamModel, offer)
    }
  }
  return sold
}

/** The other model must be allowed for the token, on the same channel, and not dearer. */
function checkSelector(
  { offer, models }: GateTask,
  { upstreamModel }: Candidate,
  { path, names }: ModelSelector,
  sales: ReadonlyMap<string, Offer>,
): void {
  if (names === undefined) throw otherModel(path, 'may choose another model')
  for (const name of names) {
    if (name === upstreamModel) continue
    const sold = sales.get(name)
    if (sold === undefined) throw otherModel(path, `names the model "${shortName(name)}"`)
    if (models.size > 0 && !models.has(sold.model)) {
      const at = pathText(path)
      const message = `${at}: this key may not use the model "${shortName(name)}".`
      throw new GatewayError('model_not_allowed', message, { param: at })
    }
    if (!isNotDearer(sold.price.terms, offer.price.terms)) {
      throw otherModel(path, `names the model "${shortName(name)}", which costs more than this one`)
    }
  }
}

function refused(path: Path, what: string): GatewayError {
  const param = pathText(path)
  return new GatewayError('unsupported_parameter', param + what, { param })
}

const otherModel = (path: Path, what: string) =>
  refused(path, ` ${what}, which would be charged as the one that is asked for. Leave it out.`)

const unpriced = (path: Path, what: string) =>
  refused(
    path,
    `: this model has no price for the ${what}. Leave it out, or ask for another model.`,
  )

function notAllowed({ group, offer }: GateTask, { tool, path }: HostedToolAsk): GatewayError {
  const isOff = tool !== undefined && group.tools?.includes(tool) === false
  const why = isOff
    ? `the group "${group.name}" does not allow the tool ${tool}`
    : `the model "${offer.model}" has no price for this tool`
  return refused(path, `: ${why}, and the request can't do without it. Leave it out.`)
}

const wouldBeLeftOut = (path: Path) =>
  refused(
    path,
    ' is not allowed here and would be left out, and the request is strict. Leave it out.',
  )

/** Whether leaving something out is a 400, by the request's header or its token. */
export function isStrict({ request, caller }: Pick<Exchange, 'request' | 'caller'>): boolean {
  const header = request.headers.get('x-tollgate-strict')
  return header?.trim().toLowerCase() === 'true' || caller?.token.isStrict === true
}

/** Which of the paths of a tree contains another one. */
export function pathAround(tree: PathTree, path: Path): Path | undefined {
  let at: PathTree | undefined = tree
  for (const [depth, step] of path.entries()) {
    if (at.isEnd) return path.slice(0, depth)
    at = at.inside.get(step)
    if (at === undefined) return undefined
  }
  return undefined
}

const noExtras: RequestExtras = { hostedTools: [], tiers: [], outputs: [], models: [], routing: [] }

/** Facts with the tools that the model runs by itself for each answer. */
export function withOwnTools(facts: BodyFacts, offer: Offer): BodyFacts {
  const own = asksOf(offer)
  if (own.length === 0) return facts
  const extras = facts.extras ?? noExtras
  return { ...facts, extras: { ...extras, hostedTools: [...extras.hostedTools, ...own] } }
}

const ownAsks = new WeakMap<Offer, readonly HostedToolAsk[]>()

function asksOf(offer: Offer): readonly HostedToolAsk[] {
  const found = ownAsks.get(offer)
  if (found) return found
  const tools = offer.candidates.flatMap(({ channel, upstreamModel }) =>
    Object.keys(channel.speaks).flatMap((protocol) => ownTools(protocol, upstreamModel)),
  )
  const asks = [...new Set(tools)].filter(isHostedTool).map(
    (tool): HostedToolAsk => ({
      tool,
      path: ['model'],
      isForced: true,
      isAlways: true,
      mentions: [],
    }),
  )
  ownAsks.set(offer, asks)
  return asks
}
