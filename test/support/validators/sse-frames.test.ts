import { describe, expect, test } from 'bun:test'
import { createReport } from './shared.ts'
import { readSse } from './sse-frames.ts'

function violationsOf(text: string): readonly string[] {
  const report = createReport()
  readSse(text, report)
  return report.violations
}

describe('strict framing', () => {
  test('takes names, data, comments and either line end', () => {
    const report = createReport()
    const text = ': hello\n\nevent: a\ndata: {"x":1}\n\n: heartbeat\n\ndata: [DONE]\n\n'
    expect(readSse(text, report)).toEqual([
      { event: 'a', data: '{"x":1}' },
      { event: undefined, data: '[DONE]' },
    ])
    readSse(text.replaceAll('\n', '\r\n'), report)
    expect(report.violations).toEqual([])
    expect(violationsOf('')).toEqual([])
  })

  test.each([
    ['an event without its empty line', 'data: 1\n', 'no empty line after the last event'],
    ['a line that is cut off', 'data: 1\n\ndata: 2', 'no empty line after the last event'],
    ['two line ends', 'data: 1\r\n\r\ndata: 2\n\n', 'LF and CRLF are mixed'],
    ['bare CR', 'data: 1\r\rdata: 2\n\n', 'line 1: a CR without LF'],
    ['two empty lines', 'data: 1\n\n\ndata: 2\n\n', 'line 3: an empty line too many'],
    ['a name without data', 'event: a\n\n', 'line 2: an event without data'],
    ['a name after the data', 'data: 1\nevent: a\n\n', 'line 2: event: comes once, before data:'],
    ['two names', 'event: a\nevent: b\ndata: 1\n\n', 'line 2: event: comes once'],
    ['two lines of data', 'data: 1\ndata: 2\n\n', 'line 2: a second data: line'],
    ['other fields', 'id: 1\ndata: 1\n\n', 'line 1: neither data: nor event:'],
    ['no space behind the colon', 'data:1\n\n', 'line 1: neither data: nor event:'],
    ['a byte order mark', '\uFEFFdata: 1\n\n', 'line 1: neither data: nor event:'],
    ['bare JSON', '{"error":{}}', 'line 1: neither data: nor event:'],
  ])('reports %s', (_, text, words) => {
    expect(violationsOf(text).join('\n')).toContain(words)
  })
})
