import { isJsonObject } from '../../src/protocols/json.ts'
import type { Dice } from './dice.ts'
import { oddNames, oddText, oddValue } from './oddities.ts'

/** What mutations borrow from all protocols. */
export interface Material {
  /** Parts of bodies, as JSON. */
  readonly parts: readonly string[]
  /** Names of members. */
  readonly names: readonly string[]
  /** Words that tell kinds apart: values of `type`, `role`, `status` … */
  readonly words: readonly string[]
}

type Holder = unknown[] | Record<string, unknown>

/** A place in a value. */
interface Spot {
  readonly holder: Holder
  readonly key: string
  readonly value: unknown
}

/** Changes an object in a few places. It must be the caller's own. */
export function mutate(root: Record<string, unknown>, dice: Dice, material: Material): void {
  for (let times = dice.once(2) ? 1 : 1 + dice.below(3) * dice.below(3); times > 0; times--) {
    const spot = findSpot(root, dice)
    if (spot === undefined) put(root, nameFrom(dice, material), oddValue(dice))
    else if (dice.once(250)) multiply(spot, dice, material)
    else dice.pick(operations)(spot, dice, material)
  }
}

const isHolder = (value: unknown): value is Holder =>
  Array.isArray(value) || (isJsonObject(value) && !JSON.isRawJSON(value))

/** Any place, those near the top more often than in the depth. */
function findSpot(root: Holder, dice: Dice): Spot | undefined {
  let holder = root
  let spot: Spot | undefined
  for (;;) {
    const keys = Object.keys(holder)
    if (keys.length === 0) return spot
    const key = dice.pick(keys)
    const value: unknown = Reflect.get(holder, key)
    spot = { holder, key, value }
    if (!isHolder(value) || dice.once(9)) return spot
    holder = value
  }
}

/** Also `__proto__` becomes a member of its own, as JSON.parse makes it. */
function put(holder: Holder, key: string, value: unknown): void {
  Object.defineProperty(holder, key, {
    value,
    configurable: true,
    enumerable: true,
    writable: true,
  })
}

function remove({ holder, key }: Spot): void {
  if (Array.isArray(holder)) holder.splice(Number(key), 1)
  else delete holder[key]
}

const copy = (value: unknown): unknown =>
  value === undefined ? null : JSON.parse(JSON.stringify(value))

const nameFrom = (dice: Dice, { names }: Material) =>
  dice.once(3) ? dice.pick(oddNames) : dice.pick(names)

const partFrom = (dice: Dice, { parts }: Material): unknown => JSON.parse(dice.pick(parts))

type Operation = (spot: Spot, dice: Dice, material: Material) => void

const replace: Operation = ({ holder, key }, dice) => put(holder, key, oddValue(dice))

const borrow: Operation = ({ holder, key }, dice, material) =>
  put(holder, key, partFrom(dice, material))

const add: Operation = ({ holder, value }, dice, material) => {
  const at = isHolder(value) && dice.once(2) ? value : holder
  const part = dice.once(2) ? partFrom(dice, material) : oddValue(dice)
  if (Array.isArray(at)) at.splice(dice.below(at.length + 1), 0, part)
  else put(at, nameFrom(dice, material), part)
}

const double: Operation = ({ holder, key, value }, dice, material) => {
  if (Array.isArray(holder)) holder.splice(dice.below(holder.length + 1), 0, copy(value))
  else put(holder, dice.once(2) ? `${key}${key}` : nameFrom(dice, material), copy(value))
}

const swap: Operation = ({ holder, key, value }, dice) => {
  const other = dice.pick(Object.keys(holder))
  const there: unknown = Reflect.get(holder, other)
  put(holder, other, value)
  put(holder, key, there)
}

const rename: Operation = (spot, dice, material) => {
  if (Array.isArray(spot.holder)) return
  remove(spot)
  put(spot.holder, nameFrom(dice, material), spot.value)
}

/** A little more or less than it is: the kinds of oddity that lie near to the truth. */
const bend: Operation = ({ holder, key, value }, dice, { words }) => {
  if (typeof value === 'string') {
    const cut = dice.below(value.length + 1)
    const bent = dice.pick([
      () => dice.pick(words),
      () => value + oddText(dice),
      () => value.slice(0, cut) + oddText(dice) + value.slice(cut),
      () => value.slice(0, cut),
      () => value.slice(cut),
      () => value + value,
      () => value.toUpperCase(),
    ])
    put(holder, key, bent().toWellFormed())
  } else if (typeof value === 'number') {
    put(holder, key, dice.pick([-value, value + 0.5, value * 1e9, `${value}`, [value], value + 1]))
  } else if (Array.isArray(value)) {
    put(holder, key, dice.pick([[...value, ...value], value.slice(1), value[0] ?? null, []]))
  } else if (isJsonObject(value)) {
    const members = Object.entries(value)
    put(holder, key, dice.pick([[value], members, Object.values(value)[0] ?? null, {}]))
  } else put(holder, key, oddValue(dice))
}

/** As a word that means something elsewhere. */
const reword: Operation = (spot, dice, material) => {
  const { holder } = spot
  const kinds = Object.keys(holder).filter((name) => kindNames.has(name))
  if (Array.isArray(holder) || kinds.length === 0) bend(spot, dice, material)
  else put(holder, dice.pick(kinds), dice.pick(material.words))
}

/** Members whose values say of what kind their object is. */
export const kindNames: ReadonlySet<string> = new Set([
  ...['type', 'role', 'status', 'mode', 'finish_reason', 'stop_reason', 'finishReason', 'object'],
  ...['effort', 'media_type', 'mimeType', 'format', 'detail', 'tool_choice', 'service_tier'],
])

const nest: Operation = ({ holder, key, value }, dice) => {
  let nested = value
  for (let levels = dice.pick([1, 2, 5, 20, 60, 120, 240]); levels > 0; levels--) {
    nested = dice.once(2)
      ? [nested]
      : { [dice.pick(['a', 'items', 'content', 'properties'])]: nested }
  }
  put(holder, key, nested)
}

/** So many of one thing that whatever is quadratic shows. */
const multiply: Operation = ({ holder, key, value }, dice) => {
  const times = dice.pick([10, 10, 100, 100, 1_000, 5_000])
  const most = Math.ceil(2e6 / (JSON.stringify(value)?.length ?? 1))
  const copies = Array.from({ length: Math.min(times, most) }, () => value)
  if (Array.isArray(holder)) holder.splice(Number(key), 1, ...copies)
  else put(holder, key, Array.isArray(value) ? copies.flat() : copies)
}

/** The likelier ones are there more often. */
const operations: readonly Operation[] = [
  ...[remove, remove, replace, replace, replace, borrow, borrow, add, add, add],
  ...[double, swap, rename, bend, bend, bend, reword, reword, nest],
]
