import { expect, test } from 'bun:test'
import { prefersText } from '../../src/gateway/serve/receipt.ts'

const json = [
  null,
  '',
  '*/*',
  'application/json',
  'application/json, text/plain, */*', // axios
  'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', // a browser
  'application/json, text/plain;q=0.9',
  'text/plain;q=0',
  'text/plain;q=0.5, application/*;q=0.6',
  'text/plain;q=high',
  'text/plain;q=1.5',
  'image/png',
  'text/html',
  'plain',
  ';;,,',
]
test.each(json)('JSON for %j', (accept) => {
  expect(prefersText(accept)).toBe(false)
})

const text = [
  'text/plain',
  'TEXT/Plain',
  'text/*',
  'text/plain; charset=utf-8',
  'text/plain, application/json;q=0.9',
  'text/plain;q=0.5',
  'text/plain, */*;q=0.1',
  '*/*, application/json;q=0.2',
  ' application/json;q=0 , */* ',
  'text/*;q=0.1, text/plain;q=0.9, application/json;q=0.5',
  'text/plain;format=flowed;q=0.7, application/json;q=0.699',
]
test.each(text)('text for %j', (accept) => {
  expect(prefersText(accept)).toBe(true)
})
