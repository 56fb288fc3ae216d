import { type Static, Type } from '@sinclair/typebox'
import { orNull } from '../shapes.ts'

const email = Type.String({ minLength: 3, maxLength: 320 })
const password = Type.String({ minLength: 1, maxLength: 1024 })
const code = Type.String({ minLength: 1, maxLength: 64 })
const id = Type.String({ minLength: 1, maxLength: 100 })
const time = Type.String({ format: 'date-time' })

export const SignInMethods = Type.Object({
  registration_enabled: Type.Boolean(),
  setup_open: Type.Boolean({ description: 'No administrator yet: the log shows a link.' }),
  providers: Type.Array(Type.Object({ id: Type.String(), name: Type.String() })),
})

export const SignInBody = Type.Object({
  email,
  password,
  remember: Type.Optional(
    Type.Boolean({ description: 'false: until the browser is closed.', default: true }),
  ),
})

export const Entered = Type.Object({
  two_factor: Type.Boolean({ description: 'true: a code is asked for before one is signed in.' }),
})

export const SignUpBody = Type.Object({
  email,
  password,
  name: Type.Optional(Type.String({ maxLength: 200 })),
})

export const SecondFactorBody = Type.Object({
  code,
  backup: Type.Optional(Type.Boolean({ description: 'true: `code` is one of the backup codes.' })),
  trust: Type.Optional(Type.Boolean({ description: 'true: not to be asked again for 30 days.' })),
})

export const PasswordBody = Type.Object({ password })
export const CodeBody = Type.Object({ code })
export const PasswordChangeBody = Type.Object({
  current_password: password,
  new_password: password,
})
export const SetupBody = Type.Object({
  code: Type.String({ minLength: 1, maxLength: 200 }),
  email,
  password,
})
export const SetupState = Type.Object({ open: Type.Boolean() })

export const ProviderBody = Type.Object({
  provider: id,
  callback_url: Type.Optional(
    Type.String({ maxLength: 1000, description: 'A path of the console.', default: '/console' }),
  ),
})
export const ProviderUrl = Type.Object({ url: Type.String() })
export const UnlinkBody = Type.Object({ provider: id })

export const BackupCodes = Type.Object({ backup_codes: Type.Array(Type.String()) })
export const TwoFactorSecret = Type.Object({
  totp_uri: Type.String({ description: 'For an authenticator app, as a QR code.' }),
  backup_codes: Type.Array(Type.String()),
})

export const PasskeyOptions = Type.Object({
  options: Type.Unknown({ description: 'As `navigator.credentials` takes it, in JSON.' }),
})
export const PasskeyBody = Type.Object({ response: Type.Unknown() })
export const NewPasskeyBody = Type.Object({
  response: Type.Unknown(),
  name: Type.String({ minLength: 1, maxLength: 100 }),
})
export const IdParams = Type.Object({ id })

/** The sign-in methods of an account. */
export const SignInProfile = Type.Object({
  has_password: Type.Boolean(),
  two_factor: Type.Boolean(),
  providers: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), created_at: time })),
  passkeys: Type.Array(
    Type.Object({ id: Type.String(), name: orNull(Type.String()), created_at: time }),
  ),
})
export type SignInProfile = Static<typeof SignInProfile>

/** What signs in to the account besides its password, for the owner to review. */
export const OtherWaysIn = Type.Pick(SignInProfile, ['passkeys', 'providers'])

export const SessionList = Type.Array(
  Type.Object({
    id: Type.String(),
    created_at: time,
    expires_at: time,
    address: orNull(Type.String()),
    user_agent: orNull(Type.String()),
    is_current: Type.Boolean(),
  }),
)
export type SessionList = Static<typeof SessionList>
