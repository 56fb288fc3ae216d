import { type TSchema, Type } from '@sinclair/typebox'
import {
  formatDecimal,
  formatNano,
  multiplierDecimals,
  nanoDecimals,
  parseDecimal,
  usd,
} from '../billing/money.ts'
import { parseDateTime } from '../lib/clock.ts'
import { formatDurationMs, humanDuration, humanTime, isoTime } from '../lib/format.ts'
import { plain, type Spec } from './field.ts'
import { decimal, flag, optional, orNull, text, words } from './schema-parts.ts'
import { parseDuration, type ValueKind } from './values.ts'

// The kinds of fields: how each converts a value for the file, a column, the console's API, an option, a
// report (`--json` and the audit), a plan and people. A new kind is a function that returns the same members.

export const Status = Type.Union([Type.Literal('active'), Type.Literal('disabled')])

export const statusField = <const S extends Omit<Spec, 'as' | 'column'>>(spec: S) => ({
  ...spec,
  ...{ as: 'status' as const, column: 'status' as const, fileKey: 'enabled' as const },
  ...plain<'active' | 'disabled'>(),
  initial: 'active' as 'active' | 'disabled',
  ...{ file: flag(spec.help), view: Status, patch: Status },
  fromFile: (enabled?: boolean): 'active' | 'disabled' =>
    enabled === false ? 'disabled' : 'active',
  toFile: (status: 'active' | 'disabled') => status === 'active',
  toWritten: (given: unknown) => given === 'active',
  text: (status: 'active' | 'disabled') => String(status === 'active'),
})

const unfitEmpty = { isUnfitEmpty: true } as const

/** A required line of text. */
export const nameField = <const S extends Spec & { readonly reads: ValueKind }>(spec: S) => ({
  ...spec,
  ...plain<string>(),
  initial: '',
  ...{ file: text(spec.reads, spec.help, unfitEmpty), view: Type.String(), patch: shortText() },
  fromFile: (written: string) => written,
})

/** Free text, empty by default; `most`: characters. */
export const textField = <const S extends Spec & { readonly most: number }>(spec: S) => ({
  ...spec,
  ...plain<string>(),
  initial: '',
  file: optional(text('text', spec.help)),
  view: Type.String({ description: spec.help }),
  patch: Type.String({ maxLength: spec.most, description: spec.help }),
  fromFile: (written = '') => written,
})

/** A factor in millionths, decimal text outside; 1 by default. */
export const multiplierField = <const S extends Spec>(spec: S) => ({
  ...spec,
  ...plain<number>(),
  initial: 10 ** multiplierDecimals,
  file: optional(decimal('multiplier', spec.help)),
  view: Type.String({ description: spec.help }),
  patch: Type.String({ maxLength: 40, description: spec.help }),
  fromFile: (written: string | number = 1): number =>
    parseDecimal(written, multiplierDecimals) ?? 0,
  toFile: multiplierText,
  toReport: (millionths: number) => Number(multiplierText(millionths)),
  toView: multiplierText,
  text: multiplierText,
})

const multiplierText = (millionths: number) => formatDecimal(millionths, multiplierDecimals)

/** The name of another resource; its column holds the id. */
export const referenceField = <const S extends Omit<Spec, 'column'>>(spec: S) => ({
  ...spec,
  ...plain<string>(),
  ...{ isElsewhere: true as const, initial: '' },
  ...{ file: text('name', spec.help), view: Type.String(), patch: shortText() },
  fromFile: (written: string) => written,
})

/** A switch, off by default unless `isUsual`. */
export const switchField = <const S extends Spec & { readonly isUsual?: boolean }>(spec: S) => ({
  ...spec,
  ...plain<boolean>(),
  isFlag: true as const,
  initial: spec.isUsual === true,
  file: flag(spec.help),
  view: Type.Boolean({ description: spec.help }),
  patch: Type.Boolean({ description: spec.help }),
  fromFile: (written = spec.isUsual === true) => written,
  toCell: (value: boolean): number => (value ? 1 : 0),
  fromCell: (cell: number) => cell === 1,
  show: (isOn: boolean) => (isOn ? (spec.yes ?? 'yes') : (spec.none ?? 'no')),
  brief: (isOn: boolean) => (isOn ? (spec.title ?? '').toLowerCase() : ''),
})

/** A time in milliseconds since 1970; null: none. */
export const timeField = <const S extends Spec>(spec: S) => ({
  ...spec,
  ...plain<number | null>(),
  clear: ['never', 'without an end'] as const,
  initial: null as number | null,
  file: optional(orNull(text('date-time', spec.help, unfitEmpty))),
  view: orNull(Type.String({ description: spec.help })),
  patch: orNull(Type.String({ maxLength: 40, description: spec.help })),
  fromFile: (written?: string | null): number | null =>
    written == null ? null : (parseDateTime(written) ?? null),
  ...{ toFile: timeText, toReport: timeText, toView: timeText },
  text: (time: number | null) => String(timeText(time)),
  show: humanTime,
  brief: (time: string) => time.slice(0, 10),
})

function timeText(time: number | null): string | null {
  return time === null ? null : isoTime(time)
}

/** A limit in nano-USD, decimal text outside; null: no limit. */
export const usdLimitField = <const S extends Spec>(spec: S) => ({
  ...spec,
  ...plain<number | null>(),
  ...{ suffix: '_nano' as const, clear: ['none', 'no limit'] as const },
  initial: null as number | null,
  file: optional(orNull(decimal('usd', spec.help, unfitEmpty))),
  view: usdOrNull(spec.help),
  patch: usdOrNull(spec.help),
  fromFile: (written?: string | number | null): number | null =>
    written == null ? null : (parseDecimal(written, nanoDecimals) ?? null),
  ...{ toFile: usdText, toView: usdText, toWritten: trimmed },
  text: (nano: number | null) => String(usdText(nano)),
  show: usd,
})

const trimmed = (given: unknown) => (typeof given === 'string' ? given.trim() : given)

const usdOrNull = (description: string) =>
  Type.Union([Type.String({ maxLength: 40 }), Type.Null()], { description })

function usdText(nano: number | null): string | null {
  return nano === null ? null : formatNano(nano)
}

/** An upper limit; null: none. */
export const countLimitField = <const S extends Spec>(spec: S) => ({
  ...spec,
  ...plain<number | null>(),
  clear: ['none', 'no limit'] as const,
  initial: null as number | null,
  file: optional(orNull(Type.Integer({ ...countRange, description: spec.help }))),
  view: Type.Union([Type.Integer(), Type.Null()], { description: spec.help }),
  patch: Type.Union([Type.Integer(), Type.Null()], { description: spec.help }),
  fromFile: (written: number | null = null) => written,
})

const countRange = { minimum: 1, maximum: 1_000_000_000 } as const

interface IntegerSpec extends Spec {
  readonly minimum: number
  readonly maximum: number
  readonly usual: number
}

/** A whole number; `usual` is the default. The file's rules check its bounds for the API. */
export const integerField = <const S extends IntegerSpec>({ minimum, maximum, ...spec }: S) => ({
  ...spec,
  ...plain<number>(),
  initial: spec.usual as number,
  file: optional(Type.Integer({ minimum, maximum, description: spec.help })),
  view: Type.Integer({ description: spec.help }),
  patch: Type.Integer({ description: spec.help }),
  fromFile: (written: number = spec.usual) => written,
})

/** A duration in milliseconds, `10s` outside. */
export const durationField = <const S extends Omit<Spec, 'column'> & { readonly usual: string }>(
  spec: S,
) => {
  const fromFile = (written: string = spec.usual): number => parseDuration(written) ?? 0
  return {
    ...spec,
    ...plain<number>(),
    ...{ suffix: '_ms' as const, initial: fromFile(spec.usual) },
    file: optional(text('duration', spec.help)),
    view: Type.String({ description: spec.help }),
    patch: Type.String({ description: spec.help }),
    ...{ fromFile, toFile: formatDurationMs, toView: formatDurationMs, text: formatDurationMs },
    show: humanDuration,
  }
}

function shortText() {
  return Type.String({ maxLength: 200 })
}

interface PartSpec {
  readonly as: string
  readonly help: string
  readonly part: object
  readonly file: TSchema
  /** The field that a single value in the file sets. */
  readonly short?: string
  readonly title?: string
  readonly isListed?: boolean
  readonly show?: (reported: never) => string
}

/** Fields grouped under one key. */
export const partField = <const S extends PartSpec>(spec: S) => spec

/** A part stored in one column as JSON. */
export const partColumn = <const S extends PartSpec & Pick<Spec, 'column'>>(spec: S) => ({
  ...{ ...spec, isJson: true as const },
  toCell: (value: object): string => JSON.stringify(value),
})

/** One of several words; `usual` is the default. */
export const wordField = <
  const S extends Spec & {
    readonly words: readonly string[]
    readonly usual: string
    readonly meanings?: { readonly [word: string]: string }
  },
>(
  spec: S,
) => {
  type Word = S['words'][number]
  const literals = Type.Unsafe<Word>(Type.Union(spec.words.map((word) => Type.Literal(word))))
  return {
    ...spec,
    ...plain<Word>(),
    initial: spec.usual as Word,
    file: optional(words(spec.words as readonly Word[], spec.help)),
    ...{ view: literals, patch: literals },
    fromFile: (written?: Word): Word => written ?? spec.usual,
    show: (word: string) => (spec.meanings ? `${word}: ${spec.meanings[word]}` : word),
  }
}

/** An amount in nano-USD, 0 by default. */
export const usdField = <const S extends Spec>(spec: S) => ({
  ...spec,
  ...plain<number>(),
  ...{ suffix: '_nano' as const, initial: 0 },
  file: optional(decimal('usd', spec.help, unfitEmpty)),
  view: Type.String({ maxLength: 40, description: spec.help }),
  patch: Type.String({ maxLength: 40, description: spec.help }),
  fromFile: (written: string | number = 0): number => parseDecimal(written, nanoDecimals) ?? 0,
  ...{ toFile: formatNano, toView: formatNano, toWritten: trimmed, text: formatNano },
  show: usd,
})
