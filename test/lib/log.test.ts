import { expect, test } from 'bun:test'
import { createLogger, type LogFields, type LogLevel } from '../../src/lib/log.ts'

const time = Date.parse('2026-11-21T08:22:28.123Z')

function createLines(changes: { pretty?: boolean; level?: LogLevel; worker?: number } = {}) {
  const lines: string[] = []
  const logger = createLogger({
    sink: (line) => lines.push(line),
    pretty: false,
    clock: () => time,
    level: 'info',
    ...changes,
  })
  return { lines, logger }
}

function lineOf(message: string, fields?: LogFields) {
  const { lines, logger } = createLines()
  logger.info(message, fields)
  expect(lines).toHaveLength(1)
  expect(lines[0]).not.toContain('\n')
  return JSON.parse(lines[0] ?? '')
}

test('writes one JSON line per call', () => {
  const { lines, logger } = createLines()
  logger.info('request', { request_id: 'req_1', status: 200, stream: true, cause: null })
  logger.warn('two\nlines', { text: 'a\r\nb', missing: undefined })
  expect(lines).toEqual([
    '{"time":"2026-11-21T08:22:28.123Z","level":"info","message":"request","request_id":"req_1","status":200,"stream":true,"cause":null}',
    '{"time":"2026-11-21T08:22:28.123Z","level":"warn","message":"two\\nlines","text":"a\\r\\nb"}',
  ])
})

test.each([
  ['no field', {}],
  ['nothing but undefined', { a: undefined, b: undefined }],
  ['plain ones', { a: 'x"\n', b: 1.5, c: null, d: false, e: undefined }],
])('a line with fields is the same as one that needs cleaning: %s', (_, fields) => {
  const line = lineOf('request', fields)
  // A symbol makes the logger look at every value; what it is shown as is taken out again.
  const { odd, ...cleaned } = lineOf('request', { odd: Symbol('s'), ...fields })
  expect(odd).toBe('[symbol]')
  expect(line).toEqual(cleaned)
})

test('each line of a worker names it', () => {
  const json = createLines({ worker: 1 })
  json.logger.info('request', { status: 200 })
  json.logger.info('request', { worker: 5, list: [] })
  expect(json.lines).toEqual([
    '{"time":"2026-11-21T08:22:28.123Z","level":"info","worker":1,"message":"request","status":200}',
    '{"time":"2026-11-21T08:22:28.123Z","level":"info","worker":1,"message":"request","worker_":5,"list":[]}',
  ])
  const pretty = createLines({ worker: 0, pretty: true })
  pretty.logger.info('request', { status: 200 })
  expect(pretty.lines.map(Bun.stripANSI)).toEqual(['08:22:28.123 info  w0 request status=200'])
  const single = createLines()
  single.logger.info('ended', { worker: 5 })
  expect(single.lines[0]).toEndWith('"message":"ended","worker":5}')
})

test('writes nothing below its level', () => {
  const { lines, logger } = createLines({ level: 'warn' })
  logger.info('a')
  logger.warn('b')
  logger.error('c')
  expect(lines.map((line) => JSON.parse(line).message)).toEqual(['b', 'c'])
})

test('a field never takes the place of the time, level or message', () => {
  expect(lineOf('hello', { level: 'x', message: 'y', time: 'z' })).toMatchObject({
    level: 'info',
    message: 'hello',
    level_: 'x',
    message_: 'y',
    time_: 'z',
  })
})

test('cuts long texts, wherever they are', () => {
  const { message, deep } = lineOf('m'.repeat(5000), { deep: { list: ['x'.repeat(1_000_000)] } })
  expect(message).toBe(`${'m'.repeat(2000)}…`)
  expect(deep.list[0]).toHaveLength(2001)
})

const key = 'abcDEF123456789012345678'

test.each([
  ['sk-proj-abcDEF123456789012345678', 'sk-[hidden]'],
  [`key="sk-${key}"`, 'key="sk-[hidden]"'],
  [`x_sk-${key}.`, 'x_sk-[hidden]'],
  [`Authorization: Bearer ${key}==`, 'Authorization: Bearer [hidden]'],
  [`authorization: bearer  ${key}`, 'authorization: bearer  [hidden]'],
  [`?key=AIza${key}`, '?key=AIza[hidden]'],
  [`line\nsk-${key}`, 'line\nsk-[hidden]'],
  [`Bearer\n${key}`, 'Bearer\n[hidden]'],
  ['a risk-management-system', 'a risk-management-system'],
  ['sk-ab…wxyz', 'sk-ab…wxyz'],
])('hides what looks like a key: %s', (text, shown) => {
  const line = lineOf(text, { text, [text]: 1, deep: [{ text }], error: new Error(text) })
  expect(line.message).toBe(shown)
  expect(line.text).toBe(shown)
  expect(line[shown]).toBe(1)
  expect(line.deep).toEqual([{ text: shown }])
  expect(line.error.message).toBe(shown)
  if (text !== shown) expect(JSON.stringify(line)).not.toContain(key)
})

test('tells an error with its stack and its cause', () => {
  const { error } = lineOf('failed', {
    error: new TypeError('outer', { cause: new Error('inner') }),
  })
  expect(error).toMatchObject({ name: 'TypeError', message: 'outer', cause: { message: 'inner' } })
  expect(error.stack).toContain('log.test.ts')
})

test('writes a line for every kind of value', () => {
  const fields = {
    big: 12345678901234567890n,
    nan: Number.NaN,
    date: new Date(time),
    never: new Date(Number.NaN),
    bytes: new Uint8Array(5),
    call: () => 1,
    mark: Symbol('s'),
  }
  expect(lineOf('values', fields)).toMatchObject({
    big: '12345678901234567890',
    nan: 'NaN',
    date: '2026-11-21T08:22:28.123Z',
    never: 'invalid date',
    bytes: '[5 bytes]',
    call: '[function]',
    mark: '[symbol]',
  })
})

test('ends with an object that contains itself, and with an endless list', () => {
  const circle: { [name: string]: unknown } = { name: 'circle' }
  circle.self = circle
  circle.all = [circle, circle, circle]
  const { lines, logger } = createLines()
  logger.info('circle', { circle, list: Array.from({ length: 100_000 }, (_, index) => index) })
  expect(lines).toHaveLength(1)
  expect(lines[0]?.length).toBeLessThan(20_000)
})

test('never throws, and says that a line is missing', () => {
  const fields = {
    get broken() {
      throw new Error('no value')
    },
  }
  const { lines, logger } = createLines()
  logger.error('x', fields)
  expect(lines).toEqual(['{"level":"error","message":"a log line could not be written"}'])
  const closed = createLogger({
    sink: () => {
      throw new Error('EPIPE')
    },
    pretty: false,
    clock: () => time,
    level: 'info',
  })
  expect(() => closed.info('x')).not.toThrow()
})

test('a pretty line is one line, and commands no terminal', () => {
  const { lines, logger } = createLines({ pretty: true })
  logger.info('two\nlines\u001b[2J', {
    name: 'a b',
    plain: 'word',
    count: 3,
    none: null,
    bell: '\u0007\u009b',
    turned: 'a\u202eb',
  })
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the colors of the line itself.
  const plain = lines.map((line) => line.replace(/\u001b\[\d+m/g, ''))
  expect(plain).toEqual([
    '08:22:28.123 info  two\\nlines\\u001b[2J name="a b" plain=word count=3 bell="\\u0007\\u009b" turned=a\\u202eb',
  ])
})
