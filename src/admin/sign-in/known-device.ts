import { createHmac } from 'node:crypto'
import type { RequestFacts } from './call.ts'
import type { SignInParts } from './parts.ts'
import { librarySecret, readSignedCookie } from './secrets.ts'

/** How many accounts a browser is known for. */
const mostAccounts = 5
const keptSeconds = 400 * 86_400

/** A browser that has signed in before, by a cookie that only this gateway can write. */
export interface KnownDevices {
  /** A name for the browser, where it has signed in with this address before. */
  find(request: Request, email: string): string | undefined
  /** The cookie (`Set-Cookie`) that makes it known; not kept: until the browser is closed. */
  remember(request: Request, email: string, isKept?: boolean): string
}

const cookieName = (isSecure: boolean) => `${isSecure ? '__Secure-' : ''}tollgate.device`

/** The cookie opens nothing: it says who need not stand in line with strangers. */
export function createKnownDevices({
  secrets,
  facts,
}: Pick<SignInParts, 'secrets'> & {
  readonly facts: Pick<RequestFacts, 'isSecure'>
}): KnownDevices {
  const secret = librarySecret(secrets)
  const markOf = (email: string) =>
    secrets.keyedHash(`known device:${email.toLowerCase()}`).slice(0, 20)

  /** Its id, then marks of the addresses. */
  function read(request: Request): readonly string[] {
    const cookies = request.headers.get('cookie') ?? ''
    const value = readSignedCookie(cookies, cookieName(facts.isSecure(request)), secret)
    return value?.split('~') ?? []
  }

  return {
    find(request, email) {
      const [id, ...marks] = read(request)
      return marks.includes(markOf(email)) ? id : undefined
    },
    remember(request, email, isKept = true) {
      const isSecure = facts.isSecure(request)
      const [id = crypto.randomUUID(), ...marks] = read(request)
      const mark = markOf(email)
      const kept = [mark, ...marks.filter((one) => one !== mark)].slice(0, mostAccounts)
      const value = [id, ...kept].join('~')
      const signature = createHmac('sha256', secret).update(value).digest('base64')
      const cookie = encodeURIComponent(`${value}.${signature}`)
      return (
        `${cookieName(isSecure)}=${cookie}; ${isKept ? `Max-Age=${keptSeconds}; ` : ''}` +
        `Path=/api/v1/auth; HttpOnly; ${isSecure ? 'Secure; ' : ''}SameSite=Lax`
      )
    },
  }
}
