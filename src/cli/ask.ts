import { createInterface } from 'node:readline/promises'
import { UserError } from '../app/user-error.ts'
import { printable } from '../lib/table.ts'
import { UsageError } from './errors.ts'
import { print } from './terminal.ts'

export async function ask(
  question: string,
  {
    input = process.stdin,
    output = process.stderr,
  }: {
    readonly input?: NodeJS.ReadableStream
    readonly output?: NodeJS.WritableStream
  } = {},
): Promise<string> {
  const terminal = createInterface({ input, output })
  try {
    return await terminal.question(`${printable(question)} `)
  } finally {
    terminal.close()
  }
}

/** Throws where `confirm` could not ask, before the work that leads to its question. */
export function requireAnswer(
  question: string,
  { yes }: { readonly yes?: boolean | undefined },
): void {
  if (!yes && !process.stdin.isTTY)
    throw new UsageError(`${question} There is no terminal to ask on: add --yes to go ahead.`)
}

/** Asks before an irreversible step. Throws unless the answer is yes; `--yes` is that answer. */
export async function confirm(
  question: string,
  { yes }: { readonly yes?: boolean | undefined },
): Promise<void> {
  if (yes) return
  requireAnswer(question, { yes })
  const answer = await ask(`${question} [y/N]`)
  if (!/^y(es)?$/i.test(answer.trim())) throw new UserError('Nothing was changed.')
}

const maxBytes = 64 * 1024

/** Reads a secret from stdin, twice at a terminal. Throws `UserError` when the two differ. */
export async function readSecret(what: string): Promise<string> {
  if (!process.stdin.isTTY) return readAll()
  const secret = await typed(`${what}: `)
  if ((await typed('Once more: ')) !== secret)
    throw new UserError('These are two different ones. Nothing was changed.')
  return secret
}

async function readAll(): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of Bun.stdin.stream()) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > maxBytes) throw new UserError('There is too much on stdin for a password.')
  }
  return text.replace(/\r?\n$/, '')
}

const controlC = '\u0003'
const controlD = '\u0004'
const backspaces: ReadonlySet<string> = new Set(['\u007f', '\b'])

async function typed(prompt: string): Promise<string> {
  const { stdin } = process
  print(prompt)
  stdin.setRawMode(true)
  stdin.resume()
  stdin.setEncoding('utf8')
  const line = Promise.withResolvers<string>()
  let text = ''
  const take = (keys: string) => {
    for (const key of keys) {
      if (key === '\r' || key === '\n' || key === controlD) return line.resolve(text)
      if (key === controlC) return line.reject(new UserError('Nothing was changed.'))
      text = backspaces.has(key) ? [...text].slice(0, -1).join('') : text + key
    }
  }
  stdin.on('data', take)
  try {
    return await line.promise
  } finally {
    stdin.off('data', take)
    stdin.setRawMode(false)
    stdin.pause()
    print('\n')
  }
}
