import { type Clock, dayMs } from '../../lib/clock.ts'
import { isoTime } from '../../lib/format.ts'
import { complainOfSignature, parseMinisignKey } from '../../lib/minisign.ts'
import { UserError } from '../user-error.ts'
import { readText } from './read-address.ts'
import { describeAddress, parseRelease, type Release } from './release.ts'
import type { Seen } from './seen.ts'

export interface Wanted {
  /** Of a latest.json. Its signature is at the same address with `.minisig`. */
  readonly address: URL
  /** The second line of a public key of minisign; undefined: this build has none. */
  readonly key: string | undefined
  /** The version of this program. */
  readonly installed: string
  readonly seen: Seen
  /** Told of each list that is right, whether its release is newer or not. */
  readonly onList?: ((release: Release) => void) | undefined
  readonly clock?: Clock | undefined
  readonly signal?: AbortSignal | undefined
  readonly silenceMs?: number
}

const mostLatestBytes = 256 * 1024
const mostSignatureBytes = 4 * 1024

/**
 * The newest release at an address; undefined: it is this one. Throws a `UserError` unless it is signed, and no
 * older than this one and than what was seen before.
 */
export async function findRelease(wanted: Wanted): Promise<Release | undefined> {
  const { address, installed, seen, clock = Date.now } = wanted
  const release = await readSigned(wanted)
  const { version, made_at } = release
  const place = describeAddress(address)
  if (Date.parse(made_at) > clock() + dayMs)
    throw new UserError(
      `${place} says that it was made at ${made_at}, and here it is ${isoTime(clock())}: set the clock of this ` +
        'machine. If it is right, tell who publishes the releases. Nothing was changed.',
    )
  const known = seen.read()
  const isOld = known && (isNewer(known.version, version) || made_at < known.madeAt)
  if (isOld) {
    const [offered, former] =
      known.version === version
        ? [`a list of ${made_at}`, `one of ${known.madeAt}`]
        : [version, known.version]
    throw new UserError(
      `${place} offers ${offered}, but ${former} was seen there before: this is an old answer, ` +
        'and somebody may keep the new one from you. Nothing was changed. If ' +
        `${former} was taken back, remove ${seen.file}`,
    )
  }
  if (known?.version !== version || known.madeAt !== made_at)
    await seen.write({ version, madeAt: made_at })
  wanted.onList?.(release)
  if (isNewer(installed, version))
    throw new UserError(
      `${place} offers ${version}, which is older than this program, ${installed}: nothing was ` +
        'changed. To go back to the program before this one: tollgate upgrade --back',
    )
  return isNewer(version, installed) ? release : undefined
}

const staleMs = 180 * dayMs

/**
 * A warning that a list is old; undefined: it is not. It says the day when the list was made, not its age: the words
 * are the same each day, so that a watch tells them once.
 */
export const complainOfAge = ({ made_at }: Release, now: number): string | undefined =>
  now - Date.parse(made_at) < staleMs
    ? undefined
    : `the list of releases was made on ${made_at.slice(0, 10)}: a newer one may be kept from you; ask who publishes ` +
      'the releases'

export const isNewer = (one: string, other: string): boolean => Bun.semver.order(one, other) > 0

async function readSigned(wanted: Wanted): Promise<Release> {
  const { address, key: line } = wanted
  const key = line === undefined ? undefined : parseMinisignKey(line)
  if (key === undefined)
    throw new UserError(
      `This build ${line === undefined ? 'has no key' : 'has a key that is none'} to check releases with, ` +
        'so it trusts none. Use a released program, or build with a key of your own (data/release/sign.ts).',
    )
  const text = await readText(address, { ...wanted, mostBytes: mostLatestBytes })
  const at = new URL(address)
  at.pathname += '.minisig'
  const signature = await readText(at, { ...wanted, mostBytes: mostSignatureBytes })
  const complaint = complainOfSignature(Buffer.from(text), signature, key)
  if (complaint !== undefined)
    throw new UserError(
      `The signature ${describeAddress(at)} ${complaint}. Nothing was changed. Try again in some minutes, should a ` +
        'release just be published; otherwise tell who publishes it.',
    )
  const release = parseRelease(text)
  if (release === undefined)
    throw new UserError(
      `${describeAddress(address)} is signed, but this program can't read it: it is for a later one. Upgrade by hand, ` +
        'as the guide says.',
    )
  return release
}
