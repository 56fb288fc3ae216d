import { randomBytes } from 'node:crypto'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { addressKey } from '../../lib/addresses.ts'
import type { SignedIn } from '../access.ts'
import { ApiError } from '../api-error.ts'
import { beginAgain, type Outcome, originOf, requireFresh, type SignInCore } from './core.ts'

/** Passkeys per account. */
const mostPasskeys = 50
/** The longest credential id of WebAuthn; keys are shorter (RSA-8192: half of it). */
const most = { idChars: Math.ceil((1023 * 4) / 3), keyBytes: 2048 }

const transports: ReadonlySet<string> = new Set([
  ...['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'],
])

interface Begun {
  readonly ceremony: 'create' | 'get'
  readonly challenge: string
}

/** Reported by the browser, unverified. */
const transportsOf = (reported: unknown): unknown[] =>
  [reported].flat().filter((one) => typeof one === 'string' && transports.has(one))

const webauthn = () => import('@simplewebauthn/server')

/** Passkeys: signing in, and the passkeys of an account. */
export function createPasskeys(core: SignInCore) {
  const { store, sessions, limits, facts } = core

  const begin = (request: Request) => limits.begun.take(addressKey(facts.addressOf(request)))
  const notAccepted = () =>
    new ApiError('invalid_value', 'The passkey was not accepted.', { field: 'response' })

  /** Options for `navigator.credentials`. */
  async function ask<Options extends { readonly challenge: string }>(
    request: Request,
    options: Options,
    ceremony: Begun['ceremony'],
    accountId: number | null = null,
  ): Promise<Outcome<{ options: Options }>> {
    const begun: Begun = { ceremony, challenge: options.challenge }
    const data = JSON.stringify(begun)
    const cookie = await sessions.begin(request, 'passkey', { accountId, data })
    return { data: { options }, cookies: [cookie] }
  }

  /** The expected challenge: valid once, for this browser and this owner. */
  async function expected(request: Request, ceremony: string, accountId: number | null = null) {
    const pending = await sessions.take(request, 'passkey')
    const begun: Begun | undefined = pending && JSON.parse(pending.data)
    if (begun?.ceremony !== ceremony || pending?.accountId !== accountId) throw beginAgain()
    const origin = originOf(facts, request)
    return {
      expectedChallenge: begun.challenge,
      expectedOrigin: origin,
      expectedRPID: new URL(origin).hostname,
      requireUserVerification: false,
    }
  }

  return {
    async signInOptions(request: Request) {
      begin(request)
      const { generateAuthenticationOptions } = await webauthn()
      const rpID = new URL(originOf(facts, request)).hostname
      const userVerification = 'preferred'
      return ask(request, await generateAuthenticationOptions({ rpID, userVerification }), 'get')
    },

    async signIn(request: Request, response: unknown): Promise<Outcome<null>> {
      begin(request)
      const answer = response as AuthenticationResponseJSON | null | undefined
      if (typeof answer?.id !== 'string') throw notAccepted()
      const wanted = await expected(request, 'get')
      const passkey = await store.passkey(answer.id)
      const account = passkey && (await store.account({ id: passkey.accountId }))
      if (passkey === undefined || account === undefined)
        throw new ApiError('not_found', 'This passkey is not known here.')
      const { verifyAuthenticationResponse } = await webauthn()
      const { credentialId: id, counter } = passkey
      const publicKey = new Uint8Array(Buffer.from(passkey.publicKey, 'base64'))
      const asked = { ...wanted, response: answer, credential: { id, counter, publicKey } }
      const verified = await verifyAuthenticationResponse(asked).catch(() => undefined)
      const next = verified?.verified ? verified.authenticationInfo.newCounter : undefined
      // The counter advances once: of two concurrent answers only one is accepted.
      if (next === undefined || !(await store.countPasskey(passkey, next)))
        throw new ApiError('wrong_passkey', 'The passkey was not accepted.')
      return { data: null, cookies: await sessions.start(request, account, { method: 'passkey' }) }
    },

    async addOptions(request: Request, who: SignedIn) {
      begin(request)
      requireFresh(core, who)
      const { generateRegistrationOptions } = await webauthn()
      const { passkeys } = await store.waysIn(who.accountId)
      if (passkeys.length >= mostPasskeys)
        throw new ApiError('conflict', `There are ${mostPasskeys} passkeys. Remove one first.`)
      const options = await generateRegistrationOptions({
        rpName: core.settings().siteName,
        rpID: new URL(originOf(facts, request)).hostname,
        userID: new Uint8Array(randomBytes(24)),
        userName: who.email,
        userDisplayName: who.email,
        attestationType: 'none',
        excludeCredentials: passkeys.map(({ credentialId }) => ({ id: credentialId })),
        authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
      })
      return ask(request, options, 'create', who.accountId)
    },

    async add(
      request: Request,
      who: SignedIn,
      { response, name }: { readonly response: unknown; readonly name: string },
    ): Promise<Outcome<null>> {
      requireFresh(core, who)
      const wanted = await expected(request, 'create', who.accountId)
      const answer = { ...wanted, response: response as RegistrationResponseJSON }
      const { verifyRegistrationResponse } = await webauthn()
      const verified = await verifyRegistrationResponse(answer).catch(() => undefined)
      const info = verified?.registrationInfo
      const isFit =
        info !== undefined &&
        info.credential.id.length <= most.idChars &&
        info.credential.publicKey.length <= most.keyBytes
      const added =
        isFit &&
        (await store.addPasskey({
          ...{ accountId: who.accountId, name: name.trim() },
          credentialId: info.credential.id,
          publicKey: Buffer.from(info.credential.publicKey).toString('base64'),
          counter: info.credential.counter,
          deviceType: info.credentialDeviceType,
          isBackedUp: info.credentialBackedUp,
          transports: transportsOf(info.credential.transports).join(','),
          aaguid: info.aaguid,
        }))
      if (!added) throw notAccepted()
      await store.note(who.email, 'account.passkey_add', who.email)
      return { data: null, cookies: [] }
    },

    /** Another account's passkey is reported as missing. */
    async remove(who: SignedIn, id: string): Promise<Outcome<null>> {
      const isOwn = /^\d{1,15}$/.test(id) && (await store.removePasskey(who.accountId, Number(id)))
      if (!isOwn) throw new ApiError('not_found', `There is no passkey ${id}; it may be removed.`)
      await store.note(who.email, 'account.passkey_remove', who.email)
      return { data: null, cookies: [] }
    },
  }
}
