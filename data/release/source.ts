import { version as packageVersion } from '../../package.json'
import { parseMinisignKey } from '../../src/lib/minisign.ts'
import { ReleaseError } from './release.ts'
import { ownFile, root, run } from './run.ts'

/** What is released. */
export interface Source {
  readonly version: string
  /** The commit's id, 40 hexadecimal digits. */
  readonly commit: string
  /** Seconds: when it was committed. */
  readonly time: number
  /** What `tollgate upgrade` checks later releases with: the second line of a public key of minisign. */
  readonly key: string | undefined
}

/** https://semver.org, without build metadata: a package's version has no `+`. */
const semver =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[a-zA-Z-][\da-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][\da-zA-Z-]*))*)?$/

/** Throws when `version` is not what package.json says, or a pre-release of it. */
export function checkVersion(version: string, ofPackage: string = packageVersion): void {
  if (!semver.test(version))
    throw new ReleaseError(
      `VERSION "${version}" is no version: write it like ${ofPackage} or ${ofPackage}-rc.1 (https://semver.org)`,
    )
  if (version !== ofPackage && !version.startsWith(`${ofPackage}-`))
    throw new ReleaseError(
      `VERSION "${version}" is not that of package.json, "${ofPackage}", nor a pre-release of it: ` +
        'change "version" in package.json, and commit it',
    )
}

/** Throws where files differ from the commit: what is released is what it says. */
export async function checkTree(): Promise<void> {
  const changed = await git('status', '--porcelain')
  if (changed !== '')
    throw new ReleaseError(
      `A release is built from a clean tree, and these files differ from the commit:\n${changed}\nCommit them, or put them aside (git stash -u)`,
    )
}

/** Throws when tags say that this commit is another version, or that this version is another commit. */
export async function checkTags(version: string): Promise<void> {
  compareTags(version, {
    ofCommit: (await git('tag', '--points-at', 'HEAD', '--list', 'v*')).split('\n').filter(Boolean),
    taken: (await git('tag', '--list', `v${version}`)) !== '',
  })
}

export function compareTags(
  version: string,
  { ofCommit, taken }: { readonly ofCommit: readonly string[]; readonly taken: boolean },
): void {
  const tag = `v${version}`
  if (ofCommit.includes(tag)) return
  if (taken)
    throw new ReleaseError(
      `The tag ${tag} names another commit: check it out (git checkout ${tag}), or choose another VERSION`,
    )
  // A pre-release may be built from a commit that becomes a release.
  if (ofCommit.length > 0 && !version.includes('-'))
    throw new ReleaseError(
      `This commit has the tag ${ofCommit.join(', ')}, not ${tag}: give that version`,
    )
}

/** The commit that is checked out, as `version`; needs.ts says whether it can be. */
export async function readSource(version: string): Promise<Source> {
  const [commit = '', time = ''] = (await git('log', '-1', '--format=%H %ct')).split(' ')
  return { version, commit, time: Number(time), key: await readKey() }
}

/** Where the public key of releases lies, once its owner has put it there. */
export const keyFile = 'data/release/tollgate.pub'

/** The second line of the environment's public key, or of the repository's; throws when it is none. */
export async function readKey(): Promise<string | undefined> {
  const file = ownFile(keyFile)
  const [name, text] = process.env.TOLLGATE_RELEASE_KEY
    ? ['TOLLGATE_RELEASE_KEY', process.env.TOLLGATE_RELEASE_KEY]
    : [keyFile, (await file.exists()) ? await file.text() : undefined]
  const key = text?.trim().split('\n').at(-1)?.trim()
  if (key !== undefined && parseMinisignKey(key) === undefined)
    throw new ReleaseError(
      `${name} "${key}" is no public key of minisign: give the second line of its file`,
    )
  return key
}

const git = async (...args: readonly string[]) =>
  (await run(['git', '-C', root, ...args])).trimEnd()
