import { changedIn } from '../lib/form-values.ts'

/** How a value of the API is edited in a form. */
export interface Kind {
  /** Absent: the page that shows the form draws it. */
  readonly input?: 'line' | 'lines' | 'usd' | 'whole' | 'flag' | 'choice' | 'radios' | 'tags'
  /** Further properties of the input. */
  readonly look?: object
  /** The name of the text that an empty input shows. */
  readonly placeholder?: string
  /** Two such fields share a line. */
  readonly isNarrow?: boolean
  /** The words of `kind` come first, then, unless it is `all`, a list. */
  readonly isOpenList?: boolean
  fill(value: never): unknown
  read(typed: never, initial: never): unknown
  /** What a conflict shows, instead of the value. */
  show?(value: never): unknown
}

const textOf = (value?: string | null) => value ?? ''
const asTyped = <Typed>(typed: Typed) => typed
const word = (typed: string) => typed.trim()

/** Texts that stand one a line, or with commas between. */
export const linesOf = (text: string) =>
  text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter((line) => line !== '')

const usd = {
  input: 'usd' as const,
  isNarrow: true,
  fill: textOf,
  read: (typed: string) => word(typed).replace(/^\$\s*/, '') || null,
}

interface OpenList {
  /** `all`, or what the list means. */
  readonly kind: string
  readonly list: string
}
interface Regions {
  readonly allow?: readonly string[] | undefined
  readonly deny?: readonly string[] | undefined
}
const listOf = (typed: string) => typed.split(/[\s,]+/).filter((one) => one !== '')

/** As typed what is no number. */
const numberOf = (typed: number | string): number =>
  Number.isNaN(Number(typed)) ? (typed as never) : Number(typed)

/** The kinds of fields that a definition names. */
const kinds = {
  line: { input: 'line', fill: (value?: string) => textOf(value), read: asTyped<string> },
  text: { input: 'lines', fill: (value?: string) => textOf(value), read: asTyped<string> },
  /** Without the spaces around it. */
  word: { input: 'line', isNarrow: true, fill: textOf, read: word },
  /** The same, in a line of its own: an address, a word with a long hint. */
  wideWord: { input: 'line', fill: textOf, read: word },
  /** Empty: null. */
  usd,
  usdLimit: { ...usd, placeholder: 'noLimit' },
  flag: { input: 'flag', fill: (value?: boolean) => value ?? false, read: asTyped<boolean> },
  /** Empty: the initial value. What is no number is sent as it is: the API refuses it at its field. */
  whole: {
    input: 'whole',
    isNarrow: true,
    fill: (value?: number): number | string => value ?? '',
    read: (typed: number | string, initial: number) => (typed === '' ? initial : numberOf(typed)),
  },
  /** Empty: null. What is no number is sent as it is: the API refuses it at its field. */
  limit: {
    input: 'whole',
    isNarrow: true,
    placeholder: 'noLimit',
    fill: (value?: number | null): number | string => value ?? '',
    read: (typed: number | string) => (typed === '' ? null : numberOf(typed)),
  },
  tags: {
    input: 'tags',
    fill: (value?: readonly string[]) => [...(value ?? [])],
    read: asTyped<string[]>,
  },
  lines: {
    input: 'lines',
    fill: (value?: readonly string[]) => value?.join('\n') ?? '',
    read: linesOf,
  },
  /** Local time, as `datetime-local` has it; empty: null. What is no time is sent as it is. */
  time: {
    input: 'line',
    look: { type: 'datetime-local' },
    fill: (value?: string | null) => (value ? toLocalInput(new Date(value)) : ''),
    read: (typed: string) =>
      (Number.isNaN(Date.parse(typed)) ? typed : new Date(typed).toISOString()) || null,
  },
  /** All that is allowed; null: everything. */
  openList: {
    isOpenList: true,
    fill: (value?: readonly string[] | null): OpenList => ({
      kind: value ? 'only' : 'all',
      list: value?.join('\n') ?? '',
    }),
    read: ({ kind, list }: OpenList) => (kind === 'all' ? null : listOf(list)),
  },
  regions: {
    isOpenList: true,
    fill: (regions?: Regions | null): OpenList => ({
      kind: regions?.allow ? 'allow' : regions?.deny ? 'deny' : 'all',
      list: (regions?.allow ?? regions?.deny ?? []).join(', '),
    }),
    read: ({ kind, list }: OpenList) => (kind === 'all' ? null : { [kind]: listOf(list) }),
  },
} as const satisfies Readonly<Record<string, Kind>>
type Kinds = typeof kinds

/** Local time, as `datetime-local` has it: `2026-11-21T08:30`; empty: no time. */
export function toLocalInput(time: Date): string {
  if (Number.isNaN(time.getTime())) return ''
  const local = new Date(time.getTime() - time.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 16)
}

/** One of several words; the texts name them under `…Options`. */
export const choice = <Word extends string>(input: 'choice' | 'radios' = 'choice') => ({
  input,
  fill: (value?: Word) => value as Word,
  read: asTyped<Word>,
})

/** A field by the name of its kind, by a kind of its own, or as fields within it. */
type Field = keyof Kinds | Kind | Fields
/** The fields of a form by their names in the API; their texts have the same names. */
export interface Fields {
  readonly [name: string]: Field
}
/** The fields that the API accepts in a change: a form has all of them, but those that are its `Own`. */
export type FieldsOf<Patch, Own extends string = never> = Readonly<
  Record<Exclude<keyof Patch, 'revision' | 'status' | Own>, Field>
>

type KindOf<F> = F extends keyof Kinds ? Kinds[F] : F
type ReturnOf<F, How extends 'fill' | 'read'> =
  KindOf<F> extends Kind ? ReturnType<KindOf<F>[How]> : { [K in keyof F]: ReturnOf<F[K], How> }
type StateOf<F> =
  KindOf<F> extends { fill(value?: infer Value): unknown }
    ? Value
    : { readonly [K in keyof F]?: StateOf<F[K]> | undefined } | null
export type Typed<D> = { [K in keyof D]: ReturnOf<D[K], 'fill'> }
type State<D> = { readonly [K in keyof D]: Exclude<StateOf<D[K]>, undefined> }
type Read<D> = { [K in keyof D]: ReturnOf<D[K], 'read'> }

type Values = Readonly<Record<string, never>>
/** The kind of a field; undefined: it has fields within it. */
export function kindOf(field: Field): Kind | undefined {
  if (typeof field === 'string') return kinds[field]
  return typeof field.fill === 'function' ? (field as Kind) : undefined
}

function mapFields(
  fields: Fields,
  how: (kind: Kind, value: never, initial: never) => unknown,
  values: object | null = {},
  initial: object = {},
): object {
  const entries = Object.entries(fields).map(([name, field]) => {
    const [value, first] = [
      (values as Values | null)?.[name] as never,
      (initial as Values)[name] as never,
    ]
    const kind = kindOf(field)
    return [name, kind ? how(kind, value, first) : mapFields(field as Fields, how, value, first)]
  })
  return Object.fromEntries(entries)
}

/**
 * The form of a resource: what stands in it, what it sends, and where it shows errors. `adapt`
 * makes the settings of the API of what was read.
 */
export function formOf<const D extends Fields, Sent extends object = Read<D>>(
  fields: D,
  initial: Partial<State<D>> = {},
  adapt: (read: Read<D>) => Sent = (read) => read as never,
) {
  const valuesOf = (state: State<D> | undefined) =>
    mapFields(fields, ({ fill }, value, first) => fill(value ?? first), state, initial) as Typed<D>
  const settingsOf = (values: Typed<D>) =>
    adapt(
      mapFields(fields, ({ read }, typed, first) => read(typed, first), values, initial) as Read<D>,
    )
  return {
    valuesOf,
    settingsOf,
    /** The settings that differ from `seen`. */
    changeOf: (seen: State<D>, values: Typed<D>) =>
      changedIn<Sent>(settingsOf(valuesOf(seen)), settingsOf(values)),
    /** The form's field of a field of the API. */
    fieldOf(path: string): string {
      const [name = '', inner] = path.split('.')
      const field = fields[name] ?? 'line'
      const kind = kindOf(field)
      if (kind) return kind.isOpenList ? `${name}.list` : name
      return `${name}.${inner ?? Object.keys(field)[0]}`
    },
    /** What two people may have changed, by its label. */
    shown: (state: State<D>, text: object) => shown(fields, state, text as Values),
  }
}

function shown(fields: Fields, state: object | null, text: Values): Record<string, unknown> {
  const parts = Object.entries(fields).map(([name, field]) => {
    const value = (state as Values | null)?.[name] as never
    const kind = kindOf(field)
    if (!kind) return shown(field as Fields, value, text)
    const options = text[`${name}Options`] as Values | undefined
    return { [text[name] ?? name]: kind.show?.(value) ?? options?.[value ?? 'all'] ?? value }
  })
  return Object.assign({}, ...parts)
}

/** The limits of accounts, tokens, groups and channels. */
export const limits = { rpm: 'limit', tpm: 'limit', concurrency: 'limit' } as const
