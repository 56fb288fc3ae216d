import { type Command, Option } from 'commander'
import { usd } from '../billing/money.ts'
import { humanTime, listed } from '../lib/format.ts'
import type { Column } from '../lib/table.ts'
import { type AnyField, type Definition, merged, placesOf } from '../resources/resource.ts'
import { UsageError } from './errors.ts'
import { parseExpiry, parseLimit, parseUsdOrNone } from './values.ts'

/** The values of options, as commander gives them. */
type Options = { readonly [name: string]: unknown }

/** How `set` reads the text of an option, and the word that takes a value away. */
const readers = {
  usd: { parse: parseUsdOrNone, word: 'none', clears: 'no limit' },
  count: { parse: parseLimit, word: 'none', clears: 'no limit' },
  time: { parse: parseExpiry, word: 'never', clears: 'without an end' },
} as const

const readerOf = ({ kind }: AnyField) =>
  kind in readers ? readers[kind as keyof typeof readers] : undefined

/** Each field that has an option, with that. */
const flagsOf = (definition: Definition) =>
  placesOf(definition).flatMap((place) => {
    const { flag } = place.field
    if (!flag) return []
    const option = new Option(flag.value ? `${flag.name} ${flag.value}` : flag.name, flag.help)
    return [{ ...place, flag, option, name: option.attributeName() }]
  })

/** Adds the options with which a command makes a resource. All but counts are checked as the file is. */
export function addFieldOptions(command: Command, definition: Definition): void {
  for (const { field, flag, option } of flagsOf(definition)) {
    if (field.kind === 'count') option.argParser(parseLimit).description += ', or none'
    if (flag.usual) option.description += ` (default: ${flag.usual})`
    command.addOption(option)
  }
}

/** What they say, as an entry of the file. */
export const writtenFields = (definition: Definition, options: Options): object =>
  merged(
    flagsOf(definition).flatMap(({ name, fileKey }) => {
      const value = options[name] === 'none' ? null : options[name]
      if (value === undefined) return []
      const [key = '', inner] = fileKey.split('.')
      return [{ [key]: inner === undefined ? value : { [inner]: value } }]
    }),
  )

const settable = (definition: Definition) =>
  flagsOf(definition).filter(({ flag }) => flag.canSet === true)

/** Adds the options with which a command changes a resource. */
export function addSetOptions(command: Command, definition: Definition): void {
  for (const { field, flag, option } of settable(definition)) {
    const reader = readerOf(field)
    if (reader) {
      option.argParser(reader.parse)
      option.description += `; ${reader.word}: ${reader.clears}`
    }
    command.addOption(option)
    if (flag.off) command.option(flag.name.replace('--', '--no-'), flag.off)
  }
}

/** What they say; throws a `UsageError` that names them all where they say nothing. */
export function namedFields(definition: Definition, options: Options): object {
  const all = settable(definition)
  const named = all.flatMap(({ name, alone }) => {
    const value = options[name]
    if (value === undefined) return []
    return [alone(value === 'none' || value === 'never' ? null : value)]
  })
  if (named.length > 0) return merged(named)
  const names = all.map(({ flag }) => flag.name)
  throw new UsageError(
    `Name what is to change: ${names.slice(0, -1).join(', ')} or ${names.at(-1)}.`,
  )
}

/** Options by the key that they become in the file. */
export const spelledFields = (definition: Definition): { readonly [key: string]: string } =>
  Object.fromEntries(flagsOf(definition).map(({ fileKey, flag }) => [fileKey, flag.name]))

/** The fields that have a title, but for those of parts; `report` is what reports say. */
const shown = (definition: Definition) =>
  Object.entries(definition).flatMap(([key, field]) => {
    if ('part' in field || !field.title) return []
    const valueIn = (report: object) => (report as Options)[key + (field.suffix ?? '')]
    return [{ field, title: field.title, valueIn }]
  })

/** The columns of a list. */
export const fieldColumns = (definition: Definition): readonly Column<object>[] =>
  shown(definition).flatMap(({ field, title, valueIn }) =>
    field.isListed
      ? [{ title: title.toUpperCase(), text: (report) => brief(field, valueIn(report)) }]
      : [],
  )

function brief(field: AnyField, value: unknown): string {
  if (field.kind === 'switch') return value === true ? (field.title ?? '').toLowerCase() : ''
  const text = showValue(field, value)
  return field.kind === 'time' && value !== null ? text.slice(0, 10) : text
}

/** The lines of one. */
export const fieldLines = (
  definition: Definition,
  report: object,
): readonly (readonly [string, string])[] =>
  shown(definition).map(({ field, title, valueIn }) => [title, showValue(field, valueIn(report))])

function showValue({ kind, none = 'no limit', yes = 'yes' }: AnyField, value: unknown): string {
  if (value === null) return none
  switch (kind) {
    case 'list':
      return listed(value as readonly string[], none)
    case 'switch':
      return value === true ? yes : 'no'
    case 'time':
      return humanTime(value as string)
    case 'usd':
      return usd(value as number)
    default:
      return String(value)
  }
}
