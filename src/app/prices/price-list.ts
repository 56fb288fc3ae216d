import type { TSchema } from '@sinclair/typebox'
import { Value, type ValueError, ValueErrorType } from '@sinclair/typebox/value'
import { shortJson } from '../../lib/format.ts'
import type { PriceTerms } from '../../store/ports/catalog.ts'
import { joinPath } from '../config/problem.ts'
import { UserError } from '../user-error.ts'

/** Forms of price lists: see `tollgate price sync --help`. */
export type PriceForm = 'catalog' | 'litellm' | 'feed' | 'config'

/** A list's price of a model, or why it can't be charged here. */
export type ListedPrice =
  | {
      readonly terms: PriceTerms
      /** The figure was finer than our unit and was rounded half up. */
      readonly rounded: boolean
    }
  | { readonly reason: string }

export interface PriceList {
  readonly form: PriceForm
  readonly models: readonly string[]
  /** The entry of a model; undefined: none. Throws a `UserError` when it is invalid. */
  find(model: string): ListedPrice | undefined
}

/** Only the operator makes a model free. */
export const freeThere: ListedPrice = {
  reason: 'costs nothing there; to give it away here too: tollgate price set MODEL --free',
}

const maxShown = 5

/** Why a value does not fit: `models[3].input: "x" is not a whole number of at least 0`. */
export function jsonProblems(schema: TSchema, value: unknown, base = ''): readonly string[] {
  const found = new Map<string, string>()
  let more = 0
  for (const error of Value.Errors(schema, value)) {
    const path = readablePath(base, value, error.path)
    if (found.has(path)) continue
    if (found.size < maxShown) found.set(path, `${path || 'The document'} ${complaint(error)}`)
    else more++
  }
  return [...found.values(), ...(more > 0 ? [`… and ${more} more`] : [])]
}

function complaint({ type, schema, value }: ValueError): string {
  if (type === ValueErrorType.ObjectAdditionalProperties) return 'is no known field: leave it out'
  return value === undefined
    ? `is missing: ${expected(schema)}`
    : `is ${shortJson(value)}, but must be ${expected(schema)}`
}

/** `/models/3/input` as `models[3].input`. */
function readablePath(base: string, root: unknown, pointer: string): string {
  let path = base
  let at = root
  for (const step of pointer.split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    path = joinPath(path, Array.isArray(at) ? Number(key) : key)
    at = typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined
  }
  return path
}

function expected(schema: TSchema): string {
  if (Array.isArray(schema.anyOf)) return schema.anyOf.map(expected).join(' or ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  const least = typeof schema.minimum === 'number' ? ` of at least ${schema.minimum}` : ''
  const words: { readonly [type: string]: string } = {
    integer: `a whole number${least}`,
    number: `a number${least}`,
    string: schema.pattern ? `a text of the form ${schema.pattern}` : 'a text',
    array: 'a list',
    object: 'an object',
    null: 'null',
  }
  return words[String(schema.type)] ?? 'another value'
}

interface Rounded {
  readonly units: number
  readonly exact: boolean
}

/** Decimal digits that survive binary floating point. */
const significantDigits = 15

/** Units of 10^-`decimals` by decimal text, rounded half up. Throws beyond the safe integers. */
export function toUnits(value: number, decimals: number): Rounded {
  const [mantissa = '0', exponent = '0'] = value.toExponential(significantDigits - 1).split('e')
  const digits = BigInt(mantissa.replace('.', ''))
  const shift = Number(exponent) - (significantDigits - 1) + decimals
  const step = 10n ** BigInt(Math.abs(shift))
  const exact = shift >= 0 || digits % step === 0n
  const units = Number(shift >= 0 ? digits * step : (digits + step / 2n) / step)
  if (!Number.isSafeInteger(units)) throw new UserError(`${value} USD is too much for a price.`)
  return { units, exact }
}
