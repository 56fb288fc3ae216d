import { latestOf } from '../../../data/release/latest.ts'
import { makeKeys, readSecretKey, signatureOf } from '../../../data/release/minisign.ts'
import { createTempDir } from '../../support/temp-dir.ts'

const keys = makeKeys()
const secret = readSecretKey(keys.secretKey)

/** What the program must be built with, or find in its environment, to believe this server. */
export const releaseKey = keys.publicKey.split('\n')[1] ?? ''

export const target = `${process.platform}-${process.arch}`

/** A program that says it is a version, and lets `serve --check` be answered by a script. */
export const fakeProgram = (
  version: string,
  check = 'echo "Database $4: fine"',
  schema = 1,
) => `#!/bin/sh
case "$1" in
version) echo '{ "version": "${version}", "schema_version": ${schema} }' ;;
*) ${check} ;;
esac
`

export interface Offer {
  readonly version: string
  readonly program?: string
  /** When its list was made; default: now. */
  readonly now?: number
  /** Changes the signed text of latest.json; what it returns is signed. */
  readonly change?: (text: string) => string
}

/** An address that offers signed releases. */
export async function startReleaseServer() {
  const folder = createTempDir('tollgate-releases')
  const files = new Map<string, Uint8Array<ArrayBuffer>>()
  const requests: { path: string; headers: Headers }[] = []
  let answer: ((path: string) => Response | Promise<Response> | undefined) | undefined
  const server = Bun.serve({
    ...{ port: 0, hostname: '127.0.0.1', development: false },
    async fetch(request) {
      const path = new URL(request.url).pathname
      requests.push({ path, headers: request.headers })
      const own = await answer?.(path)
      if (own) return own
      const file = files.get(path)
      return file ? new Response(file) : new Response('none', { status: 404 })
    },
  })
  return {
    address: new URL(`http://127.0.0.1:${server.port}/releases/latest.json`),
    files,
    requests,
    /** Answers in place of the files, where it answers. */
    answerBy(other: typeof answer) {
      answer = other
    },
    async offer({
      version,
      program = fakeProgram(version),
      change = (text) => text,
      now = Date.now(),
    }: Offer) {
      const name = `tollgate-${version}-${target}`
      const file = folder.join(`${name}.tar.gz`)
      const entries = { [`${name}/tollgate`]: program, [`${name}/LICENSE`]: 'MIT' }
      await Bun.write(file, await new Bun.Archive(entries, { compress: 'gzip' }).bytes())
      const text = Buffer.from(change(JSON.stringify(await latestOf({ files: [file], now }))))
      files.set(`/releases/${name}.tar.gz`, await Bun.file(file).bytes())
      files.set('/releases/latest.json', text)
      const signature = signatureOf(text, secret, `tollgate ${version}`)
      files.set('/releases/latest.json.minisig', Buffer.from(signature))
      return `/releases/${name}.tar.gz`
    },
    async stop() {
      await server.stop(true)
      folder.remove()
    },
  }
}

export type ReleaseServer = Awaited<ReturnType<typeof startReleaseServer>>
