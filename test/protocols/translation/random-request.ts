import {
  type CanonicalRequest,
  efforts,
  type Part,
  type TextPart,
  type Tool,
  type ToolCallPart,
  type ToolChoice,
  type ToolResultPart,
  type Turn,
} from '../../../src/protocols/canonical/request.ts'
import type { ProtocolName } from '../../../src/protocols/protocol.ts'
import { randomInput, randomText } from './random-values.ts'
import type { Seeded } from './seeded.ts'

/**
 * A conversation as any decoder could have read it, on its way to `upstream`, whose own vendor has
 * signed the reasoning in it.
 */
export function randomRequest(seeded: Seeded, upstream: ProtocolName): CanonicalRequest {
  const { once, pick, below } = seeded
  const tools = once(3) ? [] : many(1 + below(3), (at) => randomTool(seeded, at))
  const turns: Turn[] = many(below(3), () => {
    return { role: pick(['system', 'developer'] as const), parts: randomTexts(seeded, upstream) }
  })
  let open: readonly ToolCallPart[] = []
  for (let left = below(4); left >= 0; left--) {
    turns.push({ role: 'user', parts: randomUser(seeded, upstream, open) })
    open = []
    if (once(6)) turns.push({ role: 'system', parts: randomTexts(seeded, upstream) })
    if (left === 0) break
    const parts = randomAnswer(seeded, upstream, tools, turns.length)
    open = parts.filter((part) => part.type === 'tool-call')
    turns.push({ role: 'assistant', parts })
  }
  return {
    model: 'asked-for',
    stream: once(2),
    turns,
    tools,
    native: [],
    ...randomSettings(seeded, tools),
  }
}

export const many = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at))

/** Marks are for messages; elsewhere they would be dropped from all of them. */
function randomMark({ once, pick }: Seeded, upstream: ProtocolName) {
  return upstream === 'messages' && once(8) ? { cache: pick(['5m', '1h'] as const) } : {}
}

function randomTexts(seeded: Seeded, upstream: ProtocolName): readonly TextPart[] {
  return many(1 + seeded.below(2), () => {
    return { type: 'text', text: randomText(seeded), ...randomMark(seeded, upstream) }
  })
}

function randomUser(
  seeded: Seeded,
  upstream: ProtocolName,
  open: readonly ToolCallPart[],
): readonly Part[] {
  const { once, below } = seeded
  const results = open.map(({ callId, name, kind }): ToolResultPart => {
    const isError = once(5) ? true : undefined
    const parts = many(below(4), () => randomResultItem(seeded))
    const mark = randomMark(seeded, upstream)
    return { type: 'tool-result', callId, name, kind, isError, parts, ...mark }
  })
  const said = many(below(3) + (open.length > 0 ? 0 : 1), (): Part => {
    return { ...randomUserPart(seeded), ...randomMark(seeded, upstream) }
  })
  // The vendor's other side may also say nothing.
  if (open.length === 0 && once(25)) return []
  return once(8) ? [...said, ...results] : [...results, ...said]
}

function randomResultItem(seeded: Seeded): ToolResultPart['parts'][number] {
  if (!seeded.once(3)) return { type: 'text', text: randomText(seeded) }
  return seeded.once(2) ? randomImage(seeded) : randomDocument(seeded)
}

function randomUserPart(seeded: Seeded): Part {
  const { once, pick } = seeded
  if (!once(3)) return { type: 'text', text: randomText(seeded) }
  if (once(10)) {
    const mediaType = pick(['audio/wav', 'audio/mpeg'])
    return { type: 'audio', source: { type: 'data', mediaType, data: 'UklGRg==' } }
  }
  return once(2) ? randomImage(seeded) : randomDocument(seeded)
}

function randomImage({ once, pick }: Seeded) {
  const detail = once(3) ? pick(['low', 'high', 'auto', 'original'] as const) : undefined
  const source = once(3)
    ? ({ type: 'url', url: `https://pictures.example/${pick(['a', 'b'])}.png` } as const)
    : ({ type: 'data', mediaType: pick(['image/png', 'image/jpeg']), data: 'iVBORw==' } as const)
  return { type: 'image', source, detail } as const
}

function randomDocument(seeded: Seeded) {
  const { once, pick } = seeded
  const source = pick([
    { type: 'data', mediaType: 'application/pdf', data: 'JVBERi0=' } as const,
    { type: 'data', mediaType: 'text/plain', data: 'SMOkbGxv' } as const,
    { type: 'text', text: randomText(seeded) } as const,
    { type: 'url', url: 'https://papers.example/a.pdf', mediaType: 'application/pdf' } as const,
  ])
  const title = once(2) ? `${pick(['a', 'Ä'])}.pdf` : undefined
  const context = once(9) ? 'From the archive' : undefined
  return { type: 'document', source, title, context, isCited: once(9) ? true : undefined } as const
}

function randomAnswer(
  seeded: Seeded,
  upstream: ProtocolName,
  tools: readonly Tool[],
  turn: number,
): readonly Part[] {
  const { once, pick, below } = seeded
  const calls = tools.length === 0 || once(2) ? [] : many(1 + below(3), (at) => at)
  const parts: Part[] = []
  for (let left = below(3) + (calls.length > 0 ? 0 : 1); left > 0; left--) {
    if (once(3)) parts.push(randomReasoning(seeded, upstream))
    if (once(9)) parts.push({ type: 'refusal', text: randomText(seeded) })
    else parts.push(randomSaid(seeded))
  }
  for (const at of calls) {
    const { name, kind } = pick(tools)
    const callId = `call${pick(['_', '.', ':'])}${turn}x${at}`
    const isSigned = upstream === 'gemini' && once(3)
    if (isSigned) parts.push({ type: 'reasoning', text: '', signature: `s${turn}${at}`, callId })
    else if (at === 0 && once(3)) parts.push(randomReasoning(seeded, upstream))
    const input = kind === 'custom' ? randomText(seeded) : randomInput(seeded)
    parts.push({ type: 'tool-call', callId, name, kind, input })
  }
  return parts
}

function randomSaid(seeded: Seeded): TextPart {
  const text = randomText(seeded)
  if (!seeded.once(9)) return { type: 'text', text }
  const url = 'https://news.example/a'
  return { type: 'text', text, citations: [{ type: 'url', url, title: 'News', start: 0, end: 1 }] }
}

/** As the upstream's vendor has it, or without a proof. */
function randomReasoning(seeded: Seeded, upstream: ProtocolName): Part {
  const { once, below } = seeded
  const text = randomText(seeded)
  // Only what is the vendor's own is sent at all, and it wants none of it back.
  if (once(4)) return { type: 'reasoning', text, ...(once(2) ? { isOwn: true } : {}) }
  const signature = `sig/${below(1000)}+=`
  if (upstream === 'messages' && once(3)) {
    return { type: 'reasoning', text: '', signature, isRedacted: true }
  }
  const id = upstream === 'responses' && once(2) ? { id: `rs_${below(1000)}` } : {}
  return { type: 'reasoning', text: once(4) ? '' : text, signature, ...id }
}

function randomTool(seeded: Seeded, at: number): Tool {
  const { once } = seeded
  const description = once(2) ? { description: randomText(seeded) } : {}
  if (once(4)) return { kind: 'custom', name: `free_${at}`, ...description }
  const parameters = once(5) ? {} : { parameters: schema }
  const strict = once(3) ? { strict: once(2) } : {}
  return { kind: 'function', name: `tool-${at}`, ...description, ...parameters, ...strict }
}

/** One that all vendors take as it is. */
const schema = {
  type: 'object',
  properties: { where: { type: 'string' }, count: { type: 'integer' } },
  required: ['where'],
  additionalProperties: false,
}

function randomSettings(seeded: Seeded, tools: readonly Tool[]): Partial<CanonicalRequest> {
  const { once, pick, below } = seeded
  const all: { readonly [name in keyof CanonicalRequest]?: () => CanonicalRequest[name] } = {
    toolChoice: () => (tools.length === 0 ? { type: 'auto' } : randomChoice(seeded, tools)),
    parallelToolCalls: () => once(2),
    format: () => {
      const name = once(2) ? { name: 'answer', strict: true } : {}
      return once(4) ? { type: 'json' } : { type: 'schema', schema, ...name }
    },
    reasoning: () => ({ amount: randomAmount(seeded), show: randomShow(seeded) }),
    maxOutputTokens: () => 2048 + below(9000),
    temperature: () => below(21) / 10,
    topP: () => 0.9,
    topK: () => 40,
    presencePenalty: () => 0.5,
    frequencyPenalty: () => -0.5,
    seed: () => below(100),
    logitBias: () => ({ 50256: -100 }),
    metadata: () => ({ team: randomText(seeded) }),
    userId: () => 'u'.repeat(1 + below(100)),
    serviceTier: () => pick(['auto', 'default', 'flex', 'priority'] as const),
    promptCacheKey: () => 'key',
    verbosity: () => pick(['low', 'medium', 'high'] as const),
    stop: () => (once(2) ? ['END', randomText(seeded)] : undefined),
    logprobs: () => (once(2) ? below(5) : undefined),
    choices: () => (once(2) ? 2 : undefined),
  }
  const chosen = Object.entries(all).filter(() => once(6))
  return Object.fromEntries(chosen.map(([name, make]) => [name, make()]))
}

function randomChoice({ pick, once, below }: Seeded, tools: readonly Tool[]): ToolChoice {
  const names = tools.map(({ name }) => name)
  if (once(4)) return { type: 'tool', name: pick(names) }
  if (!once(3)) return { type: pick(['auto', 'none', 'required'] as const) }
  return { type: 'allowed', names: names.slice(below(names.length)), isRequired: once(2) }
}

function randomAmount({ pick, once, below }: Seeded) {
  if (once(5)) return undefined
  if (once(3)) return { type: pick(['off', 'auto'] as const) }
  if (once(2)) return { type: 'effort', effort: pick(efforts) } as const
  return { type: 'budget', tokens: 500 + below(12_000) } as const
}

const randomShow = ({ pick, once }: Seeded) =>
  once(2) ? undefined : pick(['none', 'auto', 'concise', 'detailed'] as const)
