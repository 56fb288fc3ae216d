import { TypeCompiler, type ValueError } from '@sinclair/typebox/compiler'
import { messageOf } from '../../lib/failure.ts'
import { shortJson } from '../../lib/format.ts'
import { CallEntry, FeedDocument, FeedFrame, TokenEntry } from './schema.ts'

/** A fault of a feed: `expected` ends the sentence "should be …". */
export interface FeedProblem {
  /** As in `data.models[3].input_price`; empty for the whole document. */
  readonly path: string
  readonly value: string
  readonly expected: string
}

type FeedReport =
  | { readonly ok: true; readonly document: FeedDocument }
  | { readonly ok: false; readonly problems: readonly FeedProblem[] }

/** Checks the text of any price feed against the feed's schema. Never throws. */
export function validateFeed(text: string): FeedReport {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    const reason = messageOf(error)
    return failed([{ path: '', value: show(text), expected: `JSON (${reason})` }])
  }
  schemas ??= compileSchemas()
  if (!schemas.document.Check(value)) return failed(schemaProblems(schemas, value))
  const problems = [...contentProblems(value)]
  return problems.length > 0 ? failed(problems) : { ok: true, document: value }
}

/** A problem in one line. */
export function describeProblem({ path, value, expected }: FeedProblem): string {
  return `${path === '' ? 'The document' : path}: ${value} should be ${expected}.`
}

const failed = (problems: readonly FeedProblem[]): FeedReport => ({ ok: false, problems })

type Schemas = ReturnType<typeof compileSchemas>
let schemas: Schemas | undefined

const compileSchemas = () => ({
  document: TypeCompiler.Compile(FeedDocument),
  frame: TypeCompiler.Compile(FeedFrame),
  token: TypeCompiler.Compile(TokenEntry),
  call: TypeCompiler.Compile(CallEntry),
})

function schemaProblems({ frame, token, call }: Schemas, value: unknown): readonly FeedProblem[] {
  const problems = problemsOf(frame, value, '')
  if (member(value, 'success') === false) {
    const said = { path: 'message', value: show(member(value, 'message')), expected: 'empty' }
    return [...problems.filter(({ path }) => path === 'success'), said]
  }
  const models = member(member(value, 'data'), 'models')
  if (!Array.isArray(models)) return problems
  const ofEntries = models.flatMap((entry: unknown, at) =>
    problemsOf(member(entry, 'price_unit') === 'per_call' ? call : token, entry, entryPath(at)),
  )
  return [...problems, ...ofEntries]
}

/** Faults that no schema finds: contradicting entries, dates that do not exist. */
function* contentProblems({ data }: FeedDocument): Generator<FeedProblem> {
  if (Number.isNaN(Date.parse(data.updated_at)))
    yield { path: 'data.updated_at', value: show(data.updated_at), expected: 'a date that exists' }
  const seen = new Map<string, number>()
  for (const [at, entry] of data.models.entries()) {
    const key = JSON.stringify([entry.group_name, entry.model_name])
    const first = seen.get(key)
    if (first === undefined) seen.set(key, at)
    else
      yield {
        path: entryPath(at),
        value: key,
        expected: `there once, but is ${entryPath(first)} too`,
      }
    if (entry.price_unit !== 'per_call') continue
    for (const name of ['input_price', 'output_price'])
      if (name in entry)
        yield {
          path: `${entryPath(at)}.${name}`,
          value: show(member(entry, name)),
          expected: 'left out of an entry that is billed per call',
        }
  }
}

const entryPath = (at: number) => `data.models[${at}]`

/** The first problem of each path: a missing field would be reported twice. */
function problemsOf(
  check: { Errors(value: unknown): Iterable<ValueError> },
  value: unknown,
  base: string,
): readonly FeedProblem[] {
  const problems = new Map<string, FeedProblem>()
  for (const error of check.Errors(value)) {
    const path = readablePath(base, error.path)
    if (!problems.has(path)) problems.set(path, toProblem(path, error))
  }
  return [...problems.values()]
}

function toProblem(path: string, { schema, value, message }: ValueError): FeedProblem {
  const expected: unknown = schema.expected
  return { path, value: show(value), expected: typeof expected === 'string' ? expected : message }
}

/** `/data/models/2/note` as `data.models[2].note`; no field of a feed has a `/` in its name. */
function readablePath(base: string, pointer: string): string {
  const steps = pointer.split('/').slice(1)
  const text = steps.map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`)).join('')
  return base === '' ? text.replace(/^\./, '') : base + text
}

const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined

const show = (value: unknown) => (value === undefined ? 'nothing' : shortJson(value))
