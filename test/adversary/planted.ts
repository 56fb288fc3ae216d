/** A fault that is planted into a copy of the program, to see whether it is found. */
export interface Planted {
  readonly name: string
  readonly file: string
  /** Stands in the file exactly once. */
  readonly find: string
  readonly replace: string
}

/** One of each kind of loss that customers try to bring about. */
export const planted: readonly Planted[] = [
  {
    name: 'what a cache gives is free',
    file: 'src/billing/charge.ts',
    find: '    rates.cacheRead * usage.cacheReadTokens +',
    replace: '    0 * usage.cacheReadTokens +',
  },
  {
    name: 'a tier of context begins too late',
    file: 'src/billing/charge.ts',
    find: 'context > tier.above)',
    replace: 'context > tier.above + 9)',
  },
  {
    name: 'what Gemini thinks is not counted',
    file: 'src/protocols/gemini/usage.ts',
    find: 'output: (counts.candidates ?? 0) + (counts.thoughts ?? 0),',
    replace: 'output: counts.candidates ?? 0,',
  },
  {
    name: 'next to nothing is set aside',
    file: 'src/gateway/money/afford.ts',
    find: 'const toReserveNano = boundNano + overrun',
    replace: 'const toReserveNano = Math.ceil((boundNano + overrun) * 0.001)',
  },
  {
    name: 'the first of two limits holds',
    file: 'src/protocols/chat/facts.ts',
    find: 'withThinking(body, largestLimit(body, limit.most))',
    replace: "countIn(body, 'max_tokens') ?? limit.most ?? null",
  },
  {
    name: 'the output of answers in the background is not counted',
    file: 'src/gateway/background/charge-ended.ts',
    find: 'const used = await usedTokens(exchange, seen, parts.countTokens)',
    replace:
      'const { usage, ...rest } = await usedTokens(exchange, seen, parts.countTokens)\n  const used = { ...rest, usage: { ...usage, outputTokens: 0 } }',
  },
  {
    name: 'searches of messages are not counted',
    file: 'src/protocols/messages/usage.ts',
    find: "tools = plus(tools, 'web_search', used?.web_search_requests, keepsZero)",
    replace: "tools = plus(tools, 'web_search', undefined, keepsZero)",
  },
  {
    name: 'a dearer tier costs as much as the standard one',
    file: 'src/billing/lines.ts',
    find: 'tierWords(tier).map((name) => ({ name, millionths: tierFactor(terms, vendor, name) }))',
    replace:
      'tierWords(tier).map((name) => ({ name, millionths: Math.min(1_000_000, tierFactor(terms, vendor, name)) }))',
  },
  {
    name: 'answers belong to whoever knows their ids',
    file: 'src/gateway/admit/origins.ts',
    find: 'const nameOf = (accountId: number, answerId: string) =>',
    replace: 'const nameOf = (_: number, answerId: string, accountId = 0) =>',
  },
  {
    name: 'a form goes upstream as it came',
    file: 'src/gateway/upstream/upstream-call.ts',
    find: 'return rebuildForm(body, upstreamModel)',
    replace: 'return body.bytes',
  },
  {
    name: 'what stands around a text costs nothing to who leaves',
    file: 'src/gateway/relay/disconnect.ts',
    find: '&& facts.uncounted() <= frameLength + length / textPerFrame',
    replace: '&& facts.uncounted() >= 0',
  },
  {
    name: 'parts and members of tomorrow are text',
    file: 'src/protocols/request-media.ts',
    find: '      sum.isUnseen ||= !isTextKind(value.type)\n      for (const name in value) {',
    replace: '      for (const name of []) {',
  },
  {
    name: 'models that a body names beside its own are not looked at',
    file: 'src/protocols/request-extras.ts',
    find: 'const models = findSelectors(body)',
    replace: 'const models = findSelectors({ model: body.model })',
  },
]
