import { describe, expect, test } from 'bun:test'
import { schemas } from '../../../src/app/schemas.ts'
import type { WindowName } from '../../../src/catalog/availability.ts'
import { encodeStatus } from '../../../src/site/status/document.ts'
import type { StatusDocument } from '../../../src/site/status/schema.ts'
import type { AvailabilityCounts } from '../../../src/store/ports/availability.ts'
import { catalogOf, tokenTerms } from '../feed/catalogs.ts'
import { createValidator } from '../schemas/ajv.ts'
import { figuresOf, type ModelFigures } from './figures.ts'

const nowMs = Date.UTC(2026, 10, 22, 8)
const terms = tokenTerms(1, 1)
const validate = createValidator(schemas.status.content())

type Groups = Parameters<typeof catalogOf>[0]

/** The document of a catalog with these groups, each with all these models. */
function statusOf(
  groups: Groups,
  models: readonly string[],
  figures: readonly ModelFigures[],
  onlyGroup?: number,
): StatusDocument {
  const catalog = catalogOf(
    groups,
    models.map((id) => ({ id, terms })),
  )
  const steps = encodeStatus({
    ...{ groups: catalog.groups, figures: figuresOf(figures), nowMs },
    onlyGroup,
  })
  let step = steps.next()
  while (!step.done) step = steps.next()
  const document = JSON.parse(step.value) as StatusDocument
  expect(validate(document)).toEqual([])
  return document
}

/** The one group of a catalog whose one model has these counts. */
function groupOf(counts: ModelFigures['counts']) {
  const { groups } = statusOf([{ name: 'g' }], ['m'], [{ groupId: 1, model: 'm', counts }]).data
  const [group] = groups
  if (!group) throw new Error('no group')
  return group
}

const succeeded = (count: number, failed: AvailabilityCounts['failed'] = {}) => ({
  succeeded: count,
  failed,
})

test('what nobody asked for has no figures: null, and no state', () => {
  const { data } = statusOf([{ name: 'g', platform: 'openai' }], ['m'], [])
  const span = { requests: 0, ratio: null }
  expect(data.generated_at).toBe('2026-11-22T08:00:00.000Z')
  expect(data.groups[0]).toMatchObject({
    ...{ id: 1, name: 'g', platform: 'openai', state: 'no_data' },
    availability: { '1h': span, '24h': span, '7d': span, '90d': span },
    first_byte_ms: { p50: null, p95: null },
    ...{ tokens_per_second: null, models_total: 0, models: [] },
  })
})

test('each span has its requests and the part that succeeded; clients’ own faults are none of them', () => {
  const group = groupOf({
    '1h': succeeded(3, { client: 50 }),
    '24h': succeeded(6, { upstream: 1, gateway: 1, client: 50 }),
    '7d': succeeded(9, { channel: 1 }),
    '90d': succeeded(9_999_999, { model: 1 }),
  })
  expect(group.availability).toEqual({
    '1h': { requests: 3, ratio: 1 },
    '24h': { requests: 8, ratio: 0.75 },
    '7d': { requests: 10, ratio: 0.9 },
    '90d': { requests: 10_000_000, ratio: 0.999999 },
  })
  expect(group.models[0]?.availability).toEqual(group.availability)
})

test('times and speed are those of the last 24 hours', () => {
  const timed = { succeeded: 4, firstByte: [0, 4], outputTokens: 900, generationMs: 10_000 }
  const group = groupOf({ '1h': succeeded(1), '24h': timed })
  expect(group.first_byte_ms).toEqual({ p50: 75, p95: 98 })
  expect(group.tokens_per_second).toBe(90)
})

describe('the state', () => {
  const cases: readonly [string, { readonly [W in WindowName]?: object }][] = [
    ['no_data', { '24h': succeeded(100) }],
    ['no_data', { '1h': succeeded(0, { client: 9 }) }],
    ['operational', { '1h': succeeded(1) }],
    ['operational', { '1h': succeeded(95, { upstream: 5 }) }],
    ['degraded', { '1h': succeeded(94, { upstream: 6 }) }],
    ['degraded', { '1h': succeeded(1, { gateway: 1 }) }],
    ['down', { '1h': succeeded(49, { channel: 51 }) }],
    // Enough requests in the last minutes tell of the present, too few do not.
    ['down', { '5m': succeeded(0, { model: 5 }), '1h': succeeded(900, { model: 5 }) }],
    ['operational', { '5m': succeeded(0, { model: 4 }), '1h': succeeded(900, { model: 4 }) }],
    ['operational', { '5m': succeeded(5), '1h': succeeded(5, { upstream: 900 }) }],
  ]
  test.each(cases)('is %s by %j', (state, counts) => {
    const group = groupOf(counts)
    expect(group.state).toBe(state as typeof group.state)
    expect(group.models[0]?.state).toBe(group.state)
  })
})

test('groups that are switched off are left out, the others are sorted by name', () => {
  const groups: Groups = [{ name: 'b' }, { name: 'off', status: 'disabled' }, { name: 'B' }]
  const { data } = statusOf(groups, ['m'], [])
  expect(data.groups.map(({ name }) => name)).toEqual(['B', 'b'])
  const [first, second] = data.groups
  expect(first?.hours.at(-1)).toEqual({ requests: (first?.id ?? 0) * 1_000 + 23, failed: 23 })
  expect(second?.days[0]).toEqual({ requests: (second?.id ?? 0) * 1_000, failed: 0 })
})

describe('models', () => {
  const ids = Array.from({ length: 120 }, (_, i) => `m${100 + i}`)
  const figures = ids.map((model, i) => ({
    ...{ groupId: 1, model },
    counts: { '24h': succeeded(i % 60), '90d': succeeded(1_000 + i) },
  }))

  test('are the 50 most asked for in the last 24 hours, by name; the total is told', () => {
    const [group] = statusOf([{ name: 'g' }], ids, figures).data.groups
    const busy = figures.filter(({ counts }) => counts['24h'].succeeded >= 35)
    expect(busy).toHaveLength(50)
    expect(group?.models.map(({ name }) => name)).toEqual(busy.map(({ model }) => model))
    expect(group?.models_total).toBe(120)
  })

  test('are all of them where one group is asked for, and no other group is there', () => {
    const groups = [{ name: 'g' }, { name: 'h' }]
    const { data } = statusOf(groups, ids, figures, 1)
    expect(data.groups.map(({ name }) => name)).toEqual(['g'])
    expect(data.groups[0]?.models.map(({ name }) => name)).toEqual(ids)
  })

  test('that the group does not sell any more are not told', () => {
    const [group] = statusOf([{ name: 'g' }], ['m100', 'm101'], figures).data.groups
    expect(group?.models.map(({ name }) => name)).toEqual(['m100', 'm101'])
    expect(group?.models_total).toBe(2)
  })

  test('and groups may be called anything', () => {
    const name = 'a"b\\</script>\n模型'
    const [group] = statusOf(
      [{ name, platform: '"' }],
      [name],
      [{ groupId: 1, model: name, counts: { '1h': succeeded(1) } }],
    ).data.groups
    expect([group?.name, group?.platform, group?.models[0]?.name]).toEqual([name, '"', name])
  })
})

test('10,000 models of 20 groups are a small document, and a large one only for whoever asks', () => {
  const ids = Array.from({ length: 500 }, (_, i) => `vendor/model-${i}`)
  const groups = Array.from({ length: 20 }, (_, i) => ({ name: `group ${i}` }))
  const figures = groups.flatMap((_, i) =>
    ids.map((model) => ({ groupId: i + 1, model, counts: { '5m': succeeded(7) } })),
  )
  const whole = JSON.stringify(statusOf(groups, ids, figures))
  expect(whole.length).toBeLessThan(600_000)
  const one = JSON.stringify(statusOf(groups, ids, figures, 1))
  expect(one.length).toBeLessThan(300_000)
})
