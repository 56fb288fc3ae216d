import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { latestOf } from './latest.ts'
import { makeKeys, readSecretKey, signatureOf } from './minisign.ts'

// Makes the key pair of releases, and the signed latest.json that "tollgate upgrade" reads.

const usage = `Usage: bun data/release/sign.ts keys FOLDER
         make a pair of keys: FOLDER/tollgate.pub is compiled in, FOLDER/tollgate.key is kept secret
       bun data/release/sign.ts latest [--notes URL] [--key FILE] ARCHIVE…
         make latest.json of tollgate-VERSION-TARGET.tar.gz …, and its signature, beside them

The secret key is read from FILE, or from TOLLGATE_RELEASE_SECRET. minisign takes these keys, too; a key with a
password needs it: minisign -S -m latest.json`

const { values, positionals } = parseArgs({
  args: process.argv.slice(2),
  options: { notes: { type: 'string' }, key: { type: 'string' } },
  allowPositionals: true,
})
const [command, ...words] = positionals

if (command === 'keys' && words.length === 1) await writeKeys(words[0] ?? '.')
else if (command === 'latest' && words.length > 0) await writeLatest(words)
else {
  process.stderr.write(`${usage}\n`)
  process.exitCode = 2
}

async function writeKeys(folder: string): Promise<void> {
  const [open, secret] = [join(folder, 'tollgate.pub'), join(folder, 'tollgate.key')]
  for (const file of [open, secret])
    if (existsSync(file)) throw new Error(`${file} is there already: it stays as it is.`)
  const { publicKey, secretKey } = makeKeys()
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeFile(secret, secretKey, { mode: 0o600, flag: 'wx' })
  await writeFile(open, publicKey, { flag: 'wx' })
  process.stdout.write(
    `${open} is for the build, ${secret} for signing: keep it where no repository is.\n`,
  )
}

async function writeLatest(files: readonly string[]): Promise<void> {
  const key = readSecretKey(
    values.key === undefined
      ? (process.env.TOLLGATE_RELEASE_SECRET ?? '')
      : await Bun.file(values.key).text(),
  )
  const release = await latestOf({ files, notesUrl: values.notes })
  const text = Buffer.from(`${JSON.stringify(release, null, 2)}\n`)
  const file = join(dirname(files[0] ?? ''), 'latest.json')
  await writeFile(file, text)
  await writeFile(`${file}.minisig`, signatureOf(text, key, `tollgate ${release.version}`))
  process.stdout.write(
    `${file}: Tollgate ${release.version}, ${Object.keys(release.archives).join(', ')}\n`,
  )
}
