import { expect, test } from 'bun:test'
import { createReadingPaths } from '../../../../src/app/console/reading/reader.ts'

const route = (path: string) => ({ method: 'GET', path })
const reading = ['/requests', '/requests/export', '/requests/:id', '/accounts/:id/ledger'].map(
  route,
)
const isReading = createReadingPaths(reading, [
  ...reading,
  ...['/requests/live', '/requests/:id/diagnosis', '/accounts/:id'].map(route),
])
const asked = (path: string, method = 'GET') =>
  isReading({ method, url: `http://gateway.example${path}` })

test.each([
  '/requests',
  '/requests?page_size=1',
  '/requests/export?format=csv',
  '/requests/req_1',
  '/requests/%2Flive',
  '/accounts/7/ledger',
])('%s is read', (path) => {
  expect(asked(path)).toBeTrue()
  expect(asked(path, 'HEAD')).toBeTrue()
  for (const method of ['POST', 'PATCH', 'DELETE', 'OPTIONS']) {
    expect(asked(path, method)).toBeFalse()
  }
})

test.each([
  '/requests/live',
  '/requests/',
  '/requests/req_1/diagnosis',
  '/requests//',
  '/accounts/7',
  '/accounts//ledger',
  '/other/requests',
])('%s is not', (path) => {
  expect(asked(path)).toBeFalse()
})
