import type { ModelInfo, Provider } from '@pydantic/genai-prices'
import { literals, type Maker, resolve } from './price-source.ts'

/** Values for each mark of a dated id: on days that no vendor's list names. */
const samples: { readonly [mark: string]: readonly string[] } = {
  'YYYY-MM-DD': ['2024-03-29', '2025-11-29', '2026-04-29'],
  YYYYMMDD: ['20240329', '20251129', '20260429'],
  'MM-YYYY': ['03-2024', '11-2025', '04-2026'],
  'MM-DD': ['03-29', '11-29', '04-29'],
  YYMM: ['2403', '2511', '2604'],
  NNN: ['001', '008'],
}
const marks = Object.keys(samples)

/** Ids that are dated as `form` says: `gpt-5-YYYY-MM-DD` gives `gpt-5-2025-11-29` and others. */
export function sampleIds(form: string): string[] {
  const mark = marks.find((each) => form.endsWith(each))
  if (mark === undefined) return [form]
  return (samples[mark] ?? []).map((value) => form.slice(0, -mark.length) + value)
}

/** The names of one model that the package prices as this very model. */
export interface Names {
  readonly concrete: readonly string[]
  readonly dated: readonly string[]
}

/**
 * Every name is tried against the package, so that a clause of another model that comes before is
 * respected. Text of an open clause counts as a name (`claude-haiku-4.5`) unless it is cut off or
 * only the end of the model's id.
 */
export function collectNames(
  model: ModelInfo,
  provider: Provider,
  { date, dates }: { readonly date: string; readonly dates: Maker['dates'] },
): Names {
  const isThis = (id: string) => resolve(id, provider, date)?.model === model
  const { whole, parts } = literals(model.match)
  const isTail = (part: string) => model.id.toLowerCase().endsWith(part.toLowerCase())
  const uncut = parts.filter((part) => !/[-@]$|-0$|-20\d\d$|^ft:/.test(part) && !isTail(part))
  const written = [model.id, ...whole, ...uncut]
  const stems = new Set(
    written.flatMap((name) => {
      const stem = name.replace(/-latest$/, '')
      return isDated(stem) ? [] : [stem, stem.replace(/-preview$/, '')]
    }),
  )
  const forms = dates.flatMap((date) =>
    [...stems].filter((stem) => date.stems.test(stem)).map((stem) => stem + date.suffix),
  )
  const taken = new Set(provider.models.flatMap((each) => literals(each.match).whole))
  const open = forms.filter((form) => sampleIds(form).some((id) => !taken.has(id) && isThis(id)))
  const isConcrete = (form: string) => !marks.some((mark) => form.endsWith(mark))
  return {
    concrete: unique([...written.filter(isThis), ...open.filter(isConcrete)]),
    dated: unique(open.filter((form) => !isConcrete(form))),
  }
}

function isDated(id: string): boolean {
  return /\d{4}$|\d\d-\d\d$/.test(id)
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)]
}
