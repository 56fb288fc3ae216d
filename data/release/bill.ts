import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { buildConsole } from '../../src/app/console/bundle.ts'
import { ReleaseError } from './release.ts'
import { root, run } from './run.ts'

/** What we read of a CycloneDX document; all else in it is kept. */
export interface Bill {
  readonly metadata: { readonly component: Component; readonly [key: string]: unknown }
  readonly components: readonly Component[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[]
  readonly [key: string]: unknown
}

export interface Component {
  readonly name: string
  readonly group?: string
  readonly version: string
  readonly author?: string
  readonly 'bom-ref'?: string
  readonly licenses?: readonly unknown[]
  readonly evidence?: { readonly licenses?: readonly LicenseFile[] }
  readonly [key: string]: unknown
}

interface LicenseFile {
  readonly license: { readonly name: string; readonly text: { readonly content: string } }
}

/** Its name as in package.json. */
export const nameOf = ({ group, name }: Component): string =>
  group === undefined ? name : `${group}/${name}`

/**
 * The bill of materials of the program: the packages of which code is in it, as the bundler tells, with the texts of
 * their licences. Each is in bun.lock.
 */
export async function createBill(version: string): Promise<Bill> {
  const folder = join(root, '.cache/release')
  await mkdir(folder, { recursive: true })
  const metafile = join(folder, 'metafile.json')
  await Bun.write(metafile, JSON.stringify(await bundleFacts()))
  const output = join(folder, 'bill.json')
  const tool = join(root, 'node_modules/@cyclonedx/cyclonedx-esbuild/bin/cyclonedx-esbuild-cli.js')
  const options = ['--gather-license-texts', '--output-reproducible', '--validate']
  await run([process.execPath, tool, ...options, '--output-file', output, metafile])
  const bill: Bill = await Bun.file(output).json()
  checkLocked(bill.components, await Bun.file(join(root, 'bun.lock')).text())
  return withRuntime(bill, version)
}

/** Throws when a package is not the one of the lock file. */
export function checkLocked(components: readonly Component[], lockText: string): void {
  const lock = Bun.JSONC.parse(lockText) as { packages: Record<string, readonly [string]> }
  const locked = new Set(Object.values(lock.packages).map(([id]) => id))
  const others = components.map((one) => `${nameOf(one)}@${one.version}`)
  const missing = others.filter((id) => !locked.has(id))
  if (missing.length > 0)
    throw new ReleaseError(
      `These packages are in the program but not in bun.lock: ${missing.join(', ')}. ` +
        'Run ./compile.sh, which installs what is locked',
    )
}

/** What is bundled of which file, into the program and into the console that is packed into it. */
async function bundleFacts(): Promise<Pick<Bun.BuildMetafile, 'inputs' | 'outputs'>> {
  const program = await Bun.build({
    ...{ entrypoints: [join(root, 'src/main.ts')], target: 'bun', metafile: true },
    ...{ splitting: true, minify: { syntax: true, whitespace: true } },
  })
  const built = [program, await buildConsole()]
  const facts = built.map(({ metafile }) => {
    if (metafile === undefined)
      throw new ReleaseError('The bundler told nothing of what it bundled')
    return metafile
  })
  return {
    inputs: Object.assign({}, ...facts.map(({ inputs }) => inputs)),
    // Each by a name of its own: both may have an output that is called the same.
    outputs: Object.fromEntries(
      facts.flatMap(({ outputs }, at) =>
        Object.entries(outputs).map(([name, output]) => [`${at}/${name}`, output]),
      ),
    ),
  }
}

/** The runtime is in the program, too, and the release has a version of its own. */
function withRuntime(bill: Bill, version: string): Bill {
  const ref = `bun@${Bun.version}`
  const { component } = bill.metadata
  const runtime: Component = {
    ...{ type: 'platform', name: 'bun', version: Bun.version, 'bom-ref': ref },
    ...{ description: 'The runtime', purl: `pkg:npm/bun@${Bun.version}` },
    licenses: [{ license: { id: 'MIT', acknowledgement: 'declared' } }],
  }
  return {
    ...bill,
    metadata: { ...bill.metadata, component: { ...component, version } },
    components: [...bill.components, runtime],
    dependencies: [
      ...bill.dependencies.map((one) =>
        one.ref === component['bom-ref']
          ? { ...one, dependsOn: [...(one.dependsOn ?? []), ref].sort() }
          : one,
      ),
      { ref },
    ],
  }
}
