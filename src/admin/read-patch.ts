import { nanoDecimals, parseDecimal } from '../billing/money.ts'
import { parseDateTime } from '../lib/clock.ts'
import { type AnyField, type Definition, merged, type SomeValues } from '../resources/resource.ts'
import { complaints, type ValueKind } from '../resources/values.ts'
import { ApiError } from './api-error.ts'
import { type Fault, faultOfKind } from './faults.ts'

/** A field of a body, with its path, such as `budget.day`. */
interface Given {
  readonly value: unknown
  readonly path: string
  readonly now: number
}

/** Throws `ApiError` with the field at fault. */
const wrong = (field: string, fault: Fault | undefined, message: string) =>
  new ApiError('invalid_value', `${field}: ${message}.`, { field, fault })

/**
 * What a body that fits its schema says of a resource's fields; what it does not name stays out. Names of
 * other resources are not looked up. Throws `ApiError` with the field at fault.
 */
export function readPatch<const D>(definition: D, body: object, now: number): SomeValues<D> {
  return readFields(definition as Definition, body, { now, prefix: '' }) as SomeValues<D>
}

function readFields(
  definition: Definition,
  body: object,
  { now, prefix }: { readonly now: number; readonly prefix: string },
): object {
  const given = new Map(Object.entries(body))
  return merged(
    Object.entries(definition).flatMap(([key, field]) => {
      const value: unknown = given.get(key)
      if (value === undefined) return []
      const path = prefix + key
      if (!('part' in field)) return [{ [field.as]: readField(field, { value, path, now }) }]
      return [{ [field.as]: readFields(field.part, value as object, { now, prefix: `${path}.` }) }]
    }),
  )
}

function readField(field: AnyField, given: Given): unknown {
  const { value, path } = given
  switch (field.kind) {
    case 'name':
      if (field.reads) checkText(field.reads, value as string, path)
      return value
    case 'list': {
      const { items } = field
      const texts = value as readonly string[]
      if (items && !items.isLookedUp) {
        for (const [i, text] of texts.entries()) checkText(items.reads, text, `${path}.${i}`)
      }
      return [...new Set(texts)]
    }
    case 'time':
      return value === null ? null : readTime(value as string, given)
    case 'usd':
      return value === null ? null : readUsd(value as string, path)
    default:
      return value
  }
}

function checkText(kind: ValueKind, text: string, path: string): void {
  const complaint = complaints[kind](text)
  if (complaint !== undefined)
    throw wrong(path, faultOfKind[kind], `${JSON.stringify(text)} ${complaint}`)
}

function readTime(text: string, { path, now }: Given): number {
  const time = parseDateTime(text)
  if (time === undefined) {
    const example = 'write it with its offset, such as 2027-01-31T12:00:00Z, or null'
    throw wrong(path, 'unfit_time', `"${text}" is not a date and time: ${example}`)
  }
  if (time > now) return time
  throw wrong(path, 'time_is_over', `"${text}" is over: give a time to come, or null`)
}

function readUsd(text: string, path: string): number {
  const nano = parseDecimal(text.trim(), nanoDecimals)
  if (nano !== undefined && nano >= 0) return nano
  const asked = 'write USD, 0 or more, with at most 9 decimals, such as 20 or 2.5'
  throw wrong(path, 'unfit_amount', `"${text}" is not an amount: ${asked}`)
}
