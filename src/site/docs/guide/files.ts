import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A file of data/docs: `name` without its number and ending. */
export interface GuideFile {
  readonly name: string
  readonly text: string
}

/**
 * The guide's Markdown by language, in the order of the files' numbers. A macro: it runs while the program is
 * built, so that the texts lie in the program and no list of them has to be kept.
 */
export function readGuide(): Record<'en' | 'zh', GuideFile[]> {
  return { en: readFolder('en'), zh: readFolder('zh') }
}

function readFolder(language: string): GuideFile[] {
  const folder = join(import.meta.dir, '../../../../data/docs', language)
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((file) => file.endsWith('.md'))
    .sort()
    .map((file) => ({
      name: file.replace(/^\d+-|\.md$/g, ''),
      text: readFileSync(join(folder, file), 'utf8'),
    }))
}
