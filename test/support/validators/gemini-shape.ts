import { isJsonObject } from '../../../src/protocols/json.ts'
import type { JsonObject } from '../../../src/protocols/protocol.ts'
import {
  createReport,
  isCount,
  isFilled,
  needCounts,
  needCountsIfAny,
  type Report,
} from './shared.ts'

/** The SDK's enum `FinishReason`, without what says nothing. */
const finishReasons = new Set<unknown>([
  ...['STOP', 'MAX_TOKENS', 'SAFETY', 'RECITATION', 'LANGUAGE', 'OTHER', 'BLOCKLIST', 'SPII'],
  ...['PROHIBITED_CONTENT', 'MALFORMED_FUNCTION_CALL', 'IMAGE_SAFETY', 'UNEXPECTED_TOOL_CALL'],
  ...['TOO_MANY_TOOL_CALLS', 'IMAGE_PROHIBITED_CONTENT', 'NO_IMAGE', 'IMAGE_RECITATION'],
  ...['IMAGE_OTHER', 'CONTINUATION', 'MALFORMED_RESPONSE'],
])

/** The SDK's enum `BlockedReason`. */
const blockReasons = new Set<unknown>([
  ...['SAFETY', 'OTHER', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'IMAGE_SAFETY', 'MODEL_ARMOR'],
  ...['JAILBREAK', 'BLOCKED_REASON_UNSPECIFIED'],
])

/** What each chunk has in common with a whole answer. */
export function checkAnswer(answer: JsonObject, report: Report): void {
  const { candidates, promptFeedback, usageMetadata } = answer
  const isSomething = [candidates, promptFeedback, usageMetadata].some((part) => part !== undefined)
  report.need(isSomething, 'neither candidates nor promptFeedback nor usageMetadata')
  report.need(isFilled(answer.responseId), 'no responseId')
  report.need(isFilled(answer.modelVersion), 'no modelVersion')
  if (usageMetadata !== undefined) report.object(usageMetadata, 'usageMetadata')
  const feedback =
    promptFeedback === undefined ? {} : report.object(promptFeedback, 'promptFeedback')
  const { blockReason } = feedback ?? {}
  const isKnown = blockReason === undefined || blockReasons.has(blockReason)
  report.need(isKnown, `blockReason ${blockReason} is unknown`)
  for (const candidate of Array.isArray(candidates) ? candidates : []) {
    const reason = isJsonObject(candidate) ? candidate.finishReason : undefined
    const isReason = reason === undefined || finishReasons.has(reason)
    report.need(isReason, `finishReason ${reason} is unknown`)
  }
}

/** Whether the prompt was refused. */
export function isBlocked({ promptFeedback: feedback }: JsonObject): boolean {
  return isJsonObject(feedback) && feedback.blockReason !== undefined
}

/** The members of a part of which it has exactly one; others only describe it. */
const dataFields = [
  ...['text', 'functionCall', 'functionResponse', 'inlineData', 'fileData', 'executableCode'],
  ...['codeExecutionResult', 'toolCall', 'toolResponse', 'audioTranscription'],
]

/** The content of a candidate. */
export function checkParts(value: unknown, form: 'streamed' | 'whole', report: Report): void {
  const content = report.object(value, 'content')
  if (content === undefined) return
  const parts = report.objects(content.parts ?? [], 'parts')
  const { role } = content
  // A candidate without an answer may have an empty content.
  report.need(role === 'model' || (role === undefined && parts.length === 0), `role ${role}`)
  for (const part of parts) checkPart(part, form, report)
}

function checkPart(part: JsonObject, form: 'streamed' | 'whole', report: Report): void {
  const data = dataFields.filter((field) => part[field] !== undefined)
  report.need(data.length === 1, `a part with ${data.join(' and ') || 'nothing in it'}`)
  const { text, thought, thoughtSignature: signature, functionCall, inlineData } = part
  report.need(text === undefined || typeof text === 'string', 'text is no text')
  report.need(thought === undefined || typeof thought === 'boolean', 'thought is no truth value')
  report.need(signature === undefined || isFilled(signature), 'thoughtSignature is empty')
  if (functionCall !== undefined) {
    const call = report.object(functionCall, 'functionCall')
    // Where arguments are streamed, later pieces have no name, and the last one has nothing.
    const isPiece = form === 'streamed' && call !== undefined && isPartialCall(call)
    if (call !== undefined && !isPiece) checkCall(call, report)
  }
  if (inlineData !== undefined) {
    const blob = report.object(inlineData, 'inlineData')
    report.need(isFilled(blob?.mimeType) && isFilled(blob?.data), 'inlineData lacks a member')
  }
}

function isPartialCall(call: JsonObject): boolean {
  const { willContinue, partialArgs } = call
  return willContinue === true || partialArgs !== undefined || Object.keys(call).length === 0
}

function checkCall({ name, args, id }: JsonObject, report: Report): void {
  report.need(isFilled(name), 'a functionCall without name')
  report.need(id === undefined || isFilled(id), 'the id of a functionCall is empty')
  report.object(args, 'args of a functionCall')
}

/** Counts of a whole answer. Those that are 0 are left out; cached tokens are part of the prompt's. */
export function checkUsage(usage: JsonObject, isBlocked: boolean, report: Report): void {
  const { promptTokenCount: prompt, totalTokenCount: total } = usage
  // A prompt that was refused before it was counted has no counts at all.
  if (isBlocked && prompt === undefined) return
  const parts = ['candidatesTokenCount', 'thoughtsTokenCount', 'toolUsePromptTokenCount']
  needCounts(usage, ['promptTokenCount', 'totalTokenCount'], report)
  needCountsIfAny(usage, [...parts, 'cachedContentTokenCount'], report)
  let sum = Number(prompt)
  for (const part of parts) sum += Number(usage[part] ?? 0)
  report.need(sum === total, `totalTokenCount is ${total}, its parts add up to ${sum}`)
  const cached = Number(usage.cachedContentTokenCount ?? 0)
  report.need(cached <= Number(prompt), 'more cached tokens than promptTokenCount')
}

/** The last chunk of a broken stream: nothing but the error, as in an error body. */
export function checkError(chunk: JsonObject, report: Report): void {
  report.need(Object.keys(chunk).length === 1, 'an error beside other fields')
  const error = report.object(chunk.error, 'error')
  if (error === undefined) return
  const { code, message, status } = error
  report.need(isCount(code) && code >= 400, `error.code ${code} is no status`)
  report.need(isFilled(message), 'error.message is empty')
  report.need(statusWords.has(status), `error.status ${status} is no status word`)
}

/** Names of the vendor's error model, google.rpc.Code. */
const statusWords = new Set<unknown>([
  ...['CANCELLED', 'UNKNOWN', 'INVALID_ARGUMENT', 'DEADLINE_EXCEEDED', 'NOT_FOUND', 'ABORTED'],
  ...['ALREADY_EXISTS', 'PERMISSION_DENIED', 'UNAUTHENTICATED', 'RESOURCE_EXHAUSTED', 'INTERNAL'],
  ...['FAILED_PRECONDITION', 'OUT_OF_RANGE', 'UNIMPLEMENTED', 'UNAVAILABLE', 'DATA_LOSS'],
])

/** Violations of an unstreamed answer. */
export function validateGeminiBody(body: unknown): readonly string[] {
  const report = createReport()
  report.at('body')
  const answer = report.object(body, 'it')
  if (answer === undefined) return report.violations
  checkAnswer(answer, report)
  const candidates = report.objects(answer.candidates ?? [], 'candidates')
  const isRefused = isBlocked(answer)
  report.need(isRefused || candidates.length > 0, 'no candidates')
  report.need(!isRefused || candidates.length === 0, 'candidates of a refused prompt')
  for (const [at, { index = 0, content, finishReason }] of candidates.entries()) {
    report.at(`candidate ${at}`)
    report.need(index === at, `index is ${index}`)
    report.need(finishReason !== undefined, 'no finishReason')
    if (content !== undefined) checkParts(content, 'whole', report)
  }
  report.at('usage')
  const usage = report.object(answer.usageMetadata, 'usageMetadata')
  if (usage !== undefined) checkUsage(usage, isRefused, report)
  return report.violations
}
