import type { Channel } from './catalog.ts'

/** A vendor whose own host and models run web searches on request. */
interface Searching {
  readonly hosts: RegExp
  readonly models: RegExp
}

/**
 * Sources: OpenAI's guide "Web search" (not with gpt-4.1-nano, nor with models for sound, images or a
 * chat product), Anthropic's "Web search tool" (from Claude 3.5 on), Google's "Grounding with Google
 * Search" (from Gemini 2 on).
 */
const vendors: { readonly [protocol: string]: Searching } = {
  responses: {
    hosts: /^([a-z]+\.)?api\.openai\.com$/,
    models:
      /^(gpt-4o(-mini)?|gpt-4\.1(-mini)?|gpt-[5-9](?!.*(chat|search|image|audio|realtime))[\w.-]*|o3(-pro)?|o4-mini)(-20\d\d-\d\d-\d\d)?$/,
  },
  messages: {
    hosts: /^api\.anthropic\.com$/,
    models: /^claude-(?!instant|2|3-(haiku|opus|sonnet))/,
  },
  gemini: {
    hosts: /^(generativelanguage|([a-z0-9-]+-)?aiplatform)\.googleapis\.com$/,
    models: /^(models\/)?gemini-(?![01]\b)(?!.*(image|tts|audio|live|embedding))/,
  },
}

/** Quirk of a channel that runs web searches although its host is not the vendor's. */
const searchQuirk = 'web_search'

/** Whether a channel of a protocol runs web searches for an upstream's model. */
export function runsSearch(
  { speaks, quirks }: Pick<Channel, 'speaks' | 'quirks'>,
  protocol: keyof Channel['speaks'],
  model: string,
): boolean {
  const vendor = vendors[protocol]
  const base = speaks[protocol]
  if (vendor === undefined || base === undefined) return false
  if (quirks.includes(searchQuirk)) return true
  return vendor.hosts.test(new URL(base).hostname) && vendor.models.test(model)
}
