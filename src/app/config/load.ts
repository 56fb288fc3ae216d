import { Value } from '@sinclair/typebox/value'
import type { PriceSetting } from '../../store/ports/catalog.ts'
import { buildConfig, buildPrices, buildStore } from './build.ts'
import { checkFile, type Partly, type Tell } from './checks.ts'
import type { Config, StoreConfig } from './config.ts'
import { type Environment, parseConfigText } from './document.ts'
import { type ConfigProblem, maskKeys, type Position, showValue, sortProblems } from './problem.ts'
import { ConfigFile, StoreSection } from './schema.ts'
import { serverFields, settingFields } from './setting-fields.ts'
import { type Report, walkDocument } from './walk.ts'
import { findWarnings } from './warnings.ts'

export { type ConfigProblem, formatProblems } from './problem.ts'

/** A configuration file to read. */
interface ConfigSource {
  readonly text: string
  /** Where it lies: named in problems, and the database's path is relative to it. */
  readonly file: string
  readonly env: Environment
}

/** What was read, or all that is wrong with it, in the order of the file. */
type Outcome<Value> =
  | ({ readonly ok: true } & Readonly<Value>)
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] }

export type Loaded = Outcome<{ config: Config; warnings: readonly ConfigProblem[] }>

/** Reads a tollgate.yaml. Never throws on its content; no message shows a secret. */
export function loadConfig(source: ConfigSource): Loaded {
  const { value, problems, tellTo, places } = readSource(source)
  if (problems.length > 0) return { ok: false, problems: sortProblems(problems) }
  if (!Value.Check(ConfigFile, value))
    throw new Error('The configuration was read without a problem, yet does not fit its schema.')
  const warnings: ConfigProblem[] = []
  findWarnings(value, tellTo(warnings))
  const lineOf = (path: string) => nearestPlace(places, path).line
  const config = buildConfig(value, source.file, lineOf)
  return { ok: true, config, warnings: sortProblems(warnings) }
}

/** Reads only where the database is; problems elsewhere in the file are ignored. */
export function loadStoreConfig(source: ConfigSource): Outcome<{ store: StoreConfig }> {
  const { value, problems } = readSource(source)
  const fatal = problems.filter(({ path }) => /^$|^(store|server\.spool)(\.|$)/.test(path))
  if (fatal.length > 0) return { ok: false, problems: sortProblems(fatal) }
  const { store, server } = value
  const known = Value.Check(StoreSection, store) ? { store } : {}
  const spool = server?.spool
  const section = { ...known, ...(spool && { server: { spool } }) }
  return { ok: true, store: buildStore(section, source.file) }
}

/** Reads only the `prices:` of a file; problems elsewhere in it are ignored. */
export function loadPriceConfig(
  source: ConfigSource,
): Outcome<{ prices: readonly PriceSetting[] }> {
  const { value, problems } = readSource(source)
  const fatal = problems.filter(({ path }) => /^$|^prices([.[]|$)/.test(path))
  if (fatal.length > 0) return { ok: false, problems: sortProblems(fatal) }
  const { prices } = value
  if (!Value.Check(ConfigFile.properties.prices, prices) && prices !== undefined)
    throw new Error('The prices were read without a problem, yet do not fit their schema.')
  return { ok: true, prices: buildPrices(prices) }
}

/** What a file says, as far as it can be read: problems do not matter here. */
export type FileWord = ReturnType<typeof loadFileWord>

/** Reads what commands want to know of a file that they do not apply. */
export function loadFileWord(source: ConfigSource) {
  const { value } = readSource(source)
  const { server, updates, settings, channels = [], groups = [], accounts = [] } = value
  const threshold = settings?.balance_low_threshold
  return {
    listen: serverFields.listen.fromFile(server?.listen),
    /** `settings.balance_low_threshold`, or its default. */
    balanceLowNano: settingFields.balance_low_threshold.fromFile(threshold),
    /** Whether the file names it: then nothing else counts. */
    namesBalanceLow: threshold !== undefined,
    countryHeader: settings?.country_header,
    updates,
    channels,
    groups,
    accounts,
  }
}

interface Read {
  readonly value: Partly<ConfigFile>
  readonly problems: readonly ConfigProblem[]
  /** Puts findings with their places into a list. */
  readonly tellTo: (list: ConfigProblem[]) => Tell
  readonly places: ReadonlyMap<string, Position>
}

/** Everything of a file that can be read, and every problem in it. */
function readSource({ text, file, env }: ConfigSource): Read {
  const problems: ConfigProblem[] = []
  const parsed = parseConfigText(text)
  if (!parsed.ok) {
    const faults = parsed.faults.map((fault) => ({ file, path: '', value: null, ...fault }))
    return { value: {}, problems: faults, tellTo: () => () => undefined, places: new Map() }
  }
  const report: Report = (...finding) => problems.push(createProblem(file, ...finding))
  const { value, places } = walkDocument(ConfigFile, parsed.document, env, report)
  const tellTo =
    (list: ConfigProblem[]): Tell =>
    (path, complaint, fault) =>
      list.push(createProblem(file, nearestPlace(places, path), path, complaint, { fault }))
  // The walk leaves out what is at fault, so what is there has the schema's shape.
  const partly = value as Partly<ConfigFile>
  checkFile(partly, (path) => places.has(path), tellTo(problems))
  return { value: partly, problems, tellTo, places }
}

function createProblem(
  file: string,
  ...[at, path, complaint, { shown, fault } = {}]: Parameters<Report>
): ConfigProblem {
  const value = shown === undefined ? null : showValue(shown)
  const where = path === '' ? 'The file' : maskKeys(path)
  const message = value === null ? `${where} ${complaint}` : `${where}: ${value} ${complaint}`
  return { file, ...at, path: maskKeys(path), value, message, ...(fault && { fault }) }
}

/** The place of a path, or of the nearest thing around it. */
function nearestPlace(places: ReadonlyMap<string, Position>, path: string): Position {
  for (let at = path; at !== ''; at = at.slice(0, Math.max(at.search(/[.[][^.[]*$/), 0))) {
    const place = places.get(at)
    if (place) return place
  }
  return places.get('') ?? { line: 1, column: 1 }
}
