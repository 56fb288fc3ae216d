import { KindGuard, type TSchema } from '@sinclair/typebox'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { complainOfLeaf } from '../app/config/walk.ts'
import type { Column } from '../lib/table.ts'
import type { AnyField, Definition } from '../resources/field.ts'
import { byPath, placesOf } from '../resources/resource.ts'
import { UsageError } from './errors.ts'
import { withCommas } from './values.ts'

type Options = { readonly [name: string]: unknown }

/** Commander takes a null for an option without a value. */
const cleared = Symbol('cleared')

const flagsOf = (definition: Definition, command?: 'add' | 'set') =>
  placesOf(definition).flatMap(({ field, path, fileKey }) =>
    (field.flags ?? [field.flag]).flatMap((flag) => {
      if (!flag || (command === 'add' && flag.canSet === 'only')) return []
      if (command === 'set' && !flag.canSet) return []
      const option = new Option(flag.value ? `${flag.name} ${flag.value}` : flag.name, flag.help)
      const inner = flag.within ? `.${flag.within}` : ''
      const at = { fieldPath: path, path: path + inner, fileKey: fileKey + inner }
      return [{ ...at, field, flag, option, name: option.attributeName() }]
    }),
  )

/** Adds the options with which a command makes a resource. */
export function addFieldOptions(command: Command, definition: Definition): void {
  for (const { field, flag, option } of flagsOf(definition, 'add')) {
    if (flag.hasCommas) option.argParser(withCommas)
    else if (flag.isRepeated) option.argParser(repeated)
    else if (field.clear && !flag.usual) readsOne(option, field).description += ', or none'
    if (flag.usual) option.description += ` (default: ${flag.usual})`
    command.addOption(option.makeOptionMandatory(flag.isRequired === true))
  }
}

/** Collects the values of an option that stands several times. */
export const repeated = (value: string, before: readonly string[] = []) => [...before, value]

/** Adds the options with which a command changes a resource. */
export function addSetOptions(command: Command, definition: Definition): void {
  for (const { field, flag, option } of flagsOf(definition, 'set')) {
    if (flag.hasCommas) option.argParser(withCommas)
    else if (flag.value) readsOne(option, field)
    if (field.clear) option.description += `; ${field.clear.join(': ')}`
    command.addOption(option)
    if (flag.off) command.option(flag.name.replace('--', '--no-'), flag.off)
    if (flag.clearedBy) command.option(...flag.clearedBy)
  }
}

/** Checks an option of one value as the file does, at once. */
const readsOne = (option: Option, { file, clear }: AnyField): Option =>
  option.argParser((text) => {
    if (clears(clear, text)) return cleared
    const read = complainOfLeaf(schemaOfOne(file), text)
    if ('value' in read) return read.value
    const asked = read.complaint.replace(/^must be/, 'write').replace(/^.*?: /, '')
    const others = clear ? `, or ${clear[0]}` : ''
    throw new InvalidArgumentError(
      `${asked.charAt(0).toUpperCase()}${asked.slice(1).replace(/, or null$/, '')}${others}.`,
    )
  })

/** Whether an option clears the value: by the kind's own word, or by `none`, which every kind takes. */
const clears = (clear: AnyField['clear'], given: unknown): boolean =>
  clear !== undefined && (given === clear[0] || given === 'none')

const schemaOfOne = (schema: TSchema): TSchema =>
  KindGuard.IsUnion(schema) && schema.anyOf.some(KindGuard.IsNull)
    ? (schema.anyOf[0] ?? schema)
    : schema

/** The named fields by the keys of the console's API; null clears a field. */
export function namedFields(definition: Definition, options: Options): object {
  const named = new Set<string>()
  return byPath(
    flagsOf(definition).flatMap(({ field, fieldPath, flag, path, name }) => {
      const value = options[name]
      const isCleared = flag.clearedBy && options[new Option(flag.clearedBy[0]).attributeName()]
      if (isCleared && value !== undefined)
        throw new UsageError(`Say ${flag.name} or ${flag.clearedBy?.[0]}, not both.`)
      if (value === undefined && !isCleared) return []
      if (named.has(fieldPath)) throw new UsageError(sayOne(field.flags))
      named.add(fieldPath)
      const isNull = isCleared || flag.clears || value === cleared || clears(field.clear, value)
      return [[path, isNull ? null : value]]
    }),
  )
}

function sayOne(flags: AnyField['flags'] = []): string {
  const names = flags.map(({ name }) => name)
  const all = `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
  return `Say one of ${all}: each takes the place of the others.`
}

/** Throws a `UsageError` that names all that `set` can change, where nothing is named. */
export function requireSome(
  named: object,
  definition: Definition,
  others: readonly string[] = [],
): void {
  if (Object.keys(named).length > 0) return
  const names = [...flagsOf(definition, 'set').map(({ flag }) => flag.name), ...others]
  throw new UsageError(
    `Name what is to change: ${names.slice(0, -1).join(', ')} or ${names.at(-1)}.`,
  )
}

/** Options by the key that they become in the file. */
export const spelledFields = (definition: Definition): { readonly [key: string]: string } =>
  Object.fromEntries(
    flagsOf(definition).flatMap(({ fileKey, flag }) => (flag.clears ? [] : [[fileKey, flag.name]])),
  )

interface Shown {
  readonly field: Definition[string]
  readonly title: string
  show(report: object, how?: (value: unknown) => string): string
}

/** Titled fields, or the titled parts of a field; `within`: where reports have it. */
const shown = (
  definition: Definition,
  within = (report: object) => report as Options,
): readonly Shown[] =>
  Object.entries(definition).flatMap(([key, field]) => {
    const { title, none = 'no limit', suffix = '' } = field as AnyField
    const valueIn = (report: object) => within(report)[key + suffix]
    if (title) {
      const show: Shown['show'] = (report, how = field.show) => {
        const value = valueIn(report)
        return value === null ? none : (how?.(value) ?? '')
      }
      return [{ field, title, show }]
    }
    return 'part' in field ? shown(field.part, (report) => valueIn(report) as Options) : []
  })

export const fieldColumns = (definition: Definition): readonly Column<object>[] =>
  shown(definition).flatMap(({ field, title, show }) => {
    const { isListed, isRight = false, brief } = field as AnyField
    if (!isListed) return []
    const head = isListed === true ? title.toUpperCase() : isListed
    return [{ title: head, right: isRight, text: (report: object) => show(report, brief) }]
  })

export const fieldLines = (
  definition: Definition,
  report: object,
): readonly (readonly [string, string])[] =>
  shown(definition).map(({ title, show }) => [title, show(report)])
