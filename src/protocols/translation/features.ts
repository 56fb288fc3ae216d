import type { Quirk } from '../canonical/quirks.ts'
import type { ProtocolName } from '../protocol.ts'

/** `adapted`: expressed otherwise. `dropped`: omitted, and reported to the client. `refused`: 400. */
const ways = ['carried', 'adapted', 'dropped', 'refused'] as const
export type Way = (typeof ways)[number]

export interface Feature {
  readonly title: string
  readonly ways: { readonly [target in ProtocolName]: Way }
  /** How it is adapted, or why it is not carried, unless obvious. */
  readonly note?: string
}

const letters = { c: 'carried', a: 'adapted', d: 'dropped', r: 'refused' } as const
type Letter = keyof typeof letters

/** A row, with a letter each for chat, responses, messages and gemini. */
function row(title: string, ways: `${Letter}${Letter}${Letter}${Letter}`, note?: string): Feature {
  const of = (at: number): Way => letters[ways[at] as Letter]
  const columns = { chat: of(0), responses: of(1), messages: of(2), gemini: of(3) }
  return { title, ways: columns, ...(note && { note }) }
}

/** The same for every target: what only one protocol has. */
const native = (title: string, way: Letter, note?: string) =>
  row(title, `${way}${way}${way}${way}`, note)

/** A row of embeddings, which chat and gemini alone have. */
const embed = (title: string, [chat, gemini]: `${Letter}${Letter}`, note?: string) =>
  row(title, `${chat as Letter}rr${gemini as Letter}`, note)

/** Features of one protocol only. A channel of that protocol gets them unchanged; others as the row says. */
export const nativeFeatures = {
  hosted_tool: native(
    'Tools that the vendor runs itself (web search, images, code execution, files, MCP)',
    'r',
    'left out, and named, where the request does not force one',
  ),
  vendor_tool: native('Tools of the vendor’s own kind (shell, patch, computer, memory)', 'r'),
  vendor_item: native('Calls and results of tools of the vendor’s own kind', 'r'),
  hosted_item: native('Calls and results of tools that the vendor has run', 'd'),
  search_history: native(
    'Pages that a web search has found, in earlier turns',
    'a',
    'as text of the user, in <web_search> tags',
  ),
  stored_state: native(
    'Conversations that the vendor keeps',
    'r',
    'responses that were translated are continued by what the gateway keeps of them; threads are refused in the words by which clients send the whole conversation instead',
  ),
  deferred_tool: native(
    'Tools that are held back until a search refers to them',
    'a',
    'sent to the model after all others, from the reference on; all at once with the vendor’s own search',
  ),
  tool_search_item: native(
    'Calls and results of the vendor’s search for tools',
    'd',
    'the tools themselves are sent to the model',
  ),
  store: native(
    'The answer is to be kept by the vendor',
    'd',
    'responses: kept by the gateway instead, where keep_responses is on',
  ),
  stored_prompt: native('Prompts that the vendor keeps', 'r'),
  uploaded_file: native('Files that were uploaded to the vendor', 'r'),
  cached_content: native('Context caches that the vendor keeps', 'r'),
  output_modality: native('Answers in sound or images', 'r'),
  context_management: native('The vendor shortens the context', 'd'),
  prediction: native('Predicted answers', 'd'),
  safety_settings: native('Safety settings', 'd'),
  include: native('Further details in the answer', 'd'),
  foreign_signature: native('A signature of another vendor', 'd'),
  billing_line: native(
    'Claude Code’s line x-anthropic-billing-header in the system prompt',
    'a',
    'left out: only its vendor reads it, and as it changes nothing behind it could be cached',
  ),
  unknown_field: native('Fields that no other protocol has', 'd'),
  unknown_part: native('Parts of a kind that is not known here', 'r'),
} as const satisfies Record<string, Feature>

export type NativeFeature = keyof typeof nativeFeatures

/** Features of a request, by target protocol. `/docs/translation` shows the table. */
export const requestFeatures = {
  instructions: row('System prompt', 'cccc'),
  developer_role: row('Instructions of the developer role', 'ccaa', 'as the system prompt'),
  late_instructions: row(
    'Instructions in the middle of a conversation',
    'ccaa',
    'as text of the user, in <system> tags',
  ),
  text: row('Text', 'cccc'),
  participant_name: row('Name of a participant', 'cddd'),
  image: row('Image, as data', 'cccc'),
  image_url: row('Image, by address', 'ccca', 'fetched by the gateway'),
  image_detail: row('Detail of an image', 'ccdd'),
  document: row('Document, as data (PDF)', 'cccc'),
  document_url: row('Document, by address', 'acca', 'fetched by the gateway'),
  document_text: row('Document, as text', 'aaca', 'as text below its title'),
  document_context: row('Context of a document', 'ddcd'),
  document_citations: row('Citations of documents are asked for', 'ddcd'),
  audio: row('Sound', 'ccrc'),
  audio_url: row('Sound, by address', 'aara', 'fetched by the gateway'),
  video: row('Video', 'rrrc'),
  refusal_history: row('Refusals in earlier turns', 'ccaa', 'as text'),
  citation_history: row('Citations of addresses in earlier answers', 'dcdd'),
  document_citation_history: row('Citations of documents in earlier answers', 'dddd'),
  prefill: row('A beginning of the answer, to be continued', 'rrcc'),
  tools: row(
    'Tools (functions)',
    'aaaa',
    'what a schema has beyond the vendor’s keywords (gemini: not, propertyNames, if …; the others: alternatives at its root) moves into its description, and is named in the header; refused where the tool or the request is strict',
  ),
  tool_calls: row('Calls and results of tools, parallel ones too', 'cccc'),
  custom_tools: row('Custom tools with free text', 'ccaa', 'as a function with one text'),
  tool_strict: row('Strict arguments of a tool', 'cccd'),
  tool_choice: row('Choice of tools: automatic, none, any, a certain one', 'cccc'),
  allowed_tools: row('Allowed tools', 'ccaa', 'only these are sent to the model'),
  sequential_tools: row('At most one call at a time', 'cccd'),
  tool_result_media: row(
    'Images and documents in results of tools',
    'accc',
    'in a message of the user, behind the results',
  ),
  tool_error: row('Mark of a failed tool', 'ddcc'),
  json_mode: row(
    'JSON without a schema',
    'ccac',
    'asked for in words: what stands around the JSON is left out of the answer, and an answer without any ends in an error, and is charged',
  ),
  json_schema: row(
    'Structured output by a JSON schema',
    'ccaa',
    'constraints without a keyword of the vendor move into descriptions; on gemini they are named, and refused where the schema or the request is strict',
  ),
  reasoning_effort: row(
    'Effort of reasoning',
    'ccaa',
    'as the nearest level or budget that the model has',
  ),
  reasoning_budget: row('Budget of reasoning', 'aaca', 'as the nearest effort or level'),
  reasoning_auto: row('Reasoning as the model finds right', 'aacc', 'the default'),
  reasoning_off: row('No reasoning', 'ccca', 'as little as the model can'),
  reasoning_shown: row(
    'Whether reasoning is shown',
    'dccc',
    'where a messages client leaves it open, as its vendor would: shown, but for models from Claude Opus 4.7 on',
  ),
  signed_reasoning: row(
    'Reasoning that the channel’s own vendor has signed',
    'dccc',
    'chat has no place for it, unless the channel has the quirk reasoning_content',
  ),
  own_reasoning: row(
    'Reasoning that the channel’s own vendor does not sign',
    'aaaa',
    'left out, since the vendor does not want it back; sent where a quirk says that it does',
  ),
  unsigned_reasoning: row(
    'Reasoning of another vendor, or without a signature',
    'dddd',
    'vendors refuse it; chat channels with the quirk reasoning_content take it as text',
  ),
  cache_hint: row(
    'Marks for the prompt cache',
    'ddcd',
    'the other vendors cache unasked; on messages the gateway sets them where the client sets none and a next turn is likely, but for the quirk no_cache_control',
  ),
  prompt_cache_key: row(
    'Key of the prompt cache',
    'ccdd',
    'where there is none and a next turn is likely, one is made of the conversation: on responses, but for the quirk no_prompt_cache_key; on chat of OpenAI and Azure, and by the quirk prompt_cache_key',
  ),
  max_output_tokens: row('Limit of the answer’s length', 'cacc', '16 at the least'),
  stop: row(
    'Stop sequences',
    'cacc',
    'the gateway ends the answer there; the upstream is stopped, or read to its end where what it makes can’t be seen, and charged as for a client that has left',
  ),
  temperature: row('Temperature', 'ccac', 'at most 1'),
  sampling_while_reasoning: row('Temperature, top-p and top-k together with reasoning', 'ccdc'),
  top_p: row('Top-p', 'cccc'),
  top_k: row('Top-k', 'ddcc'),
  presence_penalty: row('Presence penalty', 'cddc'),
  frequency_penalty: row('Frequency penalty', 'cddc'),
  seed: row('Seed', 'cddc'),
  logit_bias: row('Bias of LLM tokens', 'cddd'),
  logprobs: row('Probabilities of LLM tokens', 'ccrc'),
  choices: row('Several answers side by side', 'crrc'),
  metadata: row('Metadata', 'dcdd', 'chat takes it only for answers that the vendor keeps'),
  user_id: row('Id of the end user', 'cccd'),
  long_user_id: row('Id of the end user, above 64 characters', 'ddcd'),
  service_tier: row('Service tier: automatic, default', 'cccd'),
  special_tier: row('Service tier: flex, priority', 'ccdd'),
  verbosity: row('Verbosity', 'ccdd'),
  web_search: row(
    'Web search, run by the vendor of the channel',
    'accc',
    'on channels that are known to run it, where the model has a price for it and its limits of domains can be said; ' +
      'chat: models that always search; gemini: without functions beside it; else as the tools below',
  ),
  search_choice: row('A web search is forced', 'accd'),
  search_location: row('Web search: where the user is', 'cccd'),
  search_limit: row('Web search: how often', 'dacd', 'as max_tool_calls'),
  search_context: row('Web search: how much of it the model is shown', 'ccdd'),
  ...nativeFeatures,
} as const satisfies Record<string, Feature>

export type FeatureName = keyof typeof requestFeatures

/** Features of an answer, by client protocol. */
export const answerFeatures = {
  text: row('Text', 'cccc'),
  tool_calls: row('Calls of tools, in pieces as they come', 'ccca', 'whole calls'),
  reasoning: row('Text of reasoning', 'cccc', 'chat: reasoning_content'),
  signature: row(
    'Signed or encrypted reasoning',
    'aaaa',
    'sealed in an opaque field that the client sends back; only the channel’s own vendor gets it',
  ),
  refusal: row('Refusals', 'ccaa', 'as text, with the reason in the ending'),
  citations: row('Citations of addresses', 'ccaa', 'as far as the protocol has places'),
  document_citations: row('Citations of documents', 'dddd'),
  web_search: row('Web searches: queries, and pages that were found', 'dccc'),
  logprobs: row('Probabilities of LLM tokens', 'ccdc'),
  image: row('Images', 'cddc'),
  stop_sequence: row('The stop sequence that ended the answer', 'ddcd'),
  finish: row('Reason of the end', 'cccc'),
  usage: row('Usage: input, output, reasoning, cache reads', 'cccc'),
  cache_writes: row('Usage: cache writes', 'cccd'),
  errors: row('Errors, before and inside of a stream', 'cccc'),
} as const satisfies Record<string, Feature>

/** How quirks change the table. */
const quirkWays: { readonly [quirk in Quirk]?: { readonly [name in FeatureName]?: Way } } = {
  no_developer_role: { developer_role: 'adapted' },
  reasoning_content: {
    signed_reasoning: 'adapted',
    own_reasoning: 'carried',
    unsigned_reasoning: 'carried',
  },
  text_only: {
    image: 'refused',
    image_url: 'refused',
    document: 'refused',
    document_url: 'refused',
    audio: 'refused',
    audio_url: 'refused',
    tool_result_media: 'refused',
  },
  no_json_schema: { json_schema: 'refused' },
  no_reasoning_summary: { reasoning_shown: 'dropped' },
  cache_control: { cache_hint: 'carried' },
}

/** How a channel with these quirks handles a feature. */
export function wayOf(name: FeatureName, target: ProtocolName, quirks: ReadonlySet<Quirk>): Way {
  for (const quirk of quirks) {
    const way = quirkWays[quirk]?.[name]
    if (way !== undefined) return way
  }
  return requestFeatures[name].ways[target]
}

/** The same for embeddings, applied by `fitEmbedding`. */
export const embeddingFeatures = {
  text: embed('Texts, one or up to 100', 'cc'),
  tokens: embed('Texts as numbers of LLM tokens', 'cr', 'every vendor has its own'),
  dimensions: embed('Length of the vectors', 'cc'),
  own_dimensions: embed(
    'Lengths that differ within one request',
    'rc',
    'ask for each length by itself',
  ),
  base64: embed('Vectors as base64', 'ca', 'written by the gateway'),
  media: embed('Images, sound and files', 'rc'),
  task_type: embed('Task type', 'dc'),
  title: embed('Title of a document', 'dc'),
  user_id: embed('Id of the end user', 'cd'),
  unknown_field: embed('Other fields', 'dd'),
} as const satisfies Record<string, Feature>

export type EmbeddingFeature = keyof typeof embeddingFeatures

/** The same for a legacy completion. What is refused needs a channel with the quirk text_completions. */
export const legacyFeatures = {
  prompt: native('Prompt, as text', 'a', 'as the only message of the user'),
  prompt_tokens: native('Prompt as numbers of LLM tokens', 'r', 'send the text'),
  several_prompts: native('Several prompts at once', 'r', 'by no channel: send a request for each'),
  suffix: native('Text that is to follow', 'r'),
  echo: native('An answer that repeats the prompt', 'r'),
  best_of: native('The best of several answers', 'r'),
  logprobs: native(
    'Probabilities in the legacy form',
    'r',
    'chat completions report them in another',
  ),
} as const satisfies Record<string, Feature>

export type LegacyFeature = keyof typeof legacyFeatures
