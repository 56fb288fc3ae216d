import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createWorkplace, type Workplace } from './cli.ts'

let place: Workplace
beforeAll(async () => {
  place = await createWorkplace()
  await place.write(
    'tollgate.yaml',
    JSON.stringify({
      channels: [
        {
          name: 'main',
          speaks: { chat: 'https://upstream.example/v1' },
          api_key: 'k-0123456789',
          models: ['gpt-5-mini', 'gpt-4o', 'own-model', { id: 'fast', upstream: 'gpt-5-nano' }],
        },
      ],
      groups: [{ name: '默认【官转·稳定】', channels: ['main'], rate_multiplier: 0.8 }],
      prices: { 'gpt-4o': { input: 3, output: 12, note: 'special' } },
    }),
  )
  await place.run(['apply'])
})
afterAll(() => place[Symbol.asyncDispose]())

const run = (...args: string[]) => place.run(['price', ...args])
const json = async (...args: string[]) => JSON.parse((await run(...args, '--json')).out)
const models = (rows: { model: string }[]) => rows.map(({ model }) => model)

test('list: what is charged, who set it, and what can not be called', async () => {
  const { out, err, code } = await run('list')
  expect({ code, err }).toEqual({ code: 0, err: '' })
  const [head = '', ...lines] = out.trimEnd().split('\n')
  expect(head.split(/ {2,}/).slice(0, 6)).toEqual([
    'MODEL',
    'INPUT',
    'OUTPUT',
    'CACHE READ',
    'CACHE WRITE',
    'WRITE 1H',
  ])
  // A price that is not set is shown as it is charged.
  expect(lines[0]).toMatch(/^gpt-4o +3 +12 +3 +3 +3 +config +\d{4}-\d\d-\d\d +special$/)
  expect(lines[1]).toMatch(
    /^gpt-5-mini +0\.25 +2 +0\.025 +0\.25 +0\.25 +file search .+ per 1,000 +vendor /,
  )
  expect(lines[2]).toBe('Offered, but not callable without a price: fast, own-model.')
  expect(models(await json('list'))).toEqual(['gpt-4o', 'gpt-5-mini'])
  expect(models(await json('list', '--source', 'vendor'))).toEqual(['gpt-5-mini'])
  expect(models(await json('list', '--source', 'operator'))).toEqual([])
})

test('show: the names of a receipt, groups byte for byte, and what the vendor asks', async () => {
  expect(await json('show', 'gpt-4o')).toMatchObject({
    model: 'gpt-4o',
    unit: 'tokens',
    input: 3_000_000,
    output: 12_000_000,
    cache_read: 3_000_000,
    cache_write: 3_000_000,
    cache_write_1h: 3_000_000,
    tiers: [],
    source: 'config',
    note: 'special',
    not_set: ['cache_read', 'cache_write', 'cache_write_1h'],
    channels: ['main'],
    groups: [{ name: '默认【官转·稳定】', rate_multiplier: 0.8, long_context_pricing: true }],
    vendor: { id: 'gpt-4o', vendor: 'openai', input: 2_500_000, output: 10_000_000 },
  })
  const { out } = await run('show', 'gpt-4o')
  expect(out).toMatch(/^Price +input 3, output 12 \(USD per 1M tokens\)$/m)
  expect(out).toMatch(/^Groups +默认【官转·稳定】 × 0\.8$/m)
  expect(out).toMatch(/^Vendor asks +input 2\.5, output 10 \(openai gpt-4o\)/m)
})

test('set by token, with tiers; what is not named of a note stays', async () => {
  const set = await run(
    ...'set own-model --input 1.25 --output 10 --cache-read 0.125 --cache-write-1h 2.5'.split(' '),
    ...'--tier above=200000,input=2.5,output=15,cache_read=0.25'.split(' '),
    ...'--tier above=500000,input=5,output=30'.split(' '),
    ...['--note', 'new here'],
  )
  expect(set).toMatchObject({ code: 0, err: '' })
  expect(set.out).toBe(
    'The price of own-model is: input 1.25, output 10, cache read 0.125, cache write 1h 2.5; ' +
      'above 200000: input 2.5, output 15, cache read 0.25; above 500000: input 5, output 30.\n',
  )
  expect(await json('set', 'own-model', '--input', '1', '--output', '0.000001')).toMatchObject({
    unit: 'tokens',
    input: 1_000_000,
    output: 1,
    tiers: [],
    source: 'operator',
    note: 'new here',
  })
  expect(await json('set', 'own-model', '--per-call', '0.04', '--note', '')).toMatchObject({
    unit: 'call',
    per_call_nano: 40_000_000,
    note: '',
  })
})

test('tools, service tiers and tokens that are no text are set, shown and told as money', async () => {
  const set = await run(
    ...'set studio --input 2.5 --output 10 --rate input_audio=32 --rate output-audio=64'.split(' '),
    ...'--tool web_search=10 --tool mcp=free --service-tier flex=0.5'.split(' '),
  )
  expect(set.err).not.toContain('not known')
  const said =
    'input 2.5, output 10, input audio 32, output audio 64; mcp free; web search 10 per 1,000; tier flex × 0.5'
  expect(set.out).toBe(`The price of studio is: ${said}.\n`)
  expect(await json('show', 'studio')).toMatchObject({
    input_audio: 32_000_000,
    tools: { mcp: 0, web_search: 10_000_000 },
    service_tiers: { flex: 500_000 },
  })
  const { err } = await run('set', 'studio', '--input', '1', '--output', '2', '--rate', 'smell=3')
  expect(err).toContain('--rate: "smell=3" is not known; write it as input_audio=32 (input_audio,')
  const unknown = await run('set', 'studio', '--input', '1', '--output', '2', '--tool', 'web=3')
  expect(unknown.err).toContain('--tool')
})

test('a context window is set with a price, kept with the next, and shown beside what is known', async () => {
  const price = ['set', 'roomy', '--input', '1', '--output', '2']
  const set = await run(...price, '--context-window', '32768')
  expect(set.out).toBe('The price of roomy is: input 1, output 2; context window 32768.\n')
  expect(await json('set', 'roomy', '--input', '3', '--output', '4')).toMatchObject({
    input: 3_000_000,
    context_window: 32_768,
  })
  expect(await json('show', 'roomy')).toMatchObject({
    context_window: 32_768,
    usage_clamped_above: 32_768,
  })
  expect((await run('show', 'roomy')).out).toMatch(
    /^Context window +32768 tokens, set with the price$/m,
  )
  await run(...price, '--context-window', 'none')
  expect(await json('show', 'roomy')).toMatchObject({
    context_window: null,
    usage_clamped_above: null,
  })
  const known = await json('show', 'gpt-4o')
  expect(known).toMatchObject({
    context_window: null,
    usage_clamped_above: known.vendor.context_window,
  })
  expect(known.vendor.context_window).toBeGreaterThan(0)
  expect((await run('history', 'roomy')).out.match(/context window 32768/g)).toHaveLength(2)
})

test('set free on purpose; a model that nobody offers is pointed out', async () => {
  expect((await run('set', 'fast', '--free')).out).toBe('The price of fast is: free.\n')
  const nobody = await run('set', 'house/llm "2"', '--input', '1', '--output', '2')
  expect(nobody.code).toBe(0)
  expect(nobody.err).toContain('note: no channel offers house/llm "2"')
})

test('a price of the file is changed with a warning, and comes back with the next apply', async () => {
  const set = await run('set', 'gpt-4o', '--vendor')
  expect(set.out).toBe(
    'The price of gpt-4o is: input 2.5, output 10, cache read 1.25; ' +
      'file search 2.5 per 1,000; web search 10 per 1,000.\n',
  )
  expect(set.err).toContain('warning: the configuration file set the price of gpt-4o')
  expect(await json('show', 'gpt-4o')).toMatchObject({ source: 'vendor', note: '' })
  await place.run(['apply'])
  expect(await json('show', 'gpt-4o')).toMatchObject({ source: 'config', note: 'special' })
})

test('remove asks; what is removed stays so, and history tells everything', async () => {
  expect(await run('remove', 'gpt-5-mini')).toMatchObject({ code: 2, out: '' })
  expect((await run('remove', 'gpt-5-mini', '--yes')).out).toBe(
    'Removed the price of gpt-5-mini.\n',
  )
  expect((await place.run(['apply'])).out).toContain('Nothing to change')
  expect(models(await json('list'))).not.toContain('gpt-5-mini')
  expect((await run('list')).out).toContain('without a price: gpt-5-mini.')
  await run('set', 'gpt-5-mini', '--vendor')
  const history: { unit: string; source: string; id: number }[] = await json(
    'history',
    'gpt-5-mini',
  )
  expect(history.map(({ unit, source }) => [unit, source])).toEqual([
    ['tokens', 'vendor'],
    ['none', 'operator'],
    ['tokens', 'vendor'],
  ])
  const { out } = await run('history', 'gpt-5-mini')
  expect(out).toMatch(/ UTC +\d+ +gpt-5-mini +operator +removed$/m)
  expect((await json('history')).length).toBeGreaterThan(history.length)
  expect((await run('history', 'never-seen')).out).toBe('never-seen never had a price.\n')
})

describe('refused', () => {
  const cases: readonly (readonly [string, string, number, string])[] = [
    ['a price of nothing', 'set m', 2, 'Say what it costs'],
    ['input without output', 'set m --input 1', 2, '--output is missing'],
    ['a price that is none', 'set m --input x --output 1', 2, '--input: "x" is not a price'],
    ['too many decimals', 'set m --input 0.0000001 --output 1', 2, 'at most 6 decimals'],
    ['a negative price', 'set m --input 1 --output=-1', 2, '--output: "-1" is not a price'],
    [
      'free by accident',
      'set m --input 0 --output 0',
      2,
      'The price costs nothing: if the model is',
    ],
    ['a call for nothing', 'set m --per-call 0', 2, '--per-call costs nothing'],
    ['two kinds of price', 'set m --per-call 1 --input 1', 2, "can't stand beside"],
    ['a list price of an unknown model', 'set m --vendor', 2, 'No vendor\'s price of "m" is known'],
    ['a list price beside another', 'set gpt-4o --vendor --free', 2, "--vendor can't stand beside"],
    [
      'a tier without figures',
      'set m --input 1 --output 1 --tier 9',
      2,
      '--tier: "9" is not known',
    ],
    ['an unknown tier key', 'set m --tier above=1,in=1', 2, '--tier: "in=1" is not known'],
    [
      'a tier of nothing',
      'set m --input 1 --output 1 --tier above=9',
      2,
      '--tier input is missing',
    ],
    [
      'a tier at 0',
      'set m --input 1 --output 1 --tier above=0,input=1,output=1',
      2,
      '--tier above',
    ],
    [
      'a context window in words',
      'set m --input 1 --output 1 --context-window 128k',
      2,
      '--context-window: "128k" must be a whole number from 1',
    ],
    [
      'a context window of a list price',
      'set gpt-4o --vendor --context-window 5',
      2,
      "--vendor can't stand beside",
    ],
    ['a price that is not there', 'show gpt-4', 1, 'Did you mean "gpt-4o"?'],
    ['another case', 'show GPT-4o', 1, 'There is no price "GPT-4o"'],
    ['removing what has no price', 'remove m --yes', 1, 'There is no price "m"'],
    ['an unknown source', 'list --source file', 2, 'Allowed choices are config, operator, vendor'],
  ]
  for (const [name, line, code, message] of cases)
    test.concurrent(name, async () => {
      const ran = await run(...line.split(' '))
      expect(ran.err).toContain(message)
      expect(ran.err).not.toMatch(/\n\s+at /)
      expect(ran).toMatchObject({ code, out: '' })
    })
})
