/** One line of metrics. */
export interface MetricLine {
  readonly name: string
  readonly labels: { readonly [label: string]: string }
  readonly value: number
}

/** All that is told under one name. */
export interface MetricFamily {
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly lines: MetricLine[]
}

const namePattern = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/
const valuePattern = /^(\+Inf|-Inf|NaN|-?\d+(\.\d+)?(e[+-]?\d+)?)$/

/**
 * Reads Prometheus' text format (0.0.4) and throws at whatever it does not allow: lines outside of
 * their metric, wrong escapes, the same labels twice, histograms whose parts do not fit.
 */
export function parseExposition(text: string): ReadonlyMap<string, MetricFamily> {
  if (!text.endsWith('\n')) throw new Error('The last line has no end.')
  const families = new Map<string, MetricFamily>()
  let present = ''
  let help = ''
  for (const line of text.slice(0, -1).split('\n')) {
    const [, kind, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? []
    if (kind === 'HELP') help = rest
    else if (kind === 'TYPE') {
      if (families.has(name)) throw new Error(`${name} is told twice.`)
      if (!namePattern.test(name)) throw new Error(`${name} is no name.`)
      families.set(name, { help, type: typeOf(rest), lines: [] })
      present = name
    } else if (line.startsWith('#')) throw new Error(`What is this? ${line}`)
    else if (line !== '') addLine(families, present, parseLine(line))
  }
  for (const [name, family] of families) checkFamily(name, family)
  return families
}

function typeOf(word: string): MetricFamily['type'] {
  if (word === 'counter' || word === 'gauge' || word === 'histogram') return word
  throw new Error(`${word} is no type.`)
}

function addLine(families: Map<string, MetricFamily>, present: string, line: MetricLine): void {
  const family = families.get(present)
  const parts = family?.type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']
  if (!parts.some((part) => present + part === line.name))
    throw new Error(`${line.name} is not in its place.`)
  family?.lines.push(line)
}

function parseLine(line: string): MetricLine {
  const name = /^[a-zA-Z_:][a-zA-Z0-9_:]*/.exec(line)?.[0] ?? ''
  const reader = { text: line, at: name.length }
  const labels = line[reader.at] === '{' ? parseLabels(reader) : {}
  const [space, value = '', ...more] = [line[reader.at], line.slice(reader.at + 1)]
  if (name === '' || space !== ' ' || !valuePattern.test(value) || more.length > 0)
    throw new Error(`Not a line of a metric: ${line}`)
  return { name, labels, value: Number(value.replace('Inf', 'Infinity')) }
}

interface Reader {
  readonly text: string
  at: number
}

function parseLabels(reader: Reader): Record<string, string> {
  const labels: Record<string, string> = {}
  do {
    reader.at++
    const name = /^[a-zA-Z_][a-zA-Z0-9_]*(?==")/.exec(reader.text.slice(reader.at))?.[0]
    if (name === undefined || name in labels) throw new Error(`No label: ${reader.text}`)
    reader.at += name.length + 2
    labels[name] = parseLabelValue(reader)
  } while (reader.text[reader.at] === ',')
  if (reader.text[reader.at++] !== '}') throw new Error(`Labels do not end: ${reader.text}`)
  return labels
}

function parseLabelValue(reader: Reader): string {
  const escapes: Record<string, string> = { '\\': '\\', '"': '"', n: '\n' }
  let value = ''
  while (true) {
    const character = reader.text[reader.at++]
    if (character === undefined) throw new Error(`A label does not end: ${reader.text}`)
    if (character === '"') return value
    if (character !== '\\') {
      value += character
      continue
    }
    const meant = escapes[reader.text[reader.at++] ?? '']
    if (meant === undefined) throw new Error(`A wrong escape: ${reader.text}`)
    value += meant
  }
}

function checkFamily(name: string, { help, type, lines }: MetricFamily): void {
  if (help === '') throw new Error(`${name} has no help.`)
  if ((type === 'counter') !== name.endsWith('_total')) throw new Error(`${name} is no ${type}.`)
  const seen = new Set<string>()
  for (const { name: own, labels, value } of lines) {
    const key = JSON.stringify([own, Object.entries(labels).sort()])
    if (seen.has(key)) throw new Error(`${own} is told twice for ${key}.`)
    seen.add(key)
    if (type !== 'gauge' && !(value >= 0)) throw new Error(`${own} is ${value}.`)
  }
  if (type === 'histogram') checkHistogram(name, lines)
}

function checkHistogram(name: string, lines: readonly MetricLine[]): void {
  const byLabels = Map.groupBy(lines, ({ labels: { le: _, ...labels } }) => JSON.stringify(labels))
  for (const [labels, own] of byLabels) {
    const buckets = own.filter((line) => line.name === `${name}_bucket`)
    const bounds = buckets.map(({ labels: { le = '' } }) => Number(le.replace('Inf', 'Infinity')))
    const counts = buckets.map(({ value }) => value)
    const total = own.find((line) => line.name === `${name}_count`)?.value
    const isRising = (numbers: readonly number[]) =>
      numbers.every((number, i) => i === 0 || number >= (numbers[i - 1] ?? 0))
    const hasSum = own.some((line) => line.name === `${name}_sum`)
    const isWhole = bounds.at(-1) === Number.POSITIVE_INFINITY && counts.at(-1) === total
    if (!isRising(bounds) || !isRising(counts) || !isWhole || !hasSum)
      throw new Error(`${name} of ${labels} is no histogram.`)
  }
}
