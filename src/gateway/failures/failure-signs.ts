import type { ErrorBody } from './error-body.ts'
import type { FailureName } from './failures.ts'

/** All given conditions must match. `says`: only a message's beginning, vendors quote clients. */
export interface Sign {
  readonly is: FailureName
  readonly protocol?: string
  /** A range of HTTP statuses; an error inside of an answer has the status that it names. */
  readonly status?: readonly [number, number]
  readonly words?: ReadonlySet<string>
  readonly says?: RegExp
  readonly bare?: true
}

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Words about the request itself, in whatever status they come. */
const clientWords = words(`
  content_filter content_policy_violation moderation_blocked content_filter_error sensitive_words_detected
  responsibleaipolicyviolation data_inspection_failed datainspectionfailed sensitivecontentdetected
  image_content_policy_violation bio_policy cyber_policy invalid_prompt
  context_length_exceeded string_above_max_length exceed_context_size_error external_connector_error
  invalid_image invalid_image_format invalid_base64_image invalid_image_url invalid_image_mode
  image_too_large image_too_small image_parse_error image_file_too_large image_file_not_found
  unsupported_image_media_type empty_image_file failed_to_download_image
`)

/**
 * The first match decides. Sources: the error references of the vendors (OpenAI, Azure, Anthropic,
 * Google, DeepSeek, Mistral, xAI, Groq, OpenRouter, Moonshot, Zhipu, DashScope, Ark, SiliconFlow,
 * MiniMax), the code of vLLM, Ollama, llama.cpp and TGI, and answers seen.
 */
export const signs: readonly Sign[] = [
  // The request's own faults, with a status that means the channel elsewhere.
  { is: 'client_fault', status: [400, 499], words: clientWords },
  {
    is: 'client_fault',
    status: [403, 403],
    says: /^(?:\S+ requires moderation|content violates usage guidelines)/i,
  },
  {
    is: 'client_fault',
    protocol: 'gemini',
    status: [403, 404],
    says: /^(?:you do not have permission to access |cachedcontent not found|\S+ does not have storage\.)/i,
  },
  // Larger than this key's tier allows at once: a smaller request would pass.
  {
    is: 'request_too_large',
    status: [413, 429],
    says: /^(?:request too large for |extra usage is required for long context)/i,
  },

  {
    is: 'upstream_quota',
    words: words(`
      insufficient_quota billing_hard_limit_reached billing_not_active billing_error billing_disabled
      exceeded_current_quota_error usage_limit_reached insufficient_user_quota
      pre_consume_token_quota_failed insufficient_balance arrearage accountoverdueerror
      allocationquota.freetieronly 1008 1113 1308 1309 1310 30001
    `),
  },
  {
    is: 'upstream_quota',
    status: [400, 499],
    says: /^(?:your credit balance is too low|you have reached your specified (?:workspace )?api usage limits|insufficient (?:account )?(?:balance|credits)|key limit exceeded|out of call volume quota|your (?:newly created )?team \S* ?(?:doesn't have any credits|has either used all available credits)|account \S+ is suspended)/i,
  },

  {
    is: 'upstream_auth',
    words: words(`
      invalid_api_key api_key_invalid account_deactivated organization_restricted access_terminated
      unsupported_country_region_territory service_disabled consumer_suspended account_suspended
      invalid_authentication_error blocked_api_access 1004 2049
    `),
  },
  {
    is: 'upstream_auth',
    status: [400, 400],
    says: /^(?:incorrect api key provided|(?:the )?api key (?:not valid|expired)|user location is not supported|gemini api free tier is not available|this organization has been disabled)/i,
  },

  {
    is: 'model_unavailable',
    words: words(`
      model_not_found model_not_available model_decommissioned model_permission_blocked_org
      model_permission_blocked_project invalid_model deploymentnotfound operationnotsupported
      modelnotopen invalidendpointormodel.notfound 1211 20012 30003
    `),
  },
  {
    is: 'model_unavailable',
    status: [400, 404],
    says: /^(?:the |requested |publisher |the requested )?model:? ?[`'"]?[\w./:@-]{1,200}[`'"]? (?:does not exist|(?:is |was )?not found|has been de(?:precated|commissioned)|is not available)/i,
  },
  {
    is: 'model_unavailable',
    status: [400, 404],
    says: /^(?:models\/\S+ is not (?:found|supported)|model: \S+$|no endpoints found for \S+$|\S+ is not a valid model id|model not exist|model does not exist|not found the model |model not found, inaccessible|invalid model|your organization must be verified to )/i,
  },
  {
    is: 'model_unavailable',
    status: [400, 404],
    says: /^this (?:is (?:not )?a chat model|model is (?:only|not) supported in )/i,
  },
  // The path does not exist: not in this protocol, or not below this base URL.
  {
    is: 'model_unavailable',
    status: [404, 404],
    says: /^(?:not found|resource not found|invalid url \([A-Z]+ \S+\))$/i,
  },
  { is: 'model_unavailable', status: [405, 405] },

  {
    is: 'upstream_overloaded',
    words: words(`
      overloaded_error overloaded server_is_overloaded slow_down engine_overloaded_error
      engine_overloaded unavailable_error queue_exceeded service_tier_capacity_exceeded nocapacity
      serveroverloaded capacity_exceeded 1305 1312 50505
    `),
  },
  {
    is: 'upstream_overloaded',
    protocol: 'gemini',
    status: [503, 503],
    words: words('unavailable'),
  },
  {
    is: 'upstream_overloaded',
    status: [429, 599],
    says: /^(?:(?:the|that|our) )?(?:model|engine|servers?|service|system)(?: \S+)? (?:is|are|service) (?:currently |temporarily )?(?:overloaded|busy|loading|experiencing high)|^server (?:is )?(?:busy|overloaded)|^we're experiencing high/i,
  },
  { is: 'upstream_overloaded', status: [498, 498] },
  { is: 'upstream_overloaded', status: [529, 529] },

  {
    is: 'upstream_rate_limited',
    words: words(`
      rate_limit_exceeded rate_limit_error rate_limit_reached_error resource_exhausted
      too_many_requests too_many_requests_error limit_requests throttling throttling.ratequota
      throttling.allocationquota ratelimitexceeded 1002 1302 1303
    `),
  },

  // The status alone, last.
  { is: 'upstream_blocked', status: [403, 403], bare: true },
  { is: 'upstream_blocked', status: [407, 407] },
  { is: 'upstream_auth', status: [401, 401] },
  { is: 'upstream_quota', status: [402, 402] },
  { is: 'upstream_auth', status: [403, 403] },
  { is: 'upstream_auth', status: [451, 451] },
  { is: 'timeout_first_byte', status: [408, 408] },
  { is: 'upstream_failed', protocol: 'gemini', status: [409, 409], words: words('aborted') },
  { is: 'upstream_failed', status: [424, 425] },
  { is: 'upstream_rate_limited', status: [429, 429] },
  { is: 'upstream_failed', status: [499, 599] },
  { is: 'request_too_large', status: [413, 413], bare: true },
  { is: 'upstream_invalid', status: [404, 404], bare: true },
  { is: 'refusal_unreadable', status: [400, 499], bare: true },
  { is: 'upstream_invalid', status: [100, 399] },
]

/** The HTTP status that a machine word means, for errors without one. */
const wordStatuses: readonly (readonly [ReadonlySet<string>, number])[] = [
  [clientWords, 400],
  [words('invalid_request_error invalid_argument failed_precondition out_of_range'), 400],
  [words('authentication_error unauthenticated'), 401],
  [words('permission_error permission_denied'), 403],
  [words('not_found_error not_found'), 404],
  [words('request_too_large'), 413],
  [words('unavailable'), 503],
]

export function statusOfWords(words: ReadonlySet<string>): number | undefined {
  return wordStatuses.find(([known]) => !known.isDisjointFrom(words))?.[1]
}

/** The first matching sign; `error` is undefined where the body is not JSON. */
export function findSign(
  protocol: string,
  status: number | undefined,
  error: ErrorBody | undefined,
): Sign | undefined {
  return signs.find(
    (sign) =>
      (sign.protocol === undefined || sign.protocol === protocol) &&
      (sign.status === undefined || isWithin(sign.status, status)) &&
      (sign.bare === undefined || error === undefined) &&
      (sign.words === undefined || error?.words.isDisjointFrom(sign.words) === false) &&
      (sign.says === undefined || says(error, sign.says)),
  )
}

const isWithin = ([from, to]: readonly [number, number], status: number | undefined) =>
  status !== undefined && status >= from && status <= to

const says = (error: ErrorBody | undefined, pattern: RegExp) =>
  error?.messages.some((message) => pattern.test(message)) === true
