import { expect, test } from 'bun:test'
import { checkRequest, checkTold } from '../../../src/app/verify/check-request.ts'
import { describeDifference } from '../../../src/app/verify/findings.ts'
import type { ChargedExtras } from '../../../src/store/ports/extras.ts'
import { price, request } from './rows.ts'

const vendor = { tools: { web_search: 10_000_000 }, serviceTiers: { fast: 2_000_000 } }
const recorded = (extras: ChargedExtras, amountNano: number) =>
  request({ extrasJson: JSON.stringify(extras), amountNano, entryAmountNano: -amountNano })
const found = (...of: Parameters<typeof recorded>) =>
  checkRequest(recorded(...of), price()).map(describeDifference)

test('a charge for tools and tiers is worked out from its record', () => {
  // (95,000 × 2 + 3 × 10,000,000) × 0.5
  const extras = { tools: { web_search: 3 }, tier: 'fast', vendor }
  expect(found(extras, 15_095_000)).toEqual([])
  expect(found(extras, 47_500)).toEqual([
    'request req_1: amount_nano is 47500, should be 15095000: by its counts, its multiplier and price 3',
  ])
})

test('a tool without a price is told', () => {
  expect(found({ tools: { web_search: 3 } }, 47_500)).toEqual([
    'request req_1: it used the tool "web_search", which had no price',
  ])
})

test('extras that are no counts are told', () => {
  const broken = { tools: { web_search: -3 }, vendor }
  expect(found(broken, 47_500)).toEqual([
    'request req_1: its extras are none that can be charged for',
  ])
})

test('what the upstream told and nobody charged is found, more is not', () => {
  const told = { tools: { web_search: 2 }, tier: 'fast', modalities: { inputAudio: 7 } }
  const row = recorded({ tools: { web_search: 1, file_search: 1 } }, 0)
  expect(checkTold(told, row, 'request req_1').map(describeDifference)).toEqual([
    'request req_1: extras.modalities.inputAudio is 0, should be 7; extras.tools.web_search is 1, should be 2; extras.tier is null, should be "fast": by its usage_raw',
  ])
  expect(checkTold(told, recorded(told, 0), 'request req_1')).toEqual([])
  expect(checkTold(undefined, row, 'request req_1')).toEqual([])
})

test('the upstream’s own report is asked: searches that were charged as nothing', () => {
  const report = { input_tokens: 50, output_tokens: 10, cache_read_input_tokens: 50 }
  const usageRaw = JSON.stringify({ ...report, server_tool_use: { web_search_requests: 4 } })
  const row = request({ upstreamProtocol: 'messages', usageRaw })
  expect(checkRequest(row, price()).map(describeDifference)).toEqual([
    'request req_1: extras.tools.web_search is 0, should be 4: by its usage_raw',
  ])
})
