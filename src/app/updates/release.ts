import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

/** SemVer 2.0.0, without the words that it leaves open. */
const semVer = '^(0|[1-9]\\d{0,8})\\.(0|[1-9]\\d{0,8})\\.(0|[1-9]\\d{0,8})(-[0-9A-Za-z.-]{1,40})?$'

export const isVersion = (text: string): boolean => new RegExp(semVer).test(text)

const mostBytes = 2 ** 30

const sized = {
  size: Type.Integer({ minimum: 1, maximum: mostBytes }),
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
}

/** The archive of one target, a .tar.gz, and the program in it. */
export const ReleaseArchive = Type.Object({
  url: Type.String({
    description: 'Relative to the address of latest.json.',
    pattern: '^[!-~]{1,500}$',
  }),
  ...sized,
  program: Type.Object(sized),
})
export type ReleaseArchive = Static<typeof ReleaseArchive>

/** `latest.json`: the newest release. What it may have beside this is for later programs. */
export const Release = Type.Object({
  version: Type.String({ pattern: semVer }),
  /** When the list was made: one that was made before one that was seen is an old answer. */
  made_at: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$' }),
  notes_url: Type.Optional(Type.String({ pattern: '^https://[!-~]{1,500}$' })),
  archives: Type.Record(Type.String({ pattern: '^[a-z0-9-]{1,40}$' }), ReleaseArchive, {
    additionalProperties: false,
  }),
})
export type Release = Static<typeof Release>

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** Whether releases may be read from there: encrypted, or on this machine. */
export const isReleaseAddress = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && loopback.test(hostname))

/** An address in messages: without user, password and query, which may be secret. */
export const describeAddress = ({ origin, pathname }: URL): string => origin + pathname

/** Whether what is read at one address may lead to another: never from an encrypted one to one that is not. */
export const mayLeadTo = (from: URL, to: URL): boolean =>
  isReleaseAddress(to) && (from.protocol !== 'https:' || to.protocol === 'https:')

/** Reads a latest.json that was signed; undefined: it is none. */
export function parseRelease(text: string): Release | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return Value.Check(Release, value) && !Number.isNaN(Date.parse(value.made_at))
      ? value
      : undefined
  } catch {
    return undefined
  }
}
