import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Writes SHA256SUMS of all files of a folder, as `sha256sum --check` reads it. */
export async function writeSums(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name !== 'SHA256SUMS').sort()
  const lines: string[] = []
  for (const name of names) lines.push(`${await sha256(join(folder, name))}  ${name}\n`)
  await Bun.write(join(folder, 'SHA256SUMS'), lines.join(''))
}

async function sha256(file: string): Promise<string> {
  const hash = new Bun.CryptoHasher('sha256')
  for await (const chunk of Bun.file(file).stream()) hash.update(chunk)
  return hash.digest('hex')
}
