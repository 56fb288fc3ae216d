import { UserError } from '../app/instance.ts'
import { tell } from './terminal.ts'

/** Longer input is no password. */
const maxBytes = 64 * 1024

/**
 * A secret from stdin: typed at a terminal, where it is asked for twice and not shown, else all that
 * comes, without the line break at its end. Throws `UserError` when the two differ or Ctrl-C ends it.
 */
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

/** Reads one line from the terminal, key by key, so that nothing of it is shown. */
async function typed(prompt: string): Promise<string> {
  const { stdin } = process
  tell(prompt)
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
    tell('\n')
  }
}
