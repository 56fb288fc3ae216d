import { isJsonObject, wordSet, words } from './json.ts'
import type { JsonObject } from './protocol.ts'

/** Top-level settings: they refer to nothing that the model would read outside the body. */
export const bodySettings = wordSet(`
  model models provider route transforms trace betas anthropic_beta anthropic_version metadata
  client_metadata labels user safety_identifier tools functions tool_choice function_call toolConfig
  tool_config mcp_servers web_search_options search_settings context_management stop stop_sequences
  stream_options include logit_bias truncation reasoning reasoning_effort reasoning_format thinking
  verbosity modalities audio prediction response_format text output_config output_format guided_json
  guided_regex guided_choice guided_grammar structured_outputs chat_template_kwargs generationConfig
  generation_config usage moderation safetySettings safety_settings modelArmorConfig
  model_armor_config service_tier serviceTier speed inference_geo cache_control prompt_cache_key
  prompt_cache_retention prompt_cache_options encoding_format input_type task task_type taskType
  title truncate embedding_type embedding_types embedContentConfig output_dtype text_type
`)

/** Whether all fields are known, apart from content. Numbers and booleans are settings under any name. */
export function hasOnlyKnown(body: JsonObject, content: ReadonlySet<string>): boolean {
  for (const name in body) {
    const value = body[name]
    if (value === null || typeof value === 'number' || typeof value === 'boolean') continue
    if (!bodySettings.has(name) && !content.has(name)) return false
  }
  return true
}

// Content that is complete in the request. Vendors add kinds of parts that refer to a file, a page or stored data;
// these lists name the kinds that cannot.

/** Kinds of parts, items and sources with text or parts; others are media. An id's target is counted separately. */
const textKinds = wordSet<unknown>(`
  text input_text output_text refusal message content search_result reasoning reasoning_text
  summary_text thinking redacted_thinking compaction reasoning.text reasoning.summary
  reasoning.encrypted function function_call function_call_output tool_use tool_result custom
  custom_tool_call custom_tool_call_output tool_reference local_shell_call local_shell_call_output
  shell_call shell_call_output apply_patch_call apply_patch_call_output computer_call
  computer_call_output tool_search_call tool_search_output additional_tools tool_addition document
  item_reference
`)

const textMembers = wordSet(`
  type role name id status phase index format namespace model text content parts output summary
  refusal title context source media_type data thinking signature encrypted_content tool_name
  is_error reasoning reasoning_content reasoning_details thought prefix partial thoughtSignature
  thought_signature tool_calls function function_call functionCall functionResponse
  function_response tool_call_id tool_use_id call_id execution executableCode executable_code
  language code outcome codeExecutionResult code_execution_result taskType task_type stop_reason
  outputDimensionality output_dimensionality willContinue scheduling
`)

/** Members with the client's own JSON, which the model reads as such. */
export const argumentMembers = wordSet('arguments args input response action operation tools tool')

/** The same, and notes on a part: always text. */
const jsonMembers: ReadonlySet<string> = new Set([
  ...argumentMembers,
  ...words(`
    metadata cache_control prompt_cache_breakpoint annotations citations logprobs extra_content
    provider_specific_fields pending_safety_checks acknowledged_safety_checks
  `),
])

/** Whether a kind of part is text; without a kind it is a message, or one of Gemini's parts. */
export const isTextKind = (kind: unknown): boolean =>
  kind === undefined || kind === null || textKinds.has(kind)

/** What a member of a text part is; `unknown`: it may make the vendor read more. */
export function memberKind(name: string, value: unknown): 'text' | 'json' | 'unknown' {
  if (textMembers.has(name)) return 'text'
  if (jsonMembers.has(name)) return 'json'
  return value === null || typeof value === 'boolean' ? 'text' : 'unknown'
}

const pictureMembers = wordSet(`
  type role id status detail source media_type data cache_control image_url url file_id result
  revised_prompt background output_format quality size action inlineData inline_data mimeType
  mime_type displayName display_name mediaResolution media_resolution level thought thoughtSignature
  thought_signature prompt_cache_breakpoint ttl file filename file_data
`)
const fileMembers: ReadonlySet<string> = new Set([
  ...pictureMembers,
  ...words('title context citations enabled input_audio format'),
])

const kindMembers: ReadonlySet<string> = new Set(['media_type', 'mimeType', 'mime_type'])
/** Members with base64 media; some upstreams follow an address there. */
const dataMembers: ReadonlySet<string> = new Set(['data', 'file_data', 'result'])
const address = /^[a-z][a-z0-9+.-]{0,20}:\/\//i

/** Whether all members of an image's part are known, and it says that it is an image. */
export const isKnownPicture = (part: JsonObject): boolean =>
  hasOnly(part, pictureMembers, 0, (name, text) => {
    if (text.startsWith('data:')) return text.startsWith('data:image/')
    return !(kindMembers.has(name) && !text.startsWith('image/')) && isWrittenOut(name, text)
  })

/** Whether all members of another media part are known. */
export const isKnownFile = (part: JsonObject): boolean =>
  hasOnly(part, fileMembers, 0, isWrittenOut)

const isWrittenOut = (name: string, text: string) => !(dataMembers.has(name) && address.test(text))

const deepest = 4

function hasOnly(
  value: JsonObject,
  names: ReadonlySet<string>,
  depth: number,
  isPlain: (name: string, text: string) => boolean,
): boolean {
  for (const name in value) {
    const member = value[name]
    if (member === null || member === undefined) continue
    if (!names.has(name) || Array.isArray(member)) return false
    if (typeof member === 'string' && !isPlain(name, member)) return false
    if (isJsonObject(member) && (depth >= deepest || !hasOnly(member, names, depth + 1, isPlain)))
      return false
  }
  return true
}
