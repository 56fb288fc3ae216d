import type {
  CanonicalRequest,
  Effort,
  OutputFormat,
  ReasoningSettings,
  Tool,
  Turn,
} from '../../../src/protocols/canonical/request.ts'
import type { ProtocolName } from '../../../src/protocols/protocol.ts'
import { expectedTurns } from './expected-turns.ts'
import { countLeading } from './turn-tools.ts'

/** Of the model that these tests ask: the most that it can answer. */
const usualLimit = 64_000

type Settings = Partial<CanonicalRequest>

/**
 * A fitted request as an upstream of another protocol reads it: equal, but for what the table of
 * translation calls adapted. Written from the table, apart from the codecs. Schemas are compared by
 * themselves (schema-expectation.ts).
 */
export function expectedRequest(
  request: CanonicalRequest,
  upstream: ProtocolName,
  model: string,
): CanonicalRequest {
  const hasTools = request.tools.length > 0
  const common: CanonicalRequest = {
    ...request,
    model,
    native: [],
    turns: expectedTurns[upstream](upstream === 'messages' ? asked(request) : request.turns),
    // Sets of tools are one protocol's own way to name tools.
    tools: request.tools.map((tool) => ({ ...tool, namespace: undefined })),
    // Without tools there is nothing to choose.
    toolChoice: hasTools ? request.toolChoice : undefined,
    reasoning: spoken(request.reasoning),
  }
  return { ...common, ...changes[upstream](common) }
}

const changes: {
  readonly [upstream in ProtocolName]: (request: CanonicalRequest) => Settings
} = {
  chat: ({ reasoning, tools, parallelToolCalls, format }) => ({
    format: named(format, 'response'),
    reasoning: withEffort(reasoning),
    parallelToolCalls: tools.length > 0 ? parallelToolCalls : undefined,
  }),
  responses: ({ reasoning, tools, maxOutputTokens, format }) => ({
    format: named(format, 'output'),
    // Row "Stop sequences": the gateway looks for them.
    stop: undefined,
    reasoning: responsesReasoning(reasoning),
    // Row "Limit of the answer’s length": 16 at the least.
    maxOutputTokens: maxOutputTokens && Math.max(16, maxOutputTokens),
    // Without a word this vendor would be strict.
    tools: tools.map((tool) => {
      return tool.kind === 'custom' ? tool : { ...tool, strict: tool.strict ?? false }
    }),
  }),
  messages: (request) => ({
    // Row "JSON without a schema": in words.
    format: request.format?.type === 'json' ? undefined : nameless(request.format),
    tools: allowedTools(request).map(asFunction),
    ...messagesChoice(request),
    ...messagesReasoning(request),
    // The vendor demands a limit.
    maxOutputTokens: request.maxOutputTokens ?? usualLimit,
    // Row "Temperature": at most 1.
    temperature: request.temperature && Math.min(1, request.temperature),
  }),
  gemini: ({ tools, toolChoice, reasoning, format, parallelToolCalls }) => ({
    format: format?.type === 'json' ? { type: 'json', isAny: true } : nameless(format),
    // Row "Strict arguments of a tool": left out; not strict is the default.
    tools: tools.map((tool) => ({ ...asFunction(tool), strict: tool.strict || undefined })),
    toolChoice: geminiChoice(toolChoice),
    reasoning: geminiReasoning(reasoning),
    // `true` is the default.
    parallelToolCalls: parallelToolCalls ? undefined : parallelToolCalls,
  }),
}

/** These vendors demand a name of the answer's schema … */
const named = (format: OutputFormat | undefined, name: string): OutputFormat | undefined =>
  format?.type === 'schema' ? { ...format, name: format.name ?? name } : format && { type: 'json' }

/** … and these know none, and no other way than to be strict. */
const nameless = (format: OutputFormat | undefined): OutputFormat | undefined =>
  format?.type === 'schema' ? { type: 'schema', schema: format.schema } : format

/** The conversation with the words that ask for JSON, behind the system prompt. */
function asked({ turns, format }: CanonicalRequest): readonly Turn[] {
  if (format?.type !== 'json') return turns
  const what = format.isAny ? 'JSON' : 'one JSON object'
  const text = `Answer with ${what} and nothing else: no text before or after it, no code fence.`
  return turns.toSpliced(countLeading(turns), 0, {
    role: 'system',
    parts: [{ type: 'text', text }],
  })
}

/** Settings that say nothing are none. */
function spoken(reasoning: ReasoningSettings | undefined): ReasoningSettings | undefined {
  return reasoning?.amount === undefined && reasoning?.show === undefined ? undefined : reasoning
}

/** Rows "Budget of reasoning" (the nearest effort) and "as the model finds right" (the default). */
function withEffort(reasoning: ReasoningSettings | undefined): ReasoningSettings | undefined {
  const { amount, show } = reasoning ?? {}
  if (amount?.type === 'auto') return spoken({ show })
  if (amount?.type !== 'budget') return spoken({ amount, show })
  const effort: Effort = amount.tokens <= 1024 ? 'low' : amount.tokens <= 8192 ? 'medium' : 'high'
  return { amount: { type: 'effort', effort }, show }
}

/** Row "Whether reasoning is shown": it is not, by default. */
const responsesReasoning = (reasoning: ReasoningSettings | undefined) =>
  withEffort(reasoning?.show === 'none' ? { ...reasoning, show: undefined } : reasoning)

/** Row "Custom tools": a function with one text; its grammar is told in words. */
function asFunction(tool: Tool): Tool {
  if (tool.kind === 'function') return tool
  const { name, description, cache } = tool
  return { kind: 'function', name, description, cache }
}

/** Row "Allowed tools": only these are told. */
function allowedTools({ tools, toolChoice }: CanonicalRequest): readonly Tool[] {
  if (toolChoice?.type !== 'allowed') return tools
  return tools.filter(({ name }) => toolChoice.names.includes(name))
}

function messagesChoice({ tools, toolChoice, parallelToolCalls }: CanonicalRequest): Settings {
  if (tools.length === 0) return { toolChoice: undefined, parallelToolCalls: undefined }
  const isSequential = parallelToolCalls === false && toolChoice?.type !== 'none'
  const auto = isSequential ? ({ type: 'auto' } as const) : undefined
  return {
    toolChoice:
      toolChoice?.type === 'allowed'
        ? { type: toolChoice.isRequired ? 'required' : 'auto' }
        : (toolChoice ?? auto),
    // `true` is the default.
    parallelToolCalls: isSequential ? false : undefined,
  }
}

/** Row "Effort of reasoning": the vendor has no `minimal`, and two ways to show it. */
function messagesReasoning(request: CanonicalRequest): Settings {
  const { amount, show } = request.reasoning ?? {}
  const shown = show === undefined ? undefined : show === 'none' ? 'none' : 'auto'
  if (amount?.type === 'off') return { reasoning: { amount } }
  if (amount?.type === 'budget') return messagesBudget(request, amount.tokens, shown)
  if (amount?.type === 'effort' && amount.effort === 'minimal') {
    return { reasoning: { amount: { type: 'effort', effort: 'low' }, show: shown } }
  }
  if (amount !== undefined) return { reasoning: { amount, show: shown } }
  // Row "Whether reasoning is shown": who wants to see it wants it. By itself the model does not
  // reason; with sampling it can't.
  const { temperature, topP, topK } = request
  const isSampled = [temperature, topP, topK].some((value) => value !== undefined)
  const isSeen = shown === 'auto' && !isSampled
  return { reasoning: isSeen ? { amount: { type: 'auto' }, show: shown } : undefined }
}

/** Row "Budget of reasoning": 1024 at the least, and below the limit, which grows if nobody set it. */
function messagesBudget(
  { maxOutputTokens }: CanonicalRequest,
  wanted: number,
  show: ReasoningSettings['show'],
): Settings {
  const tokens = Math.min(Math.max(wanted, 1024), (maxOutputTokens ?? Infinity) - 1)
  return { reasoning: { amount: { type: 'budget', tokens }, show } }
}

/** A choice of one tool that must be called is that of a certain one. */
function geminiChoice(choice: CanonicalRequest['toolChoice']): CanonicalRequest['toolChoice'] {
  const [name, ...others] = choice?.type === 'allowed' && choice.isRequired ? choice.names : []
  return name !== undefined && others.length === 0 ? { type: 'tool', name } : choice
}

/** Rows "Effort of reasoning" (four levels) and "No reasoning" (as little as the model can). */
function geminiReasoning(reasoning: ReasoningSettings | undefined): ReasoningSettings | undefined {
  const { amount, show } = reasoning ?? {}
  const shown = show === undefined ? undefined : show === 'none' ? 'none' : 'auto'
  if (amount?.type === 'off') {
    return { amount: { type: 'effort', effort: 'minimal' }, show: shown }
  }
  if (amount?.type !== 'effort') return spoken({ amount, show: shown })
  const effort = amount.effort === 'xhigh' || amount.effort === 'max' ? 'high' : amount.effort
  return { amount: { type: 'effort', effort }, show: shown }
}
