import { join } from 'node:path'
import { type Bill, type Component, nameOf } from './bill.ts'
import { ReleaseError } from './release.ts'

/** Third-party notices as one text: each package of the bill with its licence, then the runtime and data. */
export async function createNotices(bill: Bill): Promise<string> {
  const packages = bill.components
    .filter(({ name }) => name !== 'bun')
    .toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
  const own = (name: string) => Bun.file(join(import.meta.dir, name)).text()
  const mit = permissionOf(await own('../../LICENSE'))
  const texts = packages.map((one) => [titleOf(one), textOf(one, mit)] as const)
  const parts = [
    ...texts,
    ['Prices of vendors, from @pydantic/genai-prices', await own('../genai-prices.LICENSE')],
    [`The runtime: Bun ${Bun.version}`, await own('notices/runtime.txt')],
    ['GNU Library General Public License, version 2', await own('notices/LGPL-2.txt')],
    ['GNU Lesser General Public License, version 2.1', await own('notices/LGPL-2.1.txt')],
    ['Apache License, version 2.0', await own('notices/Apache-2.0.txt')],
  ] as const
  const head = 'Tollgate contains work of others. This file has their notices and licences.'
  return [head, ...parts.map(([title, text]) => `${line}\n${title}\n${line}\n\n${text.trim()}`), '']
    .join('\n\n')
    .replaceAll('\r\n', '\n')
}

const line = '='.repeat(80)

const titleOf = (one: Component) => `${nameOf(one)} ${one.version} (${licenceName(one)})`

function licenceName({ licenses = [] }: Component): string {
  const names = licenses.map((one) => {
    const { expression, license } = one as Licence
    return expression ?? license?.id ?? license?.name ?? ''
  })
  return names.join(', ')
}

interface Licence {
  readonly expression?: string
  readonly license?: { readonly id?: string; readonly name?: string }
}

/** What the MIT License says below the names of the authors: it is ours, too. */
const permissionOf = (license: string) => license.slice(license.indexOf('Permission is hereby'))

/** The package's own files; that of the MIT License is known where a package has none. */
function textOf(one: Component, mit: string): string {
  const own = filesOf(one)
  if (own.length > 0) return own.join('\n\n')
  if (licenceName(one) === 'MIT')
    return `Copyright (c) ${one.author ?? `the authors of ${nameOf(one)}`}\n\n${mit}`
  throw new ReleaseError(`${nameOf(one)} ${one.version} has no file with its licence`)
}

const filesOf = ({ evidence }: Component): readonly string[] =>
  (evidence?.licenses ?? []).map(({ license }) =>
    Buffer.from(license.text.content, 'base64').toString().trim(),
  )
