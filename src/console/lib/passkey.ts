/** Whether this browser can use passkeys by their JSON forms. */
export const hasPasskeys = (): boolean =>
  'PublicKeyCredential' in window && 'parseRequestOptionsFromJSON' in PublicKeyCredential

/** Asks the person for a passkey; throws when they decline. `options` come from the API. */
export async function askForPasskey(options: unknown): Promise<unknown> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as PublicKeyCredentialRequestOptionsJSON,
  )
  return toJson(await navigator.credentials.get({ publicKey }))
}

/** Makes a new passkey; throws when the person declines. */
export async function makePasskey(options: unknown): Promise<unknown> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as PublicKeyCredentialCreationOptionsJSON,
  )
  return toJson(await navigator.credentials.create({ publicKey }))
}

function toJson(credential: Credential | null): unknown {
  if (credential instanceof PublicKeyCredential) return credential.toJSON()
  throw new Error('The browser gave no passkey.')
}
