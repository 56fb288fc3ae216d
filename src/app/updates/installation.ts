import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Who else puts programs into their place, and how it is told to put a newer one there. */
export interface Installer {
  readonly name: string
  readonly command: string
}

/** Package managers: how they are asked whose a file is, and told to upgrade. */
const packageManagers = [
  {
    name: 'dpkg',
    ask: ['dpkg-query', '-S'],
    command: (owner: string) =>
      `apt-get install ./${owner}_VERSION_ARCH.deb   (the newer file; of a repository: apt-get install ` +
      `--only-upgrade ${owner})`,
  },
  {
    name: 'rpm',
    ask: ['rpm', '-q', '--qf', '%{NAME}:', '-f'],
    command: (owner: string) => `dnf upgrade ${owner}`,
  },
] as const

const askMs = 20_000

/** Who has put a program into its place; undefined: a person has. */
export async function findInstaller(program: string): Promise<Installer | undefined> {
  if (/[\\/]node_modules[\\/]/.test(program))
    return { name: 'npm', command: 'npm install --global tollgate@latest' }
  if (await isInImage(program))
    return {
      name: 'an image',
      command:
        'docker load < tollgate-VERSION-image.tar && TOLLGATE_VERSION=VERSION docker compose up --detach   ' +
        '(of a registry: docker compose pull)',
    }
  return findPackage(program)
}

/** The package manager whose file a program is; undefined: none's. */
export async function findPackage(program: string): Promise<Installer | undefined> {
  for (const { name, ask, command } of packageManagers) {
    const owner = await ownerOf(program, ask)
    if (owner !== undefined) return { name, command: command(owner) }
  }
  return undefined
}

/** The first bytes of an overlay file system's state, by linux/magic.h. */
const overlay = 0x794c7630

/** What is written to a container's own layer is gone with it; a volume stays. */
async function isInImage(program: string): Promise<boolean> {
  if (process.env.TOLLGATE_IMAGE) return true
  if (!['/.dockerenv', '/run/.containerenv'].some((file) => existsSync(file))) return false
  return (await statfs(dirname(program))).type === overlay
}

async function ownerOf(
  program: string,
  [tool, ...args]: readonly [string, ...string[]],
): Promise<string | undefined> {
  const found = Bun.which(tool)
  if (found === null) return undefined
  const env = { ...process.env, LC_ALL: 'C' }
  const options = { env, stdout: 'pipe', stderr: 'ignore', timeout: askMs } as const
  const child = Bun.spawn([found, ...args, program], options)
  const said = await child.stdout.text()
  return (await child.exited) === 0 ? /^([a-z0-9][a-z0-9+.-]*)[:,]/i.exec(said)?.[1] : undefined
}
