import type { Feature } from './features.ts'

/** What no channel takes but one that has the legacy form itself (the quirk text_completions). */
const own = (title: string, note?: string): Feature => ({
  title,
  ways: { chat: 'refused', responses: 'refused', messages: 'refused', gemini: 'refused' },
  ...(note === undefined ? {} : { note }),
})

/**
 * What a legacy completion (`POST /v1/completions`) may hold, and what becomes of it where a model is
 * asked by the protocol of its channel. Its settings go the way of a chat completion's.
 */
export const legacyFeatures = {
  prompt: {
    title: 'Prompt, as text',
    ways: { chat: 'adapted', responses: 'adapted', messages: 'adapted', gemini: 'adapted' },
    note: 'as the only message of the user',
  },
  prompt_tokens: own('Prompt as numbers of LLM tokens', 'send the text'),
  several_prompts: own('Several prompts at once', 'by no channel: send a request for each'),
  suffix: own('Text that is to follow'),
  echo: own('An answer that repeats the prompt'),
  best_of: own('The best of several answers'),
  logprobs: own('Probabilities in the legacy form', 'chat completions tell them in another'),
} as const satisfies Record<string, Feature>

export type LegacyFeature = keyof typeof legacyFeatures
