import type { Quirk } from '../canonical/quirks.ts'
import type { NativeFeature } from '../canonical/request.ts'
import type { ProtocolName } from '../protocol.ts'

/**
 * `adapted`: said in another way, to the same end. `dropped`: left out, and named to the client. `refused`: 400.
 */
const ways = ['carried', 'adapted', 'dropped', 'refused'] as const
export type Way = (typeof ways)[number]

export interface Feature {
  /** For a person: what it is. */
  readonly title: string
  readonly ways: { readonly [target in ProtocolName]: Way }
  /** How it is adapted, or why it is not carried, where that is not plain. */
  readonly note?: string
}

const c = 'carried'
const a = 'adapted'
const d = 'dropped'
const r = 'refused'

/** A row: chat, responses, messages, gemini. */
const row = (
  title: string,
  [chat, responses, messages, gemini]: readonly [Way, Way, Way, Way],
  note?: string,
): Feature => ({
  title,
  ways: { chat, responses, messages, gemini },
  ...(note === undefined ? {} : { note }),
})

/** The same wherever it goes to: what only one protocol has. */
const native = (title: string, way: Way, note?: string) => row(title, [way, way, way, way], note)

/** A row of embeddings, which chat and gemini alone have. */
const embed = (title: string, [chat, gemini]: readonly [Way, Way], note?: string) =>
  row(title, [chat, r, r, gemini], note)

/** What a request may hold, and what becomes of it on channels of each protocol. `/docs/translation` shows it. */
export const requestFeatures = {
  instructions: row('System prompt', [c, c, c, c]),
  developer_role: row('Instructions of the developer role', [c, c, a, a], 'as the system prompt'),
  late_instructions: row(
    'Instructions in the middle of a conversation',
    [c, c, a, a],
    'as text of the user, in <system> tags',
  ),
  text: row('Text', [c, c, c, c]),
  participant_name: row('Name of a participant', [c, d, d, d]),
  image: row('Image, as data', [c, c, c, c]),
  image_url: row('Image, by address', [c, c, c, a], 'fetched by the gateway'),
  image_detail: row('Detail of an image', [c, c, d, d]),
  document: row('Document, as data (PDF)', [c, c, c, c]),
  document_url: row('Document, by address', [a, c, c, a], 'fetched by the gateway'),
  document_text: row('Document, as text', [a, a, c, a], 'as text below its title'),
  document_context: row('Context of a document', [d, d, c, d]),
  document_citations: row('Citations of documents are asked for', [d, d, c, d]),
  audio: row('Sound', [c, c, r, c]),
  audio_url: row('Sound, by address', [a, a, r, a], 'fetched by the gateway'),
  video: row('Video', [r, r, r, c]),
  refusal_history: row('Refusals in earlier turns', [c, c, a, a], 'as text'),
  citation_history: row('Citations of addresses in earlier answers', [d, c, d, d]),
  document_citation_history: row('Citations of documents in earlier answers', [d, d, d, d]),
  prefill: row('A beginning of the answer, to be continued', [r, r, c, c]),
  tools: row(
    'Tools (functions)',
    [a, a, a, a],
    'what a schema has beyond the vendor’s keywords (gemini: not, propertyNames, if …; the others: alternatives at its root) is told in its description, and named in the header; refused where the tool or the request is strict',
  ),
  tool_calls: row('Calls and results of tools, parallel ones too', [c, c, c, c]),
  custom_tools: row('Custom tools with free text', [c, c, a, a], 'as a function with one text'),
  tool_strict: row('Strict arguments of a tool', [c, c, c, d]),
  tool_choice: row('Choice of tools: automatic, none, any, a certain one', [c, c, c, c]),
  allowed_tools: row('Allowed tools', [c, c, a, a], 'only these are told to the model'),
  sequential_tools: row('At most one call at a time', [c, c, c, d]),
  tool_result_media: row(
    'Images and documents in results of tools',
    [a, c, c, c],
    'in a message of the user, behind the results',
  ),
  tool_error: row('Mark of a failed tool', [d, d, c, c]),
  json_mode: row(
    'JSON without a schema',
    [c, c, a, c],
    'asked for in words: what stands around the JSON is left out of the answer, and an answer without any ends in an error, and is charged',
  ),
  json_schema: row(
    'Structured output by a JSON schema',
    [c, c, a, a],
    'constraints that the vendor has no keyword for are told to the model in words; on gemini they are named, and refused where the schema or the request is strict',
  ),
  reasoning_effort: row(
    'Effort of reasoning',
    [c, c, a, a],
    'as the nearest level or budget that the model has',
  ),
  reasoning_budget: row('Budget of reasoning', [a, a, c, a], 'as the nearest effort or level'),
  reasoning_auto: row('Reasoning as the model finds right', [a, a, c, c], 'the default'),
  reasoning_off: row('No reasoning', [c, c, c, a], 'as little as the model can'),
  reasoning_shown: row(
    'Whether reasoning is shown',
    [d, c, c, c],
    'where a messages client leaves it open, as its vendor would: shown, but for models from Claude Opus 4.7 on',
  ),
  signed_reasoning: row(
    'Reasoning that the channel’s own vendor has signed',
    [d, c, c, c],
    'chat has no place for it, unless the channel has the quirk reasoning_content',
  ),
  own_reasoning: row(
    'Reasoning that the channel’s own vendor does not sign',
    [a, a, a, a],
    'left out, since the vendor does not want it back; sent where a quirk says that it does',
  ),
  unsigned_reasoning: row(
    'Reasoning of another vendor, or without a signature',
    [d, d, d, d],
    'vendors refuse it; chat channels with the quirk reasoning_content take it as text',
  ),
  cache_hint: row(
    'Marks for the prompt cache',
    [d, d, c, d],
    'the other vendors cache unasked; on messages the gateway sets them where the client sets none and a next turn is likely, but for the quirk no_cache_control',
  ),
  prompt_cache_key: row(
    'Key of the prompt cache',
    [c, c, d, d],
    'where there is none and a next turn is likely, one is made of the conversation: on responses, but for the quirk no_prompt_cache_key; on chat of OpenAI and Azure, and by the quirk prompt_cache_key',
  ),
  max_output_tokens: row('Limit of the answer’s length', [c, a, c, c], '16 at the least'),
  stop: row(
    'Stop sequences',
    [c, a, c, c],
    'the gateway ends the answer there; the upstream is stopped, or read to its end where what it makes can’t be seen, and charged as for a client that has left',
  ),
  temperature: row('Temperature', [c, c, a, c], 'at most 1'),
  sampling_while_reasoning: row('Temperature, top-p and top-k together with reasoning', [
    c,
    c,
    d,
    c,
  ]),
  top_p: row('Top-p', [c, c, c, c]),
  top_k: row('Top-k', [d, d, c, c]),
  presence_penalty: row('Presence penalty', [c, d, d, c]),
  frequency_penalty: row('Frequency penalty', [c, d, d, c]),
  seed: row('Seed', [c, d, d, c]),
  logit_bias: row('Bias of LLM tokens', [c, d, d, d]),
  logprobs: row('Probabilities of LLM tokens', [c, c, r, c]),
  choices: row('Several answers side by side', [c, r, r, c]),
  metadata: row('Metadata', [d, c, d, d], 'chat takes it only for answers that the vendor keeps'),
  user_id: row('Id of the end user', [c, c, c, d]),
  long_user_id: row('Id of the end user, above 64 characters', [d, d, c, d]),
  service_tier: row('Service tier: automatic, default', [c, c, c, d]),
  special_tier: row('Service tier: flex, priority', [c, c, d, d]),
  verbosity: row('Verbosity', [c, c, d, d]),
  web_search: row(
    'Web search, run by the vendor of the channel',
    [a, c, c, c],
    'on channels that are known to run it, where the model has a price for it and its limits of domains can be said; ' +
      'chat: models that always search; gemini: without functions beside it; else as the tools below',
  ),
  search_choice: row('A web search is forced', [a, c, c, d]),
  search_location: row('Web search: where the user is', [c, c, c, d]),
  search_limit: row('Web search: how often', [d, a, c, d], 'as max_tool_calls'),
  search_context: row('Web search: how much of it the model is shown', [c, c, d, d]),
  hosted_tool: native(
    'Tools that the vendor runs itself (web search, images, code execution, files, MCP)',
    r,
    'left out, and named, where the request does not force one',
  ),
  vendor_tool: native('Tools of the vendor’s own kind (shell, patch, computer, memory)', r),
  vendor_item: native('Calls and results of tools of the vendor’s own kind', r),
  hosted_item: native('Calls and results of tools that the vendor has run', d),
  search_history: native(
    'Pages that a web search has found, in earlier turns',
    a,
    'as text of the user, in <web_search> tags',
  ),
  stored_state: native(
    'Conversations that the vendor keeps',
    r,
    'responses that were translated are continued by what the gateway keeps of them; threads are refused in the words by which clients send the whole conversation instead',
  ),
  deferred_tool: native(
    'Tools that are held back until a search refers to them',
    a,
    'told to the model, behind all others, from the reference on; all at once where the vendor was to search',
  ),
  tool_search_item: native(
    'Calls and results of the vendor’s search for tools',
    d,
    'the tools themselves are told to the model',
  ),
  store: native(
    'The answer is to be kept by the vendor',
    d,
    'responses: kept by the gateway instead, where keep_responses is on',
  ),
  stored_prompt: native('Prompts that the vendor keeps', r),
  uploaded_file: native('Files that were uploaded to the vendor', r),
  cached_content: native('Context caches that the vendor keeps', r),
  output_modality: native('Answers in sound or images', r),
  context_management: native('The vendor shortens the context', d),
  prediction: native('Predicted answers', d),
  safety_settings: native('Safety settings', d),
  include: native('Further details in the answer', d),
  foreign_signature: native('A signature of another vendor', d),
  billing_line: native(
    'Claude Code’s line x-anthropic-billing-header in the system prompt',
    a,
    'left out: only its vendor reads it, and as it changes nothing behind it could be cached',
  ),
  unknown_field: native('Fields that no other protocol has', d),
  unknown_part: native('Parts of a kind that is not known here', r),
} as const satisfies Record<string, Feature> & Record<NativeFeature, Feature>

export type FeatureName = keyof typeof requestFeatures

/** What an answer may hold, and what becomes of it for clients of each protocol. */
export const answerFeatures = {
  text: row('Text', [c, c, c, c]),
  tool_calls: row('Calls of tools, in pieces as they come', [c, c, c, a], 'whole calls'),
  reasoning: row('Text of reasoning', [c, c, c, c], 'chat: reasoning_content'),
  signature: row(
    'Signed or encrypted reasoning',
    [a, a, a, a],
    'sealed in an opaque field that the client sends back; only the channel’s own vendor gets it',
  ),
  refusal: row('Refusals', [c, c, a, a], 'as text, with the reason in the ending'),
  citations: row('Citations of addresses', [c, c, a, a], 'as far as the protocol tells places'),
  document_citations: row('Citations of documents', [d, d, d, d]),
  web_search: row('Web searches: queries, and pages that were found', [d, c, c, c]),
  logprobs: row('Probabilities of LLM tokens', [c, c, d, c]),
  image: row('Images', [c, d, d, c]),
  stop_sequence: row('The stop sequence that ended the answer', [d, d, c, d]),
  finish: row('Reason of the end', [c, c, c, c]),
  usage: row('Usage: input, output, reasoning, cache reads', [c, c, c, c]),
  cache_writes: row('Usage: cache writes', [c, c, c, d]),
  errors: row('Errors, before and inside of a stream', [c, c, c, c]),
} as const satisfies Record<string, Feature>

/** What quirks change in the table. */
const quirkWays: { readonly [quirk in Quirk]?: { readonly [name in FeatureName]?: Way } } = {
  no_developer_role: { developer_role: a },
  reasoning_content: { signed_reasoning: a, own_reasoning: c, unsigned_reasoning: c },
  text_only: {
    image: r,
    image_url: r,
    document: r,
    document_url: r,
    audio: r,
    audio_url: r,
    tool_result_media: r,
  },
  no_json_schema: { json_schema: r },
  no_reasoning_summary: { reasoning_shown: d },
  cache_control: { cache_hint: c },
}

/** What becomes of a feature on a channel with these quirks. */
export function wayOf(name: FeatureName, target: ProtocolName, quirks: ReadonlySet<Quirk>): Way {
  for (const quirk of quirks) {
    const way = quirkWays[quirk]?.[name]
    if (way !== undefined) return way
  }
  return requestFeatures[name].ways[target]
}

/** The same of a request for embeddings: `fitEmbedding` acts by it. */
export const embeddingFeatures = {
  text: embed('Texts, one or up to 100', [c, c]),
  tokens: embed('Texts as numbers of LLM tokens', [c, r], 'every vendor has its own'),
  dimensions: embed('Length of the vectors', [c, c]),
  own_dimensions: embed(
    'Lengths that differ within one request',
    [r, c],
    'ask for each length by itself',
  ),
  base64: embed('Vectors as base64', [c, a], 'written by the gateway'),
  media: embed('Images, sound and files', [r, c]),
  task_type: embed('Task type', [d, c]),
  title: embed('Title of a document', [d, c]),
  user_id: embed('Id of the end user', [c, d]),
  unknown_field: embed('Other fields', [d, d]),
} as const satisfies Record<string, Feature>

export type EmbeddingFeature = keyof typeof embeddingFeatures

/**
 * The same of a legacy completion (`POST /v1/completions`). What is refused takes a channel with the quirk
 * text_completions.
 */
export const legacyFeatures = {
  prompt: native('Prompt, as text', a, 'as the only message of the user'),
  prompt_tokens: native('Prompt as numbers of LLM tokens', r, 'send the text'),
  several_prompts: native('Several prompts at once', r, 'by no channel: send a request for each'),
  suffix: native('Text that is to follow', r),
  echo: native('An answer that repeats the prompt', r),
  best_of: native('The best of several answers', r),
  logprobs: native('Probabilities in the legacy form', r, 'chat completions tell them in another'),
} as const satisfies Record<string, Feature>

export type LegacyFeature = keyof typeof legacyFeatures
