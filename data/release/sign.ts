import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { archivesIn, latestOf, requireTrust } from './latest.ts'
import { makeKeys, PasswordError, readSecretKey, signatureOf } from './minisign.ts'
import { ReleaseError } from './release.ts'
import { checkSums, sumsFile } from './sums.ts'

// Makes the key pair of releases, and signs a release: SHA256SUMS for people, latest.json for "tollgate upgrade".

const usage = `Usage: bun data/release/sign.ts keys FOLDER
         make a pair of keys: FOLDER/tollgate.pub is compiled in, FOLDER/tollgate.key is kept secret
       bun data/release/sign.ts release [--notes URL] [--key FILE] FOLDER
         check the files of a release by its SHA256SUMS, make latest.json of its archives, and sign both

The secret key is read from FILE, or from TOLLGATE_RELEASE_SECRET. minisign takes these keys, too; a key with a
password needs it: latest.json is made, and the command that signs is named.`

const { values, positionals } = parseArgs({
  args: process.argv.slice(2),
  options: { notes: { type: 'string' }, key: { type: 'string' } },
  allowPositionals: true,
})
const [command, folder, ...more] = positionals

try {
  if (command === 'keys' && folder && more.length === 0) await writeKeys(folder)
  else if (command === 'release' && folder && more.length === 0) await signRelease(folder)
  else {
    process.stderr.write(`${usage}\n`)
    process.exitCode = 2
  }
} catch (error) {
  if (!(error instanceof ReleaseError)) throw error
  process.stderr.write(`sign.ts: ${error.message}\n`)
  process.exitCode = 1
}

async function writeKeys(folder: string): Promise<void> {
  const [open, secret] = [join(folder, 'tollgate.pub'), join(folder, 'tollgate.key')]
  for (const file of [open, secret])
    if (existsSync(file)) throw new ReleaseError(`${file} is there already: it stays as it is.`)
  const { publicKey, secretKey } = makeKeys()
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeFile(secret, secretKey, { mode: 0o600, flag: 'wx' })
  await writeFile(open, publicKey, { flag: 'wx' })
  process.stdout.write(
    `${open} is for the build, ${secret} for signing: keep it where no repository is.\n`,
  )
}

async function signRelease(folder: string): Promise<void> {
  await checkSums(folder)
  const archives = await archivesIn(folder)
  const release = await latestOf({ files: archives, notesUrl: values.notes, now: Date.now() })
  const [sums, latest] = [join(folder, sumsFile), join(folder, 'latest.json')]
  await writeFile(latest, `${JSON.stringify(release, null, 2)}\n`)
  const key = await readKey([latest, sums])
  await requireTrust(archives, key)
  for (const [file, of] of [
    [sums, ` ${sumsFile}`],
    [latest, ''],
  ] as const) {
    const signature = signatureOf(
      await Bun.file(file).bytes(),
      key,
      `tollgate ${release.version}${of}`,
    )
    await writeFile(`${file}.minisig`, signature)
  }
  process.stdout.write(
    `Tollgate ${release.version}, ${Object.keys(release.archives).join(', ')}: ${sums} and ${latest} are signed.\n`,
  )
}

/** What signs `files`. */
async function readKey(files: readonly string[]) {
  if (values.key !== undefined && !existsSync(values.key))
    throw new ReleaseError(`--key ${values.key}: there is no such file.`)
  const text = values.key === undefined ? process.env.TOLLGATE_RELEASE_SECRET : undefined
  try {
    return readSecretKey(text ?? (values.key ? await Bun.file(values.key).text() : ''))
  } catch (error) {
    if (!(error instanceof PasswordError)) throw error
    throw new ReleaseError(
      `${error.message}: sign with "minisign -S -s ${values.key ?? 'FILE'} -m ${files.join(' ')}". What is signed so ` +
        'is not compared with the key in the programs: try "tollgate upgrade --dry-run --from …" before others do.',
    )
  }
}
