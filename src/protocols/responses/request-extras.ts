import { holdsOtherTool, tiersIn, toolOfKind } from '../chat/hosted-tools.ts'
import { arrayIn, isJsonObject, objectIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import {
  type HostedToolAsk,
  hasTwoKinds,
  outputsIn,
  type Path,
  type RequestExtras,
  requestExtras,
} from '../request-extras.ts'

/** Kinds that the client runs itself. */
const clientKinds = new Set<unknown>(['function', 'custom', 'local_shell', 'apply_patch'])

/** What a response shall have besides text. */
export function readExtras(body: JsonObject): RequestExtras | undefined {
  const lists = toolLists(body)
  const tools = lists.flatMap(({ list, path }) => toolsIn(list, path))
  const isAll = tools.every(({ kind }) => kind !== undefined)
  const choice = choiceIn(body, isAll)
  const hostedTools = tools.flatMap(({ kind, path }): readonly HostedToolAsk[] => {
    if (kind === undefined) return []
    const { isForced, mentions } = choice(kind)
    return [{ tool: toolOfKind(kind), path, isForced, mentions }]
  })
  return requestExtras(body, {
    hostedTools,
    tiers: tiersIn(body),
    outputs: outputsIn(body.modalities, ['modalities']),
  })
}

interface ToolList {
  readonly list: readonly unknown[]
  readonly path: Path
}

/** Tools may also come with items of the input (`additional_tools`, `tool_search_output`). */
function toolLists(body: JsonObject): readonly ToolList[] {
  const items = arrayIn(body, 'input').flatMap((item, index) => {
    const list = isJsonObject(item) ? arrayIn(item, 'tools') : []
    return list.length === 0 ? [] : [{ list, path: ['input', index, 'tools'] }]
  })
  return [{ list: arrayIn(body, 'tools'), path: ['tools'] }, ...items]
}

interface FoundTool {
  /** Undefined: the client runs it. */
  readonly kind: string | undefined
  readonly path: Path
}

/** Namespaces hold tools, not each other: within one, another is a tool that has no price. */
function toolsIn(list: readonly unknown[], path: Path, isWithin = false): readonly FoundTool[] {
  return list.flatMap((tool, index): readonly FoundTool[] => {
    const at = [...path, index]
    if (!isJsonObject(tool)) return []
    if (tool.type === 'namespace' && !isWithin) {
      return toolsIn(arrayIn(tool, 'tools'), [...at, 'tools'], true)
    }
    return [{ kind: kindOf(tool), path: at }]
  })
}

function kindOf(tool: JsonObject): string | undefined {
  const kind = ownKind(tool)
  return hasTwoKinds(tool) || holdsOtherTool(tool, kind) ? '' : kind
}

function ownKind(tool: JsonObject): string | undefined {
  const { type } = tool
  if (clientKinds.has(type)) return undefined
  // A shell is the client's own, unless it is asked for in a container.
  const place = objectIn(tool, 'environment')?.type
  if (type === 'shell' && (place === undefined || place === 'local')) return undefined
  if (type === 'tool_search' && tool.execution === 'client') return undefined
  return `${type}`
}

/** What `tool_choice` says of a kind of tools. */
function choiceIn(
  body: JsonObject,
  isAll: boolean,
): (kind: string) => Pick<HostedToolAsk, 'isForced' | 'mentions'> {
  const choice = body.tool_choice
  if (!isJsonObject(choice)) {
    return () => ({ isForced: isAll && choice === 'required', mentions: [] })
  }
  if (choice.type !== 'allowed_tools') {
    return (kind) => ({ isForced: choice.type === kind, mentions: [] })
  }
  const places = new Map<string, Path[]>()
  let isHostedAlone = choice.mode === 'required'
  arrayIn(choice, 'tools').forEach((tool, index) => {
    const kind = isJsonObject(tool) ? tool.type : undefined
    if (clientKinds.has(kind)) isHostedAlone = false
    const mentions = places.get(`${kind}`) ?? []
    mentions.push(['tool_choice', 'tools', index])
    places.set(`${kind}`, mentions)
  })
  return (kind) => {
    const mentions = places.get(kind) ?? []
    return { isForced: isHostedAlone && mentions.length > 0, mentions }
  }
}
