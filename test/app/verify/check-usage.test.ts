import { expect, test } from 'bun:test'
import { checkUsage } from '../../../src/app/verify/check-request.ts'
import { describeDifference } from '../../../src/app/verify/findings.ts'
import { request } from './rows.ts'

const counts = {
  inputTokens: 50,
  outputTokens: 10,
  reasoningTokens: 4,
  cacheReadTokens: 30,
  cacheWriteTokens: 0,
  cacheWrite1hTokens: 0,
}
const reports = {
  chat: {
    prompt_tokens: 80,
    completion_tokens: 10,
    prompt_tokens_details: { cached_tokens: 30 },
    completion_tokens_details: { reasoning_tokens: 4 },
  },
  responses: {
    input_tokens: 80,
    output_tokens: 10,
    input_tokens_details: { cached_tokens: 30 },
    output_tokens_details: { reasoning_tokens: 4 },
  },
  messages: {
    input_tokens: 50,
    output_tokens: 10,
    cache_read_input_tokens: 30,
    output_tokens_details: { thinking_tokens: 4 },
  },
  gemini: {
    promptTokenCount: 80,
    cachedContentTokenCount: 30,
    candidatesTokenCount: 6,
    thoughtsTokenCount: 4,
  },
}

const found = (changes: Parameters<typeof request>[0]) =>
  checkUsage(request({ ...counts, ...changes }), 'request req_1').map(describeDifference)

test.each(Object.entries(reports))('%s: its report is read again', (protocol, report) => {
  const stored = { upstreamProtocol: protocol, usageRaw: JSON.stringify(report) }
  expect(found(stored)).toEqual([])
  expect(found({ ...stored, cacheReadTokens: 29, outputTokens: 11 })).toEqual([
    'request req_1: output_tokens is 11, should be 10; cache_read_tokens is 29, should be 30: by its usage_raw',
  ])
})

test('the upstream decides what its report means, not the client', () => {
  const usageRaw = JSON.stringify(reports.messages)
  expect(found({ clientProtocol: 'chat', upstreamProtocol: 'messages', usageRaw })).toEqual([])
  expect(found({ clientProtocol: 'messages', upstreamProtocol: null, usageRaw })).toEqual([])
})

test('several reports of one stream count together', () => {
  const usageRaw = JSON.stringify([reports.gemini, { promptTokenCount: 7 }])
  expect(found({ upstreamProtocol: 'gemini', usageRaw })).toEqual([])
})

test('without a report nothing was used, unless it was estimated', () => {
  expect(found({ usageRaw: null, estimated: true })).toEqual([])
  expect(found({ usageRaw: null })).toEqual([
    expect.stringContaining('there is no usage_raw, and it is not estimated'),
  ])
})

test.each([
  ['{', 'its usage_raw is not JSON'],
  ['null', 'its usage_raw has no counts of the protocol chat'],
  ['{"promptTokenCount":80}', 'its usage_raw has no counts of the protocol chat'],
  ['[]', 'its usage_raw has no counts of the protocol chat'],
])('a report that says nothing is told: %s', (usageRaw, reason) => {
  expect(found({ usageRaw })).toEqual([`request req_1: ${reason}`])
})
