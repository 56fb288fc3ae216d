import {
  type Document,
  isAlias,
  isScalar,
  LineCounter,
  type Node,
  parseDocument,
  type Scalar,
  type YAMLError,
} from 'yaml'
import type { Position } from './problem.ts'

/** Larger files are refused unread. */
const maxFileBytes = 16 * 2 ** 20
/** How often aliases may be followed in one file: enough for people, too little for a bomb. */
const maxAliases = 100

/** A parsed file, or what keeps it from being one. Messages never quote the file. */
type Parsed =
  | { readonly ok: true; readonly document: ConfigDocument }
  | { readonly ok: false; readonly faults: readonly (Position & { readonly message: string })[] }

export type ConfigDocument = ReturnType<typeof createDocument>

const quoteHint = 'put the value in quotes'
/** The parser's own messages may quote a secret, so each kind of fault has a sentence here. */
const sentences: { readonly [code: string]: string } = {
  TAB_AS_INDENT: 'The line is indented with a tab: use spaces.',
  BAD_INDENT:
    'The indentation does not fit: keys of one map start in the same column, and a value that goes on in the next line stands further right.',
  BAD_SCALAR_START: `A value can't begin with this character: ${quoteHint}.`,
  BAD_DQ_ESCAPE:
    'There is an unknown \\ escape in double quotes: use single quotes, or write \\\\.',
  BLOCK_AS_IMPLICIT_KEY: `There are two ": " in this line: ${quoteHint}, or begin a new line.`,
  MULTILINE_IMPLICIT_KEY:
    'A line here is not of the form "key: value": a space belongs after the colon.',
  MISSING_CHAR:
    'Something is missing here: a closing quote, a closing bracket, or the ": " after a key.',
  UNEXPECTED_TOKEN: `This does not belong here: check the brackets and the indentation, or ${quoteHint}.`,
  MULTIPLE_DOCS: 'A second document begins here (---): write one document.',
  NON_STRING_KEY: 'A key must be a word, not a list or a map.',
  RESOURCE_EXHAUSTION: 'The file is nested too deep.',
  TAG_RESOLVE_FAILED: `An unknown tag (!) begins here: if it is part of the value, ${quoteHint}.`,
}

function sentenceOf(error: YAMLError): string {
  const missing = /^Missing closing ("|')quote/.exec(error.message)?.[1]
  if (missing) return `A quote is not closed: the ${missing} that ends the value is missing.`
  if (/^Flow (map|sequence).*end with a/.test(error.message))
    return 'A bracket is not closed: a } or ] is missing, or its lines are not indented.'
  if (error.message.startsWith('Implicit map keys'))
    return 'This line is not of the form "key: value": a colon and a space belong after the key.'
  return sentences[error.code] ?? `This is not YAML: if it is part of a value, ${quoteHint}.`
}

/** Parses a file. Faults of the YAML itself are all reported, one per line. */
export function parseConfigText(text: string): Parsed {
  if (Buffer.byteLength(text) > maxFileBytes)
    return { ok: false, faults: [{ line: 1, column: 1, message: 'The file is over 16 MiB.' }] }
  const lines = new LineCounter()
  const document = parseDocument(shieldReferences(text), {
    lineCounter: lines,
    prettyErrors: false,
    stringKeys: true,
    // Repeated keys are found later, where their path is known.
    uniqueKeys: false,
    logLevel: 'error',
  })
  const at = (offset: number): Position => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(line, 1), column: Math.max(col, 1) }
  }
  const faults = withoutEchoes([...document.errors, ...document.warnings]).map((error) => ({
    ...at(error.pos[0]),
    message: sentenceOf(error),
  }))
  if (faults.length > 0)
    return { ok: false, faults: faults.filter(({ line }, i) => line !== faults[i - 1]?.line) }
  return { ok: true, document: createDocument(document, at) }
}

/** Keeps the first error of each line: the parser often reports one slip several times. */
function withoutEchoes(errors: readonly YAMLError[]): YAMLError[] {
  const stray = errors.find((error) => error.code === 'UNEXPECTED_TOKEN')
  return errors
    .filter((error) => error.code !== 'UNEXPECTED_TOKEN' || error === stray)
    .toSorted((a, b) => a.pos[0] - b.pos[0])
}

/** The nodes of a YAML file with their places. */
function createDocument(document: Document.Parsed, at: (offset: number) => Position) {
  let followed = 0
  return {
    root: document.contents as Node | null,
    positionOf: (node: Node) => at(node.range?.[0] ?? 0),
    /** The node itself, or what its alias stands for. */
    follow(node: Node): Node | { readonly complaint: string } {
      if (!isAlias(node)) return node
      if (++followed > maxAliases)
        return { complaint: `uses an alias (*) too often: ${maxAliases} uses are the limit` }
      return (
        node.resolve(document) ?? {
          complaint: `begins with *, which stands for an anchor (&) that is not there: ${quoteHint}`,
        }
      )
    },
  }
}

/** The text of a scalar as the file has it: `1.0` stays `1.0`, references are not yet read. */
export function scalarText(node: Scalar): string {
  const text = typeof node.value === 'string' ? node.value : (node.source ?? String(node.value))
  return unshieldReferences(text)
}

/** True for what counts as not set: `null`, `~` and nothing at all. */
export function isNothing(node: unknown): boolean {
  return node === null || node === undefined || (isScalar(node) && node.value === null)
}

/** The process's environment, or what a test takes for it. */
export type Environment = { readonly [name: string]: string | undefined }

/** Replaces the `${NAME}` references of a value, once; `$${` stands for a literal `${`. */
export function substitute(
  text: string,
  env: Environment,
): { text: string } | { complaint: string } {
  const complaints: string[] = []
  const result = text.replace(/\$\$\{|\$\{([^}]*)\}?/g, (whole, name: string | undefined) => {
    if (name === undefined) return '${'
    if (!whole.endsWith('}') || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      complaints.push(`has a broken reference: write \${NAME}, or $\${ for a literal \${`)
      return ''
    }
    const value = Object.hasOwn(env, name) ? env[name] : undefined
    if (value === undefined)
      complaints.push(`refers to the environment variable ${name}, which is not set`)
    return value ?? ''
  })
  return complaints.length > 0 ? { complaint: complaints.join('; it ') } : { text: result }
}

/** True for a value that is one reference and nothing else. */
export function isReference(text: string): boolean {
  return /^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/.test(text)
}

// A flow map (`{ key: ${NAME} }`) would end at the reference's brace. While YAML is parsed, the
// reference's marks are therefore letters of the private use area: same length, same places.
const shielded = /\uE000\uE001([A-Za-z_][A-Za-z0-9_]*)\uE002/g

/** Makes references safe for the YAML parser without moving a character. */
function shieldReferences(yaml: string): string {
  return yaml.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, '\uE000\uE001$1\uE002')
}

/** Undoes `shieldReferences` in a parsed value. */
export function unshieldReferences(text: string): string {
  return text.replace(shielded, `\${$1}`)
}
